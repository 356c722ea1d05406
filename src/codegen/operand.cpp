#include "codegen/operand.h"

namespace warpcc::codegen {

Reg constant_register(isa::File file) {
  Reg reg;
  reg.file = file;
  reg.is_constant = true;
  return reg;
}

Reg part(Reg group, int i) {
  if (!group.is_constant) group.part = static_cast<std::uint8_t>(group.part + i);
  return group;
}

Operand use(Reg reg, bool negated) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.reg = reg;
  operand.negated = negated;
  return operand;
}

Operand constant_use(isa::File file, bool negated) {
  return use(constant_register(file), negated);
}

Operand immediate(std::int64_t number) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.number = number;
  return operand;
}

Operand at(Operand::Kind kind, Reg base, std::int64_t offset) {
  Operand operand;
  operand.kind = kind;
  operand.reg = base;
  operand.number = offset;
  return operand;
}

Operand scoreboard(int number) {
  Operand operand;
  operand.kind = Operand::Kind::scoreboard;
  operand.number = number;
  return operand;
}

Operand to(sass::LabelId label) {
  Operand operand;
  operand.kind = Operand::Kind::label;
  operand.label = label;
  return operand;
}

Operand tensor_map(std::size_t map) {
  Operand operand;
  operand.kind = Operand::Kind::map;
  operand.number = static_cast<std::int64_t>(map);
  return operand;
}

Operand special(std::string_view sass_name) {
  Operand operand;
  operand.kind = Operand::Kind::special;
  auto registers = isa::special_registers();
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if (registers[i].sass == sass_name) operand.number = static_cast<std::int64_t>(i);
  }
  return operand;
}

}  // namespace warpcc::codegen
