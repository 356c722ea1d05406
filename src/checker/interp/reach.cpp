// Lines that reach something: what the instruction's operands decode to, against the views that the line is held to,
// element by element.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using sass::Held;

const ViewCode* Interpreter::reached(const Instruction& instruction, std::size_t index, const HeldCode*& held) const {
  for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
    if (code_.held[at].held->kind != Held::Kind::reach) continue;
    for (const ViewCode& view : code_.held[at].views) {
      if (index-- > 0) continue;
      held = &code_.held[at];
      return &view;
    }
  }
  return nullptr;
}

Verdicts::Key Interpreter::gather(const CheckCode& check) {
  std::uint32_t* to = key_;
  *to++ = static_cast<std::uint32_t>(warp_->number_in_cluster) + 1;
  *to++ = mask_;
  *to++ = static_cast<std::uint32_t>(cta().tensor_base);
  if (check.of_cluster) {
    *to++ = static_cast<std::uint32_t>(running_->number);
    *to++ = static_cast<std::uint32_t>(running_->number >> 32);
  }
  for (const CheckCode::Input& input : check.inputs) {
    auto slot = static_cast<std::size_t>(input.slot);
    switch (input.file) {
      case isa::File::ur:
        *to++ = warp_->named.ur[slot];
        break;
      case isa::File::p:
        *to++ = warp_->named.p[slot];
        break;
      case isa::File::up:
        *to++ = warp_->named.up[slot];
        break;
      case isa::File::r: {
        std::uint32_t& number = warp_->contents[slot];
        if (number == 0) number = number_of_contents(warp_->named.lanes(input.slot));
        *to++ = number;
        break;
      }
    }
  }
  return {key_, to};
}

// The same for the same 32 words, as long as they are remembered; never the same for others.
std::uint32_t Interpreter::number_of_contents(const std::uint32_t* lanes) {
  constexpr std::size_t kPlaces = 4096;
  if (contents_.empty()) contents_.resize(kPlaces);
  std::uint64_t hash = 0;
  for (int lane = 0; lane < kLanes; ++lane) hash = (hash ^ lanes[lane]) * 0x9e3779b97f4a7c15u;
  Contents& place = contents_[hash >> 52];
  if (place.number != 0 && std::equal(lanes, lanes + kLanes, place.lanes)) return place.number;
  std::copy_n(lanes, kLanes, place.lanes);
  return place.number = ++last_contents_;
}

void Interpreter::check_reach(const Instruction& instruction) {
  if (!program_.sections.empty() && warp_->section != code_.section_of[line_]) check_section();
  remembering(instruction.reach, [&] { check_reached(instruction, mask_); });
}

void Interpreter::check_reached(const Instruction& instruction, std::uint32_t mask) {
  switch (instruction.action) {
    case Action::copy_in:
      reach_load(instruction);
      break;
    case Action::copy_out:
    case Action::copy_add:
      reach_store(instruction);
      break;
    case Action::copy_across:
      reach_copy_across(instruction);
      break;
    case Action::request_work:
      reach_request(instruction);
      break;
    case Action::mma:
      reach_mma(instruction);
      break;
    case Action::warpgroup_mma:
      reach_warpgroup_mma(instruction);
      break;
    case Action::commit:
      reach_commit(instruction);
      break;
    case Action::barrier_init:
    case Action::barrier_invalidate:
    case Action::barrier_arrive:
    case Action::barrier_test:
      reach_barrier(instruction, mask);
      break;
    case Action::load_shared:
    case Action::store_shared:
    case Action::load_global:
    case Action::store_global:
    case Action::add_global:
    case Action::allocate:
      reach_lanes(instruction, mask);
      break;
    case Action::load_tensor:
    case Action::store_tensor:
      reach_tensor(instruction);
      break;
    case Action::named_barrier:
      reach_named_barrier(instruction);
      break;
    default:
      break;  // prefetch, free: nothing that coordinates say
  }
}

// ---- the copy engine

bool Interpreter::box_fits(const HeldCode& held, const ViewCode& view, const Place& place,
                           const machine::TensorMap& map, std::uint32_t address) {
  const sass::Buffer* buffer = view.view->buffer == sass::BufferId::none ? nullptr : &program_[view.view->buffer];
  if (!buffer || buffer->space != sass::MemorySpace::shared) {
    wrong(held, first_lane_, "the copy engine is held to a tile that is not in shared memory");
    return false;
  }
  std::uint32_t wants = static_cast<std::uint32_t>(place.rank) << 24 | static_cast<std::uint32_t>(place.offset);
  if (!place.inside || address != wants) {
    wrong(held, first_lane_,
          fmt::format("reaches shared address {:#x}, held to {} at {:#x}", address, view_text(view, place, program_),
                      wants));
    return false;
  }
  std::uint64_t key = key_of(&view, place, address);
  if (known(key)) return true;
  Extents extents = extents_of(view, program_);
  // Dimensions of one element are neither the box's nor the tile's.
  llvm::SmallVector<std::int64_t, 5> box, tile;
  llvm::SmallVector<std::size_t, 5> tile_dimension;
  for (std::size_t i = map.box.size(); i-- > 0;) {
    if (map.box[i] != 1) box.push_back(map.box[i]);
  }
  for (std::size_t i = 0; i < extents.extents.size(); ++i) {
    if (extents.extents[i] == 1) continue;
    tile.push_back(extents.extents[i]);
    tile_dimension.push_back(i);
  }
  if (box != tile || layout::bits(buffer->element) / 8 != map.element_bytes) {
    wrong(held, first_lane_,
          fmt::format("the box of {} has {} elements of {} bytes, another shape than {}", map.name,
                      fmt::join(map.box.rbegin(), map.box.rend(), " × "), map.element_bytes,
                      view_text(view, place, program_)));
    return false;
  }
  std::int64_t elements = map.box_rows() * map.box[0];
  llvm::SmallVector<std::int64_t, 5> index(extents.extents.size(), 0);
  for (std::int64_t element = 0; element < elements; ++element) {
    std::int64_t rest = element;
    for (std::size_t i = tile.size(); i-- > 0;) {
      index[tile_dimension[i]] = rest % tile[i];
      rest /= tile[i];
    }
    std::uint32_t lies = map.place(address & 0xffffff, element * map.element_bytes);
    std::int64_t layout_says = element_at(view, place, extents, index, program_);
    if (lies == static_cast<std::uint64_t>(layout_says)) continue;
    wrong(held, first_lane_,
          fmt::format("element ({}) of the box of {} lies at {:#x}, in {} at {:#x}",
                      fmt::join(index.begin(), index.end(), ", "), map.name, lies, view_text(view, place, program_),
                      layout_says));
    return false;
  }
  known_.insert(key);
  return true;
}

bool Interpreter::coordinates_fit(const HeldCode& held, const ViewCode& view, const machine::TensorMap& map,
                                  int map_index, const machine::Coordinates& start) {
  Place place = place_of(view, scope(), first_lane_);
  const sass::Buffer* buffer = view.view->buffer == sass::BufferId::none ? nullptr : &program_[view.view->buffer];
  if (!buffer || buffer->space != sass::MemorySpace::global || static_cast<int>(view.view->buffer) != map.buffer) {
    wrong(held, first_lane_,
          fmt::format("reaches the tensor map of {}, held to {}",
                      program_.maps[static_cast<std::size_t>(map_index)].buffer, view_text(view, place, program_)));
    return false;
  }
  std::size_t rank = place.start.size();
  if (rank != static_cast<std::size_t>(map.rank())) {
    wrong(held, first_lane_,
          fmt::format("the tensor map of {} has {} dimensions, {} has {}", map.name, map.rank(), buffer->name, rank));
    return false;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    std::int64_t extent = i < view.coordinates.size() ? std::max<std::int64_t>(1, view.coordinates[i].extent)
                                                      : buffer->layout.map().extent(static_cast<int>(i));
    if (start[rank - 1 - i] == place.start[i] && map.box[rank - 1 - i] == extent) continue;
    llvm::SmallVector<std::int64_t, 5> given;
    for (std::size_t d = 0; d < rank; ++d) given.push_back(start[rank - 1 - d]);
    wrong(held, first_lane_,
          fmt::format("reaches {}[{}] by a box of {}, held to {}", buffer->name,
                      fmt::join(given.begin(), given.end(), ", "), fmt::join(map.box.rbegin(), map.box.rend(), " × "),
                      view_text(view, place, program_)));
    return false;
  }
  return true;
}

bool Interpreter::barrier_fits(const HeldCode& held, const ViewCode& view, std::uint32_t address, int lane) {
  Place place = place_of(view, scope(), lane);
  std::uint32_t wants = static_cast<std::uint32_t>(place.rank) << 24 | static_cast<std::uint32_t>(place.offset);
  if (view.view->barrier != sass::MBarrierId::none && place.inside && address == wants) return true;
  wrong(held, lane,
        fmt::format("reaches the barrier at {:#x}, held to {} at {:#x}", address, view_text(view, place, program_),
                    wants));
  return false;
}

void Interpreter::reach_load(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  auto map_index = static_cast<int>(instruction.arguments[1].number);
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(map_index)];
  const Argument& vector = instruction.arguments[0];
  machine::Coordinates start{};
  for (int i = 0; i < map.rank(); ++i)
    start[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(scalar(vector, 2 + i));
  if (const ViewCode* tile = reached(instruction, 0, held))
    box_fits(*held, *tile, place_of(*tile, scope(), first_lane_), map, scalar(vector, 0));
  if (const ViewCode* source = reached(instruction, 1, held)) coordinates_fit(*held, *source, map, map_index, start);
  if (const ViewCode* barrier = reached(instruction, 2, held))
    barrier_fits(*held, *barrier, scalar(vector, 1), first_lane_);
  // A slice that goes to all along an axis: the pipe says which.
  const ViewCode* tile = reached(instruction, 0, held);
  if (!instruction.multicast || !tile) return;
  for (const sass::Pipe& pipe : program_.pipes) {
    bool carries = std::find(pipe.carries.begin(), pipe.carries.end(), tile->view->buffer) != pipe.carries.end();
    if (!carries || !pipe.across) continue;
    std::uint32_t mask = scalar(instruction.arguments[2]) & 0xffff;
    std::uint32_t wants = across(program_, program_.axes[static_cast<std::size_t>(*pipe.across)].name, cta().rank);
    if (mask != wants)
      wrong(*held, first_lane_,
            fmt::format("loads into the CTAs {:#x}; those across {} are {:#x}", mask,
                        program_.axes[static_cast<std::size_t>(*pipe.across)].name, wants));
  }
}

// A tile of this CTA and one of another, byte for byte alike, and the barrier.
void Interpreter::reach_copy_across(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  std::int64_t bytes = (scalar(instruction.arguments[2]) & 0xffff) * 16;
  const std::uint32_t addresses[] = {scalar(instruction.arguments[0], 0), scalar(instruction.arguments[1])};
  for (std::size_t i = 0; i < 2; ++i) {
    const ViewCode* view = reached(instruction, i, held);
    if (!view) return;
    Place place = place_of(*view, scope(), first_lane_);
    const sass::Buffer* buffer = view->view->buffer == sass::BufferId::none ? nullptr : &program_[view->view->buffer];
    if (!buffer || buffer->space != sass::MemorySpace::shared || !place.inside) {
      wrong(*held, first_lane_, fmt::format("copies shared memory, held to {}", view_text(*view, place, program_)));
      return;
    }
    // Its elements are one piece: from the lowest place on, as many bytes as are copied.
    Extents extents = extents_of(*view, program_);
    std::int64_t elements = 1, lowest = INT64_MAX, highest = 0, size = layout::bits(buffer->element) / 8;
    for (std::int64_t extent : extents.extents) elements *= extent;
    llvm::SmallVector<std::int64_t, 5> index(extents.extents.size(), 0);
    for (std::int64_t element = 0; element < elements; ++element) {
      std::int64_t rest = element;
      for (std::size_t d = index.size(); d-- > 0; rest /= extents.extents[d]) index[d] = rest % extents.extents[d];
      std::int64_t at = element_at(*view, place, extents, index, program_);
      lowest = std::min(lowest, at);
      highest = std::max(highest, at + size);
    }
    std::int64_t wants = static_cast<std::int64_t>(place.rank) << 24 | lowest;
    if (addresses[i] != wants || elements * size != bytes || highest - lowest != bytes) {
      wrong(*held, first_lane_,
            fmt::format("copies {} bytes {} {:#x}, held to {}, {} bytes at {:#x}", bytes, i == 0 ? "to" : "from",
                        addresses[i], view_text(*view, place, program_), elements * size, wants));
      return;
    }
  }
  if (const ViewCode* barrier = reached(instruction, 2, held))
    barrier_fits(*held, *barrier, scalar(instruction.arguments[0], 1), first_lane_);
}

// The answer's 16 bytes, and the barrier.
void Interpreter::reach_request(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  if (const ViewCode* to = reached(instruction, 0, held)) {
    Place place = place_of(*to, scope(), first_lane_);
    const sass::Buffer* buffer = to->view->buffer == sass::BufferId::none ? nullptr : &program_[to->view->buffer];
    Extents extents = extents_of(*to, program_);
    std::int64_t bits = buffer ? layout::bits(buffer->element) : 0;
    for (std::int64_t extent : extents.extents) bits *= extent;
    std::uint32_t address = scalar(instruction.arguments[0]);
    std::uint32_t wants = static_cast<std::uint32_t>(place.rank) << 24 | static_cast<std::uint32_t>(place.offset);
    if (!buffer || buffer->space != sass::MemorySpace::shared || bits != 128) {
      wrong(*held, first_lane_, fmt::format("an answer has 16 bytes, held to {}", view_text(*to, place, program_)));
    } else if (!place.inside || address != wants) {
      wrong(*held, first_lane_,
            fmt::format("reaches shared address {:#x}, held to {} at {:#x}", address, view_text(*to, place, program_),
                        wants));
    }
  }
  if (const ViewCode* barrier = reached(instruction, 1, held))
    barrier_fits(*held, *barrier, scalar(instruction.arguments[1]), first_lane_);
}

void Interpreter::reach_store(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  auto map_index = static_cast<int>(instruction.arguments[1].number);
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(map_index)];
  const Argument& vector = instruction.arguments[0];
  machine::Coordinates start{};
  for (int i = 0; i < map.rank(); ++i)
    start[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(scalar(vector, 1 + i));
  if (const ViewCode* to = reached(instruction, 0, held)) coordinates_fit(*held, *to, map, map_index, start);
  if (const ViewCode* tile = reached(instruction, 1, held))
    box_fits(*held, *tile, place_of(*tile, scope(), first_lane_), map, scalar(vector, 0));
}

// ---- the tensor core

bool Interpreter::operand_fits(const HeldCode& held, const ViewCode& view, const Place& place, std::uint64_t bits,
                               layout::Major major, int rows, const char* name) {
  std::uint64_t key =
      mix(key_of(&view, place, bits), static_cast<std::uint64_t>(rows) << 1 | (major == layout::Major::mn));
  if (known(key)) return true;
  const sass::Buffer* buffer = view.view->buffer == sass::BufferId::none ? nullptr : &program_[view.view->buffer];
  Extents extents = extents_of(view, program_);
  auto text = [&] { return view_text(view, place, program_); };
  auto decoded = layout::OperandDescriptor::decode(bits, core());
  if (!buffer || buffer->space != sass::MemorySpace::shared || extents.extents.size() != 2 || !place.inside ||
      !decoded) {
    wrong(held, first_lane_, fmt::format("{}'s descriptor {:#018x} cannot be held to {}", name, bits, text()));
    return false;
  }
  if (extents.extents[0] != rows || extents.extents[1] * layout::bits(buffer->element) != 256) {
    wrong(held, first_lane_,
          fmt::format("reads {} rows and {} columns of {}, held to {}", rows, 256 / layout::bits(buffer->element), name,
                      text()));
    return false;
  }
  decoded->major = major;
  auto different = first_difference(
      rows, extents.extents[1],
      [&](std::int64_t row, std::int64_t k) -> std::int64_t {
        return decoded->address(row, k, layout::bits(buffer->element));
      },
      [&](std::int64_t row, std::int64_t k) { return element_at(view, place, extents, {row, k}, program_); });
  if (different) {
    wrong(held, first_lane_,
          fmt::format("{}'s descriptor {:#018x} reads ({}, {}) at {:#x}, held to {} at {:#x}", name, bits,
                      different->row, different->column, different->lies, text(), different->layout_says));
    return false;
  }
  known_.insert(key);
  return true;
}

bool Interpreter::accumulator_fits(const HeldCode& held, const ViewCode& view, const Place& place,
                                   const layout::InstructionDescriptor& instruction, bool pair, std::int64_t relative) {
  std::uint64_t key = mix(key_of(&view, place, static_cast<std::uint64_t>(relative)),
                          static_cast<std::uint64_t>(instruction.m) << 16 | static_cast<std::uint64_t>(instruction.n));
  if (known(key)) return true;
  const sass::Buffer* buffer = view.view->buffer == sass::BufferId::none ? nullptr : &program_[view.view->buffer];
  Extents extents = extents_of(view, program_);
  auto text = [&] { return view_text(view, place, program_); };
  if (!buffer || buffer->space != sass::MemorySpace::tensor || extents.extents.size() != 2 || !place.inside) {
    wrong(held, first_lane_, fmt::format("D is held to {}, no tile of tensor memory", text()));
    return false;
  }
  layout::Map image = layout::accumulator(instruction.m, instruction.n, pair);
  if (image.rank() == 0) return true;  // a shape that no such MMA has: its issue says so
  if (image.extent(0) != extents.extents[0] || image.extent(1) != extents.extents[1]) {
    wrong(held, first_lane_,
          fmt::format("D has {} rows and {} columns in a CTA, held to {}", image.extent(0), image.extent(1), text()));
    return false;
  }
  auto different = first_difference(
      extents.extents[0], extents.extents[1],
      [&](std::int64_t row, std::int64_t column) {
        std::int64_t index[2] = {row, column};
        return relative + image(index);
      },
      [&](std::int64_t row, std::int64_t column) { return element_at(view, place, extents, {row, column}, program_); });
  if (different) {
    wrong(held, first_lane_,
          fmt::format("D's ({}, {}) lies in lane {}, column {} of the allocation, held to {} in lane {}, column {}",
                      different->row, different->column, different->lies >> 16, different->lies & 0xffff, text(),
                      different->layout_says >> 16, different->layout_says & 0xffff));
    return false;
  }
  known_.insert(key);
  return true;
}

void Interpreter::reach_mma(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  if (arguments[0].kind != sass::Operand::Kind::gdesc) return;
  std::string_view name = program_.lines[line_].opcode->name;
  using Kind = layout::InstructionDescriptor::Kind;
  auto decoded = machine::decode_instruction(scalar(arguments[4]), name == "UTCQMMA"   ? Kind::f8f6f4
                                                                   : name == "UTCIMMA" ? Kind::i8
                                                                                       : Kind::f16);
  const HeldCode* held = nullptr;
  const ViewCode* d = reached(instruction, 0, held);
  if (!decoded) {
    wrong(*held, first_lane_, fmt::format("its instruction descriptor {:#010x} is none", scalar(arguments[4])));
    return;
  }
  int ctas = instruction.pair ? 2 : 1;
  auto pair_of = [&](const Argument& argument) {
    return static_cast<std::uint64_t>(scalar(argument, 1)) << 32 | scalar(argument, 0);
  };
  std::int64_t address = scalar(arguments[2]) + arguments[2].number;
  accumulator_fits(*held, *d, place_of(*d, scope(), first_lane_), *decoded, instruction.pair,
                   address - std::max<std::int64_t>(0, cta().tensor_base));
  const layout::Element wanted[2] = {decoded->a, decoded->b};
  for (std::size_t i = 0; i < 2; ++i) {
    const ViewCode* view = reached(instruction, 1 + i, held);
    if (!view) continue;
    const char* operand = i == 0 ? "A" : "B";
    if (view->view->buffer != sass::BufferId::none && program_[view->view->buffer].element != wanted[i]) {
      wrong(*held, first_lane_,
            fmt::format("reads {} as {}, held to {} of {}", operand, layout::name(wanted[i]),
                        program_[view->view->buffer].name, layout::name(program_[view->view->buffer].element)));
      continue;
    }
    operand_fits(*held, *view, place_of(*view, scope(), first_lane_), pair_of(arguments[i]),
                 i == 0 ? decoded->a_major : decoded->b_major, (i == 0 ? decoded->m : decoded->n) / ctas, operand);
  }
}

void Interpreter::reach_commit(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  const ViewCode* view = reached(instruction, 0, held);
  std::uint32_t address = scalar(instruction.arguments[0]);
  // Multicast: the same place in every CTA of the mask. Whose place the address names does not matter.
  Place place = place_of(*view, scope(), first_lane_);
  bool is_there = place.inside && (address & 0xffffff) == static_cast<std::uint32_t>(place.offset);
  if (!(instruction.multicast && is_there) && !barrier_fits(*held, *view, address, first_lane_)) return;
  std::uint32_t mask = instruction.multicast ? scalar(instruction.arguments[2]) & 0xffff : 1u << (address >> 24 & 31);
  for (const sass::Pipe& pipe : program_.pipes) {
    bool full = pipe.full == view->view->barrier, empty = pipe.empty == view->view->barrier;
    if (!full && !empty) continue;
    std::uint32_t wants = signalled(program_, pipe, full, cta().rank);
    if (mask != wants)
      wrong(*held, first_lane_,
            fmt::format("commits to the CTAs {:#x}; {} is signalled from here in {:#x}", mask,
                        view_text(*view, place, program_), wants));
  }
}

// ---- barriers, and memory by lanes

std::int64_t Interpreter::pipe_bytes(const ViewCode& view, int rank) const {
  for (const sass::Pipe& pipe : program_.pipes) {
    if (pipe.full == view.view->barrier && !pipe.carries.empty()) return phase_bytes(program_, pipe, rank);
  }
  const auto& declared = program_[view.view->barrier].bytes;
  return declared ? *declared : -1;
}

void Interpreter::reach_barrier(const Instruction& instruction, std::uint32_t mask) {
  const HeldCode* held = nullptr;
  const ViewCode* view = reached(instruction, 0, held);
  std::size_t at = instruction.action == Action::barrier_invalidate ? 0 : 1;
  bool uniform =
      instruction.arguments[at].slot.file == isa::File::ur && !instruction.arguments[at].second && !view->varies;
  for (int lane = first_lane_; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (!barrier_fits(*held, *view, shared_address(instruction.arguments[at], lane), lane) || uniform) break;
  }
  if (view->view->barrier == sass::MBarrierId::none) return;
  const sass::MBarrier& declared = program_[view->view->barrier];
  Place place = place_of(*view, scope(), first_lane_);
  if (instruction.action == Action::barrier_init) {
    std::int64_t arrivals = (1 << 20) - (scalar(instruction.arguments[2], 0) >> 1);
    if (arrivals != declared.arrivals) {
      wrong(*held, first_lane_,
            fmt::format("initialises {} to {} arrivals; a phase has {}", view_text(*view, place, program_), arrivals,
                        declared.arrivals));
    }
  }
  if (instruction.action == Action::barrier_arrive &&
      (instruction.arrival == Arrival::expect || instruction.arrival == Arrival::expect_only)) {
    std::int64_t bytes = scalar(instruction.arguments[2]), wants = pipe_bytes(*view, place.rank);
    if (wants >= 0 && bytes != wants) {
      wrong(*held, first_lane_,
            fmt::format("expects {} bytes at {}; a phase has {}", bytes, view_text(*view, place, program_), wants));
    }
  }
}

void Interpreter::reach_lanes(const Instruction& instruction, std::uint32_t mask) {
  const HeldCode* held = nullptr;
  const ViewCode* view = reached(instruction, 0, held);
  bool load = instruction.action == Action::load_shared || instruction.action == Action::load_global;
  const Argument& at = instruction.arguments[load ? 1 : 0];
  bool global = at.kind == sass::Operand::Kind::global;
  Lanes addresses;
  const std::uint32_t *low = nullptr, *high = nullptr;
  const Slot base = at.second ? *at.second : at.slot;
  if (!global) {
    shared_addresses(at, addresses);
  } else if (!base.constant) {
    Slot second = base;
    ++second.name;
    if (second.hardware >= 0) ++second.hardware;
    low = read_lanes(base);
    high = read_lanes(second);
  }
  Scope here = scope();
  for (int lane = first_lane_; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    Place place = place_of(*view, here, lane);
    std::uint64_t address = 0, wants = 0;
    if (global) {
      address = low ? static_cast<std::uint64_t>(high[lane]) << 32 | low[lane] : 0;
      address += static_cast<std::uint64_t>(at.number);
      if (view->view->buffer != sass::BufferId::none) {
        wants = global_base_[static_cast<std::size_t>(view->view->buffer)] +
                static_cast<std::uint64_t>(place.offset * layout::bits(program_[view->view->buffer].element) / 8);
      }
    } else {
      address = addresses[lane];
      wants = static_cast<std::uint32_t>(place.rank) << 24 | static_cast<std::uint32_t>(place.offset);
    }
    if (place.inside && address == wants) continue;
    wrong(*held, lane,
          fmt::format("reaches {:#x}, held to {} at {:#x}", address, view_text(*view, place, program_), wants));
    return;
  }
}

void Interpreter::reach_tensor(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  const ViewCode* view = reached(instruction, 0, held);
  const Argument& at = instruction.arguments[instruction.action == Action::load_tensor ? 1 : 0];
  std::int64_t address = (at.slot.constant ? 0 : read_uniform(at.slot)) + at.number;
  Place place = place_of(*view, scope(), first_lane_);
  std::int64_t relative = address - std::max<std::int64_t>(0, cta().tensor_base);
  Extents extents = extents_of(*view, program_);
  if (!place.inside || extents.extents.size() != 2 || extents.extents[0] != kLanes ||
      extents.extents[1] != instruction.width || view->view->buffer == sass::BufferId::none ||
      program_[view->view->buffer].space != sass::MemorySpace::tensor) {
    wrong(*held, first_lane_,
          fmt::format("moves 32 lanes × {} columns of tensor memory, held to {}", instruction.width,
                      view_text(*view, place, program_)));
    return;
  }
  // 32x32b: lane t, register i is lane t, column i (PTX ISA, tcgen05.ld). The warp's own quarter must be the one that
  // is meant.
  if ((relative >> 16) / 32 != warp_->index % 4) {
    wrong(*held, first_lane_,
          fmt::format("reaches lane {} of tensor memory from warp {}, which has lanes {} .. {}", relative >> 16,
                      warp_->index, warp_->index % 4 * 32, warp_->index % 4 * 32 + 32));
    return;
  }
  std::uint64_t key = key_of(view, place, static_cast<std::uint64_t>(relative));
  if (known(key)) return;
  auto different = first_difference(
      kLanes, instruction.width, [&](std::int64_t lane, std::int64_t i) { return relative + (lane << 16) + i; },
      [&](std::int64_t lane, std::int64_t i) { return element_at(*view, place, extents, {lane, i}, program_); });
  if (different) {
    wrong(*held, static_cast<int>(different->row),
          fmt::format("register {} of lane {} is of lane {}, column {} of the allocation, held to {}, element ({}, {}) "
                      "in lane {}, column {}",
                      different->column, different->row, different->lies >> 16, different->lies & 0xffff,
                      view_text(*view, place, program_), different->row, different->column,
                      different->layout_says >> 16, different->layout_says & 0xffff));
    return;
  }
  known_.insert(key);
}

void Interpreter::reach_named_barrier(const Instruction& instruction) {
  const HeldCode* held = nullptr;
  const ViewCode* view = reached(instruction, 0, held);
  if (view->view->named_barrier < 0) return;
  const sass::NamedBarrier& declared = program_.named_barriers[static_cast<std::size_t>(view->view->named_barrier)];
  Place place = place_of(*view, scope(), first_lane_);
  std::int64_t id = scalar(instruction.arguments[0]);
  std::int64_t threads = instruction.arguments.size() > 1 ? scalar(instruction.arguments[1])
                                                          : static_cast<std::uint32_t>(program_.threads);
  if (place.inside && id == place.offset && threads == declared.threads) return;
  wrong(*held, first_lane_,
        fmt::format("reaches named barrier {} for {} threads, held to {}, which is {} for {}", id, threads,
                    view_text(*view, place, program_), place.offset, declared.threads));
}

}  // namespace warpcc::checker
