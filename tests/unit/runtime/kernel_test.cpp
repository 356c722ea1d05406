#include "runtime/kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "fake_driver.h"
#include "manifests.h"

using namespace warpcc::runtime;

namespace {

Error open(std::unique_ptr<Kernel>& kernel, const std::string& manifest = gemm_manifest(),
           const int* device = nullptr) {
  return Kernel::open(fake::driver(), kCubin, manifest, device, kernel);
}

std::string refused(warpcc_status status, const std::string& manifest = gemm_manifest(), const int* device = nullptr) {
  std::unique_ptr<Kernel> kernel;
  Error error = open(kernel, manifest, device);
  CHECK(error.status == status);
  CHECK(!kernel);
  // Whatever failed, all is given back.
  CHECK(fake::state().memory.empty());
  CHECK(fake::state().modules == 0);
  CHECK(fake::state().retained == 0);
  CHECK(fake::state().contexts == 0);
  return error.message;
}

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// Tensors that fit.
struct Given {
  std::int64_t a_shape[2] = {256, 64}, a_strides[2] = {64, 1};
  std::int64_t c_shape[2] = {256, 128}, c_strides[2] = {128, 1};
  warpcc_tensor tensors[3] = {{"a", at(0x10000), WARPCC_F16, 2, a_shape, a_strides},
                              {"b", at(0x20000), WARPCC_ANY, 0, nullptr, nullptr},
                              {"c", at(0x40000), WARPCC_F32, 2, c_shape, c_strides}};
};

std::string not_bound(const Given& given) {
  fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Call call;
  Error error = kernel->bind(given.tensors, call);
  CHECK(error.status == WARPCC_WRONG_TENSOR);
  return error.message;
}

}  // namespace

TEST_CASE("a kernel is loaded in the primary context, its memory zeroed, and all given back") {
  fake::State& machine = fake::begin();
  {
    std::unique_ptr<Kernel> kernel;
    REQUIRE(open(kernel).message.empty());
    CHECK(machine.retained == 1);
    CHECK(machine.contexts == 0);
    REQUIRE(machine.memory.size() == 1);
    CHECK(machine.memory[0].second == 256);
    const auto* kept = reinterpret_cast<const unsigned char*>(machine.memory[0].first);
    CHECK(std::all_of(kept, kept + 256, [](unsigned char byte) { return byte == 0; }));
    CHECK(kernel->resident_ctas() == 132);
  }
  CHECK(machine.memory.empty());
  CHECK(machine.modules == 0);
  CHECK(machine.retained == 0);
  CHECK(machine.contexts == 0);
}

TEST_CASE("a context that is current is used") {
  fake::begin().has_current = true;
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  CHECK(fake::state().count("primary_retain") == 0);
  kernel.reset();
  CHECK(fake::state().count("primary_release") == 0);
}

TEST_CASE("a GPU that cannot run the kernel is refused, with why") {
  fake::begin().major = 10;
  CHECK(refused(WARPCC_WRONG_DEVICE) ==
        "`gemm` was compiled for sm_90a (Hopper: H100, H200), which is compute capability 9.0; this GPU is Test GPU, "
        "10.0: compile a kernel for it");
  fake::begin().shared_bytes = 101376;
  CHECK(refused(WARPCC_WRONG_DEVICE) ==
        "`gemm` needs 200000 bytes of shared memory a CTA; Test GPU has 101376: compile it with fewer stages, or a "
        "smaller tile");
  fake::begin().clusters = 0;
  CHECK(refused(WARPCC_WRONG_DEVICE) == "not one cluster of 2 CTAs of `gemm` fits on Test GPU");
  fake::begin().clusters = 3;
  CHECK(refused(WARPCC_WRONG_DEVICE) ==
        "the CTAs of `gemm` wait for each other, so all 8 must be on the GPU at once; Test GPU holds 6: compile it for "
        "as many SMs as there are (-D sms=132)");
  fake::begin();
  CHECK(refused(WARPCC_BAD_FILE, replaced(gemm_manifest(), "sm_90a", "sm_70")) ==
        "the manifest's target `sm_70` is not known to this library");
  fake::begin().devices = 0;
  CHECK(refused(WARPCC_NO_DEVICE) == "the NVIDIA driver finds no GPU on this machine");
  fake::begin();
  int third = 3;
  CHECK(refused(WARPCC_NO_DEVICE, gemm_manifest(), &third) == "there is no GPU 3: this machine has 1, counted from 0");
}

TEST_CASE("without kept memory more CTAs than fit take turns") {
  fake::begin().clusters = 3;
  std::string manifest = replaced(gemm_manifest(), R"({"tensor": "raised", "element": "u32", "bytes": 256})", "");
  manifest = replaced(manifest, R"({"kind": "pointer", "name": "raised", "offset": 8, "size": 8},)", "");
  std::unique_ptr<Kernel> kernel;
  CHECK(open(kernel, manifest).message.empty());
  CHECK(kernel->resident_ctas() == 6);
}

TEST_CASE("a call of the driver that fails says what was being done, and leaves nothing behind") {
  struct Case {
    const char* call;
    const char* message;
  };
  const std::string why = " failed: CUDA_ERROR_OUT_OF_MEMORY, out of memory";
  for (const Case& each :
       {Case{"module_load", "loading the cubin"}, Case{"allocate", "taking 256 bytes for `raised`"},
        Case{"function_set", "asking for 200000 bytes of shared memory"}, Case{"fill8_async", "zeroing `raised`"},
        Case{"active_clusters", "cuOccupancyMaxActiveClusters"}}) {
    fake::begin().fails = each.call;
    CHECK(refused(WARPCC_DRIVER_FAILED) == each.message + why);
  }
  fake::begin().fails = "module_function";
  CHECK(refused(WARPCC_DRIVER_FAILED) == "finding `gemm` in the cubin" + why + ": is it the manifest's own cubin?");
}

TEST_CASE("what is no cubin is not given to the driver") {
  fake::begin();
  std::unique_ptr<Kernel> kernel;
  CHECK(Kernel::open(fake::driver(), "text", gemm_manifest(), nullptr, kernel).status == WARPCC_BAD_FILE);
  CHECK(fake::state().count("module_load") == 0);
}

TEST_CASE("a call: maps from the innermost dimension on, parameters in their places") {
  fake::State& machine = fake::begin();
  machine.parameter_count = 4;
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Given given;
  Call call;
  REQUIRE(kernel->bind(given.tensors, call).message.empty());
  REQUIRE(machine.encoded.size() == 2);
  const fake::Encoded& b = machine.encoded[1];
  CHECK(b.type == cuda::TensorMapType::f16);
  CHECK(b.address == 0x20000);
  CHECK(b.extents == std::vector<std::uint64_t>{64, 128});
  CHECK(b.strides == std::vector<std::uint64_t>{128});
  CHECK(b.box == std::vector<std::uint32_t>{32, 64});
  CHECK(b.swizzle == cuda::Swizzle::span64);

  auto* stream = reinterpret_cast<cuda::Stream>(0x77);
  REQUIRE(call.launch({stream, false}).message.empty());
  REQUIRE(machine.launches.size() == 1);
  const fake::Launched& launched = machine.launches[0];
  CHECK(launched.config.grid[0] == 4);
  CHECK(launched.config.grid[1] == 2);
  CHECK(launched.config.block[0] == 384);
  CHECK(launched.config.shared_bytes == 200000);
  CHECK(launched.config.stream == stream);
  REQUIRE(launched.attributes.size() == 1);
  CHECK(launched.attributes[0].id == cuda::LaunchAttributeId::cluster);
  CHECK(launched.attributes[0].cluster[0] == 2);
  CHECK(launched.attributes[0].cluster[2] == 1);
  std::uint64_t c = 0, raised = 0, map[2] = {};
  std::memcpy(&c, launched.parameters[0], 8);
  std::memcpy(&raised, launched.parameters[1], 8);
  std::memcpy(map, launched.parameters[3], 16);
  CHECK(c == 0x40000);
  CHECK(raised == machine.memory[0].first);
  CHECK(map[0] == 1);
  CHECK(map[1] == 0x20000);
  // A map's place is aligned as the hardware reads it.
  CHECK(reinterpret_cast<std::uintptr_t>(launched.parameters[2]) % 64 == 0);
  CHECK(machine.contexts == 0);
}

TEST_CASE("a launch only queues work: nothing of it breaks a graph's capture") {
  fake::State& machine = fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Given given;
  Call call;
  REQUIRE(!kernel->bind(given.tensors, call));
  machine.calls.clear();
  REQUIRE(!call.launch({}));
  CHECK(machine.calls == std::vector<std::string>{"push", "launch", "pop"});
}

TEST_CASE("dependent launch is an attribute, and only for kernels that wait") {
  fake::State& machine = fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Given given;
  Call call;
  REQUIRE(!kernel->bind(given.tensors, call));
  REQUIRE(!call.launch({nullptr, true}));
  REQUIRE(machine.launches[0].attributes.size() == 2);
  CHECK(machine.launches[0].attributes[1].id == cuda::LaunchAttributeId::programmatic_stream_serialization);
  CHECK(machine.launches[0].attributes[1].allowed == 1);

  REQUIRE(
      !open(kernel, replaced(gemm_manifest(), "\"waits_for_grid_before\": true", "\"waits_for_grid_before\": false")));
  REQUIRE(!kernel->bind(given.tensors, call));
  CHECK(call.launch({nullptr, true}).status == WARPCC_BAD_ARGUMENT);
  CHECK(call.launch({nullptr, false}).status == WARPCC_OK);
}

TEST_CASE("a launch that fails, a reset") {
  fake::State& machine = fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Given given;
  Call call;
  CHECK(call.launch({}).message == "the call is not bound to a kernel");
  REQUIRE(!kernel->bind(given.tensors, call));
  machine.fails = "launch";
  CHECK(call.launch({}).message == "launching `gemm` failed: CUDA_ERROR_OUT_OF_MEMORY, out of memory");
  machine.fails = "";
  std::memset(reinterpret_cast<void*>(machine.memory[0].first), 1, 256);
  CHECK(!kernel->reset(nullptr));
  CHECK(*reinterpret_cast<unsigned*>(machine.memory[0].first) == 0);
}

TEST_CASE("a part of a larger matrix: rows further apart, where only the copy engine reaches them") {
  fake::State& machine = fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Given given;
  given.a_strides[0] = 1000;
  given.tensors[2].data = at(0x1000000);
  Call call;
  REQUIRE(kernel->bind(given.tensors, call).message.empty());
  CHECK(machine.encoded[0].strides == std::vector<std::uint64_t>{2000});
}

TEST_CASE("tensors that do not fit are refused, with what was wanted and given") {
  Given given;
  SUBCASE("shape") {
    given.a_shape[1] = 128;
    CHECK(
        not_bound(given) ==
        "`a`: the kernel was compiled for the shape (256, 64), given is (256, 128): compile it for that (-D), or give "
        "a part of that shape");
  }
  SUBCASE("rank") {
    given.tensors[0].rank = 1;
    CHECK(not_bound(given).find("given is (256)") != std::string::npos);
  }
  SUBCASE("element") {
    given.tensors[0].element = WARPCC_BF16;
    CHECK(not_bound(given) == "`a`: the kernel was compiled for elements of f16, given are bf16");
  }
  SUBCASE("address") {
    given.tensors[1].data = at(0x20008);
    CHECK(not_bound(given) == "`b`: its address 0x20008 is not a multiple of 16 bytes");
  }
  SUBCASE("no address") {
    given.tensors[1].data = nullptr;
    CHECK(not_bound(given) == "`b`: its address is null");
  }
  SUBCASE("stride of the copy engine") {
    given.a_strides[0] = 68;
    CHECK(not_bound(given) ==
          "`a`: a stride of 68 elements is 136 bytes; the copy engine takes multiples of 16: pad the rows");
  }
  SUBCASE("rows that overlap") {
    given.a_strides[0] = 32;
    CHECK(not_bound(given) == "`a`: a stride of 32 elements is less than the 64 that lie between: parts of it overlap");
  }
  SUBCASE("transposed") {
    given.a_strides[0] = 1;
    given.a_strides[1] = 256;
    CHECK(not_bound(given) ==
          "`a`: elements of the last dimension must follow one another, given is a stride of 256: make it contiguous");
  }
  SUBCASE("negative") {
    given.a_strides[0] = -64;
    CHECK(not_bound(given) == "`a`: a stride of -64 elements cannot be");
  }
  SUBCASE("too far apart") {
    given.a_strides[0] = std::int64_t{1} << 40;
    CHECK(not_bound(given) == "`a`: the copy engine takes strides below 2^40 bytes");
  }
  SUBCASE("strides of what the kernel addresses itself") {
    given.c_strides[0] = 256;
    CHECK(not_bound(given) ==
          "`c`: the kernel computes its addresses for strides of (128, 1) elements, given are (256, 1): make it "
          "contiguous");
  }
  SUBCASE("a name that there is not") {
    given.tensors[0].name = "x";
    CHECK(not_bound(given) == "`gemm` has no tensor `x`; it has `a`, `b`, `c`");
  }
  SUBCASE("twice, and another not at all") {
    given.tensors[1].name = "a";
    CHECK(not_bound(given) == "`a`: it is given twice");
  }
  SUBCASE("the result over an operand") {
    given.tensors[2].data = at(0x10000 + 256 * 64 * 2 - 16);
    CHECK(not_bound(given) == "`c`: the kernel stores to it, and its memory is also `a`'s");
  }
  SUBCASE("the result just behind an operand fits") {
    fake::begin();
    std::unique_ptr<Kernel> kernel;
    REQUIRE(!open(kernel));
    given.tensors[2].data = at(0x20000 + 128 * 64 * 2);
    Call call;
    CHECK(kernel->bind(given.tensors, call).message.empty());
  }
}

TEST_CASE("a tensor that is not given") {
  fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(!open(kernel));
  Given given;
  Call call;
  CHECK(kernel->bind({given.tensors, 2}, call).message == "`c`: it is not given");
}

TEST_CASE("a map in other dimensions than its tensor's keeps the kernel's own strides") {
  std::string manifest = replaced(gemm_manifest(), R"("extents": [256, 64], "strides": [128, 2],
     "box": [128, 64])",
                                  R"("extents": [2, 256, 32], "strides": [64, 128, 2],
     "box": [1, 128, 32])");
  fake::State& machine = fake::begin();
  std::unique_ptr<Kernel> kernel;
  REQUIRE(open(kernel, manifest).message.empty());
  Given given;
  Call call;
  REQUIRE(kernel->bind(given.tensors, call).message.empty());
  CHECK(machine.encoded[0].strides == std::vector<std::uint64_t>{128, 64});
  given.a_strides[0] = 128;
  CHECK(kernel->bind(given.tensors, call).message ==
        "`a`: the kernel sees it in other dimensions and needs it dense: make it contiguous");
}
