#include "frontend/complaint.h"

#include <algorithm>
#include <string>

#include "frontend/tokens.h"
#include "frontend/words.h"
#include "llvm/ADT/StringExtras.h"

namespace warpcc::frontend {
namespace {

using P = WkParser;

constexpr Message<std::string, std::string> expected_found{"syntax", "expected {}, found {}"};
constexpr Message<std::string, std::string> missing{"syntax", "{} is missing behind `{}`"};
constexpr Message<std::string> semicolon{"syntax", "a `;` is missing behind this {}"};
constexpr Message<std::string> reserved{"syntax", "`{}` is a word of the language and cannot be a name"};
constexpr Message<std::string> belongs_in_kernel{
    "syntax", "`{}` stands in a kernel, not in a block of statements: a `}}` may be missing before it"};
constexpr Message<std::string, std::string> belongs_in_file{
    "syntax", "`{}` stands in a file, not inside of a {}: a `}}` may be missing before it"};
constexpr Message<> parenthesis_apart{"syntax", "a call has its parenthesis right after the name, without a space"};
constexpr Message<std::string> not_called{"syntax", "`{}` cannot be called here"};
constexpr Message<std::string> foreign_barrier{
    "syntax",
    "`{}` is no instruction: `barrier` declares one in a kernel, and warps meet by `sync`, `cluster.arrive` and "
    "`cluster.wait`"};
constexpr Message<> no_initial_value{
    "syntax", "a register is declared without a value: an instruction writes it, `mov x, 0;`, `umov u, 0;`"};
constexpr Message<> assignment{"syntax", "`==` compares; `=` only gives a name its value"};
constexpr Message<> no_assignment{"syntax",
                                  "there is no assignment: an instruction writes its first operand, `mov x, y;`"};
constexpr Message<std::string> no_such_loop{
    "syntax",
    "there is no `{}`: `loop {{ … break when up; }}` runs until a uniform predicate holds, `loop k in a .. b` counts, "
    "`when` branches"};
constexpr Message<> when_chain{"syntax",
                               "a `when` has no `else if`: another `when` stands inside of its `else {{ … }}`"};
constexpr Message<> lonely_else{"syntax", "this `else` has no `if` or `when` right before it"};
constexpr Message<> semicolon_after_block{"syntax", "no `;` stands behind a block's `}}`"};
constexpr Message<std::string> body_missing{"syntax", "the body of this {} is missing: a block in `{{` and `}}`"};

// Says one thing about one error.
class Complaint {
 public:
  Complaint(const SyntaxError& error, FileId file, std::string_view text, Diagnostics& diagnostics)
      : error_(error), file_(file), text_(text), diagnostics_(diagnostics) {}

  void say() {
    if (!said_special()) say_expected();
  }
  // Whether a bracket may be in the wrong place.
  bool doubts_structure() const { return misplaced_; }

 private:
  bool expects(std::size_t token) const { return error_.expected.contains(token); }
  bool finds(std::size_t token) const { return error_.found->getType() == token; }
  bool follows(std::size_t token) const { return error_.before && error_.before->getType() == token; }
  bool at_end() const { return finds(antlr4::Token::EOF); }

  SourceRange found() const { return range_of(file_, *error_.found); }
  // A token as it stands, but for its end where it is long.
  std::string text_of(const antlr4::Token& token) const {
    constexpr std::size_t kLongest = 40;
    SourceRange where = range_of(file_, token);
    std::string_view word = text_.substr(where.begin, where.end - where.begin);
    if (word.size() <= kLongest) return std::string(word);
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(word[cut]) & 0xc0) == 0x80) --cut;
    return std::string(word.substr(0, cut)) + "…";
  }
  std::string found_text() const { return text_of(*error_.found); }
  std::string before_text() const { return text_of(*error_.before); }
  std::string found_words() const { return at_end() ? "the end of the file" : "`" + found_text() + "`"; }

  // Right behind the token before.
  SourceRange behind() const {
    std::uint32_t end = error_.before ? range_of(file_, *error_.before).end : 0;
    return {file_, end, end};
  }
  // What is missing at the end of a line is missing there, not on the next.
  bool on_a_later_line() const {
    if (!error_.before) return at_end();
    std::uint32_t end = behind().begin;
    return at_end() || text_.substr(end, found().begin - end).find('\n') != std::string_view::npos;
  }

  const SyntaxError::Rule* rule_of_construct() const {
    for (const SyntaxError::Rule& rule : error_.rules) {
      if (construct_of(rule.index)) return &rule;
    }
    return nullptr;
  }
  bool in_construct(std::size_t index) const {
    const SyntaxError::Rule* rule = rule_of_construct();
    return rule && rule->index == index;
  }
  std::string noun() const {
    const SyntaxError::Rule* rule = rule_of_construct();
    return rule ? std::string(construct_of(rule->index)->noun) : "file";
  }

  bool said_special() {
    std::size_t type = error_.found->getType();
    if (type == P::DANGLING) {
      const std::uint32_t end = found().end;
      const bool dot = found_text() == ".";
      diagnostics_.error({file_, end, end}, missing, dot ? "a name" : "a predicate", found_text());
    } else if (took_next_statement()) {
      say_half_typed();
    } else if (wants_name_alone(error_.expected) && is_reserved(type) && !on_a_later_line()) {
      diagnostics_.error(found(), reserved, found_text());
    } else if (expects(P::SEMI) && (on_a_later_line() || finds(P::RBRACE) || begins_statement(type))) {
      diagnostics_.error(behind(), semicolon, noun()).insert(file_, behind().begin, ";");
    } else if (finds(P::LPAREN) && expects(P::CALL_OPEN) && !on_a_later_line()) {
      say_no_call();
    } else if (in_construct(P::RuleAction) && expects(P::SEMI) && (finds(P::ASSIGN) || assigns_with())) {
      diagnostics_.error(found(), no_assignment);
    } else if (in_construct(P::RuleRegisters) && finds(P::ASSIGN)) {
      diagnostics_.error(found(), no_initial_value);
    } else if (finds(P::BARRIER) && text_.substr(found().end, 1) == ".") {
      diagnostics_.error(dotted(), foreign_barrier, std::string(text_.substr(dotted().begin, length(dotted()))));
    } else if (in_construct(P::RuleAction) && finds(P::LBRACE) &&
               (action_word() == "start" || action_word() == "finish")) {
      misplaced_ = true;
      diagnostics_.error(action_where(), belongs_in_kernel, action_word());
    } else if (in_construct(P::RuleAction) && finds(P::LBRACE) && is_foreign_loop(action_word())) {
      diagnostics_.error(action_where(), no_such_loop, action_word());
    } else if (finds(P::ASSIGN) && expects(P::EQ)) {
      diagnostics_.error(found(), assignment).mend(found(), "==");
    } else if (follows(P::ELSE) && in_construct(P::RuleWhen) && (finds(P::IF) || finds(P::WHEN))) {
      diagnostics_.error(found(), when_chain);
    } else if (in_a_list_of_things() && finds(P::ELSE)) {
      diagnostics_.error(found(), lonely_else);
    } else if (in_a_list_of_things() && finds(P::SEMI) && follows(P::RBRACE)) {
      diagnostics_.error(found(), semicolon_after_block).mend(found(), "");
    } else if (in_a_list_of_things() && is_misplaced(type)) {
      say_misplaced(type);
    } else if (expects(P::LBRACE) && !expects(P::IF) &&
               (finds(P::SEMI) || finds(P::RBRACE) || (finds(P::BREAK) && !on_a_later_line()))) {
      note_form(diagnostics_.error(on_a_later_line() ? behind() : found(), body_missing, noun()));
    } else {
      return false;
    }
    return true;
  }

  // Whether the line with the error is a statement of its own, whose opcode was taken for an operand of the one above,
  // which is half typed: both begin in the same column.
  bool took_next_statement() const {
    const SyntaxError::Rule* rule = rule_of_construct();
    if (!rule || !error_.above || error_.line.empty()) return false;
    if (error_.above->getTokenIndex() < rule->first->getTokenIndex()) return false;
    if (error_.line.front()->getCharPositionInLine() != rule->first->getCharPositionInLine()) return false;
    if (error_.line.front()->getType() == P::FOR) return error_.line.size() == 2 && expects(P::SEMI);
    for (std::size_t i = 0; i < error_.line.size(); ++i) {
      const std::size_t type = error_.line[i]->getType();
      if (i % 2 == 1 ? type != P::DOT : !is_name(type)) return false;
    }
    const bool opcode = error_.line.size() % 2 == 1;
    return opcode && (expects(P::SEMI) || wants_operand(error_.above->getType()));
  }
  static bool wants_operand(std::size_t type) {
    return is_operator(type) || type == P::NOT || type == P::COMMA || type == P::ASSIGN;
  }
  void say_half_typed() {
    const std::uint32_t end = range_of(file_, *error_.above).end;
    if (wants_operand(error_.above->getType())) {
      diagnostics_.error({file_, end, end}, missing, "an expression", text_of(*error_.above));
    } else {
      diagnostics_.error({file_, end, end}, semicolon, noun()).insert(file_, end, ";");
    }
  }

  // The word that is found, with what stands behind its dots.
  SourceRange dotted() const {
    SourceRange where = found();
    while (where.end < text_.size() && (text_[where.end] == '.' || text_[where.end] == '_' || text_[where.end] == ':' ||
                                        llvm::isAlnum(text_[where.end])))
      ++where.end;
    return where;
  }
  static std::size_t length(SourceRange where) { return where.end - where.begin; }

  // `+=` and its like: two tokens here. `++` and `--` are two as well.
  bool assigns_with() const {
    SourceRange where = found();
    std::string_view twice = text_.substr(where.begin, 2);
    if (twice == "++" || twice == "--") return true;
    return where.end - where.begin == 1 && text_.substr(where.end, 1) == "=" &&
           std::string_view("+-*/%&|^").find(text_[where.begin]) != std::string_view::npos;
  }
  static bool is_foreign_loop(std::string_view word) { return word == "while" || word == "do" || word == "switch"; }
  // The word that an instruction or a call begins with.
  SourceRange action_where() const {
    const SyntaxError::Rule* rule = rule_of_construct();
    return rule ? range_of(file_, *rule->first) : found();
  }
  std::string action_word() const {
    SourceRange where = action_where();
    return std::string(text_.substr(where.begin, where.end - where.begin));
  }

  void say_no_call() {
    if (behind().end == found().begin) {
      diagnostics_.error(range_of(file_, *error_.before), not_called, before_text());
    } else {
      diagnostics_.error(found(), parenthesis_apart).mend({file_, behind().end, found().begin}, "");
    }
  }

  bool in_a_list_of_things() const {
    return wants_statement(error_.expected) || wants_member(error_.expected) || wants_item(error_.expected);
  }
  static bool is_member_word(std::size_t type) {
    return type == P::SHARED || type == P::TENSOR || type == P::PIPE || type == P::BARRIER || type == P::ROLE;
  }
  static bool is_item_word(std::size_t type) {
    return type == P::USE || type == P::PARAM || type == P::TUNE || type == P::FN || type == P::ENUM ||
           type == P::STRUCT || type == P::PROC || type == P::KERNEL;
  }
  bool is_misplaced(std::size_t type) const {
    return (is_member_word(type) && !wants_member(error_.expected)) ||
           (is_item_word(type) && !wants_item(error_.expected));
  }
  void say_misplaced(std::size_t type) {
    misplaced_ = true;
    if (is_member_word(type)) {
      diagnostics_.error(found(), belongs_in_kernel, found_text());
    } else {
      diagnostics_.error(found(), belongs_in_file, found_text(), noun());
    }
  }

  void say_expected() {
    std::string words = wanted(error_.expected, *error_.vocabulary);
    if (words.empty()) words = "something else";
    if (on_a_later_line() && error_.before && !in_a_list_of_things()) {
      note_form(diagnostics_.error(behind(), missing, words, before_text()));
    } else {
      note_form(diagnostics_.error(found(), expected_found, words, found_words()));
    }
  }

  // Whether what is missing is a part of the construct itself, and not of an expression in it.
  bool of_the_construct() const {
    if (wants_expression(error_.expected)) return false;
    for (const SyntaxError::Rule& rule : error_.rules) {
      if (construct_of(rule.index)) return rule.first != error_.found;
      bool value = rule.index == P::RuleExprs || rule.index == P::RuleArguments || rule.index == P::RuleSuffix ||
                   rule.index == P::RulePrimary;
      if (value) return false;
    }
    return false;
  }
  // Where the construct begins and how it is written.
  void note_form(Diagnostic& said) {
    const SyntaxError::Rule* rule = rule_of_construct();
    if (!of_the_construct() || construct_of(rule->index)->form.empty()) return;
    const Construct& construct = *construct_of(rule->index);
    said.note(range_of(file_, *rule->first), fmt::format("this {} is written `{}`", construct.noun, construct.form));
  }

  const SyntaxError& error_;
  FileId file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  bool misplaced_ = false;
};

}  // namespace

void StopAtFirst::reportError(antlr4::Parser*, const antlr4::RecognitionException&) {}

void StopAtFirst::reportMatch(antlr4::Parser* parser) {
  constexpr std::size_t kKept = 8;
  if (matches_.size() == kKept) matches_.pop_front();
  matches_.push_back({{parser->getState(), parser->getContext()}, parser->getCurrentToken()->getTokenIndex()});
}

void StopAtFirst::recover(antlr4::Parser* parser, std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const antlr4::RecognitionException& refused) {
    stop(*parser, refused.getOffendingToken());
  }
}

antlr4::Token* StopAtFirst::recoverInline(antlr4::Parser* parser) {
  stop(*parser, parser->getCurrentToken());
}

void StopAtFirst::sync(antlr4::Parser*) {}

void StopAtFirst::stop(antlr4::Parser& parser, antlr4::Token* found) {
  SyntaxError error;
  error.found = found;
  std::size_t at = found->getTokenIndex();
  constexpr std::size_t kLongestLine = 100;
  for (std::size_t i = at; i > 0 && !error.above && error.line.size() < kLongestLine; --i) {
    antlr4::Token* token = parser.getTokenStream()->get(i - 1);
    if (token->getChannel() != antlr4::Token::DEFAULT_CHANNEL) continue;
    if (!error.before) error.before = token;
    if (token->getLine() != found->getLine()) {
      error.above = token;
    } else {
      error.line.push_back(token);
    }
  }
  std::reverse(error.line.begin(), error.line.end());
  for (antlr4::ParserRuleContext* rule = parser.getContext(); rule;
       rule = static_cast<antlr4::ParserRuleContext*>(rule->parent)) {
    error.rules.push_back({rule->getRuleIndex(), rule->getStart()});
  }
  Match from = matches_.empty() ? Match{} : matches_.front();
  error.expected = expected_tokens(parser, from.before, from.token, at);
  error.vocabulary = &parser.getVocabulary();
  error_ = std::move(error);
  throw Stopped{};
}

bool report(const SyntaxError& error, FileId file, std::string_view text, Diagnostics& diagnostics) {
  Complaint complaint(error, file, text, diagnostics);
  complaint.say();
  return !complaint.doubts_structure();
}

}  // namespace warpcc::frontend
