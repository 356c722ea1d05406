#include "sema/modules.h"

#include <algorithm>

#include "frontend/parse.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "sema/eval.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> no_file{"no-file", "`{}` is not found{}"};
constexpr Message<std::string> unreadable{"no-file", "{}"};
constexpr Message<std::string> use_cycle{"use-cycle", "files use each other in a circle: {}"};
constexpr Message<std::string> use_too_deep{"use-cycle", "`{}`: files use files more than 64 deep"};
constexpr Message<std::string> declared_already{"declared-twice", "`{}` is declared already"};
constexpr Message<std::string> no_arm{"no-arm", "no arm of this `match` has the form {}"};
constexpr Message<> param_in_library{"param-in-library", "a `param` stands in the file that holds the kernel"};
constexpr Message<> kernel_in_library{"kernel-in-library", "a file that is used holds no kernel"};
constexpr Message<> two_kernels{"two-kernels", "a file holds one kernel"};
constexpr Message<> no_kernel{"no-kernel", "this file holds no kernel"};
constexpr Message<std::string> made_of_itself{"made-of-itself", "`{}` is made of itself"};
constexpr Message<std::string> failed_requirement{"requirement", "{}"};
constexpr Message<std::string> not_at_file{"requirement", "a requirement is true or false at compile time; {}"};
constexpr Message<std::string> for_at_file{"for-range", "{}"};

constexpr std::size_t kDeepestUse = 64;
constexpr std::size_t kMostValues = 8;  // of a failed requirement, in notes

}  // namespace

const tree::Kernel* Modules::load(FileId file, std::shared_ptr<const tree::File> tree) {
  declare_file(file, std::string(session_.sources.path(file)), std::move(tree), true);
  Module& main = *modules_.front();
  check_definitions();
  // In the order of the text: what is said must not hang on how names are stored.
  std::vector<std::pair<std::uint32_t, std::string_view>> names;
  for (const auto& [name, item] : main.items) names.emplace_back(item.where.begin, name);
  std::sort(names.begin(), names.end());
  for (const auto& [at, name] : names) {
    const ModuleItem& item = main.items.at(name);
    if (item.param) this->item(main, name, item.where);
  }
  if (session_.diagnostics.failed()) return nullptr;
  if (tune_) choose_row();
  for (const Requirement& requirement : requirements_)
    require(*requirement.require, requirement.where, *requirement.scope);
  // Constants of the kernel's file that nothing reads are still text that somebody wrote.
  for (const auto& [at, name] : names) this->item(main, name, main.items.at(name).where);
  if (!kernel_ && !options_.is_module) session_.error({file, 0, 0}, no_kernel);
  return session_.diagnostics.failed() ? nullptr : kernel_;
}

Module* Modules::load_file(const std::string& path, const tree::Use& use) {
  if (options_.library) {
    if (auto known = options_.library->files.find(path); known != options_.library->files.end())
      return declare_file(known->second.file, path, known->second.tree, false);
  }
  llvm::Expected<FileId> file = session_.sources.load(path);
  if (!file) {
    session_.error(use.path_where, unreadable, llvm::toString(file.takeError()));
    return nullptr;
  }
  std::optional<tree::File> parsed = parse(*file, session_.sources, session_.diagnostics);
  if (!parsed) return nullptr;
  auto tree = std::make_shared<const tree::File>(std::move(*parsed));
  if (options_.library) options_.library->files.try_emplace(path, Library::File{*file, tree});
  return declare_file(*file, path, std::move(tree), false);
}

Module* Modules::declare_file(FileId file, std::string path, std::shared_ptr<const tree::File> tree, bool main) {
  Module& module = *modules_.emplace_back(std::make_unique<Module>());
  module.path = std::move(path);
  module.file = file;
  module.main = main;
  module.tree = std::move(tree);
  module.loading = true;
  loading_.push_back(&module);
  std::vector<Later> outer = std::exchange(later_, {});
  declare(module, module.tree->items, module.scope);
  for (std::size_t i = 0; i < later_.size(); ++i) {
    const Later each = later_[i];
    choose_branch(module, *each.item, *each.scope);
  }
  later_ = std::move(outer);
  loading_.pop_back();
  module.loading = false;
  return &module;
}

void Modules::say_cycle(const Module& found, const tree::Use& use) {
  auto begin = std::find(loading_.begin(), loading_.end(), &found);
  std::string circle;
  for (auto at = begin; at != loading_.end(); ++at) {
    circle += fmt::format("`{}` uses ", llvm::sys::path::filename((*at)->path).str());
  }
  session_.error(use.path_where, use_cycle, circle + "`" + llvm::sys::path::filename(found.path).str() + "`");
}

std::optional<std::string> Modules::find_file(const Module& module, const std::string& path) const {
  llvm::SmallString<256> at(llvm::sys::path::parent_path(module.path));
  llvm::sys::path::append(at, path);
  llvm::sys::path::remove_dots(at, true);
  if (llvm::sys::fs::exists(at)) return std::string(at);
  for (const std::string& folder : options_.library_folders) {
    at = folder;
    llvm::sys::path::append(at, path);
    llvm::sys::path::remove_dots(at, true);
    if (llvm::sys::fs::exists(at)) return std::string(at);
  }
  return std::nullopt;
}

void Modules::use(Module& module, const tree::Use& use, SourceRange where) {
  const std::optional<std::string> path = find_file(module, use.path);
  if (!path) {
    std::string where_looked = " beside this file";
    for (const std::string& folder : options_.library_folders) {
      where_looked += (&folder == options_.library_folders.data() ? ", nor in " : ", ") + folder;
    }
    session_.error(use.path_where, no_file, use.path, where_looked);
    return;
  }
  Module* found = nullptr;
  for (const std::unique_ptr<Module>& known : modules_) {
    if (known->path == *path) found = known.get();
  }
  if (found && found->loading) {
    say_cycle(*found, use);
    return;
  }
  if (!found) {
    if (loading_.size() > kDeepestUse) {
      session_.error(use.path_where, use_too_deep, use.path);
      return;
    }
    found = load_file(*path, use);
    if (!found) return;
  }
  if (options_.library) options_.library->used.insert_or_assign(std::pair(module.file, use.path), found->file);
  ModuleItem item;
  item.value = found;
  item.where = where;
  if (use.as) {
    declare(module, *use.as, std::move(item));
    return;
  }
  // The name is the file's, without its folders: it stands in the text, between the last `/` and the `.`.
  const std::string_view text = session_.text(use.path_where);
  const std::size_t slash = text.find_last_of("/\"", text.size() - 2);
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string_view stem = text.substr(begin, std::min(text.find_first_of(".\"", begin), text.size()) - begin);
  auto [at, fresh] = module.items.emplace(stem, item);
  if (!fresh && !(at->second.value.get<Module*>() && *at->second.value.get<Module*>() == found)) {
    session_.error(use.path_where, declared_already, std::string(stem)).note(at->second.where, "here");
  }
}

void Modules::declare(Module& module, const tree::Name& name, ModuleItem item) {
  const SourceRange where = name.where;
  item.where = where;
  auto [at, fresh] = module.items.emplace(name.text, std::move(item));
  if (!fresh) session_.error(where, declared_already, name.text).note(at->second.where, "here");
}

void Modules::declare(Module& module, const std::vector<tree::Item>& items, Scope& scope) {
  for (const tree::Item& item : items) declare(module, item, scope);
}

void Modules::declare(Module& module, const tree::Item& item, Scope& scope) {
  Scope* const arm = &scope == &module.scope ? nullptr : &scope;
  auto named = [&](const tree::Name& name, Value value) {
    ModuleItem made;
    made.value = std::move(value);
    declare(module, name, std::move(made));
  };
  if (auto* a_use = std::get_if<tree::Use>(&item.is)) {
    use(module, *a_use, item.where);
  } else if (auto* param = std::get_if<tree::Param>(&item.is)) {
    if (!module.main) {
      session_.error(item.where, param_in_library);
      return;
    }
    ModuleItem made;
    made.state = ModuleItem::State::waiting;
    made.param = param;
    made.arm = arm;
    params_.push_back(param);
    declare(module, param->name, std::move(made));
  } else if (auto* constant = std::get_if<tree::Const>(&item.is)) {
    ModuleItem made;
    made.state = ModuleItem::State::waiting;
    made.constant = constant;
    made.arm = arm;
    declare(module, constant->name, std::move(made));
  } else if (auto* require = std::get_if<tree::Require>(&item.is)) {
    requirements_.push_back({require, item.where, &scope});
  } else if (auto* tune = std::get_if<tree::Tune>(&item.is)) {
    constexpr Message<> one_tune{"two-tunes", "a file has one `tune`, the kernel's"};
    if (tune_ || !module.main) {
      session_.error(item.where, one_tune);
      return;
    }
    tune_ = tune;
    tune_where_ = item.where;
  } else if (auto* fn = std::get_if<tree::Fn>(&item.is)) {
    named(fn->name, FnRef{fn, &module, arm});
  } else if (auto* an_enum = std::get_if<tree::Enum>(&item.is)) {
    named(an_enum->name, EnumRef{an_enum, &module, arm});
  } else if (auto* a_struct = std::get_if<tree::Struct>(&item.is)) {
    named(a_struct->name, StructRef{a_struct, &module, arm});
  } else if (auto* proc = std::get_if<tree::Proc>(&item.is)) {
    named(proc->name, ProcRef{proc, &module, arm});
  } else if (auto* kernel = std::get_if<tree::Kernel>(&item.is)) {
    if (!module.main || kernel_) {
      if (module.main) session_.error(kernel->name.where, two_kernels);
      if (!module.main) session_.error(kernel->name.where, kernel_in_library);
      return;
    }
    kernel_ = kernel;
    named(kernel->name, KernelRef{kernel, &module});
  } else if (std::get_if<tree::StaticFor<tree::Item>>(&item.is)) {
    constexpr Message<> no_for{"for-at-file", "a `for` among a file's items would declare its names once a round"};
    session_.error(item.where, no_for);
  } else {
    later_.push_back({&item, &scope});
  }
}

void Modules::choose_branch(Module& module, const tree::Item& item, Scope& scope) {
  if (auto* an_if = std::get_if<tree::StaticIf<tree::Item>>(&item.is)) {
    const std::optional<bool> taken = evaluator_.boolean(*an_if->condition, scope, "the condition of an `if`");
    if (taken) declare(module, *taken ? an_if->then : an_if->otherwise, scope);
    return;
  }
  const auto& a_match = std::get<tree::StaticMatch<tree::Item>>(item.is);
  std::vector<const tree::Param*> reads;
  std::vector<const tree::Param*>* outer = std::exchange(reads_, &reads);
  read_of(&scope);
  const Value value = evaluator_.eval(*a_match.value, scope);
  reads_ = outer;
  if (value.bad()) return;
  for (const auto& arm : a_match.arms) {
    auto binds = std::make_unique<Scope>(scope);
    const std::optional<bool> same = evaluator_.matches(*arm.pattern, value, *binds);
    if (!same) return;
    if (!*same) continue;
    if (binds->bindings().empty()) {
      declare(module, arm.body, scope);
    } else {
      arm_reads_.emplace(binds.get(), std::move(reads));
      declare(module, arm.body, *arms_.emplace_back(std::move(binds)));
    }
    return;
  }
  session_.error(a_match.value->where, no_arm, show(value));
}

// ---- Values of items

void Modules::read(const std::vector<const tree::Param*>& params) {
  if (!reads_) return;
  for (const tree::Param* param : params) {
    if (std::find(reads_->begin(), reads_->end(), param) == reads_->end()) reads_->push_back(param);
  }
}

void Modules::read_of(const Scope* arm) {
  if (auto at = arm_reads_.find(arm); at != arm_reads_.end()) read(at->second);
}

const Value* Modules::item(Module& module, std::string_view name, SourceRange where) {
  auto at = module.items.find(name);
  if (at == module.items.end()) return nullptr;
  ModuleItem& item = at->second;
  if (item.state == ModuleItem::State::busy) {
    session_.error(where, made_of_itself, std::string(name));
    static const Value kBad;
    return &kBad;
  }
  if (item.state == ModuleItem::State::waiting) {
    item.state = ModuleItem::State::busy;
    std::vector<const tree::Param*>* outer = std::exchange(reads_, &item.read);
    const Place place = std::exchange(session_.place, Place{});
    Scope& around = item.arm ? *item.arm : module.scope;
    read_of(item.arm);
    if (item.param) {
      item.value = parameter(module, *item.param);
      item.read = {item.param};
    } else if (item.constant->type) {
      const std::optional<Type> type = evaluator_.resolve(*item.constant->type, around);
      item.value = type ? evaluator_.typed(*item.constant->value, around, *type, "`" + item.constant->name.text + "`")
                        : Value(Bad{});
    } else {
      item.value = evaluator_.eval(*item.constant->value, around);
    }
    session_.place = place;
    reads_ = outer;
    item.state = ModuleItem::State::ready;
    session_.means(item.where, item.value);
  }
  read(item.read);
  return &item.value;
}

std::string_view Modules::nearest(const Module& module, std::string_view name) const {
  std::string_view nearest;
  std::size_t least = name.size() / 2 + 1;
  if (name.size() > 64) return nearest;
  for (const auto& [known, item] : module.items) {
    const std::size_t distance = llvm::StringRef(name).edit_distance(known, true, static_cast<unsigned>(least));
    if (distance < least || (distance == least && !nearest.empty() && known < nearest))
      least = distance, nearest = known;
  }
  return nearest;
}

void Modules::require(const tree::Require& require, SourceRange where, Scope& scope) {
  std::vector<const tree::Param*> reads;
  std::vector<const tree::Param*>* outer = std::exchange(reads_, &reads);
  read_of(&scope);
  const Value value = evaluator_.eval(*require.condition, scope);
  reads_ = outer;
  read(reads);
  if (value.bad()) return;
  auto* holds = value.get<bool>();
  if (!holds) {
    session_.error(
        require.condition->where, not_at_file,
        fmt::format("`{}` is {}", session_.one_line(require.condition->where), describe(value, session_.kernel)));
    return;
  }
  if (*holds) return;
  Diagnostic& diagnostic = session_.error(require.condition->where, failed_requirement, require.message);
  for (std::size_t i = 0; i < reads.size() && i < kMostValues; ++i) {
    const tree::Param& param = *reads[i];
    const Chosen& chosen = chosen_.at(&param);
    constexpr const char* kBy[] = {"by default", "by this row of `tune`", "by the command line"};
    const Value& is = modules_.front()->items.at(param.name.text).value;
    diagnostic.note(chosen.where,
                    fmt::format("`{}` is {}, {}", param.name.text, show(is), kBy[static_cast<int>(chosen.by)]));
  }
}

std::vector<kernel::Choice> Modules::choices() const {
  std::vector<kernel::Choice> all;
  for (const tree::Param* param : params_) {
    auto chosen = chosen_.find(param);
    auto item = modules_.front()->items.find(param->name.text);
    if (chosen == chosen_.end() || item == modules_.front()->items.end()) continue;
    all.push_back({param->name.text, show(item->second.value), chosen->second.by, chosen->second.where});
  }
  return all;
}

}  // namespace warpcc::sema
