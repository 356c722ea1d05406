#include "lsp/context.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpcc::lsp;
using Block = Context::Block;

namespace {

// The context at `^`.
Context at(std::string text) {
  const std::size_t cursor = text.find('^');
  text.erase(cursor, 1);
  return context_at(text, static_cast<std::uint32_t>(cursor));
}

}  // namespace

TEST_CASE("what a block holds") {
  CHECK(at("con^").block == Block::items);
  CHECK(at("const x = 1;\n^").statement_starts);
  CHECK(at("kernel k() on sm_100a, grid (1) { sh^").block == Block::members);
  CHECK(at("kernel k() { role r(e: consumer p) on warp 1 { ^").block == Block::statements);
  CHECK(at("kernel k() { role r() on warp 1 { loop i in 0 .. 4 { wa^").block == Block::statements);
  CHECK(at("kernel k() { start { } sh^").block == Block::members);
  CHECK(at("proc p() { match x { a => { mo^").block == Block::statements);
  CHECK(at("proc p() { match x { a^").block == Block::other);
}

TEST_CASE("what is before the cursor") {
  CHECK(at("proc p() { mov x, 1; ^").statement_starts);
  CHECK(at("proc p() { mov x, 1; // said\n ^").statement_starts);
  CHECK(!at("proc p() { mov ^").statement_starts);
  CHECK(at("proc p() { @on^").after_guard);
  CHECK(at("proc p() { @!la^").after_guard);
  CHECK(at("// use ^").in_comment);
  CHECK(at("use \"li^").in_string);
  CHECK(!at("use \"lib\";^").in_string);
  const Context member = at("proc p() { wait inp.last.em^");
  CHECK(member.after_dot);
  CHECK(member.chain == std::vector<std::string>{"inp", "last"});
  CHECK(at("proc p() { mov x, acc[i, 2].sh^").chain == std::vector<std::string>{"acc"});
  CHECK(!at("const x = 0 .. n^").after_dot);
}

TEST_CASE("calls and operands") {
  const Context call = at("proc p() { tiles.divide(q, r, (1, 2), ^");
  REQUIRE(call.call);
  CHECK(call.call->callee == std::vector<std::string>{"tiles", "divide"});
  CHECK(call.call->argument == 3);
  CHECK(!at("proc p() { divide(q); ^").call);
  const Context operand = at("proc p() { @(one && half == 0) load out.sa, a[row +: 4, k], ^");
  REQUIRE(operand.instruction);
  CHECK(operand.instruction->opcode == "load");
  CHECK(operand.instruction->operand == 2);
  const Context guarded = at("proc p() { @!landed wait ^");
  REQUIRE(guarded.instruction);
  CHECK(guarded.instruction->opcode == "wait");
}

TEST_CASE("broken texts have a context") {
  for (const char* text : {"}}}}^", "((((^", "{[(}])^", "\"^", "/*^", "@^", ".^", "a.^", "]).^", "match { => {^"}) {
    CHECK_NOTHROW(at(text));
  }
}
