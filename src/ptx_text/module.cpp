#include <algorithm>

#include "ptx_text/parse.h"
#include "ptx_text/parser.h"

namespace warpcc::ptx_text {

namespace {

constexpr Message<std::string, std::string> kWanted{"ptx-wanted", "{} is wanted here; this is `{}`"};
constexpr Message<std::string> kWantedAtEnd{"ptx-wanted", "{} is wanted here, where the text ends"};
constexpr Message<std::string> kDefinedTwice{"ptx-defined-twice", "`{}` is defined already"};
constexpr Message<std::string> kNoItem{"ptx-no-item",
                                       "a function, a variable or a directive of the module is wanted; this is `{}`"};
constexpr Message<> kNoVersion{"ptx-no-version", "the text has no `.version`: it is no PTX module"};
constexpr Message<> kNoEntry{"ptx-no-entry", "the module has no `.entry`: there is nothing to launch"};
constexpr Message<std::string> kAddressSize{"ptx-address-size", "addresses of {} bits are not taken: 64 are"};

}  // namespace

bool Parser::wanted(std::string_view what) {
  const Token& token = tokens_.peek();
  if (token.kind == Token::Kind::end)
    return complain({file_, token.begin, token.begin}, kWantedAtEnd, std::string(what));
  return complain(here(), kWanted, std::string(what), shortened(tokens_.text(token)));
}

std::uint32_t Parser::opcode(std::string_view text) {
  auto [found, added] = opcodes_.try_emplace(text, static_cast<std::uint32_t>(module_.opcodes.size()));
  if (added) {
    Opcode opcode;
    opcode.text = text;
    module_.opcodes.push_back(std::move(opcode));
  }
  return found->second;
}

std::optional<Module> Parser::run() {
  while (tokens_.peek().kind != Token::Kind::end && errors_ < kMostErrors) item();
  if (errors_ == 0 && module_.version_major == 0) complain({file_, 0, 0}, kNoVersion);
  if (errors_ == 0 && std::none_of(module_.functions.begin(), module_.functions.end(),
                                   [](const Function& each) { return each.entry && each.defined; }))
    complain({file_, 0, 0}, kNoEntry);
  if (errors_ > 0) return {};
  // The words are views into texts that lie still from here on.
  for (Opcode& opcode : module_.opcodes) {
    std::string_view rest = opcode.text;
    while (!rest.empty()) {
      std::size_t dot = rest.find('.');
      opcode.words.push_back(rest.substr(0, dot));
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
  }
  return std::move(module_);
}

void Parser::item() {
  bool external = false;
  while (tokens_.at_word(".visible") || tokens_.at_word(".extern") || tokens_.at_word(".weak") ||
         tokens_.at_word(".common")) {
    external = tokens_.at_word(".extern") || external;
    tokens_.take();
  }
  if (tokens_.eat_word(".version")) return version();
  if (tokens_.eat_word(".target")) return target();
  if (tokens_.eat_word(".address_size")) {
    Token token = tokens_.take();
    if (token.kind != Token::Kind::integer || token.value != 64)
      complain(tokens_.range(token), kAddressSize, shortened(tokens_.text(token)));
    return;
  }
  if (tokens_.eat_word(".file")) return file_directive();
  if (tokens_.eat_word(".entry")) return function(true, external);
  if (tokens_.eat_word(".func")) return function(false, external);
  // Debug information: a section's bytes are in braces. A pragma: nothing that is executed.
  if (tokens_.eat_word(".section")) {
    while (tokens_.peek().kind != Token::Kind::end && !tokens_.eat('}')) tokens_.take();
    return;
  }
  if (tokens_.eat_word(".alias")) return alias();
  if (tokens_.eat_word(".pragma")) return tokens_.skip_statement();
  Space space = Space::global;
  if (tokens_.eat_word(".global")) {
  } else if (tokens_.eat_word(".shared")) {
    space = Space::shared;
  } else if (tokens_.eat_word(".const")) {
    space = Space::constant;
  } else {
    complain(here(), kNoItem, shortened(tokens_.text(tokens_.peek())));
    tokens_.take();
    return tokens_.skip_statement();
  }
  Declared declared;
  if (!declaration(space, external, false, declared)) return tokens_.skip_statement();
  for (Variable& variable : declared.variables) {
    std::string name = variable.name;
    if (!globals_.try_emplace(name, static_cast<std::uint32_t>(module_.variables.size())).second) {
      complain(variable.where, kDefinedTwice, shortened(name));
      continue;
    }
    module_.variables.push_back(std::move(variable));
  }
}

// `.version 9.0` reads as one real.
void Parser::version() {
  Token token = tokens_.take();
  std::string_view text = tokens_.text(token);
  std::size_t dot = text.find('.');
  auto digits = [](std::string_view word) {
    int value = 0;
    for (char c : word.substr(0, 4)) {
      if (c < '0' || c > '9') return 0;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  if (token.kind != Token::Kind::real || dot == std::string_view::npos) {
    complain(tokens_.range(token), kWanted, "the version of the PTX ISA", shortened(text));
    return;
  }
  module_.version_major = digits(text.substr(0, dot));
  module_.version_minor = digits(text.substr(dot + 1));
}

void Parser::target() {
  if (tokens_.peek().kind != Token::Kind::name) {
    wanted("the target");
    return;
  }
  module_.target = tokens_.text(tokens_.take());
  while (tokens_.eat(',')) tokens_.take();  // `debug`, `texmode_…`
}

// `.file 1 "gemm.cu"[, time, size]`
void Parser::file_directive() {
  Token number = tokens_.take(), name = tokens_.take();
  if (number.kind != Token::Kind::integer || name.kind != Token::Kind::string || number.value < 0 ||
      number.value > 100'000) {
    complain(tokens_.range(number), kWanted, "a number and a name in quotes", shortened(tokens_.text(number)));
    return tokens_.skip_line();
  }
  std::string_view text = tokens_.text(name);
  std::size_t index = static_cast<std::size_t>(number.value);
  if (module_.files.size() <= index) module_.files.resize(index + 1);
  module_.files[index] = text.substr(1, text.size() - 2);
  while (tokens_.eat(',')) tokens_.take();
}

bool Parser::parameters(std::vector<Variable>& into, char open, char close) {
  if (!tokens_.eat(open)) return true;
  while (!tokens_.eat(close)) {
    const bool in_register = tokens_.at_word(".reg") && !function_->entry;
    if (!in_register && !tokens_.at_word(".param")) return wanted("`.param`");
    tokens_.take();
    Declared declared;
    if (!declaration(Space::param, false, true, declared)) return false;
    for (Variable& variable : declared.variables) {
      if (in_register) {
        variable.reg = static_cast<std::uint32_t>(function_->registers.size());
        function_->registers.push_back(declared.types[0]);
        function_->register_names.push_back(variable.name);
      }
      into.push_back(std::move(variable));
    }
    if (!tokens_.eat(',') && !tokens_.at(close)) return wanted("`,` or the end of the list");
  }
  return true;
}

// `.alias other, name;`: both were declared above.
void Parser::alias() {
  Token other = tokens_.take();
  if (!tokens_.eat(',')) wanted("`,`");
  Token name = tokens_.take();
  auto of = functions_.find(tokens_.text(other)), to = functions_.find(tokens_.text(name));
  if (of == functions_.end() || to == functions_.end()) {
    Token unknown = of == functions_.end() ? other : name;
    complain(tokens_.range(unknown), kWanted, "a function that is declared above", shortened(tokens_.text(unknown)));
  } else if (!module_.functions[of->second].defined) {
    module_.functions[of->second].alias = to->second;
  }
  tokens_.skip_statement();
}

bool Parser::dimensions(std::array<std::uint32_t, 3>& into) {
  into = {1, 1, 1};
  for (std::uint32_t& each : into) {
    std::int64_t value = 0;
    if (!number(value)) return false;
    each = static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 1 << 20));
    if (!tokens_.eat(',')) break;
  }
  return true;
}

// Between a function's parameters and its body. Answers whether there was one, well made.
bool Parser::launch_directive() {
  std::int64_t value = 0;
  std::array<std::uint32_t, 3> ignored{};
  if (tokens_.eat_word(".maxntid")) return dimensions(function_->most_threads);
  if (tokens_.eat_word(".reqntid")) return dimensions(function_->threads);
  if (tokens_.eat_word(".reqnctapercluster")) return dimensions(function_->cluster);
  if (tokens_.eat_word(".maxclusterrank")) return dimensions(ignored);
  if (tokens_.eat_word(".explicitcluster")) return function_->explicit_cluster = true;
  if (tokens_.eat_word(".blocksareclusters") || tokens_.eat_word(".noreturn")) return true;
  if (tokens_.eat_word(".minnctapersm")) {
    if (!number(value)) return false;
    function_->least_ctas = static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 64));
    return true;
  }
  if (tokens_.eat_word(".maxnreg")) {
    if (!number(value)) return false;
    function_->most_registers = static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 255));
    return true;
  }
  if (tokens_.eat_word(".pragma")) {
    tokens_.skip_statement();
    return true;
  }
  return wanted("a directive of the launch, `{` or `;`");
}

void Parser::function(bool entry, bool external) {
  Function function;
  function.entry = entry;
  function_ = &function;
  if (!entry && !parameters(function.results, '(', ')')) return tokens_.skip_statement();
  if (tokens_.peek().kind != Token::Kind::name) {
    wanted("the function's name");
    return tokens_.skip_statement();
  }
  Token name = tokens_.take();
  function.name = tokens_.text(name);
  function.where = tokens_.range(name);
  if (!parameters(function.params, '(', ')')) return tokens_.skip_statement();
  while (!tokens_.at('{') && !tokens_.at(';')) {
    if (!launch_directive()) return tokens_.skip_statement();
  }
  auto [known, added] = functions_.try_emplace(function.name, static_cast<std::uint32_t>(module_.functions.size()));
  std::uint32_t index = known->second;
  if (added) {
    module_.functions.push_back({});
    module_.functions.back().name = function.name;
  } else if (module_.functions[index].defined && tokens_.at('{')) {
    complain(function.where, kDefinedTwice, shortened(function.name));
  }
  if (!tokens_.eat(';')) {
    tokens_.take();
    if (external) complain(function.where, kDefinedTwice, shortened(function.name));
    function.defined = true;
    body(function);
  }
  if (function.defined || added) module_.functions[index] = std::move(function);
  function_ = nullptr;
}

const Function* Module::entry(std::string_view name) const {
  const Function* found = nullptr;
  for (const Function& each : functions) {
    if (!each.entry || !each.defined) continue;
    if (each.name == name) return &each;
  }
  for (const Function& each : functions) {
    if (!each.entry || !each.defined || each.name.find(name) == std::string::npos) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

std::optional<Module> parse(FileId file, const Sources& sources, Diagnostics& diagnostics) {
  return Parser(file, sources.text(file), diagnostics).run();
}

}  // namespace warpcc::ptx_text
