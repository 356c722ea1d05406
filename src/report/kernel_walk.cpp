#include "report/kernel_walk.h"

#include <algorithm>

#include "sema/print.h"

namespace warpcc::report {
namespace {

using Kind = kernel::Atom::Kind;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// The last value of a range, or its begin where it has none.
std::int64_t last(const kernel::Range& range) {
  const std::int64_t step = std::max<std::int64_t>(range.step, 1);
  return range.end <= range.begin ? range.begin : range.begin + (range.end - 1 - range.begin) / step * step;
}

}  // namespace

void KernelWalk::each_instruction(llvm::function_ref<void(const kernel::Instruction&)> visit) {
  const int all = std::max(kernel_.threads / 32, 1);
  warps_ = all;
  visit_block(kernel_.start, visit);
  for (const kernel::Role& role : kernel_.roles) {
    warps_ = std::max(role.end_warp - role.first_warp, 1);
    visit_block(role.body, visit);
  }
  warps_ = all;
  visit_block(kernel_.finish, visit);
}

void KernelWalk::visit_block(const kernel::Block& block,
                             llvm::function_ref<void(const kernel::Instruction&)> visit) const {
  for (const kernel::Node& node : block) {
    if (auto* instruction = std::get_if<kernel::Instruction>(&node.is)) visit(*instruction);
    if (auto* loop = std::get_if<kernel::Loop>(&node.is)) visit_block(loop->body, visit);
    if (auto* forever = std::get_if<kernel::Forever>(&node.is)) visit_block(forever->body, visit);
    if (auto* on = std::get_if<kernel::On>(&node.is)) visit_block(on->body, visit);
    if (auto* hold = std::get_if<kernel::Hold>(&node.is)) visit_block(hold->body, visit);
    if (auto* when = std::get_if<kernel::When>(&node.is)) {
      visit_block(when->then, visit);
      visit_block(when->otherwise, visit);
    }
  }
}

kernel::Range KernelWalk::range(const kernel::Index& index) const {
  std::int64_t low = index.constant, high = index.constant;
  for (const kernel::Term& term : index.terms) {
    const kernel::Range of = range(term.atom);
    const std::int64_t first = term.factor * of.begin, end = term.factor * last(of);
    low += std::min(first, end);
    high += std::max(first, end);
  }
  return {low, high + 1, 1};
}

kernel::Range KernelWalk::range(const kernel::Atom& atom) const {
  const auto id = static_cast<std::size_t>(atom.id);
  switch (atom.kind) {
    case Kind::reg: {
      const kernel::Register& reg = kernel_.registers_declared[id];
      return reg.range.value_or(kernel::Range{0, 1, 1});
    }
    case Kind::counter:
      return kernel_.counters[id].range;
    case Kind::lane:
      return {0, 32, 1};
    case Kind::warp:
      return {0, warps_, 1};
    case Kind::warpgroup:
      return {0, (warps_ + 3) / 4, 1};
    case Kind::cluster_id:
      return {0, kernel_.grid[0] * kernel_.grid[1] * kernel_.grid[2] / std::max(kernel_.cluster_ctas(), 1), 1};
    case Kind::axis:
      return {0, kernel_.axes[id].extent, 1};
    case Kind::divided: {
      const kernel::Divided& divided = kernel_.divided[id];
      const kernel::Range of = range(divided.numerator);
      const std::int64_t low = floor_div(of.begin, divided.divisor), high = floor_div(last(of), divided.divisor);
      if (!divided.remainder) return {low, high + 1, 1};
      if (low == high) return {of.begin - low * divided.divisor, last(of) - low * divided.divisor + 1, 1};
      return {0, divided.divisor, 1};
    }
  }
  return {0, 1, 1};
}

std::int64_t KernelWalk::count(const kernel::Atom& atom) const {
  const kernel::Range of = range(atom);
  return (last(of) - of.begin) / std::max<std::int64_t>(of.step, 1) + 1;
}

std::string KernelWalk::name(const kernel::Atom& atom) const {
  return kernel::text(kernel_, kernel::Index{0, {{atom, 1}}});
}

std::int64_t KernelWalk::value(const kernel::Index& index, const Place& place) const {
  std::int64_t sum = index.constant;
  for (const auto& [atom, factor] : index.terms) {
    std::int64_t of = 0;
    if (atom.kind == Kind::lane) {
      of = place.lane;
    } else if (atom.kind == Kind::divided) {
      const kernel::Divided& divided = kernel_.divided[static_cast<std::size_t>(atom.id)];
      const std::int64_t numerator = value(divided.numerator, place);
      const std::int64_t quotient = floor_div(numerator, divided.divisor);
      of = divided.remainder ? numerator - quotient * divided.divisor : quotient;
    } else {
      const auto given = std::find_if(place.values.begin(), place.values.end(),
                                      [&, &atom = atom](const auto& entry) { return entry.first == atom; });
      of = given == place.values.end() ? range(atom).begin : given->second;
    }
    sum += factor * of;
  }
  return sum;
}

bool KernelWalk::holds(const kernel::Facts& facts, const Place& place) const {
  if (facts.one && place.lane != 0) return false;
  return std::all_of(facts.compares.begin(), facts.compares.end(), [&](const kernel::Compare& compare) {
    return kernel::holds(value(compare.left, place), compare.is, compare.right);
  });
}

void KernelWalk::collect(const kernel::Index& index, std::vector<kernel::Atom>& atoms) const {
  for (const kernel::Term& term : index.terms) {
    if (term.atom.kind == Kind::divided)
      collect(kernel_.divided[static_cast<std::size_t>(term.atom.id)].numerator, atoms);
    else if (term.atom.kind != Kind::lane && std::find(atoms.begin(), atoms.end(), term.atom) == atoms.end())
      atoms.push_back(term.atom);
  }
}

void KernelWalk::each_place(const kernel::View& view, llvm::function_ref<void(const Place&)> visit) const {
  std::vector<kernel::Atom> atoms;
  for (const kernel::Slice& slice : view.slices) collect(slice.from, atoms);
  Place place;
  for (const kernel::Atom& atom : atoms) place.values.emplace_back(atom, range(atom).begin);
  for (int visited = 0; visited < kMostPlaces; ++visited) {
    visit(place);
    std::size_t at = 0;
    for (; at < atoms.size(); ++at) {
      const kernel::Range of = range(atoms[at]);
      std::int64_t& value = place.values[at].second;
      value += std::max<std::int64_t>(of.step, 1);
      if (value <= last(of)) break;
      value = of.begin;
    }
    if (at == atoms.size()) return;
  }
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace warpcc::report
