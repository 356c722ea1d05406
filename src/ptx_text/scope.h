// What names mean inside `{ }` of PTX: registers, variables and labels of a function, scope by scope. Inline assembly
// makes scopes with the same names again and again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "ptx_text/program.h"

namespace warpcc::ptx_text {

class Scopes {
 public:
  static constexpr std::size_t kDeepest = 64;

  Scopes() { open(); }

  std::size_t depth() const { return depth_; }
  void open();
  void close();

  // Each answers whether the name is new in this scope.
  bool add_register(std::string_view name, std::uint32_t slot);
  // `%r<n>`: %r0 … %r(n-1), from `first` on.
  bool add_registers(std::string_view prefix, std::uint32_t first, std::uint32_t count);
  bool add_variable(std::string_view name, std::uint32_t variable);
  bool add_label(std::string_view name, std::uint32_t instruction);

  std::optional<std::uint32_t> find_register(std::string_view name) const;
  std::optional<std::uint32_t> find_variable(std::string_view name) const;
  // Labels may follow their uses: ask when the function has been read, for the scope of the use.
  std::uint32_t here() const { return here_; }
  std::optional<std::uint32_t> find_label(std::string_view name, std::uint32_t scope) const;

 private:
  struct Range {
    std::uint32_t first, count;
  };
  struct Scope {
    std::uint32_t parent = 0;
    llvm::StringMap<std::uint32_t> registers, variables, labels;
    llvm::StringMap<Range> ranges;
  };
  static constexpr std::uint32_t kNone = ~0u;

  std::vector<Scope> scopes_;
  std::uint32_t here_ = kNone;
  std::size_t depth_ = 0;
};

}  // namespace warpcc::ptx_text
