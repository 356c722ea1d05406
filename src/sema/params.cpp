// Parameters: `-D`, then the row of `tune`, then the default.
#include <algorithm>

#include "frontend/parse.h"
#include "sema/eval.h"
#include "sema/modules.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> no_parameter{"no-parameter", "`{}` is no parameter of this kernel{}"};
constexpr Message<std::string> no_value{"no-parameter", "-D {}: the value is no expression"};
constexpr Message<std::string> key_is_no_parameter{"tune", "`{}` is no parameter: a row of `tune` matches parameters"};
constexpr Message<std::string> field_is_no_parameter{"tune", "`{}` is no parameter: a row of `tune` sets parameters"};
constexpr Message<std::string> sets_its_key{"tune", "`{}` is what the rows match: none sets it"};
constexpr Message<std::string> field_twice{"tune", "`{}` is set twice in this row"};
constexpr Message<std::string, std::string> row_width{"tune", "this row has {}; `tune` matches {}"};
constexpr Message<std::string> never_reached{"row-never-reached", "this row is never reached: line {} matches first"};
constexpr Message<> too_many_rows{"tune", "a `tune` has at most 1000 rows"};

constexpr std::size_t kMostNamed = 16;  // parameters, where the name of none is near

bool covers(const tree::Pattern& wide, const tree::Pattern& narrow);

bool cover_each(const std::vector<tree::PatternPtr>& wide, const std::vector<tree::PatternPtr>& narrow) {
  if (wide.size() != narrow.size()) return false;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (!covers(*wide[i], *narrow[i])) return false;
  }
  return true;
}

bool covers(const tree::Pattern& wide, const tree::Pattern& narrow) {
  using P = tree::Pattern;
  if (std::holds_alternative<P::Any>(wide.is)) return true;
  if (auto* w = std::get_if<P::Boolean>(&wide.is)) {
    auto* n = std::get_if<P::Boolean>(&narrow.is);
    return n && n->value == w->value;
  }
  if (auto* w = std::get_if<P::Tuple>(&wide.is)) {
    auto* n = std::get_if<P::Tuple>(&narrow.is);
    return n && cover_each(w->elements, n->elements);
  }
  if (auto* w = std::get_if<P::Case>(&wide.is)) {
    auto* n = std::get_if<P::Case>(&narrow.is);
    if (!n || w->path.names.back().text != n->path.names.back().text) return false;
    return !w->has_arguments || cover_each(w->arguments, n->arguments);
  }
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
  for (const Definition& definition : options_.definitions) {
    if (param_named(params_, definition.name)) continue;
    if (session_.diagnostics.all().size() >= Session::kMostComplaints) return;
    std::string nearest;
    std::size_t least = definition.name.size() / 2 + 1;
    for (const tree::Param* param : params_) {
      if (definition.name.size() > 64) break;
      const std::size_t distance = llvm::StringRef(definition.name).edit_distance(param->name.text);
      if (distance < least) least = distance, nearest = param->name.text;
    }
    std::string instead;
    if (!nearest.empty()) {
      instead = "; there is `" + nearest + "`";
    } else if (params_.empty()) {
      instead = ": it has none";
    } else if (params_.size() <= kMostNamed) {
      for (const tree::Param* param : params_)
        instead += (instead.empty() ? ": it has `" : ", `") + param->name.text + "`";
    }
    const FileId line = session_.sources.add("command line", "-D " + definition.name + "=" + definition.value);
    session_.error({line, 3, static_cast<std::uint32_t>(3 + definition.name.size())}, no_parameter,
                   definition.name.substr(0, 64), instead);
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
  chosen_[&param] = {kernel::Choice::By::command_line, constant->value->where};
  Scope* const arm = module.items.at(param.name.text).arm;
  Scope& around = arm ? *arm : module.scope;
  const std::optional<Type> type = evaluator_.resolve(param.type, around);
  if (!type) return Bad{};
  Value value = evaluator_.typed(*constant->value, around, *type, "`" + param.name.text + "`");
  definitions_.push_back(std::move(*parsed));  // the value's parts may point into the tree
  return value;
}

Value Modules::parameter(Module& module, const tree::Param& param) {
  if (std::optional<Value> given = from_command_line(module, param)) return *given;
  const bool is_key = tune_ && std::any_of(tune_->names.begin(), tune_->names.end(),
                                           [&](const tree::Name& n) { return n.text == param.name.text; });
  const tree::Expr* chosen = param.value.get();
  Chosen by{kernel::Choice::By::default_, param.name.where};
  if (tune_ && !is_key) {
    if (!row_chosen_ && !choosing_row_) choose_row();
    if (row_) {
      for (const auto& [name, value] : row_->fields) {
        if (name.text == param.name.text) chosen = value.get(), by = {kernel::Choice::By::tune, name.where};
      }
    }
  }
  chosen_[&param] = by;
  Scope* const arm = module.items.at(param.name.text).arm;
  Scope& around = arm ? *arm : module.scope;
  const std::optional<Type> type = evaluator_.resolve(param.type, around);
  return type ? evaluator_.typed(*chosen, around, *type, "`" + param.name.text + "`") : Value(Bad{});
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
      session_.error(row.where, row_width, counted(row.patterns.size(), "pattern"),
                     counted(tune.names.size(), "parameter"));
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
      if (before.when || !cover_each(before.patterns, row.patterns)) continue;
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
