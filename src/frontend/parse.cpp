#include "frontend/parse.h"

#include <memory>
#include <utility>

#include "CommonTokenStream.h"
#include "ListTokenSource.h"
#include "atn/ParserATNSimulator.h"
#include "frontend/build.h"
#include "frontend/complaint.h"
#include "frontend/tokens.h"

namespace warpcc {
namespace {

using frontend::StopAtFirst;

// One reading of the tokens; nothing where they are no file.
WkParser::FileContext* read(WkParser& parser, antlr4::atn::PredictionMode mode,
                            const std::shared_ptr<StopAtFirst>& errors) {
  parser.reset();
  parser.removeErrorListeners();
  parser.setErrorHandler(errors);
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
  try {
    return parser.file();
  } catch (const frontend::Stopped&) {
    return nullptr;
  }
}

}  // namespace

std::optional<tree::File> parse(FileId file, const Sources& sources, Diagnostics& diagnostics) {
  std::string_view text = sources.text(file);
  std::optional<frontend::Tokens> tokens = frontend::tokenize(file, text, diagnostics);
  if (!tokens) return std::nullopt;

  antlr4::ListTokenSource source(std::move(tokens->all));
  antlr4::CommonTokenStream stream(&source);
  WkParser parser(&stream);

  // SLL prediction is faster and right for almost every text; what it refuses may still be a file.
  auto errors = std::make_shared<StopAtFirst>();
  WkParser::FileContext* rule = read(parser, antlr4::atn::PredictionMode::SLL, errors);
  if (!rule) {
    errors = std::make_shared<StopAtFirst>();
    rule = read(parser, antlr4::atn::PredictionMode::LL, errors);
  }
  const std::optional<frontend::SyntaxError>& syntax = errors->error();
  const std::optional<frontend::BracketError>& bracket = tokens->bracket_error;
  if (bracket && (!syntax || syntax->found->getStartIndex() >= bracket->found.begin)) {
    frontend::report(*bracket, diagnostics);
    return std::nullopt;
  }
  if (!rule) {
    frontend::report(*syntax, file, text, diagnostics);
    return std::nullopt;
  }
  std::size_t reported = diagnostics.all().size();
  tree::File built = frontend::Builder(file, text, stream, diagnostics).build(rule);
  if (diagnostics.all().size() > reported) return std::nullopt;
  return built;
}

}  // namespace warpcc
