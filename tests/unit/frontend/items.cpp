// Every item of a file and every member of a kernel.
#include "reading.h"

using namespace warpcc;

TEST_CASE("use, param, const") {
  Reading use("use \"lib/umma.wk\" as u;");
  CHECK(only_item<tree::Use>(use).path == "lib/umma.wk");
  CHECK(only_item<tree::Use>(use).as->text == "u");
  CHECK(use.text(only_item<tree::Use>(use).path_where) == "\"lib/umma.wk\"");
  Reading param("param tile: (int, int) = (128, 64);");
  CHECK(only_item<tree::Param>(param).type.elements.size() == 2);
  CHECK(show(only_item<tree::Param>(param).value) == "(tuple 128 64)");
  CHECK_FALSE(only_item<tree::Const>(Reading("const x = 1;")).type.has_value());
}

TEST_CASE("tune") {
  Reading reading(
      "tune (M, N) {\n (1024, 2 .. 4) => { depth: 13, walk: once(rows(1)), }\n (_, _) when M >= N => { } }");
  const auto& tune = only_item<tree::Tune>(reading);
  CHECK(tune.names.size() == 2);
  REQUIRE(tune.rows.size() == 2);
  CHECK(show(tune.rows[0].patterns[1]) == "2..4");
  CHECK(tune.rows[0].when == nullptr);
  CHECK(tune.rows[0].fields.size() == 2);
  CHECK(show(tune.rows[0].fields[1].second) == "(call once (call rows 1))");
  CHECK(show(tune.rows[1].when) == "(>= M N)");
  CHECK(reading.text(tune.rows[1].where) == "(_, _) when M >= N => { }");
}

TEST_CASE("fn and types") {
  using Kind = tree::Type::Kind;
  const Reading reading("fn d(w: tiles.Work(p), n: int) -> layout physical = n;");
  const auto& fn = only_item<tree::Fn>(reading);
  CHECK(show(fn.parameters[0].type.path) == "tiles.Work");
  CHECK(show(fn.parameters[0].type.arguments.at(0)) == "p");
  CHECK(fn.result.kind == Kind::layout_physical);
  CHECK(only_item<tree::Fn>(Reading("fn d() -> layout tv = n;")).result.kind == Kind::layout_tv);
  CHECK(only_item<tree::Fn>(Reading("fn d() -> layout logical = n;")).result.kind == Kind::layout_logical);
  CHECK(show(only_item<tree::Fn>(Reading("fn d() -> layout = n;")).result.path) == "layout");
}

TEST_CASE("enum and struct") {
  const Reading walk("enum Walk { grid, split(ways: int, order: Order), }");
  const auto& cases = only_item<tree::Enum>(walk).cases;
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].payload.empty());
  CHECK(cases[1].payload.at(1).name.text == "order");

  const Reading plan("struct Plan { m: int, r: (int, int), }");
  CHECK(only_item<tree::Struct>(plan).fields.size() == 2);
  const Reading work("struct Work(p: Plan) { ur tile: 0 .. count(p); regs v: f32[4] in l; }");
  CHECK(only_item<tree::Struct>(work).parameters.size() == 1);
  CHECK(only_item<tree::Struct>(work).registers.size() == 2);
  CHECK(work.text(only_item<tree::Struct>(work).registers[1].where) == "regs v: f32[4] in l;");
  CHECK(only_item<tree::Struct>(Reading("struct Empty { }")).fields.empty());
}

TEST_CASE("a proc's parameters") {
  using tree::Formal;
  const Reading reading(
      "proc f(const n: int, q: out ur, x: r[to.shape.0], w: inout tiles.Work(p), inp: consumer(reply), out: producer, "
      "x: pipe,\n"
      "       to: global f32[32, 32], any: global, v: regs, slots: shared ring(2) of warps(4) of f32[8], body: block) "
      "{ }");
  const auto& formals = only_item<tree::Proc>(reading).formals;
  REQUIRE(formals.size() == 12);
  CHECK(show(std::get<Formal::ConstValue>(formals[0].is).type.path) == "int");
  CHECK(formals[1].way == Formal::Way::out);
  CHECK(std::get<Formal::RegisterParameter>(formals[1].is).kind == tree::RegisterKind::ur);
  CHECK(show(std::get<Formal::RegisterParameter>(formals[2].is).count) == "(. (. to shape) 0)");
  CHECK(formals[3].way == Formal::Way::inout);
  CHECK(show(std::get<Formal::BundleParameter>(formals[3].is).type.path) == "tiles.Work");
  CHECK_FALSE(std::get<Formal::EndParameter>(formals[4].is).producer);
  CHECK(std::get<Formal::EndParameter>(formals[4].is).carries.at(0).text == "reply");
  CHECK(std::get<Formal::EndParameter>(formals[5].is).producer);
  CHECK(std::holds_alternative<Formal::PipeParameter>(formals[6].is));
  CHECK(std::get<Formal::ViewParameter>(formals[7].is).tile->shape.size() == 2);
  CHECK_FALSE(std::get<Formal::ViewParameter>(formals[8].is).tile.has_value());
  CHECK(std::get<Formal::ViewParameter>(formals[9].is).space == Formal::Space::regs);
  CHECK(std::get<Formal::ViewParameter>(formals[10].is).copies.size() == 2);
  CHECK(std::holds_alternative<Formal::BlockParameter>(formals[11].is));
  CHECK(reading.text(formals[10].where) == "slots: shared ring(2) of warps(4) of f32[8]");
}

TEST_CASE("statics around items") {
  const Reading reading("if a { const x = 1; } else if b { use \"x.wk\"; } else { enum E { c } const y = 2; }");
  const auto& outer = only_item<tree::StaticIf<tree::Item>>(reading);
  const auto& inner = std::get<tree::StaticIf<tree::Item>>(outer.otherwise.at(0).is);
  CHECK(inner.otherwise.size() == 2);
  CHECK(only_item<tree::StaticFor<tree::Item>>(Reading("for i in 0 .. 4 { const x = i; }")).body.size() == 1);
  CHECK(only_item<tree::StaticMatch<tree::Item>>(Reading("match a { b => { } _ => { const x = 1; } }")).arms.size() ==
        2);
}

TEST_CASE("a kernel") {
  const Reading reading(R"(kernel g(
  a: global elem[M, K], c: global inout f32[M] in l, d: global kept u32, in_: global in f16[4], o: global out f16[4],
) on sm_100a, grid (x, y(1)), cluster (half: 2, band: bands), registers if t { 168 } else { 0 } { })");
  const auto& kernel = only_item<tree::Kernel>(reading);
  CHECK(kernel.name.text == "g");
  CHECK(kernel.target.text == "sm_100a");
  REQUIRE(kernel.parameters.size() == 5);
  using tree::GlobalMode;
  CHECK(kernel.parameters[0].mode == GlobalMode::none);
  CHECK(kernel.parameters[1].mode == GlobalMode::inout);
  CHECK(show(kernel.parameters[1].layout) == "l");
  CHECK(kernel.parameters[2].mode == GlobalMode::kept);
  CHECK_FALSE(kernel.parameters[2].tile.has_shape);
  CHECK(kernel.parameters[3].mode == GlobalMode::in);
  CHECK(kernel.parameters[4].mode == GlobalMode::out);
  CHECK(kernel.grid.size() == 2);
  CHECK(kernel.cluster.at(1).name.text == "band");
  CHECK(show(kernel.registers) == "(if t 168 0)");
}

namespace {

template <typename X>
const X& only_member(const Reading& reading) {
  const auto& kernel = only_item<tree::Kernel>(reading);
  REQUIRE(kernel.members.size() == 1);
  return std::get<X>(kernel.members[0].is);
}

Reading member(const std::string& text) {
  return Reading("kernel k() on sm_100a {\n" + text + "\n}");
}

}  // namespace

TEST_CASE("buffers, pipes and barriers") {
  const auto shared = member("shared s: warps(4) of ring(2) of f32[8, 32] in row_major.swizzle(128);");
  const auto& buffer = only_member<tree::Buffer>(shared);
  CHECK_FALSE(buffer.tensor);
  REQUIRE(buffer.copies.size() == 2);
  CHECK(buffer.copies[0].kind == tree::Copies::Kind::warps);
  CHECK(shared.text(buffer.copies[1].where) == "ring(2) of");
  CHECK(show(buffer.layout) == "(call (. row_major swizzle) 128)");
  CHECK(only_member<tree::Buffer>(member("tensor acc: f32[128, 128];")).tensor);
  CHECK(only_member<tree::Buffer>(member("shared x: warpgroups(2) of u32;")).copies[0].kind ==
        tree::Copies::Kind::warpgroups);

  const auto full =
      member("pipe stage: ring(depth) carries (sa, sb) from half = 0, band = 0 to half = 1 across band broadcast;");
  const auto& pipe = only_member<tree::Pipe>(full);
  CHECK(show(pipe.depth) == "depth");
  CHECK(pipe.carries.size() == 2);
  CHECK(pipe.from.size() == 2);
  CHECK(show(pipe.to.at(0).at) == "1");
  CHECK(pipe.across->text == "band");
  CHECK(pipe.broadcast);
  const auto bare = member("pipe x: ring(2);");
  CHECK(only_member<tree::Pipe>(bare).carries.empty());
  CHECK_FALSE(only_member<tree::Pipe>(bare).broadcast);

  const auto barrier = member("barrier b: warpgroups(2) of 4 warps;");
  CHECK(only_member<tree::Barrier>(barrier).copies.size() == 1);
  CHECK(show(only_member<tree::Barrier>(barrier).warps) == "4");
  CHECK(only_member<tree::Barrier>(member("barrier b: n + 1 warps;")).copies.empty());
}

TEST_CASE("roles") {
  const auto full = member(
      "role r(inp: consumer stage in turn(teams), out: producer acc) on warpgroups 0 .. groups at half = 0, b = 1 "
      "registers 24 { sync; }");
  const auto& role = only_member<tree::Role>(full);
  REQUIRE(role.ends.size() == 2);
  CHECK(show(role.ends[0].turn) == "teams");
  CHECK(role.ends[1].producer);
  CHECK(role.warps.groups);
  CHECK(show(role.warps.end) == "groups");
  CHECK(full.text(role.warps.where) == "warpgroups 0 .. groups");
  CHECK(role.at.size() == 2);
  CHECK(show(role.registers) == "24");
  CHECK(role.body.statements.size() == 1);
  const auto single = member("role r() on warp (1 + n) { }");
  CHECK(show(only_member<tree::Role>(single).warps.first) == "(+ 1 n)");
  CHECK(only_member<tree::Role>(single).warps.end == nullptr);
  CHECK(only_member<tree::Role>(member("role r() on warpgroup(1) { }")).warps.groups);
  CHECK(show(only_member<tree::Role>(member("role r() on warps 4 .. 8 { }")).warps.end) == "8");
}

TEST_CASE("start, finish, and statics around members") {
  CHECK(only_member<tree::Start>(member("start { sync; }")).body.statements.size() == 1);
  CHECK(only_member<tree::Finish>(member("finish { }")).body.statements.empty());
  CHECK(only_member<tree::StaticIf<tree::Member>>(member("if a { shared s: f32; } else { start { } const x = 1; }"))
            .otherwise.size() == 2);
  CHECK(only_member<tree::StaticFor<tree::Member>>(member("for i in 0 .. 2 { role x() on warp i { } }")).body.size() ==
        1);
  CHECK(only_member<tree::StaticMatch<tree::Member>>(member("match a { b => { require c, \"d\"; } }")).arms.size() ==
        1);
}

TEST_CASE("`///` documents the item right below") {
  const Reading reading(
      "/// of the file\n\n/// one\n///  two\n// plain\n//// plain too\nconst x = 1;\nconst y = 2;\n/// three\nif a {\n "
      " ///four\n  const z = 3;\n}\n");
  REQUIRE(reading.tree);
  CHECK(reading.tree->items[0].doc == "");  // plain comments stand between
  CHECK(reading.tree->items[1].doc == "");
  CHECK(reading.tree->items[2].doc == "three");
  CHECK(std::get<tree::StaticIf<tree::Item>>(reading.tree->items[2].is).then[0].doc == "four");
  CHECK(Reading("/// of the file\n\n/// one\n///  two\nconst x = 1;").tree->items[0].doc == "one\n two");
}
