#include "checker/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "checker/machine/tensor_memory.h"
#include "isa/isa.h"

namespace warpcc::checker {

int ctas_of_sm(const sass::Program& program) {
  constexpr std::int64_t kSharedOfSm = 228 * 1024, kSystemShared = 1024, kThreadsOfSm = 2048, kMostCtas = 32;
  std::int64_t ctas = std::min(kMostCtas, kThreadsOfSm / std::max<std::int64_t>(1, program.threads));
  ctas = std::min(ctas, kSharedOfSm / (kSystemShared + static_cast<std::int64_t>(program.dynamic_shared)));
  if (const std::int64_t each = isa::registers_allocated(program.registers.value_or(0)) * program.threads; each > 0)
    ctas = std::min(ctas, isa::kRegistersOfSm / each);
  return static_cast<int>(ctas);
}

Crowd crowded(const sass::Program& program, const Code& code, std::int64_t sms) {
  Crowd crowd;
  std::int64_t columns = 0;
  bool relinquishes = false;
  for (std::size_t line = 0; line < code.instructions.size(); ++line) {
    const Instruction& each = code.instructions[line];
    relinquishes = relinquishes || each.action == Action::relinquish;
    if (each.action != Action::allocate) continue;
    crowd.line = static_cast<std::uint32_t>(line);
    columns += each.arguments[1].number * 32;
  }
  const std::int64_t ctas = std::int64_t{program.grid[0]} * program.grid[1] * program.grid[2];
  const int room = ctas_of_sm(program);
  if (columns == 0 || ctas <= sms || room < 2) return crowd;
  constexpr std::int64_t kAll = machine::TensorMemory::kColumns;
  if (columns * 2 > kAll || columns * room > kAll) {
    crowd.text = fmt::format(
        "allocates {} columns of tensor memory, and an SM, which has {}, has room for {} of these CTAs: {} of them at "
        "a "
        "time {} columns, the others wait here",
        columns, kAll, room, kAll / columns, kAll / columns == 1 ? "has its" : "have their");
    crowd.details = {fmt::format("to mend: at most {} columns a CTA, or more shared memory for each, so that fewer "
                                 "come to an SM",
                                 std::bit_floor(static_cast<std::uint64_t>(kAll / room))),
                     "PTX ISA, tcgen05.alloc: it blocks until there are as many columns"};
  } else if (!relinquishes) {
    crowd.text = fmt::format(
        "allocates tensor memory, and an SM has room for {} of these CTAs: no `relinquish` lets the others allocate "
        "before this one ends",
        room);
    crowd.details = {"to mend: `relinquish` behind the allocation", "PTX ISA, tcgen05.relinquish_alloc_permit"};
  }
  return crowd;
}

}  // namespace warpcc::checker
