// Reading a line's guard, opcode and operands.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "sass/cursor.h"
#include "sass/program.h"
#include "sass/read_values.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

// What operands may name.
struct OperandNames {
  const Program* program = nullptr;  // its tensor maps
  ReadValues* values = nullptr;      // none: names are not allowed
  const std::unordered_map<std::string_view, LabelId>* labels = nullptr;
  std::span<const Operand> holes;  // `$0`, `$1` of a template
};

class OperandReader {
 public:
  OperandReader(Cursor& cursor, const OperandNames& names, Diagnostics& diagnostics)
      : cursor_(cursor), names_(names), diagnostics_(diagnostics) {}

  // Guard, opcode and operands. False where something was reported; the cursor is then somewhere in the line.
  bool read(Line& line, isa::Target target);

 private:
  bool guard(Line& line, std::optional<WrittenReg>& predicate);
  bool use_guard(Line& line, const WrittenReg& predicate);
  bool opcode(Line& line, isa::Target target);
  bool operands(Line& line);
  std::optional<Operand> operand(const isa::Slot& slot, int width);
  std::optional<Operand> bracketed(std::string_view word, const isa::Slot& slot, int width);
  std::optional<Operand> base_and_offset(Operand::Kind kind, isa::Takes bases);
  std::optional<Operand> global(bool described);
  std::optional<Operand> map();
  std::optional<Operand> constant();
  std::optional<Operand> word(const isa::Slot& slot, std::string_view text);
  std::optional<Operand> hole();

  std::optional<WrittenReg> reg(bool address = false);  // of an address: `.64` behind it
  bool use(std::optional<WrittenReg> reg, Reg& into, isa::Takes takes, int width, bool written);
  bool close();
  std::nullopt_t wrong(SourceRange where);
  std::nullopt_t unreadable();

  Cursor& cursor_;
  const OperandNames& names_;
  Diagnostics& diagnostics_;
  const isa::Opcode* opcode_ = nullptr;
  int slot_ = 0;
};

// A register's name, `name.part`, `UR7.reuse`, read by the same rule in operands and in expressions; in an address
// without its `.64`.
struct RegWords {
  std::string_view name;
  std::optional<std::int64_t> part;
};
RegWords read_reg_words(Cursor& cursor, bool address = false);

}  // namespace warpcc::sass
