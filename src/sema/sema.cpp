#include "sema/sema.h"

#include "frontend/parse.h"
#include "sema/build.h"
#include "sema/passes.h"

namespace warpcc {

std::optional<kernel::Kernel> elaborate(FileId file, const CompileOptions& options, Sources& sources,
                                        Diagnostics& diagnostics) {
  std::optional<tree::File> tree = parse(file, sources, diagnostics);
  if (!tree) return std::nullopt;
  return elaborate(file, std::move(*tree), options, sources, diagnostics);
}

std::optional<kernel::Kernel> elaborate(FileId file, tree::File tree, const CompileOptions& options, Sources& sources,
                                        Diagnostics& diagnostics) {
  return elaborate(file, std::make_shared<const tree::File>(std::move(tree)), options, sources, diagnostics);
}

std::optional<kernel::Kernel> elaborate(FileId file, std::shared_ptr<const tree::File> tree,
                                        const CompileOptions& options, Sources& sources, Diagnostics& diagnostics) {
  sema::Session session(sources, diagnostics);
  session.meanings = options.meanings;
  sema::Evaluator evaluator(session);
  sema::Modules modules(session, evaluator, options);
  evaluator.attach(modules);
  const tree::Kernel* kernel = modules.load(file, std::move(tree));
  if (!kernel || diagnostics.failed()) return std::nullopt;
  sema::Builder(session, evaluator, modules).build(*kernel);
  if (diagnostics.failed()) return std::nullopt;
  sema::check_registers(session);
  sema::check_turns(session);
  sema::check_holds(session);
  if (diagnostics.failed()) return std::nullopt;
  for (const std::int64_t cluster : sema::clusters_apart(session)) {
    session.cluster_id = cluster;
    sema::check_meeting(session);
    sema::check_coverage(session);
    if (diagnostics.failed()) return std::nullopt;
  }
  sema::check_ends(session);
  if (diagnostics.failed()) return std::nullopt;
  sema::derive_counts(session);
  if (diagnostics.failed()) return std::nullopt;
  sema::mark_publishing(session);
  session.kernel.choices = modules.choices();
  session.kernel.tune_row = modules.row();
  return std::move(session.kernel);
}

}  // namespace warpcc
