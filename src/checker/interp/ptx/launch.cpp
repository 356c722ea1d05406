// A launch: clusters are started as there is room, take turns, and end; or nothing moves any more.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "checker/interp/ptx/executor.h"
#include "support/words.h"

namespace warpcc::checker::ptx {

Executor::Executor(DeviceMemory& memory, const FunctionCode& code, const PtxLaunch& launch, const Options& options,
                   Outcome& outcome, int sms)
    : memory_(memory), code_(code), launch_(launch), options_(options), outcome_(outcome), sms_(sms) {
  params_.assign(static_cast<std::size_t>(code.param_bytes), 0);
  for (std::size_t i = 0; i < launch.params.size() && i < code.param_offsets.size(); ++i) {
    auto at = static_cast<std::size_t>(code.param_offsets[i]);
    std::size_t count = std::min(launch.params[i].size(), params_.size() - at);
    std::copy_n(launch.params[i].begin(), count, params_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (launch.order) {
    ordering_ = std::make_unique<LaunchOrder>();
    narrow_ = any_narrow();
    relaxes_ = any_relaxed();
  }
  clusters_ = 1;
  for (std::size_t i = 0; i < 3; ++i) clusters_ *= launch.grid[i] / launch.cluster[i];
  const auto& [x, y, z] = launch.block;
  const std::uint32_t warps = (x * y * z + kLanes - 1) / kLanes;
  schedule_ =
      machine::Schedule::of(options.seed, static_cast<int>(launch.cluster[0] * launch.cluster[1] * launch.cluster[2]),
                            static_cast<int>(warps));
  random_ = options.seed * 0x9e3779b97f4a7c15u + 1;
}

void Executor::start(std::uint64_t number) {
  const auto& [cx, cy, cz] = launch_.cluster;
  const std::uint32_t ctas = cx * cy * cz, threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  const std::uint32_t warps = (threads + kLanes - 1) / kLanes;
  auto cluster = std::make_unique<Cluster>(static_cast<std::size_t>(ctas) * warps);
  cluster->number = number;
  cluster->peers = ctas;
  std::uint64_t across = launch_.grid[0] / cx, down = launch_.grid[1] / cy;
  std::array<std::uint64_t, 3> first = {number % across * cx, number / across % down * cy, number / across / down * cz};
  auto end = static_cast<std::uint32_t>(kSharedStart + code_.shared_bytes + launch_.dynamic_shared);
  for (std::uint32_t rank = 0; rank < ctas; ++rank) {
    const std::int64_t begin = code_.reserved_shared ? kReservedForLibraries : kSharedStart;
    auto cta = std::make_unique<Cta>(static_cast<std::uint32_t>(begin), (end + 15) / 16 * 16);
    cta->rank = rank;
    cta->id = {static_cast<std::uint32_t>(first[0] + rank % cx), static_cast<std::uint32_t>(first[1] + rank / cx % cy),
               static_cast<std::uint32_t>(first[2] + rank / cx / cy)};
    cluster->ctas.push_back(std::move(cta));
    for (std::uint32_t number_in_cta = 0; number_in_cta < warps; ++number_in_cta) {
      auto warp = std::make_unique<Warp>();
      warp->number = static_cast<int>(number_in_cta);
      warp->cta = static_cast<int>(rank);
      std::uint32_t left = threads - number_in_cta * kLanes;
      warp->live = left >= kLanes ? ~0u : (1u << left) - 1;
      Group all;
      all.mask = warp->live;
      all.pc = code_.start;
      warp->groups.push_back(all);
      warp->registers.assign((code_.register_bytes + 7) / 8, std::uint64_t{kUnwritten} << 32 | kUnwritten);
      for (std::uint32_t at : code_.predicates)
        std::memset(reinterpret_cast<std::uint8_t*>(warp->registers.data()) + at, 0, sizeof(std::uint32_t));
      warp->calls.resize(code_.parts.size());
      warp->frame.assign(static_cast<std::size_t>(code_.frame_bytes) * kLanes, 0);
      cluster->warps.push_back(std::move(warp));
    }
  }
  order_begin(*cluster);
  resident_.push_back(std::move(cluster));
}

bool Executor::ready(Warp& warp, Group& group) {
  switch (group.blocked) {
    case Blocked::no:
      return true;
    case Blocked::gather: {
      // The others may be gone, or have come.
      return false;
    }
    case Blocked::mbarrier: {
      if (!patient_) return true;
      auto& barriers = cluster_->ctas[static_cast<std::size_t>(group.cta)]->barriers;
      auto found = barriers.find(group.offset);
      return found == barriers.end() || found->second.passed(static_cast<int>(group.parity));
    }
    case Blocked::named_barrier:
    case Blocked::wgmma:
      return false;
    case Blocked::cluster_barrier: {
      int number = warp.cta * static_cast<int>(cluster_->warps.size() / cluster_->ctas.size()) + warp.number;
      return cluster_->barrier.passed(number);
    }
    default:
      return true;
  }
}

// A turn of a warp: its lowest group that can run, until it waits.
bool Executor::run_warp(Warp& warp) {
  warp_ = &warp;
  bool ran = false;
  int left = turn_;
  const std::uint64_t before = progress_;
  while (left > 0 && !stopped_) {
    warp.groups.erase(
        std::remove_if(warp.groups.begin(), warp.groups.end(), [](const Group& each) { return each.mask == 0; }),
        warp.groups.end());
    if (warp.groups.empty()) return true;
    if (warp.groups.size() > 1) merge(warp);
    group_ = nullptr;
    // The lowest; but lanes that wait for others of their warp by asking again and again give way to them.
    for (std::size_t i = 0; i < warp.groups.size() && group_ == nullptr; ++i) {
      Group& each = warp.groups[(warp.passed_over + i) % warp.groups.size()];
      if (ready(warp, each)) group_ = &each;
    }
    if (group_ == nullptr) break;
    group_->blocked = Blocked::no;
    bool alone = warp.groups.size() == 1;
    while (left-- > 0) {
      line_ = group_->pc;
      const Code& code = code_.code[line_];
      mask_ = guard(code, group_->mask);
      ++warp.instructions;
      ++outcome_.instructions;
      ran = true;
      if (mask_ == 0) {
        ++group_->pc;
      } else {
        if (code.aligned && mask_ != group_->mask) tell_left_out();
        if (ordering_ && !warp.order->loading.empty()) touch_loading(code);
        if (ordering_ && warp.order->register_fences != 0) touch_computed(code);
        Next next = step(code);
        if (stopped_) return true;
        if (next == Next::blocked) {
          if (group_->blocked == Blocked::stores || group_->blocked == Blocked::mbarrier ||
              group_->blocked == Blocked::registers || group_->blocked == Blocked::pair)
            ran = ran && progress_ != before;
          break;
        }
        if (next == Next::on) ++group_->pc;
        if (group_ == nullptr || group_->mask == 0 || next == Next::jumped) break;
      }
      if (!alone) break;
    }
    if (group_ != nullptr && group_->blocked != Blocked::no && warp.groups.size() == 1) break;
    if (group_ != nullptr && group_->blocked != Blocked::no) {
      bool other = std::any_of(warp.groups.begin(), warp.groups.end(), [&](Group& each) {
        return each.mask != 0 && ready(warp, each) && each.blocked != Blocked::stores;
      });
      if (!other) break;
    }
  }
  warp.passed_over = progress_ == before && warp.asked && warp.groups.size() > 1 ? warp.passed_over + 1 : 0;
  warp.asked = false;
  if (watching_ && progress_ == before) watch(warp);
  return progress_ != before || ran;
}

// What a warp does without anything moving either ends, or comes back to where it was: registers, local memory and
// places. States are kept at turns that lie ever further apart, so that a circle of any length is met.
void Executor::watch(Warp& warp) {
  auto places = [](const Warp& of) {
    std::vector<std::uint32_t> result;
    for (const Group& each : of.groups) {
      result.push_back(each.pc);
      result.push_back(each.mask);
    }
    return result;
  };
  Warp::Watch& kept = warp.watch;
  if (kept.since != progress_) kept = {};
  kept.since = progress_;
  std::vector<std::uint32_t> now = places(warp);
  if (kept.turns > 0 && kept.places == now && kept.registers == warp.registers && kept.frame == warp.frame) {
    kept.circles = true;
    return;
  }
  if (std::has_single_bit(++kept.turns)) {
    kept.places = std::move(now);
    kept.registers = warp.registers;
    kept.frame = warp.frame;
  }
}

// Whether no warp can come further by itself.
bool Executor::all_wait() const {
  for (const auto& cluster : resident_) {
    for (const auto& warp : cluster->warps) {
      if (warp->done() || (warp->watch.circles && warp->watch.since == progress_)) continue;
      for (const Group& group : warp->groups) {
        if (group.blocked == Blocked::no) return false;
      }
    }
  }
  return true;
}

void Executor::finish(Cluster& cluster) {
  while (run_asynchronous(cluster)) {
  }
  for (const auto& cta : cluster.ctas) {
    cluster_ = &cluster;
    warp_ = cluster.warps[cta->rank * (cluster.warps.size() / cluster.ctas.size())].get();
    if (int left = cta->tensor.allocated_columns(); left > 0)
      report(Finding::Kind::protocol,
             fmt::format("CTA {} ends with {} columns of tensor memory that it has not freed", cta->rank, left));
    for (const auto& [offset, barrier] : cta->barriers) {
      if (barrier.live() && barrier.bytes() != 0) report_bytes(*cta, offset, barrier);
    }
  }
}

// All that was begun has landed: what a barrier was told to expect, and what came, are not the same.
void Executor::report_bytes(const Cta& cta, std::uint32_t offset, const machine::MBarrier& barrier) {
  auto at = cta.announced.find(offset);
  if (at != cta.announced.end()) line_ = at->second;
  const bool more = barrier.bytes() < 0;
  report(Finding::Kind::protocol,
         fmt::format("{} ends in phase {} with {} bytes {} than it was told to expect",
                     barrier_name(static_cast<int>(cta.rank), offset), barrier.phase(), std::abs(barrier.bytes()),
                     more ? "more" : "less"),
         {more ? "phases complete before all has landed: expect_tx with the bytes of all copies of a phase"
               : "the phase never completes: expect_tx with no more than the copies of a phase bring",
          "PTX ISA, mbarrier: expect-tx operation"});
}

// Some lanes of a warp are about to execute what all execute together.
void Executor::tell_left_out() {
  report(Finding::Kind::protocol,
         fmt::format("is executed by the lanes {:#x} of {:#x}: its guard differs within the warp", mask_, group_->mask),
         {"to mend: all lanes of the warp execute it: what chooses is the same for all of them",
          "PTX ISA: what an instruction with .aligned does is undefined where not all threads of a warp execute it"});
}

// Lanes that wait for others of their warp, and where those are.
void Executor::report_parted(const Warp& warp, const Group& group) {
  std::vector<std::string> details;
  for (const Group& other : warp.groups) {
    if (&other != &group)
      details.push_back(
          fmt::format("the lanes {:#x} are at {}: {}", other.mask, place_text(other.pc), line_text(other.pc)));
  }
  details.push_back("to mend: all lanes of the warp come to it, at one place");
  report(Finding::Kind::hang,
         fmt::format("{} waits for its other lanes at {}: the lanes {:#x} have come", where(warp), line_text(group.pc),
                     group.mask),
         std::move(details));
}

// Who has signalled the barrier that a group waits at: what is missing among these is what has not come.
void Executor::tell_signals(const Group& group, std::vector<std::string>& details) const {
  constexpr std::size_t kMost = 6;
  const auto& signals = cluster_->ctas[static_cast<std::size_t>(group.cta)]->signals;
  auto found = signals.find(group.offset);
  if (found == signals.end()) return details.push_back("nothing has signalled it");
  for (std::size_t i = 0; i < std::min(found->second.size(), kMost); ++i) {
    const auto& [line, times] = found->second[i];
    details.push_back(fmt::format("it is signalled by {}: {}, so far {}", place_text(line), line_text(line),
                                  times == 1 ? "once" : fmt::format("{} times", times)));
  }
  if (found->second.size() > kMost) details.push_back(fmt::format("and by {} more", found->second.size() - kMost));
}

void Executor::report_hang() {
  tell_early_reads();
  for (const auto& cluster : resident_) {
    cluster_ = cluster.get();
    for (const auto& warp : cluster->warps) {
      warp_ = warp.get();
      for (const Group& group : warp->groups) report_hang(*warp, group);
    }
  }
  stopped_ = true;
}

void Executor::report_hang(Warp& warp, const Group& group) {
  line_ = group.pc;
  if (group.blocked == Blocked::gather) return report_parted(warp, group);
  std::string text = where(warp);
  const Code& code = code_.code[group.pc];
  std::vector<std::string> details;
  std::string kind_of_hang;
  // A loop of tests stands anywhere between two.
  switch (group.tested == progress_ ? Op::mbar_test : code.op) {
    case Op::mbar_test: {
      auto& barriers = cluster_->ctas[static_cast<std::size_t>(group.cta)]->barriers;
      auto found = barriers.find(group.offset);
      text +=
          fmt::format(" waits at {} for the phase of parity {}", barrier_name(group.cta, group.offset), group.parity);
      if (found != barriers.end()) {
        const machine::MBarrier& of = found->second;
        const std::string state = fmt::format(": it is in phase {}, {} of {} arrivals to come, {} bytes", of.phase(),
                                              of.pending(), of.expected(), of.bytes());
        text += state;
        // Of the CTAs that wait at this line, one for each state: the one that is short is not the first to be met.
        kind_of_hang = fmt::format("{} {}", group.parity, state);
        tell_overrun(warp, group, static_cast<std::int64_t>(of.phase()), details);
        tell_signals(group, details);
      }
      break;
    }
    case Op::bar_sync: {
      auto& named = cluster_->ctas[static_cast<std::size_t>(warp.cta)]->named[group.offset & 15];
      text += fmt::format(" waits at named barrier {}: {} of {} threads have come", group.offset, named.arrived(),
                          named.threads());
      break;
    }
    case Op::tmem_alloc:
      text += " waits for the pair's other CTA to allocate tensor memory: both do it together";
      break;
    case Op::register_budget:
      text += fmt::format(
          " waits for {} registers a thread: it has {}, and the CTA's warps have given back {} more than they have "
          "taken",
          scalar(arg(code, 0)), warp.registers_held,
          cluster_->ctas[static_cast<std::size_t>(warp.cta)]->spare_registers);
      for (const auto& other : cluster_->warps) {
        const auto& budgets = cluster_->ctas[static_cast<std::size_t>(warp.cta)]->budgets;
        if (other->cta != warp.cta ||
            other->budgets >= budgets[static_cast<std::size_t>(other->number / 4) % 16].size())
          continue;
        if (other->groups.size() == 1 && other->groups[0].blocked == Blocked::registers) continue;
        details.push_back(
            fmt::format("warp {} has not executed the setmaxnreg that others of its warpgroup have: all of them do "
                        "(PTX ISA, setmaxnreg)",
                        other->number));
      }
      details.push_back("PTX ISA, setmaxnreg: what is asked for comes from what other warps of the CTA give back");
      break;
    case Op::cluster_wait:
      text += " waits at the cluster's barrier for " +
              counted(static_cast<std::uint64_t>(cluster_->barrier.missing()), "warp");
      break;
    default:
      text += " does not come further";
      break;
  }
  if (hangs_told_.emplace(line_, std::move(kind_of_hang)).second) told_.erase({Finding::Kind::hang, line_});
  report(Finding::Kind::hang, std::move(text), std::move(details));
}

std::string Executor::where(const Warp& warp) const {
  const Cta& of = *cluster_->ctas[static_cast<std::size_t>(warp.cta)];
  return fmt::format("CTA ({}, {}, {}) warp {}", of.id[0], of.id[1], of.id[2], warp.number);
}

void Executor::report(Finding::Kind kind, std::string text, std::vector<std::string> details) {
  auto [told, fresh] = told_.try_emplace({kind, line_}, outcome_.findings.size(), 1);
  switch (kind) {
    case Finding::Kind::hang:
      ++outcome_.hangs;
      break;
    case Finding::Kind::protocol:
      ++outcome_.protocol_problems;
      break;
    case Finding::Kind::named_barrier:
      ++outcome_.named_barriers_wrong;
      break;
    default:
      ++outcome_.memory_problems;
      break;
  }
  if (!fresh) {
    ++told->second.second;
    return;
  }
  if (kind != Finding::Kind::hang && warp_ != nullptr) text += " (" + where(*warp_) + ")";
  add_finding(kind, std::move(text), std::move(details));
}

void Executor::add_finding(Finding::Kind kind, std::string text, std::vector<std::string> details) {
  Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  finding.details = std::move(details);
  if (const ptx_text::Instruction* at = code_.instruction(line_))
    finding.where = {code_.module->file, at->offset, at->offset + at->length};
  // What is found again and again is told once a line, or a few times where it is of two lines; the rest is counted.
  int of_kind = 0, here = 0;
  for (const Finding& other : outcome_.findings) {
    of_kind += other.kind == kind;
    here += other.kind == kind && other.where == finding.where;
  }
  if (of_kind >= options_.most_findings ||
      (kind != Finding::Kind::hang && here >= (kind == Finding::Kind::race ? 3 : 1)))
    return;
  outcome_.findings.push_back(std::move(finding));
}

void Executor::tell_early_reads() {
  for (auto& [line, text] : early_reads_) {
    line_ = line;
    ++outcome_.memory_problems;
    add_finding(Finding::Kind::memory, std::move(text),
                {"the program hangs: a wait for the MMAs that write it may be missing before this"});
  }
  early_reads_.clear();
}

void Executor::report_faults() {
  if (faults_.empty()) return;
  for (machine::Fault& fault : faults_.take()) {
    report(fault.kind == machine::Fault::Kind::memory          ? Finding::Kind::memory
           : fault.kind == machine::Fault::Kind::named_barrier ? Finding::Kind::named_barrier
                                                               : Finding::Kind::protocol,
           std::move(fault.text));
  }
}

}  // namespace warpcc::checker::ptx
