// Parameters: `-D`, then the row of `tune`, then the default.
#include <algorithm>

#include "frontend/parse.h"
#include "sema/eval.h"
#include "sema/modules.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> no_parameter{"no-parameter", "-D {}: no such parameter{}"};
constexpr Message<std::string> no_value{"no-parameter", "-D {}: the value is no expression"};
constexpr Message<std::string> key_is_no_parameter{"tune", "`{}` is no parameter: a row of `tune` matches parameters"};
constexpr Message<std::string> field_is_no_parameter{"tune", "`{}` is no parameter: a row of `tune` sets parameters"};
constexpr Message<std::string> sets_its_key{"tune", "`{}` is what the rows match: none sets it"};
constexpr Message<std::string> field_twice{"tune", "`{}` is set twice in this row"};
constexpr Message<std::size_t, std::size_t> row_width{"tune", "this row has {} patterns; `tune` matches {} parameters"};
constexpr Message<std::string> never_reached{"row-never-reached", "this row is never reached: line {} matches first"};
constexpr Message<> too_many_rows{"tune", "a `tune` has at most 1000 rows"};

bool covers(const tree::Pattern& wide, const tree::Pattern& narrow) {
  using P = tree::Pattern;
  if (std::holds_alternative<P::Any>(wide.is)) return true;
  if (auto* w = std::get_if<P::Integer>(&wide.is)) {
    auto* n = std::get_if<P::Integer>(&narrow.is);
    return n && n->value == w->value;
  }
  if (auto* w = std::get_if<P::Between>(&wide.is)) {
    if (auto* n = std::get_if<P::Integer>(&narrow.is)) return n->value >= w->begin && n->value < w->end;
    auto* n = std::get_if<P::Between>(&narrow.is);
    return n && n->begin >= w->begin && n->end <= w->end;
  }
  return false;
}

const tree::Param* param_named(const std::vector<const tree::Param*>& params, std::string_view name) {
  auto at =
      std::find_if(params.begin(), params.end(), [&](const tree::Param* param) { return param->name.text == name; });
  return at == params.end() ? nullptr : *at;
}

}  // namespace

void Modules::check_definitions() {
  const FileId file = modules_.front()->file;
  for (const Definition& definition : options_.definitions) {
    if (param_named(params_, definition.name)) continue;
    if (session_.diagnostics.all().size() >= Session::kMostComplaints) return;
    std::string nearest;
    std::size_t least = definition.name.size() / 2 + 2;
    for (const tree::Param* param : params_) {
      if (definition.name.size() > 64) break;
      const std::size_t distance = llvm::StringRef(definition.name).edit_distance(param->name.text);
      if (distance < least) least = distance, nearest = param->name.text;
    }
    if (!nearest.empty()) nearest = "; there is `" + nearest + "`";
    session_.error({file, 0, 0}, no_parameter, definition.name.substr(0, 64), nearest);
  }
}

std::optional<Value> Modules::from_command_line(Module& module, const tree::Param& param) {
  const Definition* definition = nullptr;
  for (const Definition& each : options_.definitions) {
    if (each.name == param.name.text) definition = &each;  // the last one wins
  }
  if (!definition) return std::nullopt;
  const FileId file =
      session_.sources.add("-D " + definition->name, "const " + definition->name + " = " + definition->value + ";\n");
  std::optional<tree::File> parsed = parse(file, session_.sources, session_.diagnostics);
  if (!parsed) return Bad{};
  const tree::Const* constant = parsed->items.size() == 1 ? std::get_if<tree::Const>(&parsed->items[0].is) : nullptr;
  if (!constant) {
    session_.error(param.name.where, no_value, definition->name);
    return Bad{};
  }
  chosen_[&param] = {Chosen::By::command_line, constant->value->where};
  const std::optional<Type> type = evaluator_.resolve(param.type, module.scope);
  if (!type) return Bad{};
  Value value = evaluator_.typed(*constant->value, module.scope, *type, "`" + param.name.text + "`");
  definitions_.push_back(std::move(*parsed));  // the value's parts may point into the tree
  return value;
}

Value Modules::parameter(Module& module, const tree::Param& param) {
  if (std::optional<Value> given = from_command_line(module, param)) return *given;
  const bool is_key = tune_ && std::any_of(tune_->names.begin(), tune_->names.end(),
                                           [&](const tree::Name& n) { return n.text == param.name.text; });
  const tree::Expr* chosen = param.value.get();
  Chosen by{Chosen::By::default_, param.name.where};
  if (tune_ && !is_key) {
    if (!row_chosen_ && !choosing_row_) choose_row();
    if (row_) {
      for (const auto& [name, value] : row_->fields) {
        if (name.text == param.name.text) chosen = value.get(), by = {Chosen::By::tune, name.where};
      }
    }
  }
  chosen_[&param] = by;
  const std::optional<Type> type = evaluator_.resolve(param.type, module.scope);
  return type ? evaluator_.typed(*chosen, module.scope, *type, "`" + param.name.text + "`") : Value(Bad{});
}

void Modules::check_rows(const tree::Tune& tune) {
  if (tune.rows.size() > 1000) {
    session_.error(tune_where_, too_many_rows);
    return;
  }
  for (const tree::Name& name : tune.names) {
    if (!param_named(params_, name.text)) session_.error(name.where, key_is_no_parameter, name.text);
  }
  for (std::size_t i = 0; i < tune.rows.size(); ++i) {
    const tree::TuneRow& row = tune.rows[i];
    if (row.patterns.size() != tune.names.size()) {
      session_.error(row.where, row_width, row.patterns.size(), tune.names.size());
      return;
    }
    for (const auto& field : row.fields) {
      const std::string& name = field.first.text;
      const bool is_key =
          std::any_of(tune.names.begin(), tune.names.end(), [&](const tree::Name& n) { return n.text == name; });
      const auto same = std::count_if(row.fields.begin(), row.fields.end(),
                                      [&](const auto& other) { return other.first.text == name; });
      if (is_key)
        session_.error(field.first.where, sets_its_key, name);
      else if (!param_named(params_, name))
        session_.error(field.first.where, field_is_no_parameter, name);
      else if (same > 1)
        session_.error(field.first.where, field_twice, name);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const tree::TuneRow& before = tune.rows[j];
      bool covered = !before.when;
      for (std::size_t p = 0; p < row.patterns.size(); ++p)
        covered = covered && covers(*before.patterns[p], *row.patterns[p]);
      if (!covered) continue;
      session_.error(row.where, never_reached, session_.line_of(before.where)).note(before.where, "this row");
      break;
    }
  }
}

void Modules::choose_row() {
  if (row_chosen_ || choosing_row_) return;
  choosing_row_ = true;
  Module& main = *modules_.front();
  const bool failed_before = session_.diagnostics.failed();
  check_rows(*tune_);
  if (session_.diagnostics.failed() && !failed_before) {
    row_chosen_ = true;
    choosing_row_ = false;
    return;
  }
  std::vector<Value> keys;
  for (const tree::Name& name : tune_->names) {
    const Value* value = item(main, name.text, name.where);
    keys.push_back(value ? *value : Value(Bad{}));
  }
  for (const tree::TuneRow& row : tune_->rows) {
    bool matched = row.patterns.size() == keys.size();
    for (std::size_t i = 0; i < keys.size() && matched; ++i) {
      Scope binds(main.scope);
      matched = !keys[i].bad() && evaluator_.matches(*row.patterns[i], keys[i], binds).value_or(false);
    }
    if (matched && row.when)
      matched = evaluator_.boolean(*row.when, main.scope, "the condition of a row").value_or(false);
    if (matched) {
      row_ = &row;
      break;
    }
  }
  row_chosen_ = true;
  choosing_row_ = false;
}

}  // namespace warpcc::sema
