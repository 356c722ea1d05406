// Expressions: to compile-time values, index values, and the names of what exists at run time. Emits nothing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sema/ranges.h"
#include "sema/scope.h"
#include "sema/session.h"

namespace warpcc::sema {

class Modules;

class Evaluator {
 public:
  explicit Evaluator(Session& session) : session_(session) {}
  void attach(Modules& modules) { modules_ = &modules; }

  // `expected`: the type that the place asks for, so that an enum's cases may be written bare. Bad where an error was
  // reported.
  Value eval(const tree::Expr& expr, Scope& scope, const Type* expected = nullptr);
  // The same, and of that type.
  Value typed(const tree::Expr& expr, Scope& scope, const Type& type, std::string_view what);
  std::optional<std::int64_t> integer(const tree::Expr& expr, Scope& scope, std::string_view what);
  std::optional<bool> boolean(const tree::Expr& expr, Scope& scope, std::string_view what);
  // A coordinate: everything that is an index value or can be one.
  std::optional<kernel::Index> index(const tree::Expr& expr, Scope& scope);
  std::optional<kernel::Index> index(const Value& value, SourceRange where);
  // Facts joined by &&, as a guard or `on` has them.
  std::optional<kernel::Facts> facts(const tree::Expr& expr, Scope& scope, std::optional<bool>& known);

  std::optional<Type> resolve(const tree::Type& type, Scope& scope);
  bool conforms(const Value& value, const Type& type) const;
  // A layout to whose space nothing has been said gets that of the type, and must keep its promise. False where an
  // error was reported.
  bool settle(Value& value, const Type& type, SourceRange where);
  // Whether the value has this form; binds what the pattern names. Nothing after an error.
  std::optional<bool> matches(const tree::Pattern& pattern, const Value& value, Scope& binds, bool inside_case = false);
  std::optional<layout::Element> element(const tree::Path& path, Scope& scope);

  // Names.
  Value name(std::string_view name, SourceRange where, Scope& scope, const Type* expected = nullptr);
  Value path(const tree::Path& path, Scope& scope);
  Value member(const Value& of, const tree::Name& name, SourceRange of_where);
  // The name's value where it is declared at all.
  std::optional<Value> find(std::string_view name, SourceRange where, Scope& scope);
  // The same, and nobody is told of it.
  std::optional<Value> look_up(std::string_view name, SourceRange where, Scope& scope);

  // Layouts of buffers and fragments.
  std::optional<layout::Physical> physical(const Value& layout, const std::vector<std::int64_t>& shape,
                                           SourceRange where);
  std::optional<layout::ThreadValue> thread_value(const Value& layout, const std::vector<std::int64_t>& shape,
                                                  SourceRange where);

  // A buffer by its name, its copies chosen as far as the place tells.
  ViewRef whole(kernel::BufferId buffer, SourceRange where);

  // Places along the cluster's axes (elsewhere.cpp); nothing, or false, where an error was reported.
  std::optional<int> axis_named(const tree::Name& name);
  bool pins(const std::vector<tree::Pin>& pins, Scope& scope, std::vector<kernel::Pin>& into);

  // Ends of pipes whose blocks are open; their tiles can be named.
  std::vector<kernel::EndId> held;

 private:
  Value member_of(const Value& of, const tree::Name& name, SourceRange of_where);
  Value unary(const tree::Expr::UnaryOp& op, SourceRange where, Scope& scope);
  Value binary(const tree::Expr::BinaryOp& op, SourceRange where, Scope& scope);
  Value logical(const tree::Expr::BinaryOp& op, SourceRange where, Scope& scope);
  Value arithmetic(tree::Binary op, std::int64_t left, std::int64_t right, SourceRange where);
  Value index_arithmetic(const tree::Expr::BinaryOp& op, const Value& left, const Value& right, SourceRange where);
  Value comparison(const tree::Expr::BinaryOp& op, const Value& left, const Value& right, SourceRange where);
  Value if_(const tree::Expr::If& expr, Scope& scope, const Type* expected);
  Value match(const tree::Expr::Match& expr, SourceRange where, Scope& scope, const Type* expected);

  Value call(const tree::Expr::Call& call, SourceRange where, Scope& scope, const Type* expected);
  Value call_builtin(Builtin builtin, const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value call_fn(const FnRef& fn, const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value make_case(const EnumRef& of, int which, const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value make_record(const StructRef& of, const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value bare_case(const EnumRef& of, int which, SourceRange where);
  Value at_place(Builtin builtin);
  Value buffer(kernel::BufferId id, SourceRange where);
  Value axis(int axis);
  Value elsewhere(const tree::Expr::At& at, Scope& scope);

  Value layout(const tree::Expr::Layout& expr, SourceRange where, Scope& scope);
  // src/sema/layout_algebra.cpp
  LayoutRef layout_operand(const tree::Expr& expr, Scope& scope);
  std::optional<layout::Map> tiler(const Value& value, SourceRange where);
  Value compose(const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value complement(const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value divide(const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value product(const tree::Expr::Call& call, SourceRange where, Scope& scope);
  Value layout_at(const LayoutRef& of, const tree::Expr::View& view, SourceRange where, Scope& scope);
  bool modes(const tree::Expr& shape, const tree::Expr& strides, Scope& scope, layout::Coordinate& into);
  Value swizzled(const Value& of, const tree::Expr::Call& call, SourceRange where, Scope& scope);
  bool wants_space(const Value& value, Type::Kind kind, SourceRange where);
  std::optional<layout::Map> map_of(const Value& layout, const std::vector<std::int64_t>& shape, SourceRange where);

  Value named_barrier(kernel::BarrierId id, SourceRange where);
  Value turn_barrier(const EndRef& end, bool next);
  Value end_member(const EndRef& end, const tree::Name& name, SourceRange of_where);
  Value pipe_member(const PipeRef& pipe, const tree::Name& name);
  Value view(const tree::Expr::View& view, SourceRange where, Scope& scope);
  Value view_of_tile(ViewRef of, const tree::Expr::View& view, SourceRange where, Scope& scope);
  Value part_of_fragment(FragmentRef fragment, const tree::Expr::View& view, SourceRange where, Scope& scope);
  Value part_of_group(RegisterRef group, const tree::Expr::View& view, SourceRange where, Scope& scope);
  Value stage_of_pipe(BarrierRef of, const tree::Expr::View& view, SourceRange where, Scope& scope);
  Value coordinates_of(const FragmentRef& of, const tree::Expr::Call& call, SourceRange where, Scope& scope);
  bool within(const ViewRef& of, const std::string& buffer_name, int dimension, const kernel::Index& from,
              std::int64_t extent, const tree::Coord& coord, Scope& scope);

  Session& session_;
  Modules* modules_ = nullptr;
};

// The case of this name, or -1.
int case_named(const tree::Enum& of, std::string_view name);

}  // namespace warpcc::sema
