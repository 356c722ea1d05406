#include "lsp/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "llvm/Support/Path.h"

namespace warpcc::lsp {
namespace {

constexpr int kError = 1, kWarning = 2;

// What is no file: the text of a definition.
bool is_file(const Analysis& analysis, FileId file) {
  return file == Analysis::kMain || analysis.sources.path(file).starts_with('/');
}

std::string uri_of_file(const Document& document, const Analysis& analysis, FileId file) {
  return file == Analysis::kMain ? document.uri : uri_of(analysis.sources.path(file));
}

json::Value related(const Document& document, const Analysis& analysis, SourceRange where, std::string text) {
  return json::Object{{"location", json::Object{{"uri", uri_of_file(document, analysis, where.file)},
                                                {"range", range_in(analysis.sources, where)}}},
                      {"message", json::fixUTF8(text)}};
}

json::Object diagnostic(json::Value range, int severity, llvm::StringRef code, std::string text) {
  return json::Object{{"range", std::move(range)},
                      {"severity", severity},
                      {"code", code.str()},
                      {"source", "warpcc"},
                      {"message", json::fixUTF8(text)}};
}

// A line of a file of the analysis by `gemm.wk:141`, as the checker names places; without its indentation.
std::optional<SourceRange> line_named(const Analysis& analysis, llvm::StringRef place) {
  const auto [name, number] = place.rsplit(':');
  std::uint32_t line = 0;
  if (number.getAsInteger(10, line) || line == 0) return std::nullopt;
  for (std::uint32_t i = 0; i < analysis.sources.count(); ++i) {
    const auto file = static_cast<FileId>(i);
    if (llvm::sys::path::filename(llvm::StringRef(analysis.sources.path(file))) != name) continue;
    const std::string_view text = analysis.sources.line(file, line);
    if (text.data() == nullptr) return std::nullopt;
    const auto begin = static_cast<std::uint32_t>(text.data() - analysis.sources.text(file).data());
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    return SourceRange{file, begin + static_cast<std::uint32_t>(indent),
                       begin + static_cast<std::uint32_t>(text.size())};
  }
  return std::nullopt;
}

// The places that a finding's words name: the other access of a race, who signalled last.
std::vector<std::pair<SourceRange, std::string>> named_in(const Analysis& analysis, const checker::Finding& finding) {
  std::vector<std::pair<SourceRange, std::string>> all;
  for (llvm::StringRef detail : finding.details) {
    for (std::size_t at = detail.find(".wk:"); at != llvm::StringRef::npos; at = detail.find(".wk:", at + 1)) {
      const std::size_t begin = detail.find_last_of(" `(", at) + 1;
      const std::size_t end = detail.find_first_not_of("0123456789", at + 4);
      if (const std::optional<SourceRange> where = line_named(analysis, detail.slice(begin, end)))
        all.emplace_back(*where, detail.trim().str());
    }
  }
  return all;
}

// Where a finding is shown: its statement, in whichever file; of a hang, which has none, the first place that it names.
SourceRange place_of(const Analysis& analysis, const checker::Finding& finding) {
  if (finding.where.end > finding.where.begin && is_file(analysis, finding.where.file)) return finding.where;
  if (const std::optional<SourceRange> where = line_named(analysis, finding.place)) return *where;
  const auto named = named_in(analysis, finding);
  return named.empty() ? SourceRange{} : named.front().first;
}

}  // namespace

json::Object to_json(const Document& document, const Analysis& analysis, const Diagnostic& said) {
  std::string text = said.text;
  json::Array places;
  for (const Note& note : said.notes) {
    if (is_file(analysis, note.where.file)) {
      places.push_back(related(document, analysis, note.where, note.text));
    } else {
      text += fmt::format("\n{}: {}", analysis.sources.path(note.where.file), note.text);
    }
  }
  SourceRange where = said.where;
  if (!is_file(analysis, where.file)) {
    text = fmt::format("{}: {}", analysis.sources.path(where.file), text);
    where = {};
  }
  const int severity = said.severity == Severity::error ? kError : kWarning;
  json::Object made = diagnostic(range_in(analysis.sources, where), severity,
                                 llvm::StringRef(said.code.data(), said.code.size()), std::move(text));
  if (!places.empty()) made["relatedInformation"] = std::move(places);
  return made;
}

std::map<std::string, json::Array> diagnostics_by_file(const Document& document, const Analysis& analysis) {
  std::map<std::string, json::Array> by_file;
  by_file.try_emplace(document.uri);
  if (!analysis.broken.empty()) {
    by_file[document.uri].push_back(diagnostic(
        range_in(analysis.sources, {}), kError, "internal-error",
        fmt::format("this text has shown a bug of warpcc, please report it with the text: {}", analysis.broken)));
  }
  for (const Diagnostic* said : in_order(analysis.diagnostics.all())) {
    const FileId file = is_file(analysis, said->where.file) ? said->where.file : Analysis::kMain;
    by_file[uri_of_file(document, analysis, file)].push_back(to_json(document, analysis, *said));
  }
  return by_file;
}

std::map<std::string, json::Array> findings(const Document& document, const Analysis& analysis,
                                            const checker::Outcome& outcome) {
  std::map<std::string, json::Array> by_file;
  for (const checker::Finding& finding : outcome.findings) {
    std::string text = finding.text;
    for (const std::string& detail : finding.details) text += "\n" + detail;
    std::string code(checker::name(finding.kind));
    std::replace(code.begin(), code.end(), ' ', '-');
    const SourceRange where = place_of(analysis, finding);
    json::Object made = diagnostic(range_in(analysis.sources, where), kError, code, std::move(text));
    json::Array places;
    for (const auto& [at, words] : named_in(analysis, finding))
      places.push_back(related(document, analysis, at, words));
    if (!places.empty()) made["relatedInformation"] = std::move(places);
    by_file[uri_of_file(document, analysis, where.file)].push_back(std::move(made));
  }
  return by_file;
}

}  // namespace warpcc::lsp
