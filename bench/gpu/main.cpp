// gpu_bench [options] FILE.cubin …: cubins of C = A · Bᵀ against cuBLASLt on this machine's GPU (docs/measuring.md).
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure.h"
#include "results.h"
#include "runtime/files.h"
#include "scan.h"

namespace warpcc::bench {
namespace {

using runtime::Error;
using runtime::failure;
using runtime::Json;
using runtime::success;

constexpr char kUsage[] =
    "gpu_bench [--json FILE] [--again] [--check | --scan] [--no-isolated] [--no-graph] FILE.cubin ...\n\n"
    "  Times cubins of C = A * B^T, with their manifests beside them, against cuBLASLt.\n"
    "  --json FILE     results; cubins that FILE has of this machine already are not measured anew\n"
    "  --again         they are\n"
    "  --check         checks that the first and the last of 20 launches are exact, and times nothing\n"
    "  --scan          variants of a kernel: cubins of one product beside each other, by shorter runs\n"
    "  --no-isolated, --no-graph   leave out a way of timing\n";

struct Arguments {
  std::string json;
  bool again = false, check_only = false, scan = false, isolated = true, graph = true;
  std::vector<std::string> cubins;
};

Error read_arguments(int count, char** words, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word == "--json" && i + 1 < count) {
      arguments.json = words[++i];
    } else if (word == "--again") {
      arguments.again = true;
    } else if (word == "--check") {
      arguments.check_only = true;
    } else if (word == "--scan") {
      arguments.scan = true;
    } else if (word == "--no-isolated") {
      arguments.isolated = false;
    } else if (word == "--no-graph") {
      arguments.graph = false;
    } else if (word.starts_with("-")) {
      return failure(WARPCC_BAD_ARGUMENT, "no option `" + word + "`\n\n" + kUsage);
    } else {
      arguments.cubins.push_back(word);
    }
  }
  return arguments.cubins.empty() ? failure(WARPCC_BAD_ARGUMENT, kUsage) : success();
}

// Everything that all shapes share.
class Bench {
 public:
  Error open(const Arguments& arguments) {
    arguments_ = arguments;
    if (Error error = runtime::find_driver(driver_)) return error;
    runtime::cuda::Device device = 0;
    if (Error error = check(driver_.device(&device, 0), "cuDeviceGet")) return error;
    if (Error error = runtime::read_device(driver_, device, device_)) return error;
    if (Error error = check(driver_.primary_retain(&context_, device), "cuDevicePrimaryCtxRetain")) return error;
    if (Error error = check(driver_.push(context_), "cuCtxPushCurrent")) return error;
    if (Error error = cuda_.open(std::vector<std::string>{"libcuda.so.1"})) return error;
    cuda_.find("cuDevicePrimaryCtxReset_v2", reset_);
    if (Error error = cuda_.found()) return error;
    machine_ = {device_.name, device_.multiprocessors, 0, 0};
    driver_.driver_version(&machine_.driver);
    if (arguments_.check_only) return success();
    if (Error error = cublaslt_.open()) return error;
    machine_.cublaslt = cublaslt_.version();
    read_earlier();
    return timer_.open(driver_);
  }

  // Exit code.
  int run() {
    if (arguments_.check_only) return check_all();
    if (arguments_.scan) return scan_all();
    // Back to back first: once CUPTI is loaded its hooks are in every launch.
    for (const std::string& cubin : arguments_.cubins) {
      Row& row = rows_[cubin];
      if (Error error = visit(cubin, row, [&](Shape& shape) { return before_cupti(shape, row); })) say(cubin, error);
    }
    if (arguments_.isolated) {
      if (Error error = trace_.open()) return say("CUPTI", error), 2;
      for (const std::string& cubin : arguments_.cubins) {
        Row& row = rows_[cubin];
        if (!row.exact) continue;
        auto timed = [&](Shape& shape) -> Error {
          if (Error error = shape.find_algorithms(cublaslt_, row)) return error;
          if (Error error = shape.time_isolated(timer_, trace_, row)) return error;
          return shape.check_again(row);
        };
        if (Error error = visit(cubin, row, timed)) say(cubin, error);
      }
    }
    return finish();
  }

 private:
  Error check(int result, const char* what) { return runtime::check(driver_, result, what); }

  void say(const std::string& about, const Error& error) {
    std::fprintf(stderr, "gpu_bench: %s: %s\n", about.c_str(), error.message.c_str());
    failed_ = true;
  }

  void read_earlier() {
    std::string text;
    if (arguments_.json.empty() || arguments_.again || runtime::read_file(arguments_.json, text)) return;
    if (Error error = runtime::parse_json(text, earlier_)) say(arguments_.json, error);
  }

  // Opens a shape for one piece of work, unless it is known already.
  template <typename Work>
  Error visit(const std::string& cubin, Row& row, Work&& work) {
    if (known_.count(cubin) != 0) return success();
    Shape shape;
    if (Error error = shape.open(driver_, cubin, row)) return error;
    if (const Json* known = row_of(earlier_, machine_, row.hash)) {
      known_.emplace(cubin, *known);
      return success();
    }
    return work(shape);
  }

  Error before_cupti(Shape& shape, Row& row) {
    if (Error error = shape.check(row)) return error;
    std::fprintf(stderr, "%s: %s\n", row.cubin.c_str(), row.exact ? "exact" : row.wrong.c_str());
    if (!row.exact || !arguments_.graph) return success();
    if (Error error = shape.find_algorithms(cublaslt_, row)) return error;
    return shape.time_back_to_back(timer_, row);
  }

  int check_all() {
    int wrong = 0;
    for (const std::string& cubin : arguments_.cubins) {
      Row row;
      Error error;
      {
        Shape shape;
        error = shape.open(driver_, cubin, row);
        if (!error) error = shape.check(row);
      }
      if (error) row.wrong = error.message;
      wrong += row.exact ? 0 : 1;
      std::printf("%s: %lld x %lld x %lld %s: %s\n", cubin.c_str(), static_cast<long long>(row.product.m),
                  static_cast<long long>(row.product.n), static_cast<long long>(row.product.k), row.element.c_str(),
                  row.exact ? "exact, first launch and last of 20" : row.wrong.c_str());
      std::fflush(stdout);
      if (error && !renew_context()) break;
    }
    std::printf("%zu exact, %d not\n", arguments_.cubins.size() - static_cast<std::size_t>(wrong), wrong);
    return wrong == 0 ? 0 : 1;
  }

  int scan_all() {
    std::vector<std::unique_ptr<Scan>> scans;
    std::map<std::string, Scan*> of_product;
    for (const std::string& cubin : arguments_.cubins) {
      std::string product;
      if (Error error = product_name(cubin, product)) return say(cubin, error), 2;
      Scan*& scan = of_product[product];
      if (scan == nullptr) scan = scans.emplace_back(std::make_unique<Scan>()).get();
      if (Error error = scan->add(driver_, cubin)) return say(cubin, error), 2;
    }
    for (const auto& scan : scans) {
      Error error = scan->check(cublaslt_);
      if (!error && arguments_.graph) error = scan->time_back_to_back(timer_);
      if (error) return say("scan", error), 2;
    }
    if (arguments_.isolated) {
      if (Error error = trace_.open()) return say("CUPTI", error), 2;
    }
    for (const auto& scan : scans) {
      if (arguments_.isolated) {
        if (Error error = scan->time_isolated(timer_, trace_)) return say("scan", error), 2;
      }
      scan->print();
    }
    return 0;
  }

  static Error product_name(const std::string& cubin, std::string& name) {
    std::string text;
    runtime::Manifest manifest;
    if (Error error = runtime::read_file(runtime::manifest_beside(cubin), text)) return error;
    if (Error error = runtime::read_manifest(text, manifest)) return error;
    std::optional<trial::Product> product = trial::product_of(manifest);
    if (!product) return failure(WARPCC_BAD_FILE, "is no product of matrices with C in f32");
    name = std::to_string(product->m) + " " + std::to_string(product->n) + " " + std::to_string(product->k) + " " +
           std::string(runtime::element_name(manifest.tensors[product->a].element));
    return success();
  }

  // A kernel that broke off takes its context with it; the others are to be checked all the same.
  bool renew_context() {
    runtime::cuda::Context old = nullptr;
    driver_.pop(&old);
    reset_(device_.handle);
    driver_.primary_release(device_.handle);
    return !check(driver_.primary_retain(&context_, device_.handle), "cuDevicePrimaryCtxRetain") &&
           !check(driver_.push(context_), "cuCtxPushCurrent");
  }

  int finish() {
    std::vector<Json> rows;
    bool all_exact = true;
    for (const std::string& cubin : arguments_.cubins) {
      auto known = known_.find(cubin);
      rows.push_back(known != known_.end() ? known->second : to_json(rows_[cubin]));
      all_exact = all_exact && (known != known_.end() || rows_[cubin].exact);
    }
    print_table(machine_, rows);
    if (!known_.empty()) std::printf("%zu of them measured earlier: their cubins have not changed\n", known_.size());
    if (!arguments_.json.empty()) {
      std::string text = to_text(machine_, rows);
      std::FILE* file = std::fopen(arguments_.json.c_str(), "wb");
      bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
      if (file != nullptr) written = std::fclose(file) == 0 && written;
      if (!written) return say(arguments_.json, failure(WARPCC_BAD_FILE, "cannot be written")), 2;
    }
    return failed_ ? 2 : all_exact ? 0 : 1;
  }

  Arguments arguments_;
  Library cuda_;
  int (*reset_)(runtime::cuda::Device) = nullptr;
  runtime::Driver driver_{};
  runtime::Device device_;
  runtime::cuda::Context context_ = nullptr;
  Machine machine_;
  Cublaslt cublaslt_;
  Timer timer_;
  Trace trace_;
  Json earlier_;
  std::map<std::string, Row> rows_;
  std::map<std::string, Json> known_;
  bool failed_ = false;
};

}  // namespace
}  // namespace warpcc::bench

int main(int count, char** words) {
  using namespace warpcc::bench;
  Arguments arguments;
  Bench bench;
  warpcc::runtime::Error error = read_arguments(count, words, arguments);
  if (!error) error = bench.open(arguments);
  if (error) {
    std::fprintf(stderr, "gpu_bench: %s\n", error.message.c_str());
    return 2;
  }
  return bench.run();
}
