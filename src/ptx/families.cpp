#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

void lift_adds(Lifter& l) {
  l.has("64") ? lift_add64(l) : lift_add(l);
}

}  // namespace

Lift lift_of(isa::Op op) {
  using enum isa::Op;
  switch (op) {
    case UIADD3:
    case IADD3:
      return lift_adds;
    case UIMAD:
    case IMAD:
      return lift_multiply_wide;  // the other forms are templates
    case UISETP:
    case ISETP:
      return lift_compare;
    case ULOP3:
    case LOP3:
      return lift_logic;
    case ULEA:
    case LEA:
      return lift_lea;
    case USGXT:
    case SGXT:
      return lift_sign_extend;
    case VIMNMX:
      return lift_minimum;
    case FMNMX:
      return lift_minimum_float;
    case FSETP:
      return lift_compare_float;
    case PLOP3:
      return lift_predicate_logic;
    case ELECT:
      return lift_elect;
    case VOTE:
    case VOTEU:
      return lift_vote;
    case SHFL:
      return lift_shuffle;
    case REDUX:
      return lift_sum_of_lanes;
    case F2FP:
      return lift_pack;

    case LDS:
      return lift_shared_load;
    case STS:
      return lift_shared_store;
    case LDG:
      return lift_global_load;
    case LD:
      return lift_cluster_load;
    case ST:
      return lift_cluster_store;
    case STG:
      return lift_global_store;
    case REDG:
      return lift_global_add;
    case LDC:
    case LDCU:
    case ULDC:
      return lift_parameter_load;
    case MEMBAR:
      return lift_memory_barrier;
    case FENCE:
      return lift_proxy_fence;

    case SYNCS:
      return lift_mbarrier;
    case NANOSLEEP:
      return lift_sleep;
    case BAR:
      return lift_cta_barrier;
    case UCGABAR_ARV:
      return lift_cluster_arrive;
    case UCGABAR_WAIT:
      return lift_cluster_wait;
    case DEPBAR:
      return lift_scoreboard;
    case NOP:
      return lift_initialised;
    case BRA:
      return lift_branch;

    case UTMALDG:
    case UTMASTG:
    case UTMAREDG:
      return lift_tensor_copy;
    case UBLKCP:
      return lift_cluster_copy;
    case UTMACCTL:
      return lift_map_prefetch;
    case UGETNEXTWORKID:
      return lift_cancel;
    case UTCHMMA:
    case UTCQMMA:
    case UTCIMMA:
      return lift_mma;
    case HGMMA:
    case QGMMA:
    case IGMMA:
      return lift_warpgroup_mma;
    case WARPGROUP:
      return lift_warpgroup;
    case USETMAXREG:
      return lift_take_registers;
    case UTCBAR:
      return lift_commit;
    case LDTM:
      return lift_tensor_load;
    case STTM:
      return lift_tensor_store;
    case UTCATOMSWS:
      return lift_allocation;
    case UVIRTCOUNT:
      return lift_relinquish;
    default:
      return nullptr;
  }
}

}  // namespace warpcc::ptx
