// What a cluster leaves open as it ends, in words: barriers that nobody waits for any more, and whose mistake that is.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {
namespace {

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}{}", text.empty() ? (names.size() == 1 ? "role " : "roles ") : ", ", name);
  return text;
}

}  // namespace

// The roles that wait for a barrier, or signal it: `role loads`, `roles ping, pong`; empty where there are none.
std::string Interpreter::roles_at(int barrier, bool waiting) const {
  std::vector<std::string> names;
  for (const Instruction& each : code_.instructions) {
    const bool waits = each.action == Action::barrier_test;
    const bool signals = each.action == Action::barrier_arrive || each.action == Action::copy_in ||
                         each.action == Action::copy_across || each.action == Action::request_work ||
                         each.action == Action::commit;
    if (!(waiting ? waits : signals) || program_.sections.empty()) continue;
    const sass::Section& section = program_.sections[code_.section_of[each.line]];
    if (section.kind != sass::Section::Kind::role) continue;
    for (std::uint32_t at = each.held; at < each.held_end; ++at) {
      for (const ViewCode& view : code_.held[at].views) {
        if (static_cast<int>(view.view->barrier) != barrier) continue;
        if (std::find(names.begin(), names.end(), section.name) == names.end()) names.push_back(section.name);
      }
    }
  }
  return joined(names);
}

// Where fewer phases of a ring's barriers are waited for than are signalled: how many, and by whom.
std::string Interpreter::rounds_text(const Cta& cta, const BarrierState& barrier) const {
  std::uint64_t signalled = 0, waited = 0;
  for (std::size_t i = 0; i < cta.barriers.size(); ++i) {
    const BarrierState& each = cta.barriers[i];
    if (each.declared != barrier.declared) continue;
    const bool under_way = each.order.under_way() || !each.barrier.between_phases();
    signalled += each.barrier.phase() + (under_way ? 1 : 0);
    std::int64_t last = -1;
    for (const Warp& warp : running_->warps) {
      if (warp.cta == cta.rank && i < warp.awaited.size()) last = std::max(last, warp.awaited[i]);
    }
    waited += static_cast<std::uint64_t>(last + 1);
  }
  if (barrier.declared < 0 || waited >= signalled) return "";
  const std::string& name = program_.mbarriers[static_cast<std::size_t>(barrier.declared)].name;
  const std::string waits = roles_at(barrier.declared, true), signals = roles_at(barrier.declared, false);
  if (signals.empty()) return "";
  if (waits.empty())
    return fmt::format("{} signalled {} {}, and no role waits for it", signals, name, times(signalled));
  return fmt::format("{} ended after {} wait{} for {}, which {} signalled {}", waits, waited, waited == 1 ? "" : "s",
                     name, signals, times(signalled));
}

// Of a CTA that is reached after its warps have left.
std::vector<std::string> Interpreter::exit_details(const Cta& gone, const BarrierState* barrier) const {
  std::vector<std::string> details = {
      fmt::format("by {}: that it is done is known to no warp of CTA {} as the last of them leaves", line_text(line_),
                  gone.number)};
  const std::string rounds = barrier ? rounds_text(gone, *barrier) : "";
  for (const sass::Pipe& pipe : program_.pipes) {
    if (rounds.empty()) break;
    const auto full = static_cast<int>(pipe.full), empty = static_cast<int>(pipe.empty);
    if (barrier->declared != full && barrier->declared != empty) continue;
    details.push_back(rounds);
    const bool fills = barrier->declared == empty;  // who is to wait: the producer, and else the consumer
    std::string who = roles_at(barrier->declared, true);
    if (who.empty()) who = roles_at(fills ? full : empty, false);
    if (who.empty()) break;
    details.push_back(
        fills ? fmt::format("to mend: {} ends with a `drain` of `{}`, which waits for `empty`: one for each "
                            "stage that it has filled and not waited for since, {} at most",
                            who, pipe.name, pipe.depth)
              : fmt::format("to mend: {} takes every stage of `{}` that is filled: both walk as many rounds", who,
                            pipe.name));
    return details;
  }
  details.push_back(fmt::format("to mend: the CTA that is reached waits for this before it exits: on the barrier{}",
                                program_.cluster > 1 ? ", or on the cluster's" : ""));
  return details;
}

// Of a phase that bytes have completed, and that no warp waits for.
std::vector<std::string> Interpreter::unheard_details(const Cta& cta, const BarrierState& barrier) const {
  std::vector<std::string> details;
  std::string text = "what was loaded is ordered before nothing";
  if (program_.cluster > 1)
    text += "; a load of a pair signals the CTA whose warps wait by `.2CTA`, or by the address of that CTA's barrier";
  details.push_back(std::move(text));
  if (std::string rounds = rounds_text(cta, barrier); !rounds.empty()) details.push_back(std::move(rounds));
  return details;
}

// A named barrier with a phase open, of which nobody waits for the end.
void Interpreter::tell_untaken(const Cta& cta, int id) {
  const machine::NamedBarrier& barrier = cta.named[static_cast<std::size_t>(id)];
  std::string name;
  for (const sass::NamedBarrier& each : program_.named_barriers) {
    if (id < each.id || id >= each.id + each.count) continue;
    name = each.count > 1 ? fmt::format(" (`{}[{}]`)", each.name, id - each.id) : fmt::format(" (`{}`)", each.name);
  }
  const auto [line, number] = cta.named_by[static_cast<std::size_t>(id)];
  auto role_of = [&](std::uint32_t of) -> std::string {
    if (program_.sections.empty()) return "";
    const sass::Section& section = program_.sections[code_.section_of[of]];
    return section.kind == sass::Section::Kind::role ? section.name : "";
  };
  std::vector<std::string> waiting;
  for (const Instruction& each : code_.instructions) {
    if (each.action != Action::named_barrier || !each.sync || each.arguments.empty()) continue;
    const Argument& which = each.arguments[0];
    std::string role = role_of(each.line);
    if (which.kind != sass::Operand::Kind::immediate || which.number != id || role.empty()) continue;
    if (std::find(waiting.begin(), waiting.end(), role) == waiting.end()) waiting.push_back(std::move(role));
  }
  const Warp& last = running_->warps[static_cast<std::size_t>(number)];
  const std::string role = role_of(line);
  std::vector<std::string> details = {fmt::format("last by {} ({}warp {})", line_at(line),
                                                  role.empty() ? "" : fmt::format("role {}, ", role), last.index)};
  if (!waiting.empty())
    details.push_back(fmt::format(
        "to mend: {} waits for it once more, or this arrival is left out after the last round", joined(waiting)));
  findings_.add(Finding::Kind::named_barrier, line,
                fmt::format("CTA {} leaves named barrier {}{} with {} of {} threads arrived", cta.number, id, name,
                            barrier.arrived(), barrier.threads()),
                std::move(details));
}

}  // namespace warpcc::checker
