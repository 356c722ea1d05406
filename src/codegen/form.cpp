#include "codegen/form.h"

#include <algorithm>

namespace warpcc::codegen {

Symbol symbol_of(const kernel::Atom& atom) {
  using From = kernel::Atom::Kind;
  switch (atom.kind) {
    case From::reg:
      return {Symbol::Kind::reg, atom.id};
    case From::counter:
      return {Symbol::Kind::counter, atom.id};
    case From::lane:
      return {Symbol::Kind::lane, 0};
    case From::warp:
      return {Symbol::Kind::warp, 0};
    case From::warpgroup:
      return {Symbol::Kind::warpgroup, 0};
    case From::cluster_id:
      return {Symbol::Kind::cluster_id, 0};
    case From::axis:
      return {Symbol::Kind::axis, atom.id};
    case From::divided:
      return {Symbol::Kind::divided, atom.id};
  }
  return {};
}

std::int64_t Form::factor_of(Symbol symbol) const {
  for (const auto& [known, factor] : terms) {
    if (known == symbol) return factor;
  }
  return 0;
}

void Form::add(Symbol symbol, std::int64_t factor) {
  if (factor == 0) return;
  auto place = std::lower_bound(terms.begin(), terms.end(), symbol,
                                [](const auto& term, const Symbol& wanted) { return term.first < wanted; });
  if (place == terms.end() || place->first != symbol) {
    terms.insert(place, {symbol, factor});
  } else if ((place->second += factor) == 0) {
    terms.erase(place);
  }
}

Form operator+(Form left, const Form& right) {
  left.constant += right.constant;
  for (const auto& [symbol, factor] : right.terms) left.add(symbol, factor);
  return left;
}

Form operator*(Form left, std::int64_t factor) {
  if (factor == 0) return {};
  left.constant *= factor;
  for (auto& term : left.terms) term.second *= factor;
  return left;
}

Form substitute(const Form& form, Symbol symbol, const Form& by) {
  std::int64_t factor = form.factor_of(symbol);
  if (factor == 0) return form;
  return filter(form, true, [&](Symbol other) { return other != symbol; }) + by * factor;
}

std::string text(const Form& form) {
  std::string text = std::to_string(form.constant);
  for (const auto& [symbol, factor] : form.terms) {
    text += '+';
    text += static_cast<char>('a' + static_cast<int>(symbol.kind));
    text += std::to_string(symbol.id) + '*' + std::to_string(factor);
  }
  return text;
}

}  // namespace warpcc::codegen
