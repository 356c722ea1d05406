#include "standin/state.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "llvm/Support/raw_ostream.h"
#include "ptx_text/parse.h"
#include "standin/device.h"
#include "standin/fat_binary.h"
#include "standin/record.h"
#include "support/words.h"

namespace warpcc::standin {

State& State::get() {
  // Never destroyed: programs unregister their modules as they end, after everything else.
  static State* state = new State;
  return *state;
}

State::State() {
  if (const char* capability = std::getenv("WARPCC_DEVICE");
      capability != nullptr && std::strcmp(capability, "sm_90a") == 0)
    major_ = 9;
  options_.strict = std::getenv("WARPCC_STRICT") != nullptr;
  if (const char* seed = std::getenv("WARPCC_SEED")) options_.seed = std::strtoull(seed, nullptr, 10);
  std::atexit([] { State::get().report(); });
}

Binary* State::add_binary(const void* fat) {
  auto binary = std::make_unique<Binary>();
  binary->fat = fat;
  binaries_.push_back(std::move(binary));
  return binaries_.back().get();
}

Binary* State::load(const void* image) {
  Binary* binary = add_binary(image);
  binary->image = true;
  return read(*binary) ? binary : nullptr;
}

const void* State::kernel_of(Binary* binary, std::string_view name) {
  if (!read(*binary)) return nullptr;
  const ptx_text::Function* function = binary->module->entry(name);
  if (function == nullptr || function->name != name) return nullptr;
  const void* handle = &handles_[{binary, std::string(name)}];
  add_kernel(binary, handle, name);
  return handle;
}

std::pair<std::uint64_t, std::int64_t> State::variable_of(Binary* binary, std::string_view name) {
  if (!read(*binary)) return {0, 0};
  const ptx_text::Module& module = *binary->module;
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].name == name) return {device_.variable(module, i), module.variables[i].bytes};
  }
  return {0, 0};
}

void State::add_kernel(Binary* binary, const void* host, std::string_view name) {
  kernels_[host] = {binary, std::string(name), nullptr};
}

void State::add_variable(Binary* binary, const void* host, std::string_view name) {
  variables_[host] = {binary, std::string(name)};
}

void State::add_managed(Binary* binary, void** host, const void* symbol, std::string_view name) {
  add_variable(binary, symbol, name);
  managed_.push_back({binary, host, std::string(name)});
}

void State::place_managed(Binary* binary) {
  for (const Managed& each : managed_) {
    if (each.binary != binary || !read(*binary)) continue;
    const ptx_text::Module& module = *binary->module;
    for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
      if (module.variables[i].name != each.name) continue;
      void* place = allocate_for_both(*this, static_cast<std::size_t>(module.variables[i].bytes));
      if (place == nullptr) continue;
      device_.place_variable(module, i, reinterpret_cast<std::uint64_t>(place));
      *each.host = place;
    }
  }
  std::erase_if(managed_, [&](const Managed& each) { return each.binary == binary; });
}

Kernel* State::kernel(const void* host) {
  auto found = kernels_.find(host);
  return found == kernels_.end() ? nullptr : &found->second;
}

bool State::read(Binary& binary) {
  if (binary.read) return binary.module.has_value();
  binary.read = true;
  std::string why;
  std::optional<std::string> text =
      binary.image ? ptx_of_image(binary.fat, 10 * major_, why) : ptx_of(binary.fat, 10 * major_, why);
  if (!text) {
    said_ += "error: " + why + "\n";
    refused_ = true;
    return false;
  }
  binary.file = sources_.add("kernel.ptx", std::move(*text));
  // What the reader complains of must be seen: the text is put where it can be looked at.
  if (const char* keep = std::getenv("WARPCC_KEEP_PTX")) {
    std::error_code error;
    llvm::raw_fd_ostream out(keep, error);
    if (!error) out << llvm::StringRef(sources_.text(binary.file));
  }
  Diagnostics diagnostics;
  binary.module = ptx_text::parse(binary.file, sources_, diagnostics);
  llvm::raw_string_ostream out(said_);
  diagnostics.print(out, sources_);
  refused_ = refused_ || !binary.module;
  return binary.module.has_value();
}

const ptx_text::Function* State::function(Kernel& kernel) {
  if (kernel.function == nullptr && read(*kernel.binary)) kernel.function = kernel.binary->module->entry(kernel.name);
  return kernel.function;
}

std::uint64_t State::variable(const void* host) {
  auto found = variables_.find(host);
  if (found == variables_.end()) return 0;
  return variable_of(found->second.first, found->second.second).first;
}

int State::launch(const void* host, const Launch& launch) {
  Kernel* of = kernel(host);
  const ptx_text::Function* function = of == nullptr ? nullptr : this->function(*of);
  if (function == nullptr) return kInvalidDeviceFunction;
  if (status() != kSuccess) return status();
  place_managed(of->binary);
  checker::PtxLaunch run;
  run.module = &*of->binary->module;
  run.kernel = function;
  run.sources = &sources_;
  run.dependent = launch.dependent && launches_ > 0;
  run.cooperative = launch.cooperative;
  run.order = std::getenv("WARPCC_NO_ORDER") == nullptr;
  run.grid = launch.grid;
  run.block = launch.block;
  run.cluster = launch.cluster;
  run.dynamic_shared = static_cast<std::int64_t>(launch.shared);
  for (std::size_t i = 0; i < function->params.size(); ++i) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(function->params[i].bytes));
    if (launch.arguments != nullptr && launch.arguments[i] != nullptr)
      std::memcpy(bytes.data(), launch.arguments[i], bytes.size());
    run.params.push_back(std::move(bytes));
  }
  ++launches_;
  if (const char* folder = std::getenv("WARPCC_RECORD")) {
    if (llvm::Error error = record(folder, static_cast<unsigned>(launches_), run, device_.memory())) {
      said_ += "error: " + llvm::toString(std::move(error)) + "\n";
      refused_ = true;
    }
  }
  Diagnostics diagnostics;
  const auto begin = std::chrono::steady_clock::now();
  bool ran = device_.launch(run, options_, outcome_, diagnostics);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  llvm::raw_string_ostream out(said_);
  diagnostics.print(out, sources_);
  refused_ = refused_ || !ran;
  // A kernel that hangs ends the program on a GPU too.
  return ran && outcome_.hangs == 0 ? kSuccess : kLaunchFailure;
}

int State::status() const {
  switch (outcome_.aborted) {
    case checker::Outcome::Aborted::no:
      return kSuccess;
    case checker::Outcome::Aborted::trap:
      return kLaunchFailure;
    case checker::Outcome::Aborted::assertion:
      return kAssert;
  }
  return kSuccess;
}

int State::wait() {
  std::lock_guard<std::mutex> lock(mutex);
  return status();
}

void State::report() {
  std::lock_guard<std::mutex> lock(mutex);
  if (reported_) return;
  reported_ = true;
  std::string text = said_;
  {
    llvm::raw_string_ostream out(text);
    out << counted(launches_, "launch", "launches") << " on the machine; ";
    checker::print(outcome_, out, &sources_);
    if (seconds_ > 0)
      out << fmt::format("{:.1f} s on the machine, {:.1f} million instructions of warps a second\n", seconds_,
                         static_cast<double>(outcome_.instructions) / seconds_ / 1e6);
  }
  bool failed = refused_ || outcome_.failed();
  if (const char* path = std::getenv("WARPCC_REPORT")) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    if (!error) out << (failed ? "failed\n" : "passed\n") << text;
  } else {
    llvm::errs() << text;
  }
}

}  // namespace warpcc::standin
