#include "codegen/form.h"

#include <algorithm>

namespace warpcc::codegen {

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
