#include "runtime/kernel.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warpcc::runtime {
namespace {

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

std::size_t block_bytes(const Manifest& manifest) {
  std::size_t bytes = 0;
  for (const Parameter& parameter : manifest.parameters) bytes = std::max(bytes, parameter.offset + parameter.size);
  return bytes;
}

}  // namespace

Error Kernel::open(const Driver& driver, std::string_view cubin, std::string_view manifest, const int* device,
                   std::unique_ptr<Kernel>& kernel) {
  if (cubin.substr(0, kElf.size()) != kElf)
    return failure(WARPCC_BAD_FILE, "no cubin: it does not begin as an ELF file");
  std::unique_ptr<Kernel> made(new Kernel(driver));
  if (Error error = read_manifest(manifest, made->manifest_)) {
    error.message = "the manifest: " + error.message;
    return error;
  }
  if (Error error = made->enter_device(device)) return error;
  if (Error error = check_device(made->device_, made->manifest_)) return error;
  Entered entered(made->driver_, made->context_);
  if (entered.error()) return entered.error();
  if (Error error = made->load(cubin)) return error;
  if (Error error = made->take_memory()) return error;
  kernel = std::move(made);
  return success();
}

Error Kernel::enter_device(const int* ordinal) {
  cuda::Device handle = 0;
  if (Error error = check(driver_, driver_.current(&context_), "cuCtxGetCurrent")) return error;
  if (ordinal == nullptr && context_ != nullptr) {
    if (Error error = check(driver_, driver_.current_device(&handle), "cuCtxGetDevice")) return error;
    return read_device(driver_, handle, device_);
  }
  context_ = nullptr;
  int wanted = ordinal ? *ordinal : 0, count = 0;
  if (Error error = check(driver_, driver_.device_count(&count), "cuDeviceGetCount")) return error;
  if (count == 0) return failure(WARPCC_NO_DEVICE, "the NVIDIA driver finds no GPU on this machine");
  if (wanted < 0 || wanted >= count) {
    return failure(WARPCC_NO_DEVICE, "there is no GPU " + std::to_string(wanted) + ": this machine has " +
                                         std::to_string(count) + ", counted from 0");
  }
  if (Error error = check(driver_, driver_.device(&handle, wanted), "cuDeviceGet")) return error;
  if (Error error = read_device(driver_, handle, device_)) return error;
  if (Error error = check(driver_, driver_.primary_retain(&context_, handle), "cuDevicePrimaryCtxRetain")) return error;
  is_primary_ = true;
  return success();
}

Error Kernel::load(std::string_view cubin) {
  std::string image(cubin);  // the driver finds the end by itself; behind it is a zero
  if (Error error = check(driver_, driver_.module_load(&module_, image.data()), "loading the cubin")) {
    module_ = nullptr;
    return error;
  }
  cuda::Result result = driver_.module_function(&function_, module_, manifest_.entry.c_str());
  if (Error error = check(driver_, result, "finding `" + manifest_.entry + "` in the cubin")) {
    error.message += ": is it the manifest's own cubin?";
    return error;
  }
  result = driver_.function_set(function_, cuda::kDynamicSharedBytes, static_cast<int>(manifest_.shared_bytes));
  if (Error error =
          check(driver_, result, "asking for " + std::to_string(manifest_.shared_bytes) + " bytes of shared memory")) {
    return error;
  }
  if (Error error = runtime::resident_ctas(driver_, device_, function_, manifest_, resident_ctas_)) return error;
  return check_resident(device_, manifest_, resident_ctas_);
}

Error Kernel::take_memory() {
  for (const Kept& kept : manifest_.kept) {
    cuda::Address address = 0;
    std::string what = "taking " + std::to_string(kept.bytes) + " bytes for `" + kept.tensor + "`";
    if (Error error = check(driver_, driver_.allocate(&address, static_cast<std::size_t>(kept.bytes)), what)) {
      return error;
    }
    kept_.push_back(address);
  }
  if (kept_.empty()) return success();
  if (Error error = reset(nullptr)) return error;
  return check(driver_, driver_.stream_synchronize(nullptr), "zeroing the kernel's memory");
}

Error Kernel::reset(cuda::Stream stream) {
  Entered entered(driver_, context_);
  if (entered.error()) return entered.error();
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    auto bytes = static_cast<std::size_t>(manifest_.kept[i].bytes);
    cuda::Result result = driver_.fill8_async(kept_[i], 0, bytes, stream);
    if (Error error = check(driver_, result, "zeroing `" + manifest_.kept[i].tensor + "`")) return error;
  }
  return success();
}

Kernel::~Kernel() {
  if (context_ != nullptr) {
    Entered entered(driver_, context_);
    if (!entered.error()) {
      for (cuda::Address address : kept_) driver_.free(address);
      if (module_ != nullptr) driver_.module_unload(module_);
    }
  }
  if (is_primary_) driver_.primary_release(device_.handle);
}

Error Kernel::bind(std::span<const warpcc_tensor> tensors, Call& call) const {
  std::vector<Placed> placed;
  if (Error error = place_tensors(manifest_, tensors, placed)) return error;
  Entered entered(driver_, context_);  // encoding a tensor map needs a current context
  if (entered.error()) return entered.error();
  call.kernel_ = this;
  call.block_.assign(block_bytes(manifest_) / sizeof(cuda::TensorMap) + 1, {});
  call.parameters_.clear();
  auto* block = reinterpret_cast<std::byte*>(call.block_.data());
  for (const Parameter& parameter : manifest_.parameters) {
    std::byte* at = block + parameter.offset;
    call.parameters_.push_back(at);
    if (parameter.kind == Parameter::Kind::tensor_map) {
      cuda::TensorMap encoded;
      if (Error error = encode(driver_, manifest_, *manifest_.map_named(parameter.name), placed, encoded)) return error;
      std::memcpy(at, &encoded, sizeof encoded);
      continue;
    }
    const Kept* kept = manifest_.kept_named(parameter.name);
    const Tensor* tensor = manifest_.tensor_named(parameter.name);
    cuda::Address address = kept ? kept_[static_cast<std::size_t>(kept - manifest_.kept.data())]
                                 : placed[static_cast<std::size_t>(tensor - manifest_.tensors.data())].address;
    std::memcpy(at, &address, sizeof address);
  }
  return success();
}

Error Call::launch(const Launch& how) const {
  if (kernel_ == nullptr) return failure(WARPCC_BAD_ARGUMENT, "the call is not bound to a kernel");
  const Manifest& manifest = kernel_->manifest_;
  const Driver& driver = kernel_->driver_;
  if (how.dependent && !manifest.waits_for_grid_before) {
    return failure(WARPCC_BAD_ARGUMENT, "`" + manifest.entry +
                                            "` does not wait for the grid before it (`grid.wait;`): a dependent "
                                            "launch would let it read what is not written yet");
  }
  cuda::LaunchAttribute attributes[2] = {};
  cuda::LaunchConfig config{};
  for (std::size_t i = 0; i < 3; ++i) {
    config.grid[i] = manifest.grid[i];
    config.block[i] = manifest.block[i];
  }
  config.shared_bytes = manifest.shared_bytes;
  config.stream = how.stream;
  config.attributes = attributes;
  if (manifest.cluster_ctas() > 1) {
    cuda::LaunchAttribute& cluster = attributes[config.attribute_count++];
    cluster.id = cuda::LaunchAttributeId::cluster;
    for (std::size_t i = 0; i < 3; ++i) cluster.cluster[i] = manifest.cluster[i];
  }
  if (how.dependent) {
    cuda::LaunchAttribute& dependent = attributes[config.attribute_count++];
    dependent.id = cuda::LaunchAttributeId::programmatic_stream_serialization;
    dependent.allowed = 1;
  }
  Entered entered(driver, kernel_->context_);
  if (entered.error()) return entered.error();
  // The driver reads the parameters before it returns, and writes none.
  cuda::Result result = driver.launch(&config, kernel_->function_, const_cast<void**>(parameters_.data()), nullptr);
  return check(driver, result, "launching `" + manifest.entry + "`");
}

}  // namespace warpcc::runtime
