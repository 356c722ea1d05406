#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "checker/interp/code.h"
#include "sass/flow.h"

namespace warpcc::checker {
namespace {

using isa::File;

class Decoder {
 public:
  explicit Decoder(const sass::Program& program) : program_(program) {}

  Code run() {
    number_values();
    decode_maps();
    code_.section_of.reserve(program_.lines.size());
    std::size_t section = 0;
    for (std::size_t i = 0; i < program_.lines.size(); ++i) {
      while (section + 1 < program_.sections.size() && program_.sections[section + 1].first_line <= i) ++section;
      code_.section_of.push_back(static_cast<std::uint16_t>(section));
      decode_line(i);
    }
    if (std::any_of(code_.instructions.begin(), code_.instructions.end(),
                    [](const Instruction& one) { return one.action == Action::change_registers; }))
      count_live();
    code_.shares_memory = shares_memory();
    for (const Instruction& instruction : code_.instructions) {
      code_.loads_global = code_.loads_global || instruction.action == Action::load_global;
      code_.loads_shared = code_.loads_shared || instruction.action == Action::load_shared;
      code_.adds = code_.adds || instruction.action == Action::copy_add;
    }
    // Room past the end, for a group that is said to be longer than its value.
    constexpr int kRoom = 128;
    for (std::size_t file = 0; file < 4; ++file) {
      code_.range_of[file].resize(static_cast<std::size_t>(slots_[file] + kRoom));
    }
    code_.named_r = slots_[index(File::r)] + kRoom;
    code_.named_ur = slots_[index(File::ur)] + kRoom;
    code_.named_p = slots_[index(File::p)] + kRoom;
    code_.named_up = slots_[index(File::up)] + kRoom;
    return std::move(code_);
  }

 private:
  static std::size_t index(File file) { return static_cast<std::size_t>(file); }

  // Whether global memory that the program writes is read as well, or added to. Of a line that is held to nothing it is
  // not known which memory it reaches.
  bool shares_memory() const {
    std::vector<bool> read(program_.buffers.size(), false), written = read;
    bool reads_any = false, writes_any = false;
    auto reach = [&](const Instruction& instruction, std::vector<bool>& which, bool& any) {
      bool known = false;
      for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
        for (const ViewCode& view : code_.held[at].views) {
          if (view.view->buffer == sass::BufferId::none) continue;
          which[static_cast<std::size_t>(view.view->buffer)] = known = true;
        }
      }
      any = any || !known;
    };
    auto reach_map = [&](const Instruction& instruction, std::vector<bool>& which) {
      int buffer = code_.maps[static_cast<std::size_t>(instruction.arguments[1].number)].buffer;
      if (buffer >= 0) which[static_cast<std::size_t>(buffer)] = true;
    };
    for (const Instruction& instruction : code_.instructions) {
      switch (instruction.action) {
        case Action::copy_in:
          reach_map(instruction, read);
          break;
        case Action::copy_out:
          reach_map(instruction, written);
          break;
        case Action::load_global:
          reach(instruction, read, reads_any);
          break;
        case Action::store_global:
          reach(instruction, written, writes_any);
          break;
        case Action::copy_add:
        case Action::add_global:
          return true;
        default:
          break;
      }
    }
    bool any_read = reads_any, any_written = writes_any, both = false;
    for (std::size_t i = 0; i < read.size(); ++i) {
      any_read = any_read || read[i];
      any_written = any_written || written[i];
      both = both || (read[i] && written[i]);
    }
    return both || (reads_any && any_written) || (writes_any && any_read);
  }

  std::int32_t new_slots(File file, int width, const std::optional<sass::IndexRange>& range) {
    std::int32_t first = slots_[index(file)];
    slots_[index(file)] += width;
    auto& ranges = code_.range_of[index(file)];
    ranges.resize(static_cast<std::size_t>(first + width));
    if (range) ranges[static_cast<std::size_t>(first)] = range;
    return first;
  }

  void number_values() {
    for (const sass::Value& value : program_.values) {
      code_.first_slot.push_back(new_slots(value.file, value.width, value.range));
    }
  }

  void decode_maps() {
    for (const sass::TensorMap& map : program_.maps) {
      machine::TensorMap decoded;
      decoded.name = map.name;
      for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
        const sass::Buffer& buffer = program_.buffers[i];
        if (buffer.name != map.buffer) continue;
        decoded.buffer = static_cast<int>(i);
        if (buffer.valid.size() == map.extents.size()) decoded.valid.assign(buffer.valid.rbegin(), buffer.valid.rend());
        code_.limits = code_.limits || !buffer.valid.empty();
      }
      decoded.extents.assign(map.extents.rbegin(), map.extents.rend());
      decoded.box.assign(map.box.rbegin(), map.box.rend());
      decoded.element_bytes = map.element_bytes;
      decoded.swizzle = layout::swizzle_of_span(map.swizzle);
      code_.maps.push_back(std::move(decoded));
    }
  }

  // What a thread must have of general registers at each line, whichever they are.
  void count_live() {
    const sass::Liveness live = sass::liveness(program_);
    for (std::size_t line = 0; line < code_.instructions.size(); ++line) {
      int registers = 0;
      for (std::size_t i = 0; i < program_.values.size(); ++i) {
        const sass::Value& value = program_.values[i];
        if (value.file == File::r && live.live_before(line, static_cast<sass::ValueId>(i))) registers += value.width;
      }
      code_.instructions[line].registers = static_cast<std::int16_t>(std::min<int>(registers, INT16_MAX));
    }
  }

  Slot slot(const sass::Reg& reg) {
    Slot result;
    result.file = reg.file;
    result.constant = reg.is_constant;
    if (reg.is_constant) return result;
    result.hardware = reg.number;
    code_.coloured = code_.coloured || reg.number >= 0;
    if (reg.value != sass::ValueId::none) {
      result.name = code_.first_slot[static_cast<std::size_t>(reg.value)] + reg.part;
    } else {  // plain registers are their own names
      auto [entry, fresh] = plain_.try_emplace(static_cast<int>(index(reg.file)) << 16 | reg.number, 0);
      if (fresh) entry->second = new_slots(reg.file, 1, {});
      result.name = entry->second;
    }
    return result;
  }

  // Plain registers of a group follow each other by number, so their slots must too.
  void reserve_group(const sass::Reg& reg, int width) {
    if (reg.is_constant || reg.value != sass::ValueId::none || width <= 1) return;
    int key = static_cast<int>(index(reg.file)) << 16;
    bool whole = true;
    std::int32_t first = -1;
    for (int i = 0; i < width; ++i) {
      auto found = plain_.find(key | (reg.number + i));
      if (i == 0 && found != plain_.end()) first = found->second;
      whole = whole && found != plain_.end() && found->second == first + i;
    }
    if (whole) return;
    // The whole file at once: every register's slot is then at its number.
    std::int32_t base = new_slots(reg.file, 256, {});
    for (int i = 0; i < 256; ++i) plain_.insert_or_assign(key | i, base + i);
  }

  Argument argument(const sass::Operand& operand) {
    Argument result;
    result.kind = operand.kind;
    result.negated = operand.negated;
    result.absolute = operand.absolute;
    result.number = operand.number;
    using Kind = sass::Operand::Kind;
    switch (operand.kind) {
      case Kind::immediate:
      case Kind::map:
      case Kind::special:
      case Kind::scoreboard:
        break;
      case Kind::label:
        result.number = static_cast<std::int64_t>(program_[operand.label].line);
        break;
      default:
        result.slot = slot(operand.reg);
        if (operand.second) result.second = slot(*operand.second);
    }
    return result;
  }

  void decode_line(std::size_t at) {
    const sass::Line& line = program_.lines[at];
    Instruction instruction;
    instruction.line = static_cast<std::uint32_t>(at);
    std::string modifiers;
    for (isa::Modifier modifier : line.modifiers) {
      modifiers += '.';
      modifiers += isa::word(modifier);
    }
    modifiers += '.';
    for (std::size_t i = 0; i < line.operands.size(); ++i) {
      int width = i < line.opcode->slots.size() ? isa::width_of(*line.opcode, static_cast<int>(i), line.modifiers) : 1;
      if (line.operands[i].kind == sass::Operand::Kind::vector) width = 7;
      if (line.operands[i].kind == sass::Operand::Kind::gdesc) width = 2;
      reserve_group(line.operands[i].reg, width);
    }
    for (const sass::Operand& operand : line.operands) instruction.arguments.push_back(argument(operand));
    if (line.guard) instruction.guard = argument(*line.guard);
    refine(instruction, line, modifiers);
    decode_held(instruction, line);
    code_.instructions.push_back(std::move(instruction));
  }

  void refine(Instruction& instruction, const sass::Line& line, std::string_view modifiers) {
    std::string_view name = line.opcode->name;
    auto has = [&](std::string_view word) { return modifiers.find(word) != std::string_view::npos; };
    instruction.action = action_of(name);
    instruction.pair = has(".2CTA.");
    instruction.multicast = has(".MULTICAST.");
    instruction.remote = has(".RED.") || name == "LD" || name == "ST";
    instruction.cluster = line.cluster;
    instruction.relaxed = has(".STRONG.");
    instruction.is_signed = !has(".U32.");
    if (instruction.action == Action::grid_wait || instruction.action == Action::grid_launch)
      code_.waits_for_grid = true;
    switch (instruction.action) {
      case Action::add:
        instruction.extended = has(".X.");
        if (has(".64.")) instruction.action = Action::add_wide;
        break;
      case Action::multiply_add:
        if (has(".WIDE.")) instruction.action = Action::multiply_add_wide;
        if (has(".HI.")) instruction.action = Action::multiply_add_high;
        break;
      case Action::compare:
        instruction.extended = has(".EX.");
        instruction.comparison = has(".EQ.")   ? Comparison::equal
                                 : has(".NE.") ? Comparison::not_equal
                                 : has(".LT.") ? Comparison::less
                                 : has(".LE.") ? Comparison::less_equal
                                 : has(".GT.") ? Comparison::greater
                                               : Comparison::greater_equal;
        instruction.combine = has(".OR.") ? Combine::either : has(".XOR.") ? Combine::one : Combine::both;
        break;
      case Action::shift:
        instruction.left = has(".L.");
        instruction.high = has(".HI.");
        instruction.wrap = has(".W.");
        instruction.is_signed = has(".S32.");
        break;
      case Action::vote:
        instruction.all = has(".ALL.");
        break;
      case Action::shuffle:
        instruction.shuffle = has(".BFLY.") ? 1 : has(".UP.") ? 2 : 0;
        break;
      case Action::float_pack:
        instruction.bf16 = has(".BF16.");
        if (has(".SATFINITE.")) instruction.action = Action::unknown;
        break;
      case Action::constant:
      case Action::load_shared:
      case Action::store_shared:
      case Action::load_global:
      case Action::store_global:
        instruction.bytes = has(".128.") ? 16 : has(".64.") ? 8 : has(".U16.") ? 2 : has(".U8.") ? 1 : 4;
        instruction.width = instruction.bytes > 4 ? instruction.bytes / 4 : 1;
        instruction.strong = instruction.action == Action::load_global && has(".STRONG.");
        code_.polls = code_.polls || instruction.strong;
        break;
      case Action::wait_scoreboard: {
        // `store.wait` is `store.wait.read` and a line that forgets what the first-level cache holds.
        std::size_t next = instruction.line + 1;
        instruction.for_writes = next < program_.lines.size() && program_.lines[next].opcode->name == "CCTL";
        break;
      }
      case Action::request_work:
        instruction.multicast = has(".BROADCAST.");
        code_.asks_for_work = true;
        break;
      case Action::add_global:
        instruction.bytes = has(".F32x4.") ? 16 : has(".F32x2.") ? 8 : 4;
        instruction.width = instruction.bytes / 4;
        instruction.is_signed = has(".F32.") || has(".F32x2.") || has(".F32x4.");  // here: floating
        break;
      case Action::load_tensor:
      case Action::store_tensor:
        instruction.width = static_cast<std::uint8_t>(
            isa::width_of(*line.opcode, instruction.action == Action::load_tensor ? 0 : 1, line.modifiers));
        if (has("bit") || has(".PACK16BIT.")) instruction.action = Action::unknown;
        break;
      case Action::fence:
        instruction.fence = name == "WARPSYNC" ? Fence::lanes
                            : name == "NOP"    ? Fence::initialised
                            : name == "MEMBAR" ? Fence::gpu
                            : has(".ASYNC.G.") ? Fence::async_global
                            : has(".ASYNC.T.") ? Fence::tensor_store
                                               : Fence::async_shared;
        if (name == "MEMBAR" && !has(".GPU.") && !has(".SYS.")) instruction.action = Action::nothing;
        break;
      case Action::named_barrier:
        instruction.sync = has(".SYNC.");
        break;
      case Action::warpgroup_mma:
        instruction.warpgroup_mma = warpgroup_mma(line);
        code_.computes_in_registers = true;
        break;
      case Action::warpgroup_fence:
        if (has(".DEPBAR.")) instruction.action = Action::warpgroup_wait;
        break;
      case Action::branch:
        instruction.target = static_cast<std::uint32_t>(instruction.arguments.back().number);
        break;
      default:
        break;
    }
    if (name == "SYNCS") {
      instruction.action = has(".EXCH.")       ? Action::barrier_init
                           : has(".CCTL.")     ? Action::barrier_invalidate
                           : has(".PHASECHK.") ? Action::barrier_test
                                               : Action::barrier_arrive;
      instruction.may_sleep = has(".TRYWAIT.");
      instruction.arrival = has(".OPTOUT.") ? Arrival::drop
                            : has(".A1T0.") ? Arrival::one
                            : has(".ART0.") ? Arrival::counted
                            : has(".A0TR.") ? Arrival::expect_only
                            : has(".A0TX.") ? Arrival::complete_only
                                            : Arrival::expect;
    }
    if (name == "MUFU") {
      instruction.action = has(".EX2.")   ? Action::float_exp2
                           : has(".RCP.") ? Action::float_reciprocal
                                          : Action::float_tanh;
    }
    if (name == "UTCATOMSWS") instruction.action = has(".AND.") ? Action::free_ : Action::allocate;
  }

  // Its shape, from modifiers such as `.64x128x16.F32.BF16`, and the operands' majors.
  static machine::WarpgroupMma warpgroup_mma(const sass::Line& line) {
    using layout::Element;
    machine::WarpgroupMma mma;
    auto is = [&](std::size_t i, std::string_view word) {
      return i < line.modifiers.size() && isa::word(line.modifiers[i]) == word;
    };
    mma.d = is(1, "S8") ? Element::s32 : is(1, "F16") ? Element::f16 : Element::f32;
    mma.ab = is(1, "S8")     ? Element::s8
             : is(2, "BF16") ? Element::bf16
             : is(2, "TF32") ? Element::tf32
             : is(2, "E4M3") ? Element::f8e4m3
                             : Element::f16;
    mma.n = isa::width_of(*line.opcode, 0, line.modifiers) * (mma.d == Element::f16 ? 4 : 2);
    mma.a_in_registers = line.operands[1].kind == sass::Operand::Kind::reg;
    mma.a_major = line.operands[1].transposed ? layout::Major::mn : layout::Major::k;
    mma.b_major = line.operands[2].transposed ? layout::Major::mn : layout::Major::k;
    return mma;
  }

  Formula formula(const sass::Expr& expr) {
    Formula result;
    for (const sass::Expr::Node& node : expr.nodes) {
      Formula::Node out{node.kind, node.fixed, {}, false, node.number, node.left, node.right};
      if (node.kind == sass::Expr::Kind::value) {
        const sass::Value& value = program_[node.value];
        out.slot.file = value.file;
        out.slot.name = code_.first_slot[static_cast<std::size_t>(node.value)] + node.part;
        out.is_unsigned = value.range && value.range->begin >= 0;
        result.varies = result.varies || value.file == File::r || value.file == File::p;
      }
      if (node.kind == sass::Expr::Kind::fixed) {
        result.varies = result.varies || node.fixed == sass::Fixed::lane || node.fixed == sass::Fixed::one;
      }
      result.nodes.push_back(out);
    }
    return result;
  }

  ViewCode view(const sass::View& view) {
    ViewCode result;
    result.view = &view;
    for (const sass::Expr& copy : view.copies) {
      result.copies.push_back(formula(copy));
      result.varies = result.varies || result.copies.back().varies;
    }
    for (std::size_t i = 0; i < view.coordinates.size(); ++i) {
      const sass::Coord& coordinate = view.coordinates[i];
      Coordinate out;
      if (coordinate.whole) {
        if (view.buffer != sass::BufferId::none) {
          const layout::Map& map = program_[view.buffer].layout.map();
          if (static_cast<int>(i) < map.rank()) out.extent = map.extent(static_cast<int>(i));
        } else if (view.fragment >= 0) {
          const sass::Fragment& fragment = program_.fragments[static_cast<std::size_t>(view.fragment)];
          out.extent = i == 0 ? fragment.rows : fragment.columns;
        }
      } else {
        out.from = formula(coordinate.from);
        out.extent = coordinate.extent;
        result.varies = result.varies || out.from.varies;
      }
      result.coordinates.push_back(std::move(out));
    }
    for (const sass::Pin& pin : view.at) {
      result.at.push_back(formula(pin.by));
      result.varies = result.varies || result.at.back().varies;
    }
    return result;
  }

  static void add_input(CheckCode& check, const Slot& slot, int parts = 1) {
    for (int part = 0; part < parts && !slot.constant; ++part) {
      CheckCode::Input input{slot.file, slot.name + part};
      if (std::find(check.inputs.begin(), check.inputs.end(), input) == check.inputs.end())
        check.inputs.push_back(input);
    }
  }
  static void add_inputs(CheckCode& check, const Formula& formula) {
    for (const Formula::Node& node : formula.nodes) {
      if (node.kind == sass::Expr::Kind::value) add_input(check, node.slot);
      if (node.kind == sass::Expr::Kind::fixed && node.fixed == sass::Fixed::cluster_id) check.of_cluster = true;
    }
  }
  static void add_inputs(CheckCode& check, const HeldCode& held) {
    add_inputs(check, held.formula);
    for (const ViewCode& view : held.views) {
      for (const Formula& copy : view.copies) add_inputs(check, copy);
      for (const Coordinate& coordinate : view.coordinates) add_inputs(check, coordinate.from);
      for (const Formula& at : view.at) add_inputs(check, at);
    }
    ++check.operands;
  }
  // The registers that reach.cpp looks at.
  void add_operands(CheckCode& check, const Instruction& instruction) {
    const auto& arguments = instruction.arguments;
    auto add = [&](std::size_t at, int parts = 1) {
      if (at >= arguments.size()) return;
      const Argument& argument = arguments[at];
      using Kind = sass::Operand::Kind;
      if (argument.kind == Kind::immediate || argument.kind == Kind::map || argument.kind == Kind::label) return;
      bool global = argument.kind == Kind::global;
      add_input(check, argument.slot, global && !argument.second ? 2 : parts);
      if (argument.second) add_input(check, *argument.second, global ? 2 : 1);
    };
    int rank = machine::kMostDimensions;
    auto rank_of = [&] { return code_.maps[static_cast<std::size_t>(arguments[1].number)].rank(); };
    switch (instruction.action) {
      case Action::copy_in:
        rank = rank_of();
        add(0, 2 + rank);
        if (instruction.multicast) add(2);
        break;
      case Action::copy_out:
      case Action::copy_add:
        rank = rank_of();
        add(0, 1 + rank);
        break;
      case Action::copy_across:
        add(0, 2);
        add(1);
        add(2);
        break;
      case Action::mma:
        add(0, 2);
        add(1, 2);
        add(2);
        add(4);
        break;
      case Action::commit:
        add(0);
        if (instruction.multicast) add(2);
        break;
      case Action::barrier_init:
      case Action::barrier_arrive:
        add(1);
        add(2);
        break;
      case Action::barrier_test:
      case Action::load_shared:
      case Action::load_global:
      case Action::load_tensor:
        add(1);
        break;
      case Action::barrier_invalidate:
      case Action::store_shared:
      case Action::store_global:
      case Action::add_global:
      case Action::store_tensor:
      case Action::allocate:
        add(0);
        break;
      case Action::request_work:
      case Action::named_barrier:
        add(0);
        add(1);
        break;
      case Action::prefetch_map:
      case Action::free_:
        break;
      default:
        check.remembered = false;
    }
  }
  void decode_checks(Instruction& instruction) {
    CheckCode reach, value;
    for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
      const HeldCode& held = code_.held[at];
      add_inputs(held.held->kind == sass::Held::Kind::reach ? reach : value, held);
    }
    auto add = [&](CheckCode& check) {
      check.remembered = check.remembered && check.inputs.size() <= kMostInputs;
      code_.checks.push_back(std::move(check));
      return static_cast<std::int32_t>(code_.checks.size()) - 1;
    };
    if (reach.operands > 0) {
      add_operands(reach, instruction);
      instruction.reach = add(reach);
    }
    if (value.operands > 0) {
      if (!instruction.arguments.empty()) add_input(value, instruction.arguments[0].slot);
      instruction.value = add(value);
    }
  }

  void decode_held(Instruction& instruction, const sass::Line& line) {
    instruction.held = static_cast<std::uint32_t>(code_.held.size());
    for (const sass::Held& held : line.held) {
      HeldCode out;
      out.held = &held;
      for (const sass::View& v : held.views) out.views.push_back(view(v));
      out.formula = formula(held.expr);
      if (held.kind == sass::Held::Kind::mask || held.kind == sass::Held::Kind::bytes) find_pipe(held.name, out);
      code_.held.push_back(std::move(out));
    }
    instruction.held_end = static_cast<std::uint32_t>(code_.held.size());
    decode_checks(instruction);
    if (!line.held.empty()) return;
    switch (instruction.action) {
      case Action::load_shared:
      case Action::store_shared:
      case Action::load_global:
      case Action::store_global:
      case Action::add_global:
      case Action::load_tensor:
      case Action::store_tensor:
      case Action::copy_in:
      case Action::copy_out:
      case Action::copy_add:
      case Action::copy_across:
      case Action::request_work:
      case Action::barrier_init:
      case Action::barrier_arrive:
      case Action::barrier_test:
      case Action::mma:
      case Action::warpgroup_mma:
      case Action::commit:
        instruction.counts_as_not_held = true;
        break;
      case Action::named_barrier:
        instruction.counts_as_not_held =
            instruction.arguments[0].kind != sass::Operand::Kind::immediate || instruction.arguments[0].number != 0;
        break;
      default:
        instruction.counts_as_not_held = line.mark == sass::Mark::derived;
    }
  }

  // `PIPE`, `PIPE.full`, or the name of one of the pipe's barriers.
  void find_pipe(std::string_view name, HeldCode& out) {
    for (std::size_t i = 0; i < program_.pipes.size(); ++i) {
      const sass::Pipe& pipe = program_.pipes[i];
      auto is = [&](sass::MBarrierId barrier, std::string_view end) {
        return (barrier != sass::MBarrierId::none && program_[barrier].name == name) ||
               (name.starts_with(pipe.name) && name.substr(pipe.name.size()) == end);
      };
      if (is(pipe.full, ".full")) out.pipe = static_cast<int>(i), out.of_full = true;
      if (is(pipe.empty, ".empty")) out.pipe = static_cast<int>(i);
      if (pipe.name == name) out.pipe = static_cast<int>(i);
    }
  }

  const sass::Program& program_;
  Code code_;
  std::int32_t slots_[4] = {};
  std::unordered_map<int, std::int32_t> plain_;
};

}  // namespace

Code decode(const sass::Program& program) {
  return Decoder(program).run();
}

}  // namespace warpcc::checker
