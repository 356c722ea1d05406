#include "checker/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checker/interp/interpreter.h"
#include "checker/product.h"
#include "checker/report/findings.h"

namespace warpcc::checker {
namespace {

// What must be true of a header before anything can run; the first thing that is not.
std::string unrunnable(const sass::Program& program) {
  constexpr int kMostThreads = 1024, kMostCtas = 16;
  constexpr std::uint32_t kMostShared = 227 * 1024;
  if (program.lines.empty()) return "the program has no code";
  if (program.threads < 32 || program.threads > kMostThreads || program.threads % 32 != 0) {
    return fmt::format("a CTA has {} threads; it takes whole warps, up to {} threads", program.threads, kMostThreads);
  }
  if (program.cluster < 1 || program.cluster > kMostCtas)
    return fmt::format("a cluster has {} CTAs; it takes 1 to {}", program.cluster, kMostCtas);
  std::int64_t along_axes = 1;
  for (const sass::Axis& axis : program.axes) {
    if (axis.extent < 1 || axis.extent > kMostCtas) return fmt::format("axis {} has {} CTAs", axis.name, axis.extent);
    along_axes *= axis.extent;
  }
  if (!program.axes.empty() && along_axes != program.cluster)
    return fmt::format("the axes of the cluster have {} CTAs, the cluster {}", along_axes, program.cluster);
  for (std::size_t i = 0; i < 3; ++i) {  // CUDA C++ Programming Guide, technical specifications
    if (program.grid[i] < 1 || program.grid[i] > (i == 0 ? INT32_MAX : UINT16_MAX))
      return fmt::format("the grid has an extent of {}", program.grid[i]);
  }
  if (program.grid[0] % program.cluster != 0)
    return fmt::format("a grid of {} CTAs is no number of whole clusters of {}", program.grid[0], program.cluster);
  if (program.dynamic_shared > kMostShared)
    return fmt::format("{} bytes of shared memory; a CTA has {} at most", program.dynamic_shared, kMostShared);
  for (const sass::TensorMap& map : program.maps) {
    if (map.extents.empty() || map.extents.size() > machine::kMostDimensions || map.box.size() != map.extents.size()) {
      return fmt::format("the tensor map of {} has {} extents and a box of {}", map.name, map.extents.size(),
                         map.box.size());
    }
    if (map.element_bytes != 1 && map.element_bytes != 2 && map.element_bytes != 4 && map.element_bytes != 8) {
      return fmt::format("the tensor map of {} has elements of {} bytes", map.name, map.element_bytes);
    }
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
      return fmt::format("the tensor map of {} has a swizzle of {} bytes", map.name, map.swizzle);
    const auto* buffer = std::find_if(program.buffers.data(), program.buffers.data() + program.buffers.size(),
                                      [&](const sass::Buffer& b) { return b.name == map.buffer; });
    if (buffer == program.buffers.data() + program.buffers.size())
      return fmt::format("the tensor map {} is of {}, which is no buffer", map.name, map.buffer);
    std::int64_t elements = 1;
    for (std::int64_t extent : map.extents) {
      if (extent < 1 || extent > INT64_C(1) << 32 || elements > (INT64_C(1) << 48) / extent)
        return fmt::format("the tensor map of {} has an extent of {}", map.name, extent);
      elements *= extent;
    }
    if (elements != buffer->layout.map().size())
      return fmt::format("the tensor map of {} has {} elements, the buffer {}", map.name, elements,
                         buffer->layout.map().size());
  }
  return {};
}

// Beyond, running them all takes days.
constexpr std::int64_t kMostClusters = 1 << 20;

std::vector<std::int64_t> chosen(Options::Clusters how, const std::vector<std::int64_t>& list, std::int64_t clusters) {
  std::set<std::int64_t> which;
  switch (how) {
    case Options::Clusters::first_and_last:
      which = {0, clusters - 1};
      break;
    case Options::Clusters::all:
      for (std::int64_t i = 0; i < clusters; ++i) which.insert(which.end(), i);
      break;
    case Options::Clusters::list:
      for (std::int64_t i : list) {
        if (i >= 0 && i < clusters) which.insert(i);
      }
      break;
  }
  return {which.begin(), which.end()};
}

}  // namespace

bool Outcome::failed() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.kind != Finding::Kind::not_held; }) ||
         not_held_fails;
}

Outcome check(const sass::Program& program, const Options& options) {
  Outcome outcome;
  Findings findings(program, options, outcome);
  if (std::string why = unrunnable(program); !why.empty()) {
    findings.add(Finding::Kind::protocol, Findings::kNoLine, "cannot run: " + why);
    return outcome;
  }
  Interpreter interpreter(program, options, outcome, findings);
  if (outcome.failed()) return outcome;  // a tensor map that the copy engine refuses
  std::int64_t clusters = program.grid[0] / program.cluster * program.grid[1] * program.grid[2];
  Options::Clusters which = options.clusters;
  if (which == Options::Clusters::first_and_last && interpreter.polls()) {
    which = Options::Clusters::all;
    outcome.notes.push_back(fmt::format("clusters wait for what others write: all {} are run", clusters));
  }
  if (which == Options::Clusters::all && clusters > kMostClusters) {
    findings.add(Finding::Kind::protocol, Findings::kNoLine,
                 fmt::format("cannot run all {} clusters of the grid, more than {}; `--clusters LIST` names some",
                             clusters, kMostClusters));
    return outcome;
  }
  for (int launch = 0; launch < options.launches; ++launch) {
    if (launch > 0) interpreter.begin_launch();
    bool ended = interpreter.launch(chosen(which, options.list, clusters), which == Options::Clusters::all);
    if (options.values) {
      bool whole = ended && interpreter.started() + interpreter.handed_out() == clusters;
      compare_with_product(program, interpreter.globals(), whole, launch, outcome, findings);
    }
    if (!ended) break;
  }
  findings.finish();
  outcome.not_held_fails = options.require_held && outcome.not_held > 0;
  return outcome;
}

}  // namespace warpcc::checker
