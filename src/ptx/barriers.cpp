// mbarriers, the barriers of CTA and cluster, scoreboards, and branches.
#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

using isa::Op;
using sass::Line;
using sass::Operand;

constexpr Message<> kSleepAlone{
    "sleep-without-wait",
    "NANOSLEEP.SYNCS stands for the suspension of the wait before it: `SYNCS.PHASECHK.TRANS64.TRYWAIT p, …`, then "
    "`@!p NANOSLEEP.SYNCS`, then `@!p BRA`"};
constexpr Message<std::int64_t> kScoreboard{
    "scoreboard-unknown",
    "scoreboard {} is not one of the two that programs name: SB0, the copy engine's stores, and SB1, tensor memory's "
    "loads"};

// The counts that an mbarrier starts with are kept as 0x100000 - n, from bit 1 of the low word and from bit 11 of the
// high one.
void lift_init(Lifter& l) {
  std::string at = l.address(1);
  const Web* low = l.web(l.operand(2).reg);
  std::string count;
  if (low != nullptr && low->constant) {
    count = fmt::format("{}", 0x100000 - ((*low->constant & 0xffffffff) >> 1));
  } else {
    std::string kept = l.bits32();
    count = l.bits32();
    l.put_always(fmt::format("shr.u32 {}, {}, 1;", kept, l.source(2)));
    l.put_always(fmt::format("sub.u32 {}, 0x100000, {};", count, kept));
  }
  l.put(fmt::format("mbarrier.init.shared::cta.b64 {}, {};", at, count));
}

// `.RED`: at another CTA. A plain arrival releases to the CTA; `.CLUSTER` to the cluster, which costs a fence of the
// whole GPU.
void lift_arrival(Lifter& l) {
  bool remote = l.has("RED");
  std::string space = remote ? "shared::cluster" : "shared::cta";
  std::string at = l.address(1);
  if (l.has("A0TR") || l.has("A0TX")) {
    // Bytes alone, no arrival. SASS spells both for its own CTA and another alike.
    const char* what = l.has("A0TR") ? "expect_tx" : "complete_tx";
    l.put(fmt::format("mbarrier.{}.relaxed.cluster.shared::cluster.b64 {}, {};", what, at, l.source(2)));
    return;
  }
  l.before_signal();
  std::string order = l.line().cluster ? ".release.cluster" : "";
  const char* operation = l.has("OPTOUT") ? "arrive_drop" : "arrive";
  if (l.has("A1T0")) {
    l.put(fmt::format("mbarrier.{}{}.{}.b64 _, {};", operation, order, space, at));
  } else if (l.has("ART0")) {
    l.put(fmt::format("mbarrier.arrive{}.{}.b64 _, {}, {};", order, space, at, l.source(2)));
  } else {
    l.put(fmt::format("mbarrier.arrive.expect_tx{}.{}.b64 _, {}, {};", order, space, at, l.source(2)));
  }
}

// PTX takes a parity in bit 0; the hardware reads bit 31.
std::string parity(Lifter& l) {
  const Operand& o = l.operand(2);
  if (o.reg.is_constant) return "0";
  const Web* held = l.web(o.reg);
  if (held != nullptr && held->parity) return held->name;
  if (held != nullptr && held->constant) return (*held->constant >> 31 & 1) != 0 ? "1" : "0";
  std::string low = l.bits32();
  l.put_always(fmt::format("shr.u32 {}, {}, 31;", low, l.source(2)));
  return low;
}

bool opposite(const Line& line, const sass::Reg& tested) {
  return line.guard && line.guard->negated && line.guard->reg.file == tested.file &&
         line.guard->reg.number == tested.number &&
         (line.guard->reg.number >= 0 || line.guard->reg.value == tested.value);
}

void lift_test(Lifter& l) {
  std::string asked = parity(l);
  std::string at = l.address(1);
  std::string target = l.target(0);
  const char* order = l.told_by_cluster() ? ".acquire.cluster" : "";
  const Line* next = l.next();
  if (!l.has("TRYWAIT")) {
    l.put(fmt::format("mbarrier.test_wait.parity{}.shared::cta.b64 {}, {}, {};", order, target, at, asked));
  } else if (next != nullptr && next->opcode->op == Op::NANOSLEEP && !next->modifiers.empty() &&
             opposite(*next, l.operand(0).reg)) {
    // The sleep is the test's own suspension: ptxas writes it back behind the test, off the path of a wait that finds
    // its phase done.
    l.put(fmt::format("mbarrier.try_wait.parity{}.shared::cta.b64 {}, {}, {}, {};", order, target, at, asked,
                      next->operands[0].number));
    l.take_next();
  } else {
    l.put(fmt::format("mbarrier.try_wait.parity{}.shared::cta.b64 {}, {}, {};", order, target, at, asked));
  }
  l.signalled();
}

}  // namespace

void lift_mbarrier(Lifter& l) {
  if (l.has("EXCH")) return lift_init(l);
  if (l.has("PHASECHK")) return lift_test(l);
  lift_arrival(l);
}

void lift_sleep(Lifter& l) {
  l.fail(kSleepAlone);
}

void lift_cta_barrier(Lifter& l) {
  l.before_signal();
  std::string id = l.source(0);
  std::string threads = l.operands() > 1 ? ", " + l.source(1) : std::string();
  l.put(fmt::format("bar.{} {}{};", l.has("ARV") ? "arrive" : "sync", id, threads));
  l.signalled();
}

// With the fence before it an arrival releases (memory.cpp); alone it orders nothing.
void lift_cluster_arrive(Lifter& l) {
  l.before_signal();
  l.put("barrier.cluster.arrive.relaxed.aligned;");
}

void lift_cluster_wait(Lifter& l) {
  l.put("barrier.cluster.wait.acquire.aligned;");
  l.signalled();
}

// SB0 counts the copy engine's groups of stores, SB1 tensor memory's loads. A wait that is to see the stores' writes
// drops the first-level cache's lines after it.
void lift_scoreboard(Lifter& l) {
  std::int64_t board = l.operand(0).number;
  std::int64_t most = l.operand(1).number;
  if (board == 1) {
    l.put("tcgen05.wait::ld.sync.aligned;");
  } else if (board == 0) {
    const Line* next = l.next();
    bool writes = next != nullptr && next->opcode->op == Op::CCTL;
    if (writes) l.take_next();
    l.put(fmt::format("cp.async.bulk.wait_group{} {};", writes ? "" : ".read", most));
  } else {
    l.fail(kScoreboard, board);
  }
}

// The machine code has nothing in its place.
void lift_initialised(Lifter& l) {
  l.put("fence.mbarrier_init.release.cluster;");
}

void lift_branch(Lifter& l) {
  if (!l.has("U")) return l.put(fmt::format("bra {};", l.label(l.operand(0).label)));
  std::string to = l.label(l.operand(1).label);
  if (auto constant = l.constant_predicate(0)) {
    if (*constant) l.put(fmt::format("bra {};", to));
    return;
  }
  l.put(fmt::format("@{} bra {};", l.predicate(0), to));
}

}  // namespace warpcc::ptx
