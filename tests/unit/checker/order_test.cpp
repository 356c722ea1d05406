// The order of accesses on its own: threads, barriers and memories by hand.
#include <doctest/doctest.h>

#include "checker/order/boxes.h"
#include "checker/order/memory.h"
#include "checker/order/thread.h"

using namespace warpcc::order;

namespace {

constexpr std::uint32_t kAll = ~0u, kOne = 1, kNone = Edge::kNone;

struct Machine {
  std::uint32_t global = 0;
  Agents agents{0, &global};
  Thread a{agents, warp_id(0, 0, 0)}, b{agents, warp_id(0, 0, 1)}, peer{agents, warp_id(0, 1, 0)};
  Partition places{64};
  Memory memory;
  Conflicts conflicts;

  Machine() {
    std::vector<std::uint32_t> low, high;
    for (std::uint32_t i = 0; i < 32; ++i) low.push_back(i), high.push_back(32 + i);
    CHECK(places.add(1, low, "low") == 0);
    CHECK(places.add(2, high, "high") == 1);
  }
  // What is said of the access; ordered: nothing.
  Why by(Thread& thread, Epoch epoch, Use use, int footprint = 0, bool asynchronous = false, bool elected = false) {
    Actor actor;
    actor.entry = {epoch, use, 0, thread.who(), static_cast<std::uint32_t>(footprint), 0};
    actor.thread = &thread;
    actor.asynchronous = asynchronous;
    actor.elected = elected;
    conflicts.clear();
    memory.access(places, footprint, actor, conflicts, nullptr);
    return conflicts.empty() ? Why::ordered : conflicts[0].why;
  }
  Why lanes(Thread& thread, Use use, int footprint = 0) {
    return by(thread, thread.access(kAll, false), use, footprint);
  }
};

}  // namespace

TEST_CASE("a barrier hands on what its phase gathered, to those who wait for that phase") {
  Machine m;
  Barrier barrier;
  CHECK(m.lanes(m.a, Use::write) == Why::ordered);
  m.a.release(barrier.gathered(), kAll, kNone);
  CHECK(m.lanes(m.b, Use::read, 1) == Why::ordered);  // another place
  barrier.turn();
  m.b.acquire(barrier.completed(), kNone);
  CHECK(m.lanes(m.b, Use::read) == Why::ordered);
  CHECK(m.lanes(m.a, Use::write) == Why::unordered);  // before it knows of the read
  barrier.turn();
  m.peer.acquire(barrier.completed(), kNone);  // the next phase, which gathered nothing
  CHECK(m.lanes(m.peer, Use::read) == Why::unordered);
}

TEST_CASE("lanes that have not met are not told of by one that arrives") {
  for (bool met : {false, true}) {
    Machine m;
    Barrier barrier;
    m.lanes(m.a, Use::write);
    if (met) m.a.meet(kNone);
    m.a.release(barrier.gathered(), kOne, kNone);
    barrier.turn();
    m.b.acquire(barrier.completed(), kNone);
    CHECK(m.lanes(m.b, Use::read) == (met ? Why::ordered : Why::unordered));
  }
}

TEST_CASE("the async proxy needs a fence, by those who wrote or by one who knows") {
  for (int fenced = 0; fenced < 3; ++fenced) {
    Machine m;
    Barrier barrier;
    m.lanes(m.a, Use::write);
    if (fenced == 1) m.a.fence_async(kAll, Space::shared, kNone);
    m.a.meet(kNone);
    m.a.release(barrier.gathered(), kAll, kNone);
    barrier.turn();
    m.b.acquire(barrier.completed(), kNone);
    if (fenced == 2) m.b.fence_async(kAll, Space::shared, kNone);
    CHECK(m.by(m.b, m.b.mma(), Use::read, 0, true, true) == (fenced > 0 ? Why::ordered : Why::proxy));
  }
}

TEST_CASE("a fence that comes first publishes nothing of what follows") {
  Machine m;
  Barrier barrier;
  m.a.access(kAll, false);
  m.a.meet(kNone);
  m.a.fence_gpu(kAll);  // nothing since they met
  CHECK(m.lanes(m.a, Use::write) == Why::ordered);
  m.a.release_published(barrier.gathered(), kAll, kNone);
  barrier.turn();
  m.peer.acquire_published(barrier.completed(), kNone);
  CHECK(m.lanes(m.peer, Use::read) == Why::unordered);
}

TEST_CASE("within a CTA is not enough for another one") {
  for (bool fenced : {false, true}) {
    Machine m;
    Barrier barrier;
    m.lanes(m.a, Use::write);
    if (fenced) m.a.fence_gpu(kAll);
    m.a.release(barrier.gathered(), kAll, kNone);
    barrier.turn();
    m.peer.acquire(barrier.completed(), kNone);
    CHECK(m.lanes(m.peer, Use::read) == (fenced ? Why::ordered : Why::scope));
  }
}

TEST_CASE("loads are known by the phase that they complete, commits by what was begun before") {
  Machine m;
  Barrier full, empty;
  Epoch load = full.begin(m.agents);
  CHECK(m.by(m.a, load, Use::write, 0, true, true) == Why::ordered);
  CHECK(m.by(m.b, m.b.mma(), Use::read, 0, true, true) == Why::unordered);
  full.end(load.time, kNone);
  full.turn();
  m.b.acquire(full.completed(), kNone);
  Epoch mma = m.b.mma();
  CHECK(m.by(m.b, mma, Use::read, 0, true, true) == Why::ordered);
  Epoch second = full.begin(m.agents);
  CHECK(m.by(m.a, second, Use::write, 0, true, true) == Why::unordered);
  m.b.release_acquired(empty.gathered(), kNone);
  Epoch committed = m.b.commit();
  CHECK(committed.time == mma.time);
  empty.gathered().seen.raise(committed.agent, committed.time);
  empty.turn();
  m.b.mma();  // after the commit
  CHECK(m.by(m.b, m.b.mma(), Use::read, 1, true, true) == Why::ordered);
  m.a.acquire(empty.completed(), kNone);
  CHECK(m.by(m.a, full.begin(m.agents), Use::write, 1, true, true) == Why::unordered);
}

TEST_CASE("of Hopper's MMAs those are known whose group has been waited for") {
  for (std::uint32_t waited = 0; waited < 3; ++waited) {
    Machine m;
    Barrier empty;
    for (int group = 0; group < 2; ++group) {
      m.by(m.a, m.a.mma(), Use::read, group, true, true);
      m.a.commit();
    }
    m.a.mmas_done(waited, kNone);
    m.a.release(empty.gathered(), kAll, kNone);
    empty.turn();
    m.b.acquire(empty.completed(), kNone);
    for (int group = 0; group < 2; ++group) {
      bool known = static_cast<std::uint32_t>(group) < waited;
      CHECK(m.by(m.b, empty.begin(m.agents), Use::write, group, true, true) == (known ? Why::ordered : Why::unordered));
    }
  }
}

TEST_CASE("stores are known to the lane that waits, and to the others once they have met") {
  Machine m;
  m.by(m.a, m.a.store(false, 0), Use::read, 0, true, true);
  CHECK(m.a.leaves_stores());
  m.a.stores_done(false, 1, kNone);
  CHECK_FALSE(m.a.leaves_stores());
  CHECK(m.lanes(m.a, Use::write) == Why::unordered);
  Machine other;
  other.by(other.a, other.a.store(false, 0), Use::read, 0, true, true);
  other.a.stores_done(false, 1, kNone);
  other.a.meet(kNone);
  CHECK(other.lanes(other.a, Use::write) == Why::ordered);
}

TEST_CASE("places are divided as accesses tell them apart, and keep what they know") {
  Machine m;
  CHECK(m.lanes(m.a, Use::write) == Why::ordered);
  CHECK(m.places.cell_count() == 2);
  CHECK(m.places.add(3, {8, 9, 40}, "across") == 2);
  CHECK(m.places.cell_count() == 4);
  CHECK(m.lanes(m.b, Use::read, 2) == Why::unordered);
  CHECK(m.places.cells(0).size() == 2);
}

TEST_CASE("boxes of global memory: sums are free, what overlaps is not") {
  Machine m;
  Boxes boxes({8, 32, 1, 1, 1});
  Conflicts conflicts;
  auto access = [&](Thread& thread, Use use, std::int32_t row, std::int32_t column) {
    Box box;
    box.to.fill(1);
    box.from = {row, column, 0, 0, 0};
    box.to = {row + 8, column + 32, 1, 1, 1};
    Actor actor;
    actor.entry = {thread.store(true, 0), use, 0, thread.who(), 0, 0};
    actor.thread = &thread;
    actor.asynchronous = actor.elected = true;
    actor.space = Space::global;
    conflicts.clear();
    boxes.access(box, actor, conflicts, nullptr);
    return conflicts.size();
  };
  CHECK(access(m.a, Use::add, 0, 0) == 0);
  CHECK(access(m.b, Use::add, 0, 0) == 0);
  CHECK(access(m.peer, Use::write, 0, 32) == 0);
  CHECK(access(m.a, Use::write, 4, 16) == 3);  // both sums, and the write beside them
}

TEST_CASE("clusters that know nothing of each other: each pair of theirs is a conflict, however they come together") {
  auto written = [](std::uint32_t cluster) {
    Machine m;
    Thread thread(m.agents, warp_id(cluster, 0, 0));
    Boxes boxes({8, 32, 1, 1, 1});
    Box box;
    box.to = {8, 32, 1, 1, 1};
    Actor actor;
    actor.entry = {thread.store(true, 0), Use::write, 0, thread.who(), 0, 0};
    actor.thread = &thread;
    Conflicts conflicts;
    boxes.access(box, actor, conflicts, nullptr);
    return boxes;
  };
  int found = 0;
  auto conflict = [&](const Entry&, const Entry&, const Box&) { ++found; };
  Boxes one({8, 32, 1, 1, 1}), left({8, 32, 1, 1, 1}), right({8, 32, 1, 1, 1});
  for (std::uint32_t cluster = 0; cluster < 4; ++cluster)
    one.merge(written(cluster), 0, cluster, cluster + 1, conflict);
  CHECK(found == 6);
  found = 0;
  for (std::uint32_t cluster = 0; cluster < 2; ++cluster) {
    left.merge(written(cluster), 0, cluster, cluster + 1, conflict);
    right.merge(written(cluster), 0, cluster, cluster + 1, conflict);
  }
  left.merge(right, 2, 2, 4, conflict);
  CHECK(found == 6);

  Box beside;
  beside.from = {0, 32, 0, 0, 0};
  beside.to = {8, 64, 1, 1, 1};
  Box inside;
  inside.from = {7, 31, 0, 0, 0};
  inside.to = {9, 40, 1, 1, 1};
  int met = 0;
  left.for_each_conflict(beside, Use::write, [&](const Entry&) { ++met; });
  CHECK(met == 0);
  left.for_each_conflict(inside, Use::read, [&](const Entry&) { ++met; });
  CHECK(met == 4);
}
