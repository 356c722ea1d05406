// Warps that wait for ever: who, on what, in which state it is, and which statements would have brought the rest.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

namespace {

constexpr std::size_t kMostTold = 4;  // warps, of those that could end a wait

}  // namespace

std::string Interpreter::line_at(std::uint32_t line) const {
  const std::string& place = program_.lines[line].place;
  return (place.empty() ? "" : place + ": ") + line_text(line);
}

std::string Interpreter::where(const Warp& warp) const {
  const Cta& cta = *running_->ctas[static_cast<std::size_t>(warp.cta)];
  std::string text;
  if (!program_.sections.empty()) {
    const sass::Section& section =
        program_.sections[code_.section_of[std::min<std::size_t>(warp.pc, code_.section_of.size() - 1)]];
    text = section.kind == sass::Section::Kind::role    ? fmt::format("role {}, ", section.name)
           : section.kind == sass::Section::Kind::start ? "start, "
                                                        : "finish, ";
  }
  if (options_.launches > 1) text += fmt::format("launch {}, ", running_->launch->number + 1);
  return text + fmt::format("CTA {} warp {}", cta.number, warp.index);
}

std::vector<std::string> Interpreter::barrier_details(const Cta& cta, const BarrierState& barrier) const {
  std::vector<std::string> details;
  if (barrier.declared < 0) return details;
  std::vector<std::string> seen;
  for (const Instruction& instruction : code_.instructions) {
    bool signals = instruction.action == Action::barrier_arrive || instruction.action == Action::copy_in ||
                   instruction.action == Action::copy_across || instruction.action == Action::request_work ||
                   instruction.action == Action::commit;
    if (!signals) continue;
    for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
      for (const ViewCode& view : code_.held[at].views) {
        if (static_cast<int>(view.view->barrier) != barrier.declared) continue;
        const sass::Line& line = program_.lines[instruction.line];
        const char* does = instruction.action == Action::copy_in || instruction.action == Action::copy_across ||
                                   instruction.action == Action::request_work
                               ? "its bytes come by"
                           : instruction.action == Action::commit   ? "it is signalled by"
                           : instruction.arrival == Arrival::expect ? "its bytes are expected by"
                                                                    : "it is signalled by";
        const sass::Section* section =
            program_.sections.empty() ? nullptr : &program_.sections[code_.section_of[instruction.line]];
        std::string text = fmt::format(
            "{} {}{}{}{}, executed {} times in this cluster{}", does, line.place.empty() ? "" : line.place + ": ",
            line.comment.empty() ? fmt::format("{}", line.opcode->name) : fmt::format("`{}`", line.comment),
            section && section->kind == sass::Section::Kind::role ? " of role " : "", section ? section->name : "",
            running_->executed[instruction.line], whereabouts(cta, section));
        if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
        seen.push_back(text);
      }
    }
  }
  return seen;
}

// What the warps of a role do that is to signal: who of them still could.
std::string Interpreter::whereabouts(const Cta& of, const sass::Section* section) const {
  if (!section || section->kind != sass::Section::Kind::role) return "";
  constexpr int kMost = 2;
  std::string text;
  int told = 0, exited = 0, all = 0;
  for (const Warp& warp : running_->warps) {
    const Cta& its = cta_of(warp.cta);
    bool there = warp.index >= section->first_warp && warp.index < section->end_warp;
    for (const sass::Pin& pin : section->at) there = there && its.axes[static_cast<std::size_t>(pin.axis)] == pin.at;
    if (!there) continue;
    ++all;
    if (warp.blocked == Blocked::exited) ++exited;
    if (warp.blocked == Blocked::exited || warp.blocked == Blocked::no || told == kMost) continue;
    ++told;
    text += fmt::format("; CTA {} warp {} waits at {}", its.number, warp.index, line_at(warp.blocked_line));
  }
  if (all > 0 && exited == all) return all == 1 ? "; its warp has exited" : "; its warps have exited";
  return text;
}

// Loads under way that will signal the barrier.
std::string Interpreter::outstanding(const Cta& of, const BarrierState& barrier) const {
  int count = 0;
  for (const CopyIn& copy : running_->pending.loads) {
    for (const CopyIn::Target& target : copy.targets)
      count += target.barrier_cta == of.rank && target.barrier == barrier.offset;
  }
  return count == 0 ? "no load outstanding" : fmt::format("{} {} outstanding", count, count == 1 ? "load" : "loads");
}

// A phase that bytes have completed is over, and no warp has waited for it: nothing orders what reads them.
void Interpreter::tell_unheard(const Cta& cta, const BarrierState& barrier) {
  if (barrier.filled_by == ~0u || barrier.heard || barrier.declared < 0) return;
  std::uint32_t line = std::exchange(line_, barrier.filled_by);
  Warp* warp = std::exchange(warp_, &running_->warps[static_cast<std::size_t>(barrier.last_warp)]);
  report(Finding::Kind::protocol,
         fmt::format("completes a phase of {} of CTA {} that no warp waits for", barrier_name(cta, barrier.offset),
                     cta.number),
         unheard_details(cta, barrier));
  line_ = line;
  warp_ = warp;
}

void Interpreter::report_hangs() {
  // Whoever waits for the cluster waits for the others' sake: they come first.
  for (bool for_the_cluster : {false, true}) {
    std::vector<bool> told(running_->warps.size(), false);
    for (Warp& warp : running_->warps) {
      if (warp.blocked == Blocked::exited || warp.blocked == Blocked::no ||
          (warp.blocked == Blocked::cluster_barrier) != for_the_cluster ||
          told[static_cast<std::size_t>(warp.number_in_cluster)])
        continue;
      report_hang(warp, alike(warp, told));
    }
  }
}

// The CTA's warps behind it that wait at the same line for the same: `so do warps 5, 6, 7`.
std::string Interpreter::alike(const Warp& warp, std::vector<bool>& told) {
  std::string list;
  int count = 0;
  for (const Warp& other : running_->warps) {
    bool same = other.cta == warp.cta && other.index > warp.index && other.blocked == warp.blocked &&
                other.blocked_line == warp.blocked_line && other.blocked_barrier == warp.blocked_barrier &&
                other.blocked_parity == warp.blocked_parity;
    if (!same || warp.blocked == Blocked::poll || warp.blocked == Blocked::registers) continue;
    told[static_cast<std::size_t>(other.number_in_cluster)] = true;
    ++outcome_.hangs;
    ++count;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", other.index);
  }
  if (count == 0) return "";
  return fmt::format("so {} warp{} {}", count == 1 ? "does" : "do", count == 1 ? "" : "s", list);
}

void Interpreter::report_hang(Warp& warp, const std::string& others) {
  const Cta& cta = *running_->ctas[static_cast<std::size_t>(warp.cta)];
  std::string text = fmt::format("CTA {} warp {} waits ", cta.number, warp.index);
  std::vector<std::string> details;
  switch (warp.blocked) {
    case Blocked::mbarrier: {
      const BarrierState& state = cta.barriers[static_cast<std::size_t>(warp.blocked_barrier)];
      const machine::MBarrier& barrier = state.barrier;
      text += fmt::format("on {} for the phase of parity {}: it is in phase {}, {} of {} arrivals to come, {} bytes",
                          barrier_name(cta, state.offset), warp.blocked_parity, barrier.phase(), barrier.pending(),
                          barrier.expected(), barrier.bytes());
      if (barrier.pending() == 0 && barrier.bytes() > 0)
        details.push_back(fmt::format("all have arrived; {} bytes are expected that no load brings", barrier.bytes()));
      if (barrier.bytes() < 0)
        details.push_back(fmt::format("{} bytes have landed that nobody has expected", -barrier.bytes()));
      if (barrier.announced() != 0 || barrier.landed() != 0)
        details.push_back(fmt::format("expected {} bytes, {} arrived, {}", barrier.announced(), barrier.landed(),
                                      outstanding(cta, state)));
      if (state.last_line != ~0u) {
        const Warp& last = running_->warps[static_cast<std::size_t>(state.last_warp)];
        details.push_back(fmt::format("signalled last by {}, CTA {} warp {}", line_at(state.last_line),
                                      running_->ctas[static_cast<std::size_t>(last.cta)]->number, last.index));
      }
      std::vector<std::string> signals = barrier_details(cta, state);
      if (signals.empty() && state.declared >= 0) signals.push_back("no statement of the program signals it");
      for (std::string& detail : signals) details.push_back(std::move(detail));
      break;
    }
    case Blocked::named_barrier: {
      const machine::NamedBarrier& barrier = cta.named[static_cast<std::size_t>(warp.blocked_barrier)];
      text += fmt::format("on named barrier {}: {} of {} threads have arrived", warp.blocked_barrier, barrier.arrived(),
                          barrier.threads());
      for (const Warp& other : running_->warps) {
        bool waits = other.blocked == Blocked::named_barrier && other.blocked_barrier == warp.blocked_barrier;
        if (other.cta != warp.cta || waits || other.blocked == Blocked::no || other.blocked == Blocked::exited)
          continue;
        if (details.size() == kMostTold) break;
        details.push_back(fmt::format("warp {} waits at {}", other.index, line_at(other.blocked_line)));
      }
      break;
    }
    case Blocked::cluster_barrier: {
      text += fmt::format("on the cluster's barrier: {} warps have not arrived", running_->barrier.missing());
      std::string missing;
      for (const Warp& other : running_->warps) {
        if (other.blocked == Blocked::exited || other.blocked == Blocked::cluster_barrier || other.cluster_arrived)
          continue;
        missing += fmt::format("{}CTA {} warp {}", missing.empty() ? "" : ", ", cta_of(other.cta).number, other.index);
      }
      if (!missing.empty()) details.push_back("not arrived: " + missing);
      break;
    }
    case Blocked::groups:
      text += "for the copy engine to read its stores";
      break;
    case Blocked::mma_groups:
      text += "for its MMAs";
      break;
    case Blocked::registers:
      text += fmt::format(
          "for {} registers a thread: it has {}, and the CTA's warps have given back {} more than they have taken",
          warp.registers_wanted, warp.registers.value_or(0), cta.free_registers);
      break;
    case Blocked::allocation:
      text += "for the pair's other CTA to allocate tensor memory as well";
      break;
    case Blocked::grid:
      text += "for the grid before to end";
      break;
    case Blocked::poll:
      report_poll(warp, text, details);
      break;
    case Blocked::no:
    case Blocked::exited:
      break;
  }
  warp_ = &warp;
  line_ = warp.blocked_line;
  const sass::Line& line = program_.lines[line_];
  if (!program_.sections.empty()) {
    const sass::Section& section = program_.sections[code_.section_of[line_]];
    if (section.kind == sass::Section::Kind::role) text += fmt::format(" (role {})", section.name);
  }
  if (!line.comment.empty()) details.insert(details.begin(), fmt::format("at `{}`", line.comment));
  if (!others.empty()) details.push_back(others);
  first_lane_ = 0;
  if (std::string present = present_text(); !present.empty()) details.push_back("there: " + present);
  findings_.add_each(Finding::Kind::hang, line_, std::move(text), std::move(details));
}

}  // namespace warpcc::checker
