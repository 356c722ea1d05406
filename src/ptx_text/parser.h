// The parts of the parser, one file each: module.cpp (directives of the module, functions' heads), variables.cpp
// (declarations and initialisers), body.cpp (statements), operands.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "ptx_text/program.h"
#include "ptx_text/scope.h"
#include "ptx_text/tokens.h"
#include "support/diagnostics.h"

namespace warpcc::ptx_text {

class Parser {
 public:
  Parser(FileId file, std::string_view text, Diagnostics& diagnostics)
      : file_(file), text_(text), tokens_(file, text), diagnostics_(diagnostics) {
    module_.file = file;
  }
  std::optional<Module> run();

 private:
  // A variable's or parameter's declaration: `.align 16 .b8 x[64]`, behind its state space.
  struct Declared {
    std::vector<Variable> variables;
    std::vector<Type> types;  // of one element each
  };
  struct Unresolved {  // a label's use
    std::uint32_t scope, operand;
    std::string_view name;
    SourceRange where;
    std::uint32_t table = ~0u;  // in a table, at the place `operand`
  };
  static constexpr std::uint32_t kTable = 1u << 31;  // a label's place: it names a table

  // ---- module.cpp
  void item();
  void version();
  void target();
  void file_directive();
  void function(bool entry, bool external);
  bool parameters(std::vector<Variable>& into, char open, char close);
  void alias();
  bool launch_directive();
  bool dimensions(std::array<std::uint32_t, 3>& into);

  // ---- variables.cpp
  std::optional<Type> type();
  // In a `list`, of parameters, a comma ends it; elsewhere `;` does.
  bool declaration(Space space, bool external, bool list, Declared& declared);
  bool extents(Variable& variable, int element);
  bool initialiser(Variable& variable, int element);
  bool initial_value(Variable& variable, int element, std::int64_t& at);

  // ---- body.cpp
  void body(Function& function);
  void statement();
  bool label();
  void table();
  void parameter(const Variable& param);
  void registers();
  bool vector_register(const std::string& name, Type type, int width);
  void own_variables(Space space);
  void instruction();
  bool guard(Instruction& instruction);
  void location();
  void resolve_labels();

  // ---- operands.cpp
  bool operand(Operand& operand, int depth = 0);
  bool name_operand(Operand& operand);
  bool vector_operand(Operand& operand, std::string_view name);
  bool address_operand(Operand& operand, int depth);
  bool list_operand(Operand& operand, char close, int depth);
  bool parts_of(Operand& operand, std::vector<Operand> parts);
  bool number(std::int64_t& value);

  template <typename... Args>
  bool complain(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    if (errors_ < kMostErrors) diagnostics_.error(where, message, args...);
    ++errors_;
    return false;
  }
  bool wanted(std::string_view what);
  SourceRange here() const { return tokens_.range(tokens_.peek()); }
  std::uint32_t opcode(std::string_view text);

  static constexpr int kMostErrors = 50;
  static constexpr std::string_view kParts = "xyzw";  // of vectors; `r`, `g`, `b`, `a` are the same
  static constexpr std::size_t kMostRegisters = 1u << 20;
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;

  FileId file_;
  std::string_view text_;
  Tokens tokens_;
  Diagnostics& diagnostics_;
  int errors_ = 0;
  Module module_;
  llvm::StringMap<std::uint32_t> opcodes_, globals_, functions_;

  // The function that is read.
  Function* function_ = nullptr;
  Scopes scopes_;
  std::vector<Unresolved> unresolved_;
  std::uint32_t place_ = 0;
};

}  // namespace warpcc::ptx_text
