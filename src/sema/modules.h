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
  SourceRange where;
  std::vector<const tree::Param*> read;  // the parameters that its value comes from
};

struct Module {
  std::string path;
  FileId file{};
  bool loading = false;
  bool main = false;
  tree::File tree;
  Scope scope{*this};
  std::unordered_map<std::string_view, ModuleItem> items;
};

class Modules {
 public:
  Modules(Session& session, Evaluator& evaluator, const CompileOptions& options)
      : session_(session), evaluator_(evaluator), options_(options) {}

  // The file that holds the kernel, with everything it uses: all names are declared, all parameters fixed, all
  // file-scope requirements hold. Null where that failed.
  const tree::Kernel* load(FileId file);
  Module* main() { return modules_.empty() ? nullptr : modules_.front().get(); }

  // The module's item of this name, evaluated; null where there is none.
  const Value* item(Module& module, std::string_view name, SourceRange where);
  std::string_view nearest(const Module& module, std::string_view name) const;

  // `require`: the values that the condition read are notes, with who chose them.
  void require(const tree::Require& require, SourceRange where, Scope& scope);

 private:
  struct Chosen {  // a parameter's value: by whom
    enum class By : std::uint8_t { default_, tune, command_line } by = By::default_;
    SourceRange where;
  };
  struct Requirement {
    const tree::Require* require;
    SourceRange where;
    Module* module;
  };

  Module* load_file(FileId file, std::string path, bool main);
  void declare(Module& module, const std::vector<tree::Item>& items);
  void declare(Module& module, const tree::Item& item);
  void declare(Module& module, const tree::Name& name, ModuleItem item);
  void use(Module& module, const tree::Use& use, SourceRange where);
  std::optional<std::string> find_file(const Module& module, const std::string& path) const;

  void check_definitions();
  Value parameter(Module& module, const tree::Param& param);
  std::optional<Value> from_command_line(Module& module, const tree::Param& param);
  void choose_row();
  void check_rows(const tree::Tune& tune);
  void read(const std::vector<const tree::Param*>& params);

  Session& session_;
  Evaluator& evaluator_;
  const CompileOptions& options_;
  std::vector<std::unique_ptr<Module>> modules_;  // the main one first
  std::vector<tree::File> definitions_;           // the trees of `-D` values
  std::vector<const tree::Param*> params_;
  std::unordered_map<const tree::Param*, Chosen> chosen_;
  std::vector<Requirement> requirements_;
  const tree::Tune* tune_ = nullptr;
  SourceRange tune_where_;
  const tree::TuneRow* row_ = nullptr;
  bool row_chosen_ = false, choosing_row_ = false;
  const tree::Kernel* kernel_ = nullptr;
  std::vector<const tree::Param*>* reads_ = nullptr;  // of what is being evaluated
  int loading_depth_ = 0;
};

}  // namespace warpcc::sema
