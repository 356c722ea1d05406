// A warp as the order of accesses sees it: its lanes, which go on together but see each other's work only where they
// meet, and its elected lane, the lowest, which works alone; what each does asynchronously; and what they know.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "checker/order/clock.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::order {

// Numbers for agents as they first act: a cluster's own, and those that act on global memory, which may be known beyond
// the cluster.
struct Agents {
  std::uint32_t local = 0;
  std::uint32_t* global = nullptr;

  Agent make(AgentKind kind, bool of_global) { return Agent::of(kind, of_global, of_global ? (*global)++ : local++); }
};

// Where somebody stands in the launch: the cluster's number of those begun, the CTA in it, the warp in that.
inline std::uint32_t warp_id(std::uint32_t cluster, int cta, int warp) {
  return cluster << 9 | static_cast<std::uint32_t>(cta) << 5 | static_cast<std::uint32_t>(warp);
}
inline bool same_cta(std::uint32_t a, std::uint32_t b) {
  return a >> 5 == b >> 5;
}

enum class Space : std::uint8_t { shared, global };

class Thread {
 public:
  Thread(Agents& agents, std::uint32_t who) : agents_(&agents), who_(who) {}

  std::uint32_t who() const { return who_; }
  const Knowledge& knows() const { return knows_; }
  // What the elected lane knows alone, until the lanes meet: its stores that are done.
  llvm::ArrayRef<Epoch> alone() const { return alone_; }
  std::uint32_t alone_by() const { return alone_by_; }

  // ---- what it does
  // The lanes of `mask` load or store; `global`: what others than the CTA may reach.
  Epoch access(std::uint32_t mask, bool global);
  // The lanes of `mask` write a flag: an access by itself, which those know who are told by the flag.
  Epoch signal(std::uint32_t mask, bool global);
  // The elected lane's agent of its loads and stores, if it has had any.
  Agent elected(bool global) const { return own(true, global).agent; }
  Epoch collective();  // known to all lanes at once
  Epoch initialise();  // a barrier
  Agent initialiser() const { return initialiser_.agent; }
  Epoch tensor_access(bool load);
  void wait_tensor(bool load, std::uint32_t line);
  Epoch mma();
  // The MMAs begun so far, and those that follow are others.
  Epoch commit();
  // Its first `groups` commits, and what was begun before them, are done.
  void mmas_done(std::uint32_t groups, std::uint32_t line);
  Epoch store(bool write, std::uint32_t group);
  void stores_done(bool write, std::uint32_t groups, std::uint32_t line);
  // Whether it has begun stores that it does not know to be read.
  bool leaves_stores() const;

  // ---- how it is ordered
  void meet(std::uint32_t line);  // the lanes see all that each has done
  // `peers`: also what has been written to shared memory of other CTAs.
  void fence_async(std::uint32_t mask, Space space, std::uint32_t line, bool peers = true);
  void fence_gpu(std::uint32_t mask) {
    acquire_observed();
    publish(mask);
  }
  // Its two halves: what flags have told counts from now on; what is known and done is for the whole GPU to see.
  void acquire_observed();
  void publish(std::uint32_t mask);
  void fence_init();
  void acquire(const Knowledge& knowledge, std::uint32_t line) {
    knows_.join(knowledge, line, true);
    knows_.acquired.join(knowledge.published);
  }
  void acquire_published(const Knowledge& knowledge, std::uint32_t line) {
    knows_.join_published(knowledge, line, true);
    knows_.acquired.join(knowledge.published);
  }
  // By the scope of the CTA: of what another CTA has written it says nothing.
  void acquire_in_cta(const Knowledge& knowledge, std::uint32_t line) { knows_.join(knowledge, line, true); }
  // What a flag in memory has told, which counts from the next fence on.
  void observe(const Knowledge& knowledge, std::uint32_t line);
  // Gives what the lanes of `mask` know and have done. `line`: where that is, if it is to be remembered.
  void release(Knowledge& to, std::uint32_t mask, std::uint32_t line);
  void release_published(Knowledge& to, std::uint32_t mask, std::uint32_t line);
  // … what it has come to know from others, but not its own loads and stores.
  void release_acquired(Knowledge& to, std::uint32_t line) const;
  // Whether an arrival that `clock` has heard of was by some lanes alone, after others had made `access` of this warp's
  // and before all had met: it tells of those that arrive.
  bool left_out(const Epoch& access, const Clock& clock) const;
  // Something that is known from here on.
  void learn(Epoch epoch, std::uint32_t line) { knows_.seen.raise(epoch.agent, epoch.time, line); }
  // … and that whoever hears from this warp in any way knows as well.
  void learn_published(Epoch epoch) {
    knows_.seen.raise(epoch.agent, epoch.time);
    knows_.published.raise(epoch.agent, epoch.time);
    knows_.acquired.raise(epoch.agent, epoch.time);
  }

  // What the tensor core has been given comes before what others give it, whom this warp tells.
  void queued(Epoch epoch) { knows_.queued.raise(epoch.agent, epoch.time); }
  // What is known counts for tensor memory with who hears no more than that this has been executed.
  void fence_tensor() { knows_.tensor.join(knows_.seen); }

  // What has been executed here and before, seen or not.
  void release_life(Clock& to);

  // By a wait that acquires nothing: it need not be seen, but is over when this warp ends.
  void know_executed(const Clock& clock) { executed_.join(clock); }
  // Executed before, whatever is visible of it: what keeps a CTA alive for its peers.
  Clock& lifetime() { return lifetime_; }
  const Clock& lifetime() const { return lifetime_; }

 private:
  struct Own {
    Agent agent;
    std::uint32_t now = 1;
    bool used = false;                                           // at `now`
    std::uint32_t done() const { return used ? now : now - 1; }  // the time of the last
    std::uint32_t fenced[2] = {}, published = 0;                 // up to which time, in the lanes' own view
    std::uint32_t by[2] = {Edge::kNone, Edge::kNone};            // the fences' lines
  };
  Own& own(bool elected, bool global) { return own_[elected * 2 + global]; }
  const Own& own(bool elected, bool global) const { return own_[elected * 2 + global]; }
  bool covers(bool elected, std::uint32_t mask) const { return elected ? (mask & 1) != 0 : (since_ & ~mask) == 0; }
  Agent& agent(Agent& which, AgentKind kind, bool global = false) {
    if (!which.exists()) which = agents_->make(kind, global);
    return which;
  }

  // `to` is told nothing of what the lanes of `mine` have done since they met: that is remembered.
  void leave_out(Own& mine, bool global, Clock& to);

  Agents* agents_;
  std::uint32_t who_;
  Knowledge knows_, observed_;
  bool has_observed_ = false;
  llvm::SmallVector<Epoch, 4> alone_;
  std::uint32_t alone_by_ = Edge::kNone;
  std::array<Own, 4> own_;
  std::uint32_t since_ = 0;  // the lanes that have loaded or stored since they met
  struct LeftOut {
    Agent lanes;
    std::uint32_t met = 0, until = 0;  // times of theirs that the arrival has not told: behind met
    Epoch arrival;
  };
  static constexpr std::size_t kMostLeftOut = 8;  // the newest
  llvm::SmallVector<LeftOut, 0> left_out_;
  Agent arrivals_[2];
  std::uint32_t arrived_[2] = {};
  struct Simple {
    Agent agent;
    std::uint32_t now = 1;
  };
  Simple collective_, initialiser_, tensor_load_, tensor_store_, queue_;
  Agent store_read_, store_write_;
  std::uint32_t stored_ = 0;  // groups
  Clock lifetime_, executed_;
};

// What a barrier hands on: that of a phase's arrivals to those who wait for it.
class Barrier {
 public:
  Knowledge& gathered() { return gathered_; }
  const Knowledge& completed() const { return completed_; }
  void turn() {
    std::swap(gathered_, completed_);
    gathered_.clear();
    heard_.clear();
  }

  // Of a named barrier, which nothing but order tells one phase from the next by: somebody has waited for the last
  // phase. Who arrives and does not know of any such may be counted for that phase.
  void heard(Epoch epoch) { heard_.push_back(epoch); }
  bool is_over_in(const Clock& clock) const {
    return heard_.empty() ||
           std::any_of(heard_.begin(), heard_.end(), [&](const Epoch& epoch) { return clock.covers(epoch); });
  }

  // Asynchronous work that will signal it: its epoch; and that it has.
  Epoch begin(Agents& agents);
  void end(std::uint32_t ticket, std::uint32_t line);
  bool under_way() const { return begun_ > ended_; }
  bool all_ended_in(const Clock& clock) const { return !agent_.exists() || clock.at(agent_) >= begun_; }

  Epoch initialised;                       // by whom
  llvm::SmallVector<Epoch, 2> from_peers;  // the last arrival of each thread of another CTA

 private:
  Knowledge gathered_, completed_;
  Agent agent_;
  std::uint32_t begun_ = 0, ended_ = 0;
  llvm::SmallVector<std::uint32_t, 2> ahead_;  // ended before others begun before them
  llvm::SmallVector<Epoch, 0> heard_;
};

}  // namespace warpcc::order
