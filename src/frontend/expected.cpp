#include "frontend/expected.h"

#include <memory>
#include <utility>
#include <vector>

#include "Lexer.h"
#include "Token.h"
#include "TokenStream.h"
#include "atn/ATN.h"
#include "atn/ATNState.h"
#include "atn/RuleStartState.h"
#include "atn/RuleTransition.h"

namespace warpcc::frontend {
namespace {

using antlr4::atn::ATN;
using antlr4::atn::ATNState;
using antlr4::atn::Transition;

// The states that follow the rules being read, innermost first.
struct Return;
using Stack = std::shared_ptr<const Return>;
struct Return {
  ATNState* state;
  Stack outer;
};

// Reads tokens in all ways at once.
class Reading {
 public:
  explicit Reading(const ATN& atn) : atn_(atn) {}

  void start(GrammarPlace place) {
    ATNState* state = place.rule ? atn_.states[place.state] : atn_.ruleToStartState[0];
    go(state, stack_of(place.rule));
  }
  void step(std::size_t token) {
    std::vector<std::pair<ATNState*, Stack>> from = std::exchange(waiting_, {});
    seen_.clear();
    for (auto& [state, stack] : from) {
      for (Transition* next : state->transitions) {
        if (next->matches(token, antlr4::Lexer::MIN_CHAR_VALUE, antlr4::Lexer::MAX_CHAR_VALUE)) go(next->target, stack);
      }
    }
  }
  std::set<std::size_t> next() const {
    std::set<std::size_t> tokens;
    if (too_much_) return tokens;
    for (const auto& [state, stack] : waiting_) {
      for (Transition* transition : state->transitions) {
        for (ssize_t token : transition->label().toList()) tokens.insert(static_cast<std::size_t>(token));
      }
    }
    return tokens;
  }

 private:
  static constexpr std::size_t kMostStates = 100'000;

  Stack stack_of(antlr4::RuleContext* rule) const {
    std::vector<ATNState*> returns;
    for (; rule && rule->parent; rule = static_cast<antlr4::RuleContext*>(rule->parent)) {
      Transition* call = atn_.states[rule->invokingState]->transitions[0];
      returns.push_back(static_cast<antlr4::atn::RuleTransition*>(call)->followState);
    }
    Stack stack;
    for (auto state = returns.rbegin(); state != returns.rend(); ++state) stack = push(*state, stack);
    return stack;
  }

  static Stack push(ATNState* state, Stack outer) {
    return std::make_shared<const Return>(Return{state, std::move(outer)});
  }

  // To every state from here that waits for a token.
  void go(ATNState* state, Stack stack) {
    if (seen_.size() > kMostStates) too_much_ = true;
    if (too_much_ || !seen_.insert({state->stateNumber, stack.get()}).second) return;
    kept_.push_back(stack);  // its address stands in `seen_`
    if (state->getStateType() == ATNState::RULE_STOP) {
      if (stack) go(stack->state, stack->outer);
      return;
    }
    bool waits = false;
    for (Transition* next : state->transitions) {
      if (next->getSerializationType() == Transition::RULE) {
        go(next->target, push(static_cast<antlr4::atn::RuleTransition*>(next)->followState, stack));
      } else if (next->isEpsilon()) {
        go(next->target, stack);
      } else {
        waits = true;
      }
    }
    if (waits) waiting_.push_back({state, std::move(stack)});
  }

  const ATN& atn_;
  std::vector<std::pair<ATNState*, Stack>> waiting_;
  std::set<std::pair<std::size_t, const Return*>> seen_;
  std::vector<Stack> kept_;
  bool too_much_ = false;
};

}  // namespace

std::set<std::size_t> expected_tokens(antlr4::Parser& parser, GrammarPlace place, std::size_t from, std::size_t at) {
  Reading reading(parser.getATN());
  reading.start(place);
  antlr4::TokenStream* tokens = parser.getTokenStream();
  for (std::size_t i = from; i < at; ++i) {
    antlr4::Token* token = tokens->get(i);
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) reading.step(token->getType());
  }
  return reading.next();
}

}  // namespace warpcc::frontend
