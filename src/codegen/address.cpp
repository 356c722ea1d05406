#include "codegen/address.h"

#include <algorithm>

namespace warpcc::codegen {

namespace {

std::int64_t divide_down(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Form raw_form(const kernel::Index& index) {
  Form form = form_of(index.constant);
  for (const kernel::Term& term : index.terms) form.add(symbol_of(term.atom), term.factor);
  return form;
}

Interval of_range(const kernel::Range& range) {
  if (range.end <= range.begin) return {range.begin, range.begin};
  std::int64_t step = std::max<std::int64_t>(range.step, 1);
  return {range.begin, range.begin + (range.end - 1 - range.begin) / step * step};
}

}  // namespace

Interval Addresses::interval(Symbol symbol) const {
  auto id = static_cast<std::size_t>(symbol.id);
  switch (symbol.kind) {
    case Symbol::Kind::lane:
      return {0, 31};
    case Symbol::Kind::warp:
      return {0, warps_ - 1};
    case Symbol::Kind::warpgroup:
      return {0, (warps_ - 1) / 4};
    case Symbol::Kind::cluster_id: {
      std::int64_t ctas = kernel_.grid[0] * kernel_.grid[1] * kernel_.grid[2];
      return {0, std::max<std::int64_t>(ctas / kernel_.cluster_ctas(), 1) - 1};
    }
    case Symbol::Kind::axis:
      return {0, kernel_.axes[id].extent - 1};
    case Symbol::Kind::divided: {
      const kernel::Divided& divided = kernel_.divided[id];
      if (divided.remainder) return {0, divided.divisor - 1};
      Interval numerator = interval(raw_form(divided.numerator));
      return {divide_down(numerator.low, divided.divisor), divide_down(numerator.high, divided.divisor)};
    }
    case Symbol::Kind::counter:
      return of_range(kernel_.counters[id].range);
    case Symbol::Kind::position:
    case Symbol::Kind::last:
      return {0, kernel_[kernel_.ends[id].pipe].depth - 1};
    case Symbol::Kind::reg: {
      const kernel::Register& reg = kernel_.registers_declared[id];
      return reg.range ? of_range(*reg.range) : Interval{0, 0xffffffff};
    }
  }
  return {};
}

Interval Addresses::interval(const Form& form) const {
  Interval sum{form.constant, form.constant};
  for (const auto& [symbol, factor] : form.terms) {
    Interval one = interval(symbol);
    sum.low += factor * (factor > 0 ? one.low : one.high);
    sum.high += factor * (factor > 0 ? one.high : one.low);
  }
  return sum;
}

Form Addresses::tile_start(const Reference& reference) const {
  const Memory::Buffer& placed = memory_[reference.buffer];
  Form at = form_of(placed.place);
  for (std::size_t i = 0; i < reference.copies.size(); ++i) at = at + reference.copies[i] * placed.copy_strides[i];
  return at;
}

std::optional<Form> Addresses::elements(const Reference& reference) const {
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  Form inside = form_of(buffer.layout.map().offset());
  for (std::size_t i = 0; i < reference.coordinates.size(); ++i) {
    Form rest = reference.coordinates[i].from;
    const layout::Coordinate& modes = buffer.layout.map().coordinates()[i];
    for (std::size_t m = 0; m < modes.size(); ++m) {
      if (m + 1 == modes.size()) {
        inside = inside + rest * modes[m].stride;
        break;
      }
      // What of the index stays in this mode, and what goes on to the next ones. A sum may be cut only where no carry
      // crosses.
      std::int64_t extent = modes[m].extent;
      Form low = form_of(((rest.constant % extent) + extent) % extent), high;
      high.constant = (rest.constant - low.constant) / extent;
      for (const auto& [symbol, factor] : rest.terms) {
        if (factor % extent == 0)
          high.add(symbol, factor / extent);
        else
          low.add(symbol, factor);
      }
      Interval range = interval(low);
      // A whole mode with the same stride beyond it needs no cut.
      bool continues = modes[m + 1].stride == modes[m].stride * extent;
      if (!continues && (range.low < 0 || range.high >= extent)) return std::nullopt;
      inside = inside + low * modes[m].stride;
      rest = high;
    }
  }
  return inside;
}

std::optional<Form> Addresses::of(const Reference& reference) const {
  if (reference.of != Reference::Of::buffer) {
    const auto& first = reference.of == Reference::Of::full ? memory_.full : memory_.empty;
    return form_of(first[static_cast<std::size_t>(reference.pipe)]) + reference.copies.front() * 8;
  }
  std::optional<Form> inside = elements(reference);
  if (!inside) return std::nullopt;
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  if (buffer.space == kernel::MemorySpace::tensor) return tile_start(reference) + *inside;
  return tile_start(reference) + *inside * (layout::bits(buffer.element) / 8);
}

}  // namespace warpcc::codegen
