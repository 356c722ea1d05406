// The C interface, as far as it goes without a GPU.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "manifests.h"
#include "runtime/files.h"
#include "runtime/warpcc.h"

TEST_CASE("C: null pointers are errors") {
  warpcc_error error;
  warpcc_kernel* kernel = nullptr;
  CHECK(warpcc_open(nullptr, nullptr, &kernel, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(std::string(error.message) == "warpcc_open: a null pointer");
  CHECK(warpcc_open("x", nullptr, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_open_memory(nullptr, 0, "", nullptr, &kernel, nullptr) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_bind(nullptr, nullptr, 0, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_launch(nullptr, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_run(nullptr, nullptr, 0, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_reset(nullptr, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  warpcc_close(nullptr);
  warpcc_drop(nullptr);
  CHECK(warpcc_tensor_count(nullptr) == 0);
  CHECK(warpcc_tensor_at(nullptr, 0).name == nullptr);
  CHECK(std::string(warpcc_entry(nullptr)).empty());
}

TEST_CASE("C: a file that is not there") {
  warpcc_error error;
  warpcc_kernel* kernel = nullptr;
  CHECK(warpcc_open("/nowhere/gemm.cubin", nullptr, &kernel, &error) == WARPCC_BAD_FILE);
  CHECK(error.status == WARPCC_BAD_FILE);
  CHECK(std::string(error.message) == "`/nowhere/gemm.cubin` cannot be read: No such file or directory");
}

TEST_CASE("C: a manifest that is not the one expected is refused before anything is loaded") {
  warpcc_error error;
  warpcc_kernel* kernel = nullptr;
  warpcc_open_options options = {};
  options.expect_manifest = "{}";
  CHECK(warpcc_open_memory(kCubin, sizeof kCubin, gemm_manifest().c_str(), &options, &kernel, &error) ==
        WARPCC_BAD_FILE);
  CHECK(std::string(error.message).find("their manifests differ; make both anew") != std::string::npos);
}

TEST_CASE("the manifest is beside its cubin") {
  using warpcc::runtime::manifest_beside;
  CHECK(manifest_beside("gemm.cubin") == "gemm.json");
  CHECK(manifest_beside("a.b/gemm") == "a.b/gemm.json");
  CHECK(manifest_beside("a/gemm.1.cubin") == "a/gemm.1.json");
}

TEST_CASE("C: memory of no kernel") {
  warpcc_error error;
  void* data = nullptr;
  CHECK(warpcc_allocate(nullptr, 16, &data, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_allocate(nullptr, 16, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_free(nullptr, nullptr, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_copy_in(nullptr, nullptr, nullptr, 0, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_copy_out(nullptr, nullptr, nullptr, 0, &error) == WARPCC_BAD_ARGUMENT);
  CHECK(warpcc_wait(nullptr, nullptr, &error) == WARPCC_BAD_ARGUMENT);
}
