#include "ptx/webs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sass/flow.h"

namespace warpcc::ptx {

namespace {

using isa::Op;
using sass::Line;
using sass::Operand;
using sass::Program;
using sass::Reg;

constexpr std::int64_t kParityBit = 0x80000000;

class UnionFind {
 public:
  int make() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int find(int x) {
    while (parents_[x] != x) x = parents_[x] = parents_[parents_[x]];
    return x;
  }
  void join(int a, int b) { parents_[find(a)] = find(b); }

 private:
  std::vector<int> parents_;
};

bool is_immediate(const Operand& operand, std::int64_t number) {
  return operand.kind == Operand::Kind::immediate && (operand.number & 0xffffffff) == number;
}

// `MOV d, x` in its several spellings: the source, or null.
const Operand* moved(const Line& line) {
  bool plain = line.opcode->op == Op::MOV || line.opcode->op == Op::UMOV;
  if (plain) return &line.operands[1];
  if (line.opcode->op == Op::IMAD && line.operands.size() == 4 && !line.modifiers.empty() &&
      isa::word(line.modifiers[0]) == "MOV") {
    return &line.operands[3];
  }
  return nullptr;
}

// `LOP3.LUT d, s, 0x80000000, RZ, 0x3c, !PT`: bit 31 flipped.
bool flips_parity(const Line& line) {
  return line.opcode->op == Op::LOP3 && line.operands.size() >= 5 && line.operands[1].kind == Operand::Kind::reg &&
         !line.operands[1].reg.is_constant && is_immediate(line.operands[2], kParityBit) &&
         line.operands[3].reg.is_constant && is_immediate(line.operands[4], 0x3c);
}

std::string ptx_name(const Program& program, const Reg& reg) {
  std::string name = "%";
  if (reg.value == sass::ValueId::none) {
    name += isa::prefix(reg.file);
    return name + std::to_string(reg.number);
  }
  const sass::Value& value = program[reg.value];
  name += isa::word(reg.file);
  name += '_';
  for (char c : value.name) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    name += plain ? c : '$';
  }
  if (value.width > 1) name += "$" + std::to_string(reg.part);
  return name;
}

}  // namespace

sass::Reg part(sass::Reg reg, int n) {
  if (reg.is_constant) return reg;
  reg.part = static_cast<std::uint8_t>(reg.part + n);
  if (reg.number >= 0) reg.number = static_cast<std::int16_t>(reg.number + n);
  return reg;
}

Webs::Key Webs::key(const Reg& reg) {
  auto file = static_cast<Key>(reg.file);
  if (reg.number >= 0) return file << 62 | Key{1} << 61 | static_cast<Key>(reg.number);
  return file << 62 | static_cast<Key>(static_cast<std::uint32_t>(reg.value)) << 8 | reg.part;
}

// A register is live at a point (before a line) of its web: walking back from each read to the writes that reach it,
// the points on the way, the read and the writes are of one web. A guarded write does not end the walk: where it does
// not happen the old value stays.
struct Webs::Build {
  const Program& program;
  Webs& webs;
  UnionFind sets;
  struct Access {
    std::size_t line;
    bool written, whole;
    int set = -1;  // of a write; of a read: the point's
    Reg reg;
  };
  std::map<Key, std::vector<Access>> accesses;
  std::vector<llvm::SmallVector<std::uint32_t, 2>> before;  // the lines that may come before a line
  std::vector<int> points;                                  // of the key in hand: the set of each live point, or -1

  void collect() {
    before.resize(program.lines.size());
    for (std::size_t i = 0; i < program.lines.size(); ++i) {
      for (std::size_t next : sass::successors(program, i)) {
        if (next < before.size()) before[next].push_back(static_cast<std::uint32_t>(i));
      }
      for (const sass::Access& access : sass::accesses(program.lines[i])) {
        for (int n = 0; n < access.width; ++n) {
          Reg reg = part(access.reg, n);
          if (reg.is_constant) continue;
          accesses[key(reg)].push_back({i, access.written, access.whole, -1, reg});
        }
      }
    }
    points.assign(program.lines.size(), -1);
  }

  void walk(std::vector<Access>& of_key) {
    std::unordered_map<std::size_t, Access*> writes;
    for (Access& access : of_key) {
      if (access.written) writes[access.line] = &access;
    }
    std::vector<std::size_t> touched, stack;
    auto reach = [&](std::size_t line, int set) {
      if (points[line] >= 0) {
        sets.join(points[line], set);
      } else {
        points[line] = set;
        touched.push_back(line);
        stack.push_back(line);
      }
    };
    for (Access& access : of_key) {
      if (access.written) continue;
      if (points[access.line] < 0) {
        reach(access.line, sets.make());
        while (!stack.empty()) {
          std::size_t point = stack.back();
          stack.pop_back();
          for (std::uint32_t previous : before[point]) {
            auto write = writes.find(previous);
            bool ends = false;
            if (write != writes.end()) {
              Access& def = *write->second;
              if (def.set < 0) {
                def.set = points[point];
              } else {
                sets.join(def.set, points[point]);
              }
              ends = def.whole;
            }
            if (!ends) reach(previous, points[point]);
          }
        }
      }
      access.set = points[access.line];
    }
    for (Access& access : of_key) {
      if (access.set < 0) access.set = sets.make();  // a write that nothing reads
    }
    for (std::size_t line : touched) points[line] = -1;
  }

  // The warpgroup's MMA has one list of registers for what it adds to and what it gives (PTX ISA, wgmma.mma_async):
  // they are of one web, also where nothing reads what it gives. Accesses of one line follow each other.
  void join_accumulators(const std::vector<Access>& of_key) {
    for (std::size_t i = 1; i < of_key.size(); ++i) {
      const Access &one = of_key[i - 1], &other = of_key[i];
      Op op = program.lines[other.line].opcode->op;
      bool is_mma = op == Op::HGMMA || op == Op::QGMMA || op == Op::IGMMA;
      if (is_mma && one.line == other.line && one.written != other.written) sets.join(one.set, other.set);
    }
  }

  void run() {
    collect();
    for (auto& [key, of_key] : accesses) {
      walk(of_key);
      join_accumulators(of_key);
    }

    webs.lines_.resize(program.lines.size());
    std::unordered_map<int, WebId> ids;
    std::unordered_map<std::string, int> taken;  // how often a name was wanted again
    std::unordered_set<std::string> names;
    // In the order of the text, so that the first web of a name bears the plain one.
    struct Placed {
      Key key;
      Access* access;
    };
    std::vector<Placed> order;
    for (auto& [key, of_key] : accesses) {
      for (Access& access : of_key) order.push_back({key, &access});
    }
    std::stable_sort(order.begin(), order.end(), [](const Placed& a, const Placed& b) {
      if (a.access->line != b.access->line) return a.access->line < b.access->line;
      return a.access->written > b.access->written;  // names stand at destinations
    });
    // Names first from writes that have them.
    std::unordered_map<int, const Access*> named;
    for (const Placed& placed : order) {
      int set = sets.find(placed.access->set);
      auto [entry, fresh] = named.try_emplace(set, placed.access);
      bool better = placed.access->reg.value != sass::ValueId::none && entry->second->reg.value == sass::ValueId::none;
      if (better) entry->second = placed.access;
    }
    for (const Placed& placed : order) {
      int set = sets.find(placed.access->set);
      auto [entry, fresh] = ids.try_emplace(set, static_cast<WebId>(webs.webs_.size()));
      if (fresh) {
        std::string name = ptx_name(program, named[set]->reg);
        std::string unique = name;
        for (int& number = taken[name]; !names.insert(unique).second;)
          unique = fmt::format("{}_{}", name, ++number + 1);
        webs.webs_.push_back({placed.access->reg.file, std::move(unique), std::nullopt, false});
      }
      webs.lines_[placed.access->line].push_back({placed.key, placed.access->written, entry->second});
    }
    find_constants();
    find_parities();
  }

  void find_constants() {
    std::vector<char> varies(webs.webs_.size(), 0);
    for (std::size_t i = 0; i < program.lines.size(); ++i) {
      const Line& line = program.lines[i];
      for (const Entry& entry : webs.lines_[i]) {
        if (!entry.written) continue;
        auto id = static_cast<std::size_t>(entry.web);
        std::optional<std::int64_t>& constant = webs.webs_[id].constant;
        const Operand* source = moved(line);
        if (source == nullptr || source->kind != Operand::Kind::immediate || line.guard ||
            (constant && *constant != source->number)) {
          varies[id] = 1;
        } else {
          constant = source->number;
        }
      }
    }
    for (std::size_t id = 0; id < varies.size(); ++id) {
      if (varies[id]) webs.webs_[id].constant.reset();
    }
  }

  // Parities are webs of lane registers whose every write is 0 or 0x80000000, a flip or a move of another parity, and
  // whose every read is the parity of a test, or such a flip or move. Found by striking out what is not, until nothing
  // changes.
  void find_parities() {
    std::vector<char> out(webs.webs_.size(), 0);
    for (std::size_t id = 0; id < webs.webs_.size(); ++id) out[id] = webs.webs_[id].file != isa::File::r;
    for (bool again = true; again;) {
      again = false;
      auto strike = [&](WebId id) {
        if (!out[static_cast<std::size_t>(id)]) {
          out[static_cast<std::size_t>(id)] = 1;
          again = true;
        }
      };
      for (std::size_t i = 0; i < program.lines.size(); ++i) {
        const Line& line = program.lines[i];
        const Operand* source = moved(line);
        bool carries =
            flips_parity(line) || (source != nullptr && source->kind == Operand::Kind::reg && !source->negated);
        bool sets_it = source != nullptr && (source->kind == Operand::Kind::immediate || source->reg.is_constant) &&
                       (source->reg.is_constant || is_immediate(*source, 0) || is_immediate(*source, kParityBit));
        bool tests =
            line.opcode->op == Op::SYNCS && line.operands.size() == 3 && line.opcode->slots[0].takes == isa::kP;
        WebId other = WebId::none;
        if (carries) {
          const Reg& from = source != nullptr ? source->reg : line.operands[1].reg;
          if (!from.is_constant) other = webs.read(i, from);
        }
        WebId test = tests && line.operands[2].kind == Operand::Kind::reg && !line.operands[2].reg.is_constant
                         ? webs.read(i, line.operands[2].reg)
                         : WebId::none;
        for (const Entry& entry : webs.lines_[i]) {
          if (entry.written) {
            bool good = sets_it || (other != WebId::none && !out[static_cast<std::size_t>(other)]);
            if (!good) strike(entry.web);
          } else if (entry.web != test) {
            WebId to = carries ? webs.written(i, line.operands[0].reg) : WebId::none;
            bool good = entry.web == other && to != WebId::none && !out[static_cast<std::size_t>(to)];
            if (!good) strike(entry.web);
          }
        }
      }
    }
    for (std::size_t id = 0; id < out.size(); ++id) webs.webs_[id].parity = !out[id];
  }
};

Webs::Webs(const Program& program) {
  Build{program, *this, {}, {}, {}, {}}.run();
}

WebId Webs::at(std::size_t line, const Reg& reg, bool written) const {
  if (reg.is_constant) return WebId::none;
  Key wanted = key(reg);
  for (const Entry& entry : lines_[line]) {
    if (entry.key == wanted && entry.written == written) return entry.web;
  }
  return WebId::none;
}

}  // namespace warpcc::ptx
