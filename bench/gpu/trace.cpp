#include "trace.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace warpcc::bench {
namespace {

using runtime::Error;
using runtime::failure;
using runtime::success;

// CUpti_ActivityKind.
constexpr int kMemset = 2, kConcurrentKernel = 10;

// The beginnings of CUpti_ActivityMemset4 and CUpti_ActivityKernel10 (cupti_activity.h of CUDA 13.0); the versions
// since CUDA 11.8 begin alike.
struct MemsetRecord {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
};
struct KernelRecord {
  std::uint32_t kind;
  std::uint8_t cache, shared_configuration;
  std::uint16_t registers;
  std::uint32_t cache_requested, cache_executed;
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_each, local_all, correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, carveout_requested, carveout, padding;
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::uint32_t limit, graph;
  void* window;
  std::uint32_t channel, channel_type;
  std::uint32_t cluster[3];
};

// CUPTI gives its callbacks nothing of ours, so what they share is here.
struct Buffer {
  std::uint8_t* data;
  std::size_t valid;
};
std::mutex completed_lock;
std::vector<Buffer> completed;

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, kBytes));
  *bytes = *buffer ? kBytes : 0;
  *most_records = 0;  // as many as fit
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  std::lock_guard lock(completed_lock);
  completed.push_back({buffer, valid});
}

Activity activity_of(const MemsetRecord& record) {
  Activity activity;
  activity.start = record.start;
  activity.end = record.end;
  activity.name = "memset";
  return activity;
}

Activity activity_of(const KernelRecord& record) {
  Activity activity;
  activity.start = record.start;
  activity.end = record.end;
  activity.name = record.name ? record.name : "";
  std::copy_n(record.grid, 3, activity.grid);
  std::copy_n(record.block, 3, activity.block);
  for (int i = 0; i < 3; ++i) activity.cluster[i] = std::max(record.cluster[i], 1u);
  activity.shared_bytes = record.static_shared + record.dynamic_shared;
  activity.registers = record.registers;
  return activity;
}

Error check(int result, const char* what) {
  if (result == 0) return success();
  return failure(WARPCC_DRIVER_FAILED, std::string(what) + " failed: CUPTI result " + std::to_string(result));
}

}  // namespace

Error Trace::open() {
  std::vector<std::string> names{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"}) {
    names.push_back(std::string(folder) + "libcupti.so");
  }
  if (Error error = library_.open(names)) return error;
  library_.find("cuptiActivityEnable", enable_);
  library_.find("cuptiActivityDisable", disable_);
  library_.find("cuptiActivityRegisterCallbacks", register_);
  library_.find("cuptiActivityGetNextRecord", next_);
  library_.find("cuptiActivityFlushAll", flush_);
  if (Error error = library_.found()) return error;
  return check(register_(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
}

Error Trace::begin() {
  if (Error error = check(enable_(kConcurrentKernel), "cuptiActivityEnable")) return error;
  return check(enable_(kMemset), "cuptiActivityEnable");
}

Error Trace::end(std::vector<Activity>& activities) {
  constexpr std::uint32_t kForced = 1;
  if (Error error = check(flush_(kForced), "cuptiActivityFlushAll")) return error;
  disable_(kConcurrentKernel);
  disable_(kMemset);
  return read(activities);
}

Error Trace::read(std::vector<Activity>& activities) {
  std::vector<Buffer> buffers;
  {
    std::lock_guard lock(completed_lock);
    buffers.swap(completed);
  }
  activities.clear();
  for (const Buffer& buffer : buffers) {
    void* record = nullptr;
    while (next_(buffer.data, buffer.valid, &record) == 0) {
      std::uint32_t kind = 0;
      std::memcpy(&kind, record, sizeof kind);
      if (kind == kMemset) activities.push_back(activity_of(*static_cast<const MemsetRecord*>(record)));
      if (kind == kConcurrentKernel) activities.push_back(activity_of(*static_cast<const KernelRecord*>(record)));
    }
    std::free(buffer.data);
  }
  std::sort(activities.begin(), activities.end(),
            [](const Activity& left, const Activity& right) { return left.start < right.start; });
  return success();
}

}  // namespace warpcc::bench
