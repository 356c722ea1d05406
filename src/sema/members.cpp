// What a name has inside: `.name`, and the parts of register groups and pipes.
#include <algorithm>

#include "sema/eval.h"
#include "sema/modules.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> no_member{"no-member", "{}: it has no `{}`"};
constexpr Message<std::string, std::string, std::string> not_in_module{"undeclared", "`{}` has no `{}`{}"};
constexpr Message<std::size_t, std::string> tuple_position{"no-member", "a tuple of {} has no `.{}`"};
constexpr Message<std::string, std::string, std::string> no_field{"no-field", "`{}` has no field `{}`: it has {}"};
constexpr Message<std::string, std::string, std::string> end_has{
    "no-member", "an end of `{}` has `full`, `empty` and its tiles{}; it has no `{}`"};
constexpr Message<std::string, std::string, std::string, std::string> outside_block{
    "outside-end", "`{}` is a stage's tile of `{}`: it can be named inside `{} {} {{ … }}`"};
constexpr Message<std::string, std::string> not_in_turn{
    "not-in-turn", "`{}` is not held in turn: `{}` belongs to an end that is, `consumer PIPE in turn(n)`"};
constexpr Message<std::string> last_of_producer{"no-member",
                                                "`{}`: a stage is held on by a consumer's end; this is a producer's"};
constexpr Message<std::string, int, int> few_copies{"too-few-copies",
                                                    "`{}` has copies for {} warpgroups; there are {} here"};
constexpr Message<> open_pipe_range{"out-of-range", "a stage is a compile-time value from 0 on"};
constexpr Message<std::string, std::int64_t, std::string> stage_out_of_range{"out-of-range",
                                                                             "`{}` has no stage {}: it has {}"};
constexpr Message<std::string, std::int64_t, std::string, std::string> group_out_of_range{
    "out-of-range", "`{}` reaches register {}; `{}` has {}, counted from 0"};
constexpr Message<> group_coordinates{"wrong-count", "a group of registers takes one coordinate: `v[1]`, `v[2 +: 2]`"};
constexpr Message<std::string> pipe_in_start{
    "pipe-in-start", "the barriers of a pipe are named by stage in `start` alone; a role reaches `{}` through its end"};
constexpr Message<std::string> cannot_index{"cannot-index", "{}, and takes no coordinates"};

}  // namespace

Value Evaluator::member(const Value& of, const tree::Name& name, SourceRange of_where) {
  Value value = member_of(of, name, of_where);
  session_.means(name.where, value);
  return value;
}

Value Evaluator::member_of(const Value& of, const tree::Name& name, SourceRange of_where) {
  if (of.bad()) return Bad{};
  const std::string& word = name.text;
  if (auto* a_module = of.get<Module*>()) {
    if (const Value* item = modules_->item(**a_module, word, name.where)) return *item;
    const std::string_view nearest = modules_->nearest(**a_module, word);
    session_.error(name.where, not_in_module, session_.one_line(of_where), word,
                   nearest.empty() ? "" : fmt::format("; there is `{}`", nearest));
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
    return RegisterRef{{fragment->id, fragment->first, fragment->count, false}, isa::File::r, true, fragment->writable};
  }
  if (auto* view = of.get<ViewRef>(); view && !view->ring_open && word == "shape") {
    auto extents = std::make_shared<std::vector<Value>>();
    for (const int dimension : view->kept) extents->push_back(view->view.slices[dimension].extent);
    return Tuple{extents};
  }
  if (auto* fragment = of.get<FragmentRef>(); fragment && word == "shape") {
    return Tuple{std::make_shared<std::vector<Value>>(fragment->extents.begin(), fragment->extents.end())};
  }
  if (auto* counter = of.get<CounterRef>(); counter && word == "more") return MoreRef{counter->id};
  if (auto* end = of.get<EndRef>()) return end_member(*end, name, of_where);
  if (auto* last = of.get<LastRef>(); last && word == "empty") {
    return BarrierRef{{.kind = kernel::BarrierOperand::Kind::empty,
                       .pipe = session_.kernel[last->id].pipe,
                       .end = last->id,
                       .last = true}};
  }
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
  const std::string whole_name = session_.one_line(of_where) + "." + name.text;
  if (name.text == "last") {
    if (it.side == kernel::Side::producer) {
      session_.error(name.where, last_of_producer, whole_name);
      return Bad{};
    }
    session_.kernel.ends[static_cast<std::size_t>(end.id)].releases_late = true;
    return LastRef{end.id};
  }
  if (name.text == "mine" || name.text == "next") {
    if (!it.in_turn) {
      session_.error(name.where, not_in_turn, it.name, name.text);
      return Bad{};
    }
    return turn_barrier(end, name.text == "next");
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

// The team whose turn it is, or the one after it, picks the copy. With one team there is nobody to meet.
Value Evaluator::turn_barrier(const EndRef& end, bool next) {
  using Kind = kernel::BarrierOperand::Kind;
  const kernel::End& it = session_.kernel[end.id];
  BarrierRef ref{{.kind = next ? Kind::next : Kind::mine, .pipe = it.pipe, .end = end.id, .named = it.turns}};
  if (it.teams == 1) return ref;
  kernel::Index team{0, {{{kernel::Atom::Kind::warpgroup, 0}, 1}}};
  const int groups = session_.place.warps / 4 / it.teams;
  if (groups > 1) team = divided(session_, team, groups, false);
  if (next) team = divided(session_, team + kernel::Index{1, {}}, it.teams, true);
  ref.operand.copy = std::move(team);
  return ref;
}

Value Evaluator::named_barrier(kernel::BarrierId id, SourceRange where) {
  const kernel::NamedBarrier& it = session_.kernel[id];
  BarrierRef ref{{.kind = kernel::BarrierOperand::Kind::named, .named = id}};
  const int groups = (session_.place.warps + 3) / 4;
  if (it.copies > 1 && groups > it.copies) {
    session_.error(where, few_copies, it.name, it.copies, groups);
    return Bad{};
  }
  if (it.copies > 1 && groups > 1) ref.operand.copy = {0, {{{kernel::Atom::Kind::warpgroup, 0}, 1}}};
  return ref;
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
  if (auto* fragment = of.get<FragmentRef>()) return part_of_fragment(*fragment, view, where, scope);
  if (auto* layout = of.get<LayoutRef>()) return layout_at(*layout, view, where, scope);
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
    session_.error(coord.where, group_out_of_range, session_.one_line(where),
                   *from < 0 ? *from : std::max<std::int64_t>(*from, *from > count ? *from : *from + *extent - 1),
                   session_.one_line(view.of->where), counted(static_cast<std::uint64_t>(count), "register"));
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
    session_.error(view.coords[0].where, stage_out_of_range, pipe.name, *stage,
                   counted(static_cast<std::uint64_t>(pipe.depth), "stage"));
    return Bad{};
  }
  of.operand.stage = *stage;
  of.open = false;
  return of;
}

}  // namespace warpcc::sema
