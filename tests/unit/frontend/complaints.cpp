// Every syntax complaint: where its carets stand, and its words.
#include "reading.h"

using namespace warpcc;

namespace {

struct Complaint {
  const char* text;
  const char* said;
};

const Complaint kComplaints[] = {
    {R"(proc f() { x = 3; })",
     R"(1:14-15 there is no assignment: an instruction writes its first operand, `mov x, y;`)"},
    {R"(proc f() { int x = 3; })",
     R"(1:18-19 there is no assignment: an instruction writes its first operand, `mov x, y;`)"},
    {R"(param M int = 4;)", R"(1:9-12 expected `:`, found `int`)"},
    {R"(param M: int = ;)", R"(1:16-17 expected an expression, found `;`)"},
    {R"(param M: int = 4
const x = 3;)",
     R"(1:17-17 a `;` is missing behind this parameter)"},
    {R"(const loop = 3;)", R"(1:7-11 `loop` is a word of the language and cannot be a name)"},
    {R"(const x = 3 +;)", R"(1:14-15 expected an expression, found `;`)"},
    {R"(const x = 3 4;)", R"(1:13-14 expected `;`, found `4`)"},
    {R"(const x = f (3);)", R"(1:13-14 a call has its parenthesis right after the name, without a space)"},
    {R"(const x = (1, 2;)", R"(1:16-17 expected `)` or `,`, found `;`)"},
    {R"(const x = if a { 1 };)", R"(1:21-22 expected `else`, found `;`)"},
    {R"(const x = match a { 1 => 2 3 => 4 };)", R"(1:28-29 expected `}` or `,`, found `3`)"},
    {R"(require a == b;)", R"(1:15-16 expected `,`, found `;`)"},
    {R"(require a = b, "x";)", R"(1:11-12 `==` compares; `=` only gives a name its value)"},
    {R"(fn f(x int) -> int = x;)", R"(1:8-11 expected `:`, found `int`)"},
    {R"(fn f(x: int) = x;)", R"(1:14-15 expected `->`, found `=`)"},
    {R"(enum E { a, b(x: int, })", R"(1:14-15 this `(` is not closed: its `)` is missing)"},
    {R"(struct S { a: int; b: int })", R"(1:18-19 expected `(`, `}` or `,`, found `;`)"},
    {R"(struct S { ur a, b: int })", R"(1:25-26 expected `..`, found `}`)"},
    {R"(tune (M) { (1) = { a: 2 } })", R"(1:16-17 expected `when` or `=>`, found `=`)"},
    {R"(tune (M) { (x +) => { a: 2 } })", R"(1:15-16 expected `(`, `)` or `,`, found `+`)"},
    {R"(proc f(x: out) { })",
     R"(1:14-15 expected a kind (`r`, `ur`, `p`, `up`, `regs`, `global`, `shared`, `consumer`, `block` …), found `)`)"},
    {R"(proc f(x) { })", R"(1:9-10 expected `:`, found `)`)"},
    {R"(proc f(x: ur)
kernel g() on sm_100a { })",
     R"(1:14-14 `{` is missing behind `)`)"},
    {R"(proc f() { mov x y; })", R"(1:18-19 expected `;`, `,` or `:`, found `y`)"},
    {R"(proc f() { sync })", R"(1:16-16 a `;` is missing behind this statement)"},
    {R"(proc f() {
  mov x, y
  sync;
})",
     R"(2:11-11 a `;` is missing behind this statement)"},
    {R"(proc f() { mov x, ; })", R"(1:19-20 expected an expression, found `;`)"},
    {R"(proc f() { @x })", R"(1:15-16 expected a name, found `}`)"},
    {R"(proc f() { @x f(y); })",
     R"(1:12-14 a guard stands before an instruction, whose operands have no parentheses; this is a call, and `when` guards it)"},
    {R"(proc f() { loop k in 0 .. { } })", R"(1:27-28 expected an expression, found `{`)"},
    {R"(proc f() { loop k 0 .. 4 { } })", R"(1:19-20 expected `in`, found `0`)"},
    {R"(proc f() { take { } })", R"(1:17-18 expected a name, found `{`)"},
    {R"(proc f() { take inp; })", R"(1:20-21 the body of this hold is missing: a block in `{` and `}`)"},
    {R"(proc f() { break; })", R"(1:17-18 expected `when`, found `;`)"},
    {R"(proc f() { when a { } else if b { } })",
     R"(1:28-30 a `when` has no `else if`: another `when` stands inside of its `else { … }`)"},
    {R"(proc f() { role x() on warp 1 { } })",
     R"(1:12-16 `role` stands in a kernel, not in a block of statements: a `}` may be missing before it)"},
    {R"(proc f() { proc g() { } })",
     R"(1:12-16 `proc` stands in a file, not inside of a proc: a `}` may be missing before it)"},
    {R"(proc f() { else { } })", R"(1:12-16 this `else` has no `if` or `when` right before it)"},
    {R"(proc f() { loop { sync; }; })", R"(1:26-27 no `;` stands behind a block's `}`)"},
    {R"(kernel g(a: global f32[4]) { })", R"(1:28-29 expected `on`, found `{`)"},
    {R"(kernel g(a: f32[4]) on sm_100a { })", R"(1:13-16 expected `global`, found `f32`)"},
    {R"(kernel g() on sm_100a, grid 4 { })", R"(1:29-30 expected `(`, found `4`)"},
    {R"(kernel g() on sm_100a, grid (4) { mov x, y; })",
     R"(1:35-38 expected a member of the kernel (`shared`, `pipe`, `role`, `start` …) or `}`, found `mov`)"},
    {R"(kernel g() on sm_100a, grid (4) { pipe p: 4 carries (a); })", R"(1:43-44 expected `ring`, found `4`)"},
    {R"(kernel g() on sm_100a, grid (4) { pipe p: ring(4) carries a; })", R"(1:59-60 expected `(`, found `a`)"},
    {R"(kernel g() on sm_100a, grid (4) { role m(inp: stage) on warp 1 { } })",
     R"(1:47-52 expected `producer` or `consumer`, found `stage`)"},
    {R"(kernel g() on sm_100a, grid (4) { role m(inp: consumer stage) { } })", R"(1:63-64 expected `on`, found `{`)"},
    {R"(kernel g() on sm_100a, grid (4) { role m(inp: consumer stage) on warp 1; })",
     R"(1:72-73 the body of this role is missing: a block in `{` and `}`)"},
    {R"(kernel g() on sm_100a, grid (4) { role m() on warp 1 at (half = 0) { } })",
     R"(1:52-67 the pins of a role stand without parentheses: `at half = 0`)"},
    {R"(kernel g() on sm_100a, grid (4) { shared s: ring(4) f32[4]; })", R"(1:53-56 expected `of`, found `f32`)"},
    {R"(kernel g() on sm_100a, grid (4) { start })",
     R"(1:41-42 the body of this `start` is missing: a block in `{` and `}`)"},
    {R"(const x = "abc;)", R"(1:11-12 this string is not closed: a `"` is missing on its line)"},
    {R"(/* never)", R"(1:1-3 this comment is not closed: a `*/` is missing)"},
    {R"(const x = 12ab;)",
     R"(1:11-15 `12ab` is no number: numbers are decimal or `0x` and hexadecimal digits, with `_` between digits)"},
    {R"(const x = 99999999999999999999;)", R"(1:11-31 99999999999999999999 does not fit into 64 bits)"},
    {R"(const x = 1.5;)", R"(1:11-14 a number has no fraction here: values are integers)"},
    {R"(const x = a # b;)",
     R"(1:13-14 `#` is no character of the language: a comment begins with `//`; `const` names a value, `use` takes in a file)"},
    {R"(const x = “a”;)", R"(1:11-14 `“` is no character of the language)"},
    {R"(use lib;)", R"(1:5-8 expected a string, found `lib`)"},
    {R"(const x = a[1 + ];)", R"(1:17-18 expected an expression, found `]`)"},
    {R"(const x = a[];)", R"(1:13-14 expected a coordinate, found `]`)"},
    {R"(const x = f(a b);)", R"(1:15-16 expected `)`, `,` or `:`, found `b`)"},
    {R"(})", R"(1:1-2 this `}` closes nothing)"},
    {R"(const x = );)", R"(1:11-12 this `)` closes nothing)"},
    {R"(proc f() { r x[4; })", R"(1:17-18 expected `]`, found `;`)"},
    {R"(proc f() { loop {)", R"(1:17-18 this `{` is not closed: its `}` is missing)"},
    {R"(proc f() { store c[a], b for ; })", R"(1:30-31 expected a name, found `;`)"},
    {R"(proc f() { let x == 3; })", R"(1:18-20 expected `=`, found `==`)"},
    {R"(proc f() { const x = a is ; })", R"(1:27-28 expected a pattern, found `;`)"},
    {R"(const x = - - 1;)", R"(1:13-14 expected an expression, found `-`)"},
    {R"(hello)", R"(1:1-6 expected an item (`const`, `fn`, `proc`, `kernel` …) or the end of the file, found `hello`)"},
    {R"(proc f() { regs v: f32[3]; })", R"(1:26-27 expected `in`, found `;`)"},
    {R"(for x in 0 .. 4 const y = 1;)", R"(1:17-22 expected `by` or `{`, found `const`)"},
    {R"(proc f() { mov x, y, hint: a, b; })", R"(1:31-32 an operand without a name comes before those with one)"},
    {R"(proc f() { when x = 3 { } })", R"(1:19-20 `==` compares; `=` only gives a name its value)"},
    {R"(proc f() { on warp == 0 { } })", R"(1:15-19 expected `(`, found `warp`)"},
    {R"(proc f() { x.y.z })", R"(1:17-17 a `;` is missing behind this statement)"},
    {R"(const x = a is b)", R"(1:17-17 a `;` is missing behind this constant)"},
    {R"(proc f() { role a() on warp 1 { })",
     R"(1:12-16 `role` stands in a kernel, not in a block of statements: a `}` may be missing before it)"},
    {R"(kernel g() on sm_100a { role a() on warp 1 { loop { sync; } role b() on warp 2 { } })",
     R"(1:61-65 `role` stands in a kernel, not in a block of statements: a `}` may be missing before it)"},
    {R"(proc f() { mov x, (1, 2; })", R"(1:24-25 expected `)` or `,`, found `;`)"},
    {R"(const x = a[1, 2 +: ;)", R"(1:21-22 expected an expression, found `;`)"},
    {R"(match a { b => const x = 1; })", R"(1:16-21 expected `{`, found `const`)"},
    {R"(kernel g() on sm_100a { barrier b: 4; })", R"(1:37-38 expected `warps`, found `;`)"},
    {R"(kernel g() on sm_100a, grid (1), grid (2) { })", R"(1:34-38 a kernel has one `grid`)"},
    {R"(proc f() { r ; })", R"(1:14-15 expected a name, found `;`)"},
    {R"(proc f() { up loop; })", R"(1:15-19 `loop` is a word of the language and cannot be a name)"},
    {R"(proc f() { mov x, loop; })", R"(1:19-23 expected an expression, found `loop`)"},
    {R"(fn f(x: ) -> int = x;)", R"(1:9-10 expected a type, found `)`)"},
    {R"(fn f() -> = 3;)", R"(1:11-12 expected a type, found `=`)"},
    {R"(proc f() { load a, b across ; })", R"(1:29-30 expected a name, found `;`)"},
    {R"(proc f() { a.for(x); })", R"(1:12-17 `a.for` is no name of a proc)"},
    {R"(proc f() { fill out.x.y
  sync; })",
     R"(1:24-24 `{` is missing behind `y`)"},
    {R"(const)", R"(1:6-6 a name is missing behind `const`)"},
    {R"(kernel)", R"(1:7-7 a name is missing behind `kernel`)"},
    {R"(const x = a.;)", R"(1:13-14 expected a name or a number, found `;`)"},
    {R"(const _ = 3;)", R"(1:7-8 expected a name, found `_`)"},
    {R"(const 3 = 3;)", R"(1:7-8 expected a name, found `3`)"},
    {R"(param M: int = 4 const x = 3;)", R"(1:17-17 a `;` is missing behind this parameter)"},
    {R"(proc f(r: ur, r: ) { })",
     R"(1:18-19 expected a kind (`r`, `ur`, `p`, `up`, `regs`, `global`, `shared`, `consumer`, `block` …), found `)`)"},
    {R"(struct S { a: int, ; })", R"(1:20-21 expected a name or `}`, found `;`)"},
    {R"(enum E { })", R"(1:10-11 expected a name, found `}`)"},
    {R"(tune (M) { (1) => { a } })", R"(1:23-24 expected `:`, found `}`)"},
    {R"(require a;
const x = 3;)",
     R"(1:10-11 expected `,`, found `;`)"},
    // Half typed: not taken together with the next line.
    {"proc f() {\n  wai\n  store.add c, d;\n}", R"(2:6-6 a `;` is missing behind this statement)"},
    {"proc f() {\n  wait inp.  // the end's\n  sync;\n}", R"(2:12-12 a name is missing behind `.`)"},
    {"proc f() {\n  store.\n  load a, b;\n}", R"(2:9-9 a name is missing behind `.`)"},
    {"proc f() {\n  @\n  load a, b;\n}", R"(2:4-4 a predicate is missing behind `@`)"},
    {"proc f() {\n  iadd3 x, y,\n  mov z, 1;\n}", R"(2:14-14 an expression is missing behind `,`)"},
    {"proc f() {\n  iadd3 x, y,\n        mov z, 1;\n}", R"(3:13-14 expected `;`, `,` or `:`, found `z`)"},
    {"proc f() {\n  if n >\n  grid.wait;\n}", R"(2:9-9 an expression is missing behind `>`)"},
    {"proc f() {\n  uisetp.ne\n  for j in 0 .. 4 { sync; }\n}", R"(2:12-12 a `;` is missing behind this statement)"},
    {"tune (M) {\n  (1) => { a: 8\n  (2) => { a: 6 }\n}", R"(2:16-16 `}` or `,` is missing behind `8`)"},
    {"const\nconst x = 3;", R"(1:6-6 a name is missing behind `const`)"},
    {"proc f() {\n  a.b(\n  a.b(stage);\n  sync;\n}", R"(2:6-7 this `(` is not closed: its `)` is missing)"},
    {"const x = f(1, 2;", R"(1:17-18 expected `)` or `,`, found `;`)"},
    // A `;` that is too many in a head.
    {"kernel k() on t { role r; () on warp 0 { sync; } }", R"(1:25-26 expected `(`, found `;`)"},
    {"proc f() { ; out.tile, a[1]; sync; }", R"(1:12-13 expected a statement or `}`, found `;`)"},
    {"proc f() { on; (a) { sync; } }", R"(1:14-15 expected `(`, found `;`)"},
};

}  // namespace

TEST_CASE("a syntax error is one complaint, at the narrowest place") {
  for (const Complaint& complaint : kComplaints) {
    CAPTURE(complaint.text);
    Reading reading(complaint.text);
    CHECK_FALSE(reading.tree.has_value());
    CHECK(reading.diagnostics.all().size() == 1);
    CHECK(reading.said() == complaint.said);
  }
}

TEST_CASE("a construct's form is shown where it begins") {
  Reading reading("const x = 1;\n  pipe p: 4;");
  CHECK(reading.diagnostics.all()[0].notes.empty());
  Reading pipe("kernel k() on sm_100a {\n  pipe p: 4;\n}");
  REQUIRE(pipe.diagnostics.all().size() == 1);
  REQUIRE(pipe.diagnostics.all()[0].notes.size() == 1);
  const Note& note = pipe.diagnostics.all()[0].notes[0];
  CHECK(pipe.text(note.where) == "pipe");
  CHECK(note.text.starts_with("this pipe is written `pipe NAME: ring(n) "));
}

TEST_CASE("what stands instead of a closing bracket is shown") {
  Reading reading("const x = f(1]; ");
  REQUIRE(reading.diagnostics.all().size() == 1);
  CHECK(reading.said() == "1:12-13 this `(` is not closed: its `)` is missing");
  REQUIRE(reading.diagnostics.all()[0].notes.size() == 1);
  CHECK(reading.diagnostics.all()[0].notes[0].text == "a `]` stands here");
}

TEST_CASE("the lines' beginnings tell which bracket may be the one that is not closed") {
  Reading reading("proc f() {\n  loop {\n    sync;\n}\n");
  CHECK(reading.said() == "1:10-11 this `{` is not closed: its `}` is missing");
  REQUIRE(reading.diagnostics.all()[0].notes.size() == 1);
  CHECK(reading.sources.position(FileId{}, reading.diagnostics.all()[0].notes[0].where.begin).line == 2);
  CHECK(Reading("proc f() {\n  loop {\n    sync;\n  }\n").diagnostics.all()[0].notes.empty());
}

TEST_CASE("characters that are none of the language's are said as they are") {
  CHECK(Reading("const x = é;").said() == "1:11-13 `é` is no character of the language");
  CHECK(Reading("const x = \x01;").said() == "1:11-12 the byte 0x01 is no character of the language");
  CHECK(Reading(std::string("const x = \xff;")).diagnostics.all().size() == 1);
  CHECK(Reading(std::string("const x = \xc3")).diagnostics.all().size() == 1);
}
