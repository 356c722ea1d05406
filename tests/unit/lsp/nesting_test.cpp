// What encloses a place, in texts that are whole and half typed. `^` is the place.
#include "lsp/nesting.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpcc::lsp;

namespace {

struct At {
  std::string text;
  Nesting nesting;

  explicit At(std::string marked) : text(std::move(marked)) {
    const std::size_t place = text.find('^');
    REQUIRE(place != std::string::npos);
    text.erase(place, 1);
    nesting = nesting_at(text, static_cast<std::uint32_t>(place));
  }
  std::string of(const std::optional<Span>& span) const {
    return span ? text.substr(span->begin, span->end - span->begin) : "none";
  }
  std::string statement(std::size_t level) const { return of(nesting.levels.at(level).statement); }
  std::string part(std::size_t level) const { return of(nesting.levels.at(level).part); }
  std::string whole(std::size_t level) const { return of(nesting.levels.at(level).whole); }
};

}  // namespace

TEST_CASE("levels from the inside, the last is the text") {
  const At at("const a = 1;\nrole x() { mma out, f(b, c^d), 2; sync; }");
  REQUIRE(at.nesting.levels.size() == 3);
  CHECK(at.whole(0) == "(b, cd)");
  CHECK(at.part(0) == "cd");
  CHECK(at.statement(0) == "none");
  CHECK(at.statement(1) == "mma out, f(b, cd), 2;");
  CHECK(at.part(1) == "f(b, cd)");
  CHECK(at.statement(2) == "role x() { mma out, f(b, cd), 2; sync; }");
  CHECK(at.whole(2) == at.text);
}

TEST_CASE("a block ends its statement, unless `else` or more of an expression follows") {
  CHECK(At("if a { x; } else { ^y; } sync;").statement(1) == "if a { x; } else { y; }");
  CHECK(At("let a = if b { 1^ } else { 2 };").statement(1) == "let a = if b { 1 } else { 2 };");
  CHECK(At("on (a) { x^; } @one y;").statement(1) == "on (a) { x; }");
  CHECK(At("a; // else\n^b;").statement(0) == "b;");
}

TEST_CASE("brackets in strings and comments are none") {
  const At string("require a, \"(^{\"; b;");
  CHECK(string.of(string.nesting.literal) == "\"({\"");
  CHECK(string.statement(0) == "require a, \"({\";");
  const At comment("a; /* { ^ */ b;");
  CHECK(comment.of(comment.nesting.literal) == "/* {  */");
  CHECK(comment.nesting.levels.size() == 1);
  CHECK(comment.statement(0) == "none");
}

TEST_CASE("what is left open ends with its statement, or where what encloses it ends") {
  CHECK(At("role x() { mma f(a, b^; sync; }").whole(0) == "(a, b");
  CHECK(At("role x() { mma f(a, b^ }").whole(0) == "(a, b ");
  CHECK(At("role x() { fill out { wait ^").whole(0) == "{ wait ");
  CHECK(At(") ] } ^").nesting.levels.size() == 1);
  CHECK(At("^").nesting.levels.size() == 1);
  CHECK(At("\"^").statement(0) == "\"");
}
