#include "driver/check_others.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "checker/launch_file.h"
#include "driver/steps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx_text/parse.h"

extern char** environ;

namespace warpcc::driver {

namespace {

// What has no meaning for PTX that others wrote is said, not passed over.
llvm::Error options_for_ptx(const Invocation& invocation) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kOthers[] = {
      {"--clusters", "all of a launch run"},
      {"--launches", "a launch file says one"},
      {"--values", "a launch file's `product`, or `wanted` of a buffer, says what is to come out"},
      {"--coverage", "it is read off a kernel's layouts"},
      {"--require-held", "PTX is held to nothing"},
      {"--lifted", "it compares a program with what it lifts to"},
      {"--lifted-to", "it compares a program with what it lifts to"},
      {"--valid", "a launch file says how large a buffer is"},
  };
  for (const auto& [option, why] : kOthers) {
    if (invocation.has(option) || invocation.value(option))
      return wrong(fmt::format("`{}` is for `.wk` and SASS text, not for PTX: {}", option.str(), why.str()));
  }
  return llvm::Error::success();
}

}  // namespace

int check_ptx(const Invocation& invocation) {
  if (llvm::Error error = options_for_ptx(invocation)) return cannot_run(std::move(error));
  if (llvm::Error error = check_format(invocation)) return cannot_run(std::move(error));
  llvm::Expected<checker::Options> options = check_options(invocation);
  if (!options) return cannot_run(options.takeError());
  llvm::Expected<std::uint64_t> schedules = number_option(invocation, "--schedules", 1, 1, 1 << 20);
  if (!schedules) return cannot_run(schedules.takeError());
  std::optional<std::string> path = invocation.value("--launch");
  if (!path) return cannot_run(wrong("a PTX kernel needs `--launch FILE`: what it is launched with"));
  Run run{invocation, {}, {}, {}};
  llvm::Expected<FileId> file = run.sources.load(invocation.input);
  if (!file) return cannot_run(file.takeError());
  llvm::Expected<FileId> launch_text = run.sources.load(*path);
  if (!launch_text) return cannot_run(launch_text.takeError());
  llvm::Expected<checker::LaunchFile> launch =
      checker::LaunchFile::read(run.sources.text(*launch_text), llvm::sys::path::parent_path(*path).str());
  if (!launch) return cannot_run(wrong(*path + ": " + llvm::toString(launch.takeError())));
  auto module = run.times.measure("parse", [&] { return ptx_text::parse(*file, run.sources, run.diagnostics); });
  if (!module) return run.end_refused("PTX");
  checker::Outcome outcome;
  llvm::Error error = llvm::Error::success();
  run.times.measure("check", [&] {
    std::uint64_t first = options->seed;
    for (std::uint64_t i = 0; i < *schedules && !error && !outcome.failed(); ++i) {
      options->seed = first + i;
      outcome = {};
      error = launch->run(*module, run.sources, *options, outcome, run.diagnostics);
      if (run.diagnostics.failed()) break;
    }
    if (outcome.failed() && *schedules > 1)
      outcome.notes.push_back(fmt::format("found under the schedule of `--seed {}`", options->seed));
    return 0;
  });
  if (error) return cannot_run(wrong(*path + ": " + llvm::toString(std::move(error))));
  if (run.diagnostics.failed()) return run.end_refused("PTX");
  print_outcome(outcome, run);
  return run.end(outcome.failed() ? kRefused : kDone);
}

namespace {

// The library that stands in for the GPU: beside the executable's folder, installed or in a build folder.
std::string stand_in(const std::string& program) {
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  for (const char* place : {"lib/warpcc", "lib"}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, place, "libwarpcc_standin.so");
    if (llvm::sys::fs::exists(path)) return path.str().str();
  }
  return "";
}

// A folder in which the libraries that programs ask for are the stand-in.
struct Folder {
  llvm::SmallString<128> path;
  ~Folder() {
    if (!path.empty()) llvm::sys::fs::remove_directories(path);
  }
};

}  // namespace

int check_program(const Invocation& invocation) {
  llvm::Expected<checker::Options> options = check_options(invocation);
  if (!options) return cannot_run(options.takeError());
  llvm::Expected<std::uint64_t> schedules = number_option(invocation, "--schedules", 1, 1, 1 << 20);
  if (!schedules) return cannot_run(schedules.takeError());
  const std::vector<std::string>& words = invocation.program_words;
  std::string library = stand_in(invocation.program);
  if (library.empty()) return cannot_run(wrong("libwarpcc_standin.so is not there: it is installed with warpcc"));
  auto found = llvm::sys::findProgramByName(words[0]);
  if (!found || !llvm::sys::fs::can_execute(*found))
    return cannot_run(wrong(fmt::format("`{}` is no program", words[0])));
  Folder folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("warpcc", folder.path))
    return cannot_run(wrong("cannot make a folder for the program's libraries: " + error.message()));
  for (const char* name : {"libcudart.so.12", "libcudart.so.13", "libcuda.so.1", "libcuda.so"}) {
    llvm::SmallString<128> link(folder.path);
    llvm::sys::path::append(link, name);
    if (std::error_code error = llvm::sys::fs::create_link(library, link))
      return cannot_run(wrong("cannot make a folder for the program's libraries: " + error.message()));
  }
  llvm::SmallString<128> report(folder.path);
  llvm::sys::path::append(report, "report");

  std::vector<std::string> environment;
  std::string libraries = "LD_LIBRARY_PATH=" + folder.path.str().str(), preload = "LD_PRELOAD=" + library;
  for (char** each = environ; *each != nullptr; ++each) {
    llvm::StringRef variable = *each;
    if (variable.consume_front("LD_LIBRARY_PATH=")) {
      libraries += ":" + variable.str();
    } else if (variable.consume_front("LD_PRELOAD=")) {
      preload += ":" + variable.str();
    } else {
      environment.push_back(*each);
    }
  }
  environment.push_back(libraries);
  environment.push_back(preload);
  environment.push_back("WARPCC_REPORT=" + report.str().str());
  if (std::optional<std::string> record = invocation.value("--record")) {
    llvm::SmallString<256> into(*record);
    llvm::sys::fs::make_absolute(into);
    if (std::error_code error = llvm::sys::fs::create_directories(into))
      return cannot_run(wrong(fmt::format("cannot make `{}`: {}", *record, error.message())));
    environment.push_back("WARPCC_RECORD=" + into.str().str());
    environment.push_back("WARPCC_KEEP_PTX=" + into.str().str() + "/kernel.ptx");
  }
  if (std::optional<std::string> device = invocation.value("--device"))
    environment.push_back("WARPCC_DEVICE=" + *device);
  if (invocation.has("--strict")) environment.push_back("WARPCC_STRICT=1");
  const std::vector<llvm::StringRef> arguments(words.begin(), words.end());

  // One run a schedule, until one finds something.
  int exit_code = kDone;
  for (std::uint64_t i = 0; i < *schedules && exit_code == kDone; ++i) {
    const std::string seed = fmt::format("WARPCC_SEED={}", options->seed + i);
    std::vector<llvm::StringRef> variables(environment.begin(), environment.end());
    variables.push_back(seed);
    llvm::sys::fs::remove(report);
    std::string message;
    int code =
        llvm::sys::ExecuteAndWait(*found, arguments, llvm::ArrayRef<llvm::StringRef>(variables), {}, 0, 0, &message);
    auto text = llvm::MemoryBuffer::getFile(report);
    if (!text && !message.empty())
      return cannot_run(wrong(fmt::format("`{}` has ended before it used a GPU: {}", words[0], message)));
    if (!text) {
      return cannot_run(
          wrong(fmt::format("`{}` has used no GPU: a program that has the CUDA runtime inside, and is stripped of its "
                            "symbols, is to be linked again, with the runtime as a library (`nvcc -cudart shared`)",
                            words[0])));
    }
    auto [verdict, said] = (*text)->getBuffer().split('\n');
    exit_code = verdict == "passed" && code == 0 ? kDone : kRefused;
    if (exit_code == kDone && i + 1 < *schedules) continue;
    llvm::outs() << said;
    if (code != 0) llvm::outs() << fmt::format("the program ended with {}\n", code);
    if (exit_code != kDone && *schedules > 1)
      llvm::outs() << fmt::format("note: found under the schedule of `--seed {}`\n", options->seed + i);
  }
  llvm::outs().flush();
  return exit_code;
}

}  // namespace warpcc::driver
