// Expressions and patterns: what they are read as, and where they stand.
#include "reading.h"

using namespace warpcc;

namespace {

std::string expr(const std::string& text) {
  Reading reading("const x = " + text + ";");
  if (!reading.tree) return reading.said();
  return show(std::get<tree::Const>(reading.tree->items[0].is).value);
}

std::string pattern(const std::string& text) {
  Reading reading("const x = a is " + text + ";");
  if (!reading.tree) return reading.said();
  return show(std::get<tree::Expr::Is>(std::get<tree::Const>(reading.tree->items[0].is).value->is).pattern);
}

}  // namespace

TEST_CASE("literals") {
  CHECK(expr("0") == "0");
  CHECK(expr("1_000_000") == "1000000");
  CHECK(expr("0x7fff_ffff_ffff_ffff") == "9223372036854775807");
  CHECK(expr("9223372036854775807") == "9223372036854775807");
  CHECK(expr("9223372036854775808") == "1:11-30 9223372036854775808 does not fit into 64 bits");
  CHECK(expr("0x8000000000000000") == "1:11-29 0x8000000000000000 does not fit into 64 bits");
  CHECK(expr("true") == "true");
  CHECK(expr("false") == "false");
  CHECK(expr("\"a \\\"b\\\" \\\\ \\n\\t×\"") == "\"a \"b\" \\ \n\t×\"");
  for (const char* wrong : {"12ab", "0x", "0xg", "1_", "0x_1", "0b1"}) {
    CHECK(expr(wrong).find("is no number") != std::string::npos);
  }
  CHECK(expr("\"\\q\"") == "1:11-15 a string has the escapes \\\" \\\\ \\n and \\t");
  CHECK(expr("1.5") == "1:11-14 a number has no fraction here: values are integers");
}

TEST_CASE("operators have C's precedence, and group from the left") {
  CHECK(expr("a || b && c | d ^ e & f == g < h << i + j * k") ==
        "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))");
  CHECK(expr("a * b + c << d < e == f & g ^ h | i && j || k") ==
        "(|| (&& (| (^ (& (== (< (<< (+ (* a b) c) d) e) f) g) h) i) j) k)");
  CHECK(expr("a - b - c") == "(- (- a b) c)");
  CHECK(expr("a - (b - c)") == "(- a (- b c))");
  CHECK(expr("a / b * c % d") == "(% (* (/ a b) c) d)");
  CHECK(expr("a <= b != c >= d") == "(!= (<= a b) (>= c d))");
  CHECK(expr("a > b >> c") == "(> a (>> b c))");
  CHECK(expr("-a * !b") == "(* (- a) (! b))");
  CHECK(expr("-a.b(c)[d]") == "(- ([] (call (. a b) c) d))");
  CHECK(expr("1 << 32 + log2(d)") == "(<< 1 (+ 32 (call log2 d)))");
}

TEST_CASE("`is` is a comparison") {
  CHECK(expr("a || b is c") == "(|| a (is b c))");
  CHECK(expr("a == 1 || p.walk is stride(_) && b") == "(|| (== a 1) (&& (is (. p walk) (stride _)) b))");
  CHECK(expr("a + 1 is 2") == "(is (+ a 1) 2)");
  CHECK(expr("!(a is b)") == "(! (is a b))");
}

TEST_CASE("suffixes") {
  CHECK(expr("a.b.0.for") == "(. (. (. a b) 0) for)");
  CHECK(expr("f()") == "(call f)");
  CHECK(expr("a.Plan(m: M, 2)") == "(call (. a Plan) m:M 2)");
  CHECK(expr("a[.., i +: 4, j]") == "([] a .. i+:4 j)");
  CHECK(expr("a at (half = 1, band = b)[0]") == "([] (at a half=1 band=b) 0)");
  CHECK(expr("a at(half = 1)") == "(at a half=1)");
  CHECK(expr("v.at(i)") == "(call (. v at) i)");
  CHECK(expr("umma.ld_32x32b(32)") == "(call (. umma ld_32x32b) 32)");
}

TEST_CASE("tuples and layouts") {
  CHECK(expr("(a)") == "a");
  CHECK(expr("(a, b)") == "(tuple a b)");
  CHECK(expr("(128, n) : (1, 2)") == "(: (tuple 128 n) (tuple 1 2))");
  CHECK(expr("(64, (n / 2, 2)) : (step, (1, 64 * step))") ==
        "(: (tuple 64 (tuple (/ n 2) 2)) (tuple step (tuple 1 (* 64 step))))");
  CHECK(expr("(4) : (1)[a]") == "(: 4 ([] 1 a))");
}

TEST_CASE("`if` and `match` are expressions") {
  CHECK(expr("if a { b } else { c }") == "(if a b c)");
  CHECK(expr("if a { b } else if c { d } else { e }") == "(if a b (if c d e))");
  CHECK(expr("if a { b } else c + d") == "(if a b (+ c d))");
  CHECK(expr("match w { grid => 1, split(n, _) => n, _ => 0, }") == "(match w grid=>1 (split n _)=>n _=>0)");
  CHECK(expr("f(if a { b } else { c }, 1)") == "(call f (if a b c) 1)");
}

TEST_CASE("words that mean something in one place are names elsewhere") {
  CHECK(expr("r + ur + p + up + start + finish + ring + warp + of + grid + registers + block + out + kept + layout + "
             "tv") != "");
  CHECK(expr("to + from") == "(+ to from)");
  CHECK(expr("grid(warp, ring)") == "(call grid warp ring)");
}

TEST_CASE("patterns") {
  CHECK(pattern("_") == "_");
  CHECK(pattern("true") == "true");
  CHECK(pattern("-3") == "-3");
  CHECK(pattern("2 .. 8") == "2..8");
  CHECK(pattern("tiles.grid") == "tiles.grid");
  CHECK(pattern("split(ways, rows(_))") == "(split ways (rows _))");
  CHECK(pattern("(4, false)") == "(tuple 4 false)");
  CHECK(pattern("(4)") == "4");
}

TEST_CASE("every expression has the range of its text, parentheses and all, in bytes") {
  Reading good("/* × */ const x = (a + b) * f(c, d[1 +: 2]) - -(3);");
  const tree::ExprPtr& whole = only_item<tree::Const>(good).value;
  CHECK(good.text(whole->where) == "(a + b) * f(c, d[1 +: 2]) - -(3)");
  const auto& difference = std::get<tree::Expr::BinaryOp>(whole->is);
  CHECK(good.text(difference.left->where) == "(a + b) * f(c, d[1 +: 2])");
  CHECK(good.text(difference.op_where) == "-");
  CHECK(good.text(difference.right->where) == "-(3)");
  const auto& product = std::get<tree::Expr::BinaryOp>(difference.left->is);
  CHECK(good.text(product.left->where) == "(a + b)");
  const auto& sum = std::get<tree::Expr::BinaryOp>(product.left->is);
  CHECK(good.text(sum.right->where) == "b");
  const auto& call = std::get<tree::Expr::Call>(product.right->is);
  CHECK(good.text(call.callee->where) == "f");
  const auto& view = std::get<tree::Expr::View>(call.arguments[1].value->is);
  CHECK(good.text(call.arguments[1].value->where) == "d[1 +: 2]");
  CHECK(good.text(view.coords[0].where) == "1 +: 2");
  CHECK(good.text(good.tree->items[0].where) == "const x = (a + b) * f(c, d[1 +: 2]) - -(3);");
}

TEST_CASE("a text may begin with a byte order mark") {
  Reading reading(
      "\xef\xbb\xbf"
      "const x = y;");
  CHECK(reading.text(only_item<tree::Const>(reading).value->where) == "y");
}
