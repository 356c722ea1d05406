// The `warpcc` command.
#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "driver/commands.h"
#include "driver/steps.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::driver {
namespace {

const Command* find_command(std::string_view name) {
  if (name == "compile") return &compile_command;
  for (const Command* command : named_commands()) {
    if (name == command->name) return command;
  }
  return nullptr;
}

// A first argument that is no command is the input of a compilation, unless it cannot be a file's name.
bool looks_like_file(llvm::StringRef word) {
  return word.contains('.') || word.contains('/') || llvm::sys::fs::exists(word);
}

llvm::Error unknown_command(const std::string& word) {
  std::vector<std::string_view> names{"help", "compile"};
  for (const Command* command : named_commands()) names.push_back(command->name);
  return wrong(fmt::format("`{}` is no command and no file{}; `warpcc --help` lists the commands", word,
                           suggestion(word, names)));
}

int run_help(llvm::ArrayRef<std::string> words) {
  if (words.empty()) {
    print_help(llvm::outs());
    return kDone;
  }
  const Command* command = find_command(words[0]);
  if (!command) return cannot_run(unknown_command(words[0]));
  print_help(llvm::outs(), *command);
  return kDone;
}

bool asks_for_help(llvm::ArrayRef<std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

int run_command(const Command& command, llvm::ArrayRef<std::string> arguments, const std::string& program) {
  if (asks_for_help(arguments)) {
    print_help(llvm::outs(), command);
    return kDone;
  }
  llvm::Expected<Invocation> invocation = parse_arguments(command, arguments);
  if (!invocation) return cannot_run(invocation.takeError());
  invocation->program = program;
  return command.run(*invocation);
}

int run(llvm::ArrayRef<std::string> arguments, const std::string& program) {
  if (arguments.empty()) {
    print_help(llvm::errs());
    return kCannotRun;
  }
  const std::string& first = arguments[0];
  if (first == "help") return run_help(arguments.drop_front());
  if (first == "--help" || first == "-h") return run_help({});
  if (first == "--version") {
    llvm::outs() << "warpcc " WARPCC_VERSION "\n";
    return kDone;
  }
  if (const Command* command = find_command(first)) return run_command(*command, arguments.drop_front(), program);
  if (first[0] != '-' && !looks_like_file(first)) return cannot_run(unknown_command(first));
  return run_command(compile_command, arguments, program);
}

// What was printed and could not be written is an error of the environment. A stream that still has one when the
// program ends would be taken for a crash.
int end_streams(int exit_code) {
  llvm::raw_fd_ostream& out = llvm::outs();
  out.flush();
  if (out.has_error()) {
    std::string why = out.error().message();
    out.clear_error();
    exit_code = cannot_run(wrong("cannot write to standard output: " + why));
  }
  llvm::errs().clear_error();  // there is nowhere left to say it
  return exit_code;
}

}  // namespace
}  // namespace warpcc::driver

int main(int argc, char** argv) {
  llvm::setBugReportMsg(
      "warpcc: internal error: this is a bug of warpcc: please report it with the command and its input\n");
  llvm::InitLLVM init(argc, argv);
  static int here;
  std::string program = llvm::sys::fs::getMainExecutable(argv[0], &here);
  try {
    int exit_code = warpcc::driver::run(std::vector<std::string>(argv + 1, argv + argc), program);
    return warpcc::driver::end_streams(exit_code);
  } catch (const std::exception& error) {
    llvm::errs() << "warpcc: internal error: " << error.what()
                 << "; this is a bug of warpcc: please report it with the command and its input\n";
    return warpcc::driver::kCannotRun;
  }
}
