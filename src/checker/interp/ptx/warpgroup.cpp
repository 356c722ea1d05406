// wgmma: the four warps of a warpgroup each do their 16 rows, in their own time.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/ptx/executor.h"
#include "checker/machine/sparsity.h"

namespace warpcc::checker::ptx {

namespace {

std::optional<layout::Element> element_of(Num type) {
  switch (type) {
    case Num::f16:
      return layout::Element::f16;
    case Num::bf16:
      return layout::Element::bf16;
    case Num::f32:
      return layout::Element::f32;
    case Num::tf32:
      return layout::Element::tf32;
    case Num::e4m3x2:
      return layout::Element::f8e4m3;
    case Num::e5m2x2:
      return layout::Element::f8e5m2;
    case Num::s8:
      return layout::Element::s8;
    case Num::u8:
      return layout::Element::u8;
    case Num::s32:
      return layout::Element::s32;
    default:
      return {};
  }
}

}  // namespace

// Registers have their values at once; that somebody reads them before a wait is looked at where they are touched
// (order_tensor.cpp).
Executor::Next Executor::warpgroup(const Code& code) {
  if (!together(~0u)) return Next::blocked;
  switch (code.op) {
    case Op::wgmma_commit:
      if (warpgroup_meets(false) == Next::blocked) return Next::blocked;
      warp_->computing.push_back({std::nullopt, line_});
      ++warp_->closed;
      order_wgmma_closed();
      return Next::on;
    case Op::wgmma_wait:
      finish_groups(*warp_, static_cast<int>(scalar(arg(code, 0))));
      order_wgmma_done(static_cast<std::uint32_t>(scalar(arg(code, 0))));
      return Next::on;
    case Op::wgmma_fence:
      if (ordering_ && !group_->arrived) ++warp_->order->register_fences;
      return warpgroup_meets(true);
    default:
      break;
  }
  // A, B, adds, signs and majors, D, A's registers, the chunks of a sparse A and who has them
  std::optional<layout::Element> d = element_of(code.type), ab = element_of(code.from), b = element_of(code.from_b);
  machine::WarpgroupMma mma;
  mma.a = scalar(arg(code, 0));
  mma.b = scalar(arg(code, 1));
  mma.accumulate = predicate(arg(code, 2)) >> first_lane() & 1;
  if (!d || !ab) {
    report(Finding::Kind::protocol, "multiplies what the machine's wgmma does not have");
    stopped_ = true;
    return Next::on;
  }
  mma.a_in_registers = code.at_read;
  mma.sparse = code.sparse;
  mma.negate_a = arg(code, 3).value == -1;
  mma.negate_b = arg(code, 4).value == -1;
  mma.d = *d;
  mma.ab = *ab;
  mma.b_alone = b;
  mma.n = code.extra;
  mma.a_major = arg(code, 5).value == 1 ? layout::Major::mn : layout::Major::k;
  mma.b_major = arg(code, 6).value == 1 ? layout::Major::mn : layout::Major::k;
  if (mma.registers() != code.vector) {
    report(Finding::Kind::protocol,
           fmt::format("D of {} columns has {} registers, not {}", mma.n, mma.registers(), code.vector));
    return Next::on;
  }
  step_together(code, {line_, code.at_read ? 0 : mma.a, mma.b, mma.accumulate, warp_->number});
  std::optional<machine::WarpgroupCore::Ready> refused;
  auto ready = warpgroup_core_.issue(mma, warp_->number % 4, cta().shared, faults_, &refused);
  report_faults();
  // What is not there yet under this schedule may be there under another: that nothing orders the two is told as well.
  if (refused) order_wgmma(code, *refused);
  if (!ready) return Next::on;
  order_wgmma(code, *ready);
  if (mma.accumulate) need_written(code, 7, code.vector, "adds to");
  if (code.at_read) need_written(code, 7u + code.vector, 4, "multiplies");
  std::vector<std::uint32_t> registers(static_cast<std::size_t>(mma.registers()) * kLanes);
  for (int i = 0; i < mma.registers(); ++i)
    read32(arg(code, static_cast<std::size_t>(i) + 7), &registers[static_cast<std::size_t>(i) * kLanes]);
  Lanes32 a[4]{};
  for (std::size_t i = 0; code.at_read && i < 4; ++i) read32(arg(code, 7 + code.vector + i), a[i]);
  std::array<std::uint64_t, 16> chunks{};
  if (code.sparse) {
    const std::size_t after = 7u + code.vector + (code.at_read ? 4 : 0);
    Lanes32 metadata;
    read32(arg(code, after), metadata);
    const int width = layout::bits(*ab);
    chunks = machine::chunks_of_rows(metadata, 256 / width, width, static_cast<int>(arg(code, after + 1).value) & 1);
  }
  warpgroup_core_.multiply(*ready, cta().shared, registers.data(), a[0], chunks.data());
  for (int i = 0; i < mma.registers(); ++i)
    write32(arg(code, static_cast<std::size_t>(i) + 7), &registers[static_cast<std::size_t>(i) * kLanes]);
  warp_->computing.push_back({std::move(ready), line_});
  ++progress_;
  return Next::on;
}

// The four warps of a warpgroup begin the same MMAs, each in its own time: the first to come says what it is.
void Executor::step_together(const Code& code, const WarpgroupStep& step) {
  constexpr const char* kChapter = "PTX ISA, wgmma.mma_async: what a matrix descriptor says is the same in all warps";
  if (!code.at_read) need_same(arg(code, 0), "a descriptor of A", kChapter);
  need_same(arg(code, 1), "a descriptor of B", kChapter);
  need_same(arg(code, 2), "a predicate, whether it adds to D,", kChapter);
  std::vector<WarpgroupStep>& steps = cta().steps[static_cast<std::size_t>(warp_->number / 4) % 8];
  if (steps.size() == warp_->begun) steps.push_back(step);
  const WarpgroupStep& first = steps[warp_->begun++];
  if (first.line != step.line) {
    report(Finding::Kind::protocol,
           fmt::format("is executed here by warp {}, and warp {} of its warpgroup is at {}: {}", step.warp, first.warp,
                       place_text(first.line), line_text(first.line)),
           {"to mend: all warps of a warpgroup execute the same MMAs", "PTX ISA, wgmma.mma_async: .aligned"});
    return;
  }
  auto differs = [&](const char* what, std::uint64_t now, std::uint64_t before) {
    if (now == before) return;
    report(Finding::Kind::protocol,
           fmt::format("has {} that differs between the warps of a warpgroup: {:#x} in warp {}, {:#x} in warp {}", what,
                       before, first.warp, now, step.warp),
           {"to mend: the same value in all four warps: each takes its rows of A by itself", kChapter});
  };
  differs("a descriptor of A", step.a, first.a);
  differs("a descriptor of B", step.b, first.b);
  differs("a predicate, whether it adds to D,", step.adds, first.adds);
}

// What ptxas gives each thread, where the kernel says enough (CUDA programming guide, launch bounds); 0: not known, and
// setmaxnreg is ignored then.
int Executor::registers_at_start() const {
  const ptx_text::Function& kernel = *code_.parts.back().function;
  // The machine gives them by eights: 255, the most that a thread can name, are 256.
  if (kernel.most_registers != 0) return static_cast<int>(kernel.most_registers + 7) / 8 * 8;
  std::uint32_t threads = 1;
  for (std::size_t i = 0; i < 3; ++i)
    threads *= std::max<std::uint32_t>(1, kernel.threads[0] != 0 ? kernel.threads[i] : kernel.most_threads[i]);
  if (kernel.least_ctas == 0 || (kernel.threads[0] == 0 && kernel.most_threads[0] == 0)) return 0;
  constexpr std::uint32_t kRegistersOfSm = 65536, kMost = 256;
  return static_cast<int>(std::min(kMost, kRegistersOfSm / (threads * kernel.least_ctas)) / 8 * 8);
}

// A thread's registers come from, and go back to, what its CTA has (PTX ISA, setmaxnreg).
Executor::Next Executor::trade_registers(const Code& code) {
  if (!together(~0u)) return Next::blocked;
  int& held = warp_->registers_held;
  if (held == 0) held = registers_at_start();
  const int wanted = static_cast<int>(scalar(arg(code, 0)));
  if (wanted < 24 || wanted > 256 || wanted % 8 != 0) {
    report(Finding::Kind::protocol,
           fmt::format("asks for {} registers a thread: a multiple of 8 from 24 to 256 can be had", wanted));
    return Next::on;
  }
  std::vector<Cta::Budget>& budgets = cta().budgets[static_cast<std::size_t>(warp_->number / 4) % 16];
  if (budgets.size() == warp_->budgets) budgets.push_back({wanted, warp_->number});
  if (const Cta::Budget& first = budgets[warp_->budgets]; first.registers != wanted)
    report(Finding::Kind::protocol,
           fmt::format("asks for {} registers a thread, and warp {} of its warpgroup has asked for {}", wanted,
                       first.warp, first.registers),
           {"PTX ISA, setmaxnreg: all warps of a warpgroup execute the same setmaxnreg"});
  if (held == 0) {
    ++warp_->budgets;
    return Next::on;
  }
  if (code.add ? wanted < held : wanted > held) {
    report(Finding::Kind::protocol, fmt::format("{} to {} registers a thread, of which it has {}",
                                                code.add ? "increases" : "decreases", wanted, held));
    ++warp_->budgets;
    return Next::on;
  }
  if (int missing = (wanted - held) * kLanes; missing > cta().spare_registers) {
    group_->blocked = Blocked::registers;
    return Next::blocked;
  }
  cta().spare_registers -= (wanted - held) * kLanes;
  held = wanted;
  ++warp_->budgets;
  ++progress_;
  return Next::on;
}

// At wgmma.fence the warps of a warpgroup wait for each other, as the hardware's WARPGROUP.ARRIVE has it: CUTLASS's
// first tutorial of Hopper rests on that for the copies that its four warps have made. An MMA is done when all four
// have begun it, so that they wait where they close a group, too.
Executor::Next Executor::warpgroup_meets(bool fence) {
  if (!group_->arrived) {
    const int number = warp_->number / 4;
    const int warps = std::min(4, static_cast<int>(cluster_->warps.size() / cluster_->ctas.size()) - 4 * number);
    int& met = (fence ? cta().met : cta().committing)[static_cast<std::size_t>(number) % 8];
    if (fence) order_warpgroup_met(true);
    ++progress_;
    if (++met < warps) {
      group_->blocked = Blocked::wgmma;
      group_->arrived = true;
      return Next::blocked;
    }
    met = 0;
    if (fence) order_warpgroup_complete();
    if (!fence) cta().steps[static_cast<std::size_t>(number) % 8].clear();
    for (const auto& other : cluster_->warps) {
      if (other->cta != warp_->cta || other->number / 4 != number) continue;
      if (!fence) other->begun = 0;
      if (other.get() == warp_) continue;
      for (Group& group : other->groups) {
        if (group.blocked == Blocked::wgmma) group.blocked = Blocked::no;
      }
    }
  }
  group_->arrived = false;
  if (fence) order_warpgroup_met(false);
  return Next::on;
}

// All but the newest `left` groups.
void Executor::finish_groups(Warp& warp, int left) {
  Cta& of = *cluster_->ctas[static_cast<std::size_t>(warp.cta)];
  while (warp.closed > left && !warp.computing.empty()) {
    WarpgroupWork work = std::move(warp.computing.front());
    warp.computing.pop_front();
    if (work.mma) {
      warpgroup_core_.finish(*work.mma, of.shared);
    } else {
      --warp.closed;
    }
  }
}

}  // namespace warpcc::checker::ptx
