#include "build.h"

namespace warpcc::test {

namespace {

// The walk by stride over the tiles of 2048 × 2048: this cluster's index, then on by the number of clusters.
struct Walk {
  Builder& b;
  RegisterId tile, row, col, next, done;
  explicit Walk(Builder& builder) : b(builder) {
    using isa::File;
    tile = b.reg("w.tile", File::ur, 1, Range{0, 128, 1});
    row = b.reg("w.row", File::ur, 1, Range{0, 2048, 128});
    col = b.reg("w.col", File::ur, 1, Range{0, 2048, 256});
    next = b.reg("next", File::ur);
    done = b.reg("done", File::up);
  }
  Block around(bool where, Block body) {
    using isa::File;
    Forever loop;
    loop.body.push_back(Builder::say("umov", {use(tile), use(next)}, "umov w.tile, next"));
    if (where) {
      RegisterId r = b.reg("row", File::ur), c = b.reg("col", File::ur);
      loop.body.push_back(Builder::say("ulop3.and", {use(r), use(tile), std::int64_t{15}}, "ulop3.and row, tile, 15"));
      loop.body.push_back(Builder::say("ushf.r.u32", {use(c), use(tile), std::int64_t{4}}, "ushf.r.u32 col, tile, 4"));
      loop.body.push_back(
          Builder::say("uimad", {use(row), use(r), std::int64_t{128}, std::int64_t{0}}, "uimad w.row, row, 128"));
      loop.body.push_back(
          Builder::say("uimad", {use(col), use(c), std::int64_t{256}, std::int64_t{0}}, "uimad w.col, col, 256"));
    }
    for (Node& node : body) loop.body.push_back(std::move(node));
    loop.body.push_back(
        Builder::say("uiadd3", {use(next), use(next), std::int64_t{74}, std::int64_t{0}}, "uiadd3 next, next, 74"));
    loop.body.push_back(
        Builder::say("uisetp.ge.u32", {use(done), use(next), std::int64_t{128}}, "uisetp.ge.u32 done, next, 128"));
    Break leave;
    leave.when = use(done);
    leave.text = "break when done";
    loop.body.push_back({leave});
    Block code;
    SpecialRegister ctaid;
    for (std::size_t i = 0; i < isa::special_registers().size(); ++i) {
      if (isa::special_registers()[i].name == "ctaid.x") ctaid.index = static_cast<int>(i);
    }
    code.push_back(Builder::say("s2ur", {use(next), ctaid}, "s2ur index, ctaid.x"));
    code.push_back(Builder::say("ushf.r.u32", {use(next), use(next), std::int64_t{1}}, "ushf.r.u32 index, index, 1"));
    code.push_back({std::move(loop)});
    return code;
  }
};

Hold hold(Hold::Kind kind, EndId end, std::string text, Block body) {
  Hold made;
  made.kind = kind;
  made.end = end;
  made.text = std::move(text);
  made.body = std::move(body);
  return made;
}

Loop loop(CounterId counter, std::int64_t end, std::string text, Block body) {
  Loop made;
  made.counter = counter;
  made.end = index(end);
  made.text = std::move(text);
  made.body = std::move(body);
  return made;
}

}  // namespace

Kernel gemm(const GemmShape& shape) {
  using isa::File;
  using layout::Element;
  Builder b("gemm");
  Kernel& k = b.kernel;
  k.grid = {148, 1, 1};
  k.threads = 256;
  const int atom = 128, atoms = shape.columns / atom;

  BufferId a = b.buffer("a", MemorySpace::global, {}, Element::f16, {2048, 2048}, {{{2048, 2048}}, {{2048, 1}}});
  BufferId bb = b.buffer("b", MemorySpace::global, {}, Element::f16, {2048, 2048}, {{{2048, 2048}}, {{2048, 1}}});
  BufferId c = b.buffer("c", MemorySpace::global, {}, Element::f32, {2048, 2048}, {{{2048, 2048}}, {{2048, 1}}});
  k.parameters = {a, bb, c};
  Copies ring{Copies::Kind::ring, shape.depth};
  BufferId sa = b.buffer("sa", MemorySpace::shared, {ring}, Element::f16, {shape.rows / 2, 64},
                         {{{shape.rows / 2, 64}}, {{64, 1}}}, 128);
  BufferId sb = b.buffer("sb", MemorySpace::shared, {ring}, Element::f16, {shape.columns, 64},
                         {{{shape.columns, 64}}, {{64, 1}}}, 128);
  BufferId staging = b.buffer("staging", MemorySpace::shared, {{Copies::Kind::warps, 4}, {Copies::Kind::ring, 2}},
                              Element::f32, {8, 32}, {{{8, 32}}, {{32, 1}}});
  std::vector<layout::Coordinate> pair_d{{{atom, 0x10000}}, {{shape.rows, 1}}};
  if (atoms > 1) pair_d[0].push_back({atoms, shape.rows});
  BufferId acc = b.buffer("acc", MemorySpace::tensor, {{Copies::Kind::ring, shape.accumulators}}, Element::f32,
                          {shape.columns, shape.rows}, pair_d);

  Signal stage_full{1, "", (shape.rows / 2 + shape.columns) * 64 * 2 * 2, ""}, one{1, "", 0, ""}, stores{8, "", 0, ""};
  PipeId stage = b.pipe("stage", shape.depth, {sa, sb}, {}, {{0, 0}}, stage_full, one);
  PipeId accumulator = b.pipe("accumulator", shape.accumulators, {acc}, {{0, 0}}, {}, one, stores);

  // start
  On first, second;
  first.facts.compares = {compare(of(Atom::Kind::warp), Compare::Is::eq, 0)};
  first.text = "on (warp == 0)";
  for (BufferId buffer : {a, bb, c})
    first.body.push_back(Builder::say("prefetch", {TensorMapOf{buffer, BufferId::none}}, "prefetch"));
  for (PipeId pipe : {stage, accumulator}) {
    for (int i = 0; i < k[pipe].depth; ++i) {
      first.body.push_back(
          Builder::say("init", {in_start(pipe, BarrierOperand::Kind::full, i)}, "@one init x.full[i]", if_one()));
      first.body.push_back(
          Builder::say("init", {in_start(pipe, BarrierOperand::Kind::empty, i)}, "@one init x.empty[i]", if_one()));
    }
  }
  first.body.push_back(Builder::say("fence.init", {}, ""));
  first.body.push_back(Builder::say("grid.launch", {}, ""));
  second.facts.compares = {compare(of(Atom::Kind::warp), Compare::Is::eq, 1)};
  second.text = "on (warp == 1)";
  second.body.push_back(Builder::say("alloc.pair", {}, ""));
  second.body.push_back(Builder::say("relinquish.pair", {}, ""));
  k.start.push_back({std::move(first)});
  k.start.push_back({std::move(second)});
  k.start.push_back(Builder::say("cluster.arrive", {}, ""));
  k.start.push_back(Builder::say("cluster.wait", {}, ""));

  {  // loads
    Role role;
    role.name = "loads";
    role.end_warp = 1;
    EndId out = b.end("out", stage, Side::producer);
    role.ends = {out};
    Walk walk(b);
    CounterId counter = b.counter("k", shape.k_steps), drained = b.counter("i", shape.depth);
    Index row = of(walk.row) + of(Atom::Kind::axis, 0, shape.rows / 2);
    Index col = of(walk.col) + of(Atom::Kind::axis, 0, shape.columns);
    Index k_at = of(counter) * 64;
    Guard leader = if_one();
    leader.facts.compares = {compare(of(Atom::Kind::axis), Compare::Is::eq, 0)};
    Block fill;
    fill.push_back(Builder::say("wait", {empty(out)}, "wait out.empty"));
    fill.push_back(Builder::say("expect", {full(out)}, "@(one && half == 0) expect out.full", leader));
    fill.push_back(Builder::say("load",
                                {view(sa, out, {}, {part(index(0), shape.rows / 2), part(index(0), 64)}),
                                 view(a, EndId::none, {}, {part(row, shape.rows / 2), part(k_at, 64)}), full(out)},
                                "load out.sa, …"));
    fill.push_back(Builder::say("load",
                                {view(sb, out, {}, {part(index(0), shape.columns), part(index(0), 64)}),
                                 view(bb, EndId::none, {}, {part(col, shape.columns), part(k_at, 64)}), full(out)},
                                "load out.sb, …"));
    Block body, round;
    round.push_back({hold(Hold::Kind::fill, out, "fill out", std::move(fill))});
    body.push_back({loop(counter, shape.k_steps, "loop k in 0 .. k_steps", std::move(round))});
    role.body.push_back(Builder::say("grid.wait", {}, ""));
    for (Node& node : walk.around(true, std::move(body))) role.body.push_back(std::move(node));
    Block drain, rounds;
    drain.push_back(Builder::say("wait", {empty(out)}, "wait out.empty"));
    rounds.push_back({hold(Hold::Kind::drain, out, "drain out", std::move(drain))});
    role.body.push_back({loop(drained, shape.depth, "loop i in 0 .. depth", std::move(rounds))});
    k.roles.push_back(std::move(role));
  }
  {  // mma
    Role role;
    role.name = "mma";
    role.first_warp = 1;
    role.end_warp = 2;
    role.at = {{0, 0}};
    EndId inp = b.end("inp", stage, Side::consumer), out = b.end("out", accumulator, Side::producer);
    role.ends = {inp, out};
    Walk walk(b);
    CounterId counter = b.counter("k", shape.k_steps);
    RegisterId first_k = b.reg("first", File::ur), accumulate = b.reg("accumulate", File::up);
    RegisterId landed = b.reg("landed", File::p);
    Block take, round, fill, body;
    take.push_back(Builder::say("uisetp.ne.u32", {use(accumulate), use(first_k), std::int64_t{0}},
                                "uisetp.ne.u32 accumulate, first, 0"));
    Guard unless_landed;
    if (shape.ask_ahead) unless_landed.predicate = RegisterOperand{landed, 0, 1, true};
    take.push_back(Builder::say("wait", {full(inp)}, "wait inp.full", unless_landed));
    for (int r = 0; r < atoms; ++r) {
      for (int j = 0; j < 4; ++j) {
        kernel::Operand p = j == 0 ? kernel::Operand(use(accumulate)) : kernel::Operand(true);
        Node mma = Builder::say("mma.pair",
                                {view(acc, out, {}, {part(index(r * atom), atom), part(index(0), shape.rows)}),
                                 view(sb, inp, {}, {part(index(r * atom), atom), part(index(j * 16), 16)}),
                                 view(sa, inp, {}, {part(index(0), shape.rows / 2), part(index(j * 16), 16)}), p},
                                "mma.pair, r = " + std::to_string(r) + ", j = " + std::to_string(j));
        auto& instruction = std::get<Instruction>(mma.is);
        instruction.m = 256;
        instruction.n = shape.rows;
        instruction.k = 16;
        instruction.descriptor = layout::InstructionDescriptor{};
        instruction.descriptor->m = 256;
        instruction.descriptor->n = shape.rows;
        take.push_back(std::move(mma));
      }
    }
    take.push_back(Builder::say("umov", {use(first_k), std::int64_t{1}}, "umov first, 1"));
    take.push_back(Builder::say("commit.pair", {empty(inp)}, "commit.pair inp.empty"));
    round.push_back({hold(Hold::Kind::take, inp, "take inp", std::move(take))});
    if (shape.ask_ahead) round.push_back(Builder::say("probe", {use(landed), full(inp)}, "probe landed, inp.full"));
    fill.push_back(Builder::say("wait", {empty(out)}, "wait out.empty"));
    fill.push_back(Builder::say("umov", {use(first_k), std::int64_t{0}}, "umov first, 0"));
    fill.push_back({loop(counter, shape.k_steps, "loop k in 0 .. k_steps", std::move(round))});
    fill.push_back(Builder::say("commit.pair", {full(out)}, "commit.pair out.full"));
    body.push_back({hold(Hold::Kind::fill, out, "fill out", std::move(fill))});
    if (shape.ask_ahead) role.body.push_back(Builder::say("probe", {use(landed), full(inp)}, "probe landed, inp.full"));
    for (Node& node : walk.around(false, std::move(body))) role.body.push_back(std::move(node));
    k.roles.push_back(std::move(role));
  }
  {  // stores
    Role role;
    role.name = "stores";
    role.first_warp = 4;
    role.end_warp = 8;
    EndId inp = b.end("inp", accumulator, Side::consumer);
    role.ends = {inp};
    Walk walk(b);
    RegisterId v = b.reg("v", File::r, 32);
    Index warp = of(Atom::Kind::warp), col = of(walk.col) + of(Atom::Kind::axis, 0, shape.columns) + warp * 32;
    Block take, body;
    take.push_back(Builder::say("wait", {full(inp)}, "wait inp.full"));
    for (int i = 0; i < atoms; ++i) {
      for (int j = 0; j < shape.rows / 32; ++j) {
        take.push_back(Builder::say(
            "ld.tensor",
            {use(v, 0, 32), view(acc, inp, {}, {part(warp * 32 + index(i * atom), 32), part(index(j * 32), 32)})}, ""));
        take.push_back(Builder::say("ld.wait", {}, ""));
        if (i == atoms - 1 && j == shape.rows / 32 - 1)
          take.push_back(Builder::say("arrive", {empty(inp)}, "@one arrive inp.empty", if_one()));
        for (int g = 0; g < 4; ++g) {
          take.push_back(Builder::say("store.wait.read", {std::int64_t{1}}, ""));
          take.push_back(Builder::say("warpsync", {}, ""));
          for (int row = 0; row < 8; ++row) {
            take.push_back(Builder::say(
                "sts",
                {view(staging, EndId::none, {warp, index(g % 2)}, {pick(index(row)), pick(of(Atom::Kind::lane))}),
                 use(v, g * 8 + row)},
                ""));
          }
          take.push_back(Builder::say("fence.async", {}, ""));
          take.push_back(Builder::say("warpsync", {}, ""));
          take.push_back(
              Builder::say("store",
                           {view(c, EndId::none, {},
                                 {part(of(walk.row) + index(j * 32 + g * 8), 8), part(col + index(i * atom), 32)}),
                            view(staging, EndId::none, {warp, index(g % 2)}, {part(index(0), 8), part(index(0), 32)})},
                           ""));
          take.push_back(Builder::say("store.commit", {}, ""));
        }
      }
    }
    body.push_back({hold(Hold::Kind::take, inp, "take inp", std::move(take))});
    role.body.push_back(Builder::say("grid.wait", {}, ""));
    for (Node& node : walk.around(true, std::move(body))) role.body.push_back(std::move(node));
    role.body.push_back(Builder::say("store.wait.read", {std::int64_t{0}}, ""));
    k.roles.push_back(std::move(role));
  }
  On last;
  last.facts.compares = {compare(of(Atom::Kind::warp), Compare::Is::eq, 1)};
  last.text = "on (warp == 1)";
  last.body.push_back(Builder::say("free.pair", {}, ""));
  k.finish.push_back(Builder::say("cluster.arrive", {}, ""));
  k.finish.push_back(Builder::say("cluster.wait", {}, ""));
  k.finish.push_back({std::move(last)});
  return std::move(b.kernel);
}

}  // namespace warpcc::test
