#include "runtime/manifest.h"

#include <doctest/doctest.h>

#include "manifests.h"

using namespace warpcc::runtime;

namespace {

std::string refused(const std::string& text) {
  Manifest manifest;
  Error error = read_manifest(text, manifest);
  CHECK(error.status == WARPCC_BAD_FILE);
  return error.message;
}

}  // namespace

TEST_CASE("a manifest as it is written") {
  Manifest manifest;
  Error error = read_manifest(gemm_manifest(), manifest);
  REQUIRE(error.message.empty());
  CHECK(manifest.entry == "gemm");
  CHECK(manifest.ctas() == 8);
  CHECK(manifest.cluster_ctas() == 2);
  CHECK(manifest.waits_for_grid_before);
  REQUIRE(manifest.tensors.size() == 3);
  CHECK(manifest.tensors[0].by_map);
  CHECK(!manifest.tensors[0].by_pointer);
  CHECK(manifest.tensors[2].by_pointer);
  CHECK(manifest.tensors[2].written);
  CHECK(manifest.tensors[2].element_bytes == 4);
  CHECK(manifest.map_named("b")->box == std::vector<std::int64_t>{64, 32});
  CHECK(manifest.kept_named("raised")->bytes == 256);
}

TEST_CASE("what is wrong in a manifest is said by its key") {
  std::string whole = gemm_manifest();
  CHECK(refused("[]") == "no manifest: wanted is an object");
  CHECK(refused(replaced(whole, "\"entry\": \"gemm\",", "")) == "`entry` is missing or wrong: wanted is such a member");
  CHECK(refused(replaced(whole, "[4, 2, 1]", "[4, 2]")) == "`grid` is missing or wrong: wanted is three numbers");
  CHECK(refused(replaced(whole, "[4, 2, 1]", "[3, 2, 1]")) == "`grid` is not whole clusters");
  CHECK(refused(replaced(whole, "[384, 1, 1]", "[384, 4, 1]")) == "`block` has more than 1024 threads");
  CHECK(refused(replaced(whole, "200000", "1.5")) ==
        "`shared_bytes` is missing or wrong: wanted is whole numbers from 0 to 1048576");
  CHECK(refused(replaced(whole, "\"size\": 128", "\"size\": 64")) ==
        "`parameters[2].size` is missing or wrong: wanted is 128");
  CHECK(refused(replaced(whole, "\"kind\": \"pointer\"", "\"kind\": \"number\"")) ==
        "`parameters[0].kind` is missing or wrong: wanted is `pointer` or `tensor_map`");
  CHECK(refused(replaced(whole, "\"element\": \"f16\"", "\"element\": \"f17\"")) ==
        "`tensors[0].element` is missing or wrong: wanted is an element type, as \"f16\"");
  CHECK(refused(replaced(whole, "\"box\": [128, 64]", "\"box\": [257, 64]")) ==
        "`tensor_maps[0].box` is missing or wrong: wanted is whole numbers from 1 to 256");
  CHECK(refused(replaced(whole, "\"box\": [128, 64]", "\"box\": [128, 12]")) ==
        "`tensor_maps[0].box` is missing or wrong: wanted is an innermost extent of a multiple of 16 bytes");
  CHECK(refused(replaced(whole, "\"box\": [64, 32]", "\"box\": [64, 64]")) ==
        "`tensor_maps[1].box` is missing or wrong: wanted is an innermost extent of at most the swizzle's span");
  CHECK(refused(replaced(whole, "\"swizzle\": 64", "\"swizzle\": 48")) ==
        "`tensor_maps[1].swizzle` is missing or wrong: wanted is 0, 32, 64 or 128");
  CHECK(refused(replaced(whole, "\"tensor\": \"a\"", "\"tensor\": \"z\"")) ==
        "`tensor_maps` shows `z`, which is none of `tensors`");
  CHECK(refused(replaced(whole, "\"pointer\", \"name\": \"c\"", "\"pointer\", \"name\": \"z\"")) ==
        "the parameter `z` is none of `tensors` and `kept`");
  CHECK(refused(replaced(whole, "\"tensor_map\", \"name\": \"a\"", "\"tensor_map\", \"name\": \"c\"")) ==
        "the parameter `c` is none of `tensor_maps`");
  CHECK(refused(replaced(whole, "\"tensor\": \"b\", \"element\": \"f16\", \"element_bytes\": 2",
                         "\"tensor\": \"b\", \"element\": \"f16\", \"element_bytes\": 4")) ==
        "`tensor_maps[1].box` is missing or wrong: wanted is an innermost extent of at most the swizzle's span");
}
