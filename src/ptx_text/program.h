// A PTX module that somebody wrote, as a compact program: what the checker executes (PTX ISA 9, "Syntax", "State
// Spaces, Types, and Variables"). Names are resolved; scopes are gone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "support/source.h"

namespace warpcc::ptx_text {

// Fundamental types by size: what a register or a variable holds is bits.
enum class Type : std::uint8_t { pred, b8, b16, b32, b64, b128 };
constexpr int bytes(Type type) {
  return type == Type::pred ? 1 : 1 << (static_cast<int>(type) - 1);
}

enum class Space : std::uint8_t { param, shared, local, global, constant };

// A word of an initialiser that holds an address: of a variable of global memory, of a function.
struct Relocation {
  std::int64_t at = 0;         // byte
  std::uint32_t variable = 0;  // of the module; where `function`, one of its functions
  std::int64_t offset = 0;
  bool generic = false;  // `generic(name)`: the generic address
  bool function = false;
};

struct Variable {
  std::string name;
  Space space = Space::global;
  std::int64_t bytes = 0;  // 0: `.extern .shared x[]`, what the launch says
  std::int64_t align = 1;
  bool external = false;
  std::vector<std::uint8_t> initial;  // empty: zeros
  std::vector<Relocation> relocations;
  std::uint32_t reg = kNone;  // of a parameter in `.reg`: its register
  SourceRange where;

  static constexpr std::uint32_t kNone = ~0u;
};

// An operand. Parts of a compound one lie together in `Function::parts`.
struct Operand {
  enum class Kind : std::uint8_t {
    reg,       // index: the register
    integer,   // value
    real,      // value: the bits of an f32 (`0f3F800000`), or of an f64
    variable,  // index: of the module's or, with `own`, of the function's variables; value: offset
    function,  // index: of the module's functions
    label,     // index: the instruction that it stands at
    table,     // index: of the function's tables, what `.branchtargets` names
    special,   // index: SpecialRegister; part: 0 x, 1 y, 2 z
    sink,      // `_`
    address,   // one part, `[x + value]`: a register, a variable or an integer
    tensor,    // `[map, {c0, c1}]`: the map's address, then the coordinates; more lists (`im2col` offsets) follow them
    list,      // `{a, b}`, or the arguments of a call
    pair,      // `d|p`
  };
  Kind kind = Kind::sink;
  bool negated = false;  // `-x`, `!p`
  bool own = false;
  bool wide = false;  // a real of 64 bits
  std::uint8_t part = 0;
  std::uint32_t index = 0;
  std::uint32_t count = 0;  // of parts
  std::int64_t value = 0;
};

enum class SpecialRegister : std::uint8_t {
  tid,
  ntid,
  ctaid,
  nctaid,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  clusterid,
  nclusterid,
  cluster_ctaid,
  cluster_nctaid,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  environment,
  environment_1,
  environment_2,
  aggr_smem_size,
  reserved_smem_offset,
  reserved_smem_offset_end,
  reserved_smem_offset_cap,
  reserved_smem_offset_0,
  reserved_smem_offset_1,
};

// `cp.async.bulk.tensor.2d`: the whole and its words.
struct Opcode {
  std::string text;
  llvm::SmallVector<std::string_view, 8> words;  // into `text`

  bool has(std::string_view word) const {
    for (std::string_view each : words) {
      if (each == word) return true;
    }
    return false;
  }
};

struct Instruction {
  static constexpr std::uint32_t kNoGuard = ~0u;
  std::uint32_t opcode = 0;
  std::uint32_t guard = kNoGuard;  // a predicate register
  bool guard_negated = false;
  std::uint16_t operands = 0;
  std::uint32_t first = 0;   // of its operands, in `Function::operands`
  std::uint32_t offset = 0;  // in the text
  std::uint32_t length = 0;
  std::uint32_t place = 0;  // of `Function::places`, 0: none
};

// `.loc`: a line of the source that the PTX was made of.
struct Place {
  std::uint32_t file = 0;  // of `Module::files`
  std::uint32_t line = 0;
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  std::vector<Variable> results, params;  // in order; of an entry, at the offsets that `param_offset` says
  std::vector<Variable> variables;        // its own: shared, local, and the call frames' param
  std::vector<Type> registers;
  std::vector<std::string> register_names;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands, parts;
  std::vector<Place> places;
  std::vector<std::vector<std::uint32_t>> tables;  // of labels: the instructions that they stand at
  std::uint32_t alias = kNone;                     // `.alias`: the function that it is another name of

  static constexpr std::uint32_t kNone = ~0u;

  // Launch directives; 0 where not given.
  std::array<std::uint32_t, 3> most_threads{}, threads{}, cluster{};
  std::uint32_t most_registers = 0, least_ctas = 0;
  bool explicit_cluster = false;

  SourceRange where;  // its name
};

struct Module {
  FileId file{};
  int version_major = 0, version_minor = 0;
  std::string target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Opcode> opcodes;
  std::vector<std::string> files;

  // None, where no entry has this name; names are long and mangled, so a part of one that is in no other does.
  const Function* entry(std::string_view name) const;
  // The function of this number, or the one that it is an alias of.
  const Function& function(std::uint32_t index) const {
    const Function& named = functions[index];
    return named.alias < functions.size() ? functions[named.alias] : named;
  }
};

std::string_view name(SpecialRegister reg);

}  // namespace warpcc::ptx_text
