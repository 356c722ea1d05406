// Two accesses that nothing orders, in words: what each does to which place, who, at which coordinates, and what would
// mend it.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"
#include "checker/report/race_words.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace warpcc::checker {

using order::Use;
using order::Why;

std::string Interpreter::line_text(std::uint32_t line) const {
  const sass::Line& which = program_.lines[line];
  return which.comment.empty() ? fmt::format("`{}`", which.opcode->name) : fmt::format("`{}`", which.comment);
}

std::string Interpreter::who_text(const order::Entry& entry) const {
  const Ordering::OfGrid& cluster = ordering_.begun[entry.who >> 9];
  const sass::Line& line = program_.lines[entry.line];
  std::string role;
  if (!program_.sections.empty()) {
    const sass::Section& section = program_.sections[code_.section_of[entry.line]];
    role = section.kind == sass::Section::Kind::role    ? fmt::format("role {}, ", section.name)
           : section.kind == sass::Section::Kind::start ? "start, "
                                                        : "finish, ";
  }
  std::string launch = options_.launches > 1 ? fmt::format("launch {}, ", cluster.launch + 1) : "";
  return fmt::format("{}{} ({}{}cluster {}, CTA {} of it, warp {}; time {} there)",
                     line.place.empty() ? "" : line.place + ": ", line_text(entry.line), role, launch, cluster.cluster,
                     entry.who >> 5 & 15, entry.who & 31, entry.count);
}

// Hopper's MMAs are done by groups, for whoever has waited for them.
std::string Interpreter::group_text(const order::Entry& mma) const {
  if (core() != layout::TensorCore::wgmma || mma.epoch.agent.kind() != order::AgentKind::queue ||
      mma.who >> 9 != running_->serial)
    return "";
  const Warp& warp = running_->warps[(mma.who >> 5 & 15) * static_cast<std::size_t>(warps_per_cta_) + (mma.who & 31)];
  std::size_t waited = warp.computing.needed, group = mma.epoch.time;
  if (group <= waited)
    return fmt::format("group {} of that warp, which it has waited for; it has not told the second's warp", group);
  return fmt::format("group {} of that warp, which is pending: of its groups {}", group,
                     waited == 0 ? std::string("it has waited for none") : fmt::format("it has waited for {}", waited));
}

// What the present line reaches, and the indices of its section: where in its work the warp is.
std::string Interpreter::present_text() const {
  constexpr std::size_t kMostIndices = 8;
  std::string text;
  auto append = [&](llvm::StringRef part) {
    if (!part.contains(" = ") || text.find(part) == std::string::npos) text += (text.empty() ? "" : ", ") + part.str();
  };
  const Instruction& instruction = code_.instructions[line_];
  for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
    for (const ViewCode& view : code_.held[at].views)
      append(view_text(view, place_of(view, scope(), first_lane_), program_));
  }
  for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
    std::string names = names_text(code_.held[at], scope(), first_lane_);
    llvm::SmallVector<llvm::StringRef, 8> each;
    llvm::StringRef(names).split(each, ", ", -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : each) append(name);
  }
  // Indices: values with a range, and what steps by a number.
  std::vector<std::pair<isa::File, std::int32_t>> seen;
  for (const Instruction& each : code_.instructions) {
    if (code_.section_of[each.line] != code_.section_of[line_] || each.arguments.empty()) continue;
    const Argument& to = each.arguments[0];
    if (to.kind != sass::Operand::Kind::reg || to.slot.constant || to.slot.name < 0) continue;
    if (to.slot.file != isa::File::r && to.slot.file != isa::File::ur) continue;
    auto slot = static_cast<std::size_t>(to.slot.name);
    bool index = code_.range_of[static_cast<int>(to.slot.file)][slot].has_value();
    bool from_itself = false, by_number = false;
    for (std::size_t i = 1; each.action == Action::add && i < each.arguments.size(); ++i) {
      const Argument& from = each.arguments[i];
      by_number = by_number || from.kind == sass::Operand::Kind::immediate;
      from_itself = from_itself || (from.kind == sass::Operand::Kind::reg && !from.slot.constant &&
                                    from.slot.file == to.slot.file && from.slot.name == to.slot.name);
    }
    if (!index && !(from_itself && by_number && program_.lines[each.line].mark != sass::Mark::derived)) continue;
    std::pair key(to.slot.file, to.slot.name);
    if (seen.size() == kMostIndices || std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    if (!(warp_->written[static_cast<int>(to.slot.file)][slot] >> first_lane_ & 1)) continue;
    std::uint32_t value = to.slot.file == isa::File::ur
                              ? warp_->named.ur[slot]
                              : warp_->named.lanes(to.slot.name)[static_cast<std::size_t>(first_lane_)];
    std::string name = slot_name(to.slot) + " = ";
    if (text.find(name) == std::string::npos) append(fmt::format("{}{}", name, static_cast<std::int32_t>(value)));
  }
  return text;
}

// The first line of its statement: one that is written out many times is one to whoever reads of it.
std::uint32_t Interpreter::statement(std::uint32_t line) const {
  const sass::Line& which = program_.lines[line];
  if (which.place.empty()) return line;
  for (std::uint32_t i = 0; i < line; ++i) {
    const sass::Line& other = program_.lines[i];
    if (other.place == which.place && other.comment == which.comment && other.opcode == which.opcode &&
        code_.section_of[i] == code_.section_of[line])
      return i;
  }
  return line;
}

Occurrence Interpreter::occurrence(const order::Entry& entry) const {
  const Ordering::OfGrid& cluster = ordering_.begun[entry.who >> 9];
  return {cluster.launch, cluster.cluster, entry.line, entry.count};
}

void Interpreter::recollect() {
  auto time = static_cast<std::uint32_t>(running_->executed[line_]);
  auto found = options_.recollections->find({running_->launch->number, running_->number, line_, time});
  if (found != options_.recollections->end()) found->second = present_text();
}

namespace {

// What would order the two.
std::string mends(const order::Entry& first, const order::Actor& actor, Why why, layout::TensorCore core) {
  const order::Entry& then = actor.entry;
  bool both_write = first.use == Use::write && then.use == Use::write;
  if (why == Why::unordered && both_write && first.line == then.line && first.who != then.who)
    return "coordinates that differ between the two: one statement writes the same place for both";
  switch (why) {
    case Why::proxy:
      return "`fence.async` (in global memory `fence.async.global`) by the lanes that wrote, after their stores and "
             "before the barrier that tells of them";
    case Why::proxy_read:
      if (first.epoch.agent.kind() == order::AgentKind::store_write)
        return "`fence.async.global` behind the wait for the flag, before the copy engine is set to work";
      return "`fence.async` by the lanes that read, before they tell that they have";
    case Why::lanes:
      return "`warpsync` between the two: the lanes of a warp see each other's work only where they meet";
    case Why::scope:
      return "`fence.gpu` before the arrival, or an arrival that releases to the cluster: one within the CTA publishes "
             "nothing to another";
    case Why::acquire:
    case Why::overlap:
      return "a commit after the first and a wait for it before the second: only MMAs of one accumulator are done in "
             "order";
    case Why::unordered:
    case Why::ordered:
      break;
  }
  if (order::behind_relaxed(first, actor))
    return "`cluster.arrive` without `.relaxed`, or `fence.gpu` before it: the first has been executed before, but a "
           "relaxed arrival publishes nothing";
  switch (first.epoch.agent.kind()) {
    case order::AgentKind::arriving:
      return "a wait for the phase that its bytes complete, by the second's warp or by one that it is told of after";
    case order::AgentKind::queue:
      if (core == layout::TensorCore::wgmma)
        return "`mma.wait` that covers the MMA's group, in each warp of the warpgroup, before its arrival that frees "
               "the stage: where one group stays pending, the stage before is freed";
      return "a commit by the warp that issued the MMA, onto a barrier that the second's warp waits for";
    case order::AgentKind::store_read:
      return "`store.wait.read` by the lane that began the store, and then a barrier or `warpsync` towards the second";
    case order::AgentKind::store_write:
      return "`store.wait` (not `.read`) by the lane that began the store, and a flag or barrier towards the second";
    case order::AgentKind::tensor_load:
      return "`ld.wait` in the warp that loads, before the arrival that tells of it";
    case order::AgentKind::tensor_store:
      return "a wait for the store to tensor memory, before the arrival that tells of it";
    default:
      break;
  }
  if (first.who >> 9 != then.who >> 9)
    return "`fence.gpu`, `warpsync` where one lane (`@one`) raises the flag, and then the flag by the first's warp, "
           "after it; and the second's waits for the flag, by `ldg.strong.gpu` and then `fence.gpu`";
  return then.epoch.agent.generic() || first.epoch.agent.generic()
             ? "a barrier at which the first's warp arrives after it, and for which the second's waits"
             : "an order by a barrier";
}

}  // namespace

// The warp of one who has accessed, while its cluster is there.
const Warp* Interpreter::warp_of(std::uint32_t who) const {
  for (const auto& cluster : resident_) {
    if (cluster->serial != who >> 9) continue;
    return &cluster->warps[(who >> 5 & 15) * static_cast<std::size_t>(warps_per_cta_) + (who & 31)];
  }
  return nullptr;
}

// The one step that is missing where the others are there: two accesses that nothing orders.
std::string Interpreter::forgotten(const order::Entry& first, const order::Actor& actor) const {
  const order::Entry& then = actor.entry;
  const order::AgentKind kind = first.epoch.agent.kind();
  const Warp* warp = warp_of(first.who);
  if (!warp) return "";
  if (kind == order::AgentKind::lanes && first.who != then.who &&
      warp->order.left_out(first.epoch, actor.thread->knows().seen))
    return "`warpsync` between the first and the arrival of one lane (`@one`) that tells of it: who arrives alone "
           "tells "
           "nothing of what the warp's other lanes have done until they meet";
  if (kind != order::AgentKind::store_read && kind != order::AgentKind::store_write) return "";
  // Groups are counted from 1; the last is open.
  if (first.epoch.time == warp->groups.size())
    return "`store.commit` behind the store, by the same lane: its group is open still, and `store.wait` waits for "
           "those "
           "that are closed";
  // What other warps of the role write for the store, in the round that it is of: all of them, then one that stores.
  const bool before_it = then.epoch.agent.generic() && then.use == Use::write && then.who != first.who &&
                         order::same_cta(first.who, then.who) && then.line < first.line && !program_.sections.empty() &&
                         code_.section_of[then.line] == code_.section_of[first.line];
  if (!before_it) return "";
  const sass::Section& section = program_.sections[code_.section_of[first.line]];
  const auto warps = static_cast<std::uint32_t>(std::max(1, section.end_warp - section.first_warp));
  if ((then.count - 1) / warps > first.count - 1) return "";
  return "a barrier of the role's warps (`sync` of a named barrier) between the second and the store, if that is to "
         "store it: `warpsync` tells nothing of other warps";
}

void Interpreter::tell_conflicts(const order::Actor& actor, const std::string& place, int rank) {
  order::Conflicts conflicts = std::move(ordering_.conflicts);
  ordering_.conflicts.clear();
  // The same two accesses, wherever they meet, are one race: places are divided as other clusters have had it.
  auto same = [](const order::Conflict& a, const order::Conflict& b) {
    return a.first.epoch.agent == b.first.epoch.agent && a.first.epoch.time == b.first.epoch.time &&
           a.first.line == b.first.line && a.first.count == b.first.count && a.first.use == b.first.use &&
           a.why == b.why;
  };
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    conflicts.erase(std::remove_if(conflicts.begin() + static_cast<std::ptrdiff_t>(i) + 1, conflicts.end(),
                                   [&](const order::Conflict& other) { return same(conflicts[i], other); }),
                    conflicts.end());
  }
  for (const order::Conflict& conflict : conflicts) {
    const order::Entry& first = conflict.first;
    ++outcome_.races;
    auto& told = ordering_.told[{first.line, line_, static_cast<int>(conflict.why)}];
    told.place = place;
    if (told.times++ > 0) continue;
    std::string text = place;
    if (rank >= 0 && program_.cluster > 1) text += fmt::format(" of CTA {}", cta_of(rank).number);
    text += fmt::format(": {} {}, {} {}: ", does(first), line_text(first.line), does(actor.entry), line_text(line_));
    if (conflict.why != Why::proxy && conflict.why != Why::proxy_read) {
      text += apart(conflict.why);
    } else if (first.epoch.agent.kind() == order::AgentKind::store_write) {
      text += "in order, but with no fence behind the flag that tells of the first";
    } else {
      text += "in order, but with no fence between the lanes' accesses and the async proxy's";
    }
    std::vector<std::string> details;
    details.push_back("first: " + who_text(first));
    std::string now = "then:  " + who_text(actor.entry);
    if (std::string present = present_text(); !present.empty()) now += ": " + present;
    details.push_back(std::move(now));
    if (std::string group = group_text(first); !group.empty()) details.push_back(std::move(group));
    bool repeated = false;
    for (std::uint32_t who : {first.who, actor.entry.who}) {
      if (who >> 9 != running_->serial || (who == actor.entry.who && who == first.who && repeated)) continue;
      const Warp& warp = running_->warps[(who >> 5 & 15) * static_cast<std::size_t>(warps_per_cta_) + (who & 31)];
      if (warp.repeated.line == ~0u) continue;
      const Cta& its = cta_of(warp.cta);
      const BarrierState& state = its.barriers[static_cast<std::size_t>(warp.repeated.barrier)];
      const sass::Line& line = program_.lines[warp.repeated.line];
      repeated = true;
      details.push_back(
          fmt::format("{}{} by warp {} of CTA {} passed for a phase that this warp had waited for before: "
                      "phase {} of {}",
                      line.place.empty() ? "" : line.place + ": ", line_text(warp.repeated.line), warp.index,
                      its.number, warp.repeated.phase, barrier_name(its, state.offset)));
    }
    std::string mend = conflict.why == Why::unordered ? forgotten(first, actor) : "";
    details.push_back("to mend: " + (mend.empty() ? mends(first, actor, conflict.why, core()) : mend));
    findings_.tell_race(
        line_, std::move(text), std::move(details),
        {place, statement(first.line), statement(line_), static_cast<int>(conflict.why), {{0, occurrence(first)}}});
  }
}

void Interpreter::tell_clusters(const order::Entry& first, const order::Entry& then, const std::string& place) {
  ++outcome_.races;
  if (ordering_.told[{first.line, then.line, -1}].times++ > 0) return;
  findings_.tell_race(
      then.line,
      fmt::format("{}: {} {}, {} {}: by two clusters, which nothing orders", place, does(first), line_text(first.line),
                  does(then), line_text(then.line)),
      {"one:   " + who_text(first), "other: " + who_text(then)},
      {place, statement(first.line), statement(then.line), -1, {{0, occurrence(first)}, {1, occurrence(then)}}});
}

void Interpreter::tell_before(const order::Entry& first, const order::Entry& then, const std::string& place,
                              bool then_is_present) {
  if (ordering_.told[{first.line, then.line, -2}].times++ > 0) return;
  std::size_t later = then_is_present ? 0 : 1;  // whose part is told by the run that is repeated
  std::vector<std::string> details = {"first: " + who_text(first), "then:  " + who_text(then),
                                      "to mend: `grid.wait` in this warp, or in one that it has heard from, before it "
                                      "reaches global memory"};
  details[1 - later] += ": " + present_text();
  findings_.tell_race(
      then.line,
      fmt::format("{}: {} {} in the kernel before, {} {} before that has ended", place, does(first),
                  line_text(first.line), does(then), line_text(then.line)),
      std::move(details),
      {place, statement(first.line), statement(then.line), -2, {{later, occurrence(later == 0 ? first : then)}}});
}

}  // namespace warpcc::checker
