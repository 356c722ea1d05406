// Names in sight. Scopes nest and live on the stack of whoever walks the text; the outermost is a module's.
#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sema/values.h"

namespace warpcc::sema {

class Scope {
 public:
  struct Binding {
    std::string_view name;  // into the syntax tree
    Value value;
    SourceRange where;
  };

  explicit Scope(const Scope& parent) : parent_(&parent), module_(parent.module_) {}
  explicit Scope(Module& module) : module_(&module) {}
  Scope(Scope&&) = delete;

  const Binding* find_here(std::string_view name) const {
    if (bindings_.size() >= kFew) {
      const auto at = indexed_.find(name);
      return at == indexed_.end() ? nullptr : &bindings_[at->second];
    }
    for (const Binding& binding : bindings_) {
      if (binding.name == name) return &binding;
    }
    return nullptr;
  }
  const Binding* find(std::string_view name) const {
    for (const Scope* scope = this; scope; scope = scope->parent_) {
      if (const Binding* binding = scope->find_here(name)) return binding;
    }
    return nullptr;
  }
  void bind(std::string_view name, Value value, SourceRange where) {
    bindings_.push_back({name, std::move(value), where});
    if (bindings_.size() < kFew) return;
    while (indexed_to_ < bindings_.size()) {
      indexed_.emplace(bindings_[indexed_to_].name, indexed_to_);
      ++indexed_to_;
    }
  }

  // The module whose text this is: its items are seen where no scope has the name.
  Module& module() const { return *module_; }
  const Scope* parent() const { return parent_; }
  const std::vector<Binding>& bindings() const { return bindings_; }

 private:
  const Scope* parent_ = nullptr;
  Module* module_ = nullptr;
  static constexpr std::size_t kFew = 32;  // from here on names are looked up, not compared
  std::vector<Binding> bindings_;
  std::unordered_map<std::string_view, std::size_t> indexed_;
  std::size_t indexed_to_ = 0;
};

}  // namespace warpcc::sema
