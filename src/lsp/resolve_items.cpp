// A file's items and a kernel's members.
#include "lsp/resolve.h"

namespace warpcc::lsp {

void Resolver::run() {
  const tree::File& file = *names_.tree_;
  const SourceRange all{names_.file_, 0, static_cast<std::uint32_t>(text_.size())};
  const Scope scope(*this, all);
  declare_items(file.items);
  walk_items(file.items);
  for (std::size_t i = 0; i < names_.declarations_.size(); ++i) {
    const NameRef type = type_of({names_.file_, static_cast<std::int32_t>(i)});
    names_.declarations_[i].type = type;
  }
}

// ---- Scopes

NameRef Resolver::declare(NameKind kind, const tree::Name& name, SourceRange whole, Decl tree) {
  const auto index = static_cast<std::int32_t>(names_.declarations_.size());
  Frame& frame = scopes_.back();
  Declaration made{kind, name.text, name.where, whole, frame.seen, -1, -1, tree};
  const bool item = scopes_.size() == 1;
  if (!item && made.seen.begin < name.where.begin) made.seen.begin = name.where.begin;
  const auto [at, fresh] = frame.names.try_emplace(name.text, index);
  // In another branch, most likely: one name.
  if (!fresh) made.same = at->second;
  if (item) names_.items_.try_emplace(name.text, index);
  names_.declarations_.push_back(std::move(made));
  return {names_.file_, index};
}

NameRef Resolver::declare_part(NameKind kind, const tree::Name& name, SourceRange whole, NameRef parent, Decl tree) {
  const auto index = static_cast<std::int32_t>(names_.declarations_.size());
  names_.declarations_.push_back({kind, name.text, name.where, whole, whole, parent.index, -1, tree});
  names_.parts_[parent.index].push_back(index);
  return {names_.file_, index};
}

NameRef Resolver::find(std::string_view name) const {
  for (auto frame = scopes_.rbegin(); frame != scopes_.rend(); ++frame) {
    if (auto at = frame->names.find(name); at != frame->names.end()) return {names_.file_, at->second};
  }
  return {};
}

void Resolver::use(SourceRange where, NameRef of) {
  if (of && where.file == names_.file_) names_.uses_.push_back({where, of});
}

const Names* Resolver::names_of(NameRef ref) const {
  if (!ref) return nullptr;
  return ref.file == names_.file_ ? &names_ : others_.names(ref.file);
}

const Declaration* Resolver::declaration(NameRef ref) const {
  const Names* in = names_of(ref);
  return in ? &(*in)[ref.index] : nullptr;
}

// ---- Items: all are declared, then all are read, whatever their order

void Resolver::declare_items(const std::vector<tree::Item>& items) {
  for (const tree::Item& item : items) declare_item(item);
}

void Resolver::declare_item(const tree::Item& item) {
  if (auto* use = std::get_if<tree::Use>(&item.is)) {
    tree::Name name;
    if (use->as) {
      name = *use->as;
    } else {
      // The file's name, as it stands in the text (language.md, 3).
      const std::string_view text = text_.substr(use->path_where.begin, use->path_where.end - use->path_where.begin);
      const std::size_t slash = text.find_last_of("/\"", text.size() < 2 ? 0 : text.size() - 2);
      const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
      const std::size_t end = std::min(text.find_first_of(".\"", begin), text.size());
      name.text = std::string(text.substr(begin, end - begin));
      name.where = {names_.file_, use->path_where.begin + static_cast<std::uint32_t>(begin),
                    use->path_where.begin + static_cast<std::uint32_t>(end)};
    }
    declare(NameKind::module, name, item.where, use);
    names_.declarations_.back().module = others_.used(names_.file_, use->path);
  } else if (auto* param = std::get_if<tree::Param>(&item.is)) {
    declare(NameKind::param, param->name, item.where, param);
  } else if (auto* constant = std::get_if<tree::Const>(&item.is)) {
    declare(NameKind::constant, constant->name, item.where, constant);
  } else if (auto* fn = std::get_if<tree::Fn>(&item.is)) {
    declare(NameKind::fn, fn->name, item.where, fn);
  } else if (auto* an_enum = std::get_if<tree::Enum>(&item.is)) {
    const NameRef made = declare(NameKind::enumeration, an_enum->name, item.where, an_enum);
    for (const tree::EnumCase& each : an_enum->cases) {
      const NameRef a_case = declare_part(NameKind::enum_case, each.name, item.where, made, &each);
      for (const tree::Typed& payload : each.payload)
        declare_part(NameKind::parameter, payload.name, item.where, a_case, &payload);
    }
  } else if (auto* a_struct = std::get_if<tree::Struct>(&item.is)) {
    const NameRef made = declare(NameKind::structure, a_struct->name, item.where, a_struct);
    for (const tree::Typed& field : a_struct->fields)
      declare_part(NameKind::field, field.name, item.where, made, &field);
    for (const tree::Statement& each : a_struct->registers) {
      if (auto* plain = std::get_if<tree::Registers>(&each.is)) {
        for (const tree::RegisterDeclarator& reg : plain->names) {
          declare_part(NameKind::field, reg.name, each.where, made, &reg);
          names_.declarations_.back().registers = plain->kind;
        }
      } else if (auto* fragment = std::get_if<tree::Regs>(&each.is)) {
        declare_part(NameKind::field, fragment->name, each.where, made, fragment);
      }
    }
  } else if (auto* proc = std::get_if<tree::Proc>(&item.is)) {
    declare(NameKind::proc, proc->name, item.where, proc);
  } else if (auto* kernel = std::get_if<tree::Kernel>(&item.is)) {
    declare(NameKind::kernel, kernel->name, item.where, kernel);
  } else if (auto* an_if = std::get_if<tree::StaticIf<tree::Item>>(&item.is)) {
    declare_items(an_if->then);
    declare_items(an_if->otherwise);
  } else if (auto* a_match = std::get_if<tree::StaticMatch<tree::Item>>(&item.is)) {
    for (const auto& arm : a_match->arms) declare_items(arm.body);
  }
}

void Resolver::walk_items(const std::vector<tree::Item>& items) {
  for (const tree::Item& item : items) walk_item(item);
}

void Resolver::walk_item(const tree::Item& item) {
  if (auto* param = std::get_if<tree::Param>(&item.is)) {
    expr(param->value, type(param->type));
  } else if (auto* constant = std::get_if<tree::Const>(&item.is)) {
    expr(constant->value, constant->type ? type(*constant->type) : NameRef{});
  } else if (auto* require = std::get_if<tree::Require>(&item.is)) {
    expr(require->condition);
  } else if (auto* tune = std::get_if<tree::Tune>(&item.is)) {
    std::vector<NameRef> keys;
    for (const tree::Name& name : tune->names) {
      const NameRef key = names_.item(name.text);
      use(name.where, key);
      keys.push_back(type_of(key));
    }
    for (const tree::TuneRow& row : tune->rows) {
      const Scope scope(*this, row.where);
      for (std::size_t i = 0; i < row.patterns.size(); ++i)
        pattern(*row.patterns[i], i < keys.size() ? keys[i] : NameRef{}, false);
      expr(row.when);
      for (const auto& [name, value] : row.fields) {
        const NameRef field = names_.item(name.text);
        use(name.where, field);
        expr(value, type_of(field));
      }
    }
  } else if (auto* fn = std::get_if<tree::Fn>(&item.is)) {
    const NameRef of = names_.item(fn->name.text);
    const Scope scope(*this, item.where);
    for (const tree::Typed& parameter : fn->parameters) {
      type(parameter.type);
      declare(NameKind::parameter, parameter.name, item.where, &parameter);
      names_.declarations_.back().parent = of.index;
    }
    expr(fn->body, type(fn->result));
  } else if (auto* an_enum = std::get_if<tree::Enum>(&item.is)) {
    for (const tree::EnumCase& each : an_enum->cases) {
      for (const tree::Typed& payload : each.payload) type(payload.type);
    }
  } else if (auto* a_struct = std::get_if<tree::Struct>(&item.is)) {
    const NameRef of = names_.item(a_struct->name.text);
    const Scope scope(*this, item.where);
    for (const tree::Typed& parameter : a_struct->parameters) {
      type(parameter.type);
      declare(NameKind::parameter, parameter.name, item.where, &parameter);
      names_.declarations_.back().parent = of.index;
    }
    for (const tree::Typed& field : a_struct->fields) type(field.type);
    for (const tree::Statement& each : a_struct->registers) {
      if (auto* plain = std::get_if<tree::Registers>(&each.is)) registers(*plain, each.where, of);
      if (auto* fragment = std::get_if<tree::Regs>(&each.is)) regs(*fragment, each.where, of);
    }
  } else if (auto* a_proc = std::get_if<tree::Proc>(&item.is)) {
    const Scope scope(*this, item.where);
    proc(*a_proc);
  } else if (auto* a_kernel = std::get_if<tree::Kernel>(&item.is)) {
    kernel(*a_kernel, item.where);
  } else if (auto* an_if = std::get_if<tree::StaticIf<tree::Item>>(&item.is)) {
    expr(an_if->condition);
    walk_items(an_if->then);
    walk_items(an_if->otherwise);
  } else if (auto* a_match = std::get_if<tree::StaticMatch<tree::Item>>(&item.is)) {
    const NameRef of = expr(a_match->value);
    for (const auto& arm : a_match->arms) {
      const Scope scope(*this, item.where);
      pattern(*arm.pattern, of, false);
      walk_items(arm.body);
    }
  }
}

// ---- Procs

void Resolver::proc(const tree::Proc& proc) {
  const NameRef of = names_.item(proc.name.text);
  for (const tree::Formal& each : proc.formals) {
    formal(each);
    declare(NameKind::parameter, each.name, each.where, &each);
    names_.declarations_.back().parent = of.index;
    if (auto* end = std::get_if<tree::Formal::EndParameter>(&each.is)) {
      const NameRef made{names_.file_, static_cast<std::int32_t>(names_.declarations_.size()) - 1};
      for (const tree::Name& carried : end->carries)
        declare_part(NameKind::carried, carried, each.where, made, std::monostate());
    }
  }
  block(proc.body);
}

void Resolver::formal(const tree::Formal& formal) {
  using F = tree::Formal;
  if (auto* constant = std::get_if<F::ConstValue>(&formal.is)) type(constant->type);
  if (auto* reg = std::get_if<F::RegisterParameter>(&formal.is)) expr(reg->count);
  if (auto* bundle = std::get_if<F::BundleParameter>(&formal.is)) type(bundle->type);
  if (auto* view = std::get_if<F::ViewParameter>(&formal.is)) {
    copies(view->copies);
    if (view->tile) tile(*view->tile);
  }
}

void Resolver::tile(const tree::Tile& tile) {
  path(tile.element);
  for (const tree::ExprPtr& extent : tile.shape) expr(extent);
}

void Resolver::copies(const std::vector<tree::Copies>& copies) {
  for (const tree::Copies& each : copies) expr(each.count);
}

void Resolver::pins(const std::vector<tree::Pin>& pins) {
  for (const tree::Pin& pin : pins) {
    use(pin.axis.where, find(pin.axis.text));
    expr(pin.at);
  }
}

// ---- Kernels

void Resolver::kernel(const tree::Kernel& kernel, SourceRange where) {
  const Scope scope(*this, where);
  for (const tree::ClusterAxis& axis : kernel.cluster) {
    expr(axis.extent);
    declare(NameKind::axis, axis.name, axis.name.where);
  }
  for (const tree::ExprPtr& extent : kernel.grid) expr(extent);
  expr(kernel.registers);
  for (const tree::GlobalParameter& each : kernel.parameters) {
    tile(each.tile);
    expr(each.layout);
    declare(NameKind::global, each.name, each.name.where, &each);
  }
  // What is declared is seen in all code, wherever that stands.
  members(kernel.members, false);
  members(kernel.members, true);
}

void Resolver::members(const std::vector<tree::Member>& members, bool code) {
  for (const tree::Member& each : members) member(each, code);
}

void Resolver::member(const tree::Member& member, bool code) {
  const SourceRange where = member.where;
  if (auto* an_if = std::get_if<tree::StaticIf<tree::Member>>(&member.is)) {
    if (!code) expr(an_if->condition);
    members(an_if->then, code);
    members(an_if->otherwise, code);
    return;
  }
  if (auto* a_for = std::get_if<tree::StaticFor<tree::Member>>(&member.is)) {
    // Both times whole: what it declares is its own.
    if (!code) return;
    range(a_for->range);
    expr(a_for->step);
    const Scope scope(*this, where);
    declare(NameKind::variable, a_for->variable, a_for->variable.where);
    members(a_for->body, false);
    members(a_for->body, true);
    return;
  }
  if (auto* a_match = std::get_if<tree::StaticMatch<tree::Member>>(&member.is)) {
    const NameRef of = code ? guess(a_match->value) : expr(a_match->value);
    for (const auto& arm : a_match->arms) {
      if (!code) pattern(*arm.pattern, of, false);
      members(arm.body, code);
    }
    return;
  }
  if (code) {
    if (auto* a_role = std::get_if<tree::Role>(&member.is)) role(*a_role);
    if (auto* start = std::get_if<tree::Start>(&member.is)) block(start->body);
    if (auto* finish = std::get_if<tree::Finish>(&member.is)) block(finish->body);
    return;
  }
  if (auto* buffer = std::get_if<tree::Buffer>(&member.is)) {
    copies(buffer->copies);
    tile(buffer->tile);
    expr(buffer->layout);
    declare(buffer->tensor ? NameKind::tensor : NameKind::shared, buffer->name, where, buffer);
  } else if (auto* pipe = std::get_if<tree::Pipe>(&member.is)) {
    expr(pipe->depth);
    for (const tree::Name& name : pipe->carries) use(name.where, find(name.text));
    pins(pipe->from);
    pins(pipe->to);
    if (pipe->across) use(pipe->across->where, find(pipe->across->text));
    declare(NameKind::pipe, pipe->name, where, pipe);
  } else if (auto* barrier = std::get_if<tree::Barrier>(&member.is)) {
    copies(barrier->copies);
    expr(barrier->warps);
    declare(NameKind::barrier, barrier->name, where, barrier);
  } else if (auto* constant = std::get_if<tree::Const>(&member.is)) {
    expr(constant->value, constant->type ? type(*constant->type) : NameRef{});
    declare(NameKind::constant, constant->name, where, constant);
  } else if (auto* require = std::get_if<tree::Require>(&member.is)) {
    expr(require->condition);
  } else if (auto* a_role = std::get_if<tree::Role>(&member.is)) {
    // Nothing names a role; it is listed.
    names_.declarations_.push_back(
        {NameKind::role, a_role->name.text, a_role->name.where, where, a_role->name.where, -1, -1, a_role});
  }
}

void Resolver::role(const tree::Role& role) {
  const SourceRange where{names_.file_, role.name.where.begin, role.body.where.end};
  const Scope scope(*this, where);
  expr(role.warps.first);
  expr(role.warps.end);
  pins(role.at);
  expr(role.registers);
  for (const tree::End& end : role.ends) {
    use(end.pipe.where, find(end.pipe.text));
    expr(end.turn);
    declare(NameKind::end, end.name, end.name.where, &end);
  }
  block(role.body);
}

}  // namespace warpcc::lsp
