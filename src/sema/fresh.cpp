// The how manieth of its end a fill may be, as far as constants tell: those of a ring's first stages need not wait
// (docs/language.md, section 8).
#include <limits>
#include <map>

#include "sema/passes.h"

namespace warpcc::sema {
namespace {

class FreshFills {
 public:
  explicit FreshFills(const kernel::Kernel& kernel) : kernel_(kernel) {}

  std::map<const kernel::Hold*, std::int64_t> run() {
    for (const kernel::Role& role : kernel_.roles) {
      filled_.clear();
      walk(role.body);
    }
    return std::move(at_most_);
  }

 private:
  using Fills = std::map<kernel::EndId, std::int64_t>;  // at most so many, by end
  static constexpr std::int64_t kMany = std::numeric_limits<std::int32_t>::max();

  static void add(Fills& fills, kernel::EndId end, std::int64_t rounds) {
    std::int64_t& sum = fills[end];
    sum = std::min(sum + rounds, kMany);
  }

  static std::int64_t rounds(const kernel::Loop& loop) {
    if (!loop.begin.is_constant() || !loop.end.is_constant()) return kMany;
    return std::min((loop.end.constant - loop.begin.constant + loop.step - 1) / loop.step, kMany);
  }

  // What one execution of a block fills.
  void count(const kernel::Block& block, std::int64_t times, Fills& fills) const {
    for (const kernel::Node& node : block) {
      if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        if (kernel_[hold->end].side == kernel::Side::producer) add(fills, hold->end, times);
        count(hold->body, times, fills);
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        count(loop->body, std::min(times * rounds(*loop), kMany), fills);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        count(forever->body, kMany, fills);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        count(on->body, times, fills);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        count(when->then, times, fills);
        count(when->otherwise, times, fills);
      }
    }
  }

  void walk(const kernel::Block& block) {
    for (const kernel::Node& node : block) {
      if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        if (kernel_[hold->end].side == kernel::Side::producer) {
          add(filled_, hold->end, 1);
          if (hold->kind == kernel::Hold::Kind::fill && filled_[hold->end] < kMany)
            at_most_.emplace(hold, filled_[hold->end]);
        }
        walk(hold->body);
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        around(loop->body, rounds(*loop));
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        around(forever->body, kMany);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        walk(on->body);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        walk(when->then);
        walk(when->otherwise);
      }
    }
  }

  // The last round's fills are counted as the last: those of all rounds before it come first.
  void around(const kernel::Block& body, std::int64_t rounds) {
    Fills once;
    count(body, 1, once);
    for (const auto& [end, fills] : once)
      add(filled_, end, fills >= kMany ? kMany : fills * std::max<std::int64_t>(rounds - 1, 0));
    walk(body);
  }

  const kernel::Kernel& kernel_;
  Fills filled_;
  std::map<const kernel::Hold*, std::int64_t> at_most_;
};

}  // namespace

std::map<const kernel::Hold*, std::int64_t> counted_fills(const kernel::Kernel& kernel) {
  return FreshFills(kernel).run();
}

}  // namespace warpcc::sema
