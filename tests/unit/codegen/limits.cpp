// What does not fit is said with the map of what takes how much.
#include "codegen/memory.h"
#include "listing.h"

using namespace warpcc;

TEST_CASE("shared memory over the limit") {
  test::GemmShape shape;
  shape.depth = 10;
  auto made = test::generate(test::gemm(shape));
  CHECK(!made.program);
  CHECK(made.said.find("the kernel takes 254160 bytes of shared memory; a CTA has 232448") != std::string::npos);
  CHECK(made.said.find("`sb`: 10 × 16384 = 163840 bytes") != std::string::npos);
  CHECK(made.said.find("`staging`: 4 × 2 × 1024 = 8192 bytes") != std::string::npos);
  CHECK(made.said.find("barriers of `stage`: 2 × 10 × 8 = 160 bytes") != std::string::npos);
}

TEST_CASE("tensor memory over the limit") {
  test::GemmShape shape;
  shape.accumulators = 5;
  auto made = test::generate(test::gemm(shape));
  CHECK(!made.program);
  CHECK(made.said.find("the kernel takes 640 columns of tensor memory; a CTA has 512") != std::string::npos);
  CHECK(made.said.find("`acc`: 5 × 128 = 640 columns") != std::string::npos);
}

TEST_CASE("a ring of any size is refused, not laid out") {
  kernel::Kernel gemm = test::gemm({});
  for (kernel::Buffer& buffer : gemm.buffers) {
    for (kernel::Copies& copies : buffer.copies) copies.count = std::int64_t{1} << 62;
  }
  CHECK(!test::generate(gemm).program);
}

TEST_CASE("tiles lie where their swizzle's pattern starts, barriers behind them, columns are a power of two") {
  Diagnostics diagnostics;
  test::GemmShape shape;
  shape.rows = 96;
  shape.accumulators = 2;
  auto memory = codegen::place_memory(test::gemm(shape), diagnostics);
  REQUIRE(memory);
  for (const codegen::Memory::Buffer& buffer : memory->buffers) {
    if (buffer.place >= 0x400) CHECK(buffer.place % 128 == 0);
  }
  CHECK(memory->buffers[3].place == 0x400);
  CHECK(memory->buffers[4].place % 1024 == 0);
  CHECK(memory->allocated_columns == 256);
  CHECK(memory->empty[0] == memory->full[0] + 8 * 8);
  CHECK(memory->full[1] == memory->empty[0] + 8 * 8);
}

TEST_CASE("more registers than a thread has") {
  kernel::Kernel gemm = test::gemm({});
  // Fragments that are all live at one point: written first, stored afterwards.
  kernel::Block& stores = gemm.roles[2].body;
  kernel::BufferId staging{5};
  std::vector<kernel::Node> reads;
  for (int i = 0; i < 9; ++i) {
    kernel::Register wide;
    wide.name = "wide" + std::to_string(i);
    wide.count = 32;
    gemm.registers_declared.push_back(wide);
    auto id = static_cast<kernel::RegisterId>(gemm.registers_declared.size() - 1);
    for (int part = 0; part < 32; ++part) {
      stores.insert(stores.begin(), test::Builder::say("mov", {test::use(id, part), std::int64_t{7}}, "mov"));
      reads.push_back(test::Builder::say(
          "sts",
          {test::view(staging, kernel::EndId::none, {test::of(kernel::Atom::Kind::warp), test::index(0)},
                      {test::pick(test::index(0)), test::pick(test::of(kernel::Atom::Kind::lane))}),
           test::use(id, part)},
          "sts"));
    }
  }
  for (kernel::Node& node : reads) stores.push_back(std::move(node));
  auto made = test::generate(gemm);
  CHECK(!made.program);
  INFO(made.said);
  CHECK(made.said.find("wide8") != std::string::npos);
}
