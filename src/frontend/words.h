// The grammar's rules and tokens in words for users.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "Vocabulary.h"

namespace warpcc::frontend {

// How a construct is called and written.
struct Construct {
  std::size_t rule = 0;
  std::string_view noun;
  std::string_view form;  // none: nothing to be said
};

// The construct that a rule of the grammar reads; null for rules that are a part of one.
const Construct* construct_of(std::size_t rule);

// "an expression", "`,` or `)`".
std::string wanted(std::set<std::size_t> tokens, const antlr4::dfa::Vocabulary& vocabulary);

bool is_name(std::size_t token);
bool is_reserved(std::size_t token);
bool is_operator(std::size_t token);
bool begins_statement(std::size_t token);

// What can begin there.
bool wants_expression(const std::set<std::size_t>& tokens);
bool wants_statement(const std::set<std::size_t>& tokens);
bool wants_member(const std::set<std::size_t>& tokens);
bool wants_item(const std::set<std::size_t>& tokens);
bool wants_name_alone(const std::set<std::size_t>& tokens);

}  // namespace warpcc::frontend
