// The command line: which command, its inputs and options, and what is wrong with it in words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace warpcc::driver {

struct Option {
  std::string_view name;   // `--emit`, `-D`
  std::string_view value;  // what its value is called in the help; empty: it takes none
  std::string_view help;
  bool repeats = false;  // may be given more than once
};

struct Invocation;

struct Command {
  std::string_view name;  // `compile` is not written: it is what a file alone means
  std::string_view usage;
  std::string_view summary;
  std::string_view inputs;  // what its input is called: `a kernel (.wk)`; empty: it takes none
  llvm::ArrayRef<Option> options;
  std::string_view examples;
  int (*run)(const Invocation&);
  bool several_inputs = false;
  bool takes_program = false;  // `-- PROGRAM ARGUMENTS` in place of an input
};

// A command with what it was given.
struct Invocation {
  const Command* command = nullptr;
  std::string program;  // where this executable is
  std::string input;    // the first, where a command takes several
  std::vector<std::string> inputs;
  std::vector<std::string> program_words;                       // behind `--`, where a command takes a program
  std::vector<std::pair<std::string_view, std::string>> given;  // option name and value

  bool has(std::string_view option) const;
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;
};

// The arguments after the command's name. Options may stand before and after the input; `--` ends them; values of
// one-letter options may be attached (`-DM=512`), values of long ones follow `=` or a blank. `--help` is taken by every
// command.
llvm::Expected<Invocation> parse_arguments(const Command& command, llvm::ArrayRef<std::string> arguments);

// `; did you mean …?` where one of the candidates is near, else nothing.
std::string suggestion(std::string_view word, llvm::ArrayRef<std::string_view> candidates);

// An error in the user's words, without a place.
llvm::Error wrong(std::string words);

}  // namespace warpcc::driver
