#include "frontend/reading.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "atn/ParserATNSimulator.h"
#include "frontend/complaint.h"
#include "frontend/recovery.h"

namespace warpcc::frontend {
namespace {

constexpr std::size_t kMostErrors = 20;
// What is read again and again for further errors, all in all: a long text has few of them told.
constexpr std::size_t kMostTokensAgain = 2'000'000;

// One reading of the tokens; nothing where they are no file.
WkParser::FileContext* read_file(WkParser& parser, antlr4::atn::PredictionMode mode,
                                 const std::shared_ptr<StopAtFirst>& errors) {
  parser.reset();
  parser.removeErrorListeners();
  parser.setErrorHandler(errors);
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
  try {
    return parser.file();
  } catch (const Stopped&) {
    return nullptr;
  }
}

// Whether a `;` is wrong since a parenthesis is open that began on a line before: `f(`, half typed.
bool spoils(const BracketError& bracket, const SyntaxError& syntax, std::string_view text) {
  if (bracket.bracket != '(' && bracket.bracket != '[') return false;
  const std::size_t open = bracket.where.begin, found = syntax.found->getStartIndex();
  if (syntax.found->getType() != WkParser::SEMI || open >= found) return false;
  return text.substr(open, found - open).find('\n') != std::string_view::npos;
}

}  // namespace

std::unique_ptr<Reading> Reading::read(FileId file, std::string_view text, Diagnostics& diagnostics) {
  std::optional<Tokens> tokens = tokenize(file, text, diagnostics);
  if (!tokens) return nullptr;
  std::unique_ptr<Reading> reading(new Reading(std::move(tokens->all)));

  // SLL prediction is faster and right for almost every text; what it refuses may still be a file.
  auto errors = std::make_shared<StopAtFirst>();
  reading->file_ = read_file(reading->parser_, antlr4::atn::PredictionMode::SLL, errors);
  if (!reading->file_) {
    errors = std::make_shared<StopAtFirst>();
    reading->file_ = read_file(reading->parser_, antlr4::atn::PredictionMode::LL, errors);
  }
  const std::optional<SyntaxError>& syntax = errors->error();
  const std::optional<BracketError>& bracket = tokens->bracket_error;
  if (bracket &&
      (!syntax || syntax->found->getStartIndex() >= bracket->found.begin || spoils(*bracket, *syntax, text))) {
    report(*bracket, diagnostics);
    return nullptr;
  }
  if (!reading->file_) {
    // Each error is told, and what it spoils is left out of the next reading. Where brackets are wrong nothing is known
    // of what belongs together.
    reading->stream_.fill();
    std::size_t left = bracket ? 1 : std::min(kMostErrors, kMostTokensAgain / reading->stream_.size() + 1);
    while (report(*errors->error(), file, text, diagnostics) && --left > 0) {
      if (!pass_over(*errors->error(), reading->stream_)) break;
      errors = std::make_shared<StopAtFirst>();
      if (read_file(reading->parser_, antlr4::atn::PredictionMode::LL, errors)) break;
    }
    return nullptr;
  }
  return reading;
}

}  // namespace warpcc::frontend
