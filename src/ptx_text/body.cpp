// The statements of a function.
#include <algorithm>

#include "ptx_text/parser.h"

namespace warpcc::ptx_text {

namespace {

constexpr Message<> kUnclosed{"ptx-unclosed", "the function has no end: a `}}` is missing"};
constexpr Message<std::size_t> kTooDeep{"ptx-too-deep", "blocks more than {} deep are not taken"};
constexpr Message<std::string> kTwice{"ptx-defined-twice", "`{}` is defined already"};
constexpr Message<std::string> kNoLabel{"ptx-no-name", "`{}` is no register, variable or label that is known here"};
constexpr Message<std::string> kNoStatement{"ptx-no-statement",
                                            "an instruction or a declaration is wanted; this is `{}`"};
constexpr Message<std::string> kGuard{"ptx-guard", "`{}` is no predicate register"};
constexpr Message<std::size_t> kTooMany{"ptx-too-large", "more than {} registers are not taken"};
constexpr Message<> kTooManyInstructions{"ptx-too-large",
                                         "a function of more than 4 million instructions is not taken"};

}  // namespace

void Parser::body(Function& function) {
  function_ = &function;
  scopes_ = {};
  unresolved_.clear();
  place_ = 0;
  function.places.push_back({});
  for (std::vector<Variable>* list : {&function.results, &function.params}) {
    for (const Variable& param : *list) parameter(param);
  }
  std::size_t outer = scopes_.depth();
  while (errors_ < kMostErrors) {
    if (tokens_.peek().kind == Token::Kind::end) {
      complain(function.where, kUnclosed);
      return;
    }
    if (tokens_.eat('}')) {
      if (scopes_.depth() == outer) break;
      scopes_.close();
      continue;
    }
    if (tokens_.at('{')) {
      if (scopes_.depth() >= Scopes::kDeepest) {
        complain(here(), kTooDeep, Scopes::kDeepest);
        errors_ = kMostErrors;
        return;
      }
      tokens_.take();
      scopes_.open();
      continue;
    }
    statement();
  }
  if (errors_ == 0) resolve_labels();
}

// A parameter is reached like a variable of the function's own, or like a register.
void Parser::parameter(const Variable& param) {
  function_->variables.push_back(param);
  if (param.reg != Variable::kNone) {
    scopes_.add_register(param.name, param.reg);
  } else {
    scopes_.add_variable(param.name, static_cast<std::uint32_t>(function_->variables.size() - 1));
  }
}

void Parser::statement() {
  if (tokens_.eat(';')) return;
  if (tokens_.eat_word(".reg")) return registers();
  if (tokens_.eat_word(".shared")) return own_variables(Space::shared);
  if (tokens_.eat_word(".local")) return own_variables(Space::local);
  if (tokens_.eat_word(".param")) return own_variables(Space::param);
  if (tokens_.eat_word(".loc")) return location();
  if (tokens_.eat_word(".pragma")) return tokens_.skip_statement();
  const Token token = tokens_.peek();
  if (!tokens_.at('@') && token.kind != Token::Kind::name) {
    complain(here(), kNoStatement, shortened(tokens_.text(token)));
    tokens_.take();
    return tokens_.skip_statement();
  }
  if (!label()) instruction();
}

// `name:`, of an instruction, of a table of labels, or of what a call through a register is declared by.
bool Parser::label() {
  const Token token = tokens_.peek();
  if (token.kind != Token::Kind::name) return false;
  std::uint32_t after = token.end;
  while (after < text_.size() && (text_[after] == ' ' || text_[after] == '\t')) ++after;
  if (after >= text_.size() || text_[after] != ':' || text_.substr(after, 2) == "::") return false;
  tokens_.take();
  tokens_.take();
  std::string_view name = tokens_.text(token);
  const bool targets = tokens_.eat_word(".branchtargets");
  std::size_t at = targets ? function_->tables.size() | kTable : function_->instructions.size();
  if (!scopes_.add_label(name, static_cast<std::uint32_t>(at))) complain(tokens_.range(token), kTwice, shortened(name));
  if (targets) {
    table();
  } else if (tokens_.at_word(".callprototype") || tokens_.at_word(".calltargets")) {
    tokens_.skip_statement();
  }
  return true;
}

// `.branchtargets A, B, C;`
void Parser::table() {
  const auto index = static_cast<std::uint32_t>(function_->tables.size());
  std::vector<std::uint32_t> labels;
  do {
    Token label = tokens_.take();
    if (label.kind != Token::Kind::name || labels.size() >= kMostRegisters) {
      complain(tokens_.range(label), kNoLabel, shortened(tokens_.text(label)));
      return tokens_.skip_statement();
    }
    unresolved_.push_back(
        {scopes_.here(), static_cast<std::uint32_t>(labels.size()), tokens_.text(label), tokens_.range(label), index});
    labels.push_back(0);
  } while (tokens_.eat(','));
  function_->tables.push_back(std::move(labels));
  if (!tokens_.eat(';')) {
    wanted("`,` or `;`");
    tokens_.skip_statement();
  }
}

void Parser::registers() {
  const int width = tokens_.eat_word(".v2") ? 2 : tokens_.eat_word(".v4") ? 4 : 1;
  std::optional<Type> of = type();
  if (!of) return tokens_.skip_statement();
  do {
    Token name = tokens_.take();
    if (name.kind != Token::Kind::name) {
      complain(tokens_.range(name), kNoStatement, shortened(tokens_.text(name)));
      return tokens_.skip_statement();
    }
    std::string text(tokens_.text(name));
    std::uint32_t first = static_cast<std::uint32_t>(function_->registers.size());
    std::int64_t count = 1;
    bool range = tokens_.eat('<');
    if (range) {
      if (!number(count)) return tokens_.skip_statement();
      if (!tokens_.eat('>')) {
        wanted("`>`");
        return tokens_.skip_statement();
      }
    }
    if (count < 0 || static_cast<std::uint64_t>(count) + first > kMostRegisters) {
      complain(tokens_.range(name), kTooMany, kMostRegisters);
      return tokens_.skip_statement();
    }
    if (width > 1 && !range) {
      if (!vector_register(text, *of, width)) complain(tokens_.range(name), kTwice, shortened(text));
      continue;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      function_->registers.push_back(*of);
      function_->register_names.push_back(range ? text + std::to_string(i) : text);
    }
    bool fresh = range ? scopes_.add_registers(text, first, static_cast<std::uint32_t>(count))
                       : scopes_.add_register(text, first);
    if (!fresh) complain(tokens_.range(name), kTwice, shortened(text));
  } while (tokens_.eat(','));
  if (!tokens_.eat(';')) {
    wanted("`;`");
    tokens_.skip_statement();
  }
}

// `.reg .v2 .f32 d`: registers d.x and d.y.
bool Parser::vector_register(const std::string& name, Type type, int width) {
  bool fresh = true;
  for (int i = 0; i < width; ++i) {
    std::string part = name + '.' + kParts[static_cast<std::size_t>(i)];
    fresh = scopes_.add_register(part, static_cast<std::uint32_t>(function_->registers.size())) && fresh;
    function_->registers.push_back(type);
    function_->register_names.push_back(std::move(part));
  }
  return fresh;
}

void Parser::own_variables(Space space) {
  Declared declared;
  if (!declaration(space, false, false, declared)) return tokens_.skip_statement();
  for (Variable& variable : declared.variables) {
    if (!scopes_.add_variable(variable.name, static_cast<std::uint32_t>(function_->variables.size())))
      complain(variable.where, kTwice, shortened(variable.name));
    function_->variables.push_back(std::move(variable));
  }
}

// `.loc 1 141 5[, function_name …]`: what follows is of that line.
void Parser::location() {
  std::int64_t file = 0, line = 0, column = 0;
  if (!number(file) || !number(line) || !number(column)) return tokens_.skip_line();
  function_->places.push_back({static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line)});
  place_ = static_cast<std::uint32_t>(function_->places.size() - 1);
  tokens_.skip_line();
}

bool Parser::guard(Instruction& instruction) {
  if (!tokens_.eat('@')) return true;
  instruction.guard_negated = tokens_.eat('!');
  Token name = tokens_.take();
  std::optional<std::uint32_t> slot =
      name.kind == Token::Kind::name ? scopes_.find_register(tokens_.text(name)) : std::nullopt;
  if (!slot || function_->registers[*slot] != Type::pred)
    return complain(tokens_.range(name), kGuard, shortened(tokens_.text(name)));
  instruction.guard = *slot;
  return true;
}

void Parser::instruction() {
  Instruction instruction;
  instruction.offset = tokens_.peek().begin;
  instruction.place = place_;
  if (!guard(instruction)) return tokens_.skip_statement();
  if (tokens_.peek().kind != Token::Kind::name) {
    complain(here(), kNoStatement, shortened(tokens_.text(tokens_.peek())));
    return tokens_.skip_statement();
  }
  Token word = tokens_.take_opcode();
  instruction.opcode = opcode(tokens_.text(word));
  std::vector<Operand> operands;
  if (!tokens_.at(';')) {
    do {
      Operand next;
      if (!operand(next)) return tokens_.skip_statement();
      operands.push_back(next);
    } while (tokens_.eat(','));
  }
  if (!tokens_.eat(';')) {
    wanted("`,` or `;`");
    return tokens_.skip_statement();
  }
  instruction.length = tokens_.last_end() - instruction.offset;
  instruction.first = static_cast<std::uint32_t>(function_->operands.size());
  instruction.operands = static_cast<std::uint16_t>(std::min<std::size_t>(operands.size(), 0xffff));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Operand::Kind::label)
      unresolved_[operands[i].index].operand = instruction.first + static_cast<std::uint32_t>(i);
    function_->operands.push_back(operands[i]);
  }
  if (function_->instructions.size() >= (1u << 22)) {
    complain(tokens_.range(word), kTooManyInstructions);
    errors_ = kMostErrors;
    return;
  }
  function_->instructions.push_back(instruction);
}

void Parser::resolve_labels() {
  for (const Unresolved& use : unresolved_) {
    std::optional<std::uint32_t> found = scopes_.find_label(use.name, use.scope);
    const bool in_table = use.table != ~0u, names_table = found && (*found & kTable) != 0;
    if (!found || use.operand == ~0u || (in_table && names_table)) {
      complain(use.where, kNoLabel, shortened(use.name));
    } else if (in_table) {
      function_->tables[use.table][use.operand] = *found;
    } else {
      Operand& operand = function_->operands[use.operand];
      operand.kind = names_table ? Operand::Kind::table : Operand::Kind::label;
      operand.index = *found & ~kTable;
    }
  }
}

}  // namespace warpcc::ptx_text
