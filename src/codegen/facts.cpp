// Facts: comparisons of fixed indices and the elected lane, each predicate made once at the role's head (language.md,
// section 10).
#include <string>

#include "codegen/lower.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;

using Is = kernel::Compare::Is;

bool compare(std::int64_t left, Is is, std::int64_t right) {
  switch (is) {
    case Is::eq:
      return left == right;
    case Is::ne:
      return left != right;
    case Is::lt:
      return left < right;
    case Is::le:
      return left <= right;
    case Is::gt:
      return left > right;
    case Is::ge:
      return left >= right;
  }
  return false;
}

std::string_view word(Is is) {
  switch (is) {
    case Is::eq:
      return "is";
    case Is::ne:
      return "is_not";
    case Is::lt:
      return "below";
    case Is::le:
      return "up_to";
    case Is::gt:
      return "above";
    case Is::ge:
      return "from";
  }
  return "";
}

// What is true, or false, for every value in the range.
std::optional<bool> settled(Interval range, Is is, std::int64_t right) {
  switch (is) {
    case Is::eq:
      if (range.low == right && range.high == right) return true;
      if (right < range.low || right > range.high) return false;
      return std::nullopt;
    case Is::ne: {
      auto equal = settled(range, Is::eq, right);
      return equal ? std::optional(!*equal) : std::nullopt;
    }
    default:
      if (compare(range.low, is, right) == compare(range.high, is, right)) return compare(range.low, is, right);
      return std::nullopt;
  }
}

// The comparisons that instructions have are of whole numbers from 0 on: `<`, `>=`, `==`, `!=` (sass-map: UISETP's
// forms).
struct Spelled {
  std::string_view uniform, lane;
  std::int64_t right;
};
Spelled spell(Is is, std::int64_t right) {
  switch (is) {
    case Is::eq:
      return {"UISETP.EQ.U32.AND", "ISETP.EQ.U32.AND", right};
    case Is::ne:
      return {"UISETP.NE.U32.AND", "ISETP.NE.U32.AND", right};
    case Is::lt:
      return {"UISETP.LT.U32.AND", "ISETP.LT.U32.AND", right};
    case Is::le:
      return {"UISETP.LT.U32.AND", "ISETP.LT.U32.AND", right + 1};
    case Is::gt:
      return {"UISETP.GE.U32.AND", "ISETP.GE.U32.AND", right + 1};
    case Is::ge:
      return {"UISETP.GE.U32.AND", "ISETP.GE.U32.AND", right};
  }
  return {};
}

}  // namespace

sass::Expr Lower::comparison(const Form& left, const kernel::Compare& compare) {
  using Kind = sass::Expr::Kind;
  Kind kind = Kind::equal;
  switch (compare.is) {
    case Is::eq:
      kind = Kind::equal;
      break;
    case Is::ne:
      kind = Kind::not_equal;
      break;
    case Is::lt:
      kind = Kind::less;
      break;
    case Is::le:
      kind = Kind::less_equal;
      break;
    case Is::gt:
      kind = Kind::greater;
      break;
    case Is::ge:
      kind = Kind::greater_equal;
      break;
  }
  return sass::Expr::binary(kind, values_.expr(left), sass::Expr::of(compare.right));
}

// sm_90a has equality as an exclusive or with false alone; joined to another predicate it is two comparisons.
sass::Line& Lower::compare_uniform(Place in, sass::Mark mark, Reg d, Operand left, Is is, std::int64_t right,
                                   Operand with) {
  auto line = [&](std::string_view opcode, std::int64_t to, Operand joined) -> sass::Line& {
    Operand compared = to == 0 ? constant_use(isa::File::ur) : immediate(to);
    return emit_.line(in, mark, opcode, {use(d), constant_use(isa::File::up), left, compared, joined});
  };
  if (is == Is::eq && kernel_.target == isa::Target::sm_90a) {
    if (with.reg.is_constant && !with.negated)
      return line("UISETP.EQ.U32.XOR", right, constant_use(isa::File::up, true));
    line("UISETP.GE.U32.AND", right, with);
    return line("UISETP.LT.U32.AND", right + 1, use(d));
  }
  Spelled spelled = spell(is, right);
  return line(spelled.uniform, spelled.right, with);
}

Lower::Fact Lower::fact(const kernel::Facts& facts, bool uniform) {
  // What is left to compare, with the constant of a side moved to the other.
  std::vector<std::pair<Form, kernel::Compare>> same_for_warp, of_lanes;
  std::string key, name;
  for (const kernel::Compare& written : facts.compares) {
    Form left = values_.form(written.left);
    kernel::Compare compare = written;
    compare.right -= left.constant;
    left.constant = 0;
    std::optional<bool> known = settled(values_.addresses().interval(left), compare.is, compare.right);
    if (known && !*known) return {true, std::nullopt};
    if (known) continue;
    Symbol symbol = left.terms.front().first;
    bool is_lane = symbol.kind == Symbol::Kind::lane;
    (is_lane ? of_lanes : same_for_warp).emplace_back(left, compare);
    key += text(left) + std::string(word(compare.is)) + std::to_string(compare.right) + "&";
    std::string of = symbol.kind == Symbol::Kind::axis   ? kernel_.axes[static_cast<std::size_t>(symbol.id)].name
                     : symbol.kind == Symbol::Kind::warp ? "warp"
                     : is_lane                           ? "lane"
                                                         : "index";
    name += (name.empty() ? "" : "_") + of + "_" + std::string(word(compare.is)) + "_" + std::to_string(compare.right);
  }
  std::optional<Reg> warp_part;
  if (!same_for_warp.empty()) {
    warp_part = values_.once("fact " + key + (of_lanes.empty() ? "" : " warp"), [&](Place head) {
      Reg predicate = values_.named("fact " + key, name, kUniformPredicate);
      sass::Expr so_far;
      Operand with = constant_use(isa::File::up);
      for (const auto& [left, compare] : same_for_warp) {
        Quantity quantity;
        quantity.number = left;
        quantity.name = "index";
        Operand value = use(values_.derive_whole(quantity));
        sass::Expr one = comparison(left, compare);
        so_far = so_far.empty() ? one : sass::Expr::binary(sass::Expr::Kind::both, so_far, one);
        sass::Held held;
        held.kind = sass::Held::Kind::number;
        held.expr = so_far;
        compare_uniform(head, kDerived, predicate, value, compare.is, compare.right, with).held = {held};
        with = use(predicate);
      }
      return predicate;
    });
  }
  if (uniform || (!facts.one && of_lanes.empty() && !warp_part)) {
    return {false, warp_part ? std::optional(use(*warp_part)) : std::nullopt};
  }
  if (facts.one && of_lanes.empty() && !warp_part) return {false, use(values_.elected())};

  Reg both = values_.once("lanes " + key + (facts.one ? "one" : ""), [&](Place head) {
    Reg predicate =
        values_.named("lanes " + key + (facts.one ? "one" : ""), (facts.one ? "one_" : "lane_") + name, kLanePredicate);
    sass::Expr so_far;
    auto also = [&](sass::Expr expr) {
      so_far = so_far.empty() ? std::move(expr) : sass::Expr::binary(sass::Expr::Kind::both, so_far, std::move(expr));
      sass::Held held;
      held.kind = sass::Held::Kind::number;
      held.expr = so_far;
      return held;
    };
    Operand with = constant_use(isa::File::p);
    for (const auto& [left, compare] : of_lanes) {
      Quantity quantity;
      quantity.number = left;
      quantity.name = "index";
      Spelled spelled = spell(compare.is, compare.right);
      Operand right = spelled.right == 0 ? constant_use(isa::File::r) : immediate(spelled.right);
      Operand value = use(values_.derive_whole(quantity));
      emit_.line(head, kDerived, spelled.lane, {use(predicate), constant_use(isa::File::p), value, right, with})
          .held = {also(comparison(left, compare))};
      with = use(predicate);
    }
    if (facts.one || warp_part) {
      Operand one = facts.one ? use(values_.elected()) : constant_use(isa::File::p);
      if (facts.one) also(sass::Expr::of(sass::Fixed::one));
      for (const auto& [left, compare] : same_for_warp) also(comparison(left, compare));
      sass::Held held;
      held.kind = sass::Held::Kind::number;
      held.expr = so_far;
      emit_
          .line(head, kDerived, "PLOP3.LUT",
                {use(predicate), constant_use(isa::File::p), with, one,
                 warp_part ? use(*warp_part) : constant_use(isa::File::p), immediate(0x80), immediate(0x8)})
          .held = {held};
    }
    return predicate;
  });
  return {false, use(both)};
}

}  // namespace warpcc::codegen
