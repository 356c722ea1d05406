#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "../runtime/fake_driver.h"
#include "../runtime/manifests.h"
#include "checker/machine/input.h"
#include "trial/inputs.h"
#include "trial/product.h"
#include "trial/run.h"

using namespace warpcc;

namespace {

trial::Product product() {
  runtime::Manifest manifest;
  REQUIRE(!runtime::read_manifest(gemm_manifest(), manifest));
  return trial::product_of(manifest).value();
}

// C as it should be, multiplied out.
std::vector<float> multiplied(const trial::Product& p, std::uint64_t seed) {
  std::vector<float> c;
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      int sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        sum += trial::input(p.a, static_cast<std::uint64_t>(i * p.k + k), seed) *
               trial::input(p.b, static_cast<std::uint64_t>(j * p.k + k), seed);
      }
      c.push_back(static_cast<float>(sum));
    }
  }
  return c;
}

double half(std::uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double value = exponent == 0 ? 0 : std::ldexp(1.0 + (bits & 1023) / 1024.0, exponent - 15);
  return bits >> 15 ? -value : value;
}

// What the kernel of the manifest is for, done by the host: operands where the maps say, C where the parameter says.
void multiply(void** parameters) {
  std::uint64_t c = 0, a[2], b[2];
  std::memcpy(&c, parameters[0], 8);
  std::memcpy(a, parameters[2], 16);
  std::memcpy(b, parameters[3], 16);
  const auto *rows = reinterpret_cast<const std::uint16_t*>(a[1]),
             *columns = reinterpret_cast<const std::uint16_t*>(b[1]);
  for (int i = 0; i < 256; ++i) {
    for (int j = 0; j < 128; ++j) {
      double sum = 0;
      for (int k = 0; k < 64; ++k) sum += half(rows[i * 64 + k]) * half(columns[j * 64 + k]);
      reinterpret_cast<float*>(c)[i * 128 + j] = static_cast<float>(sum);
    }
  }
}

}  // namespace

TEST_CASE("inputs are the checker's, and others for another seed") {
  int different = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(trial::input(1, i, 0) == machine::input(1, i));
    int value = trial::input(1, i, 9);
    CHECK((value >= -3 && value <= 3));
    different += value != trial::input(1, i, 0) ? 1 : 0;
  }
  CHECK(different > 700);
}

TEST_CASE("inputs in every element type") {
  runtime::Tensor tensor;
  tensor.shape = {3, 5};
  for (warpcc_element element :
       {WARPCC_F16, WARPCC_BF16, WARPCC_F32, WARPCC_S8, WARPCC_S32, WARPCC_U64, WARPCC_F8E4M3, WARPCC_F8E5M2}) {
    CAPTURE(element);
    tensor.element = element;
    tensor.element_bytes = runtime::element_bytes(element);
    std::vector<std::byte> bytes = trial::make_input(tensor, 2, 0);
    REQUIRE(bytes.size() == 15u * static_cast<unsigned>(tensor.element_bytes));
    for (std::uint64_t i = 0; i < 15; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * static_cast<std::uint64_t>(tensor.element_bytes),
                  static_cast<std::size_t>(tensor.element_bytes));
      double value = 0;
      if (element == WARPCC_F16) value = half(static_cast<std::uint16_t>(bits));
      if (element == WARPCC_BF16) value = std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
      if (element == WARPCC_F32) value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (element == WARPCC_F8E5M2) value = half(static_cast<std::uint16_t>(bits << 8));
      // E4M3 has one bit of exponent less, and a bias of 7 in place of 15.
      if (element == WARPCC_F8E4M3)
        value = half(static_cast<std::uint16_t>((bits & 0x80) << 8 | (bits & 0x7f) << 7)) * 256;
      if (element == WARPCC_S8) value = static_cast<std::int8_t>(bits);
      if (element == WARPCC_S32) value = static_cast<std::int32_t>(bits);
      if (element == WARPCC_U64) value = static_cast<double>(static_cast<std::int64_t>(bits));
      CHECK(value == trial::input(2, i, 0));
    }
  }
}

TEST_CASE("which tensors are a product") {
  trial::Product p = product();
  CHECK(p.a == 0);
  CHECK(p.b == 1);
  CHECK(p.c == 2);
  CHECK(p.m == 256);
  CHECK(p.n == 128);
  CHECK(p.k == 64);
  for (const char* other : {"\"f32\", \"shape\": [256, 128]", "[128, 64], \"strides\": [64, 1], \"written\": false"}) {
    std::string text = gemm_manifest();
    std::string changed = std::string(other).find("f32") != std::string::npos
                              ? replaced(text, other, "\"f32\", \"shape\": [256, 64]")
                              : replaced(text, other, "[128, 64], \"strides\": [64, 1], \"written\": true");
    runtime::Manifest manifest;
    REQUIRE(!runtime::read_manifest(changed, manifest));
    CHECK(!trial::product_of(manifest));
  }
}

TEST_CASE("a product in integers, and in f16 while that holds it") {
  for (const char* element : {"s32", "f16", "bf16"}) {
    runtime::Manifest manifest;
    REQUIRE(!runtime::read_manifest(gemm_manifest(), manifest));
    manifest.tensors[2].element = element == std::string("s32")   ? WARPCC_S32
                                  : element == std::string("f16") ? WARPCC_F16
                                                                  : WARPCC_BF16;
    CHECK(trial::product_of(manifest).has_value() == (element != std::string("bf16")));
    manifest.tensors[0].shape[1] = manifest.tensors[1].shape[1] = 228;
    CHECK(trial::product_of(manifest).has_value() == (element == std::string("s32")));
  }
  const std::uint16_t halves[] = {0xc200, 0x3c00, 0x0001, 0x7c00, 0x67ff, 0xffff};
  std::vector<std::byte> bytes(sizeof halves);
  std::memcpy(bytes.data(), halves, sizeof halves);
  std::vector<float> numbers = trial::numbers(bytes, WARPCC_F16);
  REQUIRE(numbers.size() == 6);
  CHECK(numbers[0] == -3);
  CHECK(numbers[1] == 1);
  CHECK(numbers[2] == std::ldexp(1.0f, -24));
  CHECK(std::isinf(numbers[3]));
  CHECK(numbers[4] == 2047);
  CHECK(std::isnan(numbers[5]));
  const std::int32_t whole[] = {-9000, 1 << 24, std::numeric_limits<std::int32_t>::min()};
  bytes.resize(sizeof whole);
  std::memcpy(bytes.data(), whole, sizeof whole);
  numbers = trial::numbers(bytes, WARPCC_S32);
  CHECK(numbers == std::vector<float>{-9000, 16777216, -2147483648.0f});
}

TEST_CASE("the exact product passes; one wrong element, anywhere, does not") {
  trial::Product p = product();
  for (std::uint64_t seed : {0u, 5u}) {
    trial::ProductCheck check(p, seed);
    std::vector<float> c = multiplied(p, seed);
    trial::Verdict right = check.compare(c.data());
    CHECK(right.wrong_rows == 0);
    CHECK(right.compared == 256u * 128u);
    for (std::size_t at : {std::size_t{0}, std::size_t{127}, std::size_t{128 * 77 + 3}, c.size() - 1}) {
      for (float wrong : {c[at] + 1, c[at] - 0.5f, 1e30f, std::numeric_limits<float>::quiet_NaN(),
                          -std::numeric_limits<float>::infinity()}) {
        float before = std::exchange(c[at], wrong);
        trial::Verdict verdict = check.compare(c.data());
        CHECK(verdict.wrong_rows == 1);
        CHECK(verdict.row * 128 + verdict.column == static_cast<std::int64_t>(at));
        CHECK(verdict.wrong_in_row == 1);
        CHECK(static_cast<float>(verdict.wanted) == before);
        c[at] = before;
      }
    }
  }
}

TEST_CASE("two elements changed for each other, two rows changed for each other") {
  trial::Product p = product();
  trial::ProductCheck check(p, 0);
  std::vector<float> c = multiplied(p, 0);
  std::size_t other = 1;
  while (c[other] == c[0]) ++other;
  std::swap(c[0], c[other]);
  CHECK(check.compare(c.data()).wrong_in_row == 2);
  std::swap(c[0], c[other]);
  std::swap_ranges(c.begin(), c.begin() + 128, c.begin() + 128);
  CHECK(check.compare(c.data()).wrong_rows == 2);
}

TEST_CASE("a run: twenty launches, the first and the last compared, memory given back") {
  fake::State& machine = fake::begin();
  machine.kernel = multiply;
  {
    std::unique_ptr<runtime::Kernel> kernel;
    REQUIRE(!runtime::Kernel::open(fake::driver(), kCubin, gemm_manifest(), nullptr, kernel));
    trial::Report report;
    trial::Options options;
    options.launches = 4;
    options.seed = 3;
    REQUIRE(trial::run(*kernel, options, report).message.empty());
    CHECK(machine.launches.size() == 4);
    REQUIRE(report.product);
    CHECK(report.first.wrong_rows == 0);
    CHECK(report.last.wrong_rows == 0);
    CHECK(report.same);
  }
  CHECK(machine.memory.empty());
}

TEST_CASE("a run finds what only the last launch does wrong, and what it leaves out") {
  fake::State& machine = fake::begin();
  machine.kernel = [](void** parameters) {
    // The last stores nothing: what the ones before stored must not be taken for its own.
    if (fake::state().launches.size() < 20) multiply(parameters);
  };
  std::unique_ptr<runtime::Kernel> kernel;
  REQUIRE(!runtime::Kernel::open(fake::driver(), kCubin, gemm_manifest(), nullptr, kernel));
  trial::Report report;
  REQUIRE(!trial::run(*kernel, {}, report));
  CHECK(report.first.wrong_rows == 0);
  CHECK(report.last.wrong_rows == 256);
  CHECK(std::isnan(report.last.got));
  CHECK(!report.same);
}

TEST_CASE("a run whose launch fails, and one that lacks memory") {
  for (const char* call : {"launch", "context_synchronize", "copy_to_host", "copy_to_device", "fill32"}) {
    fake::State& machine = fake::begin();
    std::unique_ptr<runtime::Kernel> kernel;
    REQUIRE(!runtime::Kernel::open(fake::driver(), kCubin, gemm_manifest(), nullptr, kernel));
    machine.fails = call;
    trial::Report report;
    CHECK(trial::run(*kernel, {}, report).status == WARPCC_DRIVER_FAILED);
    kernel.reset();
    CHECK(machine.memory.empty());
  }
}
