#include "checker/interp/forms.h"

#include <fmt/format.h>

#include <string_view>

namespace warpcc::checker {
namespace {

std::string spelled(const sass::Program& program, const Instruction& instruction, std::string_view name = "") {
  const sass::Line& line = program.lines[instruction.line];
  return fmt::format("`{}`{}{}", name.empty() ? line.opcode->name : name, line.place.empty() ? "" : " of ", line.place);
}

// PTX allows one cta_group in a kernel (PTX ISA, tcgen05 restrictions); freeing tensor memory tells none.
void mixed_groups(const sass::Program& program, const Code& code, std::vector<Contradiction>& found) {
  const Instruction* first = nullptr;
  for (const Instruction& each : code.instructions) {
    if (each.action != Action::mma && each.action != Action::commit && each.action != Action::allocate) continue;
    if (!first) first = &each;
    if (each.pair == first->pair) continue;
    auto whose = [](const Instruction& one) { return one.pair ? "the pair" : "one CTA"; };
    found.push_back({Finding::Kind::protocol, each.line,
                     fmt::format("mixes {} for {} with {} for {}: a kernel has one cta_group", spelled(program, each),
                                 whose(each), spelled(program, *first), whose(*first))});
    return;
  }
}

// An arrival at a named barrier beside a wait that does not say how many come is an illegal instruction (seen on an
// H200).
void uncounted_waits(const sass::Program& program, const Code& code, std::vector<Contradiction>& found) {
  constexpr std::size_t kBarriers = 16;
  const Instruction* arrives[kBarriers] = {};
  auto number = [](const Instruction& each) -> std::size_t {
    const Argument& id = each.arguments[0];
    bool known = each.action == Action::named_barrier && id.kind == sass::Operand::Kind::immediate;
    return known && id.number >= 0 && id.number < static_cast<std::int64_t>(kBarriers)
               ? static_cast<std::size_t>(id.number)
               : kBarriers;
  };
  for (const Instruction& each : code.instructions) {
    if (each.action != Action::named_barrier || each.sync) continue;
    if (std::size_t id = number(each); id < kBarriers && !arrives[id]) arrives[id] = &each;
  }
  for (const Instruction& each : code.instructions) {
    if (each.action != Action::named_barrier || !each.sync || each.arguments.size() > 1) continue;
    std::size_t id = number(each);
    if (id >= kBarriers || !arrives[id]) continue;
    found.push_back({Finding::Kind::named_barrier, each.line,
                     fmt::format("waits at barrier {} without saying how many threads come, and {} arrives there: an "
                                 "illegal instruction on the hardware; both say the count",
                                 id, spelled(program, *arrives[id], "BAR.ARV"))});
    arrives[id] = nullptr;  // once a barrier
  }
}

}  // namespace

std::vector<Contradiction> contradictions(const sass::Program& program, const Code& code) {
  std::vector<Contradiction> found;
  mixed_groups(program, code, found);
  uncounted_waits(program, code, found);
  return found;
}

}  // namespace warpcc::checker
