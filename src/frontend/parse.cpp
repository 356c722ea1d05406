#include "frontend/parse.h"

#include <memory>

#include "frontend/build.h"
#include "frontend/reading.h"

namespace warpcc {

std::optional<tree::File> parse(FileId file, const Sources& sources, Diagnostics& diagnostics) {
  std::string_view text = sources.text(file);
  std::unique_ptr<frontend::Reading> reading = frontend::Reading::read(file, text, diagnostics);
  if (!reading) return std::nullopt;
  std::size_t reported = diagnostics.all().size();
  tree::File built = frontend::Builder(file, text, reading->tokens(), diagnostics).build(reading->file());
  if (diagnostics.all().size() > reported) return std::nullopt;
  return built;
}

}  // namespace warpcc
