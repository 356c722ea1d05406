// Shared and global memory, parameters, and fences.
#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

using isa::Op;
using sass::Line;
using sass::Operand;

constexpr Message<std::int64_t> kNoParameter{
    "constant-is-no-parameter", "the constant at {:#x} is no parameter: only the parameter block is known to warpcc"};

// ".b32", ".v4.b32", ".u16" of a plain access.
std::string access_type(Lifter& l, std::size_t slot) {
  if (l.has("U16")) return ".u16";
  if (l.has("U8")) return ".u8";
  int width = l.width(static_cast<int>(slot));
  return width == 1 ? std::string(".b32") : fmt::format(".v{}.b32", width);
}

std::string targets(Lifter& l, std::size_t slot) {
  int width = l.width(static_cast<int>(slot));
  std::string text;
  for (int n = 0; n < width; ++n) text += (n > 0 ? ", " : "") + l.target(slot, n);
  return width == 1 ? text : "{" + text + "}";
}

// desc[u][r.64+16], or [r.64+16]: the pair as a 64-bit address. The descriptor is the driver's and says nothing.
std::string global_address(Lifter& l, std::size_t slot) {
  const Operand& o = l.operand(slot);
  std::string base = l.pair(o.second ? *o.second : o.reg);
  return o.number == 0 ? fmt::format("[{}]", base) : fmt::format("[{}+{}]", base, o.number);
}

bool followed_by_invalidation(Lifter& l) {
  const Line* next = l.next();
  return next != nullptr && next->opcode->op == Op::CCTL;
}

}  // namespace

void lift_shared_load(Lifter& l) {
  std::string from = l.address(1);
  l.put(fmt::format("ld.shared{} {}, {};", access_type(l, 0), targets(l, 0), from));
}

void lift_shared_store(Lifter& l) {
  std::string to = l.address(0);
  l.put(fmt::format("st.shared{} {}, {};", access_type(l, 1), to, l.group(l.operand(1).reg, l.width(1))));
}

void lift_cluster_load(Lifter& l) {
  std::string from = l.address(1);
  l.put(fmt::format("ld.shared::cluster.b32 {}, {};", l.target(0, 0), from));
}

void lift_cluster_store(Lifter& l) {
  std::string to = l.address(0);
  l.put(fmt::format("st.shared::cluster.b32 {}, {};", to, l.source(1)));
}

// A strong load that drops the first-level cache's lines after it acquires.
void lift_global_load(Lifter& l) {
  std::string order;
  if (l.has("STRONG")) {
    order = ".relaxed.gpu";
    if (followed_by_invalidation(l)) {
      order = ".acquire.gpu";
      l.take_next();
    }
  }
  std::string from = global_address(l, 1);
  l.put(fmt::format("ld{}.global{} {}, {};", order, access_type(l, 0), targets(l, 0), from));
}

void lift_global_store(Lifter& l) {
  std::string to = global_address(l, 0);
  l.put(fmt::format("st{}.global{} {}, {};", l.has("STRONG") ? ".relaxed.gpu" : "", access_type(l, 1), to,
                    l.group(l.operand(1).reg, l.width(1))));
}

void lift_global_add(Lifter& l) {
  std::string to = global_address(l, 0);
  const char* type = l.has("F32x4") ? "v4.f32" : l.has("F32x2") ? "v2.f32" : l.has("F32") ? "f32" : "u32";
  l.put(fmt::format("red.relaxed.gpu.global.add.{} {}, {};", type, to, l.group(l.operand(1).reg, l.width(1))));
}

// The parameter block lies in constant bank 0, from 0x380 on sm_100a and from 0x210 on sm_90a.
void lift_parameter_load(Lifter& l) {
  const sass::Program& program = l.program();
  std::int64_t at = l.operand(1).number - (program.target == isa::Target::sm_100a ? 0x380 : 0x210);
  const sass::Param* found = nullptr;
  for (const sass::Param& param : program.params) {
    if (param.offset <= at && at < param.offset + 8) found = &param;
  }
  int width = l.width(0);
  if (found == nullptr || at + 4 * width > found->offset + 8) {
    l.fail(kNoParameter, l.operand(1).number);
    return;
  }
  for (int n = 0; n < width; ++n) {
    l.put(fmt::format("ld.param.b32 {}, [{}+{}];", l.target(0, n), param_name(*found), at - found->offset + 4 * n));
  }
}

void lift_memory_barrier(Lifter& l) {
  const Line* next = l.next();
  if (l.has("GPU") && next != nullptr && next->opcode->op == Op::UCGABAR_ARV) {
    l.before_signal();
    l.put("barrier.cluster.arrive.release.aligned;");
    l.take_next();
    return;
  }
  l.put(fmt::format("fence.acq_rel.{};", l.has("CTA") ? "cta" : l.has("GPU") ? "gpu" : "sys"));
}

void lift_proxy_fence(Lifter& l) {
  if (l.has("T")) return l.put("tcgen05.wait::st.sync.aligned;");
  const char* shared = l.stores_to_peers() ? "shared::cluster" : "shared::cta";
  l.put(fmt::format("fence.proxy.async.{};", l.has("S") ? shared : "global"));
}

}  // namespace warpcc::ptx
