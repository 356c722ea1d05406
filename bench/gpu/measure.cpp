#include "measure.h"

#include <algorithm>
#include <cstdio>

#include "runtime/files.h"
#include "trial/run.h"

namespace warpcc::bench {
namespace {

using runtime::check;
using runtime::Error;
using runtime::failure;
using runtime::success;

// Each arm four times in turn: as long as the GPU only grows warmer, neither has the better places. Before them each
// arm has a slot that is not counted: the first would meet a card that has rested while the results were checked.
enum class Arm { warpcc, cublaslt };
constexpr Arm kOrder[] = {Arm::warpcc, Arm::cublaslt, Arm::cublaslt, Arm::warpcc,
                          Arm::warpcc, Arm::cublaslt, Arm::cublaslt, Arm::warpcc};

// A slot is two runs of which the faster counts: for cuBLASLt of its two best algorithms, as which of them is faster
// changes with the clock; for warpcc of the one kernel, so that both arms have as long and as good a chance.
constexpr std::size_t kRuns = 2;

// FNV-1a: tells a cubin from another; nobody makes them alike on purpose.
std::string hash_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

double operations(const trial::Product& product) {
  return 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
}

std::string describe(const trial::Verdict& verdict) {
  if (verdict.wrong_rows == 0) return "";
  return "c[" + std::to_string(verdict.row) + ", " + std::to_string(verdict.column) + "] is " +
         std::to_string(verdict.got) + ", the product " + std::to_string(verdict.wanted) + "; " +
         std::to_string(verdict.wrong_rows) + " rows are wrong";
}

Geometry geometry_of(const std::vector<Activity>& activities) {
  Geometry geometry;
  geometry.kernels = activities.size();
  // The longest of a call's kernels is the one that multiplies.
  auto longest = std::max_element(activities.begin(), activities.end(), [](const Activity& a, const Activity& b) {
    return a.end - a.start < b.end - b.start;
  });
  if (longest == activities.end()) return geometry;
  geometry.kernel = longest->name;
  std::copy_n(longest->grid, 3, geometry.grid);
  geometry.cluster = longest->cluster[0] * longest->cluster[1] * longest->cluster[2];
  geometry.threads = longest->block[0] * longest->block[1] * longest->block[2];
  geometry.shared_bytes = longest->shared_bytes;
  geometry.registers = longest->registers;
  return geometry;
}

}  // namespace

struct Shape::Memory {
  explicit Memory(const runtime::Kernel& kernel) : given_back(kernel) {}
  trial::Memory given_back;
  trial::Tensors tensors;
  runtime::Call call;
  runtime::cuda::Address workspace = 0;
  std::vector<float> c;  // on the host
};

Error Shape::open(const runtime::Driver& driver, const std::string& path, Row& row, const Shape* alike) {
  row.cubin = path;
  if (Error error = runtime::read_file(path, cubin_)) return error;
  if (Error error = runtime::read_file(runtime::manifest_beside(path), manifest_)) return error;
  row.hash = hash_of(cubin_ + manifest_);
  if (Error error = runtime::Kernel::open(driver, cubin_, manifest_, nullptr, kernel_)) return error;
  std::optional<trial::Product> product = trial::product_of(kernel_->manifest());
  bool floats = product && kernel_->manifest().tensors[product->c].element == WARPCC_F32;
  if (!floats) return failure(WARPCC_BAD_FILE, "`" + path + "` is no product of matrices with C in f32");
  product_ = row.product = *product;
  row.element = runtime::element_name(kernel_->manifest().tensors[product_.a].element);
  memory_ = std::make_shared<Memory>(*kernel_);
  if (alike != nullptr) {
    memory_->tensors = alike->memory_->tensors;
    memory_->c.resize(alike->memory_->c.size());
    check_ = alike->check_;
    return kernel_->bind(memory_->tensors.given, memory_->call);
  }
  if (Error error = trial::make_tensors(*kernel_, 0, memory_->given_back, memory_->tensors)) return error;
  memory_->c.resize(static_cast<std::size_t>(product_.m * product_.n));
  check_ = std::make_shared<const trial::ProductCheck>(product_, 0);
  return kernel_->bind(memory_->tensors.given, memory_->call);
}

Error Shape::compare(trial::Verdict& verdict) const {
  const runtime::Driver& driver = kernel_->driver();
  if (Error error = runtime::check(driver, driver.context_synchronize(), "a call")) return error;
  std::vector<float>& c = memory_->c;
  auto result = driver.copy_to_host(c.data(), memory_->tensors.addresses[product_.c], c.size() * sizeof(float));
  if (Error error = runtime::check(driver, result, "reading C")) return error;
  verdict = check_->compare(c.data());
  return success();
}

Error Shape::check(Row& row) const {
  constexpr int kLaunches = 20;
  for (int last : {1, kLaunches - 1}) {
    for (int i = 0; i < last; ++i) {
      if (i == last - 1) {
        if (Error error = trial::poison(*kernel_, memory_->tensors)) return error;
      }
      if (Error error = memory_->call.launch({})) return error;
    }
    trial::Verdict verdict;
    if (Error error = compare(verdict)) return error;
    row.exact = verdict.wrong_rows == 0;
    row.wrong = describe(verdict);
    if (!row.exact) return success();
  }
  return success();
}

Error Shape::check_again(Row& row) const {
  if (Error error = trial::poison(*kernel_, memory_->tensors)) return error;
  if (Error error = memory_->call.launch({})) return error;
  trial::Verdict verdict;
  if (Error error = compare(verdict)) return error;
  row.exact = row.exact && verdict.wrong_rows == 0;
  if (row.wrong.empty()) row.wrong = describe(verdict);
  return success();
}

Error Shape::launch_algorithm(const Algorithm& algorithm, runtime::cuda::Stream stream) const {
  const std::vector<runtime::cuda::Address>& at = memory_->tensors.addresses;
  return matmul_.launch(algorithm, {at[product_.a], at[product_.b], at[product_.c]}, memory_->workspace, stream);
}

Error Shape::find_algorithms(const Cublaslt& library, Row& row) {
  warpcc_element element = kernel_->manifest().tensors[product_.a].element;
  if (Error error = library.prepare(product_, element, matmul_)) return error;
  if (Error error = memory_->given_back.take(Cublaslt::kMostWorkspace, memory_->workspace)) return error;
  for (const Algorithm& algorithm : matmul_.algorithms()) {
    if (Error error = trial::poison(*kernel_, memory_->tensors)) return error;
    // One that cannot run here is no failure of the comparison.
    if (launch_algorithm(algorithm, nullptr)) continue;
    trial::Verdict verdict;
    if (Error error = compare(verdict)) return error;
    if (verdict.wrong_rows == 0) exact_.push_back(algorithm);
  }
  row.algorithms = static_cast<int>(matmul_.algorithms().size());
  row.exact_algorithms = static_cast<int>(exact_.size());
  return exact_.empty() ? failure(WARPCC_DRIVER_FAILED, "no algorithm of cuBLASLt's is exact") : success();
}

Launch Shape::arm(bool dependent) const {
  return [this, dependent](runtime::cuda::Stream stream) { return memory_->call.launch({stream, dependent}); };
}

Launch Shape::arm(const Algorithm& algorithm) const {
  return [this, &algorithm](runtime::cuda::Stream stream) { return launch_algorithm(algorithm, stream); };
}

Counts Shape::counts() const {
  return counts_for(operations(product_));
}

Error Shape::fastest(const Time& time, std::vector<const Algorithm*>& best) const {
  std::vector<std::pair<double, const Algorithm*>> timed;
  for (const Algorithm& algorithm : exact_) {
    double microseconds = 0;
    if (Error error = time(arm(algorithm), microseconds)) return error;
    timed.emplace_back(microseconds, &algorithm);
  }
  std::sort(timed.begin(), timed.end());
  for (std::size_t i = 0; i < kRuns; ++i) best.push_back(timed[std::min(i, timed.size() - 1)].second);
  return success();
}

Error Shape::time_back_to_back(const Timer& timer, Row& row) const {
  Counts counts = this->counts();
  std::vector<const Algorithm*> best;
  auto shortly = [&](const Launch& launch, double& time) {
    return timer.back_to_back(launch, counts.calls_in_graph, 3, time);
  };
  if (Error error = fastest(shortly, best)) return error;
  auto slot = [&](auto&& launch_of, std::vector<double>& times) -> Error {
    double least = 0;
    for (std::size_t i = 0; i < kRuns; ++i) {
      double time = 0;
      if (Error error = timer.back_to_back(launch_of(i), counts.calls_in_graph, counts.replays, time)) return error;
      least = i == 0 ? time : std::min(least, time);
    }
    times.push_back(least);
    return success();
  };
  bool waits = waits_for_grid_before();
  std::vector<double> not_counted;
  if (Error error = slot([&](std::size_t) { return arm(false); }, not_counted)) return error;
  if (Error error = slot([&](std::size_t i) { return arm(*best[i]); }, not_counted)) return error;
  for (Arm which : kOrder) {
    if (which == Arm::cublaslt) {
      if (Error error = slot([&](std::size_t i) { return arm(*best[i]); }, row.cublaslt.graph)) return error;
      continue;
    }
    if (Error error = slot([&](std::size_t) { return arm(false); }, row.warpcc.graph)) return error;
    if (!waits) continue;
    if (Error error = slot([&](std::size_t) { return arm(true); }, row.warpcc.dependent)) return error;
  }
  return success();
}

Error Shape::time_isolated(const Timer& timer, Trace& trace, Row& row) const {
  Counts counts = this->counts();
  std::vector<const Algorithm*> best;
  auto shortly = [&](const Launch& launch, double& time) -> Error {
    Isolated result;
    Error error = timer.isolated(launch, counts.warm_ups / 2, std::max(counts.calls / 4, 5), trace, result);
    time = result.sum;
    return error;
  };
  if (Error error = fastest(shortly, best)) return error;
  Isolated not_counted;
  for (const Launch& launch : {arm(false), arm(false), arm(*best[0]), arm(*best[1])}) {
    Error error = timer.isolated(launch, counts.warm_ups, counts.calls, trace, not_counted);
    if (error) return error;
  }
  double least_of_all = 0;
  for (Arm which : kOrder) {
    Isolated least;
    for (std::size_t i = 0; i < kRuns; ++i) {
      Isolated result;
      Launch launch = which == Arm::warpcc ? arm(false) : arm(*best[i]);
      if (Error error = timer.isolated(launch, counts.warm_ups, counts.calls, trace, result)) return error;
      if (i == 0 || result.sum < least.sum) least = result;
      if (which == Arm::cublaslt && (least_of_all == 0 || result.sum < least_of_all)) {
        least_of_all = result.sum;
        row.algorithm = best[i]->configuration;
        row.cublaslt_geometry = geometry_of(result.activities);
      }
    }
    Slots& slots = which == Arm::warpcc ? row.warpcc : row.cublaslt;
    slots.sum.push_back(least.sum);
    slots.span.push_back(least.span);
    if (which == Arm::warpcc) row.geometry = geometry_of(least.activities);
  }
  const runtime::Manifest& manifest = kernel_->manifest();
  row.geometry.waves = static_cast<double>(manifest.ctas()) / static_cast<double>(kernel_->resident_ctas());
  // cuBLASLt's kernels are persistent or fill shared memory: one CTA an SM.
  const Geometry& other = row.cublaslt_geometry;
  row.cublaslt_geometry.waves =
      static_cast<double>(other.grid[0]) * other.grid[1] * other.grid[2] / kernel_->device().multiprocessors;
  return success();
}

}  // namespace warpcc::bench
