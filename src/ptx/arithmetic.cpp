// Arithmetic, predicates, and what passes between the lanes of a warp.
#include <array>
#include <utility>

#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

using isa::Op;
using sass::Operand;
using sass::Reg;

bool is_zero(const Operand& operand) {
  return operand.kind == Operand::Kind::reg && operand.reg.is_constant;
}

bool constant_true(Lifter& l, std::size_t i) {
  auto constant = l.constant_predicate(i);
  return constant && *constant;
}

// `add` or `sub` of a term to a sum so far; a negated term first has nothing to be taken from.
std::string plus(const Operand& term) {
  return term.negated ? "sub.u32" : "add.u32";
}
std::string plain(Lifter& l, Operand term) {
  term.negated = false;
  return l.source(term);
}

}  // namespace

// d = a + b + c, and on sm_100a two carries before the sources. `.X` adds the carry of the low words.
void lift_add(Lifter& l) {
  bool carries_in = l.has("X");
  std::size_t sources_end = l.operands() - (carries_in ? 2 : 0);
  std::size_t first = sources_end - 3;
  std::vector<Operand> terms;
  for (std::size_t i = first; i < sources_end; ++i) {
    if (!is_zero(l.operand(i))) terms.push_back(l.operand(i));
  }
  // A positive term first, where there is one.
  for (std::size_t i = 1; i < terms.size() && terms[0].negated; ++i) std::swap(terms[0], terms[i]);

  std::vector<std::string> carries;  // in and out
  if (carries_in) {
    for (std::size_t i = sources_end; i < l.operands(); ++i) {
      if (l.constant_predicate(i) == false) continue;
      std::string one = l.bits32();
      l.put_always(fmt::format("selp.b32 {}, 1, 0, {};", one, l.predicate(i)));
      carries.push_back(one);
    }
  }
  bool carries_out = first == 3 && !is_zero(l.operand(1));
  if (first == 3 && !is_zero(l.operand(2))) return l.fail_operands();
  if (carries_out && (carries_in || terms.size() > 2 || terms.empty() || terms.back().negated)) {
    return l.fail_operands();
  }

  std::string sum = terms.empty() ? "0" : l.source(terms[0]);
  std::size_t steps = (terms.empty() ? 0 : terms.size() - 1) + carries.size();
  std::string last = terms.size() > 1 ? plain(l, terms.back()) : "0";
  if (carries_out) {
    // The sum is below a term exactly where it wrapped.
    std::string low = l.bits32();
    l.put_always(fmt::format("add.u32 {}, {}, {};", low, sum, last));
    l.put(fmt::format("setp.lt.u32 {}, {}, {};", l.target(1), low, sum));
    l.put(fmt::format("mov.b32 {}, {};", l.target(0), low));
    return;
  }
  std::string target = l.target(0);
  if (steps == 0) return l.put(fmt::format("mov.b32 {}, {};", target, sum));
  auto step = [&](const std::string& operation, const std::string& value) {
    bool end = --steps == 0;
    std::string to = end ? target : l.bits32();
    std::string text = fmt::format("{} {}, {}, {};", operation, to, sum, value);
    if (end) {
      l.put(text);
    } else {
      l.put_always(text);
    }
    sum = to;
  };
  for (std::size_t i = 1; i < terms.size(); ++i) step(plus(terms[i]), plain(l, terms[i]));
  for (const std::string& carry : carries) step("add.u32", carry);
}

// Pairs of registers.
void lift_add64(Lifter& l) {
  std::size_t first = l.operands() - 3;
  if (first == 3 && !(is_zero(l.operand(1)) && is_zero(l.operand(2)))) return l.fail_operands();
  std::string sum;
  for (std::size_t i = first; i < l.operands(); ++i) {
    const Operand& term = l.operand(i);
    if (is_zero(term)) continue;
    std::string value = term.kind == Operand::Kind::immediate ? fmt::format("{}", term.number) : l.pair(term.reg);
    if (sum.empty() && !term.negated) {
      sum = value;
      continue;
    }
    std::string to = l.bits64();
    l.put_always(
        fmt::format("{} {}, {}, {};", term.negated ? "sub.u64" : "add.u64", to, sum.empty() ? "0" : sum, value));
    sum = to;
  }
  if (sum.empty()) sum = "0";
  if (sum[0] != '%') {
    std::string to = l.bits64();
    l.put_always(fmt::format("mov.b64 {}, {};", to, sum));
    sum = to;
  }
  std::string low = l.target(0), high = l.target(0, 1);
  l.put(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, sum));
}

// A 64-bit product, and a pair added to it.
void lift_multiply_wide(Lifter& l) {
  const char* type = l.has("U32") ? "u32" : "s32";
  std::string product = l.bits64();
  std::string a = l.source(1), b = l.source(2);
  if (is_zero(l.operand(3))) {
    l.put_always(fmt::format("mul.wide.{} {}, {}, {};", type, product, a, b));
  } else {
    std::string c = l.pair(l.operand(3).reg);
    l.put_always(fmt::format("mad.wide.{} {}, {}, {}, {};", type, product, a, b, c));
  }
  std::string low = l.target(0), high = l.target(0, 1);
  l.put(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, product));
}

// A table of three, `d, a, b, c, table`. What two operands have a word for is said by it: on `lop3` with a mask of one
// bit that is then compared with 0, ptxas 13.0 and 13.4 break off.
void lift_logic(Lifter& l) {
  if (!is_zero(l.operand(5))) return l.fail_operands();
  std::int64_t table = l.operand(4).number;
  const char* word = table == 0xc0 ? "and" : table == 0xfc ? "or" : table == 0x3c ? "xor" : nullptr;
  std::string a = l.source(1), b = l.source(2);
  if (word != nullptr && is_zero(l.operand(3))) {
    l.put(fmt::format("{}.b32 {}, {}, {};", word, l.target(0), a, b));
    return;
  }
  std::string c = l.source(3);
  l.put(fmt::format("lop3.b32 {}, {}, {}, {}, {};", l.target(0), a, b, c, l.source(4)));
}

void lift_lea(Lifter& l) {
  std::int64_t shift = l.operand(3).number & 31;
  std::string a = l.source(1), b = l.source(2);
  l.put(fmt::format("mad.lo.u32 {}, {}, {:#x}, {};", l.target(0), a, std::int64_t{1} << shift, b));
}

void lift_sign_extend(Lifter& l) {
  std::string a = l.source(1), bits = l.source(2);
  l.put(fmt::format("bfe.{} {}, {}, 0, {};", l.has("U32") ? "u32" : "s32", l.target(0), a, bits));
}

void lift_minimum(Lifter& l) {
  std::size_t last = l.operands() - 1;
  auto least = l.constant_predicate(last);
  if (!least || (last == 5 && !(is_zero(l.operand(1)) && is_zero(l.operand(2))))) return l.fail_operands();
  std::string a = l.source(last - 2), b = l.source(last - 1);
  l.put(fmt::format("{}.{} {}, {}, {};", *least ? "min" : "max", l.has("U32") ? "u32" : "s32", l.target(0), a, b));
}

// ISETP.GE.U32.AND p, q, a, b, c: p = (a >= b) && c, q = !(a >= b) && c. `.EX` compares the high words of 64 bits,
// where the low ones said `d`.
void lift_compare(Lifter& l) {
  std::string relation(isa::word(l.line().modifiers[0]));
  for (char& c : relation) c = static_cast<char>(c - 'A' + 'a');
  const char* type = l.has("U32") ? "u32" : "s32";
  std::string combine = l.has("OR") ? "or" : l.has("XOR") ? "xor" : "and";
  std::string a = l.source(2), b = l.source(3);
  bool plain = combine == "and" ? constant_true(l, 4) : l.constant_predicate(4) == false;

  if (l.has("EX")) {
    // Greater, or equal and the low words are.
    if (!plain || !is_zero(l.operand(1))) return l.fail_operands();
    std::string greater = l.flag(), equal = l.flag(), low = l.predicate(5);
    l.put_always(fmt::format("setp.gt.{} {}, {}, {};", type, greater, a, b));
    l.put_always(fmt::format("setp.eq.and.{} {}, {}, {}, {};", type, equal, a, b, low));
    return l.put(fmt::format("or.pred {}, {}, {};", l.target(0), greater, equal));
  }
  std::string with = plain ? std::string() : ", " + l.predicate(4);
  std::string target = l.target(0);
  if (!is_zero(l.operand(1))) target += "|" + l.target(1);
  l.put(fmt::format("setp.{}{}.{} {}, {}, {}{};", relation, plain ? "" : "." + combine, type, target, a, b, with));
}

void lift_compare_float(Lifter& l) {
  std::string a = l.source(2, Type::f32), b = l.source(3, Type::f32);
  if (!constant_true(l, 4) || !is_zero(l.operand(1))) return l.fail_operands();
  l.put(fmt::format("setp.geu.f32 {}, {}, {};", l.target(0), a, b));
}

void lift_minimum_float(Lifter& l) {
  auto least = l.constant_predicate(3);
  std::string a = l.source(1, Type::f32), b = l.source(2, Type::f32);
  if (!least) {  // each lane chooses
    std::string less = l.bits32(), greater = l.bits32();
    l.put_always(fmt::format("min.f32 {}, {}, {};", less, a, b));
    l.put_always(fmt::format("max.f32 {}, {}, {};", greater, a, b));
    if (l.operand(3).negated) std::swap(less, greater);
    return l.put(fmt::format("selp.b32 {}, {}, {}, {};", l.target(0), less, greater, l.source(l.operand(3).reg)));
  }
  l.put(fmt::format("{}.f32 {}, {}, {};", *least ? "min" : "max", l.target(0), a, b));
}

namespace {

// A function of predicates by its truth table: bit 4a + 2b + c of `table` is the value at (a, b, c).
void put_truth(Lifter& l, std::size_t to, unsigned table, std::size_t first) {
  std::vector<std::string> names;  // of the inputs that are no constants
  std::array<int, 3> place{-1, -1, -1};
  std::array<bool, 3> fixed{}, inverted{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Operand& input = l.operand(first + i);
    if (auto constant = l.constant_predicate(first + i)) {
      fixed[i] = *constant;
      continue;
    }
    inverted[i] = input.negated;
    place[i] = static_cast<int>(names.size());
    names.push_back(l.source(input.reg));
  }
  // The table over those inputs alone, the first the highest bit, their negations taken in.
  unsigned small = 0;
  for (unsigned at = 0; at < 1u << names.size(); ++at) {
    unsigned index = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bool value = place[i] < 0 ? fixed[i] : (at >> (names.size() - 1 - static_cast<std::size_t>(place[i])) & 1) != 0;
      index = index * 2 + static_cast<unsigned>(place[i] >= 0 && inverted[i] ? !value : value);
    }
    small |= (table >> index & 1) << at;
  }
  std::string target = l.target(to);
  if (names.empty()) return l.put(fmt::format("mov.pred {}, {};", target, small));
  if (names.size() == 1) {
    if (small == 0 || small == 3) return l.put(fmt::format("mov.pred {}, {};", target, small & 1));
    return l.put(fmt::format("{} {}, {};", small == 2 ? "mov.pred" : "not.pred", target, names[0]));
  }
  if (names.size() == 2) {
    for (const char* operation : {"and", "or", "xor"}) {
      for (unsigned signs = 0; signs < 4; ++signs) {
        unsigned built = 0;
        for (unsigned at = 0; at < 4; ++at) {
          bool x = ((at >> 1) ^ (signs >> 1)) & 1, y = (at ^ signs) & 1;
          bool value = operation[0] == 'a' ? x && y : operation[0] == 'o' ? x || y : x != y;
          built |= static_cast<unsigned>(value) << at;
        }
        if (built != small) continue;
        return l.put(fmt::format("{}.pred {}, {}{}, {}{};", operation, target, signs & 2 ? "!" : "", names[0],
                                 signs & 1 ? "!" : "", names[1]));
      }
    }
  }
  if (names.size() == 3 && small == 0x80) {
    std::string two = l.flag();
    l.put_always(fmt::format("and.pred {}, {}, {};", two, names[0], names[1]));
    return l.put(fmt::format("and.pred {}, {}, {};", target, two, names[2]));
  }
  std::vector<std::string> words;
  for (const std::string& name : names) {
    words.push_back(l.bits32());
    l.put_always(fmt::format("selp.b32 {}, -1, 0, {};", words.back(), name));
  }
  if (words.size() < 3) {  // a table that needs one input or none of two
    words.push_back("0");
    unsigned wide = 0;
    for (unsigned at = 0; at < 8; ++at) wide |= (small >> (at >> 1) & 1) << at;
    small = wide;
  }
  std::string value = l.bits32();
  l.put_always(fmt::format("lop3.b32 {}, {}, {}, {}, {:#x};", value, words[0], words[1], words[2], small));
  l.put(fmt::format("setp.ne.u32 {}, {}, 0;", target, value));
}

}  // namespace

void lift_predicate_logic(Lifter& l) {
  if (!is_zero(l.operand(0))) put_truth(l, 0, static_cast<unsigned>(l.operand(5).number) & 0xff, 2);
  if (!is_zero(l.operand(1))) put_truth(l, 1, static_cast<unsigned>(l.operand(6).number) & 0xff, 2);
}

// A register that only holds a parity holds it in bit 0 (Web::parity): moves of it and flips.
bool lift_parity(Lifter& l) {
  if (l.operands() == 0 || l.operand(0).kind != Operand::Kind::reg) return false;
  const Web* written = l.written_web(l.operand(0).reg);
  if (written == nullptr || !written->parity) return false;
  if (l.line().opcode->op != Op::LOP3) {
    const Operand& from = l.operand(l.operands() - 1);
    bool number = from.kind == Operand::Kind::immediate;
    std::string value = number ? (from.number == 0 ? "0" : "1") : l.source(from);
    l.put(fmt::format("mov.b32 {}, {};", l.target(0), value));
    return true;
  }
  std::string from = l.source(1);
  const sass::Line& line = l.line();
  if (!line.guard || line.guard->reg.is_constant || from != written->name) {
    l.put(fmt::format("xor.b32 {}, {}, 1;", l.target(0), from));
    return true;
  }
  // The flip as a selection: one uniform value, where a guarded flip would make the ring's step a matter of lanes.
  std::string flip = l.bits32();
  l.put_always(
      fmt::format("selp.b32 {}, {}, {};", flip, line.guard->negated ? "0, 1" : "1, 0", l.source(line.guard->reg)));
  l.put_always(fmt::format("xor.b32 {}, {}, {};", l.target(0), from, flip));
  return true;
}

void lift_elect(Lifter& l) {
  if (!is_zero(l.operand(1)) || !constant_true(l, 2)) return l.fail_operands();
  l.put(fmt::format("mov.pred {}, {};", l.target(0), l.elected()));
}

void lift_vote(Lifter& l) {
  std::string asked = l.predicate(1);
  l.put(fmt::format("vote.sync.{}.pred {}, {}, 0xffffffff;", l.has("ALL") ? "all" : "any", l.target(0), asked));
}

void lift_shuffle(Lifter& l) {
  const char* mode = l.has("IDX") ? "idx" : l.has("BFLY") ? "bfly" : "up";
  std::string a = l.source(2), b = l.source(3), c = l.source(4);
  std::string target = l.target(1);
  if (!is_zero(l.operand(0))) target += "|" + l.target(0);
  l.put(fmt::format("shfl.sync.{}.b32 {}, {}, {}, {}, 0xffffffff;", mode, target, a, b, c));
}

void lift_sum_of_lanes(Lifter& l) {
  std::string a = l.source(1);
  l.put(fmt::format("redux.sync.add.u32 {}, {}, 0xffffffff;", l.target(0), a));
}

// Two floats to a pair of e4m3 in the low half; nothing is merged in.
void lift_pack(Lifter& l) {
  if (!is_zero(l.operand(3))) return l.fail_operands();
  std::string a = l.source(1, Type::f32), b = l.source(2, Type::f32), packed = l.bits16();
  l.put_always(fmt::format("cvt.rn.satfinite.e4m3x2.f32 {}, {}, {};", packed, a, b));
  l.put(fmt::format("cvt.u32.u16 {}, {};", l.target(0), packed));
}

}  // namespace warpcc::ptx
