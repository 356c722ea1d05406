// Who signals the stages of an end, warp by warp and CTA by CTA, as the facts that guard them say.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "sema/session.h"

namespace warpcc::sema {

// A warp of a role, in one CTA of the cluster.
struct Warp {
  int rank = 0, warp = 0;
  friend auto operator<=>(const Warp&, const Warp&) = default;
};

// What one warp signals of a stage.
struct Signals {
  std::map<int, int> arrivals;  // by the rank of the barrier's CTA; expectations are arrivals too
  std::map<int, int> expects;
  const kernel::Instruction* expect = nullptr;  // the one of most lanes,
  int lanes = 0;                                // and how many
};

// What signals one stage: a block that holds it, or a statement that releases the stage held on (`END.last`); and what
// each warp that comes there signals, which may be nothing.
struct Site {
  SourceRange where;
  std::map<Warp, Signals> by;
};

// The sites of each end of a role, in the order of the text. Says of a consumer's warps which takes a stage and does
// not release it, or releases one that it has not taken.
std::map<kernel::EndId, std::vector<Site>> signal_sites(Session& session, const kernel::Role& role);

// ` at half = 0`, where the kernel has a cluster.
std::string at_place(const kernel::Kernel& kernel, int rank);

}  // namespace warpcc::sema
