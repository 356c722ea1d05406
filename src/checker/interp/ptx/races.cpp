// What is said of two accesses of a PTX kernel that nothing orders.
#include <fmt/format.h>

#include "checker/interp/ptx/executor.h"
#include "checker/interp/ptx/order.h"
#include "checker/report/race_words.h"

namespace warpcc::checker::ptx {

using order::AgentKind;
using order::Use;
using order::Why;

namespace {

// What would order the two, and the chapter that asks for it.
std::pair<const char*, const char*> mends(const order::Entry& first, const order::Actor& actor, Why why) {
  const order::Entry& then = actor.entry;
  constexpr const char* kCausality = "PTX ISA, memory consistency model: causality order";
  switch (why) {
    case Why::proxy:
    case Why::proxy_read:
      return {
          "fence.proxy.async by the threads of the first, after it and before they tell of it (or by the thread of "
          "the second, once it has been told)",
          "PTX ISA, async proxy; membar, fence: proxy fences"};
    case Why::lanes:
      return {"bar.warp.sync between the two", "PTX ISA, bar.warp.sync: memory ordering among participating threads"};
    case Why::scope:
      return {
          "a fence of the scope of the cluster or the GPU before it is told of, or an arrival .release.cluster: what "
          "releases to the CTA tells no other CTA",
          "PTX ISA, memory consistency model: scope"};
    case Why::acquire:
      return {
          "mbarrier.try_wait….acquire.cluster: without a scope a wait is of the CTA, and acquires nothing that another "
          "CTA has written",
          "PTX ISA, mbarrier.test_wait, mbarrier.try_wait; memory consistency model: scope"};
    case Why::overlap:
      return {"tcgen05.commit after the first and a wait for it before the second",
              "PTX ISA, tcgen05: pipelined instructions are in order on the same accumulator and shape"};
    case Why::unordered:
    case Why::ordered:
      break;
  }
  if (order::behind_relaxed(first, actor))
    return {
        "barrier.cluster.arrive without .relaxed, or fence.acq_rel.cluster before it: the first has been executed "
        "before, but a relaxed arrival publishes nothing",
        "PTX ISA, barrier.cluster; memory consistency model: causality order"};
  switch (first.epoch.agent.kind()) {
    case AgentKind::arriving:
      return {
          "a wait for the phase of the mbarrier that its bytes complete, by the second's thread or by one that tells "
          "it",
          "PTX ISA, cp.async.bulk: completion mechanisms"};
    case AgentKind::queue:
      return {
          "tcgen05.commit (wgmma: commit_group and wait_group) by the thread that began it, waited for before the "
          "second",
          "PTX ISA, tcgen05.commit; wgmma.wait_group"};
    case AgentKind::store_read:
      return {"cp.async.bulk.wait_group.read by the thread that began the store, and then a barrier towards the second",
              "PTX ISA, cp.async.bulk.wait_group"};
    case AgentKind::store_write:
      return {
          "cp.async.bulk.wait_group (not .read) by the thread that began the store, and then a flag or a barrier "
          "towards the second",
          "PTX ISA, cp.async.bulk.wait_group"};
    case AgentKind::copying:
      return {
          "cp.async.wait_group by the threads that began it, or cp.async.mbarrier.arrive, and then a barrier towards "
          "the second",
          "PTX ISA, cp.async: completion"};
    case AgentKind::tensor_load:
      return {"tcgen05.wait::ld by the warp that loads, before it tells of it", "PTX ISA, tcgen05.wait"};
    case AgentKind::tensor_store:
      return {"tcgen05.wait::st by the warp that stores, before it tells of it", "PTX ISA, tcgen05.wait"};
    default:
      break;
  }
  if (then.epoch.agent.kind() == AgentKind::store_write || first.who >> 9 != then.who >> 9)
    return {"a release by the first's thread (fence, then a flag; or .release.gpu) and an acquire by the second's",
            kCausality};
  return {"a barrier at which the first's thread arrives after it, and for which the second's waits", kCausality};
}

}  // namespace

std::string Executor::shared_name(int rank, std::uint32_t offset, std::uint32_t bytes) const {
  std::string text = fmt::format("shared memory {:#x} .. {:#x}", offset, offset + bytes);
  return cluster_->ctas.size() == 1 ? text : text + fmt::format(" of CTA {} of the cluster", rank);
}

std::string Executor::tensor_name(int rank, std::uint32_t column, std::uint32_t columns) const {
  std::string text = fmt::format("columns {} .. {} of tensor memory", column, column + columns);
  return cluster_->ctas.size() == 1 ? text : text + fmt::format(" of CTA {} of the cluster", rank);
}

std::string Executor::global_name(std::uint64_t address) {
  if (ordering_->maps.contains(address)) return fmt::format("the tensor map at {:#x}", address);
  DeviceMemory::Allocation* of = memory_.find(address, 1);
  if (of == nullptr) return fmt::format("global memory {:#x}", address);
  return fmt::format("byte {} of {}", address - of->begin,
                     of->name.empty() ? fmt::format("the allocation at {:#x}", of->begin) : "`" + of->name + "`");
}

// `cp.async.bulk.tensor.2d…`
std::string Executor::line_text(std::uint32_t line) const {
  const ptx_text::Instruction* at = code_.instruction(line);
  return at == nullptr ? "the end" : "`" + code_.module->opcodes[at->opcode].text + "`";
}

// `k.ptx:141 (gemm.cu:88)`, as far as it is known.
std::string Executor::place_text(std::uint32_t line) const {
  const ptx_text::Instruction* at = code_.instruction(line);
  if (at == nullptr) return "";
  std::string text;
  if (launch_.sources != nullptr)
    text = launch_.sources->place({code_.module->file, at->offset, at->offset + at->length});
  const std::vector<ptx_text::Place>& places = code_.part_at(line)->function->places;
  if (at->place == 0 || at->place >= places.size()) return text;
  const ptx_text::Place& place = places[at->place];
  if (place.file >= code_.module->files.size()) return text;
  const std::string& file = code_.module->files[place.file];
  return text + fmt::format(" ({}:{})", file.substr(file.find_last_of('/') + 1), place.line);
}

std::string Executor::who_text(const order::Entry& entry) const {
  const std::array<std::uint32_t, 3>& first = ordering_->begun[entry.who >> 9];
  const std::uint32_t rank = entry.who >> 5 & 15, x = launch_.cluster[0], y = launch_.cluster[1];
  std::string place = place_text(entry.line);
  if (!place.empty()) place += ": ";
  return fmt::format("{}{}, CTA ({}, {}, {}) warp {}", place, line_text(entry.line), first[0] + rank % x,
                     first[1] + rank / x % y, first[2] + rank / x / y, entry.who & 31);
}

// A warp that waits for phases one after the other, and falls two behind: the parity that it asks for stands for
// another phase.
void Executor::tell_overrun(const Warp& warp, const Group& group, std::int64_t phase,
                            std::vector<std::string>& details) const {
  if (!ordering_) return;
  auto found = warp.order->waited.find({group.cta, group.offset});
  auto waited = static_cast<std::int64_t>(found == warp.order->waited.end() ? 0 : found->second.times);
  // Who begins with the other parity waits for the phase before the first.
  std::int64_t wanted = (waited & 1) == static_cast<std::int64_t>(group.parity) ? waited : waited - 1;
  if (phase < wanted + 2) return;
  details.push_back(fmt::format(
      "this warp has waited for {} of its phases, and phase {}, which it waits for now, has completed and passed: the "
      "parity {} stands for phase {}. Others go on without this warp, and have overrun it by {} phases",
      waited, wanted, group.parity, phase, phase - wanted));
  details.push_back(
      "to mend: who goes on waits for this warp (an mbarrier at which it arrives), or all meet once a phase");
  details.push_back("PTX ISA, mbarrier.test_wait: only the current phase and the one before can be asked for");
}

// A wait has passed. Who has heard of one phase after the other, and now hears of a later one than the next, of which
// nobody has heard, has missed that: parities tell two neighbours apart. (Where others have heard of it, warps take
// phases by turns.)
void Executor::tell_missed(int rank, std::uint32_t offset) {
  BarrierOrder& of = order_of(rank, offset);
  Waited& mine = warp_->order->waited[{rank, offset}];
  ++mine.times;
  if (mine.made != of.made) mine = {mine.times, -1, 0, of.made};
  auto found = cluster_->ctas[static_cast<std::size_t>(rank)]->barriers.find(offset);
  if (found == cluster_->ctas[static_cast<std::size_t>(rank)]->barriers.end()) return;
  const std::int64_t phase = static_cast<std::int64_t>(found->second.phase()) - 1, next = mine.last + 1;
  if (phase < next) {
    if (phase < 0) return;
    warp_->order->passed_again = line_;
    warp_->order->passed_for = phase;
    return;
  }
  if (phase > next && (phase - next) % 2 == 0 && mine.in_a_row > 1 && of.heard == mine.last) {
    report(
        Finding::Kind::protocol,
        fmt::format("waits at {} for phase {}, and passes for phase {}, of the same parity: {} phases have completed "
                    "that nobody has waited for",
                    barrier_name(rank, offset), next, phase, phase - next),
        {"to mend: who goes on waits for this warp (an mbarrier at which it arrives), or all meet once a phase",
         "PTX ISA, mbarrier.test_wait: only the current phase and the one before can be asked for"});
  }
  mine.in_a_row = phase == next ? mine.in_a_row + 1 : 0;
  mine.last = phase;
  of.heard = std::max(of.heard, phase);
}

void Executor::tell_race(std::string text, std::vector<std::string> details, int kind) {
  ++outcome_.races;
  if (ordering_->told[{line_, line_, -1 - kind}]++ > 0) return;
  add_finding(Finding::Kind::race, std::move(text), std::move(details));
}

// What breaks nothing: a word that is read as a guess, which `atom.cas` confirms or not (CUDA programming guide, atomic
// functions); and a store that puts what the same store of another warp has put there.
bool Executor::harmless(const order::Entry& first, const order::Entry& now) {
  if (options_.strict || first.line >= code_.code.size()) return false;
  auto swaps = [&](const order::Entry& entry) {
    const Code& code = code_.code[entry.line];
    return code.op == Op::atom && code.extra == 7;
  };
  if ((first.use == Use::read && swaps(now)) || (now.use == Use::read && swaps(first))) return true;
  return first.line == now.line && first.use == Use::write && now.use == Use::write &&
         changes_nothing(code_.code[now.line]);
}

void Executor::tell_conflicts(const order::Actor& actor, const std::string& place) {
  order::Conflicts conflicts = std::move(ordering_->conflicts);
  ordering_->conflicts.clear();
  for (const order::Conflict& conflict : conflicts) {
    const order::Entry& first = conflict.first;
    if (harmless(first, actor.entry)) continue;
    ++outcome_.races;
    if (ordering_->told[{first.line, line_, static_cast<int>(conflict.why)}]++ > 0) continue;
    std::string text = fmt::format("{}: {} {}, {} {}: ", place, does(first), line_text(first.line), does(actor.entry),
                                   line_text(line_));
    text += conflict.why == Why::proxy || conflict.why == Why::proxy_read
                ? "in order, but with no fence between the generic proxy and the async proxy"
            : actor.constant ? "through a cache that no write of this kernel reaches"
                             : apart(conflict.why);
    auto [mend, section] =
        actor.constant ? std::pair("ld.global without .nc: what that reads is not written while the kernel runs",
                                   "PTX ISA, ld.global.nc")
                       : mends(first, actor, conflict.why);
    std::vector<std::string> details = {"first: " + who_text(first), "then:  " + who_text(actor.entry),
                                        fmt::format("to mend: {}", mend), section};
    if (group_ != nullptr && group_->refused != kNoLine)
      details.push_back(fmt::format("{}: {} has answered no, as it may after some time, and this warp has gone on",
                                    place_text(group_->refused), line_text(group_->refused)));
    if (const std::uint32_t again = warp_->order->passed_again; again != kNoLine)
      details.push_back(
          fmt::format("{}: {} of this warp has passed for phase {}, which it had waited for before: is the "
                      "parity that of the next phase?",
                      place_text(again), line_text(again), warp_->order->passed_for));
    if (conflict.why == Why::lanes || conflict.why == Why::proxy_read)
      details.push_back("asked for by the ISA, breaks rarely in practice (--strict)");
    add_finding(Finding::Kind::race, std::move(text), std::move(details));
  }
}

}  // namespace warpcc::checker::ptx
