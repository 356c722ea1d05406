// layout_properties [CASES [FIRST]]: what the layout algebra promises, against brute force on random layouts: ranks 1
// to 6, sizes of 1 to 240 that are mostly no powers of two. Each case has its own seed. Prints what was seen; exit
// status 1 at the first law that is broken, with the layouts.
#include <algorithm>
#include <array>
#include <vector>

#include "layout/cute.h"
#include "layout/emit.h"
#include "layout/promise.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "random_maps.h"

namespace warpcc::layout {
namespace {

using Table = std::vector<std::int64_t>;

Table table_of(const Map& map) {
  Table table(map.size());
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = map.at(static_cast<std::int64_t>(i));
  return table;
}

// Each value once and all of 0 .. size; each value once.
struct Values {
  bool bijection = true, distinct = true;

  explicit Values(Table table) {
    std::sort(table.begin(), table.end());
    for (std::size_t i = 0; i < table.size(); ++i) {
      bijection &= table[i] == static_cast<std::int64_t>(i);
      distinct &= i == 0 || table[i] != table[i - 1];
    }
  }
};

// Whether f on [0, size) with f(0) = 0 is strided over some refinement, all tried: a first mode of each divisor as its
// extent, then what it steps by.
using Function = llvm::function_ref<std::int64_t(std::int64_t)>;
bool strided_somehow(Function f, std::int64_t size) {
  if (size == 1) return true;
  for (std::int64_t extent = 2; extent <= size; ++extent) {
    if (size % extent != 0) continue;
    bool fits = true;
    for (std::int64_t i = 0; i < size && fits; ++i) fits = f(i) == i % extent * f(1) + f(i / extent * extent);
    if (fits && strided_somehow([&](std::int64_t i) { return f(i * extent); }, size / extent)) return true;
  }
  return false;
}

// Whether a table over the shape is strided over some refinement of it: a sum of functions of its coordinates, each of
// which is.
bool strided_somehow(const Table& table, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> step;
  std::int64_t below = 1;
  for (const std::int64_t extent : shape) {
    step.push_back(below);
    below *= extent;
  }
  for (std::int64_t i = 0; i < below; ++i) {
    std::int64_t sum = table[0];
    for (std::size_t c = 0; c < shape.size(); ++c) sum += table[i / step[c] % shape[c] * step[c]] - table[0];
    if (sum != table[i]) return false;
  }
  for (std::size_t c = 0; c < shape.size(); ++c)
    if (!strided_somehow([&](std::int64_t i) { return table[i * step[c]] - table[0]; }, shape[c])) return false;
  return true;
}

// Whether translates of the values, which begin with 0, tile [0, size): the smallest that is not covered must begin
// one.
bool tiles(const Table& values, std::int64_t size) {
  std::vector<bool> covered(size, false);
  for (std::int64_t at = 0; at < size; ++at) {
    if (covered[at]) continue;
    for (const std::int64_t value : values) {
      if (value < 0 || at + value >= size || covered[at + value]) return false;
      covered[at + value] = true;
    }
  }
  return true;
}

struct Seen {
  int strided = 0, kept = 0, broadcasts = 0, missed = 0, equal = 0, unequal = 0, complements = 0, no_complements = 0,
      bijections = 0, distinct = 0;
};

class Case {
 public:
  Case(std::uint32_t seed, Seen& seen) : random_(seed, 6), seen_(seen) {}

  // What is broken; empty where nothing is.
  std::string run() {
    const std::int64_t size = random_.one_in(2) ? random_.between(1, 240) : 12 * random_.between(1, 20);
    for (const auto law :
         {&Case::promises, &Case::composition, &Case::forms, &Case::complements, &Case::inverses, &Case::division})
      if (std::string broken = (this->*law)(size); !broken.empty()) return broken;
    return {};
  }

 private:
  std::string promises(std::int64_t size) {
    const Map map = random_.one_in(2) ? random_.any(std::min<std::int64_t>(size, 64)) : random_.bijection(size);
    const Values values(table_of(map));
    seen_.bijections += values.bijection;
    seen_.distinct += values.distinct;
    if (not_a_bijection(map).has_value() == values.bijection) return promise_broken("bijection", map);
    if (find_collision(map.modes()).has_value() == values.distinct) return promise_broken("alias-free", map);
    return {};
  }

  std::string composition(std::int64_t size) {
    const int kind = static_cast<int>(random_.between(0, 7));
    const Map outer = kind == 0   ? random_.any(size)
                      : kind == 1 ? random_.broadcast(size)
                      : kind == 2 ? random_.mirrored(size)
                                  : random_.padded(size);
    const Map inner = random_.bijection(size);
    const Composite composite(outer, inner);
    const auto broken = [&](const char* what) {
      return std::string(what) + ": " + outer.text() + " after " + inner.text();
    };
    Table table;
    for (std::int64_t i = 0; i < size; ++i) table.push_back(outer.at(inner.at(i)));
    const std::optional<Map>& strided = composite.decision().strided;
    ++(strided ? seen_.strided : seen_.kept);
    seen_.broadcasts += kind == 1;
    if (strided && (strided->shape() != inner.shape() || table_of(*strided) != table)) return broken("not sound");
    if (strided && canonical(*strided) != *strided) return broken("no canonical form");
    // Complete where the outer layout keeps its promise, that only a broadcast has equal values. Where others are equal
    // it is none that a kernel can have.
    if (!strided && strided_somehow(table, inner.shape())) {
      if (kind > 0) return broken("not complete");
      ++seen_.missed;
    }
    const Emission emission(composite);
    std::vector<std::int64_t> index(inner.rank());
    for (std::int64_t i = 0; i < size; ++i) {
      std::int64_t left = i;
      for (int c = 0; c < inner.rank(); ++c) {
        index[c] = left % inner.extent(c);
        left /= inner.extent(c);
      }
      if (emission(index) != table[i]) return broken("another value is emitted");
    }
    return {};
  }

  // Equal functions over a shape have equal forms, others others.
  std::string forms(std::int64_t size) {
    const Map map = random_.any(size), same = random_.respelled(map);
    if (canonical(map) != canonical(same) || table_of(canonical(map)) != table_of(map))
      return "equal functions of other forms: " + map.text() + " and " + same.text();
    // The same modes with one stride another, over the same shape: now and then the same function.
    std::vector<Coordinate> coordinates = map.coordinates();
    Coordinate& coordinate = coordinates[random_.between(0, map.rank() - 1)];
    coordinate[random_.between(0, static_cast<std::int64_t>(coordinate.size()) - 1)].stride = random_.between(0, 12);
    const Map other = random_.respelled(Map(std::move(coordinates)));
    const bool equal = table_of(other) == table_of(map);
    ++(equal ? seen_.equal : seen_.unequal);
    if ((canonical(other) == canonical(map)) != equal)
      return "forms that are not those of the functions: " + map.text() + " and " + other.text();
    return {};
  }

  // A complement makes a bijection, and there is none only where nothing does.
  std::string complements(std::int64_t size) {
    Coordinate modes;
    if (random_.one_in(2)) {
      for (const Mode& mode : random_.bijection(size).modes())
        if (random_.one_in(2)) modes.push_back(mode);
    } else {
      for (int i = 0; i < 2; ++i) modes.push_back({random_.between(1, 4), random_.between(1, 12)});
    }
    if (modes.empty()) modes.push_back({});
    const Map part({modes});
    const std::optional<Map> rest = complement(part, size);
    ++(rest ? seen_.complements : seen_.no_complements);
    if (rest.has_value() != tiles(table_of(part), size))
      return "complement to " + std::to_string(size) + " of " + part.text();
    if (!rest) return {};
    if (!Values(table_of(Map({modes, rest->coordinates()[0]}))).bijection) return "complement of " + part.text();
    // CuTe's is ours where there is one.
    llvm::Expected<Map> theirs = cute::complement(part, std::array<std::int64_t, 1>{size});
    if (!theirs) return "no CuTe complement of " + part.text() + ": " + llvm::toString(theirs.takeError());
    if (*theirs != *rest) return "another CuTe complement of " + part.text();
    return {};
  }

  std::string inverses(std::int64_t size) {
    const Map bijection = random_.bijection(size);
    const Map right = cute::right_inverse(bijection);
    llvm::Expected<Map> left = cute::left_inverse(bijection);
    if (!left) return "no left inverse of " + bijection.text() + ": " + llvm::toString(left.takeError());
    if (right.size() != size || left->size() != size || table_of(right) != table_of(*left))
      return "the inverses of a bijection differ: " + bijection.text();
    for (std::int64_t i = 0; i < size; ++i)
      if (right.at(bijection.at(i)) != i || bijection.at(right.at(i)) != i) return "inverse of " + bijection.text();
    const Map any = random_.any(size), part = cute::right_inverse(any);
    for (std::int64_t i = 0; i < part.size(); ++i)
      if (any.at(part.at(i)) != i) return "right inverse of " + any.text();
    return {};
  }

  // Divided by a part of a bijection, a layout has the same values in another order.
  std::string division(std::int64_t size) {
    const Map map = random_.padded(size);
    Coordinate modes;
    for (const Mode& mode : random_.bijection(size).modes())
      if (random_.one_in(2)) modes.push_back(mode);
    if (modes.empty()) modes.push_back({});
    llvm::Expected<cute::View> divided = cute::logical_divide(map, Map({modes}));
    if (!divided) return "no division of " + map.text() + ": " + llvm::toString(divided.takeError());
    Table before = table_of(map), after;
    for (std::int64_t i = 0; i < divided->size(); ++i) after.push_back(divided->at(i));
    if (const std::optional<Map> strided = divided->strided(); strided && table_of(*strided) != after)
      return "strided division of " + map.text() + " by " + Map({modes}).text();
    // The part alone: the view of it at 0 of the complement.
    const cute::View part = cute::composition(map, Map({modes}));
    Table of_part;
    for (std::int64_t i = 0; i < part.size(); ++i) of_part.push_back(map.at(Map({modes}).at(i)));
    if (const std::optional<Map> strided = part.strided(); strided && table_of(*strided) != of_part)
      return "strided composition of " + map.text() + " after " + Map({modes}).text();
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    if (before != after) return "division of " + map.text() + " by " + Map({modes}).text();
    return {};
  }

  static std::string promise_broken(const char* what, const Map& map) {
    return std::string("whether it is ") + what + ": " + map.text();
  }

  RandomMaps random_;
  Seen& seen_;
};

int run(int cases, int first) {
  Seen seen;
  for (int i = first; i < first + cases; ++i) {
    const std::string broken = Case(static_cast<std::uint32_t>(i), seen).run();
    if (broken.empty()) continue;
    llvm::outs() << "case " << i << ": " << broken << '\n';
    return 1;
  }
  llvm::outs() << cases << " cases: " << seen.strided << " composites strided, " << seen.kept << " kept ("
               << seen.broadcasts << " of all with broadcasts; where values are equal without being one, "
               << seen.missed << " were kept that have another form); " << seen.equal << " pairs of equal functions, "
               << seen.unequal << " of others; " << seen.complements << " complements, " << seen.no_complements
               << " times none; " << seen.bijections << " bijections, " << seen.distinct << " alias-free\n";
  return 0;
}

}  // namespace
}  // namespace warpcc::layout

int main(int argc, char** argv) {
  int cases = 100000, first = 0;
  const auto number = [&](int at, int least, int& value) {
    return argc <= at ||
           (!llvm::StringRef(argv[at]).getAsInteger(10, value) && value >= least && value <= 1'000'000'000);
  };
  if (argc > 3 || !number(1, 1, cases) || !number(2, 0, first)) {
    llvm::errs() << "usage: layout_properties [CASES [FIRST]]\n";
    return 2;
  }
  return warpcc::layout::run(cases, first);
}
