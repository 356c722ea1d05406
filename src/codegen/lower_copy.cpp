// The copy engine's instructions: a vector of uniform registers each, destination or source, barrier, coordinates (rule
// 5).
#include <algorithm>
#include <array>
#include <bit>

#include "codegen/lower.h"

namespace warpcc::codegen {

namespace {

constexpr Message<std::string> kNoMap{"prefetch",
                                      "no tensor map of `{}` to fetch: nothing is copied from it or to it so"};
constexpr Message<std::string, std::string> kNoMapFor{
    "prefetch", "no tensor map of `{}` has a box like `{}`: nothing is copied between the two"};

const kernel::View& tile_of(const kernel::Instruction& instruction) {
  return std::get<kernel::View>(instruction.operands[instruction.op->does == isa::Does::load ? 0 : 1]);
}
const kernel::View& global_of(const kernel::Instruction& instruction) {
  return std::get<kernel::View>(instruction.operands[instruction.op->does == isa::Does::load ? 1 : 0]);
}
bool is_copy(const kernel::Instruction& instruction) {
  using isa::Does;
  return instruction.op->does == Does::load || instruction.op->does == Does::store ||
         instruction.op->does == Does::store_add;
}

std::string spell(std::string_view opcode, std::size_t dimensions, std::string_view modifiers) {
  return std::string(opcode) + "." + std::to_string(dimensions) + "D" + std::string(modifiers);
}

}  // namespace

const Declared::MapKey& Lower::map_key(const kernel::Instruction& instruction) {
  auto [entry, is_new] = map_keys_.try_emplace(&instruction);
  if (is_new) entry->second = map_of(kernel_, global_of(instruction), tile_of(instruction));
  return entry->second;
}

// Coordinates as the hardware takes them, the innermost first.
std::vector<Quantity> Lower::coordinates(const kernel::View& global) {
  const kernel::Buffer& buffer = kernel_[global.buffer];
  std::vector<Quantity> coordinates;
  for (std::size_t i = global.slices.size(); i-- > 0;) {
    Quantity quantity;
    quantity.number = values_.form(global.slices[i].from);
    quantity.name = buffer.name + (global.slices.size() != 2 ? "_" + std::to_string(i) : i == 0 ? "_row" : "_col");
    coordinates.push_back(std::move(quantity));
  }
  return coordinates;
}

// Which vector each copy of a role uses. Where a map has several copies they alternate between two, so that a write
// need not wait for the instruction before; what all users of a vector have in common, and no loop changes, is set
// once, where it is known.
void Lower::plan_vectors(const kernel::Block& block) {
  std::map<std::pair<std::size_t, bool>, std::vector<const kernel::Instruction*>> by_map;
  each_instruction(block, [&](const kernel::Instruction& instruction) {
    if (!is_copy(instruction)) return;
    by_map[{declared_.maps.at(map_key(instruction)), instruction.op->does == isa::Does::load}].push_back(&instruction);
  });
  for (const auto& [map, users] : by_map) {
    bool loads = map.second;
    std::size_t groups = std::min<std::size_t>(users.size(), 2);
    std::size_t before = loads ? 2 : 1;
    std::size_t dimensions = global_of(*users.front()).slices.size();
    for (std::size_t group = 0; group < groups; ++group) {
      Vector vector;
      vector.name =
          (loads ? "load_" : "store_") + program_.maps[map.first].name + (groups == 2 ? std::to_string(group) : "");
      vector.width = static_cast<int>(before + dimensions);
      vector.hoisted.assign(before + dimensions, false);
      std::vector<Quantity> common = coordinates(global_of(*users[group]));
      for (std::size_t i = 0; i < dimensions; ++i)
        vector.hoisted[before + i] = !Values::changes_in_loops(common[i].number);
      Form tile = values_.form(address_of(reference(tile_of(*users[group]))));
      vector.hoisted[0] = !Values::changes_in_loops(tile);
      for (std::size_t user = group; user < users.size(); user += groups) {
        std::vector<Quantity> others = coordinates(global_of(*users[user]));
        for (std::size_t i = 0; i < dimensions; ++i) {
          if (others[i].number != common[i].number) vector.hoisted[before + i] = false;
        }
        if (values_.form(address_of(reference(tile_of(*users[user])))) != tile) vector.hoisted[0] = false;
      }
      for (std::size_t user = group; user < users.size(); user += groups) vectors_[users[user]] = vector;
    }
  }
}

// What `createpolicy.fractional` makes for whole lines (sass-map: createpolicy).
Reg Lower::policy(kernel::Hint hint) {
  bool first = hint == kernel::Hint::evict_first;
  std::string name = first ? "evict_first" : "evict_last";
  return values_.once(name, [&](Place head) {
    Reg pair = values_.named(name, name, {isa::File::ur, 2, 2, std::nullopt});
    std::int64_t high = first ? 0x12f00000 : 0x14f00000;
    emit_.move(head, sass::Mark::derived, pair, constant_use(isa::File::ur)).held = {values_.number(form_of(0))};
    emit_.move(head, sass::Mark::derived, part(pair, 1), immediate(high)).held = {values_.number(form_of(high))};
    return pair;
  });
}

void Lower::load(const kernel::Instruction& instruction) {
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 2);
  Reference full = this->reference(barrier);
  Reference tile = this->reference(tile_of(instruction));
  const kernel::Pipe& pipe = kernel_[full.pipe];
  std::vector<int> from = running(instruction);
  Reach reach = codegen::reach(kernel_, pipe, kernel::BarrierOperand::Kind::full, from);
  // The barrier of the pair's leader: bit 24 of its address cleared, and `.2CTA` (blackwell.md: 2-CTA loads).
  bool leader = reach.kind == Reach::Kind::other;
  full.at = reach.at;
  Quantity at_barrier = address_of(full);
  values_.derive(at_barrier);

  std::string modifiers;
  std::vector<Operand> operands;
  const Vector& vector = vectors_.at(&instruction);
  Reg group = values_.named("vector " + vector.name, vector.name,
                            {isa::File::ur, vector.width, vector.width > 4 ? 8 : 4, std::nullopt});
  operands.push_back(at(Operand::Kind::vector, group));
  operands.push_back(tensor_map(declared_.maps.at(map_key(instruction))));
  if (instruction.across && kernel_.axes[static_cast<std::size_t>(*instruction.across)].extent > 1) {
    modifiers += ".MULTICAST";
    sass::Held held;
    held.kind = sass::Held::Kind::mask_across;
    held.name = kernel_.axes[static_cast<std::size_t>(*instruction.across)].name;
    operands.push_back(use(mask(mask_across(kernel_, *instruction.across, from), held.name + "_mask", held)));
  }
  if (leader) modifiers += ".2CTA";
  if (instruction.hint != kernel::Hint::none) operands.push_back(use(policy(instruction.hint)));

  values_.set(group, address_of(tile), here_, vector.hoisted[0]);
  values_.set(part(group, 1), at_barrier, here_, false);
  std::vector<Quantity> coordinates = this->coordinates(global_of(instruction));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    values_.set(part(group, static_cast<int>(2 + i)), coordinates[i], here_, vector.hoisted[2 + i]);
  }
  say(instruction, spell("UTMALDG", coordinates.size(), modifiers), std::move(operands)).held =
      values_.reach({tile, this->reference(global_of(instruction)), full});
}

// From this CTA's shared memory to another's: destination and barrier in a pair, and how many 16 bytes.
void Lower::copy_cluster(const kernel::Instruction& instruction) {
  const auto& to = std::get<kernel::View>(instruction.operands[0]);
  const auto& from = std::get<kernel::View>(instruction.operands[1]);
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 2);
  Reference tile = this->reference(to), source = this->reference(from), full = this->reference(barrier);
  full.at = codegen::reach(kernel_, kernel_[full.pipe], kernel::BarrierOperand::Kind::full, running(instruction)).at;
  std::int64_t bytes = layout::bits(kernel_[to.buffer].element) / 8;
  for (const kernel::Slice& slice : to.slices) bytes *= slice.extent;
  std::string key = "bytes of copies " + std::to_string(bytes);
  Reg size = values_.once(key, [&](Place head) {
    Reg made = values_.named(key, "copy_" + std::to_string(bytes), kUniform);
    emit_.move(head, sass::Mark::derived, made, immediate(bytes / 16)).held = {values_.number(form_of(bytes / 16))};
    return made;
  });
  Reg group = values_.named("vector of copies", "copy_to", {isa::File::ur, 2, 2, std::nullopt});
  Reg here = values_.derive_whole(address_of(source));
  values_.set(group, address_of(tile), here_, false);
  values_.set(part(group, 1), address_of(full), here_, false);
  say(instruction, "UBLKCP.S.S", {at(Operand::Kind::vector, group), at(Operand::Kind::vector, here), use(size)}).held =
      values_.reach({tile, source, full});
}

void Lower::store(const kernel::Instruction& instruction) {
  bool adds = instruction.op->does == isa::Does::store_add;
  const Vector& vector = vectors_.at(&instruction);
  Reg group = values_.named("vector " + vector.name, vector.name,
                            {isa::File::ur, vector.width, vector.width > 4 ? 8 : 4, std::nullopt});
  Reference tile = this->reference(tile_of(instruction));
  values_.set(group, address_of(tile), here_, vector.hoisted[0]);
  std::vector<Quantity> coordinates = this->coordinates(global_of(instruction));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    values_.set(part(group, static_cast<int>(1 + i)), coordinates[i], here_, vector.hoisted[1 + i]);
  }
  say(instruction, adds ? spell("UTMAREDG", coordinates.size(), ".ADD") : spell("UTMASTG", coordinates.size(), ""),
      {at(Operand::Kind::vector, group), tensor_map(declared_.maps.at(map_key(instruction)))})
      .held = values_.reach({this->reference(global_of(instruction)), tile});
}

void Lower::prefetch(const kernel::Instruction& instruction) {
  const auto& wanted = std::get<kernel::TensorMapOf>(instruction.operands[0]);
  for (const auto& [key, map] : declared_.maps) {
    if (key.global != wanted.buffer) continue;
    if (wanted.box_for != kernel::BufferId::none && key.box != kernel_[wanted.box_for].shape) continue;
    say(instruction, "UTMACCTL.PF", {tensor_map(map)});
    return;
  }
  if (wanted.box_for != kernel::BufferId::none)
    diagnostics_.error(instruction.where, kNoMapFor, kernel_[wanted.buffer].name, kernel_[wanted.box_for].name);
  else
    diagnostics_.error(instruction.where, kNoMap, kernel_[wanted.buffer].name);
}

}  // namespace warpcc::codegen
