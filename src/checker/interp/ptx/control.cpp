// The flow of a warp: its lanes part at branches and meet again.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

// Groups that stand at one place are one.
void Executor::merge(Warp& warp) {
  auto& groups = warp.groups;
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.pc < b.pc; });
  for (std::size_t i = 1; i < groups.size();) {
    Group &low = groups[i - 1], &high = groups[i];
    bool both_free = !low.arrived && !high.arrived;
    if (low.pc == high.pc && both_free) {
      low.mask |= high.mask;
      low.blocked = Blocked::no;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

bool Executor::together(std::uint32_t members) {
  std::uint32_t wanted = members & warp_->live;
  if ((wanted & ~group_->mask) == 0) return true;
  group_->blocked = Blocked::gather;
  return false;
}

// Does `work` for lanes that name the same members, and each such part by itself: lanes that are at one instruction may
// be of several groups of threads (tiles of 16 lanes reduce side by side). Parts whose members are not all here wait.
Executor::Next Executor::by_members(const Arg& members, const std::function<void()>& work) {
  if (members.kind == Arg::Kind::value) {
    if (!together(static_cast<std::uint32_t>(members.value))) return Next::blocked;
    tell_outside(static_cast<std::uint32_t>(members.value));
    work();
    return Next::on;
  }
  Lanes32 named;
  read32(members, named);
  const std::uint32_t all = mask_;
  std::uint32_t waiting = 0;
  for (std::uint32_t rest = all; rest != 0; rest &= ~mask_) {
    const std::uint32_t mine = named[std::countr_zero(rest)];
    mask_ = 0;
    for (std::uint32_t left = rest; left != 0; left &= left - 1) {
      if (named[std::countr_zero(left)] == mine) mask_ |= left & -left;
    }
    if ((mine & warp_->live & ~group_->mask) != 0) {
      waiting |= mask_;
    } else {
      tell_outside(mine);
      work();
    }
  }
  mask_ = all;
  if (waiting == 0) return Next::on;
  if (waiting == all) {
    group_->blocked = Blocked::gather;
    return Next::blocked;
  }
  Lanes32 to;
  for (int lane = 0; lane < kLanes; ++lane) to[lane] = group_->pc + ((waiting >> lane & 1) == 0 ? 1 : 0);
  scatter(to);
  return Next::jumped;
}

void Executor::tell_outside(std::uint32_t members) {
  const std::uint32_t outside = mask_ & ~members;
  if (outside == 0) return;
  report(Finding::Kind::protocol,
         fmt::format("is executed by the lanes {:#x}, which its mask {:#x} does not name", outside, members),
         {"to mend: a mask that names each lane that comes here",
          "PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, bar.warp.sync: undefined where a thread "
          "that executes it is not in membermask"});
}

// A lane fetches from another that takes no part.
void Executor::tell_source(int lane, int from, std::uint32_t members) {
  const bool live = (warp_->live >> from & 1) != 0, named = (members >> from & 1) != 0;
  if (!live && !options_.strict) return;
  std::vector<std::string> details = {
      "to mend: a source that the mask names, and that executes it as well, or one "
      "outside of the segment, where the lane's own value is given",
      "PTX ISA, shfl.sync: what comes of such a thread is undefined"};
  if (!live) details.insert(details.begin(), "asked for by the ISA; it breaks only where what is fetched is used");
  report(Finding::Kind::protocol,
         fmt::format("fetches for lane {} from lane {}, which {}", lane, from,
                     !live   ? "has exited, or was never there"
                     : named ? "does not execute it"
                             : fmt::format("its mask {:#x} does not name", members)),
         std::move(details));
}

void Executor::leave(std::uint32_t lanes) {
  warp_->live &= ~lanes;
  group_->mask &= ~lanes;
  for (Group& group : warp_->groups) {
    if (group.blocked == Blocked::gather) group.blocked = Blocked::no;
  }
  ++progress_;
  if (warp_->live == 0) {
    int number = static_cast<int>(&*std::find_if(cluster_->warps.begin(), cluster_->warps.end(), [&](const auto& each) {
      return each.get() == warp_;
    }) - cluster_->warps.data());
    order_end_of_warp();
    cluster_->barrier.exit(number);
    follow_cluster_barrier();
    leave_named();
  }
}

void Executor::branch(std::uint32_t target, std::uint32_t taken) {
  if (taken == 0) {
    ++group_->pc;
    return;
  }
  if (taken == group_->mask) {
    group_->pc = target;
    return;
  }
  Group other;
  other.pc = target;
  other.mask = taken;
  group_->mask &= ~taken;
  ++group_->pc;
  warp_->groups.push_back(other);  // group_ may move: the caller looks again
  group_ = nullptr;
}

// The lanes that run go each to its own place.
void Executor::scatter(const std::uint32_t* to) {
  const std::uint32_t stay = group_->mask & ~mask_;
  std::uint32_t rest = mask_;
  llvm::SmallVector<Group, 4> parted;
  while (rest != 0) {
    Group part;
    part.pc = to[std::countr_zero(rest)];
    for (std::uint32_t left = rest; left != 0; left &= left - 1) {
      if (to[std::countr_zero(left)] == part.pc) part.mask |= left & -left;
    }
    rest &= ~part.mask;
    parted.push_back(part);
  }
  if (stay == 0 && parted.size() == 1) {
    group_->pc = parted[0].pc;
    return;
  }
  group_->mask = stay;
  ++group_->pc;
  warp_->groups.append(parted.begin(), parted.end());  // group_ may move: the caller looks again
  group_ = nullptr;
}

Executor::Next Executor::control(const Code& code) {
  switch (code.op) {
    case Op::bra:
      branch(code.target, mask_);
      return Next::jumped;
    case Op::ret: {
      std::uint32_t rest = group_->mask & ~mask_;
      leave(mask_);
      if (rest != 0) ++group_->pc;
      return Next::jumped;
    }
    case Op::trap:
      report(Finding::Kind::protocol, "the kernel traps: it found something that must not be");
      outcome_.aborted = Outcome::Aborted::trap;
      leave(mask_);
      if (group_->mask != 0) ++group_->pc;
      return Next::jumped;
    case Op::bra_table: {
      Lanes32 to;
      read32(arg(code, 0), to);
      const std::vector<std::uint32_t>& table = code_.tables[code.target];
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        std::uint32_t& each = to[std::countr_zero(rest)];
        if (each >= table.size()) {
          report(Finding::Kind::protocol,
                 fmt::format("branches by {}, and the table has {} labels", each, table.size()));
          stopped_ = true;
          return Next::jumped;
        }
        each = table[each];
      }
      scatter(to);
      return Next::jumped;
    }
    case Op::call:
      call(code);
      return Next::on;
    case Op::call_own:
      return call_own(code);
    case Op::ret_own:
      return leave_function();
    case Op::elect:
      return by_members(arg(code, 2), [&] { elect(code); });
    case Op::warp_sync:
      return by_members(arg(code, 0), [&] { order_warp_sync(); });
    case Op::shfl:
    case Op::vote:
      return by_members(arg(code, static_cast<std::size_t>(code.count) - 1), [&] { between_lanes(code); });
    case Op::activemask: {
      Lanes32 lanes;
      std::fill_n(lanes, kLanes, group_->mask);
      write32(arg(code, 0), lanes);
      return Next::on;
    }
    default:
      return Next::on;
  }
}

void Executor::elect(const Code& code) {
  const std::uint32_t members = static_cast<std::uint32_t>(scalar(arg(code, 2))) & group_->mask;
  const int leader = members == 0 ? 0 : std::countr_zero(members);
  Lanes32 lanes;
  std::fill_n(lanes, kLanes, static_cast<std::uint32_t>(leader));
  write32(arg(code, 0), lanes);
  write_predicate(arg(code, 1), 1u << leader);
}

void Executor::between_lanes(const Code& code) {
  if (code.op == Op::vote) {
    std::uint32_t here = mask_ & static_cast<std::uint32_t>(scalar(arg(code, 2)));
    std::uint32_t votes = predicate(arg(code, 1)) & here;
    bool all = votes == here, any = votes != 0;
    if (code.extra == 3) {
      Lanes32 lanes;
      std::fill_n(lanes, kLanes, votes);
      return write32(arg(code, 0), lanes);
    }
    bool answer = code.extra == 0 ? all : code.extra == 1 ? any : all || !any;
    return write_predicate(arg(code, 0), answer ? ~0u : 0);
  }
  // d, p, a, b, c (PTX ISA, shfl.sync): c has the clamp and, from bit 8 on, the segments.
  Lanes32 a, b, c, to;
  read32(arg(code, 2), a);
  read32(arg(code, 3), b);
  read32(arg(code, 4), c);
  std::uint32_t inside = 0;
  const auto members = static_cast<std::uint32_t>(scalar(arg(code, static_cast<std::size_t>(code.count) - 1)));
  const std::uint32_t here = mask_ & members;
  for (int lane = 0; lane < kLanes; ++lane) {
    int clamp = static_cast<int>(c[lane] & 31), segment = static_cast<int>(c[lane] >> 8 & 31);
    int by = static_cast<int>(b[lane] & 31);
    int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = lane;
    bool good = true;
    switch (code.extra) {
      case 0:
        from = lane - by;
        good = from >= most;
        break;
      case 1:
        from = lane + by;
        good = from <= most;
        break;
      case 2:
        from = lane ^ by;
        good = from <= most;
        break;
      default:
        from = least | (by & ~segment);
        good = from <= most;
        break;
    }
    if (!good) from = lane;
    if ((here >> lane & 1) != 0 && (here >> (from & 31) & 1) == 0) tell_source(lane, from & 31, members);
    to[lane] = a[from & 31];
    inside |= static_cast<std::uint32_t>(good) << lane;
  }
  write32(arg(code, 0), to);
  write_predicate(arg(code, 1), inside);
}

Executor::Next Executor::step(const Code& code) {
  switch (code.op) {
    case Op::nop:
    case Op::grid_launch:
      return Next::on;
    case Op::register_budget:
      return trade_registers(code);
    case Op::grid_wait:
      order_grid_wait();
      return Next::on;
    case Op::fence:
      order_fence(code);
      if (code.extra == 3 && code.release) order_maps_released(code.scope);
      if (code.count > 0) order_map_fenced(scalar(arg(code, 0)) + static_cast<std::uint64_t>(arg(code, 1).value));
      return Next::on;
    case Op::copy_async_commit:
      order_copies_closed();
      return Next::on;
    case Op::copy_async_wait:
      order_copies_done(code.extra ? 0 : static_cast<std::uint32_t>(scalar(arg(code, 0))), code.extra != 0);
      return Next::on;
    case Op::mov:
    case Op::pack:
    case Op::unpack:
      move(code);
      return Next::on;
    case Op::setp:
    case Op::selp:
    case Op::set:
    case Op::slct:
      compare(code);
      return Next::on;
    case Op::cvt:
      convert(code);
      return Next::on;
    case Op::bra:
    case Op::ret:
    case Op::trap:
    case Op::call:
    case Op::call_own:
    case Op::ret_own:
    case Op::bra_table:
    case Op::elect:
    case Op::warp_sync:
    case Op::shfl:
    case Op::vote:
    case Op::activemask:
      return control(code);
    case Op::mma:
    case Op::wmma:
    case Op::wmma_load:
    case Op::wmma_store:
    case Op::redux:
    case Op::match:
    case Op::movmatrix:
      return of_a_warp(code);
    case Op::ld:
    case Op::st:
    case Op::atom:
    case Op::red:
    case Op::st_async:
    case Op::red_async:
    case Op::cvta:
    case Op::discard:
    case Op::copy_async:
    case Op::ldmatrix:
    case Op::stmatrix:
      memory_access(code);
      return Next::on;
    case Op::bar_sync:
    case Op::bar_arrive:
    case Op::cluster_arrive:
    case Op::cluster_wait:
    case Op::mbar_init:
    case Op::mbar_inval:
    case Op::mbar_arrive:
    case Op::mbar_expect:
    case Op::mbar_test:
    case Op::mapa:
    case Op::cta_rank:
    case Op::copy_async_arrive:
      return synchronise(code);
    case Op::tensor_load:
    case Op::tensor_store:
    case Op::bulk_load:
    case Op::bulk_store:
    case Op::bulk_commit:
    case Op::bulk_wait:
    case Op::map_replace:
    case Op::map_copy:
    case Op::clc_try:
    case Op::clc_canceled:
    case Op::clc_ctaid:
      return copies(code);
    case Op::tmem_alloc:
    case Op::tmem_dealloc:
    case Op::tmem_relinquish:
    case Op::tmem_ld:
    case Op::tmem_st:
    case Op::tmem_wait:
    case Op::tmem_mma:
    case Op::tmem_copy:
    case Op::tmem_shift:
    case Op::tmem_commit:
    case Op::tmem_fence:
      return tensor(code);
    case Op::wgmma:
    case Op::wgmma_fence:
    case Op::wgmma_commit:
    case Op::wgmma_wait:
      return warpgroup(code);
    default:
      arithmetic(code);
      return Next::on;
  }
}

}  // namespace warpcc::checker::ptx
