#include "scan.h"

#include <algorithm>
#include <cstdio>

namespace warpcc::bench {
namespace {

using runtime::Error;
using runtime::success;

constexpr int kPasses = 4;              // forwards, backwards, and again
constexpr std::size_t kNeighbours = 3;  // variants between two runs of cuBLASLt

double least(const std::vector<double>& times) {
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

std::string without_folder(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Least, median, and how much longer cuBLASLt's median is.
void print_times(const std::vector<double>& times, const std::vector<double>& others) {
  double middle = median(times);
  if (middle == 0) {
    std::printf(" %28s", "-");
  } else {
    std::printf(" %9.2f %9.2f %+7.2f %%", least(times), middle, (median(others) / middle - 1) * 100);
  }
}

}  // namespace

Error Scan::add(const runtime::Driver& driver, const std::string& path) {
  auto variant = std::make_unique<Variant>();
  const Shape* alike = variants_.empty() ? nullptr : &variants_.front()->shape;
  if (Error error = variant->shape.open(driver, path, variant->row, alike)) return error;
  variants_.push_back(std::move(variant));
  return success();
}

Error Scan::check(const Cublaslt& library) {
  for (const auto& variant : variants_) {
    if (Error error = variant->shape.check(variant->row)) return error;
    if (!variant->row.exact) std::printf("%s: %s\n", variant->row.cubin.c_str(), variant->row.wrong.c_str());
  }
  return variants_.front()->shape.find_algorithms(library, variants_.front()->row);
}

Error Scan::in_turn(const Shape::Time& time, std::vector<double> Slots::* kept, bool dependent) {
  const Shape& first = variants_.front()->shape;
  std::vector<const Algorithm*> best;
  if (Error error = first.fastest(time, best)) return error;
  auto run_cublaslt = [&]() -> Error {
    double shortest = 0;
    for (const Algorithm* algorithm : best) {
      double microseconds = 0;
      if (Error error = time(first.arm(*algorithm), microseconds)) return error;
      shortest = shortest == 0 ? microseconds : std::min(shortest, microseconds);
    }
    (cublaslt_.*kept).push_back(shortest);
    return success();
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    if (Error error = run_cublaslt()) return error;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      Variant& variant = *variants_[pass % 2 == 0 ? i : variants_.size() - 1 - i];
      if (!variant.row.exact) continue;
      double microseconds = 0;
      if (Error error = time(variant.shape.arm(false), microseconds)) return error;
      (variant.row.warpcc.*kept).push_back(microseconds);
      if (dependent && variant.shape.waits_for_grid_before()) {
        if (Error error = time(variant.shape.arm(true), microseconds)) return error;
        variant.row.warpcc.dependent.push_back(microseconds);
      }
      if (i % kNeighbours != kNeighbours - 1) continue;
      if (Error error = run_cublaslt()) return error;
    }
  }
  return success();
}

Error Scan::time_back_to_back(const Timer& timer) {
  Counts counts = variants_.front()->shape.counts();
  auto time = [&](const Launch& launch, double& microseconds) {
    return timer.back_to_back(launch, counts.calls_in_graph, 5, microseconds);
  };
  return in_turn(time, &Slots::graph, true);
}

Error Scan::time_isolated(const Timer& timer, Trace& trace) {
  Counts counts = variants_.front()->shape.counts();
  auto time = [&](const Launch& launch, double& microseconds) -> Error {
    Isolated result;
    Error error = timer.isolated(launch, counts.warm_ups / 2, std::max(counts.calls / 4, 5), trace, result);
    microseconds = result.sum;
    return error;
  };
  return in_turn(time, &Slots::sum, false);
}

void Scan::print() const {
  std::vector<const Row*> rows;
  for (const auto& variant : variants_) rows.push_back(&variant->row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row* a, const Row* b) { return median(a->warpcc.sum) < median(b->warpcc.sum); });
  const trial::Product& shape = product();
  std::printf("\n%lld x %lld x %lld: least, median, ahead of cuBLASLt: isolated; back to back; dependent\n",
              static_cast<long long>(shape.m), static_cast<long long>(shape.n), static_cast<long long>(shape.k));
  auto line = [&](const std::string& name, const Slots& slots) {
    std::printf("%-44s", name.c_str());
    print_times(slots.sum, cublaslt_.sum);
    print_times(slots.graph, cublaslt_.graph);
    print_times(slots.dependent, cublaslt_.graph);
    std::printf("\n");
  };
  line("cuBLASLt", cublaslt_);
  for (const Row* row : rows) {
    if (row->exact) line(without_folder(row->cubin), row->warpcc);
  }
  std::fflush(stdout);
}

}  // namespace warpcc::bench
