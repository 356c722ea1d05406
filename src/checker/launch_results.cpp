// What a launch has left, against what was to come of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "checker/launch_file.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker {

namespace {

void tell(Outcome& outcome, std::string text) {
  Finding finding;
  finding.kind = Finding::Kind::values;
  finding.text = std::move(text);
  outcome.findings.push_back(std::move(finding));
}

}  // namespace

// Element `at` of the bytes of a buffer.
float LaunchFile::element(const Buffer& buffer, const std::uint8_t* bytes, std::int64_t at) {
  const int size = layout::bytes(buffer.element);
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes + at * size, static_cast<std::size_t>(std::min(size, 4)));
  return machine::to_float(bits, buffer.element);
}

// Against the plain product, in double precision: exact for integers.
void LaunchFile::compare_with_product(Device& device, const std::vector<std::uint64_t>& addresses,
                                      Outcome& outcome) const {
  const Product& product = *product_;
  auto value = [&](int of, std::int64_t at) {
    const Buffer& buffer = buffers_[static_cast<std::size_t>(of)];
    const std::int64_t size = buffer.elements * layout::bytes(buffer.element);
    return element(buffer, device.memory().bytes(addresses[static_cast<std::size_t>(of)], size).data(), at);
  };
  auto matrix = [&](int of, std::int64_t rows, std::int64_t columns, bool turned) {
    std::vector<float> result(static_cast<std::size_t>(rows * columns));
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column)
        result[static_cast<std::size_t>(row * columns + column)] =
            value(of, turned ? column * rows + row : row * columns + column);
    }
    return result;
  };
  std::vector<float> a = matrix(product.a, product.m, product.k, product.a_mn_major);
  std::vector<float> b = matrix(product.b, product.n, product.k, product.b_mn_major);
  std::vector<float> c = matrix(product.c, product.m, product.n, product.c_column_major);
  const layout::Element type = buffers_[static_cast<std::size_t>(product.c)].element;
  std::string first;
  for (std::int64_t row = 0; row < product.m; ++row) {
    for (std::int64_t column = 0; column < product.n; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < product.k; ++i)
        sum += static_cast<double>(a[static_cast<std::size_t>(row * product.k + i)]) *
               static_cast<double>(b[static_cast<std::size_t>(column * product.k + i)]);
      float wanted = static_cast<float>(sum);
      if (type == layout::Element::f16) wanted = machine::f16_to_float(machine::float_to_f16(wanted));
      if (type == layout::Element::bf16) wanted = machine::to_float(machine::float_to_bf16(wanted), type);
      float got = c[static_cast<std::size_t>(row * product.n + column)];
      ++outcome.values_compared;
      if (got == wanted) continue;
      if (outcome.values_wrong++ == 0)
        first = fmt::format("C[{}, {}] is {}, and should be {}", row, column, got, wanted);
    }
  }
  if (outcome.values_wrong > 0)
    tell(outcome, fmt::format("{} of {} elements of C are wrong; the first, {}", outcome.values_wrong,
                              outcome.values_compared, first));
}

llvm::Error LaunchFile::compare_with_wanted(Device& device, const std::vector<std::uint64_t>& addresses,
                                            Outcome& outcome) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (!buffer.wanted) continue;
    llvm::Expected<std::string> wanted = file_beside(buffer.wanted->file);
    if (!wanted) return wanted.takeError();
    const int width = layout::bytes(buffer.element);
    const std::int64_t size = buffer.elements * width;
    if (static_cast<std::int64_t>(wanted->size()) != size)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "`%s` has %zu bytes, the buffer `%s` %lld",
                                     buffer.wanted->file.c_str(), wanted->size(), buffer.name.c_str(),
                                     static_cast<long long>(size));
    const auto* should = reinterpret_cast<const std::uint8_t*>(wanted->data());
    const std::uint8_t* is = device.memory().bytes(addresses[i], size).data();
    std::uint64_t differ = 0;
    std::string first;
    for (std::int64_t at = 0; at < buffer.elements; ++at) {
      ++outcome.values_compared;
      if (std::memcmp(is + at * width, should + at * width, static_cast<std::size_t>(width)) == 0) continue;
      const double got = element(buffer, is, at), want = element(buffer, should, at);
      const bool same = width <= 4 && (got == want || (std::isnan(got) && std::isnan(want)) ||
                                       std::fabs(got - want) <= buffer.wanted->within * std::max(1.0, std::fabs(want)));
      if (same) continue;
      if (differ++ == 0) first = fmt::format("{}[{}] is {}, and should be {}", buffer.name, at, got, want);
    }
    outcome.values_wrong += differ;
    if (differ > 0)
      tell(outcome, fmt::format("{} of {} elements of {} are wrong; the first, {}", differ, buffer.elements,
                                buffer.name, first));
  }
  return llvm::Error::success();
}

}  // namespace warpcc::checker
