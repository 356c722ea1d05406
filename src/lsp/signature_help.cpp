// What a call or an instruction takes, and which of it the cursor is at.
#include <algorithm>

#include "lsp/context.h"
#include "lsp/operands.h"
#include "lsp/requests.h"
#include "lsp/symbols.h"

namespace warpcc::lsp {
namespace {

json::Value help(const std::string& name, const std::vector<std::string>& parameters, const std::string& open,
                 const std::string& close, int active, const std::string& doc) {
  std::string label = name + open;
  json::Array marks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) label += ", ";
    const std::uint32_t begin = utf16_length(label);
    label += parameters[i];
    marks.push_back(json::Object{{"label", json::Array{begin, utf16_length(label)}}});
  }
  label += close;
  json::Object signature{{"label", json::fixUTF8(label)}, {"parameters", std::move(marks)}};
  if (!doc.empty()) signature["documentation"] = markdown(doc);
  return json::Object{{"signatures", json::Array{std::move(signature)}},
                      {"activeSignature", 0},
                      {"activeParameter", std::min(active, static_cast<int>(parameters.size()))}};
}

std::vector<std::string> parameters_of(const Declaration& of, const Sources& sources) {
  std::vector<std::string> all;
  auto typed = [&](const std::vector<tree::Typed>& each) {
    for (const tree::Typed& one : each) all.push_back(one.name.text + ": " + std::string(sources.text(one.type.where)));
  };
  if (auto* fn = std::get_if<const tree::Fn*>(&of.tree)) typed((*fn)->parameters);
  if (auto* a_case = std::get_if<const tree::EnumCase*>(&of.tree)) typed((*a_case)->payload);
  if (auto* a_struct = std::get_if<const tree::Struct*>(&of.tree))
    typed((*a_struct)->registers.empty() ? (*a_struct)->fields : (*a_struct)->parameters);
  if (auto* proc = std::get_if<const tree::Proc*>(&of.tree)) {
    for (const tree::Formal& formal : (*proc)->formals) {
      // A block stands behind the parentheses.
      if (!std::holds_alternative<tree::Formal::BlockParameter>(formal.is))
        all.emplace_back(sources.text(formal.where));
    }
  }
  return all;
}

std::optional<Symbol> callee(const Document& document, const Sight& sight, const Context::Call& call) {
  const std::uint32_t place = sight.near(call.where);
  std::optional<Symbol> symbol = symbol_named(document, *sight, call.callee[0], place);
  for (std::size_t i = 1; symbol && i < call.callee.size(); ++i) {
    const std::optional<Symbol> type = type_of(document, *sight, *symbol);
    if (!type) return std::nullopt;
    if ((*type)->kind == NameKind::module) {
      const std::shared_ptr<const Names> names = (*type)->module ? sight->names_of(*(*type)->module) : nullptr;
      symbol = names ? symbol_of(document, *sight, names->item(call.callee[i])) : std::nullopt;
    } else {
      symbol = symbol_of(document, *sight, type->names->part(type->ref.index, call.callee[i]));
    }
  }
  return symbol;
}

bool can_be_called(NameKind kind) {
  return kind == NameKind::fn || kind == NameKind::proc || kind == NameKind::structure || kind == NameKind::enum_case;
}

}  // namespace

Answer signature_help(const Request& request) {
  const Context context = context_at(request.document.text.str(), request.offset);
  if (context.in_comment || context.in_string) return nullptr;
  const Sight sight(request.document, request.document.parsed);
  if (context.call && sight) {
    const std::optional<Symbol> symbol = callee(request.document, sight, *context.call);
    if (symbol && can_be_called((*symbol)->kind)) {
      const Declaration& of = **symbol;
      std::string close = ")";
      if (auto* fn = std::get_if<const tree::Fn*>(&of.tree))
        close += " -> " + std::string(sight->sources.text((*fn)->result.where));
      return help(of.name, parameters_of(of, sight->sources), "(", close, context.call->argument,
                  comment_of(sight->sources.text(of.where.file), of.whole));
    }
  }
  if (!context.instruction) return nullptr;
  const isa::Statement* row = isa::statement(context.instruction->opcode);
  if (!row) return nullptr;
  return help(std::string(row->word), operand_words(*row), " ", "", context.instruction->operand,
              instruction_doc(*row));
}

}  // namespace warpcc::lsp
