#include "ptx_text/scope.h"

#include <charconv>

namespace warpcc::ptx_text {

void Scopes::open() {
  scopes_.push_back({});
  scopes_.back().parent = here_;
  here_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  ++depth_;
}

void Scopes::close() {
  here_ = scopes_[here_].parent;
  --depth_;
}

bool Scopes::add_register(std::string_view name, std::uint32_t slot) {
  return scopes_[here_].registers.try_emplace(name, slot).second;
}

bool Scopes::add_registers(std::string_view prefix, std::uint32_t first, std::uint32_t count) {
  return scopes_[here_].ranges.try_emplace(prefix, Range{first, count}).second;
}

bool Scopes::add_variable(std::string_view name, std::uint32_t variable) {
  return scopes_[here_].variables.try_emplace(name, variable).second;
}

bool Scopes::add_label(std::string_view name, std::uint32_t instruction) {
  return scopes_[here_].labels.try_emplace(name, instruction).second;
}

std::optional<std::uint32_t> Scopes::find_register(std::string_view name) const {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  std::string_view number = name.substr(digits);
  std::uint32_t index = kNone;
  if (!number.empty() && (number.size() == 1 || number[0] != '0'))
    std::from_chars(number.data(), number.data() + number.size(), index);
  for (std::uint32_t scope = here_; scope != kNone; scope = scopes_[scope].parent) {
    auto single = scopes_[scope].registers.find(name);
    if (single != scopes_[scope].registers.end()) return single->second;
    auto range = scopes_[scope].ranges.find(name.substr(0, digits));
    if (range != scopes_[scope].ranges.end() && index < range->second.count) return range->second.first + index;
  }
  return {};
}

std::optional<std::uint32_t> Scopes::find_variable(std::string_view name) const {
  for (std::uint32_t scope = here_; scope != kNone; scope = scopes_[scope].parent) {
    auto found = scopes_[scope].variables.find(name);
    if (found != scopes_[scope].variables.end()) return found->second;
  }
  return {};
}

std::optional<std::uint32_t> Scopes::find_label(std::string_view name, std::uint32_t scope) const {
  for (; scope != kNone; scope = scopes_[scope].parent) {
    auto found = scopes_[scope].labels.find(name);
    if (found != scopes_[scope].labels.end()) return found->second;
  }
  return {};
}

}  // namespace warpcc::ptx_text
