// Vector clocks: what is known to have happened. An agent is whatever does things one after the other: the lanes of a
// warp, its elected lane, its tensor loads, its MMAs, the copies that end on a barrier. What it does has a time of its
// own; who knows an agent's time knows all that it did until then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace warpcc::order {

enum class AgentKind : std::uint8_t {
  lanes,         // of a warp, together: their loads and stores
  elected,       // the lane of a warp that works alone
  collective,    // what all lanes of a warp do as one (allocating tensor memory)
  initialiser,   // of barriers
  tensor_load,   // registers from tensor memory, until the warp has waited
  tensor_store,  // registers to tensor memory, likewise
  queue,         // MMAs that one warp issues: in order
  store_read,    // what the copy engine reads for the stores of one warp, by groups
  store_write,   // … and writes
  arriving,      // what ends by signalling a barrier: loads, commits, answers, each a ticket
  copying,       // copies to shared memory that the lanes of a warp begin and wait for, by groups
};

// Kind, number, and whether it acts on memory that all clusters share.
struct Agent {
  std::uint32_t bits = ~0u;

  static Agent of(AgentKind kind, bool global, std::uint32_t number) {
    return {static_cast<std::uint32_t>(kind) << 28 | (global ? 1u << 27 : 0) | number};
  }
  bool exists() const { return bits != ~0u; }
  AgentKind kind() const { return static_cast<AgentKind>(bits >> 28); }
  bool global() const { return bits >> 27 & 1; }
  std::uint32_t number() const { return bits & ((1u << 27) - 1); }
  // Loads and stores of lanes: the generic proxy (PTX ISA, proxies).
  bool generic() const { return kind() == AgentKind::lanes || kind() == AgentKind::elected; }
  friend bool operator==(Agent, Agent) = default;
};

struct Epoch {
  Agent agent;
  std::uint32_t time = 0;
};

// By which two lines a time came to be known: that which released it, and that which acquired it.
struct Edge {
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t release = kNone, acquire = kNone;
  friend bool operator==(const Edge&, const Edge&) = default;
};

class Clock {
 public:
  std::uint32_t at(Agent agent) const {
    const auto& times = times_[agent.global()];
    return agent.number() < times.size() ? times[agent.number()] : 0;
  }
  bool covers(const Epoch& epoch) const { return at(epoch.agent) >= epoch.time; }

  void raise(Agent agent, std::uint32_t time) {
    std::uint32_t& known = slot(agent);
    known = std::max(known, time);
  }
  void forget(Agent agent) {
    if (at(agent) != 0) slot(agent) = 0;
  }

  void join(const Clock& other) {
    for (int part = 0; part < 2; ++part) {
      auto& mine = times_[part];
      const auto& theirs = other.times_[part];
      if (mine.size() < theirs.size()) mine.resize(theirs.size(), 0);
      std::uint32_t* to = mine.data();
      const std::uint32_t* from = theirs.data();
      for (std::size_t i = 0, count = theirs.size(); i < count; ++i) to[i] = std::max(to[i], from[i]);
    }
  }
  // The same, remembering for what is new by which lines it came.
  void join(const Clock& other, std::uint32_t line, bool acquires);
  void raise(Agent agent, std::uint32_t time, std::uint32_t release);
  // The same, with what `other` remembers of it.
  void join_remembering(const Clock& other);
  // What both know.
  void meet(const Clock& other) {
    for (int part = 0; part < 2; ++part) {
      auto& mine = times_[part];
      const auto& theirs = other.times_[part];
      if (mine.size() > theirs.size()) mine.resize(theirs.size());
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::min(mine[i], theirs[i]);
    }
  }
  Edge by(Agent agent) const {
    const auto& by = by_[agent.global()];
    return agent.number() < by.size() ? by[agent.number()] : Edge{};
  }

  void clear() {
    for (auto& times : times_) times.clear();
    for (auto& by : by_) by.clear();
  }

 private:
  std::uint32_t& slot(Agent agent) {
    auto& times = times_[agent.global()];
    if (agent.number() >= times.size()) times.resize(agent.number() + 1, 0);
    return times[agent.number()];
  }

  std::vector<std::uint32_t> times_[2];  // of agents of the cluster, and of those of global memory
  std::vector<Edge> by_[2];              // kept where lines are given
};

// What is known of other clusters, whose agents have numbers of their own: by a number of the cluster, what of it a
// flag in global memory has told.
struct Others {
  struct Cluster {
    Clock seen;   // has happened, and is visible to the whole GPU
    Clock async;  // of it, what the async proxy sees of global memory
  };
  std::map<std::uint32_t, Cluster> clusters;
};

// What somebody knows, and how much of it the proxies and the other CTAs have been made to see (memory consistency
// model of the PTX ISA: causality order, proxy fences, scopes).
struct Knowledge {
  Clock seen;          // has happened
  Clock async_shared;  // of it, what the async proxy sees of shared memory
  Clock async_global;  // … and of global memory
  Clock published;     // of it, what a fence has made visible to the whole GPU
  Clock acquired;      // of that, what it has been told of in a scope that has the other CTA in it
  // What tensor cores have been given to do that they do before what is given to them from here on, by whomever, once a
  // fence of theirs stands behind this (PTX ISA, tcgen05.fence).
  Clock queued;
  Clock tensor;  // what such a fence has told of: it need not have been seen to count for tensor memory
  std::shared_ptr<const Others> others;  // none: nothing

  void join(const Knowledge& other, std::uint32_t line = Edge::kNone, bool acquires = false);
  // From somebody who says no more than what it has published.
  void join_published(const Knowledge& other, std::uint32_t line = Edge::kNone, bool acquires = false);
  void join_others(const std::shared_ptr<const Others>& more);
  void clear();
};

}  // namespace warpcc::order
