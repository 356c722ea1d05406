#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

using ptx_text::SpecialRegister;

std::uint32_t* Executor::place32(const Arg& arg) {
  return reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uint8_t*>(warp_->registers.data()) + arg.offset);
}
std::uint64_t* Executor::place64(const Arg& arg) {
  return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uint8_t*>(warp_->registers.data()) + arg.offset);
}

std::uint32_t Executor::guard(const Code& code, std::uint32_t mask) {
  if (code.guard == Code::kNone) return mask;
  Arg guard;
  guard.offset = code.guard;
  std::uint32_t bits = *place32(guard);
  return mask & (code.guard_negated ? ~bits : bits);
}

std::uint32_t Executor::predicate(const Arg& arg) {
  if (arg.kind == Arg::Kind::reg && arg.bytes == 0) {
    std::uint32_t bits = *place32(arg);
    return arg.negated ? ~bits : bits;
  }
  if (arg.kind == Arg::Kind::value) return (arg.value != 0) != arg.negated ? ~0u : 0;
  return 0;
}

bool Executor::unwritten(const Arg& arg) {
  if (arg.kind != Arg::Kind::reg || arg.bytes != 4) return false;
  const std::uint32_t* lanes = place32(arg);
  return std::all_of(lanes, lanes + kLanes, [](std::uint32_t lane) { return lane == kUnwritten; });
}

void Executor::need_written(const Code& code, std::size_t first, std::size_t count, const char* what) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (!unwritten(arg(code, i))) continue;
    report(Finding::Kind::memory, fmt::format("{} a register that nothing has written", what));
    return;
  }
}

void Executor::need_same(const Arg& arg, const char* what, const char* chapter) {
  if (arg.kind != Arg::Kind::reg && arg.kind != Arg::Kind::special) return;
  if (arg.kind == Arg::Kind::reg && arg.bytes == 4 && mask_ == ~0u &&
      std::memcmp(place32(arg), place32(arg) + 1, sizeof(Lanes32) - sizeof(std::uint32_t)) == 0)
    return;
  Lanes64 lanes;
  read64(arg, lanes);
  const int first = first_lane();
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (lanes[lane] == lanes[first]) continue;
    report(Finding::Kind::protocol,
           fmt::format("has {} that differs between lanes: {:#x} in lane {}, {:#x} in lane {}", what, lanes[first],
                       first, lanes[lane], lane),
           {"to mend: the same value in all lanes of the warp, which do this as one", chapter});
    return;
  }
}

void Executor::read32(const Arg& arg, std::uint32_t* lanes) {
  switch (arg.kind) {
    case Arg::Kind::none:
      std::memset(lanes, 0, sizeof(Lanes32));
      return;
    case Arg::Kind::reg:
      if (arg.bytes == 4) {
        std::memcpy(lanes, place32(arg), sizeof(Lanes32));
      } else if (arg.bytes == 0) {
        std::uint32_t bits = predicate(arg);
        for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = bits >> lane & 1;
      } else {
        const std::uint64_t* from = place64(arg);
        int step = arg.bytes / 8;
        for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = static_cast<std::uint32_t>(from[lane * step]);
      }
      return;
    case Arg::Kind::frame:
    case Arg::Kind::value:
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = static_cast<std::uint32_t>(arg.value);
      return;
    case Arg::Kind::shared: {
      std::uint32_t value = cta().rank << 24 | static_cast<std::uint32_t>(arg.value);
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = value;
      return;
    }
    case Arg::Kind::special:
      for (int lane = 0; lane < kLanes; ++lane)
        lanes[lane] = static_cast<std::uint32_t>(special(arg.offset / 4, arg.offset % 4, lane));
      return;
  }
}

void Executor::read64(const Arg& arg, std::uint64_t* lanes) {
  if (arg.kind == Arg::Kind::reg && arg.bytes >= 8) {
    const std::uint64_t* from = place64(arg);
    int step = arg.bytes / 8;
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = from[lane * step];
    return;
  }
  if (arg.kind == Arg::Kind::value) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = static_cast<std::uint64_t>(arg.value);
    return;
  }
  if (arg.kind == Arg::Kind::special) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = special(arg.offset / 4, arg.offset % 4, lane);
    return;
  }
  Lanes32 narrow;
  read32(arg, narrow);
  for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = narrow[lane];
}

void Executor::write_predicate(const Arg& arg, std::uint32_t bits) {
  if (arg.kind != Arg::Kind::reg) return;
  std::uint32_t* to = place32(arg);
  *to = (*to & ~mask_) | (bits & mask_);
}

void Executor::write32(const Arg& arg, const std::uint32_t* lanes) {
  if (arg.kind != Arg::Kind::reg) return;
  if (arg.bytes == 0) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) bits |= (lanes[lane] & 1) << lane;
    write_predicate(arg, bits);
  } else if (arg.bytes == 4) {
    std::uint32_t* to = place32(arg);
    if (mask_ == ~0u) {
      std::memcpy(to, lanes, sizeof(Lanes32));
    } else {
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        to[lane] = lanes[lane];
      }
    }
  } else {
    std::uint64_t* to = place64(arg);
    int step = arg.bytes / 8;
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      int lane = std::countr_zero(rest);
      to[lane * step] = lanes[lane];
    }
  }
}

void Executor::write64(const Arg& arg, const std::uint64_t* lanes) {
  if (arg.kind != Arg::Kind::reg) return;
  if (arg.bytes < 8) {
    Lanes32 narrow;
    for (int lane = 0; lane < kLanes; ++lane) narrow[lane] = static_cast<std::uint32_t>(lanes[lane]);
    return write32(arg, narrow);
  }
  std::uint64_t* to = place64(arg);
  int step = arg.bytes / 8;
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    to[lane * step] = lanes[lane];
  }
}

int Executor::first_lane() const {
  return mask_ == 0 ? 0 : std::countr_zero(mask_);
}

std::uint64_t Executor::scalar(const Arg& arg) {
  Lanes64 lanes;
  read64(arg, lanes);
  return lanes[first_lane()];
}

// PTX ISA, "Special Registers".
std::uint64_t Executor::special(std::uint32_t reg, std::uint32_t part, int lane) {
  const auto &block = launch_.block, &grid = launch_.grid, &cluster = launch_.cluster;
  std::uint32_t thread = static_cast<std::uint32_t>(warp_->number) * kLanes + static_cast<std::uint32_t>(lane);
  auto split = [part](std::uint32_t index, const std::array<std::uint32_t, 3>& of) {
    return part == 0 ? index % of[0] : part == 1 ? index / of[0] % of[1] : index / of[0] / of[1];
  };
  std::size_t p = part < 3 ? part : 0;
  std::uint32_t bit = 1u << lane;
  switch (static_cast<SpecialRegister>(reg)) {
    case SpecialRegister::tid:
      return split(thread, block);
    case SpecialRegister::ntid:
      return block[p];
    case SpecialRegister::ctaid:
      return cta().id[p];
    case SpecialRegister::nctaid:
      return grid[p];
    case SpecialRegister::laneid:
      return static_cast<std::uint32_t>(lane);
    case SpecialRegister::warpid:
      return static_cast<std::uint32_t>(warp_->number);
    case SpecialRegister::nwarpid:
      return (block[0] * block[1] * block[2] + kLanes - 1) / kLanes;
    case SpecialRegister::smid:
      return (cluster_->number * cluster_->peers + cta().rank) % static_cast<unsigned>(sms_);
    case SpecialRegister::nsmid:
      return static_cast<std::uint32_t>(sms_);
    case SpecialRegister::clusterid:
      return cta().id[p] / cluster[p];
    case SpecialRegister::nclusterid:
      return grid[p] / cluster[p];
    case SpecialRegister::cluster_ctaid:
      return cta().id[p] % cluster[p];
    case SpecialRegister::cluster_nctaid:
      return cluster[p];
    case SpecialRegister::cluster_ctarank:
      return cta().rank;
    case SpecialRegister::cluster_nctarank:
      return cluster_->peers;
    case SpecialRegister::is_explicit_cluster:
      return cluster_->peers > 1;
    case SpecialRegister::lanemask_eq:
      return bit;
    case SpecialRegister::lanemask_le:
      return bit | (bit - 1);
    case SpecialRegister::lanemask_lt:
      return bit - 1;
    case SpecialRegister::lanemask_ge:
      return ~(bit - 1);
    case SpecialRegister::lanemask_gt:
      return ~(bit | (bit - 1));
    case SpecialRegister::clock:
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
      return warp_->instructions;
    case SpecialRegister::environment_1:
      return launch_.workspace >> 32;
    case SpecialRegister::environment_2:
      return launch_.workspace & 0xffffffff;
    case SpecialRegister::reserved_smem_offset_end:
    case SpecialRegister::reserved_smem_offset_cap:
      return kSharedStart;
    case SpecialRegister::reserved_smem_offset_0:
      return kReservedForLibraries + (kSharedStart - kReservedForLibraries) / 4 * 3;
    case SpecialRegister::reserved_smem_offset_1:
      return kReservedForLibraries;
    case SpecialRegister::dynamic_smem_size:
      return static_cast<std::uint64_t>(launch_.dynamic_shared);
    case SpecialRegister::total_smem_size:
      return static_cast<std::uint64_t>(launch_.dynamic_shared + code_.shared_bytes);
    default:
      return 0;
  }
}

}  // namespace warpcc::checker::ptx
