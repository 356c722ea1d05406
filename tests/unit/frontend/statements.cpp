// Every statement, with its parts.
#include "reading.h"

using namespace warpcc;

TEST_CASE("registers") {
  Reading reading = statement("ur row: 0 .. M by 128, d[2], x;");
  const auto& declared = only_statement<tree::Registers>(reading);
  CHECK(declared.kind == tree::RegisterKind::ur);
  REQUIRE(declared.names.size() == 3);
  CHECK(declared.names[0].name.text == "row");
  CHECK(show(declared.names[0].range->end) == "M");
  CHECK(show(declared.names[0].step) == "128");
  CHECK(show(declared.names[1].count) == "2");
  CHECK_FALSE(declared.names[1].range.has_value());
  CHECK(declared.names[2].count == nullptr);

  Reading kinds("proc test() { r a; p b; up c; r d[2]: 0 .. 4 by 2; }");
  REQUIRE(kinds.tree);
  const auto& statements = std::get<tree::Proc>(kinds.tree->items[0].is).body.statements;
  CHECK(std::get<tree::Registers>(statements[0].is).kind == tree::RegisterKind::r);
  CHECK(std::get<tree::Registers>(statements[1].is).kind == tree::RegisterKind::p);
  CHECK(std::get<tree::Registers>(statements[2].is).kind == tree::RegisterKind::up);
  const auto& group = std::get<tree::Registers>(statements[3].is).names[0];
  CHECK(show(group.count) == "2");
  CHECK(show(group.step) == "2");
}

TEST_CASE("fragments and bundles") {
  Reading fragment = statement("regs v: f32[32, n] in umma.ld(32);");
  const auto& v = only_statement<tree::Regs>(fragment);
  CHECK(show(v.tile->element) == "f32");
  CHECK(v.tile->shape.size() == 2);
  CHECK(fragment.text(v.tile->where) == "f32[32, n]");
  CHECK(show(v.layout) == "(call (. umma ld) 32)");
  CHECK_FALSE(v.bundle.has_value());

  Reading bundle = statement("regs w: tiles.Work(plan);");
  const auto& w = only_statement<tree::Regs>(bundle);
  CHECK_FALSE(w.tile.has_value());
  CHECK(show(w.bundle->path) == "tiles.Work");
  CHECK(show(w.bundle->arguments.at(0)) == "plan");
  CHECK(bundle.text(w.bundle->where) == "tiles.Work(plan)");
}

TEST_CASE("names, constants, requirements") {
  CHECK(show(only_statement<tree::Let>(statement("let to = c[row +: 4, ..];")).value) == "([] c row+:4 ..)");
  Reading constant = statement("const n: (int, tiles.Walk) = x;");
  const auto& n = only_statement<tree::Const>(constant);
  REQUIRE(n.type.has_value());
  CHECK(n.type->kind == tree::Type::Kind::tuple);
  CHECK(show(n.type->elements.at(1).path) == "tiles.Walk");
  Reading require = statement("require n <= 4, \"at most 4\";");
  CHECK(only_statement<tree::Require>(require).message == "at most 4");
  CHECK(require.text(only_statement<tree::Require>(require).message_where) == "\"at most 4\"");
}

TEST_CASE("statics") {
  Reading chain = statement("if a { sync; } else if b { } else { warpsync; sync; }");
  const auto& outer = only_statement<tree::StaticIf<tree::Statement>>(chain);
  CHECK(show(outer.condition) == "a");
  CHECK(outer.then.size() == 1);
  REQUIRE(outer.otherwise.size() == 1);
  const auto& inner = std::get<tree::StaticIf<tree::Statement>>(outer.otherwise[0].is);
  CHECK(chain.text(outer.otherwise[0].where) == "if b { } else { warpsync; sync; }");
  CHECK(inner.then.empty());
  CHECK(inner.otherwise.size() == 2);

  const auto unrolled = statement("for i in 0 .. n by 2 { sync; }");
  const auto& each = only_statement<tree::StaticFor<tree::Statement>>(unrolled);
  CHECK(each.variable.text == "i");
  CHECK(show(each.range.end) == "n");
  CHECK(show(each.step) == "2");
  CHECK(each.body.size() == 1);

  const auto matching = statement("match (n, a) { (4, true) => { sync; } _ => { } }");
  const auto& match = only_statement<tree::StaticMatch<tree::Statement>>(matching);
  REQUIRE(match.arms.size() == 2);
  CHECK(show(match.arms[0].pattern) == "(tuple 4 true)");
  CHECK(match.arms[0].body.size() == 1);
}

TEST_CASE("loops and branches") {
  const auto forever = statement("loop { break when done; }");
  const auto& loop = only_statement<tree::Loop>(forever);
  CHECK_FALSE(loop.counter.has_value());
  CHECK(std::holds_alternative<tree::Break>(loop.body.statements.at(0).is));
  CHECK(forever.text(loop.body.where) == "{ break when done; }");

  const auto counted = statement("loop k in a + 1 .. f(b) by s { }");
  const auto& count = only_statement<tree::Loop>(counted);
  CHECK(count.counter->text == "k");
  CHECK(show(count.range->begin) == "(+ a 1)");
  CHECK(show(count.step) == "s");
  CHECK(counted.text(count.range->where) == "a + 1 .. f(b)");

  const auto branch = statement("when !up { sync; } else { }");
  const auto& when = only_statement<tree::When>(branch);
  CHECK(show(when.condition) == "(! up)");
  CHECK(when.then.statements.size() == 1);
  CHECK(when.otherwise.has_value());
  CHECK_FALSE(only_statement<tree::When>(statement("when a { }")).otherwise.has_value());

  CHECK(show(only_statement<tree::On>(statement("on (warp == 0) { }")).fact) == "(== warp 0)");
}

TEST_CASE("holds and turns") {
  using Kind = tree::Hold::Kind;
  CHECK(only_statement<tree::Hold>(statement("fill out { }")).kind == Kind::fill);
  CHECK(only_statement<tree::Hold>(statement("take inp { sync; }")).body.statements.size() == 1);
  CHECK(only_statement<tree::Hold>(statement("drain out { }")).kind == Kind::drain);
  const auto taken = statement("turn inp of (n + 1) { }");
  CHECK(show(only_statement<tree::Turn>(taken).end) == "inp");
  CHECK(show(only_statement<tree::Turn>(taken).stages) == "(+ n 1)");
  CHECK(show(only_statement<tree::Turn>(statement("turn inp of(n) { }")).stages) == "n");
}

TEST_CASE("a call has its parenthesis right after the name, an instruction has not") {
  const auto call = statement("tiles.place(p, to: w);");
  const auto& place = only_statement<tree::Call>(call);
  CHECK(show(place.callee) == "tiles.place");
  CHECK(call.text(place.callee.where) == "tiles.place");
  REQUIRE(place.arguments.size() == 2);
  CHECK(place.arguments[1].name->text == "to");
  CHECK_FALSE(place.body.has_value());
  CHECK(only_statement<tree::Call>(statement("each(w) { body; }")).body->statements.size() == 1);
  CHECK(only_statement<tree::Call>(statement("each() { }")).arguments.empty());

  const auto move = statement("mov (x), 1;");
  CHECK(only_statement<tree::Instruction>(move).operands.size() == 2);
  CHECK(statement("mov(x), 1;").said() == "2:7-8 expected `{` or `;`, found `,`");
}

TEST_CASE("instructions") {
  const auto plain = statement("uimad.wide.u32 wide, x, -d, 0;");
  const auto& multiply = only_statement<tree::Instruction>(plain);
  CHECK(multiply.opcode == "uimad.wide.u32");
  CHECK(plain.text(multiply.opcode_where) == "uimad.wide.u32");
  CHECK(multiply.operands.size() == 4);
  CHECK(show(multiply.operands[2]) == "(- d)");

  for (const char* opcode :
       {"ld.tensor", "sts.128", "shfl.idx", "cluster.arrive.relaxed", "x.32x32b", "a.for.if.loop"}) {
    CHECK(only_statement<tree::Instruction>(statement(std::string(opcode) + ";")).opcode == opcode);
  }
  CHECK(only_statement<tree::Instruction>(statement("store.wait.read if a { 0 } else { 1 };")).operands.size() == 1);

  const auto load = statement("load out.sa[r +: n, ..], a[k], out.full across band, hint: evict_first, x: 1;");
  const auto& loads = only_statement<tree::Instruction>(load);
  CHECK(loads.operands.size() == 3);
  CHECK(loads.across->text == "band");
  REQUIRE(loads.options.size() == 2);
  CHECK(loads.options[0].first.text == "hint");
  CHECK(show(loads.options[0].second) == "evict_first");

  const auto last = statement("mma acc, a, b, j > 0, last: i == 1;");
  CHECK(only_statement<tree::Instruction>(last).operands.size() == 4);
  CHECK(show(only_statement<tree::Instruction>(last).options.at(0).second) == "(== i 1)");
  CHECK(only_statement<tree::Instruction>(statement("prefetch c for staging;")).for_->text == "staging");
}

TEST_CASE("guards") {
  const auto negated = statement("@!k.more mov x, y;");
  const auto& guard = only_statement<tree::Instruction>(negated).guard;
  REQUIRE(guard.has_value());
  CHECK(guard->negated);
  CHECK(show(*guard->predicate) == "k.more");
  CHECK(negated.text(guard->where) == "@!k.more");

  const auto facts = statement("@(one && half == 0) expect out.full;");
  const auto& instruction = only_statement<tree::Instruction>(facts);
  CHECK(show(instruction.guard->facts) == "(&& one (== half 0))");
  CHECK_FALSE(instruction.guard->predicate.has_value());
  CHECK(instruction.opcode == "expect");
}
