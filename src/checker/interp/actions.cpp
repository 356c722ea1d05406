// What the machine does for each opcode.
#include <string_view>

#include "checker/interp/code.h"

namespace warpcc::checker {
namespace {

struct Row {
  std::string_view opcode;
  Action action;
};

// Opcodes whose modifiers choose the action are settled as they are decoded.
constexpr Row kRows[] = {
    {"UIADD3", Action::add},
    {"IADD3", Action::add},
    {"VIADD", Action::add},
    {"UIMAD", Action::multiply_add},
    {"IMAD", Action::multiply_add},
    {"UISETP", Action::compare},
    {"ISETP", Action::compare},
    {"USHF", Action::shift},
    {"SHF", Action::shift},
    {"ULOP3", Action::logic},
    {"LOP3", Action::logic},
    {"USEL", Action::select},
    {"SEL", Action::select},
    {"UMOV", Action::move},
    {"MOV", Action::move},
    {"UPRMT", Action::permute},
    {"PRMT", Action::permute},
    {"ULEA", Action::shift_add},
    {"LEA", Action::shift_add},
    {"UPOPC", Action::population},
    {"POPC", Action::population},
    {"UBREV", Action::reverse_bits},
    {"BREV", Action::reverse_bits},
    {"UFLO", Action::highest_bit},
    {"FLO", Action::highest_bit},
    {"IABS", Action::absolute},
    {"USGXT", Action::extend},
    {"SGXT", Action::extend},
    {"VIMNMX", Action::minimum},
    {"PLOP3", Action::predicate_logic},
    {"S2R", Action::special},
    {"S2UR", Action::special},
    {"LDC", Action::constant},
    {"LDCU", Action::constant},
    {"ULDC", Action::constant},
    {"VOTEU", Action::vote},
    {"VOTE", Action::vote},
    {"ELECT", Action::elect},
    {"REDUX", Action::redux},
    {"SHFL", Action::shuffle},
    {"R2UR", Action::to_uniform},
    {"FADD", Action::float_add},
    {"FMUL", Action::float_multiply},
    {"FFMA", Action::float_multiply_add},
    {"F2FP", Action::float_pack},
    {"I2FP", Action::float_from_integer},
    {"FMNMX", Action::float_extreme},
    {"F2I", Action::integer_from_float},
    {"LDS", Action::load_shared},
    {"STS", Action::store_shared},
    {"LD", Action::load_shared},
    {"ST", Action::store_shared},
    {"LDG", Action::load_global},
    {"STG", Action::store_global},
    {"REDG", Action::add_global},
    {"LDTM", Action::load_tensor},
    {"STTM", Action::store_tensor},
    {"UTMALDG", Action::copy_in},
    {"UTMASTG", Action::copy_out},
    {"UTMAREDG", Action::copy_add},
    {"UBLKCP", Action::copy_across},
    {"UTMACCTL", Action::prefetch_map},
    {"UGETNEXTWORKID", Action::request_work},
    {"UTMACMDFLUSH", Action::close_group},
    {"DEPBAR", Action::wait_scoreboard},
    {"BAR", Action::named_barrier},
    {"UCGABAR_ARV", Action::cluster_arrive},
    {"UCGABAR_WAIT", Action::cluster_wait},
    {"ACQBULK", Action::grid_wait},
    {"HGMMA", Action::warpgroup_mma},
    {"QGMMA", Action::warpgroup_mma},
    {"IGMMA", Action::warpgroup_mma},
    {"WARPGROUP", Action::warpgroup_fence},
    {"USETMAXREG", Action::change_registers},
    {"UTCHMMA", Action::mma},
    {"UTCQMMA", Action::mma},
    {"UTCIMMA", Action::mma},
    {"UTCBAR", Action::commit},
    {"UVIRTCOUNT", Action::relinquish},
    {"BRA", Action::branch},
    {"EXIT", Action::exit},
    {"BPT", Action::trap},
    {"PREEXIT", Action::grid_launch},
    {"WARPSYNC", Action::fence},
    {"NANOSLEEP", Action::nothing},
    {"NOP", Action::fence},
    {"MEMBAR", Action::fence},
    {"FENCE", Action::fence},
    {"ERRBAR", Action::nothing},
    {"CGAERRBAR", Action::nothing},
    {"CCTL", Action::nothing},
};

}  // namespace

Action action_of(std::string_view opcode) {
  for (const Row& row : kRows) {
    if (row.opcode == opcode) return row.action;
  }
  return Action::unknown;
}

}  // namespace warpcc::checker
