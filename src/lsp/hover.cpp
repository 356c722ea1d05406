// What the compiler knows of what is under the cursor.
#include <fmt/format.h>

#include "lsp/facts.h"
#include "lsp/nesting.h"
#include "lsp/operands.h"
#include "lsp/requests.h"
#include "lsp/symbols.h"
#include "lsp/vocabulary.h"
#include "lsp/words.h"
#include "report/kernel_walk.h"
#include "report/layout_report.h"

namespace warpcc::lsp {
namespace {

class Hover {
 public:
  // `at`: the word's begin in the analysis of each sight, where it is there.
  Hover(const Settings& settings, const Document& document, Word word)
      : settings_(settings), document_(document), word_(word) {}

  std::string run() {
    const Sight parsed(document_, document_.parsed), accepted(document_, document_.accepted);
    const std::string declaration = declared(parsed), opcode = instruction();
    add(declaration);
    if (declaration.empty() && opcode.empty()) add(known());
    add(accepted ? meant(accepted) : meant(parsed));
    add(opcode);
    if (accepted) add(address(accepted));
    if (accepted) add(lines(accepted));
    add(complaints());
    return std::move(text_);
  }

 private:
  void add(const std::string& part) {
    if (part.empty()) return;
    text_ += (text_.empty() ? "" : "\n---\n\n") + part;
  }

  std::string declared(const Sight& sight) const {
    const std::optional<Symbol> symbol = symbol_at(document_, sight, word_.begin);
    if (!symbol) return "";
    const Declaration& of = **symbol;
    std::string out = fmt::format("```wk\n{}\n```\n", signature(*symbol, sight->sources));
    const std::string comment = comment_of(sight->sources.text(of.where.file), of.whole);
    return comment.empty() ? out : out + "\n" + comment + "\n";
  }

  std::string meant(const Sight& sight) const {
    if (!sight || word_.empty()) return "";
    const std::optional<std::uint32_t> begin = sight.to_analysis(word_.begin);
    const sema::Meaning* meaning = begin ? sight->meanings.at(Analysis::kMain, *begin) : nullptr;
    return meaning ? facts_of(*sight, *meaning) : "";
  }

  // The instruction whose opcode the word is in.
  std::string instruction() const {
    const std::string_view text = document_.text.str();
    Word opcode = word_;
    auto part = [&](char c) { return is_word(c) || c == '.'; };
    while (opcode.begin > 0 && part(text[opcode.begin - 1])) --opcode.begin;
    while (opcode.end < text.size() && part(text[opcode.end])) ++opcode.end;
    const isa::Statement* row = isa::statement(text.substr(opcode.begin, opcode.end - opcode.begin));
    if (!row) return "";
    return fmt::format("```wk\n{} {}\n```\n\n{}\n", row->word, operands_text(*row), instruction_doc(*row));
  }

  // A word of the language, where it is no name, no part of one, and not in a comment.
  std::string known() const {
    const std::string_view text = document_.text.str();
    const bool member =
        word_.begin > 0 && text[word_.begin - 1] == '.' && (word_.begin < 2 || text[word_.begin - 2] != '.');
    const KnownWord* word = member ? nullptr : known_word(text.substr(word_.begin, word_.end - word_.begin));
    if (!word || nesting_at(text, word_.begin + 1).literal) return "";
    return fmt::format("```wk\n{}\n```\n\n{}\n", word->form.empty() ? word->name : word->form, word->meaning);
  }

  // The form of the address of the view that the word is in.
  std::string address(const Sight& sight) const {
    const std::optional<std::uint32_t> at = sight.to_analysis(word_.begin);
    if (!at) return "";
    std::optional<SourceRange> statement;
    std::string operand;
    report::KernelWalk walk(*sight->kernel);
    walk.each_instruction([&](const kernel::Instruction& each) {
      if (statement || each.where.file != Analysis::kMain || *at < each.where.begin || *at > each.where.end) return;
      for (const kernel::Operand& one : each.operands) {
        auto* view = std::get_if<kernel::View>(&one);
        if (!view || view->where.file != Analysis::kMain || *at < view->where.begin || *at > view->where.end) continue;
        statement = each.where;
        operand = report::one_line(sight->sources.text(view->where));
      }
    });
    if (!statement) return "";
    std::string out;
    for (const report::LayoutUse& use : report::layout_uses(*sight->kernel, sight->sources, *statement)) {
      if (use.operand != operand) continue;
      out += fmt::format("`{}`{}\n", use.operand, use.count > 1 ? fmt::format(", {} times", use.count) : "");
      for (const std::string& fact : use.facts) out += "- " + fact + "\n";
    }
    return out;
  }

  std::string lines(const Sight& sight) const {
    const std::optional<std::uint32_t> at = sight.to_analysis(word_.begin);
    return at ? lines_of_statement(*sight, Analysis::kMain, *at) : "";
  }

  // What the complaints about this place mean, and how to mend it.
  std::string complaints() const {
    const Sight sight(document_, document_.newest);
    const std::optional<std::uint32_t> at = sight ? sight.to_analysis(word_.begin) : std::nullopt;
    if (!at || !settings_.explanation) return "";
    std::string out;
    std::string_view before;
    for (const Diagnostic* said : in_order(sight->diagnostics.all())) {
      const SourceRange& where = said->where;
      const bool here = where.file == Analysis::kMain && where.begin <= *at && *at <= where.end;
      if (!here || said->code == before) continue;
      before = said->code;
      if (const std::string text = settings_.explanation(said->code); !text.empty())
        out += fmt::format("**{}**\n\n{}\n", said->code, text);
    }
    return out;
  }

  const Settings& settings_;
  const Document& document_;
  Word word_;
  std::string text_;
};

}  // namespace

Answer hover(const Request& request) {
  const Word word = word_at(request.document.text.str(), request.offset);
  std::string says = word.empty() ? "" : Hover(request.settings, request.document, word).run();
  if (says.empty()) return nullptr;
  return json::Object{{"contents", markdown(std::move(says))},
                      {"range", range_in(request.document.text, word.begin, word.end)}};
}

}  // namespace warpcc::lsp
