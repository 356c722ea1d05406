#include "sass/flow.h"

#include <algorithm>

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

using Word = std::uint64_t;

// Sets of bits, one a line.
struct Sets {
  std::size_t words;
  std::vector<Word> bits;
  Sets(std::size_t lines, std::size_t members) : words((members + 63) / 64), bits(lines * words, 0) {}
  Word* operator[](std::size_t line) { return bits.data() + line * words; }
};
void set(Word* words, std::size_t bit) {
  words[bit / 64] |= Word{1} << (bit % 64);
}
bool test(const Word* words, std::size_t bit) {
  return words[bit / 64] >> (bit % 64) & 1;
}

// Liveness of single registers of named values, so that a group that is written part by part is live from its first
// part's write on.
class PartLiveness {
 public:
  explicit PartLiveness(const Program& program)
      : program_(program),
        first_(first_parts(program)),
        reads_(lines(), first_.back()),
        writes_(lines(), first_.back()),
        ends_(lines(), first_.back()),
        live_(lines(), first_.back()),
        assigned_(lines(), first_.back()),
        next_(lines()),
        before_(lines()) {
    for (std::size_t i = 0; i < lines(); ++i) {
      collect(i);
      next_[i] = successors(program, i);
      for (std::size_t next : next_[i]) before_[next].push_back(i);
    }
    find_live();
    find_assigned();
  }

  Liveness by_value() {
    Liveness result;
    result.words = (program_.values.size() + 63) / 64;
    result.before.assign(lines() * result.words, 0);
    for (std::size_t i = 0; i < lines(); ++i) {
      Word* words = result.before.data() + i * result.words;
      for (std::size_t value = 0; value + 1 < first_.size(); ++value) {
        for (std::size_t part = first_[value]; part < first_[value + 1]; ++part) {
          if (test(live_[i], part) && test(assigned_[i], part)) set(words, value);
        }
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
        set(access.written ? writes_[i] : reads_[i], part);
        if (access.written && access.whole) set(ends_[i], part);
      }
    }
  }

  // Backwards: read on some path, before anything certainly overwrites it.
  void find_live() {
    run(before_, [&](std::size_t i) {
      bool changed = false;
      for (std::size_t w = 0; w < live_.words; ++w) {
        Word after = 0;
        for (std::size_t next : next_[i]) after |= live_[next][w];
        Word now = reads_[i][w] | (after & ~ends_[i][w]);
        changed |= now != live_[i][w];
        live_[i][w] = now;
      }
      return changed;
    });
  }

  // Forwards: written on some path.
  void find_assigned() {
    run(next_, [&](std::size_t i) {
      bool changed = false;
      for (std::size_t w = 0; w < assigned_.words; ++w) {
        Word now = 0;
        for (std::size_t before : before_[i]) now |= assigned_[before][w] | writes_[before][w];
        changed |= now != assigned_[i][w];
        assigned_[i][w] = now;
      }
      return changed;
    });
  }

  // Until nothing changes; `affected` are the lines to look at again after one has.
  template <typename Step>
  void run(const std::vector<std::vector<std::size_t>>& affected, Step step) {
    std::vector<std::size_t> work(lines());
    std::vector<char> waiting(lines(), 1);
    for (std::size_t i = 0; i < lines(); ++i) work[i] = &affected == &next_ ? lines() - 1 - i : i;
    while (!work.empty()) {
      std::size_t i = work.back();
      work.pop_back();
      waiting[i] = 0;
      if (!step(i)) continue;
      for (std::size_t other : affected[i]) {
        if (!waiting[other]) work.push_back(other), waiting[other] = 1;
      }
    }
  }

  const Program& program_;
  std::vector<std::size_t> first_;  // the first register of each value, and one past the last
  Sets reads_, writes_, ends_, live_, assigned_;
  std::vector<std::vector<std::size_t>> next_, before_;
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
