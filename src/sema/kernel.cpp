#include "sema/kernel.h"

#include <algorithm>

namespace warpcc::kernel {

bool Buffer::empty() const {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; }) ||
         std::any_of(copies.begin(), copies.end(), [](const Copies& c) { return c.count == 0; });
}

std::vector<std::int64_t> kept_extents(const View& view) {
  std::vector<std::int64_t> extents;
  for (const Slice& slice : view.slices) {
    if (!slice.picked) extents.push_back(slice.extent);
  }
  return extents;
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : " × ") + std::to_string(extent);
  return text.empty() ? "1" : text;
}

// Both are total: sema refuses coordinates that overflow when it makes them, so wrapping here never happens in a kernel
// that is built.
namespace {
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
}  // namespace

Index operator+(Index left, const Index& right) {
  left.constant = wrapping_add(left.constant, right.constant);
  for (const Term& term : right.terms) {
    auto at = std::lower_bound(left.terms.begin(), left.terms.end(), term,
                               [](const Term& a, const Term& b) { return a.atom < b.atom; });
    if (at == left.terms.end() || at->atom != term.atom) {
      left.terms.insert(at, term);
    } else if (at->factor = wrapping_add(at->factor, term.factor); at->factor == 0) {
      left.terms.erase(at);
    }
  }
  return left;
}

Index operator*(Index left, std::int64_t factor) {
  if (factor == 0) return {};
  left.constant = wrapping_mul(left.constant, factor);
  for (Term& term : left.terms) term.factor = wrapping_mul(term.factor, factor);
  return left;
}

int Kernel::cluster_ctas() const {
  int ctas = 1;
  for (const Axis& axis : axes) ctas *= axis.extent;
  return ctas;
}

bool holds(std::int64_t left, Compare::Is is, std::int64_t right) {
  switch (is) {
    case Compare::Is::eq:
      return left == right;
    case Compare::Is::ne:
      return left != right;
    case Compare::Is::lt:
      return left < right;
    case Compare::Is::le:
      return left <= right;
    case Compare::Is::gt:
      return left > right;
    case Compare::Is::ge:
      return left >= right;
  }
  return false;
}

}  // namespace warpcc::kernel
