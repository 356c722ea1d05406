#include "fake_driver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace fake {
namespace {

State* current = nullptr;
constexpr auto kContext = 0x1000;

cuda::Result call(const char* name) {
  current->calls.push_back(name);
  return current->fails == name ? current->failure : 0;
}

cuda::Result attribute(int* value, cuda::DeviceAttribute which, cuda::Device) {
  switch (which) {
    case cuda::kMajor:
      *value = current->major;
      break;
    case cuda::kMinor:
      *value = current->minor;
      break;
    case cuda::kMultiprocessors:
      *value = current->multiprocessors;
      break;
    case cuda::kSharedBytes:
      *value = current->shared_bytes;
      break;
  }
  return call("device_attribute");
}

cuda::Result encode(cuda::TensorMap* map, cuda::TensorMapType type, std::uint32_t rank, void* address,
                    const std::uint64_t* extents, const std::uint64_t* strides, const std::uint32_t* box,
                    const std::uint32_t*, int, cuda::Swizzle swizzle, cuda::Promotion, int) {
  Encoded encoded{type,
                  reinterpret_cast<std::uintptr_t>(address),
                  {extents, extents + rank},
                  {strides, strides + rank - 1},
                  {box, box + rank},
                  swizzle};
  // A map by its number and its address: a launch reads them there.
  std::uint64_t words[2] = {current->encoded.size(), encoded.address};
  std::memcpy(map, words, sizeof words);
  current->encoded.push_back(std::move(encoded));
  constexpr cuda::Result kInvalidContext = 201;
  return current->contexts > 0 ? call("encode_tiled") : kInvalidContext;
}

cuda::Result launch(const cuda::LaunchConfig* config, cuda::Function, void** parameters, void**) {
  Launched launched{*config, {config->attributes, config->attributes + config->attribute_count}, {}};
  launched.parameters.assign(parameters, parameters + current->parameter_count);
  current->launches.push_back(std::move(launched));
  cuda::Result result = call("launch");
  if (result == 0) current->kernel(parameters);
  return result;
}

}  // namespace

int State::count(const std::string& name) const {
  return static_cast<int>(std::count(calls.begin(), calls.end(), name));
}

State& state() {
  return *current;
}

State& begin() {
  static State state;
  state = State();
  current = &state;
  return state;
}

warpcc::runtime::Driver driver() {
  warpcc::runtime::Driver driver{};
  driver.init = [](unsigned) { return call("init"); };
  driver.get_error_name = [](cuda::Result, const char** name) -> cuda::Result {
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return 0;
  };
  driver.get_error_string = [](cuda::Result, const char** text) -> cuda::Result {
    *text = "out of memory";
    return 0;
  };
  driver.driver_version = [](int* version) -> cuda::Result {
    *version = 13000;
    return 0;
  };
  driver.device_count = [](int* count) {
    *count = current->devices;
    return call("device_count");
  };
  driver.device = [](cuda::Device* device, int ordinal) {
    *device = ordinal;
    return call("device");
  };
  driver.device_name = [](char* name, int bytes, cuda::Device) {
    std::strncpy(name, "Test GPU", static_cast<std::size_t>(bytes));
    return call("device_name");
  };
  driver.device_attribute = attribute;
  driver.primary_retain = [](cuda::Context* context, cuda::Device) {
    *context = reinterpret_cast<cuda::Context>(kContext);
    ++current->retained;
    return call("primary_retain");
  };
  driver.primary_release = [](cuda::Device) {
    --current->retained;
    return call("primary_release");
  };
  driver.current = [](cuda::Context* context) {
    *context = current->has_current ? reinterpret_cast<cuda::Context>(kContext) : nullptr;
    return call("current");
  };
  driver.current_device = [](cuda::Device* device) {
    *device = 0;
    return call("current_device");
  };
  driver.push = [](cuda::Context) {
    ++current->contexts;
    return call("push");
  };
  driver.pop = [](cuda::Context* context) {
    *context = nullptr;
    --current->contexts;
    return call("pop");
  };
  driver.module_load = [](cuda::Module* module, const void*) {
    *module = reinterpret_cast<cuda::Module>(0x2000);
    cuda::Result result = call("module_load");
    current->modules += result == 0 ? 1 : 0;
    return result;
  };
  driver.module_unload = [](cuda::Module) {
    --current->modules;
    return call("module_unload");
  };
  driver.module_function = [](cuda::Function*, cuda::Module, const char*) { return call("module_function"); };
  driver.function_set = [](cuda::Function, cuda::FunctionAttribute, int) { return call("function_set"); };
  driver.blocks_per_multiprocessor = [](int* blocks, cuda::Function, int, std::size_t) {
    *blocks = current->blocks;
    return call("blocks_per_multiprocessor");
  };
  driver.active_clusters = [](int* clusters, cuda::Function, const cuda::LaunchConfig*) {
    *clusters = current->clusters;
    return call("active_clusters");
  };
  driver.allocate = [](cuda::Address* address, std::size_t bytes) {
    cuda::Result result = call("allocate");
    if (result != 0) return result;
    *address = reinterpret_cast<std::uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
    std::memset(reinterpret_cast<void*>(*address), 0xab, bytes);
    current->memory.emplace_back(*address, bytes);
    return result;
  };
  driver.free = [](cuda::Address address) {
    std::erase_if(current->memory, [&](const auto& each) { return each.first == address; });
    std::free(reinterpret_cast<void*>(address));
    return call("free");
  };
  driver.copy_to_device = [](cuda::Address to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return call("copy_to_device");
  };
  driver.copy_to_host = [](void* to, cuda::Address from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return call("copy_to_host");
  };
  driver.fill32 = [](cuda::Address to, unsigned value, std::size_t words) {
    std::fill_n(reinterpret_cast<unsigned*>(to), words, value);
    return call("fill32");
  };
  driver.fill8_async = [](cuda::Address to, unsigned char value, std::size_t bytes, cuda::Stream) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return call("fill8_async");
  };
  driver.stream_synchronize = [](cuda::Stream) { return call("stream_synchronize"); };
  driver.context_synchronize = [] { return call("context_synchronize"); };
  driver.encode_tiled = encode;
  driver.launch = launch;
  return driver;
}

}  // namespace fake
