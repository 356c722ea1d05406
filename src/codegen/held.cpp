// Forms of indices under what a section knows, and what lines are held to (docs/sass-text.md).
#include <algorithm>

#include "codegen/values.h"

namespace warpcc::codegen {

Form Values::form(const kernel::Index& index) const {
  Form form = form_of(index.constant);
  for (const kernel::Term& term : index.terms) {
    Symbol symbol = symbol_of(term.atom);
    if ((symbol.kind == Symbol::Kind::warp && warps_ == 1) || (symbol.kind == Symbol::Kind::warpgroup && warps_ <= 4))
      continue;
    if (symbol.kind == Symbol::Kind::axis) {
      if (kernel_.axes[static_cast<std::size_t>(symbol.id)].extent == 1) continue;
      auto pin = std::find_if(pins_.begin(), pins_.end(), [&](const kernel::Pin& p) { return p.axis == symbol.id; });
      if (pin != pins_.end()) {
        form.constant += pin->at * term.factor;
        continue;
      }
    }
    if (symbol.kind == Symbol::Kind::divided) {
      const kernel::Divided& divided = kernel_.divided[static_cast<std::size_t>(symbol.id)];
      Form numerator = this->form(divided.numerator);
      // Known here: warp / 4 of a role of four warps is 0, warp % 4 the warp itself.
      Interval range = addresses_.interval(numerator);
      if (range.low >= 0 && range.high < divided.divisor) {
        if (divided.remainder) form = form + numerator * term.factor;
        continue;
      }
    }
    form.add(symbol, term.factor);
  }
  return form;
}

sass::Expr Values::expr(const Form& form) {
  using sass::Expr;
  auto of = [&](Symbol symbol) -> Expr {
    switch (symbol.kind) {
      case Symbol::Kind::lane:
        return Expr::of(sass::Fixed::lane);
      case Symbol::Kind::warp:
        return Expr::of(sass::Fixed::warp);
      case Symbol::Kind::warpgroup:
        return Expr::of(sass::Fixed::warpgroup);
      case Symbol::Kind::cluster_id:
        return Expr::of(sass::Fixed::cluster_id);
      case Symbol::Kind::axis:
        return Expr::of(sass::Fixed::axis, symbol.id);
      case Symbol::Kind::divided: {
        const kernel::Divided& divided = kernel_.divided[static_cast<std::size_t>(symbol.id)];
        return Expr::binary(divided.remainder ? Expr::Kind::remainder : Expr::Kind::divide,
                            expr(this->form(divided.numerator)), Expr::of(divided.divisor));
      }
      case Symbol::Kind::counter:
        return Expr::of(loop_of(symbol)->reg.value);
      case Symbol::Kind::last:
        return Expr::of(ring(static_cast<kernel::EndId>(symbol.id)).last.value);
      case Symbol::Kind::position:
        return Expr::of(ring(static_cast<kernel::EndId>(symbol.id)).position.value);
      case Symbol::Kind::reg:
        return Expr::of(reg(static_cast<kernel::RegisterId>(symbol.id)).value);
    }
    return Expr::of(0);
  };
  Expr sum;
  // Registers and counters first, as one would write them: w.row + half * 64 + 8.
  for (std::size_t i = form.terms.size(); i-- > 0;) {
    const auto& [symbol, factor] = form.terms[i];
    std::int64_t size = factor < 0 ? -factor : factor;
    Expr term = size == 1 ? of(symbol) : Expr::binary(Expr::Kind::multiply, of(symbol), Expr::of(size));
    if (sum.empty()) {
      sum = factor < 0 ? Expr::binary(Expr::Kind::subtract, Expr::of(0), std::move(term)) : std::move(term);
    } else {
      sum = Expr::binary(factor < 0 ? Expr::Kind::subtract : Expr::Kind::add, std::move(sum), std::move(term));
    }
  }
  if (sum.empty()) return Expr::of(form.constant);
  if (form.constant == 0) return sum;
  std::int64_t size = form.constant < 0 ? -form.constant : form.constant;
  return Expr::binary(form.constant < 0 ? Expr::Kind::subtract : Expr::Kind::add, std::move(sum), Expr::of(size));
}

sass::View Values::view(const Reference& reference) {
  sass::View view;
  for (const Form& copy : reference.copies) view.copies.push_back(expr(copy));
  for (const kernel::Pin& pin : reference.at) view.at.push_back({pin.axis, pin.at});
  // Lane i means the i-th along these axes, the first the fastest.
  std::int64_t before = 1;
  for (std::size_t i = 0; i < reference.each.size(); ++i) {
    std::int64_t extent = kernel_.axes[static_cast<std::size_t>(reference.each[i])].extent;
    sass::Expr along = sass::Expr::of(sass::Fixed::lane);
    if (before > 1) along = sass::Expr::binary(sass::Expr::Kind::divide, std::move(along), sass::Expr::of(before));
    if (i + 1 < reference.each.size())
      along = sass::Expr::binary(sass::Expr::Kind::remainder, std::move(along), sass::Expr::of(extent));
    for (sass::Pin& pin : view.at) {
      if (pin.axis == reference.each[i]) pin.by = along;
    }
    before *= extent;
  }
  if (reference.of != Reference::Of::buffer) {
    const sass::Pipe& pipe = program_.pipes[declared_.pipe(reference.pipe)];
    view.barrier = reference.of == Reference::Of::full ? pipe.full : pipe.empty;
    return view;
  }
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  view.buffer = declared_.buffer(reference.buffer);
  bool whole = true;
  for (std::size_t i = 0; i < reference.coordinates.size(); ++i) {
    const Coordinate& coordinate = reference.coordinates[i];
    sass::Coord coord;
    coord.whole = !coordinate.picked && coordinate.from == Form{} && coordinate.extent == buffer.shape[i];
    whole = whole && coord.whole;
    if (!coord.whole) {
      coord.from = expr(coordinate.from);
      coord.extent = coordinate.picked ? 0 : coordinate.extent;
    }
    view.coordinates.push_back(std::move(coord));
  }
  if (whole) view.coordinates.clear();
  return view;
}

sass::Held Values::number(const Form& form) {
  sass::Held held;
  held.kind = sass::Held::Kind::number;
  held.expr = expr(form);
  return held;
}

sass::Held Values::reach(sass::View view) {
  sass::Held held;
  held.kind = sass::Held::Kind::reach;
  held.views.push_back(std::move(view));
  return held;
}

std::vector<sass::Held> Values::reach(llvm::ArrayRef<Reference> references) {
  std::vector<sass::Held> reached;
  for (const Reference& reference : references) reached.push_back(reach(view(reference)));
  return reached;
}

sass::Held Values::held(const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::number) return number(quantity.number);
  sass::Held held;
  held.kind = quantity.kind == Quantity::Kind::shared       ? sass::Held::Kind::addr
              : quantity.kind == Quantity::Kind::descriptor ? sass::Held::Kind::desc
                                                            : sass::Held::Kind::tmem;
  held.views = {view(quantity.view)};
  return held;
}

}  // namespace warpcc::codegen
