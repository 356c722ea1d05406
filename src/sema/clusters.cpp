// The clusters that facts tell apart: what the facts of a kernel come to in one of each kind, they come to in all.
#include <algorithm>
#include <set>
#include <string>

#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using kernel::Atom;

constexpr std::int64_t kMostClusters = 65'536;  // of more the first and the last half are looked at

bool names(const kernel::Kernel& kernel, const kernel::Index& index, Atom::Kind kind) {
  return std::any_of(index.terms.begin(), index.terms.end(), [&](const kernel::Term& term) {
    return term.atom.kind == kind ||
           (term.atom.kind == Atom::Kind::divided && names(kernel, kernel.divided[term.atom.id].numerator, kind));
  });
}

// The comparisons that name the cluster.
void collect(const kernel::Kernel& kernel, const kernel::Block& block, std::vector<const kernel::Compare*>& found) {
  auto add = [&](const kernel::Facts& facts) {
    for (const kernel::Compare& compare : facts.compares) {
      if (names(kernel, compare.left, Atom::Kind::cluster_id)) found.push_back(&compare);
    }
  };
  for (const kernel::Node& node : block) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) add(it->guard.facts);
    if (auto* on = std::get_if<kernel::On>(&node.is)) add(on->facts);
    kernel::for_each_block(node, [&](const kernel::Block& inner) { collect(kernel, inner, found); });
  }
}

// What a comparison comes to in this cluster, for all its CTAs, warps and lanes.
void outcomes(const Session& session, const kernel::Compare& compare, std::int64_t cluster, std::string& text) {
  const kernel::Kernel& kernel = session.kernel;
  int warps = 1;
  for (const kernel::Role& role : kernel.roles) warps = std::max(warps, role.end_warp);
  const bool by_warp =
      names(kernel, compare.left, Atom::Kind::warp) || names(kernel, compare.left, Atom::Kind::warpgroup);
  const int ctas = names(kernel, compare.left, Atom::Kind::axis) ? kernel.cluster_ctas() : 1;
  const int lanes = differs_by_lane(kernel, compare.left) ? 32 : 1;
  for (int rank = 0; rank < ctas; ++rank) {
    const std::vector<std::int64_t> axes = kernel::place(kernel, rank);
    for (int warp = 0; warp < (by_warp ? warps : 1); ++warp) {
      for (int lane = 0; lane < lanes; ++lane) {
        const Fixed fixed{lane, warp, &axes, cluster};
        text += kernel::holds(value_at(session, compare.left, fixed), compare.is, compare.right) ? '1' : '0';
      }
    }
  }
}

}  // namespace

std::vector<std::int64_t> clusters_apart(const Session& session) {
  const kernel::Kernel& kernel = session.kernel;
  std::vector<const kernel::Compare*> compares;
  collect(kernel, kernel.start, compares);
  for (const kernel::Role& role : kernel.roles) collect(kernel, role.body, compares);
  collect(kernel, kernel.finish, compares);
  std::vector<std::int64_t> clusters;
  std::set<std::string> seen;
  const std::int64_t count = compares.empty() ? 1 : interval(session, Atom{Atom::Kind::cluster_id, 0}).hi + 1;
  for (std::int64_t cluster = 0; cluster < count; ++cluster) {
    if (cluster == kMostClusters / 2 && count > kMostClusters) cluster = count - kMostClusters / 2;
    std::string all;
    for (const kernel::Compare* compare : compares) outcomes(session, *compare, cluster, all);
    if (seen.insert(std::move(all)).second) clusters.push_back(cluster);
  }
  return clusters;
}

}  // namespace warpcc::sema
