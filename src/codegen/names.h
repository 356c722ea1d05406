// Names of values. A name is one value in the whole program: two roles may share it, since every warp has its own
// registers, where it means the same file, width and range; within a role every value has a name of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "codegen/operand.h"
#include "sass/program.h"

namespace warpcc::codegen {

struct ValueKind {
  isa::File file = isa::File::r;
  int width = 1;
  int align = 1;
  std::optional<sass::IndexRange> range;
};

inline constexpr ValueKind kUniform{isa::File::ur, 1, 1, std::nullopt};
inline constexpr ValueKind kLane{isa::File::r, 1, 1, std::nullopt};
inline constexpr ValueKind kUniformPredicate{isa::File::up, 1, 1, std::nullopt};
inline constexpr ValueKind kLanePredicate{isa::File::p, 1, 1, std::nullopt};

class Names {
 public:
  explicit Names(sass::Program& program) : program_(program) {}

  // Names that held expressions give to what is no value (`lane`, an axis): only the register that holds it may be
  // called so.
  void reserve(std::string name);
  // From here on names may be shared with what came before.
  void next_role() { ++role_; }

  // A new value of this role; `wanted`, or with a number behind it where that is taken.
  Reg make(std::string_view wanted, const ValueKind& kind, bool fixed_index = false);

 private:
  struct Known {
    sass::ValueId value = sass::ValueId::none;
    int role = -1;  // the last role that has it
  };
  struct Tried {
    int role = -1;
    int count = 0;
  };
  bool fits(const Known& known, const ValueKind& kind) const;

  sass::Program& program_;
  int role_ = 0;
  std::unordered_set<std::string> reserved_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, Tried> tried_;  // how often a name was asked for in this role
};

}  // namespace warpcc::codegen
