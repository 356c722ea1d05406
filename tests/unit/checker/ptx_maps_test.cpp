// PTX kernels with tensor maps that they change, boxes of rows apart, small elements; lanes that wait for each other.
#include <doctest/doctest.h>

#include <string>

#include "ptx_trial.h"

using namespace warpcc;
using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// `body`, run by a CTA. %rd3 is the address of `map`, %r9 that of a mbarrier of one arrival, %p1 false in thread 0.
struct Ran : PtxTrial {
  Ran(const std::string& body, const TensorMapFields& map, std::uint32_t threads = 32)
      : PtxTrial({.body = "mov.u32 %r2, smem;\nadd.u32 %r9, %r2, 512;\nsetp.ne.u32 %p1, %r1, 0;\nmov.u64 %rd2, map;\n"
                          "cvta.param.u64 %rd3, %rd2;\n@!%p1 mbarrier.init.shared.b64 [%r9], 1;\n"
                          "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n" +
                          body,
                  .map = map},
                 threads) {
    run();
  }
};

// Words in rows of 32.
TensorMapFields rows_of_words() {
  TensorMapFields map;
  map.element_bytes = 4;
  map.real = false;
  map.extents = {32, 32};
  map.strides = {128};
  map.box = {4, 1};
  return map;
}

// What a box left in shared memory, from byte 1024 on, goes to word 3072 and those that follow.
const std::string kShow =
    "bar.warp.sync -1;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra WAIT;\n"
    "shl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\nld.shared.u32 %r5, [%r4+1024];\ncvt.u64.u32 %rd4, %r3;\n"
    "add.u64 %rd4, %rd1, %rd4;\nst.global.u32 [%rd4+12288], %r5;\n";

std::string load(int bytes, const char* what, const char* map_and_coordinates) {
  return "@%p1 bra ASKED;\nadd.u32 %r6, %r2, 1024;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], " +
         std::to_string(bytes) + ";\ncp.async.bulk.tensor.2d.shared::cta.global." + what +
         "mbarrier::complete_tx::bytes [%r6], [" + map_and_coordinates + "], [%r9];\nASKED:\n" + kShow;
}

// The map goes to shared memory; its address, its box and a stride are changed; it goes to byte 8192.
std::string changed(const char* fence) {
  return std::string(
             "shl.b32 %r3, %r1, 2;\ncvt.u64.u32 %rd4, %r3;\nadd.u64 %rd5, %rd3, %rd4;\nld.b32 %r4, [%rd5];\n"
             "add.u32 %r5, %r2, %r3;\nst.shared.b32 [%r5], %r4;\nbar.warp.sync -1;\n@%p1 bra CHANGED;\n"
             "cvt.u64.u32 %rd6, %r2;\nadd.u64 %rd7, %rd1, 256;\n"
             "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%rd6], %rd7;\n"
             "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd6], 1, 2;\nmov.b64 %rd8, 64;\n"
             "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd6], 0, %rd8;\n"
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd6], 4, 1;\nCHANGED:\nbar.warp.sync -1;\n"
             "add.u64 %rd9, %rd1, 8192;\n"
             "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd9], [%r2], "
             "128;\n") +
         fence;
}

const char* const kFence = "fence.proxy.tensormap::generic.acquire.gpu [%rd9], 128;\n";

}  // namespace

TEST_CASE("a tensor map is changed, field by field") {
  Ran ran(changed(kFence) + load(32, "", "%rd9, {0, 0}"), rows_of_words());
  CHECK_MESSAGE(ran.ran, ran.said());
  // Lanes past the box read what nothing has written.
  CHECK(ran.said().find("race") == std::string::npos);
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(ran.word(3072 + i) == 64 + i / 4 * 16 + i % 4);
}

TEST_CASE("who uses a map that has been changed fences the proxy of maps") {
  const std::string after = load(32, "", "%rd9, {0, 0}");
  CHECK(Ran(changed("") + after, rows_of_words()).says("with no fence of the proxy of tensor maps"));
  CHECK(!Ran(changed(kFence) + after, rows_of_words()).says("proxy of tensor maps"));
  // A fence before the change, or of another map, is none.
  CHECK(Ran("add.u64 %rd9, %rd1, 8192;\n" + std::string(kFence) + changed("") + after, rows_of_words())
            .says("with no fence of the proxy of tensor maps"));
  // Another warp's fence counts where it is heard of.
  const std::string by_other = "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra OTHER;\n" + changed("") +
                               "OTHER:\nbar.sync 1, 64;\nadd.u64 %rd9, %rd1, 8192;\n@!%p3 bra HERE;\n" +
                               std::string(kFence) + "HERE:\nbar.sync 1, 64;\n@%p3 ret;\n";
  CHECK(!Ran(by_other + after, rows_of_words(), 64).says("proxy of tensor maps"));
}

TEST_CASE("what a changed map may not be is said") {
  auto with = [&](const std::string& change) {
    std::string text = changed(kFence);
    text.replace(text.find("CHANGED:\n"), 0, change);
    return Ran(text + load(32, "", "%rd9, {0, 0}"), rows_of_words()).said();
  };
  CHECK(with("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd6], 0, 3;\n")
            .find("its box has rows of 12 bytes, no multiple of 16") != std::string::npos);
  CHECK(with("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%rd6], 1;\n")
            .find("interleaved layouts are not taken") != std::string::npos);
  CHECK(with("st.shared.b32 [%r2], 0;\ntensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%rd6], 1;\n")
            .find("changes what is no tensor map") != std::string::npos);
}

TEST_CASE("four rows come from, and go to, coordinates of their own") {
  Ran ran(load(64, "tile::gather4.", "%rd3, {4, 3, 0, 7, 40}"), rows_of_words());
  CHECK_MESSAGE(ran.ran, ran.said());
  const std::uint32_t rows[] = {3, 0, 7, 0};
  for (std::uint32_t i = 0; i < 16; ++i) CHECK(ran.word(3072 + i) == (i < 12 ? 32 * rows[i / 4] + 4 + i % 4 : 0));
  Ran back(
      "and.b32 %r3, %r1, 15;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r4, %r2, %r3;\nadd.u32 %r5, %r1, 2000;\nsetp.gt.u32 "
      "%p2, %r1, 15;\n"
      "@!%p2 st.shared.u32 [%r4], %r5;\nfence.proxy.async.shared::cta;\nbar.warp.sync -1;\n@%p1 ret;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd3, {8, 5, 9, 2, 4}], [%r2];\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
      rows_of_words());
  CHECK_MESSAGE(back.ran, back.said());
  CHECK(back.said() == "");
  const std::uint32_t to[] = {5, 9, 2, 4};
  for (std::uint32_t i = 0; i < 16; ++i) CHECK(back.word(32 * to[i / 4] + 8 + i % 4) == 2000 + i);
  TensorMapFields two = rows_of_words();
  two.box = {4, 2};
  CHECK(Ran(load(64, "tile::gather4.", "%rd3, {4, 3, 0, 7, 40}"), two)
            .says("four rows come by a map whose box is one row"));
}

namespace {

// Four channels of 4 x 3 pixels of two images, within bounds from -1 to the last but one.
TensorMapFields pixels(std::int64_t step) {
  TensorMapFields map = rows_of_words();
  map.extents = {4, 4, 3, 2};
  map.strides = {16, 64, 192};
  map.box = {4, 8};
  map.window = TensorMapFields::Window{{-1, -1}, {-1, -1}, {step, step}};
  return map;
}

std::string load_pixels(const char* start, const char* offsets) {
  std::string text = load(128, "im2col.", start);
  text.replace(text.find(".2d."), 4, ".4d.");
  return text.replace(text.find("[%r9];\nASKED"), 6, std::string("[%r9], ") + offsets + ";");
}

}  // namespace

TEST_CASE("pixels one after the other through rows and images, within bounds that offsets move") {
  struct Case {
    std::int64_t step;
    const char *start, *offsets;
    std::uint32_t first[8];  // words; 0: outside
  };
  const Case kCases[] = {{1, "%rd3, {0, 1, -1, 0}", "{1, 2}", {24, 28, 32, 36, 40, 44, 0, 0}},
                         {1, "%rd3, {0, 1, 1, 0}", "{1, 1}", {40, 44, 48, 52, 56, 60, 64, 68}},
                         {2, "%rd3, {0, 1, -1, 0}", "{1, 1}", {8, 32, 40, 48, 56, 80, 88, 0}}};
  for (const Case& each : kCases) {
    Ran ran(load_pixels(each.start, each.offsets), pixels(each.step));
    CHECK_MESSAGE(ran.ran, ran.said());
    CHECK(ran.said() == "");
    for (std::uint32_t i = 0; i < 32; ++i)
      CHECK(ran.word(3072 + i) == (each.first[i / 4] == 0 ? 0 : each.first[i / 4] + i % 4));
  }
  CHECK(Ran(load(128, "", "%rd3, {0, 0}"), pixels(1)).says("is of pixels, and what uses it of boxes"));
  CHECK(Ran(load_pixels("%rd3, {0, 1, 1, 0}", "{1, 1}"), rows_of_words())
            .says("is of boxes, and what uses it of pixels"));
  // As many offsets as there are dimensions between channels and images.
  CHECK(Ran(load_pixels("%rd3, {0, 1, 1, 0}", "{1}"), pixels(1)).says("the operands of `cp.async.bulk.tensor.4d"));
}

TEST_CASE("a box reduces what is there, as its elements are") {
  struct Case {
    const char* operation;
    bool has_sign;
    std::uint32_t words[4];  // of 160, 161, 162, 163 with -7, 160, 162, 164
  };
  const Case kCases[] = {{"add", false, {153, 321, 324, 327}},        {"min", true, {0xfffffff9, 160, 162, 163}},
                         {"min", false, {160, 160, 162, 163}},        {"max", true, {160, 161, 162, 164}},
                         {"max", false, {0xfffffff9, 161, 162, 164}}, {"and", false, {160, 160, 162, 160}},
                         {"xor", false, {0xffffff59, 1, 0, 7}}};
  for (const Case& each : kCases) {
    TensorMapFields map = rows_of_words();
    map.has_sign = each.has_sign;
    Ran ran(
        "shl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\nadd.u32 %r5, %r1, %r1;\nadd.u32 %r5, %r5, 158;\n"
        "@!%p1 mov.u32 %r5, -7;\nst.shared.u32 [%r4+1024], %r5;\nfence.proxy.async.shared::cta;\nbar.warp.sync -1;\n"
        "@%p1 ret;\nadd.u32 %r6, %r2, 1024;\ncp.reduce.async.bulk.tensor.2d.global.shared::cta." +
            std::string(each.operation) +
            ".tile.bulk_group [%rd3, {0, 5}], [%r6];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
        map);
    CHECK_MESSAGE(ran.ran, ran.said());
    CHECK(ran.said() == "");
    INFO(each.operation);
    for (std::uint32_t i = 0; i < 4; ++i) CHECK(ran.word(160 + i) == each.words[i]);
  }
}

TEST_CASE("pixels are stored") {
  Ran back(
      "shl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\nadd.u32 %r4, %r4, 1024;\nadd.u32 %r5, %r1, 2000;\n"
      "st.shared.u32 [%r4], %r5;\nfence.proxy.async.shared::cta;\nbar.warp.sync -1;\n@%p1 ret;\n"
      "add.u32 %r6, %r2, 1024;\n"
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%rd3, {0, 1, 1, 0}], [%r6];\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
      pixels(1));
  CHECK_MESSAGE(back.ran, back.said());
  CHECK(back.said() == "");
  // Pixels (1, 1) and (2, 1) of the first image; then of the second those that are none, (0, 0) last but one row.
  CHECK(back.word(20) == 2000);
  CHECK(back.word(24) == 2004);
  CHECK(back.word(48) == 2000 + 4 * 7);
}

TEST_CASE("elements of 4 and 6 bits are spread, and those bytes are counted that come") {
  for (int bits : {4, 6}) {
    TensorMapFields map;
    map.element_bytes = 1;
    map.real = false;
    map.spread = bits;
    map.extents = {128, 2};
    map.strides = {bits * 16};
    map.box = {128, 1};
    Ran ran(load(16 * bits, "", "%rd3, {0, 1}"), map);
    CHECK_MESSAGE(ran.ran, ran.said());
    CHECK(ran.said() == "");
    // Row 1 begins at word bits * 4; of each four words of shared memory bits / 2 come.
    const auto first = static_cast<std::uint32_t>(bits * 4), some = static_cast<std::uint32_t>(bits / 2);
    for (std::uint32_t i = 0; i < 32; ++i)
      CHECK(ran.word(3072 + i) == (i % 4 < some ? first + i / 4 * some + i % 4 : 0));
  }
}

TEST_CASE("a lane that asks again and again gives way to the one that it waits for") {
  // Each lane takes a lock, counts, and lets it go.
  Ran ran(
      "LOCK:\natom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra LOCK;\n"
      "ld.volatile.global.u32 %r4, [%rd1+4];\nadd.u32 %r4, %r4, 1;\nst.volatile.global.u32 [%rd1+4], %r4;\n"
      "atom.release.gpu.global.exch.b32 %r5, [%rd1], 0;\n",
      rows_of_words());
  CHECK_MESSAGE(ran.ran, ran.said());
  CHECK(ran.said() == "");
  CHECK(ran.word(1) == 1 + 32);
}

TEST_CASE("D of 32 and of 64 rows takes all lanes, with .ws") {
  // A[i, 0] = i, B[j, 0] = j, zeros else; each thread shows columns 1 and 3 of its lane.
  const std::string body =
      "shl.b32 %r3, %r1, 6;\nadd.u32 %r3, %r2, %r3;\nmov.u32 %r4, 0;\nadd.u32 %r3, %r3, 1024;\n"
      "st.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4};\nst.shared.v4.u32 [%r3+16], {%r4, %r4, %r4, %r4};\n"
      "st.shared.v4.u32 [%r3+32], {%r4, %r4, %r4, %r4};\nst.shared.v4.u32 [%r3+48], {%r4, %r4, %r4, %r4};\nbar.sync "
      "0;\n"
      "and.b32 %r5, %r1, 7;\nshl.b32 %r5, %r5, 4;\nshr.u32 %r6, %r1, 3;\nshl.b32 %r6, %r6, 8;\nadd.u32 %r5, %r5, %r6;\n"
      "add.u32 %r5, %r5, %r2;\ncvt.rn.f16.u32 %h1, %r1;\nsetp.lt.u32 %p3, %r1, 64;\n@%p3 st.shared.b16 [%r5+1024], "
      "%h1;\n"
      "@%p3 st.shared.b16 [%r5+5120], %h1;\nfence.proxy.async.shared::cta;\nshr.u32 %r7, %r1, 5;\n"
      "setp.ne.u32 %p4, %r7, 0;\n@%p4 bra ALLOCATED;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 64;\nALLOCATED:\nbar.sync 0;\n"
      "ld.shared.u32 %r8, [%r2];\n@%p1 bra ISSUED;\n"
      "add.u32 %r10, %r2, 1024;\nshr.u32 %r10, %r10, 4;\nor.b32 %r10, %r10, 0x80000;\nadd.u32 %r11, %r10, 256;\n"
      "mov.u32 %r12, 0x4010;\nmov.b64 %rd10, {%r10, %r12};\nmov.b64 %rd11, {%r11, %r12};\nmov.u32 %r13, IDESC;\n"
      "setp.ne.u32 %p5, %r1, 0;\ntcgen05.mma.ws.cta_group::1.kind::f16 [%r8], %rd10, %rd11, %r13, %p5;\n"
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r9];\nISSUED:\nbar.warp.sync -1;\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra WAIT;\n"
      "shl.b32 %r14, %r7, 21;\nadd.u32 %r14, %r14, %r8;\n"
      "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r20, %r21, %r22, %r23}, [%r14];\ntcgen05.wait::ld.sync.aligned;\n"
      "cvt.rzi.u32.f32 %r21, %r21;\ncvt.rzi.u32.f32 %r23, %r23;\nshl.b32 %r15, %r1, 3;\ncvt.u64.u32 %rd4, %r15;\n"
      "add.u64 %rd4, %rd1, %rd4;\nst.global.v2.u32 [%rd4+12288], {%r21, %r23};\nbar.sync 0;\n@%p4 ret;\n"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 64;\n";
  for (std::uint32_t m : {32u, 64u}) {
    std::string text = body;
    text.replace(text.find("IDESC"), 5, m == 64 ? "0x04100010" : "0x02100010");
    Ran ran(text, rows_of_words(), 128);
    CHECK_MESSAGE(ran.ran, ran.said());
    CHECK(ran.said() == "");
    const std::uint32_t columns = 64 * m / 128;  // of a part
    for (std::uint32_t lane = 0; lane < 128; ++lane) {
      CHECK(ran.word(3072 + 2 * lane) == lane % m * (lane / m * columns + 1));
      CHECK(ran.word(3073 + 2 * lane) == lane % m * (lane / m * columns + 3));
    }
  }
  std::string text = body;
  text.replace(text.find("IDESC"), 5, "0x04080010");
  CHECK(Ran(text, rows_of_words(), 128).says("is no MMA of one CTA"));
}
