// The documents that an editor holds, and what is known of each.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/protocol.h"
#include "lsp/text.h"

namespace warpcc::lsp {

struct Document {
  std::string uri, path;
  std::int64_t version = 0;  // as the editor counts
  Text text;
  std::shared_ptr<Library> library;
  std::int64_t changes = 0;  // how often the text has changed: no two states have the same number

  // Analyses: of the last version that has been looked at, the last that could be parsed, the last that was accepted.
  // While somebody types they are of texts that are gone.
  std::shared_ptr<const Analysis> newest, parsed, accepted;
  std::int64_t analysed = -1;  // `changes`, when the newest was made

  std::map<std::string, json::Array> checked;  // the checker's diagnostics by file, until the next edit
  bool check_later = false;                    // it has been saved, and not been looked at yet

  // The semantic tokens that were asked for last; the next are told as a change of them.
  struct Colours {
    std::int64_t id = 0;
    std::vector<std::uint32_t> data;
  } colours;

  explicit Document(std::string uri)
      : uri(std::move(uri)), path(path_of(this->uri)), library(std::make_shared<Library>(path)) {}
  bool stale() const { return analysed != changes; }
  // Whether its last analysis read this file.
  bool uses(std::string_view file) const;
};

using Documents = std::map<std::string, std::unique_ptr<Document>>;  // by URI

// An analysis, seen from the text as it is now.
class Sight {
 public:
  Sight(const Document& document, std::shared_ptr<const Analysis> analysis)
      : document_(&document), analysis_(std::move(analysis)) {
    if (analysis_) moves_ = Moves(analysis_->text(), document.text.str());
  }

  explicit operator bool() const { return analysis_ != nullptr; }
  const Analysis& operator*() const { return *analysis_; }
  const Analysis* operator->() const { return analysis_.get(); }
  bool same() const { return moves_.same(); }

  // Where a place of the text is in the analysis; nothing in what has been typed since.
  std::optional<std::uint32_t> to_analysis(std::uint32_t offset) const { return moves_.to_before(offset); }
  // The same, and where something has been typed the place before it.
  std::uint32_t near(std::uint32_t offset) const { return moves_.near(offset); }
  // A range of the main file as it is now; nothing where it has been typed over.
  std::optional<SourceRange> to_now(SourceRange where) const;
  // As JSON; of the main file where it is now, of others where they are.
  std::optional<json::Value> range(SourceRange where) const;
  std::optional<json::Value> location(SourceRange where) const;

 private:
  const Document* document_;
  std::shared_ptr<const Analysis> analysis_;
  Moves moves_;
};

}  // namespace warpcc::lsp
