// Where what an instruction names may lie: at a multiple of its size, in which CTA, and not where an mbarrier is.
#include <fmt/format.h>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

void Executor::need_aligned(std::uint64_t address, std::int64_t bytes, const char* how) {
  if (address % static_cast<std::uint64_t>(bytes) == 0) return;
  report(Finding::Kind::memory, fmt::format("{} {} bytes at {:#x}: no multiple of them", how, bytes, address),
         {fmt::format("to mend: an address that is a multiple of {}, or fewer bytes at a time", bytes),
          "PTX ISA, addresses as operands: alignment"});
}

void Executor::need_no_barrier(int rank, std::uint32_t offset, std::int64_t bytes, const char* how) {
  Cta& of = *cluster_->ctas[static_cast<std::size_t>(rank)];
  bool near = false;
  of.shared.for_each_block(offset, bytes,
                           [&](const machine::SharedMemory::Block& block, std::uint64_t units, std::uint32_t) {
                             near = near || (block.barriers & units) != 0;
                           });
  if (!near) return;
  for (auto at = of.barriers.lower_bound(offset & ~7u); at != of.barriers.end() && at->first < offset + bytes; ++at) {
    if (!at->second.live()) continue;
    report(Finding::Kind::protocol,
           fmt::format("{} {}, which is live, as data: mbarrier.inval comes first", how, barrier_name(rank, at->first)),
           {"to mend: memory for the data that no mbarrier lies in, or mbarrier.inval when the barrier is over",
            "PTX ISA, mbarrier: operations on an mbarrier object"});
    return;
  }
}

// Of a copy either way. The copy engine kills the kernel otherwise.
void Executor::need_box_place(const TensorMapFields& map, const BoxStart& start, std::uint32_t shared) {
  constexpr std::int64_t kUnit = 16, kPlace = 128;
  if (start.at[0] * map.element_bytes % kUnit != 0)
    report(
        Finding::Kind::protocol,
        fmt::format("the first coordinate of a box, {}, is no multiple of 16 bytes; the copy engine kills the kernel",
                    start.at[0]),
        {fmt::format("to mend: a first coordinate that is a multiple of {}",
                     kUnit / map.element_bytes * (map.nibbles ? 2 : 1)),
         "CUDA programming guide, tensor memory accelerator: alignment"});
  if (shared % kPlace != 0)
    report(Finding::Kind::memory, fmt::format("the shared address {:#x} of a box is no multiple of 128", shared),
           {"to mend: `.align 128` of what holds the box, and boxes at multiples of 128 bytes",
            "CUDA programming guide, tensor memory accelerator: alignment"});
}

// PTX ISA, cp.async.bulk, cp.async.bulk.tensor: .shared::cta is the executing CTA's.
void Executor::need_own(const Code& code, int rank) {
  if (code.cluster || rank == warp_->cta) return;
  report(Finding::Kind::protocol, fmt::format("copies to .shared::cta, and the address is of CTA {}", rank),
         {"to mend: .shared::cluster, which may be any CTA of the cluster's",
          "PTX ISA, cp.async.bulk: .shared::cta is the executing CTA's"});
}

// Of data that go to a CTA, and the mbarrier that is told of them.
void Executor::need_together(int rank, int barrier_rank, std::uint32_t barrier, const char* chapter) {
  if (rank == barrier_rank) return;
  report(Finding::Kind::protocol,
         fmt::format("writes memory of CTA {} and tells {}: both are of one CTA", rank,
                     barrier_name(barrier_rank, barrier)),
         {"to mend: the mbarrier of the CTA that the data go to (mapa of both)", chapter});
}

// PTX ISA, cp.reduce.async.bulk.tensor: operations and element types. What its table says of bits alone is taken for
// floating-point numbers of as many too, and sums of 64 bits for all: whether the copy engine does these nobody says.
void Executor::need_reducible(const TensorMapFields& map, int operation) {
  const bool wide = map.element_bytes >= 4, nibbles = map.nibbles || map.spread != 0;
  bool possible = false;
  switch (operation) {
    case 0:
      possible = wide || map.real;
      break;
    case 1:
    case 2:
      possible = map.real ? map.element_bytes == 2 : wide;
      break;
    case 3:
    case 4:
    case 5:
      possible = wide;
      break;
    default:
      possible = map.element_bytes == 4 && !map.real && !map.has_sign;
      break;
  }
  if (possible && !nibbles) return;
  static constexpr const char* kNames[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
  const char* kind = map.brain ? "bf16" : map.real ? "f" : map.has_sign ? "s" : "u";
  report(Finding::Kind::protocol,
         fmt::format("there is no `.{}` of elements of {}", kNames[operation],
                     nibbles     ? std::string("less than a byte")
                     : map.brain ? std::string(kind)
                                 : fmt::format("{}{}", kind, 8 * map.element_bytes)),
         {"to mend: an operation that the copy engine has of these elements, or a map of others",
          "PTX ISA, cp.reduce.async.bulk.tensor: operations and element types"});
}

}  // namespace warpcc::checker::ptx
