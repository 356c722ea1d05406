// The typed kernel: what sema makes of a `.wk` file and codegen lowers. Everything compile-time is gone: parameters are
// numbers, procs and unrolled loops are spliced in, names are ids. One node an instruction, in program order, inside
// the control that the language has. It is correct by the language's rules; codegen reports nothing about it but what
// does not fit (memory, registers).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/isa.h"
#include "layout/atoms.h"
#include "layout/element.h"
#include "layout/layout.h"
#include "support/source.h"

namespace warpcc::kernel {

enum class RegisterId : std::int32_t { none = -1 };
enum class CounterId : std::int32_t { none = -1 };
enum class BufferId : std::int32_t { none = -1 };
enum class PipeId : std::int32_t { none = -1 };
enum class EndId : std::int32_t { none = -1 };
enum class BarrierId : std::int32_t { none = -1 };

// ---- Registers and coordinates

// Half-open, `step` apart from `begin`.
struct Range {
  std::int64_t begin = 0, end = 0, step = 1;
};

// A declared register, group or fragment.
struct Register {
  std::string name;  // as the user wrote it; `w.row` for a bundle's. Not unique: codegen makes it so
  isa::File file = isa::File::r;
  int count = 1;               // registers of the group
  std::optional<Range> range;  // an index register
  // A fragment: its tile's shape, element and thread-value layout.
  std::optional<layout::ThreadValue> fragment;
  std::vector<std::int64_t> shape;
  layout::Element element = layout::Element::u32;
  SourceRange declared;
};

// What an index is made of.
struct Atom {
  enum class Kind : std::uint8_t { reg, counter, lane, warp, warpgroup, cluster_id, axis, divided };
  Kind kind = Kind::lane;
  std::int32_t id = 0;  // RegisterId, CounterId, axis number, or an index into Kernel::divided
  friend auto operator<=>(const Atom&, const Atom&) = default;
};

// constant + the sum of factor × atom; atoms sorted, each once, no factor 0.
struct Term {
  Atom atom;
  std::int64_t factor = 1;
  friend bool operator==(const Term&, const Term&) = default;
};
struct Index {
  std::int64_t constant = 0;
  std::vector<Term> terms;
  bool is_constant() const { return terms.empty(); }
  friend bool operator==(const Index&, const Index&) = default;
};
Index operator+(Index left, const Index& right);
Index operator*(Index left, std::int64_t factor);

// numerator / divisor or numerator % divisor, rounding down; of fixed indices only.
struct Divided {
  Index numerator;
  std::int64_t divisor = 1;
  bool remainder = false;
};

// ---- Buffers, pipes, barriers

enum class MemorySpace : std::uint8_t { shared, tensor, global };
enum class Mode : std::uint8_t { in, out, inout, kept };  // of a global parameter

struct Copies {
  enum class Kind : std::uint8_t { ring, warps, warpgroups };
  Kind kind = Kind::ring;
  std::int64_t count = 1;
};

struct Buffer {
  std::string name;
  MemorySpace space = MemorySpace::shared;
  Mode mode = Mode::in;
  std::vector<Copies> copies;  // as written, slowest first
  layout::Element element = layout::Element::f16;
  std::vector<std::int64_t> shape;
  layout::Physical layout;  // over `shape`
  PipeId carried_by = PipeId::none;
  SourceRange declared;
  bool empty() const;  // no elements or no copies: takes nothing
};

struct Axis {
  std::string name;
  int extent = 1;
};
struct Pin {
  int axis = 0;
  std::int64_t at = 0;
};

// One of a pipe's two barriers, over its whole ring.
struct Signal {
  int arrivals = 0;          // a phase
  std::string arrivals_why;  // `8 = 4 warps of stores × 2 halves`
  std::int64_t bytes = 0;    // of a phase, where `expect` announces some
  std::string bytes_why;
};

struct Pipe {
  std::string name;
  int depth = 1;  // 0: no barriers, its ends are never used
  std::vector<BufferId> carries;
  std::vector<Pin> from, to;
  std::optional<int> across;  // axis
  bool broadcast = false;
  Signal full, empty;
  SourceRange declared;
};

struct NamedBarrier {
  std::string name;
  int copies = 1;
  int warps = 0;  // that meet at each copy
  SourceRange declared{};
};

enum class Side : std::uint8_t { producer, consumer };

// An end of a pipe, held by a role.
struct End {
  std::string name;  // in the role: `out`, `inp`
  PipeId pipe = PipeId::none;
  Side side = Side::producer;

  // Of one held in turn (language.md 8): the role's warpgroups are `teams`, each of which takes the stages of a turn.
  bool in_turn = false;
  int teams = 1;
  BarrierId turns = BarrierId::none;  // with several teams: copy i hands the turn to team i
  std::int64_t stages_a_turn = 0;     // the same in every turn; 0: there is none
  // Where a team's first turn begins: the position in the ring, and whether an odd number of rounds came before.
  Index first_position{}, first_odd{};
  SourceRange first_turn{};

  bool releases_late = false;  // names `END.last`
  SourceRange declared{};
};

// ---- Operands

struct RegisterOperand {
  RegisterId id = RegisterId::none;
  int part = 0;  // first register of the group that is meant
  int count = 1;
  bool negated = false;  // -x, !p
};

// One coordinate of a view: from `from` on, `extent` elements; `picked`: one element, the dimension is gone.
struct Slice {
  Index from;
  std::int64_t extent = 1;
  bool picked = false;
};

// A buffer at coordinates, one slice a dimension of the buffer.
struct View {
  BufferId buffer = BufferId::none;
  EndId end = EndId::none;    // the copy is the stage that this end holds
  std::vector<Index> copies;  // one a Copies of the buffer but the pipe's ring; `warps(n)` gives the index `warp`
  std::vector<Slice> slices;
  std::vector<Pin> at;  // another CTA's
  SourceRange where;
};

// The extents of the coordinates that a view keeps: those not picked.
std::vector<std::int64_t> kept_extents(const View& view);
// `128 × 64`; of an element, `1`.
std::string extents_text(const std::vector<std::int64_t>& extents);

struct BarrierOperand {
  // mine, next: the named barriers of an end in turn, that hand the turn to this team and to the next
  enum class Kind : std::uint8_t { full, empty, named, mine, next };
  Kind kind = Kind::full;
  PipeId pipe = PipeId::none;
  EndId end = EndId::none;  // at the position of this end; none: at the constant `stage` (in start)
  bool last = false;        // at the position of the stage that was taken and not released (`END.last.empty`)
  std::int64_t stage = 0;
  BarrierId named = BarrierId::none;  // of the last three kinds; none: of one team, nobody to meet
  Index copy{};                       // of a named barrier
  bool is_named() const { return kind != Kind::full && kind != Kind::empty; }
};

struct Compare {
  Index left;
  enum class Is : std::uint8_t { eq, ne, lt, le, gt, ge } is = Is::eq;
  std::int64_t right = 0;
};
// Whether `left IS right`.
bool holds(std::int64_t left, Compare::Is is, std::int64_t right);
// Facts joined by &&: the elected lane, the access inside its buffer, comparisons of fixed indices.
struct Facts {
  bool one = false;
  bool inside = false;
  std::vector<Compare> compares{};
  bool none() const { return !one && !inside && compares.empty(); }
};

struct SpecialRegister {
  std::int32_t index = 0;  // into isa::special_registers()
};
struct TensorMapOf {
  BufferId buffer = BufferId::none;
  BufferId box_for = BufferId::none;  // `prefetch c for staging`
};

using Operand = std::variant<RegisterOperand, std::int64_t /* immediate */, bool /* true or false */,
                             Index /* of fixed indices */, View, BarrierOperand, SpecialRegister, TensorMapOf>;

// ---- Code

struct Guard {
  std::optional<RegisterOperand> predicate;  // p or up
  std::optional<CounterId> more;             // `k.more`
  bool more_negated = false;
  Facts facts;
  bool none() const { return !predicate && !more && facts.none(); }
};

enum class Hint : std::uint8_t { none, evict_first, evict_last };

// A proc's call: an instruction inside names the innermost, so that a complaint can say how one got there.
enum class CallId : std::int32_t { none = -1 };
struct Call {
  std::string proc;
  SourceRange where;
  CallId caller = CallId::none;
};

struct Instruction {
  const isa::Statement* op = nullptr;
  bool pair = false;  // `.pair`: over both CTAs of the pair
  Guard guard;
  std::vector<Operand> operands;  // as the statement's slots; left-out neutrals filled in
  std::optional<int> across;      // axis of a multicast load
  Hint hint = Hint::none;
  bool releases_to_cluster = false;  // an arrival that publishes generic stores to another CTA (language.md 11)
  // mma: its shape, read off the operands; n and k of one instruction.
  int m = 0, n = 0, k = 0;
  bool closes_group = false;  // `last: true`: Hopper's `mma.wait` counts groups
  std::optional<layout::InstructionDescriptor> descriptor;
  SourceRange where;
  std::string text;                         // the statement as written, on one line, without `;`
  SourceRange opcode_where, guard_where;    // of the guard: its predicate or facts
  std::vector<SourceRange> operands_where;  // as `operands`
  CallId call = CallId::none;
};

struct Node;
using Block = std::vector<Node>;

struct Loop {  // loop k in begin .. end by step
  CounterId counter = CounterId::none;
  Index begin, end;
  std::int64_t step = 1;
  bool runs = true;  // at least one round, as the ranges prove
  Block body;
  SourceRange where;
  std::string text;
};
struct Forever {  // loop { … break when … }
  Block body;
  SourceRange where;
};
struct Break {
  RegisterOperand when;
  SourceRange where;
  std::string text;
};
struct When {
  RegisterOperand when;
  Block then, otherwise;
  SourceRange where;
  std::string text;
};
struct On {  // on (FACT) { }
  Facts facts;
  Block body;
  SourceRange where;
  std::string text;
};
struct Hold {  // a stage of an end (fill, take, drain), or a whole turn of a team
  enum class Kind : std::uint8_t { fill, take, drain, turn } kind = Kind::fill;
  EndId end = EndId::none;
  bool keeps = false;       // a take that leaves its stage held, for `END.last`
  std::int64_t stages = 0;  // of a turn, where it is known
  Block body;
  SourceRange where;
  std::string text;
};

// A proc begins that writes these registers before it reads them (`out`): what they held is not its to read.
struct Outs {
  std::vector<RegisterOperand> registers;
};

struct Node {
  std::variant<Instruction, Loop, Forever, Break, When, On, Hold, Outs> is;
};

// function(block), of each block that stands in a node, in the order of the text.
template <typename AnyNode, typename F>
void for_each_block(AnyNode& node, F function) {
  if (auto* loop = std::get_if<Loop>(&node.is)) function(loop->body);
  if (auto* forever = std::get_if<Forever>(&node.is)) function(forever->body);
  if (auto* on = std::get_if<On>(&node.is)) function(on->body);
  if (auto* hold = std::get_if<Hold>(&node.is)) function(hold->body);
  if (auto* when = std::get_if<When>(&node.is)) {
    function(when->then);
    function(when->otherwise);
  }
}

struct Counter {
  std::string name;
  Range range;
};

struct Role {
  std::string name;
  int first_warp = 0, end_warp = 0;
  std::vector<Pin> at;
  std::vector<EndId> ends;
  int registers = 0;  // 0: not said
  Block body;
  SourceRange where;
};

// What a parameter was set to, and by whom.
struct Choice {
  enum class By : std::uint8_t { default_, tune, command_line };
  std::string parameter, value;
  By by = By::default_;
  SourceRange where;
};

struct Kernel {
  std::string name;
  isa::Target target = isa::Target::sm_100a;
  std::array<std::int64_t, 3> grid{1, 1, 1};  // in CTAs
  std::vector<Axis> axes;                     // empty: no cluster
  int registers = 0;                          // a thread; 0: not said
  int threads = 0;                            // a CTA
  bool pairs = false;                         // its tensor-core instructions are of CTA pairs

  std::vector<BufferId> parameters;  // global buffers in the order of the signature
  std::vector<Buffer> buffers;
  std::vector<Pipe> pipes;
  std::vector<NamedBarrier> named_barriers;
  std::vector<Register> registers_declared;
  std::vector<Counter> counters;
  std::vector<End> ends;
  std::vector<Divided> divided;
  std::vector<Call> calls;
  std::vector<Choice> choices;          // of the parameters of the file
  std::optional<SourceRange> tune_row;  // that matched

  Block start;
  std::vector<Role> roles;
  Block finish;

  int cluster_ctas() const;
  const Register& operator[](RegisterId id) const { return registers_declared[static_cast<std::size_t>(id)]; }
  const Buffer& operator[](BufferId id) const { return buffers[static_cast<std::size_t>(id)]; }
  const Pipe& operator[](PipeId id) const { return pipes[static_cast<std::size_t>(id)]; }
  const End& operator[](EndId id) const { return ends[static_cast<std::size_t>(id)]; }
  const Counter& operator[](CounterId id) const { return counters[static_cast<std::size_t>(id)]; }
  const NamedBarrier& operator[](BarrierId id) const { return named_barriers[static_cast<std::size_t>(id)]; }
};

// ---- The cluster: who signals whom (language.md 6 and 7)

// The index along each axis of the CTA of this rank, fastest axis first; and back.
std::vector<std::int64_t> place(const Kernel& kernel, int rank);
int rank(const Kernel& kernel, const std::vector<std::int64_t>& place);

// The CTAs that hold this end of the pipe.
bool holds(const Kernel& kernel, const Pipe& pipe, Side side, int rank);
// The CTAs whose `full` (or `empty`) barrier a signal from CTA `from` reaches, as a mask of ranks: a producer's signal
// reaches the full barriers of the consumers it serves, a consumer's the empty barriers of all producers that fill its
// stages.
std::uint32_t reached(const Kernel& kernel, const Pipe& pipe, BarrierOperand::Kind barrier, int from);

}  // namespace warpcc::kernel
