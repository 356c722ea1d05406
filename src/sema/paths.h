// A walk over all paths through a block of the typed kernel, forwards. What is known where paths meet is the client's
// to say.
//
//     struct Client {
//       using State = …;  // copied at branches; == where loops ask whether they learn more
//       void instruction(const kernel::Instruction&, State&);
//       void reads(const kernel::RegisterOperand&, SourceRange, State&);  // the predicate of `when` and `break`
//       void reads(const kernel::Index&, SourceRange, State&);            // the bounds of a loop
//       void open(const kernel::Hold&, State&);
//       void close(const kernel::Hold&, State&);
//       void join(State& into, const State& other, SourceRange construct);
//       // What is known after `on`: `without` took no part.
//       void join_on(State& without, const State& with, const kernel::On&);
//       void again(const kernel::Loop&, State&);        // if there is one: a round is done, and another follows
//       void left(const kernel::Loop&, State&);         // if there is one: all rounds of the loop are done
//       std::optional<bool> decide(const kernel::On&);  // where it is known whether this warp takes part
//       bool quiet;                                     // set while a loop is walked to learn what its head knows
//     };
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sema/session.h"

namespace warpcc::sema {

template <typename Client>
class Paths {
 public:
  using State = typename Client::State;

  Paths(Session& session, Client& client) : session_(session), client_(client) {}

  // Nothing where the end is never reached.
  std::optional<State> walk(const kernel::Block& block, std::optional<State> state) {
    for (const kernel::Node& node : block) {
      if (!state || !session_.visit()) return state;
      state = this->node(node, std::move(*state));
    }
    return state;
  }

 private:
  // A loop's head is walked until it learns nothing more; what is tracked grows in a few steps.
  static constexpr int kMostRounds = 4;

  std::optional<State> node(const kernel::Node& node, State state) {
    if (auto* instruction = std::get_if<kernel::Instruction>(&node.is)) {
      client_.instruction(*instruction, state);
      return state;
    }
    if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
      client_.reads(loop->begin, loop->where, state);
      client_.reads(loop->end, loop->where, state);
      std::optional<State> after = around(loop->body, state, loop->where, nullptr, loop);
      if constexpr (requires { client_.left(*loop, *after); }) {
        if (after) client_.left(*loop, *after);
      }
      if (!loop->runs || !after) meet(after, state, loop->where);
      return after;
    }
    if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
      std::vector<std::optional<State>> left;
      std::vector<std::optional<State>>* outer = std::exchange(breaks_, &left);
      around(forever->body, state, forever->where, &left);
      breaks_ = outer;
      std::optional<State> after;
      for (const std::optional<State>& one : left) meet(after, *one, forever->where);
      return after;
    }
    if (auto* a_break = std::get_if<kernel::Break>(&node.is)) {
      client_.reads(a_break->when, a_break->where, state);
      if (breaks_) breaks_->push_back(state);
      return state;
    }
    if (auto* when = std::get_if<kernel::When>(&node.is)) {
      client_.reads(when->when, when->where, state);
      std::optional<State> then = walk(when->then, state);
      std::optional<State> otherwise = walk(when->otherwise, std::move(state));
      if (!then) return otherwise;
      if (otherwise) client_.join(*then, *otherwise, when->where);
      return then;
    }
    if (auto* on = std::get_if<kernel::On>(&node.is)) {
      if (const std::optional<bool> takes_part = client_.decide(*on)) {
        return *takes_part ? walk(on->body, std::move(state)) : std::optional(std::move(state));
      }
      if (const std::optional<State> with = walk(on->body, state)) client_.join_on(state, *with, *on);
      return state;
    }
    if (auto* outs = std::get_if<kernel::Outs>(&node.is)) {
      if constexpr (requires { client_.unset(*outs, state); }) client_.unset(*outs, state);
      return state;
    }
    const auto& hold = std::get<kernel::Hold>(node.is);
    client_.open(hold, state);
    std::optional<State> after = walk(hold.body, std::move(state));
    if (after) client_.close(hold, *after);
    return after;
  }

  // `left`: the states in which breaks leave, of the last walk alone.
  std::optional<State> around(const kernel::Block& body, const State& entry, SourceRange where,
                              std::vector<std::optional<State>>* left, const kernel::Loop* loop = nullptr) {
    State head = entry;
    const bool quiet = std::exchange(client_.quiet, true);
    for (int round = 0; round < kMostRounds; ++round) {
      std::optional<State> back = walk(body, head);
      if constexpr (requires { client_.again(*loop, *back); }) {
        if (loop && back) client_.again(*loop, *back);
      }
      State next = entry;
      if (back) client_.join(next, *back, where);
      if (next == head) break;
      head = std::move(next);
    }
    client_.quiet = quiet;
    if (left) left->clear();
    return walk(body, std::move(head));
  }

  void meet(std::optional<State>& into, const State& other, SourceRange where) {
    if (into)
      client_.join(*into, other, where);
    else
      into = other;
  }

  Session& session_;
  Client& client_;
  std::vector<std::optional<State>>* breaks_ = nullptr;
};

}  // namespace warpcc::sema
