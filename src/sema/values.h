// What an expression of the language may stand for: compile-time values, and the names of what exists at run time
// (registers, counters, views, ends …), which an expression can pass on and build coordinates of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/tree.h"
#include "layout/compose.h"
#include "sema/kernel.h"

namespace warpcc::sema {

struct Value;
struct Module;
class Scope;
using Values = std::shared_ptr<const std::vector<Value>>;

// A declaration and the module whose names its text means; those that the arm of a `match` around it binds, too.
template <typename Declaration>
struct In {
  const Declaration* tree = nullptr;
  Module* module = nullptr;
  Scope* arm = nullptr;
  friend bool operator==(const In&, const In&) = default;
};
using EnumRef = In<tree::Enum>;
using StructRef = In<tree::Struct>;
using FnRef = In<tree::Fn>;
using ProcRef = In<tree::Proc>;
using KernelRef = In<tree::Kernel>;

// A type of section 3, resolved. An element type is one too: `param elem: type = f16` makes it a value.
struct Type {
  enum class Kind : std::uint8_t {
    integer,
    boolean,
    string,
    type,
    index,
    element,
    tuple,
    enum_,
    struct_,
    layout_logical,
    layout_tv,
    layout_physical,
    any
  };
  Kind kind = Kind::any;
  layout::Element element{};
  std::vector<Type> elements{};  // of a tuple
  EnumRef enum_{};
  StructRef struct_{};
  Values arguments{};  // of a struct
};

struct Bad {};  // an error has been reported: whatever reads it says nothing more
struct Text {
  std::string value;
};
struct Tuple {
  Values elements;
};
struct Case {
  EnumRef of;
  int which = 0;
  Values payload;  // null: none
};
struct Record {
  StructRef of;
  Values fields;
};

// A layout that is written out, or one that takes its shape from the declaration it stands in.
struct LayoutDescription {
  enum class Order : std::uint8_t { given, first_fastest, last_fastest } order = Order::given;
  layout::Map map;  // given
  int swizzle_span = 0;
  Type::Kind says = Type::Kind::any;  // its space, where something has said it
  bool of_threads = false;            // physical, of a thread and its value
  // In place of `map`: a composite that is no strided layout. It is evaluated, and nothing else.
  std::shared_ptr<const layout::Composite> kept;
  // A slice, evaluated and nothing else: the coordinates that are fixed.
  bool restricted = false;
  std::vector<std::optional<std::int64_t>> fixed;
};
using LayoutRef = std::shared_ptr<const LayoutDescription>;

struct RegisterRef {
  kernel::RegisterOperand operand;
  isa::File file{};
  bool group = false;    // declared with [n], or a part of that
  bool writable = true;  // a proc's parameter without `out` or `inout` is only read
};
struct FragmentRef {  // a fragment, or a part of one
  kernel::RegisterId id{};
  std::vector<std::int64_t> from, extents;  // its place in the fragment's tile
  int first = 0, count = 0;                 // its registers
  bool writable = true;
};
struct Bundle {
  StructRef of;
  Values arguments;
  std::vector<std::pair<std::string_view, Value>> fields;
};
struct BundleRef {
  std::shared_ptr<const Bundle> bundle;
  bool writable = true;
};
struct CounterRef {
  kernel::CounterId id{};
};
struct MoreRef {  // `k.more`
  kernel::CounterId id{};
  bool negated = false;
};
struct AxisRef {
  int axis = 0;
};
struct BufferRef {  // as it is declared: what a name of it means depends on the place (ViewRef)
  kernel::BufferId id{};
};
struct ViewRef {
  kernel::View view;
  std::vector<int> kept;   // dimensions of the buffer that are not picked
  bool ring_open = false;  // the first index picks a copy of the ring
  bool base = true;        // no coordinates yet: the buffer itself
};
struct PipeRef {
  kernel::PipeId id{};
};
struct EndRef {
  kernel::EndId id{};
};
struct LastRef {  // `END.last`: the stage that was taken and not released
  kernel::EndId id{};
};
struct NamedBarrierRef {  // as it is declared: which copy a name of it means depends on the place (BarrierRef)
  kernel::BarrierId id{};
};
struct BarrierRef {
  kernel::BarrierOperand operand;
  bool open = false;  // `x.full` of a pipe, before `[i]`
};
struct ActiveProc;
struct BlockRef {  // a block handed to a proc, and what is around it where it stands in the text
  const tree::Block* block = nullptr;
  Scope* scope = nullptr;
  const ActiveProc* active = nullptr;
  std::size_t chain = 0;  // calls entered
  kernel::CallId call{};
  std::size_t loops = 0;  // loops open, and which of them a `break` may leave
  std::size_t break_floor = 0;
};
enum class Builtin : std::uint8_t {
  min,
  max,
  ceil_div,
  log2,
  bytes,
  compose,
  complement,
  divide,
  product,
  row_major,
  col_major,
  k_major,
  mn_major,
  lane,
  warp,
  warpgroup,
  cluster_id,
  one,
  inside,
  target
};

struct Value {
  std::variant<Bad, std::int64_t, bool, Text, Type, isa::Target, Tuple, Case, Record, LayoutRef, kernel::Index,
               kernel::Facts, RegisterRef, FragmentRef, BundleRef, CounterRef, MoreRef, AxisRef, BufferRef, ViewRef,
               PipeRef, EndRef, LastRef, NamedBarrierRef, BarrierRef, BlockRef, Module*, FnRef, ProcRef, EnumRef,
               StructRef, KernelRef, Builtin>
      is;

  Value() = default;
  template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, Value>)
  Value(T&& value) : is(std::forward<T>(value)) {}

  bool bad() const { return std::holds_alternative<Bad>(is); }
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&is);
  }
  template <typename T>
  bool has() const {
    return std::holds_alternative<T>(is);
  }
};

// Whether two compile-time values are the same; nothing where they cannot be compared. `budget` is taken down a step a
// part: shared parts make a value exponentially larger than its memory.
std::optional<bool> equal(const Value& left, const Value& right, std::int64_t& budget);
bool equal(const Type& left, const Type& right, std::int64_t& budget);

// Whether everything of it is known at compile time.
bool is_constant(const Value& value);

// As messages show it: `128`, `(128, 64)`, `stride(rows(16))`. Cut short where it is long.
std::string show(const Value& value);
std::string show(const Type& type);
// What kind of thing it is, for "`x` is …": `a tile of f16 in shared memory`, `uniform (`ur`)`.
std::string describe(const Value& value, const kernel::Kernel& kernel);

}  // namespace warpcc::sema
