#include "checker/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checker/interp/ptx/executor.h"
#include "support/words.h"

namespace warpcc::checker {

namespace {

constexpr std::int64_t kMostMemory = std::int64_t{16} << 30;
constexpr std::uint32_t kMagic = 0x70616d77;  // the first bytes of a map, before its fields

constexpr std::int64_t kMostShared = 232448;  // bytes of a CTA (CUDA programming guide, compute capability 9.0, 10.0)

constexpr Message<std::string> kLaunch{"ptx-launch", "the launch cannot be: {}"};

using Dimensions = std::array<std::uint32_t, 3>;

std::uint64_t product(const Dimensions& of) {
  return std::uint64_t{of[0]} * of[1] * of[2];
}

std::string text(const Dimensions& of) {
  return fmt::format("{} × {} × {}", of[0], of[1], of[2]);
}

// What the kernel's own directives forbid (PTX ISA, performance-tuning and cluster dimension directives).
std::string against_directives(const PtxLaunch& launch) {
  const ptx_text::Function& kernel = *launch.kernel;
  if (kernel.threads[0] > 0 && launch.block != kernel.threads)
    return fmt::format("a CTA of {} threads; the kernel says `.reqntid`, {}", text(launch.block), text(kernel.threads));
  if (kernel.most_threads[0] > 0 && product(launch.block) > product(kernel.most_threads))
    return fmt::format("a CTA of {} threads; the kernel says `.maxntid`, {} at most", product(launch.block),
                       product(kernel.most_threads));
  if (kernel.cluster[0] > 0 && launch.cluster != kernel.cluster)
    return fmt::format("a cluster of {} CTAs; the kernel says `.reqnctapercluster`, {}", text(launch.cluster),
                       text(kernel.cluster));
  return "";
}

}  // namespace

std::uint64_t DeviceMemory::reserve(std::int64_t bytes) {
  if (bytes < 0 || bytes > kMostMemory - taken_) return 0;
  constexpr std::uint64_t kPage = 4096;
  next_ = (next_ + kPage - 1) / kPage * kPage;
  std::uint64_t address = next_;
  // Space between allocations, so that what leaves one is in none.
  next_ += (static_cast<std::uint64_t>(bytes) + kPage - 1) / kPage * kPage + kPage;
  return address;
}

std::uint64_t DeviceMemory::allocate(std::int64_t bytes) {
  if (bytes < 0 || bytes > kMostMemory - taken_) return 0;
  std::uint64_t address = next_;
  next_ += (static_cast<std::uint64_t>(bytes) + 511) / 512 * 512 + 4096;
  Allocation& allocation = add(address);
  allocation.own.assign(static_cast<std::size_t>(bytes), 0);
  allocation.bytes = allocation.own;
  allocation.written.assign(static_cast<std::size_t>(bytes + 3) / 4, false);
  allocation.unwritten = allocation.written.size();
  taken_ += bytes;
  return address;
}

void DeviceMemory::share(std::uint64_t address, std::span<std::uint8_t> host) {
  add(address).bytes = host;
  taken_ += static_cast<std::int64_t>(host.size());
}

DeviceMemory::Allocation& DeviceMemory::add(std::uint64_t address) {
  auto allocation = std::make_unique<Allocation>();
  allocation->begin = address;
  return *(allocations_[address] = std::move(allocation));
}

bool DeviceMemory::free(std::uint64_t address) {
  auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  taken_ -= static_cast<std::int64_t>(found->second->bytes.size());
  if (last_ == found->second.get()) last_ = nullptr;
  allocations_.erase(found);
  return true;
}

DeviceMemory::Allocation* DeviceMemory::find(std::uint64_t address, std::int64_t bytes) {
  auto holds = [&](const Allocation& each) {
    return address >= each.begin && bytes >= 0 && address - each.begin <= each.bytes.size() &&
           static_cast<std::uint64_t>(bytes) <= each.bytes.size() - (address - each.begin);
  };
  if (last_ != nullptr && holds(*last_)) return last_;
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  Allocation* found = std::prev(after)->second.get();
  if (!holds(*found)) return nullptr;
  return last_ = found;
}

std::span<std::uint8_t> DeviceMemory::bytes(std::uint64_t address, std::int64_t count) {
  Allocation* found = find(address, count);
  if (found == nullptr) return {};
  return found->bytes.subspan(address - found->begin, static_cast<std::size_t>(count));
}

void DeviceMemory::mark_written(std::uint64_t address, std::int64_t count) {
  Allocation* found = find(address, count);
  if (found == nullptr || count == 0) return;
  std::size_t first = (address - found->begin) / 4,
              last = (address - found->begin + static_cast<std::uint64_t>(count) - 1) / 4;
  found->mark(first, last);
}

namespace {

// One field after another, little-endian.
class Bytes {
 public:
  explicit Bytes(std::uint8_t* data) : data_(data) {}
  void put(std::uint64_t value, std::size_t count) {
    std::memcpy(data_, &value, count);
    data_ += count;
  }
  std::uint64_t get(std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, data_, count);
    data_ += count;
    return value;
  }

 private:
  std::uint8_t* data_;
};

}  // namespace

std::array<std::uint8_t, 128> encode(const TensorMapFields& map) {
  std::array<std::uint8_t, 128> result{};
  Bytes to(result.data());
  to.put(kMagic, 4);
  to.put(map.extents.size(), 1);
  to.put(static_cast<std::uint64_t>(map.element_bytes), 1);
  to.put((map.real ? 1u : 0u) | (map.brain ? 2u : 0u) | (map.fill_nan ? 4u : 0u) | (map.nibbles ? 8u : 0u) |
             (map.spread == 4   ? 16u
              : map.spread == 6 ? 32u
                                : 0u) |
             (map.window ? 64u : 0u) | (map.has_sign ? 128u : 0u),
         1);
  to.put(static_cast<std::uint64_t>(map.swizzle_span), 1);
  to.put(0, 8);  // CUTLASS clears a bit in the second word of small maps, against a fault of NVIDIA's driver
  to.put(static_cast<std::uint64_t>(map.swizzle_atom), 1);
  to.put(map.address, 8);
  for (std::int64_t each : map.extents) to.put(static_cast<std::uint64_t>(each), 5);
  for (std::int64_t each : map.strides) to.put(static_cast<std::uint64_t>(each), 8);
  for (std::int64_t each : map.box) to.put(static_cast<std::uint64_t>(each), 2);
  for (std::size_t i = 0; map.window && i < map.window->step.size(); ++i) {
    to.put(static_cast<std::uint64_t>(map.window->lower[i]), 2);
    to.put(static_cast<std::uint64_t>(map.window->upper[i]), 2);
    to.put(static_cast<std::uint64_t>(map.window->step[i]), 1);
  }
  return result;
}

std::optional<TensorMapFields> decode_tensor_map(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 128) return {};
  std::array<std::uint8_t, 128> copy{};
  std::copy_n(bytes.begin(), 128, copy.begin());
  Bytes from(copy.data());
  if (from.get(4) != kMagic) return {};
  std::size_t rank = from.get(1);
  if (rank < 1 || rank > 5) return {};
  TensorMapFields map;
  map.element_bytes = static_cast<int>(from.get(1));
  std::uint64_t flags = from.get(1);
  map.real = flags & 1;
  map.brain = flags & 2;
  map.has_sign = flags & 128;
  map.fill_nan = flags & 4;
  map.nibbles = flags & 8;
  map.spread = flags & 16 ? 4 : flags & 32 ? 6 : 0;
  map.swizzle_span = static_cast<int>(from.get(1));
  from.get(8);
  map.swizzle_atom = static_cast<int>(from.get(1));
  map.address = from.get(8);
  for (std::size_t i = 0; i < rank; ++i) map.extents.push_back(static_cast<std::int64_t>(from.get(5)));
  for (std::size_t i = 1; i < rank; ++i) map.strides.push_back(static_cast<std::int64_t>(from.get(8)));
  const bool pixels = flags & 64;
  if (pixels && rank < 3) return {};
  for (std::size_t i = 0; i < (pixels ? 2 : rank); ++i) map.box.push_back(static_cast<std::int64_t>(from.get(2)));
  if (!pixels) return map;
  map.window.emplace();
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    map.window->lower.push_back(static_cast<std::int16_t>(from.get(2)));
    map.window->upper.push_back(static_cast<std::int16_t>(from.get(2)));
    map.window->step.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(from.get(1))));
  }
  return map;
}

std::uint64_t Device::variable(const ptx_text::Module& module, std::uint32_t index) {
  auto [found, fresh] = variables_.try_emplace({&module, index}, 0);
  if (!fresh) return found->second;
  const ptx_text::Variable& variable = module.variables[index];
  std::uint64_t address = memory_.allocate(std::max<std::int64_t>(variable.bytes, 1));
  place_variable(module, index, address);
  return address;
}

void Device::place_variable(const ptx_text::Module& module, std::uint32_t index, std::uint64_t address) {
  const ptx_text::Variable& variable = module.variables[index];
  variables_[{&module, index}] = address;
  if (DeviceMemory::Allocation* of = memory_.find(address, 0))
    of->constant = variable.space == ptx_text::Space::constant;
  std::span<std::uint8_t> bytes = memory_.bytes(address, variable.bytes);
  std::copy_n(variable.initial.begin(), std::min(variable.initial.size(), bytes.size()), bytes.begin());
  for (const ptx_text::Relocation& each : variable.relocations) {
    std::uint64_t value =
        (each.function ? ptx::address_of_function(each.variable) : this->variable(module, each.variable)) +
        static_cast<std::uint64_t>(each.offset);
    if (static_cast<std::size_t>(each.at) + 8 <= bytes.size())
      std::memcpy(&bytes[static_cast<std::size_t>(each.at)], &value, 8);
  }
  memory_.mark_written(address, variable.bytes);
}

// CTAs on the whole device, by their threads and their dynamic shared memory (CUDA programming guide, compute
// capabilities 9.0 and 10.0).
std::uint64_t Device::most_at_once(const PtxLaunch& launch) const {
  constexpr std::uint64_t kThreads = 2048, kShared = 233472, kSystems = 1024, kCtas = 32;
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const std::uint64_t an_sm =
      std::min({kThreads / ((threads + 31) / 32 * 32),
                kShared / (static_cast<std::uint64_t>(launch.dynamic_shared) + kSystems), kCtas});
  return an_sm * static_cast<std::uint64_t>(sms_);
}

// In words; nothing, where it can be run.
std::string Device::wrong_with(const PtxLaunch& launch) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0 || launch.block[i] == 0 || launch.cluster[i] == 0)
      return "a grid, a CTA and a cluster have at least one of each dimension";
  }
  if (std::string wrong = against_directives(launch); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] % launch.cluster[i] != 0)
      return fmt::format("{} CTAs are no multiple of the cluster's {}", launch.grid[i], launch.cluster[i]);
  }
  if (std::uint64_t threads = product(launch.block); threads > 1024)
    return fmt::format("a CTA of {} threads; 1024 are the most", threads);
  if (std::uint64_t ctas = product(launch.cluster); ctas > 16)
    return fmt::format("a cluster of {} CTAs; 16 are the most", ctas);
  if (launch.dynamic_shared < 0 || launch.dynamic_shared > kMostShared)
    return fmt::format("{} bytes of shared memory; {} are the most", launch.dynamic_shared, kMostShared);
  if (launch.cooperative) {
    if (std::uint64_t all = product(launch.grid), most = most_at_once(launch); all > most)
      return fmt::format("a cooperative launch of {} CTAs; {} can be there at the same time", all, most);
  }
  if (launch.params.size() != launch.kernel->params.size())
    return fmt::format("the kernel has {}, and is given {}", counted(launch.kernel->params.size(), "parameter"),
                       launch.params.size());
  return "";
}

bool Device::launch(const PtxLaunch& launch, const Options& options, Outcome& outcome, Diagnostics& diagnostics) {
  const ptx_text::Module& module = *launch.module;
  PtxLaunch run = launch;
  // PTX ISA, .reqnctapercluster: a launch that names no cluster has the kernel's.
  if (run.cluster == Dimensions{})
    run.cluster = launch.kernel->cluster[0] > 0 ? launch.kernel->cluster : Dimensions{1, 1, 1};
  std::string wrong = wrong_with(run);
  if (!wrong.empty()) {
    diagnostics.error(launch.kernel->where, kLaunch, wrong);
    return false;
  }
  auto code =
      ptx::decode(module, *launch.kernel, [&](std::uint32_t index) { return variable(module, index); }, diagnostics);
  if (!code) return false;
  if (const std::int64_t all = code->shared_bytes + launch.dynamic_shared; all > kMostShared) {
    diagnostics.error(launch.kernel->where, kLaunch,
                      fmt::format("{} bytes of shared memory, {} of them the kernel's own variables; {} are the most",
                                  all, code->shared_bytes, kMostShared));
    return false;
  }
  if (!launch.dependent) {
    memory_.first_open = memory_.launches + 1;
  } else if (memory_.waited) {
    memory_.first_open = memory_.launches;
  }
  memory_.waited = false;
  ++memory_.launches;
  if (launch.cooperative) {
    // Two words of the driver's: its size, and what CTAs count at the grid's barrier (CUDA's cooperative groups).
    constexpr std::int64_t kWorkspace = 8;
    run.workspace = memory_.allocate(kWorkspace);
    memory_.mark_written(run.workspace, kWorkspace);
  }
  ptx::Executor(memory_, *code, run, options, outcome, sms_).run();
  if (run.workspace != 0) memory_.free(run.workspace);
  return true;
}

}  // namespace warpcc::checker
