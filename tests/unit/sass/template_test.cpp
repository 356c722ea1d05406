#include <doctest/doctest.h>

#include "sass/text.h"

using namespace warpcc;
using namespace warpcc::sass;

namespace {

Operand uniform(int number) {
  Operand operand;
  operand.reg.file = isa::File::ur;
  operand.reg.number = static_cast<std::int16_t>(number);
  return operand;
}
Operand immediate(std::int64_t number) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.number = number;
  return operand;
}

}  // namespace

TEST_CASE("every statement's template is a line of SASS on its targets") {
  for (const isa::Statement& row : isa::statements()) {
    if (row.sass.empty()) continue;
    INFO(row.word);
    std::vector<Operand> operands(row.slots.size(), uniform(4));
    Line line = instantiate(row.sass, operands);
    REQUIRE(line.opcode);
    std::string spelled(line.opcode->name);
    for (isa::Modifier modifier : line.modifiers) spelled += "." + std::string(isa::word(modifier));
    for (isa::Target target : {isa::Target::sm_100a, isa::Target::sm_90a}) {
      if (!isa::has(row.targets, target)) continue;
      const isa::Opcode* opcode = isa::find(spelled, target);
      REQUIRE(opcode);
      CHECK(opcode->slots.size() == line.operands.size());
    }
  }
}

TEST_CASE("a statement's kinds are those of its place in the SASS") {
  using namespace isa;
  constexpr Takes kRegisters = kR | kUR | kP | kUP;
  for (const Statement& row : statements()) {
    if (row.sass.empty()) continue;
    INFO(row.word);
    // Each operand is marked by its place, so that it is found again in the line.
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < row.slots.size(); ++i) operands.push_back(uniform(100 + static_cast<int>(i)));
    Line line = instantiate(row.sass, operands);
    for (std::size_t place = 0; place < line.operands.size(); ++place) {
      int index = line.operands[place].reg.number - 100;
      if (index < 0 || line.operands[place].reg.is_constant || line.operands[place].kind != Operand::Kind::reg)
        continue;
      const StatementSlot& wanted = row.slots[static_cast<std::size_t>(index)];
      const Slot& has = line.opcode->slots[place];
      INFO(place);
      CHECK((wanted.takes & kRegisters & ~has.takes) == 0);
      CHECK(wanted.out == has.out);
      CHECK((!wanted.negates || has.negates));
      if (wanted.width > 0 && wanted.takes & kRegisters) {
        CHECK(wanted.width == width_of(*line.opcode, static_cast<int>(place), line.modifiers));
      }
    }
  }
}

TEST_CASE("an immediate goes where SASS has a place for it") {
  Program program;
  Line sum = instantiate("UIADD3 $0, UPT, UPT, $1, $2, $3", {uniform(1), immediate(7), uniform(2), immediate(0)});
  CHECK(print_line(program, sum, Form::named) == "  UIADD3 UR1, UPT, UPT, UR2, 0x7, 0x0");
  Operand predicate;
  predicate.reg = {isa::File::up, ValueId::none, 0, 3, false};
  Line selection = instantiate("USEL $0, $1, $2, $3", {uniform(1), immediate(7), uniform(2), predicate});
  CHECK(print_line(program, selection, Form::named) == "  USEL UR1, UR2, 0x7, !UP3");
  Line shift = instantiate("USHF.R.U32.HI $0, URZ, $2, $1", {uniform(1), uniform(2), immediate(5)});
  CHECK(print_line(program, shift, Form::named) == "  USHF.R.U32.HI UR1, URZ, 0x5, UR2");
  CHECK(print_line(program, instantiate("UIADD3 $0, $1, $2, $3", {uniform(1), uniform(2), immediate(-8), uniform(3)}),
                   Form::named) == "  UIADD3 UR1, UR2, -0x8, UR3");
}
