#include "sass/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <bitset>

#include "sass/flow.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string, int, std::string, int, std::string> kTooManyLive{
    "registers-do-not-fit", "{}: {} {} are live here, and {} are all there are: {}"};
constexpr Message<std::string, std::string, int, std::string> kDoNotPack{
    "registers-do-not-pack", "{}: the {} live here fit no assignment to {}, their groups being aligned: {}"};

constexpr int kFiles = 4;
constexpr int kMostRegisters = 256;
using Registers = std::bitset<kMostRegisters>;

class Colouring {
 public:
  Colouring(Program& program, int limit_r, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {
    for (int file = 0; file < kFiles; ++file)
      limits_[file] = isa::registers(static_cast<isa::File>(file), program.target);
    limits_[0] = std::min(limits_[0], limit_r);
  }

  bool run() {
    survey();
    live_ = liveness(program_);
    find_interference();
    bool fits = true;
    for (int file = 0; file < kFiles; ++file) fits &= colour_file(static_cast<isa::File>(file));
    if (fits) number_operands();
    return fits;
  }

 private:
  int limit(isa::File file) const { return limits_[static_cast<std::size_t>(file)]; }
  const Value& value(std::size_t i) const { return program_.values[i]; }

  // Alignment as the uses ask, the place of the first use, and registers that the text names itself.
  void survey() {
    first_use_.assign(program_.values.size(), program_.lines.size());
    for (std::size_t i = 0; i < program_.lines.size(); ++i) {
      for (const Access& access : accesses(program_.lines[i])) {
        if (access.reg.value == ValueId::none) {
          for (int n = 0; n < access.width && access.reg.number >= 0; ++n) {
            int number = access.reg.number + n;
            if (number < kMostRegisters)
              taken_[static_cast<std::size_t>(access.reg.file)].set(static_cast<std::size_t>(number));
          }
          continue;
        }
        auto id = static_cast<std::size_t>(access.reg.value);
        Value& used = program_.values[id];
        used.align = std::max(used.align, alignment(used.file, access.width));
        first_use_[id] = std::min(first_use_[id], i);
      }
    }
  }

  // Two values interfere where one is written while the other is live, or where one line writes both.
  void find_interference() {
    neighbours_.assign(program_.values.size() * live_.words, 0);
    std::vector<std::uint64_t> after(live_.words);
    std::vector<std::size_t> written;
    for (std::size_t i = 0; i < program_.lines.size(); ++i) {
      written.clear();
      for (const Access& access : accesses(program_.lines[i])) {
        if (access.written && access.reg.value != ValueId::none)
          written.push_back(static_cast<std::size_t>(access.reg.value));
      }
      if (written.empty()) continue;
      std::fill(after.begin(), after.end(), 0);
      for (std::size_t next : successors(program_, i)) {
        for (std::size_t w = 0; w < live_.words; ++w) after[w] |= live_.before[next * live_.words + w];
      }
      for (std::size_t one : written) after[one / 64] |= std::uint64_t{1} << (one % 64);
      for (std::size_t one : written) join(one, after);
    }
  }

  void join(std::size_t one, const std::vector<std::uint64_t>& others) {
    for (std::size_t w = 0; w < others.size(); ++w) {
      for (std::uint64_t rest = others[w]; rest != 0; rest &= rest - 1) {
        std::size_t other = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (other == one || value(other).file != value(one).file) continue;
        neighbours_[one * live_.words + w] |= std::uint64_t{1} << (other % 64);
        neighbours_[other * live_.words + one / 64] |= std::uint64_t{1} << (one % 64);
      }
    }
  }

  template <typename Visit>
  void for_each_neighbour(std::size_t one, Visit visit) const {
    for (std::size_t w = 0; w < live_.words; ++w) {
      for (std::uint64_t rest = neighbours_[one * live_.words + w]; rest != 0; rest &= rest - 1) {
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  // Big groups first, then in the order of the program; where that fails, in the order of the program alone, and last
  // by how many others stand in the way. The orders depend on nothing but the lines, so that a program read from text
  // gets the same registers.
  bool colour_file(isa::File file) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      if (value(i).file == file && first_use_[i] < program_.lines.size()) members.push_back(i);
    }
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return first_use_[a] < first_use_[b]; });
    std::vector<std::size_t> by_size = members;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t a, std::size_t b) { return value(a).width > value(b).width; });
    if (assign(file, by_size) || assign(file, members) || assign(file, smallest_last(by_size))) return true;
    complain(file);
    return false;
  }

  bool assign(isa::File file, const std::vector<std::size_t>& order) {
    for (std::size_t one : order) program_.values[one].colour = -1;
    for (std::size_t one : order) {
      Registers used = taken_[static_cast<std::size_t>(file)];
      for_each_neighbour(one, [&](std::size_t other) {
        const Value& neighbour = value(other);
        for (int n = 0; neighbour.colour >= 0 && n < neighbour.width; ++n)
          used.set(static_cast<std::size_t>(neighbour.colour + n));
      });
      int place = first_free(used, value(one), limit(file));
      if (place < 0) return false;
      program_.values[one].colour = static_cast<std::int16_t>(place);
    }
    return true;
  }

  static int first_free(const Registers& used, const Value& wanted, int limit) {
    for (int place = 0; place + wanted.width <= limit; place += std::max<int>(wanted.align, 1)) {
      bool free = true;
      for (int n = 0; free && n < wanted.width; ++n) free = !used.test(static_cast<std::size_t>(place + n));
      if (free) return place;
    }
    return -1;
  }

  // Again and again the value with the fewest registers around it goes to the end.
  std::vector<std::size_t> smallest_last(std::vector<std::size_t> left) const {
    std::vector<int> around(program_.values.size(), 0);
    for (std::size_t one : left) {
      for_each_neighbour(one, [&](std::size_t other) { around[one] += value(other).width; });
    }
    std::vector<std::size_t> order;
    while (!left.empty()) {
      auto least = std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
        return around[a] - value(a).width < around[b] - value(b).width;
      });
      for_each_neighbour(*least, [&](std::size_t other) { around[other] -= value(*least).width; });
      order.push_back(*least);
      left.erase(least);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  int pressure(isa::File file, std::size_t line) const {
    int sum = 0;
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      if (value(i).file == file && live_.live_before(line, static_cast<ValueId>(i))) sum += value(i).width;
    }
    return sum;
  }

  void complain(isa::File file) {
    std::size_t worst = 0;
    int most = -1;
    for (std::size_t i = 0; i < program_.lines.size(); ++i) {
      if (int here = pressure(file, i); here > most) most = here, worst = i;
    }
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      if (value(i).file == file && live_.live_before(worst, static_cast<ValueId>(i))) there.push_back(i);
    }
    std::stable_sort(there.begin(), there.end(),
                     [&](std::size_t a, std::size_t b) { return value(a).width > value(b).width; });
    const Line& line = program_.lines[worst];
    std::string what = words(file);
    if (most > limit(file)) {
      diagnostics_.error(line.where, kTooManyLive, place(worst), most, what, limit(file), list(there));
    } else {
      diagnostics_.error(line.where, kDoNotPack, place(worst), fmt::format("{} {}", most, what), limit(file),
                         list(there));
    }
  }

  std::string place(std::size_t line) const {
    std::string where = "start";
    for (const Section& section : program_.sections) {
      if (section.first_line > line) break;
      where = section.kind == Section::Kind::role    ? fmt::format("role `{}`", section.name)
              : section.kind == Section::Kind::start ? "start"
                                                     : "finish";
    }
    return where;
  }

  static std::string words(isa::File file) {
    constexpr std::string_view kWords[] = {"registers (`r`)", "uniform registers (`ur`)", "predicates (`p`)",
                                           "uniform predicates (`up`)"};
    return std::string(kWords[static_cast<std::size_t>(file)]);
  }

  // `v[32], k, row …`
  std::string list(const std::vector<std::size_t>& values) const {
    constexpr std::size_t kMostNamed = 40;
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < kMostNamed; ++i) {
      if (i > 0) text += ", ";
      text += value(values[i]).name;
      if (value(values[i]).width > 1) text += fmt::format("[{}]", value(values[i]).width);
    }
    if (values.size() > kMostNamed) text += fmt::format(" and {} more", values.size() - kMostNamed);
    return text;
  }

  void number(Reg& reg) const {
    if (reg.value != ValueId::none) reg.number = static_cast<std::int16_t>(program_[reg.value].colour + reg.part);
  }

  void number_operands() {
    for (Line& line : program_.lines) {
      if (line.guard) number(line.guard->reg);
      for (Operand& operand : line.operands) {
        number(operand.reg);
        if (operand.second) number(*operand.second);
      }
    }
  }

  Program& program_;
  Diagnostics& diagnostics_;
  std::array<int, kFiles> limits_{};
  std::array<Registers, kFiles> taken_{};
  std::vector<std::size_t> first_use_;
  Liveness live_;
  std::vector<std::uint64_t> neighbours_;  // live_.words words a value: those it interferes with
};

}  // namespace

bool colour(Program& program, int limit_r, Diagnostics& diagnostics) {
  return Colouring(program, limit_r, diagnostics).run();
}

}  // namespace warpcc::sass
