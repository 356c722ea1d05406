// The SASS program of a kernel: what codegen writes, and what the checker runs and the lift translates. As text it
// carries everything needed to hold it to its layouts and to launch it (docs/sass-text.md); text.h writes and reads
// that text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "layout/element.h"
#include "layout/layout.h"
#include "support/source.h"

namespace warpcc::sass {

enum class ValueId : std::int32_t { none = -1 };
enum class BufferId : std::int32_t { none = -1 };
enum class MBarrierId : std::int32_t { none = -1 };
enum class LabelId : std::int32_t { none = -1 };

// How registers are written in text: by name; destinations by name and register, sources by register; all by both.
enum class Form : std::uint8_t { named, coloured, both };

// ---- Expressions over names: coordinates, numbers, facts

// What a held expression may name beside values. `axis` n is the n-th axis of the cluster, fastest first. `warp` counts
// within the role (in .start and .finish within the CTA); `warpgroup` is warp / 4.
enum class Fixed : std::uint8_t { lane, warp, warpgroup, cluster_id, axis, one };

// An expression as a tree in one array: operands come before their operator; the last node is the whole.
struct Expr {
  enum class Kind : std::uint8_t {
    number,  // number
    value,   // value (with .part)
    fixed,   // fixed (axis number in `number`)
    add,
    subtract,
    multiply,
    divide,
    remainder,  // left, right; division rounds down
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    both,
    not_,
  };
  struct Node {
    Kind kind = Kind::number;
    Fixed fixed{};
    std::uint8_t part = 0;
    ValueId value = ValueId::none;
    std::int64_t number = 0;
    std::int32_t left = -1, right = -1;
  };
  std::vector<Node> nodes;

  static Expr of(std::int64_t number);
  static Expr of(ValueId value, int part = 0);
  static Expr of(Fixed fixed, int axis = 0);
  static Expr binary(Kind kind, Expr left, Expr right);
  bool empty() const { return nodes.empty(); }
};

// ---- What a line is held to

// `e`, `e +: n`, `..`
struct Coord {
  Expr from;                // empty for `..`
  std::int64_t extent = 0;  // 0: a picked index, the dimension is gone
  bool whole = false;       // `..`
};

struct Pin {
  int axis = 0;
  std::int64_t at = 0;
  Expr by{};  // in a view, where it is no constant: `lane % 2`; empty: `at`
};

// `buffer at (axis = n)[copy]…[coordinates].at(i)`: copies slowest first.
struct View {
  BufferId buffer = BufferId::none;       // a buffer …
  MBarrierId barrier = MBarrierId::none;  // … or an mbarrier array, whose only coordinate is the copy
  std::int32_t named_barrier = -1;        // … or a named-barrier array
  std::int32_t word = -1;                 // … or a .word
  std::int32_t fragment = -1;             // … or a .fragment
  std::vector<Expr> copies;
  std::vector<Coord> coordinates;  // empty: the whole
  std::vector<Pin> at;
  std::optional<std::int64_t> fragment_index;
};

struct Held {
  enum class Kind : std::uint8_t {
    reach,
    addr,
    addr_lo,
    addr_hi,
    desc,
    desc_hi,
    idesc,
    tmem,
    mask,
    mask_across,
    bytes,
    number,
    inside
  };
  Kind kind = Kind::reach;
  std::vector<View> views;  // reach, addr …, tmem, inside: one; idesc: three (D, A, B)
  Expr expr;                // number
  std::string name;  // mask: a pipe's barrier, `stage_empty`: the CTAs where it is signalled from here; mask_across:
                     // the axis; bytes: the pipe
};

// ---- Lines

// A register as an operand: a named value (or none, in text that gives plain registers), which of its group, and the
// hardware register.
struct Reg {
  isa::File file = isa::File::r;
  ValueId value = ValueId::none;
  std::uint8_t part = 0;
  std::int16_t number = -1;  // hardware register, part included; -1: not coloured
  bool is_constant = false;  // RZ, URZ, PT, UPT

  friend bool operator==(const Reg&, const Reg&) = default;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,
    immediate,
    shared,
    global,
    tensor,
    gdesc,
    idesc,
    vector,
    map,
    special,
    scoreboard,
    label,
    constant
  };
  Kind kind = Kind::reg;
  bool negated = false;       // -x or !p
  bool absolute = false;      // |x|
  bool transposed = false;    // gdesc[x].tnspA, .tnspB: rows innermost
  Reg reg;                    // the register; the base of an address
  std::optional<Reg> second;  // [r + ur]: the second base; of desc[x][y.64]: y, with reg x
  std::int64_t number = 0;    // immediate; the address's offset; scoreboard (gsb0 too, which its place tells); map's
                              // index in Program::maps; special register's index
  LabelId label = LabelId::none;
};

enum class Mark : char { program = ' ', derived = '+', control = '~' };

struct Line {
  Mark mark = Mark::program;
  const isa::Opcode* opcode = nullptr;
  std::vector<isa::Modifier> modifiers;
  std::optional<Operand> guard;  // a predicate register, negated or not
  bool cluster = false;          // `.CLUSTER` of an arrival: releases to the cluster
  std::vector<Operand> operands;
  std::vector<Held> held;
  std::string comment;  // the statement, for readers
  std::string place;    // `gemm.wk:141`
  SourceRange where{};  // the line in the text that was read, or the statement in the .wk
};

// ---- What the header declares

struct IndexRange {
  std::int64_t begin = 0, end = 0, step = 1;
};

// A named value: a group of `width` registers of one file.
struct Value {
  std::string name;
  isa::File file = isa::File::r;
  std::uint8_t width = 1;
  std::uint8_t align = 1;
  std::int16_t colour = -1;         // the first hardware register
  std::optional<IndexRange> range;  // .value: checked at every write
};

// A tile that the threads of a warp or a warpgroup hold in a group of registers.
struct Fragment {
  ValueId value = ValueId::none;  // the group, and the fragment's name
  layout::Element element = layout::Element::f32;
  std::int64_t rows = 0, columns = 0;
  layout::Map layout;  // (thread, value) -> row + rows × column
};

enum class MemorySpace : std::uint8_t { shared, tensor, global };

// Copies of a buffer or a barrier, slowest first: the extent, and bytes (tensor memory: columns) from one to the next.
struct Copies {
  std::int64_t count = 1;
  std::int64_t stride = 0;
};

struct Buffer {
  std::string name;
  MemorySpace space = MemorySpace::shared;
  std::uint32_t place = 0;             // shared: offset from the CTA's shared address 0; tensor: first column
  std::string map;                     // global: the tensor map's name, or empty
  std::optional<std::uint32_t> param;  // global: offset of its pointer in the parameter block
  std::vector<Copies> copies;
  layout::Element element = layout::Element::f16;
  layout::Physical layout;
  bool kept = false;
  std::vector<std::int64_t> valid = {};  // global: the extents of what holds something; empty: of all
};

struct MBarrier {
  std::string name;
  std::uint32_t offset = 0;  // of the first; one every 8 bytes
  int count = 1;             // how many
  int arrivals = 1;
  std::optional<std::int64_t> bytes;  // of a phase
  std::string why;                    // how the counts come about, for readers
};

struct NamedBarrier {
  std::string name;
  int id = 1;
  int count = 1;
  int threads = 0;
};

struct Pipe {
  std::string name;
  int depth = 1;
  MBarrierId full = MBarrierId::none, empty = MBarrierId::none;
  std::vector<BufferId> carries;
  int teams = 1, stages_a_turn = 0;
  // Where the ends are, for `mask`: pins of the producers and of the consumers, and the axis that stages are filled
  // across.
  std::vector<Pin> from, to;
  std::optional<int> across;
};

struct TensorMap {
  std::string name;  // `a`; [map_a] in the code
  std::string buffer;
  std::vector<std::int64_t> extents;  // rows … columns
  int element_bytes = 2;
  std::vector<std::int64_t> box;  // in the same order
  int swizzle = 0;                // span in bytes
};

struct Param {
  std::string name;
  std::uint32_t offset = 0;
};

struct Word {
  std::string name;
  std::uint32_t offset = 0;
};

struct Axis {
  std::string name;
  int extent = 1;
};

// Where the code of `start`, a role and `finish` begins; it ends where the next section begins.
struct Section {
  enum class Kind : std::uint8_t { start, role, finish };
  Kind kind = Kind::start;
  std::string name;
  int first_warp = 0, end_warp = 0;
  std::vector<Pin> at;
  std::vector<std::string> holds;  // `stage.producer`
  std::size_t first_line = 0;
};

struct Label {
  std::string name;
  std::size_t line = 0;  // the line that follows it
};

struct Program {
  std::string kernel;
  Form form = Form::named;  // of the text that it was read from
  isa::Target target = isa::Target::sm_100a;
  int threads = 0;
  std::optional<int> registers;
  std::uint32_t dynamic_shared = 0;           // bytes, from offset 0x400 on
  std::array<std::int64_t, 3> grid{1, 1, 1};  // in CTAs
  int cluster = 1;                            // CTAs
  std::vector<Axis> axes;                     // fastest first; their product is `cluster`
  std::vector<TensorMap> maps;
  std::vector<Param> params;
  std::vector<Buffer> buffers;
  std::vector<MBarrier> mbarriers;
  std::vector<NamedBarrier> named_barriers;
  std::vector<Pipe> pipes;
  std::vector<Word> words;
  std::vector<Value> values;
  std::vector<Fragment> fragments;
  std::vector<Section> sections;
  std::vector<Label> labels;
  std::vector<Line> lines;

  // The first user byte of shared memory (blackwell.md 14: the first 1 KB is the system's).
  static constexpr std::uint32_t kSharedStart = 0x400;

  const Value& operator[](ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  const Buffer& operator[](BufferId id) const { return buffers[static_cast<std::size_t>(id)]; }
  const MBarrier& operator[](MBarrierId id) const { return mbarriers[static_cast<std::size_t>(id)]; }
  const Label& operator[](LabelId id) const { return labels[static_cast<std::size_t>(id)]; }
};

}  // namespace warpcc::sass
