// A text as ANTLR's parser reads it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "CommonTokenStream.h"
#include "ListTokenSource.h"
#include "WkParser.h"
#include "frontend/tokens.h"
#include "support/diagnostics.h"

namespace warpcc::frontend {

// The tokens and the tree over them; what the tree points to lives here.
class Reading {
 public:
  // Nothing where an error was reported.
  static std::unique_ptr<Reading> read(FileId file, std::string_view text, Diagnostics& diagnostics);

  antlr4::CommonTokenStream& tokens() { return stream_; }
  WkParser::FileContext* file() { return file_; }

 private:
  explicit Reading(std::vector<Token> tokens) : source_(std::move(tokens)), stream_(&source_), parser_(&stream_) {}

  antlr4::ListTokenSource source_;
  antlr4::CommonTokenStream stream_;
  WkParser parser_;
  WkParser::FileContext* file_ = nullptr;
};

}  // namespace warpcc::frontend
