#include "lsp/names.h"

#include <doctest/doctest.h>

#include <string>

#include "frontend/parse.h"

using namespace warpcc;
using namespace warpcc::lsp;

namespace {

struct Read {
  std::string text;
  std::shared_ptr<const Names> names;

  explicit Read(std::string given) : text(std::move(given)) {
    Sources sources;
    Diagnostics diagnostics;
    const FileId file = sources.add("names.wk", text);
    std::optional<tree::File> tree = parse(file, sources, diagnostics);
    REQUIRE(tree);
    names = Names::read(file, std::make_shared<const tree::File>(std::move(*tree)), text,
                        {[](FileId) -> const Names* { return nullptr; },
                         [](FileId, const std::string&) -> std::optional<FileId> { return std::nullopt; }});
  }
  // The place of a piece of the text, `^` in it.
  std::uint32_t place(std::string piece) const {
    const std::size_t cursor = piece.find('^');
    piece.erase(cursor, 1);
    REQUIRE(text.find(piece) != std::string::npos);
    return static_cast<std::uint32_t>(text.find(piece) + cursor);
  }
  // Where the name at `from` is declared.
  std::uint32_t declared(const std::string& from) const {
    const NameRef ref = names->at(place(from));
    return ref ? (*names)[names->first(ref).index].where.begin : 0;
  }
};

}  // namespace

TEST_CASE("names find their declarations, in branches that nobody keeps too") {
  const Read read(R"(
enum Walk { once, stride(of: int) }
struct Plan { m: int, walk: Walk }
param how: Walk = stride(4);
const plan = Plan(m: 1, walk: once);
fn of(p: Plan) -> int = match p.walk { stride(of) => of + p.m, _ => 0 };
proc add(x: out r, const n: int) {
  if how == once { r y; mov y, n; } else { r y; mov y, 2; }
  iadd3 x, y, n;
  for i in 0 .. plan.m { let z = i; iadd3 x, x, z; }
}
)");
  CHECK(read.declared("param how: ^Walk") == read.place("enum ^Walk"));
  CHECK(read.declared("= ^stride(4)") == read.place("^stride(of: int)"));
  CHECK(read.declared("= ^Plan(m") == read.place("struct ^Plan"));
  CHECK(read.declared("Plan(^m: 1") == read.place("{ ^m: int"));
  CHECK(read.declared("walk: ^once)") == read.place("{ ^once, stride"));
  CHECK(read.declared("match p.^walk") == read.place("^walk: Walk }"));
  CHECK(read.declared("=> ^of + p") == read.place("stride(^of) =>"));
  CHECK(read.declared("of + p.^m") == read.place("{ ^m: int"));
  CHECK(read.declared("if how == ^once") == read.place("{ ^once, stride"));
  CHECK(read.declared("mov ^y, 2") == read.place("r ^y; mov y, n"));
  CHECK(read.declared("iadd3 x, ^y") == read.place("r ^y; mov y, n"));
  CHECK(read.declared("mov y, ^n;") == read.place("const ^n: int"));
  CHECK(read.declared("0 .. ^plan.m") == read.place("const ^plan"));
  CHECK(read.declared("0 .. plan.^m") == read.place("{ ^m: int"));
  CHECK(read.declared("x, x, ^z") == read.place("let ^z"));
  CHECK(read.declared("iadd3 ^x, x, z") == read.place("add(^x: out"));
}

TEST_CASE("a kernel's names: ends give their pipe's tiles, axes their places") {
  const Read read(R"(
kernel k(a: global f16[64, 64]) on sm_100a, grid (1), cluster (half: 2) {
  shared tile: ring(2) of f16[64, 64];
  pipe stage: ring(2) carries (tile) to half = 0;
  start { init stage.full[0]; }
  role loads(out: producer stage) on warp 0 {
    fill out { load out.tile, a[half * 32 +: 32, 0 +: 64], out.full; }
  }
}
)");
  CHECK(read.declared("carries (^tile)") == read.place("shared ^tile"));
  CHECK(read.declared("to ^half = 0") == read.place("cluster (^half"));
  CHECK(read.declared("init ^stage") == read.place("pipe ^stage"));
  CHECK(read.declared("producer ^stage") == read.place("pipe ^stage"));
  CHECK(read.declared("fill ^out {") == read.place("loads(^out"));
  CHECK(read.declared("load out.^tile") == read.place("shared ^tile"));
  CHECK(read.declared(", ^a[half") == read.place("k(^a:"));
  CHECK(read.declared("a[^half") == read.place("cluster (^half"));
}

TEST_CASE("constants that are made of themselves, and long chains of them") {
  const Read circle("const a = b.x;\nconst b = a.y;\nconst c = c;\n");
  CHECK(circle.declared("= ^b.x") == circle.place("const ^b"));
  std::string chain = "struct S { x: int }\nconst c0 = S(x: 1);\n";
  for (int i = 1; i < 20'000; ++i) chain += "const c" + std::to_string(i) + " = c" + std::to_string(i - 1) + ";\n";
  const Read read(chain + "const last = c19999.x;\n");
  CHECK(read.declared("last = ^c19999") == read.place("const ^c19999 "));
}

TEST_CASE("comments that belong to a declaration") {
  const std::string text =
      "/// Adds.\n/// Twice.\nproc add() { }\nconst x = 1;  // of the ring\n// other\nconst y = \"//\";\n";
  CHECK(comment_of(text, {{}, 21, 35}) == "Adds.\nTwice.");
  const auto x = static_cast<std::uint32_t>(text.find("const x"));
  CHECK(comment_of(text, {{}, x, x + 12}) == "of the ring");
  const auto y = static_cast<std::uint32_t>(text.find("const y"));
  CHECK(comment_of(text, {{}, y, y + 15}).empty());
  CHECK(comment_of("const z = 1;", {{}, 0, 12}).empty());
  CHECK(comment_of("\n///\nconst z = 1;", {{}, 5, 17}).empty());
}

TEST_CASE("a pattern that binds many names knows the type of each") {
  std::string payload, bound;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ", ";
    payload += comma + "p" + number + ": Side";
    bound += comma + "b" + number;
  }
  const Read read("enum Side { left, right }\nenum All { all(" + payload + ") }\nfn f(a: All) -> int = match a { all(" +
                  bound + ") => 1 };\n");
  const NameRef side = read.names->item("Side");
  int bindings = 0;
  for (const Declaration& each : read.names->declarations()) {
    if (each.kind != NameKind::binding) continue;
    ++bindings;
    CHECK(each.type == side);
  }
  CHECK(bindings == 100);
}
