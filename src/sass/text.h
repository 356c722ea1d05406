// SASS text: written and read (docs/sass-text.md). Reading what was written gives the same program; writing what was
// read gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

// `named` needs names, `coloured` and `both` a coloured program.
std::string print(const Program& program, Form form);
// The same; and in which line of the text, counted from 0, each line of the program is.
std::string print(const Program& program, Form form, std::vector<std::uint32_t>& at);
// The lines of a text, counted from 0, that these offsets are in; they ascend.
std::vector<std::uint32_t> lines_of(std::string_view text, const std::vector<std::size_t>& offsets);
// One line's code as in the listing: mark, guard, opcode, operands; for messages.
std::string print_line(const Program& program, const Line& line, Form form);
std::string print_view(const Program& program, const View& view);
std::string print_expr(const Program& program, const Expr& expr);
std::string print_held(const Program& program, const Held& held);

// Whether SASS has a register of this name (`R4`, `UP0`, `URZ`): no value may be called so.
bool is_register_name(std::string_view name);

// Reads a program; nothing where errors were reported. Reports, with line and column: unknown opcodes, modifiers and
// directives, operands of a kind that the opcode does not take, opcodes that the target lacks, names that are read and
// never written, groups that are not aligned, branches to nowhere, held expressions that name nothing.
std::optional<Program> read(FileId file, const Sources& sources, Diagnostics& diagnostics);

// One line of code in the language of the statement table's templates ("USHF.R.U32.HI $0, URZ, $2, $1"), `$n` given as
// operands. The template is warpcc's own: a mistake in it is an internal error.
Line instantiate(std::string_view text, const std::vector<Operand>& operands);

}  // namespace warpcc::sass
