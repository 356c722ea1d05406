// The copy engine and the tensor core.
#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

using isa::Op;
using sass::Operand;
using sass::Reg;

constexpr Message<std::string> kKindUnknown{
    "mma-kind-unknown",
    "the kind of this `{}` is in the A format of its instruction descriptor, which must be a constant here"};

constexpr Message<std::string> kCopySize{"copy-size-unknown",
                                         "how many bytes this `{}` copies must be a constant here"};

std::string map_of(Lifter& l, std::size_t i) {
  return "%map_" + l.program().maps[static_cast<std::size_t>(l.operand(i).number)].name;
}

std::string list(Lifter& l, const Reg& first, int from, int count) {
  std::string text;
  for (int n = 0; n < count; ++n) text += (n > 0 ? ", " : "") + l.source(part(first, from + n));
  return text;
}

// A CTA mask is 16 bits and a register in PTX.
std::string mask(Lifter& l, std::size_t i) {
  std::string low = l.bits16();
  l.put_always(fmt::format("cvt.u16.u32 {}, {};", low, l.source(i)));
  return low;
}

// tmem[u+0x40], or a base alone: `[%x+64]`.
std::string bracket(Lifter& l, const Operand& o) {
  return o.number == 0 ? fmt::format("[{}]", l.source(o.reg)) : fmt::format("[{}+{}]", l.source(o.reg), o.number);
}

}  // namespace

// The vector: destination or source in shared memory, for loads the mbarrier, then the coordinates, the innermost
// first.
void lift_tensor_copy(Lifter& l) {
  std::string dimensions(isa::word(l.line().modifiers[0]));
  int rank = dimensions[0] - '0';
  dimensions[1] = 'd';
  const Reg& vector = l.operand(0).reg;
  bool load = l.line().opcode->op == Op::UTMALDG;
  std::string at = l.source(vector);
  std::string map = map_of(l, 1);
  std::string box = fmt::format("[{}, {{{}}}]", map, list(l, vector, load ? 2 : 1, rank));
  if (load) {
    std::string to = fmt::format("[{}], {}, [{}]", at, box, l.source(part(vector, 1)));
    std::string form =
        "cp.async.bulk.tensor." + dimensions + ".shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    if (l.has("MULTICAST")) {
      form += ".multicast::cluster";
      to += ", " + mask(l, 2);
    }
    if (l.has("2CTA")) form += ".cta_group::2";
    std::size_t policy = l.has("MULTICAST") ? 3 : 2;
    if (l.operands() > policy) {
      form += ".L2::cache_hint";
      to += ", " + l.pair(l.operand(policy).reg);
    }
    l.put_once(form + " " + to + ";");
  } else if (l.line().opcode->op == Op::UTMASTG) {
    l.put_once(
        fmt::format("cp.async.bulk.tensor.{}.global.shared::cta.tile.bulk_group {}, [{}];", dimensions, box, at));
  } else {
    l.put_once(fmt::format("cp.reduce.async.bulk.tensor.{}.global.shared::cta.add.tile.bulk_group {}, [{}];",
                           dimensions, box, at));
  }
}

// Bytes / 16 stand in the low half of the last operand.
void lift_cluster_copy(Lifter& l) {
  const Web* size = l.web(l.operand(2).reg);
  if (size == nullptr || !size->constant) {
    l.fail(kCopySize, l.spelled());
    return;
  }
  const Reg& to = l.operand(0).reg;
  l.put_once(fmt::format("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{}], {}, {}, [{}];",
                         l.source(to), bracket(l, l.operand(1)), (*size->constant & 0xffff) * 16,
                         l.source(part(to, 1))));
}

void lift_map_prefetch(Lifter& l) {
  l.put_once(fmt::format("prefetch.tensormap [{}];", map_of(l, 0)));
}

// Cluster launch control: asks for a cluster that has not been launched; the answer comes to shared memory.
void lift_cancel(Lifter& l) {
  l.put_once(fmt::format(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{}.b128 {}, {};",
      l.has("BROADCAST") ? ".multicast::cluster::all" : "", bracket(l, l.operand(0)), bracket(l, l.operand(1))));
}

// UTC?MMA a, b, tmem[d], tmem[zero], idesc, accumulate.
void lift_mma(Lifter& l) {
  Op op = l.line().opcode->op;
  const char* kind = op == Op::UTCQMMA ? "f8f6f4" : op == Op::UTCIMMA ? "i8" : "f16";
  std::string idesc = l.source(l.operand(4).reg);
  if (op == Op::UTCHMMA) {
    // UTCHMMA is kind f16 or tf32; format 2 of A (bits 7 to 9 of the instruction descriptor) is tf32.
    const Web* descriptor = l.web(l.operand(4).reg);
    if (descriptor == nullptr || !descriptor->constant) {
      l.fail(kKindUnknown, l.spelled());
      return;
    }
    if ((*descriptor->constant >> 7 & 7) == 2) kind = "tf32";
  }
  const Operand& a = l.operand(0);
  std::string from = a.kind == Operand::Kind::tensor ? bracket(l, a) : l.pair(a.reg);
  std::string with = l.pair(l.operand(1).reg);
  auto constant = l.constant_predicate(5);
  std::string accumulate = constant ? (*constant ? "1" : "0") : l.predicate(5);
  l.before_tensor_memory();
  l.put_once(fmt::format("tcgen05.mma.cta_group::{}.kind::{} {}, {}, {}, {}, {};", l.cta_group(), kind,
                         bracket(l, l.operand(2)), from, with, idesc, accumulate));
}

void lift_commit(Lifter& l) {
  std::string at = bracket(l, l.operand(0));
  if (l.has("MULTICAST")) {
    std::string to = mask(l, 2);
    l.put_once(
        fmt::format("tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 {}, {};",
                    l.cta_group(), at, to));
  } else {
    l.put_once(
        fmt::format("tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster.b64 {};", l.cta_group(), at));
  }
}

namespace {

// "LDTM.16dp256bit.x8" -> "16x256b.x8"; no shape is 32x32b, no count is x1.
std::string tensor_shape(Lifter& l, const char* packed) {
  std::string shape = "32x32b", count = "x1";
  bool halves = false;
  for (isa::Modifier modifier : l.line().modifiers) {
    std::string word(isa::word(modifier));
    if (word.starts_with("16dp")) shape = "16x" + word.substr(4, word.size() - 7) + "b";
    if (word.starts_with("x")) count = word;
    if (word == "PACK16BIT") halves = true;
  }
  return shape + "." + count + (halves ? packed : "");
}

}  // namespace

void lift_tensor_load(Lifter& l) {
  int width = l.width(0);
  l.before_tensor_memory();
  std::string to;
  for (int n = 0; n < width; ++n) to += (n > 0 ? ", " : "") + l.target(0, n);
  l.put(fmt::format("tcgen05.ld.sync.aligned.{}.b32 {{{}}}, {};", tensor_shape(l, ".pack::16b"), to,
                    bracket(l, l.operand(1))));
}

void lift_tensor_store(Lifter& l) {
  l.before_tensor_memory();
  l.put(fmt::format("tcgen05.st.sync.aligned.{}.b32 {}, {{{}}};", tensor_shape(l, ".unpack::16b"),
                    bracket(l, l.operand(0)), list(l, l.operand(1).reg, 0, l.width(1))));
}

// Counts are in units of 32 columns. The allocation stores the base to the word; ptxas writes the routine around it.
void lift_allocation(Lifter& l) {
  if (l.has("FIND_AND_SET")) {
    l.put(fmt::format("tcgen05.alloc.cta_group::{}.sync.aligned.shared::cta.b32 {}, {};", l.cta_group(), l.address(0),
                      l.operand(1).number * 32));
    return;
  }
  l.before_tensor_memory();
  l.put(fmt::format("tcgen05.dealloc.cta_group::{}.sync.aligned.b32 {}, {};", l.cta_group(), l.source(0),
                    l.operand(1).number * 32));
}

void lift_relinquish(Lifter& l) {
  l.put(fmt::format("tcgen05.relinquish_alloc_permit.cta_group::{}.sync.aligned;", l.cta_group()));
}

}  // namespace warpcc::ptx
