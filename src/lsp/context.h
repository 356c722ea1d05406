// Where in a half-typed text the cursor is: found by brackets and words, for there may be no tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/words.h"

namespace warpcc::lsp {

struct Context {
  // What the innermost block around the place holds.
  enum class Block : std::uint8_t { items, members, statements, other } block = Block::items;
  bool in_comment = false;
  bool in_string = false;
  bool statement_starts = false;   // nothing of a statement is before the place, but the word that it is in
  bool after_guard = false;        // `@`
  std::uint32_t statement = 0;     // where the statement begins, that the place is in
  std::uint32_t word = 0;          // where the word begins, that the place is in or at the end of
  std::vector<std::string> chain;  // the names before a `.` that the word follows: of `a.b.c` a and b
  bool after_dot = false;

  // The innermost call that the place is in the arguments of, and which argument it is.
  struct Call {
    std::vector<std::string> callee;
    std::uint32_t where = 0;  // of its last name
    int argument = 0;
  };
  std::optional<Call> call;
  // The instruction that the place is among the operands of.
  struct Instruction {
    std::string opcode;
    int operand = 0;
  };
  std::optional<Instruction> instruction;
};

Context context_at(std::string_view text, std::uint32_t offset);

}  // namespace warpcc::lsp
