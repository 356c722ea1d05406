// Texts read for the tests.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "frontend/parse.h"

namespace warpcc {

struct Reading {
  Sources sources;
  Diagnostics diagnostics;
  std::optional<tree::File> tree;

  explicit Reading(std::string text) : file_(sources.add("test.wk", std::move(text))) {
    tree = parse(file_, sources, diagnostics);
  }

  std::string text(SourceRange where) const { return std::string(sources.text(where)); }

  // The first complaint as `line:column-column text`, the columns those of the carets.
  std::string said() const {
    if (diagnostics.all().empty()) return "";
    const Diagnostic& first = diagnostics.all().front();
    Position at = sources.position(first.where.file, first.where.begin);
    return fmt::format("{}:{}-{} {}", at.line, at.column, at.column + (first.where.end - first.where.begin),
                       first.text);
  }

 private:
  FileId file_;
};

// The only item of a text.
template <typename X>
const X& only_item(const Reading& reading) {
  REQUIRE_MESSAGE(reading.tree.has_value(), reading.said());
  REQUIRE(reading.tree->items.size() == 1);
  REQUIRE(std::holds_alternative<X>(reading.tree->items[0].is));
  return std::get<X>(reading.tree->items[0].is);
}

// The only statement of the text's only proc.
template <typename X>
const X& only_statement(const Reading& reading) {
  const tree::Block& body = only_item<tree::Proc>(reading).body;
  REQUIRE(body.statements.size() == 1);
  REQUIRE(std::holds_alternative<X>(body.statements[0].is));
  return std::get<X>(body.statements[0].is);
}

inline Reading statement(const std::string& text) {
  return Reading("proc test() {\n" + text + "\n}\n");
}

// An expression with every operation in parentheses, its name first.
std::string show(const tree::ExprPtr& expr);
std::string show(const tree::PatternPtr& pattern);
std::string show(const tree::Path& path);

}  // namespace warpcc
