// The syntax tree of a `.wk` file: every node with its source range. Built from ANTLR's tree by parse.h, read by sema
// and the formatter. The grammar is docs/language.md, section 16; node names are its rule names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/source.h"

namespace warpcc::tree {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct Pattern;
using PatternPtr = std::shared_ptr<const Pattern>;

struct Name {
  std::string text;
  SourceRange where;
};

// a.b.c
struct Path {
  std::vector<Name> names;
  SourceRange where;
};

struct Type {
  enum class Kind : std::uint8_t { path, tuple, layout_logical, layout_tv, layout_physical };
  Kind kind = Kind::path;
  Path path;
  std::vector<ExprPtr> arguments;  // Work(p)
  std::vector<Type> elements;      // of a tuple
  SourceRange where;
};

// ---- Expressions

struct Coord {
  bool whole = false;  // ..
  ExprPtr from;
  ExprPtr extent;  // after +:
  SourceRange where;
};

struct Argument {  // of a call: `m: M`, or positional
  std::optional<Name> name;
  ExprPtr value;
};

struct Pin {
  Name axis;
  ExprPtr at;
};

struct MatchArm {
  PatternPtr pattern;
  ExprPtr value;
};

enum class Unary : std::uint8_t { negate, not_ };
enum class Binary : std::uint8_t {
  or_,
  and_,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  bit_or,
  bit_xor,
  bit_and,
  shl,
  shr,
  add,
  sub,
  mul,
  div,
  rem
};

struct Expr {
  struct Integer {
    std::int64_t value;
  };
  struct String {
    std::string value;
  };
  struct Boolean {
    bool value = false;
  };
  struct Identifier {
    std::string name;
  };
  struct Tuple {
    std::vector<ExprPtr> elements;
  };  // (e): one element is e itself, no Tuple node
  struct Layout {
    ExprPtr shape, strides;
  };  // shape : strides
  struct If {
    ExprPtr condition, then, otherwise;
  };
  struct Match {
    ExprPtr value;
    std::vector<MatchArm> arms;
  };
  struct Is {
    ExprPtr value;
    PatternPtr pattern;
  };
  struct UnaryOp {
    Unary op{};
    ExprPtr operand;
  };
  struct BinaryOp {
    Binary op{};
    ExprPtr left, right;
    SourceRange op_where;
  };
  struct Member {
    ExprPtr of;
    Name name;
  };  // .name, .0
  struct Call {
    ExprPtr callee;
    std::vector<Argument> arguments;
  };
  struct View {
    ExprPtr of;
    std::vector<Coord> coords;
  };  // e[…]
  struct At {
    ExprPtr of;
    std::vector<Pin> pins;
  };  // e at (half = 1)
  std::variant<Integer, String, Boolean, Identifier, Tuple, Layout, If, Match, Is, UnaryOp, BinaryOp, Member, Call,
               View, At>
      is;
  SourceRange where;
};

struct Range {
  ExprPtr begin, end;
  SourceRange where;
};

struct Pattern {
  struct Any {};
  struct Boolean {
    bool value = false;
  };
  struct Integer {
    std::int64_t value = 0;
  };
  struct Between {
    std::int64_t begin = 0, end = 0;
  };
  struct Case {
    Path path;
    bool has_arguments = false;
    std::vector<PatternPtr> arguments;
  };  // a single NAME inside a case binds
  struct Tuple {
    std::vector<PatternPtr> elements;
  };
  std::variant<Any, Boolean, Integer, Between, Case, Tuple> is;
  SourceRange where;
};

// ---- Statements

struct Statement;
struct Block {
  std::vector<Statement> statements;
  SourceRange where;
};

enum class RegisterKind : std::uint8_t { r, ur, p, up };

struct RegisterDeclarator {
  Name name;
  ExprPtr count;  // [n]; none: a single register
  std::optional<Range> range;
  ExprPtr step;  // by
};
struct Registers {  // ur a, b[2]: 0 .. n by s;
  RegisterKind kind{};
  std::vector<RegisterDeclarator> names;
};

struct Tile {  // elem[shape]
  Path element;
  std::vector<ExprPtr> shape;
  bool has_shape = false;
  SourceRange where;
};
struct Regs {  // regs v: tile in layout;  regs w: Work(plan);
  Name name;
  std::optional<Tile> tile;
  ExprPtr layout;
  std::optional<Type> bundle;
};

struct Let {
  Name name;
  ExprPtr value;
};
struct Const {
  Name name;
  std::optional<Type> type;
  ExprPtr value;
};
struct Require {
  ExprPtr condition;
  std::string message;
  SourceRange message_where;
};

template <typename X>
struct StaticIf {
  ExprPtr condition;
  std::vector<X> then, otherwise;  // `else if` is a StaticIf alone in `otherwise`
};
template <typename X>
struct StaticFor {
  Name variable;
  Range range;
  ExprPtr step;
  std::vector<X> body;
};
template <typename X>
struct StaticMatch {
  struct Arm {
    PatternPtr pattern;
    std::vector<X> body;
  };
  ExprPtr value;
  std::vector<Arm> arms;
};

struct Loop {  // counter and range, or neither
  std::optional<Name> counter;
  std::optional<Range> range;
  ExprPtr step;
  Block body;
};
struct When {
  ExprPtr condition;
  Block then;
  std::optional<Block> otherwise;
};
struct Break {
  ExprPtr condition;
};
struct On {
  ExprPtr fact;
  Block body;
};
struct Hold {
  enum class Kind : std::uint8_t { fill, take, drain } kind{};
  Path end;
  Block body;
};
struct Turn {
  Path end;
  ExprPtr stages;
  Block body;
};
struct Call {
  Path callee;
  std::vector<Argument> arguments;
  std::optional<Block> body;
};

struct Guard {
  bool negated = false;
  std::optional<Path> predicate;  // @x, @!x
  ExprPtr facts;                  // @( … )
  SourceRange where;
};
struct Instruction {
  std::optional<Guard> guard;
  std::string opcode;  // "mma.pair", as written
  SourceRange opcode_where;
  std::vector<ExprPtr> operands;
  std::optional<Name> across;                     // across A
  std::optional<Name> for_;                       // for B
  std::vector<std::pair<Name, ExprPtr>> options;  // hint: evict_first
};

struct Statement {
  std::variant<Registers, Regs, Let, Const, Require, StaticIf<Statement>, StaticFor<Statement>, StaticMatch<Statement>,
               Loop, When, Break, On, Hold, Turn, Call, Instruction>
      is;
  SourceRange where;
};

// ---- Kernels

struct Copies {
  enum class Kind : std::uint8_t { ring, warps, warpgroups } kind{};
  ExprPtr count;
  SourceRange where;
};

enum class GlobalMode : std::uint8_t { none, in, out, inout, kept };
struct GlobalParameter {
  Name name;
  GlobalMode mode = GlobalMode::none;
  Tile tile;
  ExprPtr layout;
};
struct Buffer {
  bool tensor = false;  // else shared
  Name name;
  std::vector<Copies> copies;
  Tile tile;
  ExprPtr layout;
};
struct Pipe {
  Name name;
  ExprPtr depth;
  std::vector<Name> carries;
  std::vector<Pin> from, to;
  std::optional<Name> across;
  bool broadcast = false;
};
struct Barrier {
  Name name;
  std::vector<Copies> copies;
  ExprPtr warps;
};
struct End {
  Name name;
  bool producer = false;
  Name pipe;
  ExprPtr turn;  // in turn(n)
};
struct Warps {
  bool groups = false;  // warpgroup(s)
  ExprPtr first;        // the only one, or the range's begin
  ExprPtr end;          // of a range
  SourceRange where;
};
struct Role {
  Name name;
  std::vector<End> ends;
  Warps warps;
  std::vector<Pin> at;
  ExprPtr registers;
  Block body;
};
struct Start {
  Block body;
};
struct Finish {
  Block body;
};

struct Member {
  std::variant<Buffer, Pipe, Barrier, Const, Require, Role, Start, Finish, StaticIf<Member>, StaticFor<Member>,
               StaticMatch<Member>>
      is;
  SourceRange where;
};

struct ClusterAxis {
  Name name;
  ExprPtr extent;
};
struct Kernel {
  Name name;
  std::vector<GlobalParameter> parameters;
  Name target;
  std::vector<ExprPtr> grid;
  std::vector<ClusterAxis> cluster;
  ExprPtr registers;
  std::vector<Member> members;
};

// ---- Items

struct Typed {
  Name name;
  Type type;
};
struct Use {
  std::string path;
  SourceRange path_where;
  std::optional<Name> as;
};
struct Param {
  Name name;
  Type type;
  ExprPtr value;
};
struct TuneRow {
  std::vector<PatternPtr> patterns;
  ExprPtr when;
  std::vector<std::pair<Name, ExprPtr>> fields;
  SourceRange where;
};
struct Tune {
  std::vector<Name> names;
  std::vector<TuneRow> rows;
};
struct Fn {
  Name name;
  std::vector<Typed> parameters;
  Type result;
  ExprPtr body;
};
struct EnumCase {
  Name name;
  std::vector<Typed> payload;
};
struct Enum {
  Name name;
  std::vector<EnumCase> cases;
};
struct Struct {
  Name name;
  std::vector<Typed> parameters;
  std::vector<Typed> fields;         // values …
  std::vector<Statement> registers;  // … or Registers and Regs: a bundle
};

// A proc's parameter.
struct Formal {
  struct ConstValue {
    Type type;
  };
  struct RegisterParameter {
    RegisterKind kind{};
    ExprPtr count;
  };  // r, ur, p, up, with [n]
  struct BlockParameter {};
  struct PipeParameter {};
  struct EndParameter {
    bool producer = false;
    std::vector<Name> carries;
  };
  enum class Space : std::uint8_t { global, shared, tensor, regs };
  struct ViewParameter {
    Space space{};
    std::vector<Copies> copies;
    std::optional<Tile> tile;
  };
  struct BundleParameter {
    Type type;
  };
  enum class Way : std::uint8_t { in, out, inout };
  Name name;
  Way way = Way::in;
  std::variant<ConstValue, RegisterParameter, BlockParameter, PipeParameter, EndParameter, ViewParameter,
               BundleParameter>
      is;
  SourceRange where;
};
struct Proc {
  Name name;
  std::vector<Formal> formals;
  Block body;
};

struct Item {
  std::variant<Use, Param, Const, Require, Tune, Fn, Enum, Struct, Proc, Kernel, StaticIf<Item>, StaticFor<Item>,
               StaticMatch<Item>>
      is;
  std::string doc;  // the `///` lines before it
  SourceRange where;
};

struct File {
  FileId file{};
  std::vector<Item> items;
};

}  // namespace warpcc::tree
