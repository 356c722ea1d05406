// The machine's parts by themselves.
#include <doctest/doctest.h>

#include <bit>
#include <set>
#include <utility>

#include "checker/machine/copy_engine.h"
#include "checker/machine/mbarrier.h"
#include "checker/machine/numbers.h"
#include "checker/machine/schedule.h"
#include "checker/machine/tensor_memory.h"

using namespace warpcc::machine;
using warpcc::layout::Element;

namespace {
std::string text(Faults& faults) {
  std::string all;
  for (const Fault& fault : faults.take()) all += fault.text + "\n";
  return all;
}
bool has(Faults& faults, std::string_view what) {
  return text(faults).find(what) != std::string::npos;
}
}  // namespace

TEST_CASE("an mbarrier's phase ends when neither arrivals nor bytes are to come") {
  MBarrier barrier;
  Faults faults;
  barrier.init(2, "b", faults);
  CHECK_FALSE(barrier.passed(0));
  CHECK(barrier.passed(1));  // a fresh barrier: the phase before is complete
  CHECK_FALSE(barrier.arrive(1, "b", faults));
  CHECK_FALSE(barrier.land(64, "b", faults));  // bytes may come before they are expected
  CHECK_FALSE(barrier.expect(64, "b", faults));
  CHECK(barrier.arrive(1, "b", faults));
  CHECK(barrier.passed(0));
  CHECK(barrier.phase() == 1);
  CHECK(barrier.pending() == 2);
  CHECK(faults.empty());
}

TEST_CASE("what an mbarrier is not for") {
  MBarrier barrier;
  Faults faults;
  barrier.arrive(1, "b", faults);
  CHECK(has(faults, "arrives at b, which nothing has initialised"));
  barrier.init(0, "b", faults);
  CHECK(has(faults, "counts 1 to 1048575"));
  barrier.init(1, "b", faults);
  CHECK(has(faults, "initialised a second time"));
  barrier.expect(100, "b", faults);
  barrier.arrive(1, "b", faults);
  CHECK(faults.empty());
  barrier.arrive(1, "b", faults);
  CHECK(has(faults, "more arrivals than the 1 it counts on"));
  barrier.expect(16, "b", faults);
  CHECK(has(faults, "in a phase that all arrivals have closed"));
  barrier.expect(1 << 20, "b", faults);
  CHECK(has(faults, "a phase counts 1048575 at most"));
}

TEST_CASE("a named barrier counts warps") {
  NamedBarrier barrier;
  Faults faults;
  std::vector<int> woken;
  CHECK_FALSE(barrier.arrive(0, 96, true, "b", faults, woken));
  CHECK_FALSE(barrier.arrive(1, 96, false, "b", faults, woken));
  CHECK(barrier.arrive(2, 96, true, "b", faults, woken));
  CHECK(woken == std::vector<int>{0, 2});
  CHECK(faults.empty());
  barrier.arrive(0, 64, false, "b", faults, woken);
  barrier.arrive(0, 64, false, "b", faults, woken);
  CHECK(has(faults, "warp 0 arrives a second time"));
  barrier.arrive(0, 64, false, "b", faults, woken);
  barrier.arrive(1, 96, false, "b", faults, woken);
  CHECK(has(faults, "is waited for with 96 threads, and with 64"));
}

TEST_CASE("warps that have left count as arrived at the cluster's barrier") {
  ClusterBarrier barrier(3);
  Faults faults;
  barrier.exit(2);
  barrier.arrive(0, faults);
  CHECK_FALSE(barrier.passed(0));
  barrier.arrive(1, faults);
  CHECK(barrier.passed(0));
  CHECK(faults.empty());
  barrier.arrive(0, faults);
  barrier.arrive(0, faults);
  CHECK(has(faults, "a second time"));
}

TEST_CASE("tensor memory is had in powers of two, and given back whole") {
  TensorMemory memory(false);
  Faults faults;
  CHECK(memory.allocate(256, faults) == 0);
  CHECK(memory.allocate(128, faults) == 256);
  CHECK(memory.allocated(0, 384));
  CHECK_FALSE(memory.allocated(256, 256));
  CHECK(faults.empty());
  CHECK_FALSE(memory.allocate(256, faults));
  CHECK(has(faults, "it would wait for ever"));
  CHECK_FALSE(memory.allocate(96, faults));
  CHECK(has(faults, "a power of two from 32 to 512"));
  memory.free(0, 512, faults);
  CHECK(has(faults, "are not all allocated"));
  memory.free(0, 256, faults);
  CHECK(memory.allocated_columns() == 128);
  memory.relinquish();
  memory.allocate(32, faults);
  CHECK(has(faults, "after giving up the right to"));
}

namespace {
TensorMap map_of(std::int64_t rows, std::int64_t columns, std::int64_t box_rows, std::int64_t box_columns, int bytes,
                 int swizzle) {
  TensorMap map;
  map.name = "a";
  map.buffer = 0;
  map.extents = {columns, rows};
  map.box = {box_columns, box_rows};
  map.element_bytes = bytes;
  map.swizzle = warpcc::layout::swizzle_of_span(swizzle);
  return map;
}
}  // namespace

TEST_CASE("boxes: a swizzle by absolute addresses, zeros outside, nothing stored there") {
  TensorMap map = map_of(10, 72, 8, 64, 2, 128);
  GlobalBuffer global(0, Element::f16, 10 * 72, false);
  SharedMemory shared(0x400, 0x2000);
  load_box(map, global, {64, 6}, 0x400, shared);
  // Row 1, element 8 lies in unit 1 ^ 1 of its row.
  CHECK(shared.read(0x400 + 128 + ((0 ^ 1) << 4), 2) == global.load(7 * 72 + 64));
  CHECK(shared.read(0x400 + 128 + ((1 ^ 1) << 4), 2) == 0);      // column 72
  CHECK(shared.read(0x400 + 4 * 128 + ((0 ^ 4) << 4), 2) == 0);  // row 10
  load_box(map, global, {-8, 0}, 0x400, shared);
  CHECK(shared.read(0x400, 2) == 0);
  CHECK(shared.read(0x400 + 16, 2) == global.load(0));

  TensorMap out = map_of(10, 72, 8, 32, 4, 0);
  GlobalBuffer c(1, Element::f32, 10 * 72, false);
  for (std::uint32_t i = 0; i < 256; ++i)
    shared.write(0x400 + 4 * i, 4, std::bit_cast<std::uint32_t>(static_cast<float>(i)));
  write_box(out, c, {64, 4}, read_box(out, 0x400, shared), false);
  CHECK(c.stored(4 * 72 + 71));
  CHECK_FALSE(c.stored(5 * 72));
  CHECK(to_float(c.load(5 * 72 + 65), Element::f32) == 33);
  write_box(out, c, {64, 4}, read_box(out, 0x400, shared), true);
  CHECK(to_float(c.load(5 * 72 + 65), Element::f32) == 66);
}

// Seen on an H200 (tests/gpu): `loads_118` and `stores_24` of its first run.
TEST_CASE("boxes: rows narrower than the swizzle keep its distance, integers are added as such") {
  TensorMap map = map_of(16, 24, 10, 8, 2, 64);
  GlobalBuffer global(0, Element::f16, 16 * 24, false);
  SharedMemory shared(0x400, 0x2000);
  CHECK(map.box_bytes() == 160);
  CHECK(map.shared_bytes() == 640);
  load_box(map, global, {8, 2}, 0x400, shared);
  CHECK(shared.read(0x400, 2) == global.load(2 * 24 + 8));
  CHECK(shared.read(0x600, 2) == global.load(10 * 24 + 8));                     // row 8: 0x200 further on
  CHECK(shared.read(0x400 + 3 * 64 + (1 << 4), 2) == global.load(5 * 24 + 8));  // row 3: unit 0 ^ 1
  CHECK(read_box(map, 0x400, shared)[8 * 8] == global.load(10 * 24 + 8));

  TensorMap out = map_of(4, 8, 2, 8, 4, 0);
  GlobalBuffer counts(1, Element::u32, 4 * 8, false);
  std::vector<std::uint32_t> more(16, 0x40000001);
  std::uint32_t before = counts.load(8);
  write_box(out, counts, {0, 1}, more, true);
  CHECK(counts.load(8) == before + 0x40000001);
}

TEST_CASE("what the copy engine refuses") {
  Faults faults;
  check_map(map_of(8, 72, 8, 72, 2, 128), faults);
  CHECK(has(faults, "more than the 128 of its swizzle"));
  check_map(map_of(8, 70, 8, 64, 2, 128), faults);
  CHECK(has(faults, "a stride of 140 bytes is no multiple of 16"));
  check_map(map_of(512, 64, 257, 64, 2, 128), faults);
  CHECK(has(faults, "1 to 256 elements"));
  TensorMap map = map_of(64, 64, 8, 64, 2, 128);
  SharedMemory shared(0x400, 0x1000);
  CHECK(check_access(map, {0, 0}, 0x400, shared, false, faults));
  CHECK(faults.empty());
  check_access(map, {4, 0}, 0x400, shared, false, faults);
  CHECK(has(faults, "is no multiple of 16 bytes"));
  check_access(map, {0, -1}, 0x400, shared, true, faults);
  CHECK(has(faults, "a store starts at coordinate -1"));
  CHECK_FALSE(check_access(map, {0, 0}, 0x440, shared, false, faults));
  CHECK(has(faults, "no multiple of 128"));
  CHECK_FALSE(check_access(map, {0, 0}, 0xf00, shared, false, faults));
  CHECK(has(faults, "leave shared memory"));
}

TEST_CASE("numbers") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = static_cast<std::uint16_t>(bits);
    float value = f16_to_float(half);
    if (value == value) CHECK_MESSAGE(float_to_f16(value) == half, bits);
  }
  CHECK(float_to_f16(65520.0f) == 0x7c00);
  CHECK(float_to_f16(1.0f + 0x1p-11f) == 0x3c00);  // ties to even
  CHECK(float_to_f16(1.0f + 0x3p-11f) == 0x3c02);
  CHECK(float_to_bf16(1.0f + 0x1p-8f) == 0x3f80);
  for (Element element : {Element::f16, Element::bf16, Element::f32, Element::tf32, Element::f8e4m3, Element::f8e5m2,
                          Element::f6e2m3, Element::f6e3m2, Element::f4e2m1, Element::s8, Element::s32}) {
    for (int value = -3; value <= 3; ++value)
      CHECK(to_float(encode_integer(value, element), element) == static_cast<float>(value));
  }
}

// A CTA of eight warps once had its second held back under late work alone, whatever the seed.
TEST_CASE("every warp and every CTA is held back under every kind of work") {
  for (int count = 1; count <= 16; ++count) {
    std::set<std::pair<int, Schedule::Work>> warps, ctas;
    for (std::uint64_t seed = 2; seed < 3 * 16 * 16; ++seed) {
      Schedule of_warps = Schedule::of(seed, 2, count), of_ctas = Schedule::of(seed, count, 4);
      if (of_warps.held_warp >= 0) warps.insert({of_warps.held_warp, of_warps.work});
      if (of_ctas.held_cta >= 0) ctas.insert({of_ctas.held_cta, of_ctas.work});
    }
    CAPTURE(count);
    CHECK(warps.size() == static_cast<std::size_t>(3 * count));
    if (count > 1) CHECK(ctas.size() == static_cast<std::size_t>(3 * count));
  }
}
