// Lines that reach registers: the fragments that an MMA computes and has as A, element by element against the layouts
// of their `.fragment` lines, and its operands in shared memory.
#include <fmt/format.h>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

namespace {

constexpr int kRows = 64, kWarpgroupLanes = 128;

// (thread, value) of the fragment by its elements, row + rows × column; none of those that no thread holds.
struct Holder {
  std::int32_t thread = -1, value = -1;
};
std::vector<Holder> holders(const sass::Fragment& fragment) {
  std::vector<Holder> all(static_cast<std::size_t>(fragment.rows * fragment.columns));
  for (std::int64_t thread = 0; thread < fragment.layout.extent(0); ++thread) {
    for (std::int64_t value = 0; value < fragment.layout.extent(1); ++value) {
      std::int64_t index[2] = {thread, value};
      all[static_cast<std::size_t>(fragment.layout(index))] = {static_cast<std::int32_t>(thread),
                                                               static_cast<std::int32_t>(value)};
    }
  }
  return all;
}

}  // namespace

// What an MMA has in registers: 64 rows by `columns`, and where the elements of a warp's 16 rows are, value by value of
// a lane, `each` a register.
struct Interpreter::InFragment {
  const char* name;  // "D"
  layout::Element element;
  int columns, registers;
  Slot first;
  machine::FragmentPlace (*place)(int lane, int value, int each);

  static InFragment d(const machine::WarpgroupMma& mma, Slot first) {
    return {"D",   mma.d,
            mma.n, mma.registers(),
            first, [](int lane, int value, int) { return machine::fragment_place(lane, value); }};
  }
  static InFragment a(const machine::WarpgroupMma& mma, Slot first) {
    return {"A", mma.ab, 8 * 32 / layout::bits(mma.ab), 4, first, [](int lane, int value, int each) {
              machine::OperandPlace at = machine::operand_place(lane, value / each, value % each, each);
              return machine::FragmentPlace{at.row, at.k};
            }};
  }
};

bool Interpreter::fragment_fits(const HeldCode& held, const ViewCode& view, const InFragment& operand) {
  const auto& [what, element, columns, registers, slot, place] = operand;
  if (view.view->fragment < 0) {
    wrong(held, first_lane_, fmt::format("{} is held to no fragment", what));
    return false;
  }
  const sass::Fragment& fragment = program_.fragments[static_cast<std::size_t>(view.view->fragment)];
  const std::string& name = program_[fragment.value].name;
  std::int64_t start[2] = {0, 0}, extent[2] = {fragment.rows, fragment.columns};
  for (std::size_t i = 0; i < view.coordinates.size() && i < 2; ++i) {
    if (!view.coordinates[i].from.empty()) start[i] = evaluate(view.coordinates[i].from, scope(), first_lane_);
    extent[i] = std::max<std::int64_t>(1, view.coordinates[i].extent);
  }
  auto text = [&] { return fmt::format("{}[{} +: {}, {} +: {}]", name, start[0], extent[0], start[1], extent[1]); };
  // What does not change is asked once: the place in the tile is the line's, but for what coordinates say.
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(&view) * 0x9e3779b97f4a7c15u ^
                      static_cast<std::uint64_t>(start[0]) << 32 ^ static_cast<std::uint64_t>(start[1]) << 8 ^ 1;
  if (known(key)) return true;
  if (extent[0] != kRows || extent[1] != columns) {
    wrong(held, first_lane_, fmt::format("{} has {} rows and {} columns, held to {}", what, kRows, columns, text()));
    return false;
  }
  bool inside = start[0] >= 0 && start[1] >= 0 && start[0] + kRows <= fragment.rows &&
                start[1] + columns <= fragment.columns && fragment.layout.extent(0) == kWarpgroupLanes;
  if (!inside || fragment.element != element) {
    wrong(held, first_lane_,
          fmt::format("{} of {} in a warpgroup's registers cannot be held to {} of {}", what, layout::name(element),
                      text(), layout::name(fragment.element)));
    return false;
  }
  int each = 32 / layout::bits(fragment.element);  // values of a register
  std::int32_t first = code_.first_slot[static_cast<std::size_t>(fragment.value)];
  const std::vector<Holder> held_by = holders(fragment);
  for (int thread = 0; thread < kWarpgroupLanes; ++thread) {
    for (int index = 0; index < registers * each; ++index) {
      machine::FragmentPlace at = place(thread % kLanes, index, each);
      std::int64_t row = start[0] + thread / kLanes * 16 + at.row, column = start[1] + at.column;
      Holder by = held_by[static_cast<std::size_t>(row + fragment.rows * column)];
      if (by.thread == thread && by.value % each == index % each && first + by.value / each == slot.name + index / each)
        continue;
      wrong(held, thread % kLanes,
            fmt::format("{}'s ({}, {}) is in {} of thread {}, held to {}, whose ({}, {}) is in {}.{} of thread {}",
                        what, thread / kLanes * 16 + at.row, at.column, slot_name(part_of(slot, index / each)), thread,
                        text(), row, column, name, by.value / each, by.thread));
      return false;
    }
  }
  known_.insert(key);
  return true;
}

void Interpreter::reach_warpgroup_mma(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  const machine::WarpgroupMma& mma = *instruction.warpgroup_mma;
  const HeldCode* held = nullptr;
  if (const ViewCode* d = reached(instruction, 0, held))
    fragment_fits(*held, *d, InFragment::d(mma, arguments[0].slot));
  for (std::size_t i = 0; i < 2; ++i) {
    const ViewCode* view = reached(instruction, 1 + i, held);
    if (!view) continue;
    if (i == 0 && mma.a_in_registers) {
      fragment_fits(*held, *view, InFragment::a(mma, arguments[1].slot));
      continue;
    }
    const char* operand = i == 0 ? "A" : "B";
    if (view->view->buffer != sass::BufferId::none && program_[view->view->buffer].element != mma.ab) {
      wrong(*held, first_lane_,
            fmt::format("reads {} as {}, held to {} of {}", operand, layout::name(mma.ab),
                        program_[view->view->buffer].name, layout::name(program_[view->view->buffer].element)));
      continue;
    }
    std::uint64_t bits = static_cast<std::uint64_t>(scalar(arguments[1 + i], 1)) << 32 | scalar(arguments[1 + i], 0);
    operand_fits(*held, *view, place_of(*view, scope(), first_lane_), bits, i == 0 ? mma.a_major : mma.b_major,
                 i == 0 ? kRows : mma.n, operand);
  }
}

}  // namespace warpcc::checker
