// Which arrivals publish what lanes have stored, or read, to warps of other CTAs. docs/language.md, section 11.
#include <algorithm>
#include <set>
#include <vector>

#include "sema/passes.h"

namespace warpcc::sema {

using Kind = kernel::BarrierOperand::Kind;
using isa::Does;

namespace {

// What lanes store into a carried tile, a warp of another CTA reads behind the barrier that they arrive at: such an
// arrival publishes to the cluster (language.md, section 11).
bool stores_into(const kernel::Block& block, kernel::EndId end) {
  return std::any_of(block.begin(), block.end(), [&](const kernel::Node& node) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
      if (it->op->does != Does::shared_access || it->operands.empty()) return false;
      auto* view = std::get_if<kernel::View>(&it->operands[0]);
      return view && view->end == end;
    }
    bool inside = false;
    kernel::for_each_block(node, [&](const kernel::Block& inner) { inside = inside || stores_into(inner, end); });
    return inside;
  });
}

// Pipes whose stages lanes reach in other CTAs: there both sides' arrivals publish.
void reached_elsewhere(const kernel::Kernel& kernel, const kernel::Block& block, std::set<kernel::PipeId>& pipes) {
  for (const kernel::Node& node : block) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
      if (it->op->does != Does::shared_access) continue;
      for (const kernel::Operand& operand : it->operands) {
        auto* view = std::get_if<kernel::View>(&operand);
        if (view && !view->at.empty() && view->end != kernel::EndId::none) pipes.insert(kernel[view->end].pipe);
      }
    }
    kernel::for_each_block(node, [&](const kernel::Block& inner) { reached_elsewhere(kernel, inner, pipes); });
  }
}

void mark_releases(const kernel::Kernel& kernel, kernel::Block& block, std::vector<kernel::EndId>& stored,
                   const std::set<kernel::PipeId>& elsewhere) {
  for (kernel::Node& node : block) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
      if (it->op->does != Does::arrive) continue;
      const auto& barrier = std::get<kernel::BarrierOperand>(it->operands[0]);
      const bool stores =
          barrier.kind == Kind::full && std::find(stored.begin(), stored.end(), barrier.end) != stored.end();
      if (!stores && !elsewhere.contains(kernel[barrier.end].pipe)) continue;
      for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
        const std::uint32_t others = kernel::reached(kernel, kernel[barrier.pipe], barrier.kind, rank) & ~(1u << rank);
        it->releases_to_cluster = it->releases_to_cluster || others != 0;
      }
    }
    const auto* hold = std::get_if<kernel::Hold>(&node.is);
    const bool stores = hold && hold->kind == kernel::Hold::Kind::fill && stores_into(hold->body, hold->end);
    if (stores) stored.push_back(hold->end);
    kernel::for_each_block(node, [&](kernel::Block& inner) { mark_releases(kernel, inner, stored, elsewhere); });
    if (stores) stored.pop_back();
  }
}

}  // namespace

void mark_publishing(Session& session) {
  std::vector<kernel::EndId> stored;
  std::set<kernel::PipeId> elsewhere;
  for (const kernel::Role& role : session.kernel.roles) reached_elsewhere(session.kernel, role.body, elsewhere);
  for (kernel::Role& role : session.kernel.roles) mark_releases(session.kernel, role.body, stored, elsewhere);
}

}  // namespace warpcc::sema
