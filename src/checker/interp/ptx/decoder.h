// Takes one function's opcodes apart. Its parts, one file each: decode.cpp (what lies where, one instruction),
// decode_arithmetic.cpp, decode_memory.cpp (memory, copies), decode_flow.cpp (control, synchronisation),
// decode_tensor.cpp (both tensor cores).
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/interp/ptx/code.h"

namespace warpcc::checker::ptx {

using ptx_text::Instruction;
using ptx_text::Operand;

// `u32`, `f16x2`: the type that a word of an opcode names.
std::optional<Num> type_of(std::string_view word);

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
  bool remote_access(Code& code);
  bool control(Code& code);
  bool synchronisation(Code& code);
  bool copies(Code& code);
  bool tensor(Code& code);
  bool of_a_warp(Code& code);
  bool tensor_multiply(Code& code);
  bool tensor_memory_copy(Code& code);
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

}  // namespace warpcc::checker::ptx
