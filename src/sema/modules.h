// Files and what they declare: `use`, items in whatever order, parameters and who chose their values, `require`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sema/scope.h"
#include "sema/sema.h"
#include "sema/session.h"

namespace warpcc::sema {

class Evaluator;

struct ModuleItem {
  enum class State : std::uint8_t {
    waiting,
    busy,
    ready
  } state = State::ready;  // consts and parameters are evaluated when first read
  Value value;
  const tree::Const* constant = nullptr;
  const tree::Param* param = nullptr;
  Scope* arm = nullptr;  // with the names that the arm of a `match` around it binds
  SourceRange where;
  std::vector<const tree::Param*> read;  // the parameters that its value comes from
};

struct Module {
  std::string path;
  FileId file{};
  bool loading = false;
  bool main = false;
  std::shared_ptr<const tree::File> tree;
  Scope scope{*this};
  std::unordered_map<std::string_view, ModuleItem> items;
};

// The names that a declaration's text sees.
template <typename Declaration>
Scope& names_around(const In<Declaration>& of) {
  return of.arm ? *of.arm : of.module->scope;
}

class Modules {
 public:
  Modules(Session& session, Evaluator& evaluator, const CompileOptions& options)
      : session_(session), evaluator_(evaluator), options_(options) {}

  // The file that holds the kernel, with everything it uses: all names are declared, all parameters fixed, all
  // file-scope requirements hold. Null where that failed, or where a module by itself holds none.
  const tree::Kernel* load(FileId file, std::shared_ptr<const tree::File> tree);
  Module* main() { return modules_.empty() ? nullptr : modules_.front().get(); }

  // The module's item of this name, evaluated; null where there is none.
  const Value* item(Module& module, std::string_view name, SourceRange where);
  std::string_view nearest(const Module& module, std::string_view name) const;

  // `require`: the values that the condition read are notes, with who chose them.
  void require(const tree::Require& require, SourceRange where, Scope& scope);

  // What every parameter was set to, in the order of the text, and the row of `tune` that matched.
  std::vector<kernel::Choice> choices() const;
  std::optional<SourceRange> row() const { return row_ ? std::optional(row_->where) : std::nullopt; }

 private:
  struct Chosen {  // a parameter's value: by whom
    kernel::Choice::By by = kernel::Choice::By::default_;
    SourceRange where;
  };
  struct Requirement {
    const tree::Require* require;
    SourceRange where;
    Scope* scope;
  };
  // An `if` or a `match` among a file's items: its condition may read what is declared behind it.
  struct Later {
    const tree::Item* item;
    Scope* scope;
  };

  Module* load_file(const std::string& path, const tree::Use& use);
  Module* declare_file(FileId file, std::string path, std::shared_ptr<const tree::File> tree, bool main);
  void say_cycle(const Module& found, const tree::Use& use);
  // `scope`: the module's, or that of an arm of a `match`.
  void declare(Module& module, const std::vector<tree::Item>& items, Scope& scope);
  void declare(Module& module, const tree::Item& item, Scope& scope);
  void declare(Module& module, const tree::Name& name, ModuleItem item);
  void choose_branch(Module& module, const tree::Item& item, Scope& scope);
  void use(Module& module, const tree::Use& use, SourceRange where);
  std::optional<std::string> find_file(const Module& module, const std::string& path) const;

  void check_definitions();
  Value parameter(Module& module, const tree::Param& param);
  std::optional<Value> from_command_line(Module& module, const tree::Param& param);
  void choose_row();
  void check_rows(const tree::Tune& tune);
  void read(const std::vector<const tree::Param*>& params);
  void read_of(const Scope* arm);

  Session& session_;
  Evaluator& evaluator_;
  const CompileOptions& options_;
  std::vector<std::unique_ptr<Module>> modules_;  // the main one first
  std::vector<tree::File> definitions_;           // the trees of `-D` values
  std::vector<const tree::Param*> params_;
  std::unordered_map<const tree::Param*, Chosen> chosen_;
  std::vector<Requirement> requirements_;
  std::vector<Later> later_;                                                     // of the file that is being declared
  std::vector<std::unique_ptr<Scope>> arms_;                                     // of `match`es that bind names
  std::unordered_map<const Scope*, std::vector<const tree::Param*>> arm_reads_;  // what was matched comes from these
  std::vector<const Module*> loading_;  // files that are being read, the main one first
  const tree::Tune* tune_ = nullptr;
  SourceRange tune_where_;
  const tree::TuneRow* row_ = nullptr;
  bool row_chosen_ = false, choosing_row_ = false;
  const tree::Kernel* kernel_ = nullptr;
  std::vector<const tree::Param*>* reads_ = nullptr;  // of what is being evaluated
};

}  // namespace warpcc::sema
