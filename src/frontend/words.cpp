#include "frontend/words.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "WkParser.h"

namespace warpcc::frontend {
namespace {

using P = WkParser;

constexpr Construct kConstructs[] = {
    {P::RuleUseFile, "`use`", "use \"FILE\" [as NAME];"},
    {P::RuleParam, "parameter", "param NAME: TYPE = DEFAULT;"},
    {P::RuleConstant, "constant", "const NAME [: TYPE] = EXPRESSION;"},
    {P::RuleRequire, "requirement", "require CONDITION, \"MESSAGE\";"},
    {P::RuleTune, "`tune`", "tune (PARAM, …) { (PATTERN, …) [when CONDITION] => { PARAM: VALUE, … } … }"},
    {P::RuleTuneRow, "row", "(PATTERN, …) [when CONDITION] => { PARAM: VALUE, … }"},
    {P::RuleFn, "function", "fn NAME(NAME: TYPE, …) -> TYPE = EXPRESSION;"},
    {P::RuleEnumeration, "`enum`", "enum NAME { CASE, CASE(NAME: TYPE), … }"},
    {P::RuleStructure, "`struct`", "struct NAME[(NAME: TYPE, …)] { NAME: TYPE, … }, or registers in the braces"},
    {P::RuleProc, "proc", "proc NAME(NAME: KIND, …) { … }"},
    {P::RuleFormal, "parameter", "const NAME: TYPE, or NAME: [out|inout] KIND"},
    {P::RuleKernel, "kernel", "kernel NAME(NAME: global ELEMENT[SHAPE], …) on TARGET, grid (…), … { … }"},
    {P::RuleGlobal, "parameter", "NAME: global [in|out|inout|kept] ELEMENT[SHAPE] [in LAYOUT]"},
    {P::RuleClause, "clause", "grid (x, y), cluster (AXIS: n, …), or registers n"},
    {P::RuleBuffer, "buffer", "shared|tensor NAME: [ring(n) of] [warps(n) of] ELEMENT[SHAPE] [in LAYOUT];"},
    {P::RulePipe, "pipe", "pipe NAME: ring(n) [carries (BUFFER, …)] [from PINS] [to PINS] [across AXIS] [broadcast];"},
    {P::RuleBarrier, "barrier", "barrier NAME: [warpgroups(n) of] n warps;"},
    {P::RuleRole, "role", "role NAME(END: producer|consumer PIPE, …) on warp n [at AXIS = n] [registers n] { … }"},
    {P::RuleEnd, "end", "NAME: producer|consumer PIPE [in turn(n)]"},
    {P::RuleStartBlock, "`start`", "start { … }"},
    {P::RuleFinishBlock, "`finish`", "finish { … }"},
    {P::RuleIfItem, "`if`", "if CONDITION { … } else { … }"},
    {P::RuleIfMember, "`if`", "if CONDITION { … } else { … }"},
    {P::RuleIfStatement, "`if`", "if CONDITION { … } else { … }"},
    {P::RuleForItem, "`for`", "for NAME in a .. b [by n] { … }"},
    {P::RuleForMember, "`for`", "for NAME in a .. b [by n] { … }"},
    {P::RuleForStatement, "`for`", "for NAME in a .. b [by n] { … }"},
    {P::RuleMatchItem, "`match`", "match VALUE { PATTERN => { … } … }"},
    {P::RuleMatchMember, "`match`", "match VALUE { PATTERN => { … } … }"},
    {P::RuleMatchStatement, "`match`", "match VALUE { PATTERN => { … } … }"},
    {P::RuleRegisters, "declaration", "r|ur|p|up NAME [[n]] [: a .. b [by n]], …;"},
    {P::RuleRegs, "declaration", "regs NAME: ELEMENT[SHAPE] in LAYOUT; or regs NAME: BUNDLE(…);"},
    {P::RuleLet, "`let`", "let NAME = EXPRESSION;"},
    {P::RuleLoop, "loop", "loop NAME in a .. b [by n] { … }, or loop { … break when CONDITION; … }"},
    {P::RuleWhen, "`when`", "when CONDITION { … } [else { … }]"},
    {P::RuleBreakWhen, "`break`", "break when CONDITION;"},
    {P::RuleOn, "`on`", "on (FACT) { … }"},
    {P::RuleHold, "hold", "fill|take|drain END { … }"},
    {P::RuleTurn, "turn", "turn END of n { … }"},
    {P::RuleGuard, "guard", "@NAME, @!NAME or @(FACTS)"},
    {P::RuleAction, "statement", ""},
    {P::RuleIfExpr, "`if` expression", "if CONDITION { VALUE } else { VALUE }"},
    {P::RuleMatchExpr, "`match` expression", "match VALUE { PATTERN => VALUE, … }"},
    {P::RulePins, "pin", "AXIS = n, …"},
};

bool all_of(const std::set<std::size_t>& tokens, std::initializer_list<std::size_t> some) {
  return std::all_of(some.begin(), some.end(), [&](std::size_t token) { return tokens.contains(token); });
}

template <typename Condition>
void take_away(std::set<std::size_t>& tokens, Condition condition) {
  std::erase_if(tokens, condition);
}

bool begins_expression(std::size_t token) {
  switch (token) {
    case P::NUMBER:
    case P::STRING:
    case P::TRUE:
    case P::FALSE:
    case P::LPAREN:
    case P::MINUS:
    case P::NOT:
    case P::IF:
    case P::MATCH:
      return true;
    default:
      return is_name(token);
  }
}

// A token as written: `loop`, `+:`.
std::string spelling(std::size_t token, const antlr4::dfa::Vocabulary& vocabulary) {
  switch (token) {
    case antlr4::Token::EOF:
      return "the end of the file";
    case P::NAME:
      return "a name";
    case P::NUMBER:
      return "a number";
    case P::STRING:
      return "a string";
    case P::CALL_OPEN:
      return "`(`";
    default:
      break;
  }
  std::string literal = vocabulary.getLiteralName(token);  // 'word'
  return literal.size() < 2 ? "a token" : "`" + literal.substr(1, literal.size() - 2) + "`";
}

// Where an expression, a path or a list could go on, that goes without saying.
void take_continuations(std::set<std::size_t>& tokens) {
  std::set<std::size_t> rest = tokens;
  bool expression = tokens.contains(P::STAR);
  take_away(rest, [&](std::size_t token) {
    return token == P::DOT || token == P::CALL_OPEN ||
           (expression && (is_operator(token) || token == P::LBRACKET || token == P::IS || token == P::AT));
  });
  if (!rest.empty()) tokens = std::move(rest);
}

}  // namespace

const Construct* construct_of(std::size_t rule) {
  const Construct* found = std::find_if(std::begin(kConstructs), std::end(kConstructs),
                                        [&](const Construct& construct) { return construct.rule == rule; });
  return found == std::end(kConstructs) ? nullptr : found;
}

std::string wanted(std::set<std::size_t> tokens, const antlr4::dfa::Vocabulary& vocabulary) {
  std::vector<std::string> phrases;
  take_continuations(tokens);
  if (wants_item(tokens)) {
    phrases.push_back("an item (`const`, `fn`, `proc`, `kernel` …)");
    take_away(tokens, [](std::size_t token) { return token != antlr4::Token::EOF && token != P::RBRACE; });
  } else if (wants_member(tokens)) {
    phrases.push_back("a member of the kernel (`shared`, `pipe`, `role`, `start` …)");
    take_away(tokens, [](std::size_t token) { return token != P::RBRACE; });
  } else if (wants_statement(tokens)) {
    phrases.push_back("a statement");
    take_away(tokens, [](std::size_t token) { return token != P::RBRACE; });
  } else if (wants_expression(tokens)) {
    phrases.push_back(tokens.contains(P::DOTDOT) ? "a coordinate" : "an expression");
    take_away(tokens, [](std::size_t token) { return begins_expression(token) || token == P::DOTDOT; });
  } else if (all_of(tokens, {P::NAME, P::NUMBER, P::USE})) {
    phrases.push_back("a name or a number");
    tokens.clear();
  } else if (all_of(tokens, {P::UNDERSCORE, P::NUMBER})) {
    phrases.push_back("a pattern");
    take_away(tokens, [](std::size_t token) { return begins_expression(token) || token == P::UNDERSCORE; });
  } else if (all_of(tokens, {P::GLOBAL, P::PIPE, P::NAME})) {
    phrases.push_back("a kind (`r`, `ur`, `p`, `up`, `regs`, `global`, `shared`, `consumer`, `block` …)");
    tokens.clear();
  } else if (all_of(tokens, {P::NAME, P::LPAREN})) {
    phrases.push_back("a type");
    take_away(tokens, begins_expression);
  } else if (tokens.contains(P::NAME)) {
    phrases.push_back("a name");
    take_away(tokens, is_name);
  }
  // What hardly anybody wants there.
  if (tokens.contains(P::SEMI))
    take_away(tokens, [](std::size_t token) { return token == P::FOR || token == P::ACROSS; });
  if (tokens.contains(P::LPAREN)) tokens.erase(P::CALL_OPEN);
  for (std::size_t token : tokens) phrases.push_back(spelling(token, vocabulary));

  constexpr std::size_t kMostPhrases = 6;
  if (phrases.size() > kMostPhrases) phrases.resize(kMostPhrases);
  std::string said;
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    said += i == 0 ? "" : i + 1 == phrases.size() ? " or " : ", ";
    said += phrases[i];
  }
  return said;
}

bool is_reserved(std::size_t token) {
  return token >= P::USE && token <= P::CONSUMER;
}

bool is_name(std::size_t token) {
  return token == P::NAME || (token >= P::R && token <= P::PHYSICAL);
}

bool is_operator(std::size_t token) {
  return token >= P::OROR && token <= P::PERCENT;
}

bool begins_statement(std::size_t token) {
  switch (token) {
    case P::CONST:
    case P::REQUIRE:
    case P::LET:
    case P::REGS:
    case P::LOOP:
    case P::WHEN:
    case P::BREAK:
    case P::ON:
    case P::FILL:
    case P::TAKE:
    case P::DRAIN:
    case P::TURN:
    case P::GUARD:
      return true;
    default:
      return false;
  }
}

bool wants_expression(const std::set<std::size_t>& tokens) {
  return all_of(tokens, {P::NUMBER, P::STRING, P::LPAREN, P::NAME});
}

bool wants_statement(const std::set<std::size_t>& tokens) {
  return tokens.contains(P::GUARD);
}

bool wants_member(const std::set<std::size_t>& tokens) {
  return tokens.contains(P::ROLE) && !tokens.contains(P::NAME);
}

bool wants_item(const std::set<std::size_t>& tokens) {
  return tokens.contains(P::KERNEL) && !tokens.contains(P::NAME);
}

bool wants_name_alone(const std::set<std::size_t>& tokens) {
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), is_name);
}

}  // namespace warpcc::frontend
