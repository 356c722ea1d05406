// Coverage: of the program only what coordinates and control depend on, over all clusters of the grid. Each warp runs
// by itself; every wait is over at once; a request for work is answered from the cluster's share. What memory holds is
// not known here: a branch that depends on it leaves its loop.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {
namespace {

constexpr int kMostParts = 8;

// Which registers matter, and which instructions give them.
class Slice {
 public:
  explicit Slice(const Code& code) : code_(code), runs_(code.instructions.size(), false) {
    for (std::size_t file = 0; file < 4; ++file) needed_[file].assign(code.range_of[file].size(), false);
    for (std::size_t file = 0; file < 4; ++file) {
      for (std::size_t slot = 0; slot < code.range_of[file].size(); ++slot)
        needed_[file][slot] = code.range_of[file][slot].has_value();
    }
    for (std::size_t i = 0; i < code.instructions.size(); ++i) begin(i);
    bool grew = true;
    while (grew) {
      grew = false;
      for (std::size_t i = 0; i < code.instructions.size(); ++i) {
        if (runs_[i] || !gives_needed(code.instructions[i])) continue;
        add(i);
        grew = true;
      }
    }
  }
  std::vector<bool> runs() && { return std::move(runs_); }

 private:
  void need(const Slot& slot, int parts = 1) {
    if (slot.constant) return;
    auto& needed = needed_[static_cast<std::size_t>(slot.file)];
    for (int part = 0; part < parts; ++part) {
      auto at = static_cast<std::size_t>(slot.name + part);
      if (at < needed.size()) needed[at] = true;
    }
  }
  void need(const Argument& argument, int parts = 1) {
    using Kind = sass::Operand::Kind;
    if (argument.kind == Kind::immediate || argument.kind == Kind::map || argument.kind == Kind::label ||
        argument.kind == Kind::special || argument.kind == Kind::scoreboard || argument.kind == Kind::constant)
      return;
    need(argument.slot, parts);
    if (argument.second) need(*argument.second, 2);
  }
  void add(std::size_t at) {
    const Instruction& instruction = code_.instructions[at];
    runs_[at] = true;
    if (instruction.guard) need(*instruction.guard);
    if (instruction.action == Action::barrier_test || instruction.action == Action::load_shared) return;
    if (instruction.action == Action::load_global) {
      need(instruction.arguments[1], 2);
      return;
    }
    for (const Argument& argument : instruction.arguments) need(argument, 2);
  }
  // What is looked at for its own sake.
  void begin(std::size_t at) {
    const Instruction& instruction = code_.instructions[at];
    switch (instruction.action) {
      case Action::branch:
      case Action::exit:
        add(at);
        break;
      case Action::copy_out:
      case Action::copy_add:
        runs_[at] = true;
        if (instruction.guard) need(*instruction.guard);
        need(part_of(instruction.arguments[0].slot, 1), machine::kMostDimensions);
        break;
      case Action::copy_in:
        if (!code_.adds) break;
        runs_[at] = true;
        if (instruction.guard) need(*instruction.guard);
        need(part_of(instruction.arguments[0].slot, 2), machine::kMostDimensions);
        break;
      case Action::store_global:
      case Action::add_global:
        runs_[at] = true;
        if (instruction.guard) need(*instruction.guard);
        need(instruction.arguments[0], 2);
        break;
      case Action::load_global:
        if (instruction.strong) add(at);
        break;
      default:
        break;
    }
  }
  bool gives_needed(const Instruction& instruction) const {
    if (instruction.action >= Action::store_shared && instruction.action != Action::load_global &&
        instruction.action != Action::barrier_test)
      return false;
    for (std::size_t i = 0; i < instruction.arguments.size() && i < 3; ++i) {
      const Argument& argument = instruction.arguments[i];
      if (argument.kind != sass::Operand::Kind::reg || argument.slot.constant) continue;
      bool predicate = argument.slot.file == isa::File::p || argument.slot.file == isa::File::up;
      if (i > 0 && !predicate) continue;  // the second and third results are predicates
      const auto& needed = needed_[static_cast<std::size_t>(argument.slot.file)];
      for (int part = 0; part < std::max<int>(2, instruction.width) && part < kMostParts; ++part) {
        auto at = static_cast<std::size_t>(argument.slot.name + part);
        if (at < needed.size() && needed[at]) return true;
      }
    }
    return false;
  }

  const Code& code_;
  std::vector<bool> runs_;
  std::vector<bool> needed_[4];
};

}  // namespace

void Interpreter::cover(const Shares& shares, Cover& cover) {
  cover_ = &cover;
  cover.runs = Slice(code_).runs();
  for (std::size_t i = 0; i < globals_.size(); ++i)
    cover.buffers.emplace_back(program_.buffers[i].space == sass::MemorySpace::global ? globals_[i].elements() : 0);
  cover.reached.assign(globals_.size(), 0);
  cover.last_writer.resize(globals_.size());
  for (int file = 0; file < 4; ++file) cover.unknown[file].assign(code_.range_of[file].size(), false);
  shares_ = &shares;
  for (Share share : shares.list) {
    share = cover_cluster(share.first, share);
    while (shares.starts_free && share.next < shares.free.count()) {
      std::int64_t next = shares.free[share.next];
      share.next += share.stride;
      share = cover_cluster(next, share);
    }
    if (stopped_) break;
  }
  shares_ = nullptr;
  for (std::size_t i = 0; i < cover.buffers.size(); ++i) tell_missing(i);
  if (std::all_of(cover.reached.begin(), cover.reached.end(), [](std::uint64_t times) { return times == 0; }))
    findings_.add(Finding::Kind::coverage, Findings::kNoLine, "no cluster stores anything to global memory");
  tell_flags();
  tell_loads();
}

Share Interpreter::cover_cluster(std::int64_t number, const Share& share) {
  if (resident_.empty()) {
    start(*launches_.back(), {number, {}});
  } else {
    place(*resident_.front(), number);
  }
  running_ = resident_.front().get();
  running_->share = share;
  cover_->answers.clear();
  cover_->outside.clear();
  cover_->inside = false;
  for (Warp& warp : running_->warps) {
    warp.pc = 0;
    for (auto& written : warp.written) std::fill(written.begin(), written.end(), 0);
    cover_->answers_taken = 0;
    for (auto& unknown : cover_->unknown) std::fill(unknown.begin(), unknown.end(), false);
    cover_warp(warp);
    if (stopped_) return running_->share;
  }
  ++outcome_.clusters_run;
  if (!cover_->inside && !cover_->outside.empty()) {
    line_ = cover_->outside_line;
    findings_.add(Finding::Kind::coverage, line_,
                  fmt::format("cluster {} stores nothing inside of the output: at {} first", number, cover_->outside));
  }
  return running_->share;
}

void Interpreter::cover_warp(Warp& warp) {
  // Of one warp: its loops do not end.
  const std::uint64_t most =
      std::min<std::uint64_t>(100'000'000, static_cast<std::uint64_t>(options_.most_instructions));
  warp_ = &warp;
  for (std::uint64_t steps = 0; warp.pc < code_.instructions.size(); ++steps) {
    if (!cover_->runs[warp.pc]) {
      ++warp.pc;
      continue;
    }
    line_ = warp.pc;
    const Instruction& instruction = code_.instructions[warp.pc];
    mask_ = execution_mask(instruction);
    ++outcome_.instructions;
    if (steps > most) {
      report(Finding::Kind::coverage, fmt::format("is still in its loops after {} instructions of coordinates", most));
      stopped_ = true;
      return;
    }
    if (instruction.action == Action::branch || instruction.action == Action::exit) {
      std::uint32_t taken = mask_;
      if (instruction.arguments.size() == 2) taken &= predicate(instruction.arguments[0]);
      bool known = !(instruction.guard && is_unknown(instruction.guard->slot)) &&
                   !(instruction.arguments.size() == 2 && is_unknown(instruction.arguments[0].slot));
      // What memory says ends every wait for it.
      bool goes = known ? taken != 0 : instruction.action == Action::branch && instruction.target > warp.pc;
      if (goes && instruction.action == Action::exit) return;
      warp.pc = goes ? instruction.target : warp.pc + 1;
      continue;
    }
    if (mask_ != 0) {
      first_lane_ = std::countr_zero(mask_);
      cover_step(instruction);
    }
    ++warp.pc;
  }
}

bool Interpreter::is_unknown(const Slot& slot) const {
  return !slot.constant && cover_->unknown[static_cast<std::size_t>(slot.file)][static_cast<std::size_t>(slot.name)];
}

void Interpreter::cover_step(const Instruction& instruction) {
  auto set_unknown = [&](const Slot& slot, bool unknown, int parts = 1) {
    for (int part = 0; part < parts && !slot.constant; ++part)
      cover_->unknown[static_cast<std::size_t>(slot.file)][static_cast<std::size_t>(slot.name + part)] = unknown;
  };
  switch (instruction.action) {
    case Action::barrier_test:
      write_predicate(instruction.arguments[0].slot, kAllLanes, mask_);
      return;
    case Action::load_shared: {
      const Slot& to = instruction.arguments[0].slot;
      bool answer = is_answer(instruction);
      Lanes words[4] = {};
      if (answer) next_answer(words);
      for (int part = 0; part < instruction.width; ++part) write_lanes(part_of(to, part), words[part], mask_);
      set_unknown(to, !answer, instruction.width);
      return;
    }
    case Action::load_global: {
      const Slot& to = instruction.arguments[0].slot;
      Lanes zeros = {};
      for (int part = 0; part < instruction.width; ++part) write_lanes(part_of(to, part), zeros, mask_);
      set_unknown(to, true, instruction.width);
      if (instruction.strong) cover_lanes(instruction, instruction.arguments[1]);
      return;
    }
    case Action::copy_in:
      cover_load(instruction);
      return;
    case Action::copy_out:
    case Action::copy_add:
      cover_box(instruction);
      return;
    case Action::store_global:
    case Action::add_global:
      cover_lanes(instruction, instruction.arguments[0]);
      return;
    default:
      break;
  }
  if (!arithmetic(instruction)) return;
  if (!code_.loads_global && !code_.loads_shared) return;
  bool unknown = false;
  for (std::size_t i = 1; i < instruction.arguments.size(); ++i) {
    const Argument& argument = instruction.arguments[i];
    if (argument.kind != sass::Operand::Kind::reg) continue;
    unknown = unknown || is_unknown(argument.slot) || (argument.second && is_unknown(*argument.second));
  }
  set_unknown(instruction.arguments[0].slot, unknown, std::max<int>(1, instruction.width));
  if (instruction.arguments.size() > 1 && instruction.arguments[1].slot.file >= isa::File::p &&
      instruction.arguments[1].kind == sass::Operand::Kind::reg && instruction.action == Action::compare)
    set_unknown(instruction.arguments[1].slot, unknown);
}

// Whether a load of shared memory reads what a request for work writes.
bool Interpreter::is_answer(const Instruction& instruction) const {
  auto buffer_of = [&](const Instruction& each) {
    const HeldCode* held = nullptr;
    const ViewCode* view = reached(each, 0, held);
    return view ? view->view->buffer : sass::BufferId::none;
  };
  sass::BufferId from = buffer_of(instruction);
  return from != sass::BufferId::none &&
         std::any_of(code_.instructions.begin(), code_.instructions.end(), [&](const Instruction& each) {
           return each.action == Action::request_work && buffer_of(each) == from;
         });
}

void Interpreter::next_answer(Lanes* words) {
  while (cover_->answers.size() <= cover_->answers_taken) cover_->answers.push_back(hand_out());
  std::optional<std::int64_t> taken = cover_->answers[cover_->answers_taken++];
  if (!taken) return;
  std::int64_t across = program_.grid[0] / program_.cluster;
  std::fill_n(words[0], kLanes, static_cast<std::uint32_t>(*taken % across * program_.cluster));
  std::fill_n(
      words[1], kLanes,
      static_cast<std::uint32_t>(*taken / across % program_.grid[1] | *taken / across / program_.grid[1] << 16));
  std::fill_n(words[2], kLanes, 1u);
}

void Interpreter::cover_range(std::size_t buffer, std::int64_t first, std::int64_t count, bool adds) {
  Written& written = cover_->buffers[buffer];
  ++cover_->reached[buffer];
  cover_->inside = true;
  // Partial sums: tell_loads. What is kept for later launches is no output, and may be stored to again.
  if (adds || globals_[buffer].kept()) return;
  std::int64_t again = written.store(first, count);
  auto& last = cover_->last_writer[buffer];
  constexpr std::int64_t kBlock = 64;
  last.resize(static_cast<std::size_t>(written.elements() / kBlock + 1), -1);
  if (again >= 0 && !findings_.told(Finding::Kind::coverage, line_)) {
    std::int64_t by = last[static_cast<std::size_t>(again / kBlock)];
    report(Finding::Kind::coverage,
           fmt::format("cluster {} stores {} again{}", running_->number, element_text(program_.buffers[buffer], again),
                       by < 0 ? "" : fmt::format(": cluster {} has stored there", by)));
  } else if (again >= 0) {
    findings_.add(Finding::Kind::coverage, line_, {});
  }
  for (std::int64_t at = std::max<std::int64_t>(0, first) / kBlock; at <= (first + count - 1) / kBlock; ++at) {
    if (at < static_cast<std::int64_t>(last.size())) last[static_cast<std::size_t>(at)] = running_->number;
  }
}

void Interpreter::cover_box(const Instruction& instruction) {
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(instruction.arguments[1].number)];
  if (map.buffer < 0) return;
  bool adds = instruction.action == Action::copy_add;
  std::int64_t start[machine::kMostDimensions] = {}, end[machine::kMostDimensions] = {},
               stride[machine::kMostDimensions] = {};
  std::int64_t step = 1;
  bool outside = false;
  for (int i = 0; i < map.rank(); ++i) {
    auto at = static_cast<std::size_t>(i);
    start[i] = static_cast<std::int32_t>(scalar(instruction.arguments[0], 1 + i));
    end[i] = std::min(start[i] + map.box[at], map.extents[at]);
    outside = outside || start[i] < 0 || start[i] >= map.extents[at];
    stride[i] = step;
    step *= map.extents[at];
  }
  auto buffer = static_cast<std::size_t>(map.buffer);
  if (outside) {  // of a tile that overhangs; a cluster all of whose boxes are outside has no work
    if (cover_->outside.empty()) {
      for (int i = map.rank(); i-- > 0;) cover_->outside += fmt::format("{}{}", start[i], i > 0 ? ", " : "");
      cover_->outside = fmt::format("{}[{}]", program_.buffers[buffer].name, cover_->outside);
      cover_->outside_line = line_;
    }
    return;
  }
  // Row by row; a row is dense.
  std::int64_t at[machine::kMostDimensions];
  std::copy_n(start, map.rank(), at);
  while (true) {
    std::int64_t first = 0;
    for (int i = 0; i < map.rank(); ++i) first += at[i] * stride[i];
    cover_range(buffer, first, end[0] - start[0], adds);
    int dimension = 1;
    while (dimension < map.rank() && ++at[dimension] >= end[dimension]) {
      at[dimension] = start[dimension];
      ++dimension;
    }
    if (dimension >= map.rank()) return;
  }
}

void Interpreter::cover_load(const Instruction& instruction) {
  auto number = static_cast<int>(instruction.arguments[1].number);
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(number)];
  machine::Coordinates start{};
  for (int i = 0; i < map.rank(); ++i)
    start[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(scalar(instruction.arguments[0], 2 + i));
  ++cover_->loads[{number, start}];
}

// Where partial sums are added, each part of an operand must be read as often as any other: a k step that is left out,
// or done twice, shows here. Boxes wholly outside of the tensor are zeros, and count for nothing.
void Interpreter::tell_loads() {
  for (std::size_t i = 0; i < code_.maps.size(); ++i) {
    const machine::TensorMap& map = code_.maps[i];
    auto number = static_cast<int>(i);
    std::int64_t boxes = 1, inside = 0;
    bool aligned = true;
    for (int d = 0; d < map.rank(); ++d) {
      auto at = static_cast<std::size_t>(d);
      boxes *= (map.extents[at] + map.box[at] - 1) / map.box[at];
    }
    const std::pair<const std::pair<int, machine::Coordinates>, std::uint64_t>* least = nullptr;
    const std::pair<const std::pair<int, machine::Coordinates>, std::uint64_t>* most = nullptr;
    for (auto load = cover_->loads.lower_bound({number, {}}); load != cover_->loads.end(); ++load) {
      if (load->first.first != number) break;
      bool outside = false;
      for (int d = 0; d < map.rank(); ++d) {
        auto at = static_cast<std::size_t>(d);
        outside = outside || load->first.second[at] < 0 || load->first.second[at] >= map.extents[at];
        aligned = aligned && load->first.second[at] % map.box[at] == 0;
      }
      if (outside) continue;
      ++inside;
      if (!least || load->second < least->second) least = &*load;
      if (!most || load->second > most->second) most = &*load;
    }
    if (!aligned || inside == 0) continue;
    auto text = [&](const machine::Coordinates& start) {
      std::string place;
      for (int d = map.rank(); d-- > 0;)
        place += fmt::format("{}{}", start[static_cast<std::size_t>(d)], d > 0 ? ", " : "");
      return fmt::format("{}[{}]", program_.maps[i].buffer, place);
    };
    if (inside != boxes) {
      findings_.add(
          Finding::Kind::coverage, Findings::kNoLine,
          fmt::format("of {} {} boxes are loaded, of the {} that it has", program_.maps[i].buffer, inside, boxes));
    } else if (least->second != most->second) {
      findings_.add(Finding::Kind::coverage, Findings::kNoLine,
                    fmt::format("the box at {} is loaded {} times, and that at {} {} times: partial sums do not add up",
                                text(least->first.second), least->second, text(most->first.second), most->second));
    }
  }
}

void Interpreter::cover_lanes(const Instruction& instruction, const Argument& at) {
  const Slot& base = at.second ? *at.second : at.slot;
  if (base.constant) return;
  const std::uint32_t* low = read_lanes(base);
  const std::uint32_t* high = read_lanes(part_of(base, 1));
  bool flag = instruction.strong || instruction.action == Action::add_global;
  std::size_t buffer = 0;
  std::int64_t first = -1, end = -1;  // of lanes in a row
  auto flush = [&] {
    if (end <= first) return;
    if (instruction.action == Action::add_global) {  // a partial sum, or a flag that is raised
      ++cover_->reached[buffer];
      cover_->inside = cover_->inside || instruction.is_signed;
    }
    if (flag) {
      note_flag(buffer, first, end, instruction.action == Action::add_global);
    } else {
      cover_range(buffer, first, end - first, false);
    }
  };
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask_ >> lane & 1)) continue;
    std::uint64_t address =
        (static_cast<std::uint64_t>(high[lane]) << 32 | low[lane]) + static_cast<std::uint64_t>(at.number);
    std::size_t its = 0;
    while (its < globals_.size() &&
           (address < global_base_[its] || address - global_base_[its] >= std::uint64_t{1} << 40))
      ++its;
    std::int64_t bytes = its < globals_.size() ? layout::bits(globals_[its].element()) / 8 : 1;
    std::int64_t element = its < globals_.size() ? static_cast<std::int64_t>(address - global_base_[its]) / bytes : -1;
    std::int64_t count = std::max<std::int64_t>(1, instruction.bytes / bytes);
    if (element < 0 || element + count > globals_[its].elements()) {
      report(Finding::Kind::coverage,
             fmt::format("cluster {} reaches {:#x}, outside of every buffer", running_->number, address));
      return;
    }
    if (its == buffer && element == end) {
      end += count;
      continue;
    }
    flush();
    buffer = its;
    first = element;
    end = element + count;
  }
  flush();
}

// Who raises a flag, and who waits for it: clusters by number.
void Interpreter::note_flag(std::size_t buffer, std::int64_t first, std::int64_t end, bool raises) {
  for (std::int64_t element = first; element < end; ++element) {
    Cover::Flag& flag = cover_->flags[{buffer, element}];
    if (raises) {
      flag.last_raiser = std::max(flag.last_raiser, running_->number);
    } else {
      flag.waits_line = flag.first_waiter < 0 ? line_ : flag.waits_line;
      flag.first_waiter = flag.first_waiter < 0 ? running_->number : std::min(flag.first_waiter, running_->number);
    }
  }
}

// A cluster that waits for one which starts after it needs both to be there at once.
void Interpreter::tell_flags() {
  std::int64_t room = std::max<std::int64_t>(1, options_.sms / program_.cluster);
  std::int64_t later = 0;
  for (const auto& [place, flag] : cover_->flags) {
    if (flag.first_waiter < 0) continue;
    line_ = flag.waits_line;
    std::string what = element_text(program_.buffers[place.first], place.second);
    if (flag.last_raiser < 0) {
      findings_.add(Finding::Kind::coverage, line_,
                    fmt::format("cluster {} waits for {}, which no cluster raises", flag.first_waiter, what));
    } else if (flag.last_raiser > flag.first_waiter && flag.last_raiser >= flag.first_waiter / room * room + room) {
      findings_.add(
          Finding::Kind::coverage, line_,
          fmt::format("cluster {} waits for {}, which cluster {} raises; {} SMs hold {} clusters of {} CTAs at once, "
                      "and that one need not have started",
                      flag.first_waiter, what, flag.last_raiser, options_.sms, room, program_.cluster));
    } else {
      later += flag.last_raiser > flag.first_waiter;
    }
  }
  std::int64_t clusters = clusters_;
  if (later > 0 && clusters <= room)
    outcome_.notes.push_back(
        fmt::format("clusters wait for later ones: all {} must be resident at once, and {} SMs hold {}", clusters,
                    options_.sms, room));
}

void Interpreter::tell_missing(std::size_t buffer) {
  const Written& written = cover_->buffers[buffer];
  if (cover_->reached[buffer] == 0 || globals_[buffer].kept()) return;
  std::int64_t missing = written.missing();
  if (missing == written.elements()) return;  // added to alone
  outcome_.elements_covered += static_cast<std::uint64_t>(written.elements() - missing);
  if (missing == 0) return;
  const sass::Buffer& of = program_.buffers[buffer];
  std::int64_t first = written.first_missing(0), last = first;
  for (std::int64_t at = written.elements() - 1; at >= 0; --at) {
    if (written.stored(at)) continue;
    last = at;
    break;
  }
  findings_.add(Finding::Kind::coverage, Findings::kNoLine,
                fmt::format("{} is stored by no cluster", element_text(of, first)),
                {fmt::format("{} of {} elements are not stored, the last {}", missing, written.elements(),
                             element_text(of, last))});
}

}  // namespace warpcc::checker
