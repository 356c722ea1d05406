#include "sass/flow.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace warpcc::sass {

namespace {

// Whether a line may go to another place than the next line, and whether it may go on.
bool branches(const Line& line) {
  return line.opcode->op == isa::Op::BRA;
}

bool is_conditional(const Line& line) {
  if (line.guard) return true;
  for (const Operand& operand : line.operands) {
    if (operand.kind == Operand::Kind::reg && !operand.reg.is_constant) return true;
  }
  return false;
}

class Collector {
 public:
  explicit Collector(const Line& line) : line_(line) {}

  std::vector<Access> run() {
    if (line_.guard) add(line_.guard->reg, 1, false);
    for (std::size_t i = 0; i < line_.operands.size(); ++i) operand(i);
    return std::move(accesses_);
  }

 private:
  void add(const Reg& reg, int width, bool written, bool whole = true) {
    if (reg.is_constant) return;
    accesses_.push_back({reg, static_cast<std::uint8_t>(width), written, whole && !line_.guard});
  }

  // A warpgroup's MMA that adds to its own D: what it leaves is a continuation of what it found.
  bool adds_in_place() const {
    return line_.opcode->issue == isa::Issue::warpgroup && line_.operands.size() > 3 &&
           !line_.operands[3].reg.is_constant;
  }

  void operand(std::size_t i) {
    const Operand& operand = line_.operands[i];
    const isa::Slot& slot = line_.opcode->slots[i];
    int width = isa::width_of(*line_.opcode, static_cast<int>(i), line_.modifiers);
    switch (operand.kind) {
      case Operand::Kind::reg:
        if (slot.in) add(operand.reg, width, false);
        if (slot.out) add(operand.reg, width, true, !adds_in_place());
        break;
      case Operand::Kind::shared:
      case Operand::Kind::tensor:
        add(operand.reg, 1, false);
        if (operand.second) add(*operand.second, 1, false);
        break;
      case Operand::Kind::global:  // both the descriptor and the address are pairs
        add(operand.reg, 2, false);
        if (operand.second) add(*operand.second, 2, false);
        break;
      case Operand::Kind::gdesc:
        add(operand.reg, 2, false);
        break;
      case Operand::Kind::vector:
        add(operand.reg, width, false);
        break;
      case Operand::Kind::idesc:
        add(operand.reg, 1, false);
        break;
      default:
        break;
    }
  }

  const Line& line_;
  std::vector<Access> accesses_;
};

// Where a warpgroup's MMA has read A's registers: at the waits that cover its group, on every path from it (PTX ISA,
// wgmma.wait_group). Until then they are not free.
std::vector<std::size_t> covering_waits(const Program& program, std::size_t mma) {
  constexpr std::int64_t kMany = 9;  // groups, more than any wait leaves pending
  auto is = [](const Line& line, std::string_view form) {
    return line.opcode->op == isa::Op::WARPGROUP && !line.modifiers.empty() && isa::word(line.modifiers[0]) == form;
  };
  auto closes = [](const Line& line) {
    return line.opcode->issue == isa::Issue::warpgroup && !line.operands.empty() &&
           line.operands.back().kind == Operand::Kind::scoreboard;
  };
  std::vector<std::size_t> waits;
  std::unordered_map<std::size_t, std::int64_t> fewest;  // groups closed on the way to a line
  std::vector<std::pair<std::size_t, std::int64_t>> work{{mma, 0}};
  while (!work.empty()) {
    auto [at, closed] = work.back();
    work.pop_back();
    const Line& line = program.lines[at];
    if (is(line, "DEPBAR") && line.operands.size() > 1 && closed > line.operands[1].number) {
      waits.push_back(at);
      continue;
    }
    if (closes(line)) closed = std::min(closed + 1, kMany);
    for (std::size_t next : successors(program, at)) {
      auto [known, fresh] = fewest.try_emplace(next, closed);
      if (!fresh && known->second <= closed) continue;
      known->second = closed;
      work.emplace_back(next, closed);
    }
  }
  return waits;
}

// Liveness of single registers of named values, so that a group that is written part by part is live from its first
// part's write on. Each is followed from its reads and writes through the lines where it is live, and no others: the
// work is that of the answer, however long the program is.
class PartLiveness {
 public:
  explicit PartLiveness(const Program& program)
      : program_(program),
        first_(first_parts(program)),
        reads_(first_.back()),
        writes_(first_.back()),
        ends_(lines()),
        next_(lines()),
        before_(lines()),
        live_(lines(), 0),
        assigned_(lines(), 0) {
    for (std::size_t i = 0; i < lines(); ++i) {
      collect(i);
      next_[i] = successors(program, i);
      for (std::size_t next : next_[i]) before_[next].push_back(i);
    }
  }

  Liveness by_value() {
    Liveness result;
    result.words = (program_.values.size() + 63) / 64;
    result.before.assign(lines() * result.words, 0);
    for (std::size_t value = 0; value + 1 < first_.size(); ++value) {
      for (std::size_t part = first_[value]; part < first_[value + 1]; ++part) {
        find_live(part);
        find_assigned(part, [&](std::size_t line) {
          result.before[line * result.words + value / 64] |= std::uint64_t{1} << (value % 64);
        });
      }
    }
    return result;
  }

 private:
  std::size_t lines() const { return program_.lines.size(); }

  static std::vector<std::size_t> first_parts(const Program& program) {
    std::vector<std::size_t> first{0};
    for (const Value& value : program.values) first.push_back(first.back() + value.width);
    return first;
  }

  void collect(std::size_t i) {
    for (const Access& access : accesses(program_.lines[i])) {
      if (access.reg.value == ValueId::none) continue;
      auto value = static_cast<std::size_t>(access.reg.value);
      std::size_t begin = first_[value] + access.reg.part;
      std::size_t end = std::min(begin + access.width, first_[value + 1]);
      for (std::size_t part = begin; part < end; ++part) {
        (access.written ? writes_ : reads_)[part].push_back(i);
        if (access.written && access.whole) ends_[i].push_back(part);
      }
    }
    collect_factor(i);
  }

  // A of a warpgroup's MMA, in registers.
  void collect_factor(std::size_t i) {
    const Line& line = program_.lines[i];
    if (line.opcode->issue != isa::Issue::warpgroup || line.operands.size() < 2) return;
    const Operand& a = line.operands[1];
    if (a.kind != Operand::Kind::reg || a.reg.value == ValueId::none) return;
    auto value = static_cast<std::size_t>(a.reg.value);
    std::size_t begin = first_[value] + a.reg.part;
    std::size_t width = static_cast<std::size_t>(isa::width_of(*line.opcode, 1, line.modifiers));
    for (std::size_t wait : covering_waits(program_, i)) {
      for (std::size_t part = begin; part < std::min(begin + width, first_[value + 1]); ++part)
        reads_[part].push_back(wait);
    }
  }

  bool ends(std::size_t line, std::size_t part) const {
    return std::find(ends_[line].begin(), ends_[line].end(), part) != ends_[line].end();
  }

  // Backwards: read on some path, before anything certainly overwrites it. A line is marked with the part's number.
  void find_live(std::size_t part) {
    auto mark = [&](std::size_t line) {
      if (live_[line] == part + 1) return;
      live_[line] = part + 1;
      work_.push_back(line);
    };
    for (std::size_t line : reads_[part]) mark(line);
    while (!work_.empty()) {
      std::size_t line = work_.back();
      work_.pop_back();
      for (std::size_t before : before_[line]) {
        if (!ends(before, part)) mark(before);
      }
    }
  }

  // Forwards: written on some path. Only lines where it is live are entered: a path to one through a line where it is
  // not has a certain write behind that line, from which it is found as well.
  template <typename Found>
  void find_assigned(std::size_t part, Found found) {
    auto mark_next = [&](std::size_t line) {
      for (std::size_t next : next_[line]) {
        if (live_[next] != part + 1 || assigned_[next] == part + 1) continue;
        assigned_[next] = part + 1;
        found(next);
        work_.push_back(next);
      }
    };
    for (std::size_t line : writes_[part]) mark_next(line);
    while (!work_.empty()) {
      std::size_t line = work_.back();
      work_.pop_back();
      mark_next(line);
    }
  }

  const Program& program_;
  std::vector<std::size_t> first_;                        // the first register of each value, and one past the last
  std::vector<std::vector<std::size_t>> reads_, writes_;  // lines, by part
  std::vector<std::vector<std::size_t>> ends_, next_, before_;  // by line
  std::vector<std::size_t> live_, assigned_, work_;             // by line: the part that was found there last, and 1
};

}  // namespace

std::vector<std::size_t> successors(const Program& program, std::size_t line) {
  const Line& at = program.lines[line];
  std::vector<std::size_t> next;
  bool ends = branches(at) || at.opcode->op == isa::Op::EXIT;
  if ((!ends || is_conditional(at)) && line + 1 < program.lines.size()) next.push_back(line + 1);
  if (branches(at)) {
    for (const Operand& operand : at.operands) {
      if (operand.kind != Operand::Kind::label) continue;
      std::size_t target = program[operand.label].line;
      if (target < program.lines.size() && (next.empty() || next.front() != target)) next.push_back(target);
    }
  }
  return next;
}

std::vector<Access> accesses(const Line& line) {
  return Collector(line).run();
}

std::uint8_t alignment(isa::File file, int width) {
  if (width <= 1) return 1;
  if (width == 2) return 2;
  return file == isa::File::ur && width > 4 ? 8 : 4;
}

Liveness liveness(const Program& program) {
  return PartLiveness(program).by_value();
}

}  // namespace warpcc::sass
