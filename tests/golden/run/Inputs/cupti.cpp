// A stand-in for CUPTI: what the stand-in for the driver says has run, as activity records, a microsecond apart.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

// As in cupti_activity.h of CUDA 13.0, of a kernel (to its name) and of a memset (to its end).
struct Record {
  std::uint32_t kind;
  std::uint8_t to_start[12];
  std::uint64_t start, end;
  std::uint8_t to_grid[20];
  std::int32_t grid[3], block[3];
  std::uint8_t to_name[28];
  const char* name;
  std::uint8_t rest[256];
};
static_assert(offsetof(Record, start) == 16 && offsetof(Record, grid) == 52 && offsetof(Record, name) == 104);

void (*give)(std::uint8_t**, std::size_t*, std::size_t*);
void (*take)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
void* driver = nullptr;
std::uint64_t now = 1000;

template <typename Function>
Function of_driver(const char* name) {
  return reinterpret_cast<Function>(dlsym(driver, name));
}

}  // namespace

extern "C" {
int cuptiActivityRegisterCallbacks(decltype(give) giving, decltype(take) taking) {
  give = giving;
  take = taking;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  return 0;
}
int cuptiActivityEnable(int) {
  return of_driver<void (*)()>("stand_in_clear")(), 0;
}
int cuptiActivityDisable(int) {
  return 0;
}
int cuptiActivityFlushAll(std::uint32_t) {
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0, most = 0, used = 0;
  give(&buffer, &bytes, &most);
  std::size_t count = of_driver<std::size_t (*)()>("stand_in_count")();
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    unsigned nanoseconds = 0;
    of_driver<void (*)(std::size_t, const char**, unsigned*)>("stand_in_take")(i, &name, &nanoseconds);
    if (used + sizeof(Record) > bytes) {
      take(nullptr, 0, buffer, bytes, used);
      give(&buffer, &bytes, &most);
      used = 0;
    }
    Record record{};
    record.kind = std::strcmp(name, "memset") == 0 ? 2 : 10;
    record.start = now;
    record.end = now + nanoseconds;
    for (int j = 0; j < 3; ++j) record.grid[j] = record.block[j] = 1;
    record.name = name;
    std::memcpy(buffer + used, &record, sizeof record);
    used += sizeof record;
    now = record.end + 1000;
  }
  take(nullptr, 0, buffer, bytes, used);
  return 0;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, void** record) {
  auto* next = *record ? static_cast<std::uint8_t*>(*record) + sizeof(Record) : buffer;
  if (next + sizeof(Record) > buffer + valid) return 12;
  return *record = next, 0;
}
}
