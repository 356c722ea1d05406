#include "sema/ranges.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warpcc::sema {
namespace {

using Atom = kernel::Atom;

// Values stay far from the ends of 64 bits, so that sums of a few of them cannot overflow.
__extension__ typedef __int128 Wide;
constexpr Wide kFarthest = static_cast<Wide>(1) << 62;

Interval counted(std::int64_t count) {
  return {0, std::max<std::int64_t>(count - 1, 0), count > 1 ? 1 : 0};
}

}  // namespace

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == -1) return a == std::numeric_limits<std::int64_t>::min() ? a : -a;
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Interval interval(const Session& session, const Atom& atom) {
  const kernel::Kernel& kernel = session.kernel;
  auto of_range = [](const kernel::Range& range) -> Interval {
    const std::int64_t count = range.end > range.begin ? (range.end - 1 - range.begin) / range.step : 0;
    return {range.begin, range.begin + count * range.step, count > 0 ? range.step : 0};
  };
  switch (atom.kind) {
    case Atom::Kind::reg:
      return of_range(*kernel[static_cast<kernel::RegisterId>(atom.id)].range);
    case Atom::Kind::counter:
      return of_range(kernel[static_cast<kernel::CounterId>(atom.id)].range);
    case Atom::Kind::lane:
      return counted(32);
    case Atom::Kind::warp:
      return counted(session.place.warps);
    case Atom::Kind::warpgroup:
      return counted((session.place.warps + 3) / 4);
    case Atom::Kind::cluster_id:
      return counted(kernel.grid[0] * kernel.grid[1] * kernel.grid[2] / kernel.cluster_ctas());
    case Atom::Kind::axis:
      return counted(kernel.axes[atom.id].extent);
    case Atom::Kind::divided: {
      const kernel::Divided& of = kernel.divided[atom.id];
      const Interval n = interval(session, of.numerator).value_or(Interval{0, 0, 0});
      if (!of.remainder) {
        const bool exact = n.multiple_of(of.divisor);
        return {floor_div(n.lo, of.divisor), floor_div(n.hi, of.divisor), exact ? n.step / of.divisor : 1};
      }
      const std::int64_t common = std::gcd(n.step, of.divisor);
      return {floor_mod(n.lo, common), of.divisor - common + floor_mod(n.lo, common), common};
    }
  }
  return {};
}

std::optional<Interval> interval(const Session& session, const kernel::Index& index) {
  Wide lo = index.constant, hi = index.constant;
  std::int64_t step = 0;
  for (const kernel::Term& term : index.terms) {
    const Interval of = interval(session, term.atom);
    const Wide a = static_cast<Wide>(of.lo) * term.factor, b = static_cast<Wide>(of.hi) * term.factor;
    const Wide stride = static_cast<Wide>(of.step) * (term.factor < 0 ? -static_cast<Wide>(term.factor) : term.factor);
    lo += std::min(a, b);
    hi += std::max(a, b);
    if (stride > kFarthest || lo < -kFarthest || hi > kFarthest) return std::nullopt;
    step = std::gcd(step, static_cast<std::int64_t>(stride));
  }
  if (lo < -kFarthest || hi > kFarthest) return std::nullopt;
  return Interval{static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi), lo == hi ? 0 : step};
}

bool is_fixed(const kernel::Index& index) {
  return std::none_of(index.terms.begin(), index.terms.end(), [](const kernel::Term& term) {
    return term.atom.kind == Atom::Kind::reg || term.atom.kind == Atom::Kind::counter;
  });
}

bool differs_by_lane(const kernel::Kernel& kernel, const kernel::Index& index) {
  return std::any_of(index.terms.begin(), index.terms.end(), [&](const kernel::Term& term) {
    switch (term.atom.kind) {
      case Atom::Kind::lane:
        return true;
      case Atom::Kind::reg:
        return kernel[static_cast<kernel::RegisterId>(term.atom.id)].file == isa::File::r;
      case Atom::Kind::divided:
        return differs_by_lane(kernel, kernel.divided[term.atom.id].numerator);
      default:
        return false;
    }
  });
}

kernel::Index divided(Session& session, const kernel::Index& numerator, std::int64_t divisor, bool remainder) {
  const std::optional<Interval> range = interval(session, numerator);
  if (range && floor_div(range->lo, divisor) == floor_div(range->hi, divisor)) {
    const std::int64_t quotient = floor_div(range->lo, divisor);
    if (!remainder) return {quotient, {}};
    kernel::Index rest = numerator;
    rest.constant -= quotient * divisor;
    return rest;
  }
  // Multiples of the divisor come out exactly: (x * d * n + y) / d is x * n + y / d.
  kernel::Index whole, part;
  for (const kernel::Term& term : numerator.terms) (term.factor % divisor == 0 ? whole : part).terms.push_back(term);
  whole.constant = floor_div(numerator.constant, divisor) * divisor;
  part.constant = numerator.constant - whole.constant;
  if (!whole.terms.empty() || whole.constant != 0) {
    kernel::Index rest = divided(session, part, divisor, remainder);
    if (remainder) return rest;
    for (kernel::Term& term : whole.terms) term.factor /= divisor;
    whole.constant /= divisor;
    return whole + rest;
  }
  const kernel::Divided made{numerator, divisor, remainder};
  std::vector<kernel::Divided>& table = session.kernel.divided;
  std::size_t at = 0;
  while (at < table.size() &&
         !(table[at].numerator == made.numerator && table[at].divisor == divisor && table[at].remainder == remainder))
    ++at;
  if (at == table.size()) table.push_back(made);
  return {0, {{{Atom::Kind::divided, static_cast<std::int32_t>(at)}, 1}}};
}

std::optional<bool> decide(const Session& session, const kernel::Compare& compare) {
  using Is = kernel::Compare::Is;
  const std::optional<Interval> range = interval(session, compare.left);
  if (!range) return std::nullopt;
  const std::int64_t right = compare.right;
  auto ordered = [](bool all, bool none) -> std::optional<bool> {
    if (all) return true;
    if (none) return false;
    return std::nullopt;
  };
  switch (compare.is) {
    case Is::eq:
    case Is::ne: {
      const bool never =
          right < range->lo || right > range->hi || (range->step > 1 && (right - range->lo) % range->step != 0);
      const bool always = range->constant() && range->lo == right;
      const std::optional<bool> equal = ordered(always, never);
      if (!equal) return std::nullopt;
      return compare.is == Is::eq ? *equal : !*equal;
    }
    case Is::lt:
      return ordered(range->hi < right, range->lo >= right);
    case Is::le:
      return ordered(range->hi <= right, range->lo > right);
    case Is::gt:
      return ordered(range->lo > right, range->hi <= right);
    case Is::ge:
      return ordered(range->lo >= right, range->hi < right);
  }
  return std::nullopt;
}

std::int64_t value_at(const Session& session, const kernel::Index& index, const Fixed& fixed) {
  std::int64_t sum = index.constant;
  for (const kernel::Term& term : index.terms) {
    std::int64_t value = 0;
    switch (term.atom.kind) {
      case Atom::Kind::lane:
        value = fixed.lane;
        break;
      case Atom::Kind::warp:
        value = fixed.warp;
        break;
      case Atom::Kind::warpgroup:
        value = fixed.warp / 4;
        break;
      case Atom::Kind::axis:
        value = fixed.axes ? (*fixed.axes)[term.atom.id] : 0;
        break;
      case Atom::Kind::divided: {
        const kernel::Divided& of = session.kernel.divided[term.atom.id];
        const std::int64_t numerator = value_at(session, of.numerator, fixed);
        value = of.remainder ? floor_mod(numerator, of.divisor) : floor_div(numerator, of.divisor);
        break;
      }
      case Atom::Kind::cluster_id:
        value = fixed.cluster_id.value_or(session.cluster_id);
        break;
      case Atom::Kind::reg:
      case Atom::Kind::counter:
        value = interval(session, term.atom).lo;
        break;
    }
    sum += term.factor * value;
  }
  return sum;
}

bool holds_at(const Session& session, const kernel::Facts& facts, const Fixed& fixed) {
  return std::all_of(facts.compares.begin(), facts.compares.end(), [&](const kernel::Compare& compare) {
    return kernel::holds(value_at(session, compare.left, fixed), compare.is, compare.right);
  });
}

}  // namespace warpcc::sema
