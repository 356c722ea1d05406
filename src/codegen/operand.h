// Operands of SASS lines, as they are written.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/isa.h"
#include "sass/program.h"

namespace warpcc::codegen {

using sass::Operand;
using sass::Reg;

// RZ, URZ, PT, UPT.
Reg constant_register(isa::File file);
// The i-th register of a group.
Reg part(Reg group, int i);

Operand use(Reg reg, bool negated = false);
Operand constant_use(isa::File file, bool negated = false);
Operand immediate(std::int64_t number);
// `[x+offset]`, `tmem[x+offset]`, `gdesc[x]`, `idesc[x]`, `[vector]`.
Operand at(Operand::Kind kind, Reg base, std::int64_t offset = 0);
Operand scoreboard(int number);
Operand to(sass::LabelId label);
Operand tensor_map(std::size_t map);
// By SASS's name.
Operand special(std::string_view sass_name);

}  // namespace warpcc::codegen
