// The C interface over Kernel and Call.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/warpcc.h"

using namespace warpcc::runtime;

struct warpcc_kernel {
  std::unique_ptr<Kernel> kernel;
};
struct warpcc_call {
  Call call;
};

namespace {

warpcc_status say(const Error& error, warpcc_error* to) {
  if (to != nullptr) {
    to->status = error.status;
    std::size_t length = std::min(error.message.size(), sizeof to->message - 1);
    std::memcpy(to->message, error.message.data(), length);
    to->message[length] = '\0';
  }
  return error.status;
}

warpcc_status say_bad_argument(const char* words, warpcc_error* to) {
  return say(failure(WARPCC_BAD_ARGUMENT, words), to);
}

// Nothing may leave a function of C but its status; without memory there is nothing else to say.
template <typename Work>
warpcc_status guarded(warpcc_error* to, Work&& work) {
  try {
    return say(work(), to);
  } catch (const std::bad_alloc&) {
    return say(failure(WARPCC_BAD_ARGUMENT, "no memory"), to);
  }
}

// The machine's driver, looked for once.
Error machine_driver(Driver& driver) {
  static std::once_flag once;
  static Driver found;
  static Error error;
  std::call_once(once, [] { error = find_driver(found); });
  driver = found;
  return error;
}

Error check_expected(std::string_view text, const warpcc_open_options* options) {
  if (options == nullptr || options->expect_manifest == nullptr || text == options->expect_manifest) return success();
  return failure(WARPCC_BAD_FILE,
                 "the cubin was compiled from another kernel, or with other parameters, than the header that opens it: "
                 "their manifests differ; make both anew by the same command");
}

Error open(std::string_view cubin, std::string_view manifest, const warpcc_open_options* options,
           warpcc_kernel** kernel) {
  if (Error error = check_expected(manifest, options)) return error;
  Driver driver;
  if (Error error = machine_driver(driver)) return error;
  auto made = std::make_unique<warpcc_kernel>();
  const int* device = options != nullptr && options->use_device ? &options->device : nullptr;
  if (Error error = Kernel::open(driver, cubin, manifest, device, made->kernel)) return error;
  *kernel = made.release();
  return success();
}

// A call of the driver in the kernel's context.
template <typename Call>
warpcc_status in_context(const warpcc_kernel* kernel, const char* what, warpcc_error* error, Call&& call) {
  if (kernel == nullptr) return say_bad_argument("a null pointer for the kernel", error);
  return guarded(error, [&]() -> Error {
    const Driver& driver = kernel->kernel->driver();
    Entered entered(driver, kernel->kernel->context());
    if (entered.error()) return entered.error();
    return check(driver, call(driver), what);
  });
}

cuda::Address address_of(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

Launch launch_of(const warpcc_launch_options* options) {
  if (options == nullptr) return {};
  return {static_cast<cuda::Stream>(options->stream), options->dependent != 0};
}

}  // namespace

warpcc_status warpcc_open(const char* cubin, const warpcc_open_options* options, warpcc_kernel** kernel,
                          warpcc_error* error) {
  if (cubin == nullptr || kernel == nullptr) return say_bad_argument("warpcc_open: a null pointer", error);
  *kernel = nullptr;
  return guarded(error, [&]() -> Error {
    std::string image, manifest;
    if (Error wrong = read_file(cubin, image)) return wrong;
    bool is_named = options != nullptr && options->manifest != nullptr;
    if (Error wrong = read_file(is_named ? options->manifest : manifest_beside(cubin), manifest)) return wrong;
    Error wrong = open(image, manifest, options, kernel);
    if (wrong.status == WARPCC_BAD_FILE) wrong.message = std::string(cubin) + ": " + wrong.message;
    return wrong;
  });
}

warpcc_status warpcc_open_memory(const void* cubin, size_t bytes, const char* manifest,
                                 const warpcc_open_options* options, warpcc_kernel** kernel, warpcc_error* error) {
  if (cubin == nullptr || manifest == nullptr || kernel == nullptr) {
    return say_bad_argument("warpcc_open_memory: a null pointer", error);
  }
  *kernel = nullptr;
  return guarded(error, [&] { return open({static_cast<const char*>(cubin), bytes}, manifest, options, kernel); });
}

void warpcc_close(warpcc_kernel* kernel) {
  delete kernel;
}

const char* warpcc_entry(const warpcc_kernel* kernel) {
  return kernel ? kernel->kernel->manifest().entry.c_str() : "";
}

size_t warpcc_tensor_count(const warpcc_kernel* kernel) {
  return kernel ? kernel->kernel->manifest().tensors.size() : 0;
}

warpcc_tensor_info warpcc_tensor_at(const warpcc_kernel* kernel, size_t index) {
  if (index >= warpcc_tensor_count(kernel)) return {};
  const Tensor& tensor = kernel->kernel->manifest().tensors[index];
  return {tensor.name.c_str(), tensor.element,        static_cast<int>(tensor.shape.size()),
          tensor.shape.data(), tensor.strides.data(), tensor.written ? 1 : 0};
}

warpcc_status warpcc_bind(warpcc_kernel* kernel, const warpcc_tensor* tensors, size_t count, warpcc_call** call,
                          warpcc_error* error) {
  if (kernel == nullptr || call == nullptr || (tensors == nullptr && count > 0)) {
    return say_bad_argument("warpcc_bind: a null pointer", error);
  }
  *call = nullptr;
  return guarded(error, [&]() -> Error {
    auto made = std::make_unique<warpcc_call>();
    if (Error wrong = kernel->kernel->bind({tensors, count}, made->call)) return wrong;
    *call = made.release();
    return success();
  });
}

void warpcc_drop(warpcc_call* call) {
  delete call;
}

warpcc_status warpcc_launch(const warpcc_call* call, const warpcc_launch_options* options, warpcc_error* error) {
  if (call == nullptr) return say_bad_argument("warpcc_launch: a null pointer", error);
  return guarded(error, [&] { return call->call.launch(launch_of(options)); });
}

warpcc_status warpcc_run(warpcc_kernel* kernel, const warpcc_tensor* tensors, size_t count,
                         const warpcc_launch_options* options, warpcc_error* error) {
  if (kernel == nullptr || (tensors == nullptr && count > 0)) {
    return say_bad_argument("warpcc_run: a null pointer", error);
  }
  return guarded(error, [&]() -> Error {
    Call call;
    if (Error wrong = kernel->kernel->bind({tensors, count}, call)) return wrong;
    return call.launch(launch_of(options));
  });
}

warpcc_status warpcc_reset(warpcc_kernel* kernel, warpcc_stream stream, warpcc_error* error) {
  if (kernel == nullptr) return say_bad_argument("warpcc_reset: a null pointer", error);
  return guarded(error, [&] { return kernel->kernel->reset(static_cast<cuda::Stream>(stream)); });
}

warpcc_status warpcc_allocate(const warpcc_kernel* kernel, size_t bytes, void** data, warpcc_error* error) {
  if (data == nullptr) return say_bad_argument("warpcc_allocate: a null pointer", error);
  cuda::Address address = 0;
  warpcc_status status = in_context(kernel, "taking memory", error,
                                    [&](const Driver& driver) { return driver.allocate(&address, bytes); });
  *data = reinterpret_cast<void*>(address);
  return status;
}

warpcc_status warpcc_free(const warpcc_kernel* kernel, void* data, warpcc_error* error) {
  return in_context(kernel, "giving memory back", error,
                    [&](const Driver& driver) { return driver.free(address_of(data)); });
}

warpcc_status warpcc_copy_in(const warpcc_kernel* kernel, void* to, const void* from, size_t bytes,
                             warpcc_error* error) {
  return in_context(kernel, "copying to the GPU", error,
                    [&](const Driver& driver) { return driver.copy_to_device(address_of(to), from, bytes); });
}

warpcc_status warpcc_copy_out(const warpcc_kernel* kernel, void* to, const void* from, size_t bytes,
                              warpcc_error* error) {
  return in_context(kernel, "copying from the GPU", error,
                    [&](const Driver& driver) { return driver.copy_to_host(to, address_of(from), bytes); });
}

warpcc_status warpcc_wait(const warpcc_kernel* kernel, warpcc_stream stream, warpcc_error* error) {
  return in_context(kernel, "waiting for the stream", error,
                    [&](const Driver& driver) { return driver.stream_synchronize(static_cast<cuda::Stream>(stream)); });
}
