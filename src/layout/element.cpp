#include "layout/element.h"

#include <array>
#include <utility>

namespace warpcc::layout {
namespace {

struct Row {
  Element element;
  std::string_view name;
  int bits;
  bool declarable;
};

constexpr std::array kRows{
    Row{Element::f16, "f16", 16, true},       Row{Element::bf16, "bf16", 16, true},
    Row{Element::f32, "f32", 32, true},       Row{Element::tf32, "tf32", 32, true},
    Row{Element::f8e4m3, "f8e4m3", 8, true},  Row{Element::f8e5m2, "f8e5m2", 8, true},
    Row{Element::s8, "s8", 8, true},          Row{Element::u8, "u8", 8, true},
    Row{Element::s32, "s32", 32, true},       Row{Element::u32, "u32", 32, true},
    Row{Element::u64, "u64", 64, true},       Row{Element::f6e2m3, "f6e2m3", 6, false},
    Row{Element::f6e3m2, "f6e3m2", 6, false}, Row{Element::f4e2m1, "f4e2m1", 4, false},
};

// The table is in the order of the enumeration.
constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].element) != i) return false;
  return true;
}
static_assert(in_order());

const Row& row(Element element) {
  return kRows[static_cast<std::size_t>(element)];
}

}  // namespace

int bits(Element element) {
  return row(element).bits;
}

std::string_view name(Element element) {
  return row(element).name;
}

std::optional<Element> element_named(std::string_view name) {
  for (const Row& candidate : kRows)
    if (candidate.declarable && candidate.name == name) return candidate.element;
  return std::nullopt;
}

}  // namespace warpcc::layout
