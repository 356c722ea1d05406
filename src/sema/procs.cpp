// Procs: put in where they are called, with what they were given under their own names.
#include <algorithm>

#include "sema/build.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string> not_a_proc{"not-a-proc", "a proc is wanted; {}"};
constexpr Message<std::string> calls_itself{"calls-itself", "`{}` cannot call itself"};
constexpr Message<std::string> instruction_called{
    "not-a-proc", "`{0}` is an instruction: its operands stand without parentheses, `{0} …;`"};
constexpr Message<int> calls_too_deep{"too-deep", "procs call procs more than {} deep here"};
constexpr Message<std::string, std::string, std::string> argument_count{"wrong-count", "`{}` takes {}; {} given"};
constexpr Message<std::string> wants_block{"wants-block", "`{}` takes a block: `{{ … }}`"};
constexpr Message<std::string> no_block{"wants-block", "`{}` takes no block"};
constexpr Message<> no_names{"wrong-arguments", "the arguments of a proc have no names"};
constexpr Message<std::string, std::string, std::string> wrong_argument{"wrong-argument",
                                                                        "the parameter `{}` takes {}; {}"};
constexpr Message<std::string, std::string, std::string> kind_argument{"operand-kind",
                                                                       "the parameter `{}` takes {}; {}"};
constexpr Message<std::string, std::string> must_be_register{"wrong-argument",
                                                             "`{}` is written: it takes a register; {}"};
constexpr Message<std::string, std::string> read_only{
    "read-only",
    "`{}` is a parameter that is only read: it is handed on to `{}`, which is written; say `out` or `inout`"};
constexpr Message<std::string, std::string, std::string, std::string> aliased{
    "aliased", "`{}` is both `{}`, which `{}` writes, and `{}`, which it reads afterwards"};
constexpr Message<std::string, std::string, std::string, std::string> aliased_twice{
    "aliased", "`{}` is both `{}` and `{}`, which `{}` writes"};
constexpr Message<std::string, std::string> does_not_carry{"wrong-argument", "the pipe `{}` does not carry `{}`"};
constexpr Message<std::string, std::string, std::string> other_tile{"wrong-tile",
                                                                    "the parameter `{}` takes {}; this is {}"};

std::string_view space_word(tree::Formal::Space space) {
  constexpr std::string_view kWords[] = {"global memory", "shared memory", "tensor memory", "registers"};
  return kWords[static_cast<int>(space)];
}

std::string wanted_registers(isa::File file, int count) {
  const char* name = file == isa::File::r    ? "general register (`r`)"
                     : file == isa::File::ur ? "uniform register (`ur`)"
                     : file == isa::File::p  ? "predicate a lane (`p`)"
                                             : "uniform predicate (`up`)";
  return count > 1 ? fmt::format("a group of {} registers, each a {}", count, name) : fmt::format("a {}", name);
}

}  // namespace

void Builder::call(const tree::Call& it, SourceRange where, Scope& scope) {
  if (const std::string word = session_.one_line(it.callee.where);
      isa::statement(word) && !evaluator_.look_up(it.callee.names.front().text, it.callee.where, scope)) {
    session_.error(it.callee.where, instruction_called, word);
    return;
  }
  const Value callee = evaluator_.path(it.callee, scope);
  if (callee.bad()) return;
  auto* proc = callee.get<ProcRef>();
  if (!proc) {
    session_.error(it.callee.where, not_a_proc,
                   fmt::format("`{}` is {}", session_.one_line(it.callee.where), describe(callee, session_.kernel)));
    return;
  }
  const std::string& name = proc->tree->name.text;
  int depth = 0;
  for (const ActiveProc* active = active_; active; active = active->outer, ++depth) {
    if (active->proc != proc->tree) continue;
    session_.error(it.callee.where, calls_itself, name);
    return;
  }
  if (static_cast<int>(session_.chain.size()) >= Session::kDeepestCalls) {
    session_.error(it.callee.where, calls_too_deep, Session::kDeepestCalls);
    return;
  }
  const SourceRange site{where.file, where.begin, it.body ? std::max(where.begin, it.body->where.begin) : where.end};
  Scope inner(names_around(*proc));
  const std::size_t said = session_.diagnostics.all().size();
  // What was wrong with an argument may have been said where it is declared.
  if (!hand_over(*proc, it, site, scope, inner) || session_.diagnostics.all().size() != said) return;

  session_.chain.push_back({name, it.callee.where});
  std::vector<kernel::Call>& calls = session_.kernel.calls;
  calls.push_back({name, it.callee.where, session_.call});
  const kernel::CallId caller = std::exchange(session_.call, static_cast<kernel::CallId>(calls.size() - 1));
  begin_outs(*proc->tree, inner, where);
  const ActiveProc active{proc->tree, active_};
  active_ = &active;
  const std::size_t floor = std::exchange(break_floor_, loops_.size());
  block(proc->tree->body, inner);
  break_floor_ = floor;
  active_ = active.outer;
  session_.call = caller;
  session_.chain.pop_back();
}

bool Builder::hand_over(const ProcRef& proc, const tree::Call& it, SourceRange where, Scope& scope, Scope& inner) {
  const tree::Proc& of = *proc.tree;
  std::size_t given = 0;
  bool took_block = false;
  const auto wanted =
      static_cast<std::size_t>(std::count_if(of.formals.begin(), of.formals.end(), [](const tree::Formal& formal) {
        return !std::holds_alternative<tree::Formal::BlockParameter>(formal.is);
      }));
  if (it.arguments.size() != wanted) {
    session_.error(where, argument_count, of.name.text, counted(wanted, "argument"), there_are(it.arguments.size()))
        .note(of.name.where, "declared here");
    return false;
  }
  for (const tree::Formal& formal : of.formals) {
    if (std::holds_alternative<tree::Formal::BlockParameter>(formal.is)) {
      if (!it.body || took_block) {
        session_.error(where, wants_block, of.name.text);
        return false;
      }
      took_block = true;
      inner.bind(
          formal.name.text,
          BlockRef{&*it.body, &scope, active_, session_.chain.size(), session_.call, loops_.size(), break_floor_},
          formal.name.where);
      continue;
    }
    const tree::Argument& argument = it.arguments[given++];
    if (argument.name) {
      session_.error(argument.name->where, no_names);
      return false;
    }
    if (!hand_over(formal, *argument.value, scope, inner, of)) return false;
  }
  if (it.body && !took_block) {
    session_.error(it.body->where, no_block, of.name.text);
    return false;
  }
  return not_aliased(of, it, inner);
}

bool Builder::hand_over(const tree::Formal& formal, const tree::Expr& argument, Scope& scope, Scope& inner,
                        const tree::Proc& proc) {
  using F = tree::Formal;
  const std::string& name = formal.name.text;
  auto refuse = [&](std::string wanted, const Value& value) {
    session_
        .error(argument.where, wrong_argument, name, wanted,
               fmt::format("`{}` is {}", session_.one_line(argument.where), describe(value, session_.kernel)))
        .note(formal.where, "declared here");
    return false;
  };
  if (auto* constant = std::get_if<F::ConstValue>(&formal.is)) {
    const std::optional<Type> type = evaluator_.resolve(constant->type, inner);
    if (!type) return false;
    Value value = evaluator_.typed(argument, scope, *type, "`" + name + "`");
    if (value.bad()) return false;
    session_.means(formal.name.where, value);
    inner.bind(name, std::move(value), formal.name.where);
    return true;
  }
  Value value = evaluator_.eval(argument, scope);
  if (value.bad()) return false;
  if (auto* wanted = std::get_if<F::RegisterParameter>(&formal.is)) {
    std::optional<Value> handed = register_argument(formal, *wanted, value, argument, inner);
    if (!handed) return false;
    session_.means(formal.name.where, *handed);
    inner.bind(name, std::move(*handed), formal.name.where);
    return true;
  }
  if (std::holds_alternative<F::PipeParameter>(formal.is)) {
    if (!value.has<PipeRef>()) return refuse("a pipe", value);
  } else if (auto* wanted = std::get_if<F::EndParameter>(&formal.is)) {
    auto* end = value.get<EndRef>();
    const bool fits = end && (session_.kernel[end->id].side == kernel::Side::producer) == wanted->producer;
    if (!fits) return refuse(wanted->producer ? "a producer's end" : "a consumer's end", value);
    const kernel::Pipe& pipe = session_.kernel[session_.kernel[end->id].pipe];
    for (const tree::Name& carried : wanted->carries) {
      const bool carries = std::any_of(pipe.carries.begin(), pipe.carries.end(),
                                       [&](kernel::BufferId id) { return session_.kernel[id].name == carried.text; });
      if (carries) continue;
      session_.error(argument.where, does_not_carry, pipe.name, carried.text).note(formal.where, "asked for here");
      return false;
    }
  } else if (auto* wanted = std::get_if<F::ViewParameter>(&formal.is)) {
    std::optional<Value> handed = view_argument(formal, *wanted, value, argument, inner);
    if (!handed) return false;
    value = std::move(*handed);
  } else if (auto* wanted = std::get_if<F::BundleParameter>(&formal.is)) {
    const std::optional<Type> type = evaluator_.resolve(wanted->type, inner);
    if (!type) return false;
    auto* bundle = std::get_if<BundleRef>(&value.is);
    if (!bundle || !evaluator_.conforms(value, *type))
      return refuse(fmt::format("a bundle of registers, `{}`", session_.one_line(wanted->type.where)), value);
    if (formal.way != F::Way::in && !bundle->writable) {
      session_.error(argument.where, read_only, session_.one_line(argument.where), name);
      return false;
    }
    bundle->writable = formal.way != F::Way::in;
  }
  session_.means(formal.name.where, value);
  inner.bind(name, std::move(value), formal.name.where);
  return true;
}

std::optional<Value> Builder::register_argument(const tree::Formal& formal,
                                                const tree::Formal::RegisterParameter& wanted, const Value& value,
                                                const tree::Expr& argument, Scope& inner) {
  const auto file = static_cast<isa::File>(wanted.kind);
  int count = 1;
  if (wanted.count) {
    const std::optional<std::int64_t> given = evaluator_.integer(*wanted.count, inner, "the size of a group");
    if (!given) return std::nullopt;
    count = static_cast<int>(std::clamp<std::int64_t>(*given, 0, 255));
  }
  const bool written = formal.way != tree::Formal::Way::in;
  const std::string text = session_.one_line(argument.where);
  const std::string what = fmt::format("`{}` is {}", text, describe(value, session_.kernel));
  if (auto* ref = value.get<RegisterRef>()) {
    if (ref->file != file || ref->operand.count != count) {
      std::string given = what;
      if (ref->file == isa::File::ur && file == isa::File::r) given += "; `mov` makes one";
      if (ref->file == isa::File::r && file == isa::File::ur) given += "; `r2ur` makes one";
      session_.error(argument.where, kind_argument, formal.name.text, wanted_registers(file, count), given)
          .note(formal.where, "declared here");
      return std::nullopt;
    }
    if (written && !ref->writable) {
      session_.error(argument.where, read_only, text, formal.name.text);
      return std::nullopt;
    }
    RegisterRef handed = *ref;
    handed.writable = written;
    handed.group = wanted.count != nullptr;
    return handed;
  }
  if (written) {
    session_.error(argument.where, must_be_register, formal.name.text, what).note(formal.where, "declared here");
    return std::nullopt;
  }
  const bool predicate = file == isa::File::p || file == isa::File::up;
  if (count == 1 && predicate && value.has<bool>()) return value;
  if (count == 1 && !predicate && value.has<std::int64_t>()) return value;
  if (auto* index = value.get<kernel::Index>(); index && count == 1 && !predicate && is_fixed(*index)) {
    if (file == isa::File::r || !differs_by_lane(session_.kernel, *index)) return value;
  }
  session_.error(argument.where, kind_argument, formal.name.text, wanted_registers(file, count), what)
      .note(formal.where, "declared here");
  return std::nullopt;
}

std::optional<Value> Builder::view_argument(const tree::Formal& formal, const tree::Formal::ViewParameter& wanted,
                                            const Value& value, const tree::Expr& argument, Scope& inner) {
  using Space = tree::Formal::Space;
  auto refuse = [&](const std::string& is, const std::string& given) -> std::optional<Value> {
    session_.error(argument.where, other_tile, formal.name.text, is, given).note(formal.where, "declared here");
    return std::nullopt;
  };
  const kernel::Kernel& kernel = session_.kernel;
  std::vector<std::int64_t> shape;
  layout::Element element{};
  bool ring_open = false;
  std::int64_t ring = -1;
  if (wanted.space == Space::regs) {
    auto* fragment = value.get<FragmentRef>();
    if (!fragment) return refuse("a fragment", describe(value, kernel));
    shape = fragment->extents;
    element = kernel[fragment->id].element;
  } else {
    auto* view = value.get<ViewRef>();
    constexpr kernel::MemorySpace kSpaces[] = {kernel::MemorySpace::global, kernel::MemorySpace::shared,
                                               kernel::MemorySpace::tensor};
    if (!view || kernel[view->view.buffer].space != kSpaces[static_cast<int>(wanted.space)]) {
      return refuse(fmt::format("a view of {}", space_word(wanted.space)), describe(value, kernel));
    }
    const kernel::Buffer& buffer = kernel[view->view.buffer];
    for (const int dimension : view->kept) shape.push_back(view->view.slices[dimension].extent);
    element = buffer.element;
    ring_open = view->ring_open;
    for (const kernel::Copies& copies : buffer.copies) {
      if (copies.kind == kernel::Copies::Kind::ring) ring = copies.count;
    }
  }
  if (!wanted.copies.empty() || ring_open) {
    std::vector<kernel::Copies> asked;
    if (!copies(wanted.copies, inner, asked)) return std::nullopt;
    const bool same =
        asked.size() == 1 && asked[0].kind == kernel::Copies::Kind::ring && ring_open && asked[0].count == ring;
    const std::string is = asked.empty() ? "one tile" : fmt::format("a ring of {}", asked[0].count);
    if (!same && (wanted.tile || !asked.empty()))
      return refuse(is, ring_open ? fmt::format("a ring of {}", ring) : "one tile");
  }
  if (wanted.tile) {
    const std::optional<layout::Element> of = evaluator_.element(wanted.tile->element, inner);
    if (!of) return std::nullopt;
    std::vector<std::int64_t> extents;
    for (const tree::ExprPtr& each : wanted.tile->shape) {
      const std::optional<std::int64_t> extent = evaluator_.integer(*each, inner, "an extent");
      if (!extent) return std::nullopt;
      extents.push_back(*extent);
    }
    auto words = [](layout::Element e, const std::vector<std::int64_t>& s) {
      std::string text = std::string(layout::name(e));
      for (std::size_t i = 0; i < s.size(); ++i) text += (i == 0 ? "[" : ", ") + std::to_string(s[i]);
      return s.empty() ? text : text + "]";
    };
    if (*of != element || extents != shape)
      return refuse("`" + words(*of, extents) + "`", "`" + words(element, shape) + "`");
  }
  Value handed = value;
  if (auto* fragment = std::get_if<FragmentRef>(&handed.is))
    fragment->writable = fragment->writable && formal.way != tree::Formal::Way::in;
  return handed;
}

// What a proc is handed as `out` it writes before it reads it.
void Builder::begin_outs(const tree::Proc& proc, Scope& inner, SourceRange where) {
  kernel::Outs outs;
  auto add = [&](auto& self, const Value& value) -> void {
    if (auto* reg = value.get<RegisterRef>()) {
      outs.registers.push_back(reg->operand);
    } else if (auto* fragment = value.get<FragmentRef>()) {
      outs.registers.push_back({fragment->id, fragment->first, fragment->count, false});
    } else if (auto* bundle = value.get<BundleRef>()) {
      for (const auto& [name, field] : bundle->bundle->fields) self(self, field);
    }
  };
  for (const tree::Formal& formal : proc.formals) {
    if (formal.way != tree::Formal::Way::out) continue;
    if (const Scope::Binding* binding = inner.find_here(formal.name.text)) add(add, binding->value);
  }
  if (!outs.registers.empty()) emit({std::move(outs)}, where);
}

// A register that the proc writes is handed to it once: what it reads under another name would change under its hands.
bool Builder::not_aliased(const tree::Proc& proc, const tree::Call& it, Scope& inner) {
  struct Handed {
    kernel::RegisterOperand operand;
    bool written;
    const tree::Formal* formal;
    SourceRange where;
  };
  std::vector<Handed> all;
  auto add = [&](auto&& self, const Value& value, const tree::Formal& formal, SourceRange where) -> void {
    const bool written = formal.way != tree::Formal::Way::in;
    if (auto* reg = value.get<RegisterRef>())
      all.push_back({reg->operand, written, &formal, where});
    else if (auto* fragment = value.get<FragmentRef>())
      all.push_back({{fragment->id, fragment->first, fragment->count, false}, written, &formal, where});
    else if (auto* bundle = value.get<BundleRef>()) {
      for (const auto& [name, field] : bundle->bundle->fields) self(self, field, formal, where);
    }
  };
  std::size_t given = 0;
  for (const tree::Formal& formal : proc.formals) {
    if (std::holds_alternative<tree::Formal::BlockParameter>(formal.is)) continue;
    const SourceRange where = it.arguments[given++].value->where;
    if (const Scope::Binding* binding = inner.find_here(formal.name.text)) add(add, binding->value, formal, where);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Handed &a = all[j], &b = all[i];
      if (a.formal == b.formal || a.operand.id != b.operand.id || (!a.written && !b.written)) continue;
      if (a.operand.part + a.operand.count <= b.operand.part || b.operand.part + b.operand.count <= a.operand.part)
        continue;
      const std::string reg = session_.kernel[a.operand.id].name;
      if (a.written && b.written) {
        session_.error(b.where, aliased_twice, reg, a.formal->name.text, b.formal->name.text, proc.name.text)
            .note(a.where, "and here");
      } else {
        const Handed& writes = a.written ? a : b;
        const Handed& reads = a.written ? b : a;
        session_.error(reads.where, aliased, reg, writes.formal->name.text, proc.name.text, reads.formal->name.text)
            .note(writes.where, "and here");
      }
      return false;
    }
  }
  return true;
}

// The block that a proc was handed, where it stands: it sees its caller's names, and is the caller's text for
// complaints.
void Builder::splice(const BlockRef& ref) {
  std::vector<Session::Entered> inner_chain(session_.chain.begin() + static_cast<std::ptrdiff_t>(ref.chain),
                                            session_.chain.end());
  session_.chain.resize(ref.chain);
  const kernel::CallId call = std::exchange(session_.call, ref.call);
  const ActiveProc* active = std::exchange(active_, ref.active);
  const std::size_t floor = std::exchange(break_floor_, loops_.size() == ref.loops ? ref.break_floor : loops_.size());
  block(*ref.block, *ref.scope);
  break_floor_ = floor;
  active_ = active;
  session_.call = call;
  session_.chain.insert(session_.chain.end(), inner_chain.begin(), inner_chain.end());
}

}  // namespace warpcc::sema
