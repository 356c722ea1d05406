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
#include "checker/interp/ptx/link.h"

namespace warpcc::checker::ptx {

using ptx_text::Instruction;
using ptx_text::Operand;
using ptx_text::SpecialRegister;

// `u32`, `f16x2`: the type that a word of an opcode names.
std::optional<Num> type_of(std::string_view word);

class Decoder {
 public:
  Decoder(const ptx_text::Module& module, const ptx_text::Function& function, const AddressOf& address_of,
          Diagnostics& diagnostics, Storage& storage, FunctionCode& out)
      : module_(module),
        function_(function),
        address_of_(address_of),
        diagnostics_(diagnostics),
        storage_(storage),
        out_(out) {}

  // What the function declares gets its places. All functions' before any is taken apart.
  void place(FunctionCode::Part& part) {
    place_registers();
    place_variables(part);
  }

  // False, where errors were reported.
  bool run(const FunctionCode::Part& part) {
    first_ = part.first;
    first_table_ = static_cast<std::uint32_t>(out_.tables.size());
    for (const std::vector<std::uint32_t>& table : function_.tables) {
      out_.tables.push_back(table);
      for (std::uint32_t& each : out_.tables.back()) each += first_;
    }
    for (const Instruction& instruction : function_.instructions) {
      if (told_ >= 20) break;
      decode(instruction);
    }
    Code end;
    leave(end);
    out_.code.push_back(end);
    return told_ == 0;
  }

 private:
  void place_registers() {
    offsets_.reserve(function_.registers.size());
    for (ptx_text::Type type : function_.registers) {
      offsets_.push_back(out_.register_bytes);
      if (type == ptx_text::Type::pred) out_.predicates.push_back(out_.register_bytes);
      out_.register_bytes += type == ptx_text::Type::pred ? 4u : kLanes * register_width(type);
    }
    out_.register_bytes = (out_.register_bytes + 15) / 16 * 16;
  }
  static std::uint32_t register_width(ptx_text::Type type) {
    return static_cast<std::uint32_t>(std::max(4, bytes(type)));
  }

  void place_variables(FunctionCode::Part& part) {
    const std::size_t results = function_.results.size();
    for (std::size_t i = 0; i < function_.variables.size(); ++i) {
      const ptx_text::Variable& variable = function_.variables[i];
      if (is_formal(i) && function_.entry) {
        own_.push_back(Storage::take(out_.param_bytes, variable.bytes, variable.align));
        out_.param_offsets.push_back(own_[i]);
        continue;
      }
      if (variable.space == ptx_text::Space::shared) {
        own_.push_back(Storage::take(storage_.shared, variable.bytes, variable.align));
      } else {
        own_.push_back(Storage::take(storage_.frame, variable.bytes, std::max<std::int64_t>(variable.align, 8)));
      }
      if (is_formal(i)) (i < results ? part.results : part.params).push_back({formal(i), variable.bytes});
    }
  }
  bool is_formal(std::size_t i) const { return i < function_.results.size() + function_.params.size(); }
  Arg formal(std::size_t i) const {
    const std::uint32_t reg = function_.variables[i].reg;
    if (reg != ptx_text::Variable::kNone) return register_arg(reg);
    Arg arg;
    arg.kind = Arg::Kind::frame;
    arg.value = own_[i];
    return arg;
  }
  Arg register_arg(std::uint32_t reg) const {
    const ptx_text::Type type = function_.registers[reg];
    Arg arg;
    arg.kind = Arg::Kind::reg;
    arg.bytes = type == ptx_text::Type::pred ? 0 : static_cast<std::uint8_t>(register_width(type));
    arg.offset = offsets_[reg];
    return arg;
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
    switch (operand.kind) {
      case Operand::Kind::reg:
        arg = register_arg(operand.index);
        arg.negated = operand.negated;
        return add(arg);
      case Operand::Kind::integer:
        return integer(operand.value);
      case Operand::Kind::real:
        return integer(operand.value);
      case Operand::Kind::sink:
        return none();
      case Operand::Kind::special:
        out_.reserved_shared |= operand.index >= static_cast<std::uint32_t>(SpecialRegister::reserved_smem_offset);
        arg.kind = Arg::Kind::special;
        arg.offset = operand.index * 4 + operand.part;
        return add(arg);
      case Operand::Kind::variable:
        return address(operand, operand.value);
      case Operand::Kind::function:
        return integer(static_cast<std::int64_t>(address_of_function(operand.index)));
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
      arg.value = (operand.own ? own_[operand.index] : storage_.module_shared[operand.index]) + offset;
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
    return base.kind == Operand::Kind::variable && base.own && is_frame_variable(base);
  }
  bool is_frame_variable(const Operand& own) const {
    return (!function_.entry || !is_formal(own.index)) &&
           function_.variables[own.index].space != ptx_text::Space::shared;
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
  bool call(Code& code);
  bool passed(const Operand& operand);
  void leave(Code& code) const { code.op = function_.entry ? Op::ret : Op::ret_own; }
  bool synchronisation(Code& code);
  bool copies(Code& code);
  bool tensor(Code& code);
  bool of_a_warp(Code& code);
  bool mma(Code& code);
  bool fragments(Code& code);
  bool tensor_multiply(Code& code);
  bool tensor_memory_copy(Code& code);
  bool hopper(Code& code);
  bool packing(Code& code);
  bool conversion(Code& code);
  bool comparison(Code& code);
  bool move(Code& code);
  bool tensor_copy(Code& code, bool load);
  bool change_of_map(Code& code);
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
  Storage& storage_;
  FunctionCode& out_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::int64_t> own_;
  std::uint32_t first_ = 0, first_table_ = 0;  // of its code, of its tables, among all
  const Instruction* instruction_ = nullptr;
  const ptx_text::Opcode* opcode_ = nullptr;
  bool known_ = true;
  int told_ = 0;
};

}  // namespace warpcc::checker::ptx
