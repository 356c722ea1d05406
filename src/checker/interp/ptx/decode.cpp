#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "checker/interp/ptx/code.h"

namespace warpcc::checker::ptx {

using ptx_text::Instruction;
using ptx_text::Operand;

int bits(Num type) {
  switch (type) {
    case Num::pred:
      return 1;
    case Num::b8:
    case Num::u8:
    case Num::s8:
      return 8;
    case Num::b16:
    case Num::u16:
    case Num::s16:
    case Num::f16:
    case Num::bf16:
    case Num::e4m3x2:
    case Num::e5m2x2:
      return 16;
    case Num::b64:
    case Num::u64:
    case Num::s64:
    case Num::f64:
      return 64;
    case Num::b128:
      return 128;
    default:
      return 32;
  }
}

namespace {

constexpr Message<std::string> kNoOpcode{"ptx-no-opcode", "the machine has no `{}`"};
constexpr Message<std::string> kBadOperands{"ptx-bad-operands", "the operands of `{}` are not such as it takes"};

constexpr std::pair<std::string_view, Num> kTypes[] = {
    {"pred", Num::pred}, {"b8", Num::b8},         {"b16", Num::b16},       {"b32", Num::b32}, {"b64", Num::b64},
    {"b128", Num::b128}, {"u8", Num::u8},         {"u16", Num::u16},       {"u32", Num::u32}, {"u64", Num::u64},
    {"s8", Num::s8},     {"s16", Num::s16},       {"s32", Num::s32},       {"s64", Num::s64}, {"f16", Num::f16},
    {"bf16", Num::bf16}, {"f16x2", Num::f16x2},   {"bf16x2", Num::bf16x2}, {"f32", Num::f32}, {"tf32", Num::tf32},
    {"f64", Num::f64},   {"e4m3x2", Num::e4m3x2}, {"e5m2x2", Num::e5m2x2}};

std::optional<Num> type_of(std::string_view word) {
  for (const auto& [name, type] : kTypes) {
    if (name == word) return type;
  }
  return {};
}

class Decoder {
 public:
  Decoder(const ptx_text::Module& module, const ptx_text::Function& function, const AddressOf& address_of,
          Diagnostics& diagnostics)
      : module_(module), function_(function), address_of_(address_of), diagnostics_(diagnostics) {
    out_.module = &module;
    out_.function = &function;
  }

  std::optional<FunctionCode> run() {
    place_registers();
    place_variables();
    out_.code.reserve(function_.instructions.size() + 1);
    for (const Instruction& instruction : function_.instructions) {
      if (told_ >= 20) break;
      decode(instruction);
    }
    Code end;
    end.op = Op::ret;
    out_.code.push_back(end);
    if (told_ > 0) return {};
    return std::move(out_);
  }

 private:
  void place_registers() {
    offsets_.reserve(function_.registers.size());
    for (ptx_text::Type type : function_.registers) {
      offsets_.push_back(out_.register_bytes);
      out_.register_bytes += type == ptx_text::Type::pred ? 4u : kLanes * register_width(type);
    }
  }
  static std::uint32_t register_width(ptx_text::Type type) {
    return static_cast<std::uint32_t>(std::max(4, bytes(type)));
  }

  void place_variables() {
    auto aligned = [](std::int64_t at, std::int64_t align) { return (at + align - 1) / align * align; };
    std::int64_t shared = kSharedStart;
    // Shared variables of the module that some function may reach, then the function's own; the launch's come behind.
    module_shared_.assign(module_.variables.size(), 0);
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
      const ptx_text::Variable& variable = module_.variables[i];
      if (variable.space != ptx_text::Space::shared || variable.external || variable.bytes == 0) continue;
      shared = aligned(shared, variable.align);
      module_shared_[i] = shared;
      shared += variable.bytes;
    }
    own_.assign(function_.variables.size(), 0);
    std::int64_t frame = 0;
    std::size_t formal = function_.results.size() + function_.params.size();
    for (std::size_t i = 0; i < function_.variables.size(); ++i) {
      const ptx_text::Variable& variable = function_.variables[i];
      if (i < formal) {
        out_.param_bytes = aligned(out_.param_bytes, variable.align);
        own_[i] = out_.param_bytes;
        out_.param_offsets.push_back(out_.param_bytes);
        out_.param_bytes += variable.bytes;
      } else if (variable.space == ptx_text::Space::shared) {
        shared = aligned(shared, variable.align);
        own_[i] = shared;
        shared += variable.bytes;
      } else {
        frame = aligned(frame, std::max<std::int64_t>(variable.align, 8));
        own_[i] = frame;
        frame += variable.bytes;
      }
    }
    out_.frame_bytes = frame;
    std::int64_t align = 16;
    for (const ptx_text::Variable& variable : module_.variables) {
      if (variable.space == ptx_text::Space::shared && variable.bytes == 0) align = std::max(align, variable.align);
    }
    dynamic_ = aligned(shared, align);
    out_.shared_bytes = dynamic_ - kSharedStart;
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
      if (module_.variables[i].space == ptx_text::Space::shared && module_shared_[i] == 0) module_shared_[i] = dynamic_;
    }
  }

  // ---- operands

  bool add(Arg arg) {
    out_.args.push_back(arg);
    return true;
  }
  bool none() { return add({}); }
  bool integer(std::int64_t value) {
    Arg arg;
    arg.kind = Arg::Kind::value;
    arg.value = value;
    return add(arg);
  }

  // A register or a constant; an `f32` constant of a 16-bit operation is converted by nobody, since PTX has none.
  bool scalar(const Operand& operand) {
    Arg arg;
    arg.negated = operand.negated;
    switch (operand.kind) {
      case Operand::Kind::reg: {
        ptx_text::Type type = function_.registers[operand.index];
        arg.kind = Arg::Kind::reg;
        arg.bytes = type == ptx_text::Type::pred ? 0 : static_cast<std::uint8_t>(register_width(type));
        arg.offset = offsets_[operand.index];
        return add(arg);
      }
      case Operand::Kind::integer:
        return integer(operand.value);
      case Operand::Kind::real:
        return integer(operand.value);
      case Operand::Kind::sink:
        return none();
      case Operand::Kind::special:
        arg.kind = Arg::Kind::special;
        arg.offset = operand.index * 4 + operand.part;
        return add(arg);
      case Operand::Kind::variable:
        return address(operand, operand.value);
      default:
        return false;
    }
  }
  // The address of a variable, as an instruction that names it sees it: in its own space.
  bool address(const Operand& operand, std::int64_t offset) {
    const ptx_text::Variable& variable =
        operand.own ? function_.variables[operand.index] : module_.variables[operand.index];
    Arg arg;
    arg.kind = Arg::Kind::value;
    if (variable.space == ptx_text::Space::shared) {
      arg.kind = Arg::Kind::shared;
      arg.value = (operand.own ? own_[operand.index] : module_shared_[operand.index]) + offset;
    } else if (operand.own) {
      arg.value = own_[operand.index] + offset;
    } else {
      arg.value = static_cast<std::int64_t>(address_of_(operand.index)) + offset;
    }
    return add(arg);
  }
  // `[x + 8]`: x, then the offset.
  bool memory(const Operand& operand) {
    if (operand.kind != Operand::Kind::address) return false;
    return scalar(part(operand, 0)) && integer(operand.value);
  }
  bool is_frame(const Operand& operand) const {
    const Operand& base = part(operand, 0);
    if (base.kind != Operand::Kind::variable || !base.own) return false;
    return base.index >= function_.results.size() + function_.params.size();
  }
  const Operand& part(const Operand& of, std::size_t i) const { return function_.parts[of.index + i]; }
  const Operand& operand(std::size_t i) const { return function_.operands[instruction_->first + i]; }
  std::size_t operands() const { return instruction_->operands; }

  // All from `first` on, scalars and lists of scalars.
  bool scalars(std::size_t first = 0) {
    for (std::size_t i = first; i < operands(); ++i) {
      if (operand(i).kind == Operand::Kind::list || operand(i).kind == Operand::Kind::pair) {
        if (!list(operand(i))) return false;
      } else if (!scalar(operand(i))) {
        return false;
      }
    }
    return true;
  }
  bool list(const Operand& operand) {
    if (operand.kind != Operand::Kind::list && operand.kind != Operand::Kind::pair) return scalar(operand);
    for (std::size_t i = 0; i < operand.count; ++i) {
      if (!scalar(part(operand, i))) return false;
    }
    return true;
  }
  static int width(const Operand& operand) {
    return operand.kind == Operand::Kind::list ? static_cast<int>(operand.count) : 1;
  }

  bool is(std::size_t i, std::string_view word) const { return words().size() > i && words()[i] == word; }
  bool has(std::string_view word) const { return opcode_->has(word); }
  const llvm::SmallVector<std::string_view, 8>& words() const { return opcode_->words; }
  bool starts(std::string_view text) const { return std::string_view(opcode_->text).substr(0, text.size()) == text; }

  void decode(const Instruction& instruction);
  bool family(Code& code);
  bool arithmetic(Code& code);
  bool memory_access(Code& code);
  bool control(Code& code);
  bool synchronisation(Code& code);
  bool copies(Code& code);
  bool tensor(Code& code);
  bool hopper(Code& code);
  bool conversion(Code& code);
  bool comparison(Code& code);
  bool move(Code& code);
  bool tensor_copy(Code& code, bool load);
  std::optional<Num> last_type() const {
    for (std::size_t i = words().size(); i-- > 1;) {
      if (std::optional<Num> found = type_of(words()[i])) return found;
    }
    return {};
  }

  const ptx_text::Module& module_;
  const ptx_text::Function& function_;
  const AddressOf& address_of_;
  Diagnostics& diagnostics_;
  FunctionCode out_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::int64_t> module_shared_, own_;
  std::int64_t dynamic_ = 0;
  const Instruction* instruction_ = nullptr;
  const ptx_text::Opcode* opcode_ = nullptr;
  bool known_ = true;
  int told_ = 0;
};

void Decoder::decode(const Instruction& instruction) {
  instruction_ = &instruction;
  opcode_ = &module_.opcodes[instruction.opcode];
  known_ = true;
  Code code;
  code.first = static_cast<std::uint32_t>(out_.args.size());
  if (instruction.guard != Instruction::kNoGuard) {
    code.guard = offsets_[instruction.guard];
    code.guard_negated = instruction.guard_negated;
  }
  bool good = family(code);
  code.count = static_cast<std::uint16_t>(out_.args.size() - code.first);
  if (!good) {
    SourceRange where{module_.file, instruction.offset, instruction.offset + instruction.length};
    std::string text = opcode_->text.substr(0, 120);
    if (known_) {
      diagnostics_.error(where, kBadOperands, text);
    } else {
      diagnostics_.error(where, kNoOpcode, text);
    }
    ++told_;
  }
  out_.code.push_back(code);
}

bool Decoder::family(Code& code) {
  std::string_view first = words()[0];
  if (first == "tcgen05") return tensor(code);
  if (first == "wgmma" || first == "setmaxnreg") return hopper(code);
  if (first == "cp" || first == "prefetch" || first == "applypriority" || first == "discard" ||
      first == "createpolicy" || first == "ldmatrix" || first == "stmatrix" || first == "clusterlaunchcontrol")
    return copies(code);
  if (first == "bar" || first == "barrier" || first == "mbarrier" || first == "fence" || first == "membar" ||
      first == "mapa" || first == "getctarank" || first == "elect" || first == "griddepcontrol")
    return synchronisation(code);
  if (first == "ld" || first == "ldu" || first == "st" || first == "atom" || first == "red" || first == "cvta")
    return memory_access(code);
  if (first == "bra" || first == "ret" || first == "exit" || first == "call" || first == "trap" || first == "brkpt" ||
      first == "shfl" || first == "vote" || first == "activemask" || first == "pragma" || first == "nanosleep")
    return control(code);
  if (first == "cvt") return conversion(code);
  if (first == "setp" || first == "selp") return comparison(code);
  if (first == "mov") return move(code);
  return arithmetic(code);
}

bool Decoder::arithmetic(Code& code) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"add", Op::add},     {"sub", Op::sub},          {"fma", Op::fma},     {"div", Op::div},   {"rem", Op::rem},
      {"neg", Op::neg},     {"abs", Op::abs},          {"min", Op::min},     {"max", Op::max},   {"and", Op::bit_and},
      {"or", Op::bit_or},   {"xor", Op::bit_xor},      {"not", Op::bit_not}, {"shl", Op::shl},   {"shr", Op::shr},
      {"bfi", Op::bfi},     {"bfe", Op::bfe},          {"prmt", Op::prmt},   {"popc", Op::popc}, {"clz", Op::clz},
      {"brev", Op::brev},   {"bfind", Op::bfind},      {"lop3", Op::lop3},   {"rcp", Op::rcp},   {"sqrt", Op::sqrt},
      {"rsqrt", Op::rsqrt}, {"ex2", Op::ex2},          {"lg2", Op::lg2},     {"tanh", Op::tanh}, {"sin", Op::sin},
      {"cos", Op::cos},     {"copysign", Op::copysign}};
  known_ = false;
  std::optional<Num> type = last_type();
  if (!type) return false;
  code.type = *type;
  std::string_view first = words()[0];
  bool found = false;
  for (const auto& [word, op] : kOps) {
    if (word == first) {
      code.op = op;
      found = true;
    }
  }
  if (first == "mul" || first == "mad" || first == "mul24" || first == "mad24") {
    bool sum = first == "mad";
    code.op = has("wide") ? (sum ? Op::mad_wide : Op::mul_wide)
              : has("hi") ? (sum ? Op::mad_hi : Op::mul_hi)
                          : (sum ? Op::mad_lo : Op::mul_lo);
    if (sum && is_float(code.type)) code.op = Op::fma;
    found = !(first == "mul24" || first == "mad24");
  }
  if (first == "shf") {
    code.op = has("l") ? Op::shf_l : Op::shf_r;
    code.extra = has("wrap");
    found = true;
  }
  // Carries have no place in the machine, nor has any packed integer.
  if (!found || has("cc") || first == "addc" || first == "subc") return false;
  code.saturate = has("sat");
  code.relu = has("relu");
  code.unordered = has("NaN");  // of min and max: a NaN wins
  code.round_down = has("rm");
  code.round_up = has("rp");
  code.to_zero = has("rz");
  known_ = true;
  return scalars() && out_.args.size() > code.first;
}

bool Decoder::move(Code& code) {
  std::optional<Num> type = last_type();
  if (!type || operands() != 2) return false;
  code.type = *type;
  const Operand &to = operand(0), &from = operand(1);
  if (to.kind == Operand::Kind::list) {
    code.op = Op::unpack;
    return list(to) && scalar(from);
  }
  if (from.kind == Operand::Kind::list) {
    code.op = Op::pack;
    return scalar(to) && list(from);
  }
  code.op = Op::mov;
  return scalar(to) && scalar(from);
}

bool Decoder::conversion(Code& code) {
  code.op = Op::cvt;
  std::size_t count = words().size();
  std::optional<Num> from = count >= 3 ? type_of(words()[count - 1]) : std::nullopt;
  std::optional<Num> to = count >= 3 ? type_of(words()[count - 2]) : std::nullopt;
  known_ = from && to;
  if (!known_) return false;
  code.type = *to;
  code.from = *from;
  code.saturate = has("sat") || has("satfinite");
  code.relu = has("relu");
  code.round_down = has("rm") || has("rmi");
  code.round_up = has("rp") || has("rpi");
  code.to_zero = has("rz") || has("rzi");
  // Whole numbers from real ones: how, said by the modifier alone.
  code.extra = has("rni") || has("rmi") || has("rpi") || has("rzi");
  return scalars();
}

bool Decoder::comparison(Code& code) {
  std::optional<Num> type = last_type();
  known_ = type.has_value();
  if (!known_) return false;
  code.type = *type;
  if (words()[0] == "selp") {
    code.op = Op::selp;
    return operands() == 4 && scalars();
  }
  static constexpr std::pair<std::string_view, std::pair<Compare, bool>> kCompares[] = {
      {"eq", {Compare::eq, false}}, {"ne", {Compare::ne, false}},   {"lt", {Compare::lt, false}},
      {"le", {Compare::le, false}}, {"gt", {Compare::gt, false}},   {"ge", {Compare::ge, false}},
      {"lo", {Compare::lt, false}}, {"ls", {Compare::le, false}},   {"hi", {Compare::gt, false}},
      {"hs", {Compare::ge, false}}, {"equ", {Compare::eq, true}},   {"neu", {Compare::ne, true}},
      {"ltu", {Compare::lt, true}}, {"leu", {Compare::le, true}},   {"gtu", {Compare::gt, true}},
      {"geu", {Compare::ge, true}}, {"num", {Compare::num, false}}, {"nan", {Compare::nan, true}}};
  code.op = Op::setp;
  bool found = false;
  for (const auto& [word, meaning] : kCompares) {
    if (!is(1, word)) continue;
    code.compare = meaning.first;
    code.unordered = meaning.second;
    found = true;
  }
  code.combine = is(2, "and")   ? Combine::bit_and
                 : is(2, "or")  ? Combine::bit_or
                 : is(2, "xor") ? Combine::bit_xor
                                : Combine::none;
  known_ = found;
  if (!found) return false;
  // Two destinations, the second may be absent; two operands; the predicate to combine with.
  if (operand(0).kind == Operand::Kind::pair) {
    if (!list(operand(0))) return false;
  } else if (!scalar(operand(0)) || !none()) {
    return false;
  }
  return operands() == (code.combine == Combine::none ? 3u : 4u) && scalars(1);
}

bool Decoder::memory_access(Code& code) {
  std::string_view first = words()[0];
  if (first == "cvta") {
    code.op = Op::cvta;
    code.relaxed = has("to");
    code.where = has("shared") || has("shared::cta") || has("shared::cluster") ? Where::shared
                 : has("local")                                                ? Where::local
                 : has("param") || has("param::entry")                         ? Where::param
                                                                               : Where::global;
    return operands() == 2 && scalars();
  }
  std::optional<Num> type = last_type();
  known_ = type.has_value();
  if (!known_) return false;
  code.type = *type;
  code.where = has("global")                                                   ? Where::global
               : has("shared") || has("shared::cta") || has("shared::cluster") ? Where::shared
               : has("local")                                                  ? Where::local
               : has("param") || has("param::entry") || has("param::func")     ? Where::param
               : has("const")                                                  ? Where::constant
                                                                               : Where::generic;
  code.cluster = has("shared::cluster");
  code.acquire = has("acquire") || has("acq_rel");
  code.release = has("release") || has("acq_rel");
  code.relaxed = has("relaxed") || has("volatile");
  bool load = first == "ld" || first == "ldu";
  if (load || first == "st") {
    code.op = load ? Op::ld : Op::st;
    if (operands() < 2) return false;
    const Operand& value = operand(load ? 0 : 1);
    const Operand& place = operand(load ? 1 : 0);
    code.vector = static_cast<std::uint8_t>(width(value));
    if (place.kind != Operand::Kind::address) return false;
    if (code.where == Where::param && is_frame(place)) code.where = Where::frame;
    return memory(place) && list(value);
  }
  // d, [a], b[, c]; red has no d.
  static constexpr std::pair<std::string_view, int> kOperations[] = {{"add", 0}, {"min", 1}, {"max", 2},  {"and", 3},
                                                                     {"or", 4},  {"xor", 5}, {"exch", 6}, {"cas", 7},
                                                                     {"inc", 8}, {"dec", 9}};
  code.op = first == "atom" ? Op::atom : Op::red;
  code.extra = -1;
  for (const auto& [word, number] : kOperations) {
    if (has(word)) code.extra = number;
  }
  known_ = code.extra >= 0;
  std::size_t at = first == "atom" ? 1 : 0;
  if (!known_ || operands() < at + 2) return false;
  code.vector = static_cast<std::uint8_t>(width(operand(at + 1)));
  if (!memory(operand(at))) return false;
  if (first == "atom" && !list(operand(0))) return false;
  if (first == "red" && code.vector == 1 && !none()) return false;
  if (first == "red" && code.vector > 1) {
    for (int i = 0; i < code.vector; ++i) none();
  }
  for (std::size_t i = at + 1; i < operands(); ++i) {
    if (!list(operand(i))) return false;
  }
  return true;
}

bool Decoder::control(Code& code) {
  std::string_view first = words()[0];
  if (first == "bra") {
    code.op = Op::bra;
    if (operands() != 1 || operand(0).kind != Operand::Kind::label) return false;
    code.target = operand(0).index;
    return true;
  }
  if (first == "ret" || first == "exit") {
    code.op = Op::ret;
    return true;
  }
  if (first == "trap" || first == "brkpt") {
    code.op = Op::trap;
    return true;
  }
  if (first == "nanosleep" || first == "pragma") return true;
  if (first == "activemask") {
    code.op = Op::activemask;
    return scalars();
  }
  if (first == "call") {
    code.op = Op::call;
    for (std::size_t i = 0; i < operands(); ++i) {
      if (operand(i).kind == Operand::Kind::function) code.function = operand(i).index;
      if (operand(i).kind == Operand::Kind::list && code.function != Code::kNone) {
        for (std::size_t j = 0; j < operand(i).count; ++j) {
          if (!scalar(part(operand(i), j))) return false;
        }
      }
    }
    return code.function != Code::kNone;
  }
  if (first == "vote") {
    code.op = Op::vote;
    code.extra = has("ballot") ? 3 : has("all") ? 0 : has("any") ? 1 : 2;
    return operands() >= 2 && scalars();
  }
  code.op = Op::shfl;
  code.extra = has("up") ? 0 : has("down") ? 1 : has("bfly") ? 2 : 3;
  if (operands() < 4) return false;
  if (operand(0).kind == Operand::Kind::pair) {
    if (!list(operand(0))) return false;
  } else if (!scalar(operand(0)) || !none()) {
    return false;
  }
  return scalars(1);
}

bool Decoder::synchronisation(Code& code) {
  std::string_view first = words()[0];
  if (first == "fence" || first == "membar") {
    code.op = Op::fence;
    // 0 a fence of memory, 1 of the proxies, 2 of fresh barriers
    code.extra = has("proxy") ? 1 : has("mbarrier_init") ? 2 : 0;
    code.where = has("global") ? Where::global : has("shared::cta") ? Where::shared : Where::generic;
    code.cluster = has("cluster") || has("shared::cluster");
    return true;
  }
  if (first == "griddepcontrol") {
    code.op = has("wait") ? Op::grid_wait : Op::grid_launch;
    return true;
  }
  if (first == "elect") {
    code.op = Op::elect;
    return operands() == 2 && operand(0).kind == Operand::Kind::pair && scalars();
  }
  if (first == "mapa") {
    code.op = Op::mapa;
    code.where = has("shared::cluster") ? Where::shared : Where::generic;
    return operands() == 3 && scalars();
  }
  if (first == "getctarank") {
    code.op = Op::cta_rank;
    return operands() == 2 && scalars();
  }
  if (starts("barrier.cluster")) {
    code.op = has("arrive") ? Op::cluster_arrive : Op::cluster_wait;
    code.relaxed = has("relaxed");
    return true;
  }
  if (first == "bar" || first == "barrier") {
    if (has("warp")) {
      code.op = Op::warp_sync;
      return scalars();
    }
    known_ = has("sync") || has("arrive");
    code.op = has("arrive") ? Op::bar_arrive : Op::bar_sync;
    if (!known_ || !scalars()) return false;
    if (operands() < 2) none();
    return true;
  }
  if (has("init")) {
    code.op = Op::mbar_init;
    return operands() == 2 && memory(operand(0)) && scalar(operand(1));
  }
  if (has("inval")) {
    code.op = Op::mbar_inval;
    return memory(operand(0));
  }
  code.cluster = has("shared::cluster");
  code.relaxed = has("relaxed");
  code.acquire = has("cluster");  // as scope
  if (has("test_wait") || has("try_wait")) {
    // done, [barrier], parity or state
    code.op = Op::mbar_test;
    code.uniform = has("try_wait");
    code.extra = has("parity");
    return operands() >= 3 && scalar(operand(0)) && memory(operand(1)) && scalar(operand(2));
  }
  if (is(1, "expect_tx") || is(1, "complete_tx")) {
    // [barrier], nothing, bytes
    code.op = Op::mbar_expect;
    code.add = is(1, "complete_tx");
    return operands() == 2 && memory(operand(0)) && scalar(operand(1));
  }
  if (is(1, "arrive") || is(1, "arrive_drop")) {
    // [barrier], state, count or bytes
    code.op = Op::mbar_arrive;
    code.extra = has("expect_tx") ? 1 : 0;
    code.at_read = is(1, "arrive_drop");
    std::size_t at = operands() > 0 && operand(0).kind == Operand::Kind::address ? 0 : 1;
    if (operands() <= at || !memory(operand(at))) return false;
    if (at == 1 ? !scalar(operand(0)) : !none()) return false;
    return operands() > at + 1 ? scalar(operand(at + 1)) : none();
  }
  known_ = false;
  return false;
}

// [shared], map, [barrier], mask, coordinates …; a store: [shared], map, coordinates …
bool Decoder::tensor_copy(Code& code, bool load) {
  code.op = load ? Op::tensor_load : Op::tensor_store;
  code.add = has("reduce");
  known_ = !has("im2col") && !has("im2col::w") && !has("tile::gather4") && !has("tile::scatter4") &&
           (!code.add || has("add"));
  if (!known_) return false;
  code.dimensions = 0;
  for (std::string_view word : words()) {
    if (word.size() == 2 && word[1] == 'd' && word[0] >= '1' && word[0] <= '5')
      code.dimensions = static_cast<std::uint8_t>(word[0] - '0');
  }
  code.multicast = has("multicast::cluster");
  code.pair = has("cta_group::2");
  const Operand& tensor = operand(load ? 1 : 0);
  const Operand& shared = operand(load ? 0 : 1);
  if (tensor.kind != Operand::Kind::tensor || tensor.count < 2) return false;
  if (!memory(shared) || !scalar(part(tensor, 0))) return false;
  if (load) {
    if (operands() < 3 || !memory(operand(2))) return false;
    std::size_t next = 3;
    if (code.multicast) {
      if (operands() <= next || !scalar(operand(next++))) return false;
    } else {
      none();
    }
  }
  const Operand& coordinates = part(tensor, 1);
  if (width(coordinates) != code.dimensions) return false;
  return list(coordinates);
}

bool Decoder::copies(Code& code) {
  std::string_view first = words()[0];
  if (first == "prefetch" || first == "applypriority" || first == "discard" || starts("cp.async.bulk.prefetch"))
    return true;
  if (first == "createpolicy") {
    // A policy is a number that nobody looks at.
    code.op = Op::mov;
    code.type = Num::b64;
    return scalar(operand(0)) && integer(0);
  }
  if (first == "ldmatrix" || first == "stmatrix") {
    code.op = first == "ldmatrix" ? Op::ldmatrix : Op::stmatrix;
    code.extra = has("x4") ? 4 : has("x2") ? 2 : 1;
    code.add = has("trans");
    known_ = has("b16");
    const Operand& place = operand(first == "ldmatrix" ? 1 : 0);
    return known_ && operands() == 2 && memory(place) && list(operand(first == "ldmatrix" ? 0 : 1));
  }
  if (first == "clusterlaunchcontrol") {
    if (has("try_cancel")) {
      code.op = Op::clc_try;
      code.multicast = has("multicast::cluster::all");
      return operands() == 2 && memory(operand(0)) && memory(operand(1));
    }
    if (has("is_canceled")) {
      code.op = Op::clc_canceled;
      return operands() == 2 && scalars();
    }
    code.op = Op::clc_ctaid;
    code.extra = has("v4") ? -1 : has("get_first_ctaid::y") ? 1 : has("get_first_ctaid::z") ? 2 : 0;
    return operands() == 2 && scalars();
  }
  if (starts("cp.async.bulk.tensor") || starts("cp.reduce.async.bulk.tensor")) {
    bool load = operand(0).kind == Operand::Kind::address;
    return tensor_copy(code, load);
  }
  if (starts("cp.async.bulk.commit_group")) {
    code.op = Op::bulk_commit;
    return true;
  }
  if (starts("cp.async.bulk.wait_group")) {
    code.op = Op::bulk_wait;
    code.at_read = has("read");
    return scalars();
  }
  if (starts("cp.async.bulk") || starts("cp.reduce.async.bulk")) {
    // [to], [from], bytes, [barrier]; a store: [to], [from], bytes
    bool into_shared = is(first == "cp" && words().size() > 3 ? 3 : 4, "shared::cluster") || is(3, "shared::cta") ||
                       is(3, "shared::cluster");
    code.op = into_shared ? Op::bulk_load : Op::bulk_store;
    code.add = has("reduce");
    known_ = !code.add && !has("multicast::cluster");
    if (!known_ || operands() < 3 || !memory(operand(0)) || !memory(operand(1)) || !scalar(operand(2))) return false;
    code.where = has("global") ? Where::global : Where::shared;
    if (!into_shared) return true;
    return operands() >= 4 && memory(operand(3));
  }
  if (starts("cp.async.commit_group") || starts("cp.async.wait")) return true;  // copies are done at once
  if (starts("cp.async.mbarrier")) {
    code.op = Op::copy_async_arrive;
    code.extra = has("noinc");
    return memory(operand(0));
  }
  if (starts("cp.async.c")) {
    // [to], [from], bytes, bytes that come
    code.op = Op::copy_async;
    if (operands() < 3 || !memory(operand(0)) || !memory(operand(1)) || !scalar(operand(2))) return false;
    return operands() > 3 ? scalar(operand(3)) : none();
  }
  known_ = false;
  return false;
}

bool Decoder::tensor(Code& code) {
  code.pair = has("cta_group::2");
  if (is(1, "alloc")) {
    code.op = Op::tmem_alloc;
    return operands() == 2 && memory(operand(0)) && scalar(operand(1));
  }
  if (is(1, "dealloc")) {
    code.op = Op::tmem_dealloc;
    return operands() == 2 && scalars();
  }
  if (is(1, "relinquish_alloc_permit")) {
    code.op = Op::tmem_relinquish;
    return true;
  }
  if (is(1, "wait::ld") || is(1, "wait::st")) {
    code.op = Op::tmem_wait;
    code.extra = is(1, "wait::st");
    return true;
  }
  if (is(1, "fence::before_thread_sync") || is(1, "fence::after_thread_sync")) {
    code.op = Op::tmem_fence;
    code.extra = is(1, "fence::after_thread_sync");
    return true;
  }
  if (is(1, "commit")) {
    code.op = Op::tmem_commit;
    code.multicast = has("multicast::cluster");
    if (operands() < 1 || !memory(operand(0))) return false;
    return code.multicast ? operands() == 2 && scalar(operand(1)) : none();
  }
  if (is(1, "ld") || is(1, "st")) {
    bool load = is(1, "ld");
    code.op = load ? Op::tmem_ld : Op::tmem_st;
    static constexpr std::string_view kShapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
    code.extra = -1;
    for (int i = 0; i < 5; ++i) {
      if (has(kShapes[i])) code.extra = i;
    }
    known_ = code.extra >= 0 && !has("pack::16b") && !has("unpack::16b") && !has("red");
    if (!known_ || operands() < 2) return false;
    const Operand& registers = operand(load ? 0 : operands() - 1);
    const Operand& place = operand(load ? 1 : 0);
    code.vector = 1;
    // [address], the second half's offset, then the registers
    if (!memory(place)) return false;
    if (operands() > 2 ? !scalar(operand(load ? 2 : 1)) : !none()) return false;
    return list(registers);
  }
  if (is(1, "mma")) {
    code.op = Op::tmem_mma;
    known_ = (has("kind::f16") || has("kind::tf32") || has("kind::f8f6f4") || has("kind::i8")) && !has("sp") &&
             !has("ws") && !has("ashift");
    code.extra = has("kind::f8f6f4") ? 1 : has("kind::i8") ? 2 : has("kind::tf32") ? 3 : 0;
    // D, A, B, instruction descriptor, whether it adds. A in tensor memory is an address in brackets.
    if (!known_ || operands() < 5 || operand(0).kind != Operand::Kind::address) return false;
    if (operand(1).kind == Operand::Kind::address) {
      known_ = false;
      return false;
    }
    std::size_t accumulate = operand(4).kind == Operand::Kind::list ? 5 : 4;
    if (operands() <= accumulate) return false;
    return memory(operand(0)) && scalar(operand(1)) && scalar(operand(2)) && scalar(operand(3)) &&
           scalar(operand(accumulate));
  }
  known_ = false;
  return false;
}

bool Decoder::hopper(Code& code) {
  if (is(0, "setmaxnreg")) {
    code.op = Op::register_budget;
    code.add = has("inc");
    return scalars();
  }
  if (is(1, "fence")) {
    code.op = Op::wgmma_fence;
    return true;
  }
  if (is(1, "commit_group")) {
    code.op = Op::wgmma_commit;
    return true;
  }
  if (is(1, "wait_group")) {
    code.op = Op::wgmma_wait;
    return scalars();
  }
  code.op = Op::wgmma;
  std::size_t count = words().size();
  known_ = is(1, "mma_async") && count >= 7 && !has("sp");
  if (!known_) return false;
  // m64n128k16, type of D, of A, of B
  std::string_view shape = words()[4];
  std::size_t n = shape.find('n'), k = shape.find('k');
  if (n == std::string_view::npos || k == std::string_view::npos) return false;
  int columns = 0;
  for (char c : shape.substr(n + 1, k - n - 1)) columns = columns * 10 + (c - '0');
  code.extra = columns;
  static constexpr std::pair<std::string_view, Num> kMore[] = {{"e4m3", Num::e4m3x2}, {"e5m2", Num::e5m2x2}};
  auto element = [&](std::string_view word) {
    for (const auto& [name, type] : kMore) {
      if (name == word) return std::optional<Num>(type);
    }
    return type_of(word);
  };
  std::optional<Num> d = element(words()[5]), a = element(words()[6]);
  known_ = d && a && columns >= 8 && columns <= 256 && (count < 8 || words()[7] == words()[6]);
  if (!known_) return false;
  code.type = *d;
  code.from = *a;
  // A, B, adds, the signs and the majors that the type has, then D's registers
  if (operands() < 4 || operand(0).kind != Operand::Kind::list) return false;
  if (operand(1).kind == Operand::Kind::list) {
    known_ = false;
    return false;
  }
  for (std::size_t i = 1; i < 8; ++i) {
    if (i < operands() ? !scalar(operand(i)) : !none()) return false;
  }
  code.vector = static_cast<std::uint8_t>(operand(0).count);
  return list(operand(0));
}

}  // namespace

std::optional<FunctionCode> decode(const ptx_text::Module& module, const ptx_text::Function& function,
                                   const AddressOf& address_of, Diagnostics& diagnostics) {
  return Decoder(module, function, address_of, diagnostics).run();
}

}  // namespace warpcc::checker::ptx
