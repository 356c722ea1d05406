// What a name has inside: `.name`, and the parts of register groups and pipes.
#include <algorithm>

#include "sema/eval.h"
#include "sema/modules.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> no_member{"no-member", "{}: it has no `{}`"};
constexpr Message<std::string, std::string> not_in_module{"undeclared", "`{}` has no `{}`"};
constexpr Message<std::size_t, std::string> tuple_position{"no-member", "a tuple of {} has no `.{}`"};
constexpr Message<std::string, std::string, std::string> no_field{"no-field", "`{}` has no field `{}`: it has {}"};
constexpr Message<std::string, std::string, std::string> end_has{
    "no-member", "an end of `{}` has `full`, `empty` and its tiles{}; it has no `{}`"};
constexpr Message<std::string, std::string, std::string, std::string> outside_block{
    "outside-end", "`{}` is a stage's tile of `{}`: it can be named inside `{} {} {{ … }}`"};
constexpr Message<std::string> not_yet{"not-supported", "`{}` is not supported yet"};
constexpr Message<> open_pipe_range{"out-of-range", "a stage is a compile-time value from 0 on"};
constexpr Message<std::int64_t, std::string, int> stage_out_of_range{"out-of-range", "stage {} of `{}`, which has {}"};
constexpr Message<std::string, std::string, std::int64_t, int> group_out_of_range{
    "out-of-range", "`{}`: `{}` reaches register {}, and has {}"};
constexpr Message<> group_coordinates{"wrong-count", "a group of registers takes one coordinate: `v[1]`, `v[2 +: 2]`"};
constexpr Message<std::string> pipe_in_start{
    "pipe-in-start", "the barriers of a pipe are named by stage in `start` alone; a role reaches `{}` through its end"};
constexpr Message<std::string> cannot_index{"cannot-index", "{}, and takes no coordinates"};

}  // namespace

Value Evaluator::member(const Value& of, const tree::Name& name, SourceRange of_where) {
  if (of.bad()) return Bad{};
  const std::string& word = name.text;
  if (auto* a_module = of.get<Module*>()) {
    if (const Value* item = modules_->item(**a_module, word, name.where)) return *item;
    session_.error(name.where, not_in_module, session_.one_line(of_where), word);
    return Bad{};
  }
  if (auto* tuple = of.get<Tuple>()) {
    std::size_t at = 0;
    if (llvm::StringRef(word).getAsInteger(10, at) || at >= tuple->elements->size()) {
      session_.error(name.where, tuple_position, tuple->elements->size(), word);
      return Bad{};
    }
    return (*tuple->elements)[at];
  }
  if (auto* record = of.get<Record>()) {
    const std::vector<tree::Typed>& fields = record->of.tree->fields;
    std::string all;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name.text == word) return (*record->fields)[i];
      all += (all.empty() ? "`" : ", `") + fields[i].name.text + "`";
    }
    session_.error(name.where, no_field, record->of.tree->name.text, word, all);
    return Bad{};
  }
  if (auto* ref = of.get<BundleRef>()) {
    std::string all;
    for (const auto& [field, value] : ref->bundle->fields) {
      if (field == word) {
        Value part = value;
        if (auto* reg = std::get_if<RegisterRef>(&part.is)) reg->writable = reg->writable && ref->writable;
        if (auto* fragment = std::get_if<FragmentRef>(&part.is))
          fragment->writable = fragment->writable && ref->writable;
        return part;
      }
      all += (all.empty() ? "`" : ", `") + std::string(field) + "`";
    }
    session_.error(name.where, no_field, ref->bundle->of.tree->name.text, word, all);
    return Bad{};
  }
  if (auto* an_enum = of.get<EnumRef>()) {
    if (const int which = case_named(*an_enum->tree, word); which >= 0) return bare_case(*an_enum, which, name.where);
  }
  if (auto* fragment = of.get<FragmentRef>(); fragment && word == "r") {
    return RegisterRef{
        {fragment->id, 0, session_.kernel[fragment->id].count, false}, isa::File::r, true, fragment->writable};
  }
  if (auto* view = of.get<ViewRef>(); view && !view->ring_open && word == "shape") {
    auto extents = std::make_shared<std::vector<Value>>();
    for (const int dimension : view->kept) extents->push_back(view->view.slices[dimension].extent);
    return Tuple{extents};
  }
  if (auto* counter = of.get<CounterRef>(); counter && word == "more") return MoreRef{counter->id};
  if (auto* end = of.get<EndRef>()) return end_member(*end, name, of_where);
  if (auto* pipe = of.get<PipeRef>()) return pipe_member(*pipe, name);
  session_.error(name.where, no_member,
                 fmt::format("`{}` is {}", session_.one_line(of_where), describe(of, session_.kernel)), word);
  return Bad{};
}

Value Evaluator::end_member(const EndRef& end, const tree::Name& name, SourceRange of_where) {
  using Kind = kernel::BarrierOperand::Kind;
  const kernel::Kernel& kernel = session_.kernel;
  const kernel::End& it = kernel[end.id];
  const kernel::Pipe& pipe = kernel[it.pipe];
  if (name.text == "full" || name.text == "empty") {
    return BarrierRef{{.kind = name.text == "full" ? Kind::full : Kind::empty, .pipe = it.pipe, .end = end.id}};
  }
  if (name.text == "last" || name.text == "mine" || name.text == "next") {
    session_.error(name.where, not_yet, session_.one_line(of_where) + "." + name.text);
    return Bad{};
  }
  std::string tiles;
  for (const kernel::BufferId buffer : pipe.carries) {
    if (kernel[buffer].name != name.text) {
      tiles += ", `" + kernel[buffer].name + "`";
      continue;
    }
    if (std::find(held.begin(), held.end(), end.id) == held.end()) {
      const std::string text = session_.one_line(of_where) + "." + name.text;
      session_.error(SourceRange{of_where.file, of_where.begin, name.where.end}, outside_block, text, pipe.name,
                     it.side == kernel::Side::producer ? "fill" : "take", it.name);
      return Bad{};
    }
    ViewRef view = whole(buffer, name.where);
    view.view.end = end.id;
    return view;
  }
  session_.error(name.where, end_has, pipe.name, tiles, name.text);
  return Bad{};
}

Value Evaluator::pipe_member(const PipeRef& pipe, const tree::Name& name) {
  using Kind = kernel::BarrierOperand::Kind;
  const kernel::Pipe& it = session_.kernel[pipe.id];
  if (name.text == "depth") return std::int64_t{it.depth};
  if (name.text == "full" || name.text == "empty") {
    if (session_.place.kind != Place::Kind::start) {
      session_.error(name.where, pipe_in_start, it.name);
      return Bad{};
    }
    return BarrierRef{{.kind = name.text == "full" ? Kind::full : Kind::empty, .pipe = pipe.id}, true};
  }
  session_.error(name.where, no_member, fmt::format("`{}` is a pipe with `depth`, `full` and `empty`", it.name),
                 name.text);
  return Bad{};
}

Value Evaluator::view(const tree::Expr::View& view, SourceRange where, Scope& scope) {
  const Value of = eval(*view.of, scope);
  if (of.bad()) return Bad{};
  if (auto* ref = of.get<ViewRef>()) return view_of_tile(*ref, view, where, scope);
  if (auto* group = of.get<RegisterRef>()) return part_of_group(*group, view, where, scope);
  if (auto* barrier = of.get<BarrierRef>(); barrier && barrier->open)
    return stage_of_pipe(*barrier, view, where, scope);
  if (of.has<FragmentRef>() || of.has<LayoutRef>()) {
    session_.error(where, not_yet, session_.one_line(where));
    return Bad{};
  }
  session_.error(view.of->where, cannot_index,
                 fmt::format("`{}` is {}", session_.one_line(view.of->where), describe(of, session_.kernel)));
  return Bad{};
}

Value Evaluator::part_of_group(RegisterRef group, const tree::Expr::View& view, SourceRange where, Scope& scope) {
  if (view.coords.size() != 1) {
    session_.error(where, group_coordinates);
    return Bad{};
  }
  if (!group.group) {
    session_.error(view.of->where, cannot_index,
                   fmt::format("`{}` is {}", session_.one_line(view.of->where), describe(group, session_.kernel)));
    return Bad{};
  }
  const tree::Coord& coord = view.coords[0];
  if (coord.whole) return group;
  const std::optional<std::int64_t> from = integer(*coord.from, scope, "the place in a group of registers");
  const std::optional<std::int64_t> extent = !from          ? std::nullopt
                                             : coord.extent ? integer(*coord.extent, scope, "the extent")
                                                            : std::optional<std::int64_t>(1);
  if (!extent) return Bad{};
  const int count = group.operand.count;
  if (*from < 0 || *extent < 1 || *from > count || *extent > count - *from) {
    session_.error(coord.where, group_out_of_range, session_.one_line(where), session_.one_line(view.of->where),
                   *from < 0 ? *from : std::max<std::int64_t>(*from, *from > count ? *from : *from + *extent - 1),
                   count);
    return Bad{};
  }
  group.operand.part += static_cast<int>(*from);
  group.operand.count = static_cast<int>(*extent);
  group.group = coord.extent != nullptr;
  return group;
}

Value Evaluator::stage_of_pipe(BarrierRef of, const tree::Expr::View& view, SourceRange where, Scope& scope) {
  if (view.coords.size() != 1 || view.coords[0].whole || view.coords[0].extent) {
    session_.error(where, open_pipe_range);
    return Bad{};
  }
  const std::optional<std::int64_t> stage = integer(*view.coords[0].from, scope, "a stage");
  if (!stage) return Bad{};
  const kernel::Pipe& pipe = session_.kernel[of.operand.pipe];
  if (*stage < 0 || *stage >= pipe.depth) {
    session_.error(view.coords[0].where, stage_out_of_range, *stage, pipe.name, pipe.depth);
    return Bad{};
  }
  of.operand.stage = *stage;
  of.open = false;
  return of;
}

}  // namespace warpcc::sema
