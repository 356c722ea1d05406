// What several commands do alike: from the command line to a kernel's program, and what is said on the way.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "driver/command_line.h"
#include "sass/program.h"
#include "sass/text.h"
#include "sema/kernel.h"
#include "sema/sema.h"
#include "support/diagnostics.h"
#include "support/files.h"
#include "support/source.h"

namespace llvm::json {
class OStream;
}

namespace warpcc::driver {

// Exit codes.
constexpr int kDone = 0;
constexpr int kRefused = 1;    // the program was refused or a check failed
constexpr int kCannotRun = 2;  // the command line or the environment is wrong

// How long each part took, for --time.
class Times {
 public:
  template <typename Part>
  auto measure(std::string_view name, Part part) {
    auto start = std::chrono::steady_clock::now();
    auto result = part();
    parts_.emplace_back(name, std::chrono::steady_clock::now() - start);
    return result;
  }
  void print(llvm::raw_ostream& out) const;
  void print_json(llvm::json::OStream& out) const;

 private:
  std::vector<std::pair<std::string_view, std::chrono::duration<double, std::milli>>> parts_;
};

// What a kernel's parameters were set to, and the row of `tune` that matched.
struct Choices {
  std::vector<kernel::Choice> parameters = {};
  std::optional<SourceRange> row = {};
};

// A run of a command: what it reads and what is found wrong.
struct Run {
  const Invocation& invocation;
  Sources sources;
  Diagnostics diagnostics;
  Times times;
  Choices choices = {};
  std::optional<checker::Outcome> checked = {};  // what --format json says with the diagnostics

  // Ends a run: the diagnostics and, with --time, the times; with --format json as one object (docs/diagnostics.md).
  int end(int exit_code);
  // Ends a run that gave no result: diagnostics say why, or warpcc has a bug.
  int end_refused(std::string_view part);
};

// `warpcc: error: …`, and kCannotRun.
int cannot_run(llvm::Error error);

// The kernels folder that comes with warpcc: installed, or in the source tree that the build folder is in.
std::optional<std::string> library_folder(const std::string& program);
// The options -D and -I, WARPCC_PATH and the library that comes with warpcc.
llvm::Expected<CompileOptions> compile_options(const Invocation& invocation);
// --form, else the default.
llvm::Expected<sass::Form> form_option(const Invocation& invocation, sass::Form otherwise);
// --format: what is said of a kernel is text, or JSON.
bool says_json(const Invocation& invocation);
llvm::Error check_format(const Invocation& invocation);
// --clusters, --values, --launches, --seed, --require-held.
llvm::Expected<checker::Options> check_options(const Invocation& invocation);
// A whole number from `least` to `most`; `otherwise` where the option is not given.
llvm::Expected<std::uint64_t> number_option(const Invocation& invocation, std::string_view option,
                                            std::uint64_t otherwise, std::uint64_t least, std::uint64_t most);
// The listed clusters are ones that the program has.
llvm::Error check_clusters(const checker::Options& options, const sass::Program& program);

// A .wk file to its coloured program. On failure the run's end is in `exit_code`.
std::optional<sass::Program> compile_program(Run& run, FileId file, const CompileOptions& options, int& exit_code);
// SASS text to its coloured program.
std::optional<sass::Program> read_program(Run& run, FileId file, int& exit_code);

// What `check` and `hb` take: a kernel's coloured program, and which of it runs. On failure the run's end is in
// `exit_code`.
struct CheckInput {
  sass::Program program;
  checker::Options options;
};
std::optional<CheckInput> read_check_input(Run& run, int& exit_code);

// What the checker found, to standard output: it is what was asked for.
void print_outcome(const checker::Outcome& outcome, const Run& run);

bool is_sass_text(std::string_view path);

// Text to the terminal or, with a path that is not `-`, to a file.
int write_text(const std::optional<std::string>& path, const std::string& input, std::string text);
// Whole or not at all, and never over the input.
int write_files(const std::string& input, const std::vector<OutputFile>& files);

}  // namespace warpcc::driver
