// A program as nvcc makes one: it registers a fat binary, allocates, copies, launches, compares. Declared by hand, so
// that no CUDA is needed.
//     program [wrong | lz4 | zstd | newer | assert]
// `wrong`: one more CTA is launched than the arrays have room for; `lz4`, `zstd`: its PTX is packed, as nvcc packs it;
// `newer`: its PTX is for another GPU; `assert`: an assertion of its kernel fails.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Dimensions {
  unsigned x, y, z;
};

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaMalloc(void**, std::size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaLaunchKernel(const void*, Dimensions, Dimensions, void**, std::size_t, void*);
int cudaDeviceSynchronize();
const char* cudaGetErrorString(int);
}

static const char kPtx[] = R"(
.version 9.0
.target sm_100a
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c) {
  .reg .b32 %r<5>; .reg .b64 %d<5>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %d4, %r4, 4; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
  ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2]; add.f32 %f3, %f1, %f2; st.global.f32 [%d3], %f3;
  ret;
}
)";

// LZ4's block format: literals, then how far back a match lies and how long it is; the last sequence has none.
static std::string packed_by_lz4(const std::string& text) {
  std::string out, literals;
  auto lengths = [&](std::size_t match) {
    auto nibble = [](std::size_t count) { return static_cast<unsigned>(count < 15 ? count : 15); };
    auto more = [&](std::size_t count) {
      if (count < 15) return;
      for (count -= 15; count >= 255; count -= 255) out += '\xff';
      out += static_cast<char>(count);
    };
    out += static_cast<char>(nibble(literals.size()) << 4 | nibble(match));
    more(literals.size());
    out += literals;
    literals.clear();
    return more;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t best = 0, from = 0;
    for (std::size_t before = 0; before < at && at + 12 < text.size(); ++before) {
      std::size_t count = 0;
      while (at + count + 5 < text.size() && text[before + count] == text[at + count]) ++count;
      if (count > best) best = count, from = before;
    }
    if (best < 4) {
      literals += text[at++];
      continue;
    }
    auto more = lengths(best - 4);
    out += static_cast<char>((at - from) & 255);
    out += static_cast<char>((at - from) >> 8);
    more(best - 4);
    at += best;
  }
  lengths(0);
  return out;
}

// A frame of Zstandard of one block, which is kept as it is (RFC 8878).
static std::string packed_by_zstd(const std::string& text) {
  std::string out = "\x28\xb5\x2f\xfd\xa0";
  auto put = [&](std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 255);
  };
  put(text.size(), 4);
  put(text.size() << 3 | 1, 3);
  return out + text;
}

static void add() {}  // the host's side of the kernel: its address is its name

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const bool wrong = what == "wrong";
  std::string text(kPtx, sizeof kPtx);
  if (what == "assert")
    text.replace(text.find("  ret;"), 0,
                 "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;"
                 "  call.uni __assertfail, (a, b, c, d, e); }");
  const std::string payload = what == "lz4" ? packed_by_lz4(text) : what == "zstd" ? packed_by_zstd(text) : text;
  std::vector<std::uint8_t> fat(16 + 64 + payload.size());
  auto put = [&](std::size_t at, auto value) { std::memcpy(&fat[at], &value, sizeof value); };
  put(0, std::uint32_t{0xba55ed50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64 + payload.size()});
  put(16, std::uint16_t{1});  // PTX
  put(20, std::uint32_t{64});
  put(24, std::uint64_t{payload.size()});
  put(32, static_cast<std::uint32_t>(payload.size()));
  put(44, std::uint32_t{what == "newer" ? 120u : 100u});
  put(56, std::uint64_t{what == "lz4" ? 0x2000u : what == "zstd" ? 0x8000u : 0u});
  put(72, std::uint64_t{text.size()});
  std::memcpy(&fat[80], payload.data(), payload.size());
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    void* more = nullptr;
  } wrapper;
  wrapper.data = fat.data();
  void** module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, reinterpret_cast<const char*>(&add), nullptr, "add", -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(module);

  constexpr unsigned kCount = 256;
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 1000;
  }
  void* on_device[3];
  for (void*& each : on_device) cudaMalloc(&each, kCount * 4);
  cudaMemcpy(on_device[0], a.data(), kCount * 4, 1);
  cudaMemcpy(on_device[1], b.data(), kCount * 4, 1);
  void* arguments[] = {&on_device[0], &on_device[1], &on_device[2]};
  int error =
      cudaLaunchKernel(reinterpret_cast<const void*>(&add), {wrong ? 5u : 4u, 1, 1}, {64, 1, 1}, arguments, 0, nullptr);
  const int after = cudaDeviceSynchronize();
  if (error == 0) error = after;
  cudaMemcpy(c.data(), on_device[2], kCount * 4, 2);
  for (void* each : on_device) cudaFree(each);
  unsigned bad = 0;
  for (unsigned i = 0; i < kCount; ++i) bad += c[i] != a[i] + b[i];
  std::printf("%s, %u of %u wrong\n", cudaGetErrorString(error), bad, kCount);
  return bad == 0 ? 0 : 1;
}
