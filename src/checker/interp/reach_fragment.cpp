// Lines that reach registers: the fragment that an MMA computes, element by element against the layout of its
// `.fragment` line, and its operands.
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

bool Interpreter::fragment_fits(const HeldCode& held, const ViewCode& view, const machine::WarpgroupMma& mma, Slot d) {
  if (view.view->fragment < 0) {
    wrong(held, first_lane_, "D is held to no fragment");
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
  if (extent[0] != kRows || extent[1] != mma.n) {
    wrong(held, first_lane_, fmt::format("D has {} rows and {} columns, held to {}", kRows, mma.n, text()));
    return false;
  }
  bool inside = start[0] >= 0 && start[1] >= 0 && start[0] + kRows <= fragment.rows &&
                start[1] + mma.n <= fragment.columns && fragment.layout.extent(0) == kWarpgroupLanes;
  if (!inside || fragment.element != mma.d) {
    wrong(held, first_lane_,
          fmt::format("D of {} in a warpgroup's registers cannot be held to {} of {}", layout::name(mma.d), text(),
                      layout::name(fragment.element)));
    return false;
  }
  int each = 32 / layout::bits(fragment.element);  // values of a register
  std::int32_t first = code_.first_slot[static_cast<std::size_t>(fragment.value)];
  const std::vector<Holder> held_by = holders(fragment);
  for (int thread = 0; thread < kWarpgroupLanes; ++thread) {
    for (int index = 0; index < mma.n / 2; ++index) {
      machine::FragmentPlace at = machine::fragment_place(thread % kLanes, index);
      std::int64_t row = start[0] + thread / kLanes * 16 + at.row, column = start[1] + at.column;
      Holder by = held_by[static_cast<std::size_t>(row + fragment.rows * column)];
      if (by.thread == thread && by.value % each == index % each && first + by.value / each == d.name + index / each)
        continue;
      wrong(held, thread % kLanes,
            fmt::format("D's ({}, {}) is in {} of thread {}, held to {}, whose ({}, {}) is in {}.{} of thread {}",
                        thread / kLanes * 16 + at.row, at.column, slot_name(part_of(d, index / each)), thread, text(),
                        row, column, name, by.value / each, by.thread));
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
  if (const ViewCode* d = reached(instruction, 0, held)) fragment_fits(*held, *d, mma, arguments[0].slot);
  for (std::size_t i = 0; i < 2; ++i) {
    const ViewCode* view = reached(instruction, 1 + i, held);
    if (!view) continue;
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
