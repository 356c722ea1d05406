#include <utility>

#include "llvm/Support/ErrorHandling.h"
#include "sass/read_operand.h"
#include "sass/text.h"

namespace warpcc::sass {

namespace {

// SASS has no immediate in the first place of a sum or a selection: it changes places with the second, and a selection
// is inverted.
void place_immediate(Line& line) {
  using isa::Op;
  Op op = line.opcode->op;
  bool sum = op == Op::IADD3 || op == Op::UIADD3, selection = op == Op::SEL || op == Op::USEL;
  if (!sum && !selection) return;
  std::size_t first = selection ? 1 : line.operands.size() - 3;
  Operand &a = line.operands[first], &b = line.operands[first + 1];
  if (a.kind != Operand::Kind::immediate || b.kind == Operand::Kind::immediate) return;
  std::swap(a, b);
  if (selection) line.operands.back().negated = !line.operands.back().negated;
}

}  // namespace

Line instantiate(std::string_view text, const std::vector<Operand>& operands) {
  Diagnostics diagnostics;
  Cursor cursor(FileId{}, text, 0);
  OperandNames names;
  names.holes = operands;
  Line line;
  bool read = false;
  // Rows differ by target in their number of operands; the template fits one of them.
  for (isa::Target target : {isa::Target::sm_100a, isa::Target::sm_90a}) {
    if (read) break;
    line = {};
    cursor.rewind(0);
    read = OperandReader(cursor, names, diagnostics).read(line, target) &&
           line.operands.size() == line.opcode->slots.size();
  }
  if (!read) llvm::report_fatal_error("warpcc: a template of the statement table is no line of SASS");
  place_immediate(line);
  return line;
}

}  // namespace warpcc::sass
