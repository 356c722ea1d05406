#include "lsp/document.h"

namespace warpcc::lsp {

bool Document::uses(std::string_view file) const {
  for (std::uint32_t i = 1; newest && i < newest->sources.count(); ++i) {
    if (newest->sources.path(static_cast<FileId>(i)) == file) return true;
  }
  return false;
}

std::optional<SourceRange> Sight::to_now(SourceRange where) const {
  if (where.file != Analysis::kMain) return std::nullopt;
  const std::optional<std::uint32_t> begin = moves_.to_now(where.begin), end = moves_.to_now(where.end);
  if (!begin || !end || *end < *begin || *end - *begin != where.end - where.begin) return std::nullopt;
  return SourceRange{where.file, *begin, *end};
}

std::optional<json::Value> Sight::range(SourceRange where) const {
  if (where.file != Analysis::kMain) return range_in(analysis_->sources, where);
  const std::optional<SourceRange> now = to_now(where);
  if (!now) return std::nullopt;
  return range_in(document_->text, now->begin, now->end);
}

std::optional<json::Value> Sight::location(SourceRange where) const {
  std::optional<json::Value> at = range(where);
  if (!at) return std::nullopt;
  const std::string uri = where.file == Analysis::kMain ? document_->uri : uri_of(analysis_->sources.path(where.file));
  return json::Object{{"uri", uri}, {"range", std::move(*at)}};
}

}  // namespace warpcc::lsp
