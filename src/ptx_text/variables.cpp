// PTX ISA, "State Spaces, Types, and Variables": declarations and their initialisers.
#include <algorithm>

#include "ptx_text/parser.h"

namespace warpcc::ptx_text {

namespace {

constexpr Message<std::string> kNoType{"ptx-no-type", "`{}` is no type of a register or a variable"};
constexpr Message<> kTooLarge{"ptx-too-large", "a variable of more than 2 GiB is not taken"};
constexpr Message<> kAlign{"ptx-align", "an alignment is a power of two, 65536 at most"};
constexpr Message<> kInitialTooLong{"ptx-initialiser", "the initialiser has more than the variable"};
constexpr Message<std::string> kInitialName{"ptx-initialiser", "`{}` is no variable that stands above"};

}  // namespace

std::optional<Type> Parser::type() {
  std::string_view word = tokens_.text(tokens_.peek());
  std::optional<Type> found;
  if (tokens_.peek().kind == Token::Kind::directive && word.size() >= 3) {
    std::string_view bits = word.substr(2);
    char kind = word[1];
    bool whole = kind == 'b' || kind == 'u' || kind == 's', real = kind == 'f';
    if (word == ".pred") found = Type::pred;
    if (word == ".bf16" || word == ".f16") found = Type::b16;
    if (word == ".f16x2" || word == ".bf16x2" || word == ".tf32" || word == ".f32") found = Type::b32;
    if (whole && bits == "8") found = Type::b8;
    if (whole && bits == "16") found = Type::b16;
    if (whole && bits == "32") found = Type::b32;
    if ((whole || real) && bits == "64") found = Type::b64;
    if (kind == 'b' && bits == "128") found = Type::b128;
  }
  if (!found) {
    complain(here(), kNoType, std::string(word.substr(0, 40)));
    return {};
  }
  tokens_.take();
  return found;
}

// Behind the state space.
bool Parser::declaration(Space space, bool external, bool list, Declared& declared) {
  std::int64_t align = 0;
  int width = 1;
  // `.attribute(.managed)`, `.ptr .global .align 16` of parameters.
  while (true) {
    if (tokens_.eat_word(".align")) {
      SourceRange where = here();
      if (!number(align)) return false;
      if (align < 1 || align > 65536 || (align & (align - 1)) != 0) return complain(where, kAlign);
    } else if (tokens_.eat_word(".attribute")) {
      while (tokens_.peek().kind != Token::Kind::end && !tokens_.eat(')')) tokens_.take();
    } else if (tokens_.eat_word(".v2")) {
      width = 2;
    } else if (tokens_.eat_word(".v4")) {
      width = 4;
    } else {
      break;
    }
  }
  std::optional<Type> element = type();
  if (!element) return false;
  int size = bytes(*element) * width;
  if (space == Space::param && tokens_.eat_word(".ptr")) {
    while (tokens_.peek().kind == Token::Kind::directive) {
      if (tokens_.eat_word(".align")) {
        std::int64_t ignored = 0;
        if (!number(ignored)) return false;
      } else {
        tokens_.take();
      }
    }
  }
  do {
    if (tokens_.peek().kind != Token::Kind::name) return wanted("a name");
    Variable variable;
    Token name = tokens_.take();
    variable.name = tokens_.text(name);
    variable.where = tokens_.range(name);
    variable.space = space;
    variable.external = external;
    variable.align = align > 0 ? align : size;
    variable.bytes = size;
    if (!extents(variable, size)) return false;
    if (tokens_.eat('=') && !initialiser(variable, bytes(*element))) return false;
    declared.variables.push_back(std::move(variable));
    declared.types.push_back(*element);
    if (list) return true;
  } while (tokens_.eat(','));
  if (!tokens_.eat(';')) return wanted("`;`");
  return true;
}

bool Parser::extents(Variable& variable, int element) {
  bool first = true;
  while (tokens_.eat('[')) {
    if (first && tokens_.eat(']')) {  // as long as its initialiser, or what the launch says
      variable.bytes = 0;
      first = false;
      continue;
    }
    SourceRange where = here();
    std::int64_t count = 0;
    if (!number(count)) return false;
    if (count < 0 || count > kMostBytes / std::max<std::int64_t>(1, first ? element : variable.bytes))
      return complain(where, kTooLarge);
    variable.bytes = (first ? element : variable.bytes) * count;
    first = false;
    if (!tokens_.eat(']')) return wanted("`]`");
  }
  return true;
}

bool Parser::initialiser(Variable& variable, int element) {
  std::int64_t at = 0;
  if (!tokens_.at('{')) {
    if (!initial_value(variable, element, at)) return false;
  } else {
    int depth = 0;
    do {
      if (tokens_.eat('{')) {
        ++depth;
      } else if (tokens_.eat('}')) {
        --depth;
      } else if (!tokens_.eat(',') && !initial_value(variable, element, at)) {
        return false;
      }
    } while (depth > 0);
  }
  if (variable.bytes == 0) variable.bytes = at;
  return true;
}

// A number, or an address: `x`, `x+8`, `generic(x)+8`, and `0xFF(x)`, a byte of one.
bool Parser::initial_value(Variable& variable, int element, std::int64_t& at) {
  SourceRange where = here();
  if (variable.bytes > 0 && at + element > variable.bytes) return complain(where, kInitialTooLong);
  if (at + element > (std::int64_t{1} << 26)) return complain(where, kTooLarge);
  if (tokens_.peek().kind == Token::Kind::name) {
    Relocation relocation;
    relocation.at = at;
    relocation.generic = tokens_.eat_word("generic");
    bool parenthesis = relocation.generic && tokens_.eat('(');
    Token name = tokens_.take();
    auto found = globals_.find(tokens_.text(name));
    if (name.kind != Token::Kind::name || found == globals_.end()) {
      auto function = functions_.find(tokens_.text(name));
      if (function == functions_.end())
        return complain(tokens_.range(name), kInitialName, std::string(tokens_.text(name).substr(0, 40)));
      relocation.variable = function->second;
      relocation.function = true;
    } else {
      relocation.variable = found->second;
    }
    if (parenthesis && !tokens_.eat(')')) return wanted("`)`");
    if (tokens_.eat('+') && !number(relocation.offset)) return false;
    variable.relocations.push_back(relocation);
    variable.initial.resize(static_cast<std::size_t>(at + element), 0);
    at += element;
    return true;
  }
  bool negative = tokens_.eat('-');
  Token token = tokens_.take();
  if (token.kind != Token::Kind::integer && token.kind != Token::Kind::real)
    return complain(tokens_.range(token), kNoType, std::string(tokens_.text(token).substr(0, 40)));
  std::uint64_t bits = static_cast<std::uint64_t>(token.value);
  if (negative) bits = token.kind == Token::Kind::integer ? 0 - bits : bits ^ (token.wide ? 1ull << 63 : 1ull << 31);
  variable.initial.resize(static_cast<std::size_t>(at + element), 0);
  for (int i = 0; i < std::min(element, 8); ++i)
    variable.initial[static_cast<std::size_t>(at + i)] = static_cast<std::uint8_t>(bits >> (8 * i));
  at += element;
  return true;
}

}  // namespace warpcc::ptx_text
