#include "codegen/names.h"

#include "sass/text.h"

namespace warpcc::codegen {

void Names::reserve(std::string name) {
  reserved_.insert(std::move(name));
}

bool Names::fits(const Known& known, const ValueKind& kind) const {
  if (known.value == sass::ValueId::none || known.role == role_) return false;
  const sass::Value& value = program_[known.value];
  bool same_range = value.range.has_value() == kind.range.has_value();
  if (same_range && kind.range) {
    same_range = value.range->begin == kind.range->begin && value.range->end == kind.range->end &&
                 value.range->step == kind.range->step;
  }
  return value.file == kind.file && value.width == kind.width && value.align == kind.align && same_range;
}

Reg Names::make(std::string_view wanted, const ValueKind& kind, bool fixed_index) {
  std::string base(wanted);
  if (sass::is_register_name(base)) base += "_";
  Tried& tried = tried_[base];
  if (tried.role != role_) tried = {role_, 0};
  for (int number = fixed_index ? 0 : tried.count;; ++number) {
    std::string name = number == 0 ? base : base + "_" + std::to_string(number);
    if (!fixed_index && reserved_.count(name)) continue;
    auto [entry, is_new] = known_.try_emplace(name);
    if (is_new) {
      sass::Value value;
      value.name = name;
      value.file = kind.file;
      value.width = static_cast<std::uint8_t>(kind.width);
      value.align = static_cast<std::uint8_t>(kind.align);
      value.range = kind.range;
      program_.values.push_back(std::move(value));
      entry->second.value = static_cast<sass::ValueId>(program_.values.size() - 1);
    } else if (!fits(entry->second, kind)) {
      continue;
    }
    entry->second.role = role_;
    if (!fixed_index) tried.count = number + 1;
    Reg reg;
    reg.file = kind.file;
    reg.value = entry->second.value;
    return reg;
  }
}

}  // namespace warpcc::codegen
