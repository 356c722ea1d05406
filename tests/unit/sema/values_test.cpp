// Compile-time evaluation: docs/language.md, section 3.
#include <doctest/doctest.h>

#include "elaborate.h"

namespace {

void check_holds(const std::string& condition, const std::string& items = "") {
  const Elaborated result = elaborate_items(items + "require " + condition + ", \"no\";");
  INFO(condition << (result.said.empty() ? "" : ": " + result.said[0].text));
  CHECK(result.kernel);
}

void check_says(const std::string& items, std::string_view code) {
  const Elaborated result = elaborate_items(items);
  INFO(items << (result.said.empty() ? "" : ": " + std::string(result.said[0].code)));
  CHECK_FALSE(result.kernel);
  CHECK(result.says(code));
}

}  // namespace

TEST_CASE("a requirement that does not hold is refused") {
  check_says("require 1 > 2, \"no\";", "requirement");
}

TEST_CASE("integers: quotients round down, a remainder has its divisor's sign") {
  check_holds("-7 / 2 == -4 && -7 % 2 == 1 && 7 / -2 == -4 && 7 % -2 == -1");
  check_holds("1 << 3 + 1 == 16");
  check_holds("(6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5");
  check_holds("ceil_div(7, 2) == 4 && ceil_div(-7, 2) == -3 && log2(1) == 0 && log2(1023) == 9");
  check_holds("min(3, 1, 2) == 1 && max(3, 1, 2) == 3 && bytes(f16) == 2");
}

TEST_CASE("integers: what does not fit is refused") {
  check_says("const x = 0x7fffffffffffffff + 1;", "overflow");
  check_says("const x = -0x7fffffffffffffff - 2;", "overflow");
  check_says("const x = (-0x7fffffffffffffff - 1) / -1;", "overflow");
  check_says("const x = 0x4000000000000000 * 2;", "overflow");
  check_says("const x = 1 << 63;", "overflow");
  check_says("const x = 1 << 64;", "bad-shift");
  check_says("const x = 1 >> -1;", "bad-shift");
  check_says("const x = 5 / 0;", "division-by-zero");
  check_says("const x = ceil_div(5, 0);", "division-by-zero");
  check_says("const x = log2(0);", "wrong-argument");
}

TEST_CASE("enums: cases stand bare where the enum is known, and carry values") {
  const std::string walk =
      "enum Order { rows(of: int), plain } enum Walk { once, stride(order: Order) }\n"
      "fn rows_of(w: Walk) -> int = match w { stride(rows(n)) => n, stride(_) => 1, once => 0 };\n";
  check_holds("rows_of(stride(rows(16))) == 16 && rows_of(stride(plain)) == 1 && rows_of(once) == 0", walk);
  check_holds("w == stride(rows(2)) && !(w == once) && w is stride(_) && !(w is once)",
              walk + "const w: Walk = stride(rows(2));\n");
  check_says(walk + "const w: Walk = stride(3);", "wrong-type");
  check_says(walk + "const w: Walk = stride;", "wrong-count");
  check_says(walk + "const x = match rows_of(once) { 1 => 2 };", "no-arm");
}

TEST_CASE("structs and tuples") {
  const std::string plan = "struct Plan { m: int, span: (int, int) }\nconst p = Plan(span: (3, 4), m: 5);\n";
  check_holds("p.m == 5 && p.span.1 == 4 && (1, (2, true)) == (1, (2, true))", plan);
  check_says(plan + "const q = Plan(m: 1);", "no-field");
  check_says(plan + "const q = Plan(m: 1, m: 2, span: (1, 2));", "field-twice");
  check_says(plan + "const q = p.span.2;", "no-member");
}

TEST_CASE("functions may call themselves, to a depth") {
  check_holds("fib(12) == 144", "fn fib(n: int) -> int = if n < 2 { n } else { fib(n - 1) + fib(n - 2) };\n");
  check_says("fn f(n: int) -> int = f(n + 1);\nconst x = f(0);", "too-deep");
  check_says("fn f(n: int) -> int = if n == 0 { 1 } else { f(n - 1) + f(n - 1) };\nconst x = f(60);", "too-much-work");
  check_says("const a = b;\nconst b = a;", "made-of-itself");
}

TEST_CASE("parameters: the command line, then the row, then the default") {
  const std::string items =
      "param M: int = 4;\nparam d: int = 1;\nparam e: int = d + 1;\ntune (M) { (8 .. 16) => { d: 5 } (_) when M > 100 "
      "=> { d: 7 } }\n";
  auto value = [&](std::vector<warpcc::Definition> definitions, const std::string& condition) {
    return elaborate_items(items + "require " + condition + ", \"no\";", std::move(definitions)).kernel.has_value();
  };
  CHECK(value({}, "d == 1 && e == 2"));
  CHECK(value({{"M", "8"}}, "d == 5 && e == 6"));
  CHECK(value({{"M", "16"}}, "d == 1"));
  CHECK(value({{"M", "101"}}, "d == 7"));
  CHECK(value({{"M", "8"}, {"d", "2 * 10"}}, "d == 20 && e == 21"));
  CHECK(elaborate_items(items, {{"M", "true"}}).says("wrong-type"));
  CHECK(elaborate_items(items, {{"M", "1; const x = 2"}}).says("no-parameter"));
  CHECK(elaborate_items(items, {{"N", "1"}}).says("no-parameter"));
}

TEST_CASE("layouts nest as their shapes do, and are of their buffer's shape") {
  CHECK(elaborate_statements("regs v: f32[32, 4] in (32, 4) : (1, 32);").kernel);
  CHECK(elaborate_statements("regs v: f32[32, 4] in ((4, 8), (2, 2)) : ((2, 8), (1, 64));").kernel);
  CHECK(elaborate_statements("regs v: f32[32, 4] in ((4, 8), 4) : (1, 32);").says("layout-shape"));
  CHECK(elaborate_statements("regs v: f32[32, 4] in (16, 8) : (1, 16);").says("fragment"));
  CHECK(elaborate_statements("regs v: f32[32, 4] in (32, 4) : (1, 33);").says("layout-broken"));
}
