// warpcc run FILE.cubin: a cubin on the GPU, on made inputs, against the exact product.
#include "trial/run.h"

#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/steps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "runtime/files.h"
#include "runtime/kernel.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"--launches", "N", "how often it is launched on the same memory (20); the first and the last are compared"},
    {"--seed", "S", "other inputs; those of `warpcc check --values`, where it is not said"},
    {"--manifest", "FILE", "the cubin's manifest; beside it with the ending .json, where it is not said"},
    {"--device", "N", "which GPU, counted from 0"},
    {"--dependent", "", "launches with programmatic stream serialisation"},
};

llvm::Error as_error(const runtime::Error& error) {
  return wrong(error.message);
}

struct Request {
  trial::Options options;
  std::optional<int> device;
  std::string cubin, manifest;  // their contents
};

llvm::Error read_request(const Invocation& invocation, Request& request) {
  llvm::Expected<std::uint64_t> launches = number_option(invocation, "--launches", 20, 1, 1000000);
  if (!launches) return launches.takeError();
  llvm::Expected<std::uint64_t> seed = number_option(invocation, "--seed", 0, 0, UINT64_MAX);
  if (!seed) return seed.takeError();
  llvm::Expected<std::uint64_t> device = number_option(invocation, "--device", 0, 0, 1023);
  if (!device) return device.takeError();
  request.options.launches = static_cast<int>(*launches);
  request.options.seed = *seed;
  request.options.dependent = invocation.has("--dependent");
  if (invocation.has("--device")) request.device = static_cast<int>(*device);
  if (llvm::StringRef(invocation.input).ends_with(".wk") || is_sass_text(invocation.input)) {
    return wrong(fmt::format("`warpcc run` takes a cubin; `warpcc {} -o FILE.cubin` makes one", invocation.input));
  }
  if (runtime::Error error = runtime::read_file(invocation.input, request.cubin)) return as_error(error);
  std::string manifest = invocation.value("--manifest").value_or(runtime::manifest_beside(invocation.input));
  if (runtime::Error error = runtime::read_file(manifest, request.manifest)) return as_error(error);
  return llvm::Error::success();
}

void print_geometry(const runtime::Kernel& kernel) {
  const runtime::Manifest& manifest = kernel.manifest();
  llvm::outs() << fmt::format(
      "{} on {}: {} CTAs of {} threads{}, {} fit at once: {:.2f} waves\n", manifest.entry, kernel.device().name,
      manifest.ctas(), manifest.block[0] * manifest.block[1] * manifest.block[2],
      manifest.cluster_ctas() > 1 ? fmt::format(" in clusters of {}", manifest.cluster_ctas()) : std::string(),
      kernel.resident_ctas(), static_cast<double>(manifest.ctas()) / static_cast<double>(kernel.resident_ctas()));
}

// Whether it is right.
bool print_verdict(const trial::Verdict& verdict, int launch, llvm::StringRef name) {
  if (verdict.wrong_rows == 0) {
    llvm::outs() << fmt::format("launch {}: all {} elements of {} exact\n", launch, verdict.compared, name.str());
    return true;
  }
  llvm::outs() << fmt::format(
      "launch {}: {}[{}, {}] is {}, the product {}; {} elements of that row and {} rows in all are wrong\n", launch,
      name.str(), verdict.row, verdict.column, verdict.got, verdict.wanted, verdict.wrong_in_row, verdict.wrong_rows);
  return false;
}

int print_report(const trial::Report& report, const runtime::Manifest& manifest, int launches) {
  if (!report.product) {
    llvm::outs() << fmt::format(
        "no reference: `run` knows C = A * B^T of matrices with C in f32, s32 or f16; launches 1 and {} stored {}\n",
        launches, report.same ? "the same" : "different bytes");
    return report.same ? kDone : kRefused;
  }
  const std::string& name = manifest.tensors[report.product->c].name;
  bool first = print_verdict(report.first, 1, name);
  bool last = launches == 1 || print_verdict(report.last, launches, name);
  return first && last ? kDone : kRefused;
}

int run_on_gpu(const Invocation& invocation) {
  Request request;
  if (llvm::Error error = read_request(invocation, request)) return cannot_run(std::move(error));
  runtime::Driver driver;
  if (runtime::Error error = runtime::find_driver(driver)) return cannot_run(as_error(error));
  std::unique_ptr<runtime::Kernel> kernel;
  const int* device = request.device ? &*request.device : nullptr;
  if (runtime::Error error = runtime::Kernel::open(driver, request.cubin, request.manifest, device, kernel)) {
    return cannot_run(as_error(error));
  }
  print_geometry(*kernel);
  trial::Report report;
  if (runtime::Error error = trial::run(*kernel, request.options, report)) return cannot_run(as_error(error));
  return print_report(report, kernel->manifest(), request.options.launches);
}

}  // namespace

constinit const Command run_command{
    "run",
    "warpcc run FILE.cubin [--launches 20] [--seed S] [options]",
    "runs a cubin on the GPU on made inputs and compares what it stores with the exact product",
    "a cubin",
    kOptions,
    "  warpcc kernels/gemm.wk -o gemm.cubin\n"
    "  warpcc run gemm.cubin\n"
    "  warpcc run gemm.cubin --launches 100 --seed 7\n",
    run_on_gpu,
};

}  // namespace warpcc::driver
