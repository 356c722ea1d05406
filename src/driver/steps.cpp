#include "driver/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "checker/report/json.h"
#include "codegen/codegen.h"
#include "frontend/parse.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "sass/colour.h"
#include "support/diagnostics_json.h"

namespace warpcc::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

bool is_name(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

llvm::Expected<std::vector<Definition>> definitions(const Invocation& invocation) {
  std::vector<Definition> all;
  llvm::StringMap<std::string> values;
  for (const std::string& given : invocation.values("-D")) {
    std::size_t equals = given.find('=');
    std::string name = given.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == given.size() || !is_name(name)) {
      return wrong(fmt::format("`-D {}`: wanted is NAME=VALUE, such as `-D M=512`", given));
    }
    std::string value = given.substr(equals + 1);
    auto [before, is_new] = values.try_emplace(name, value);
    if (!is_new) return wrong(fmt::format("`-D {}` is given twice: {} and {}", name, before->second, value));
    all.push_back({std::move(name), std::move(value)});
  }
  return all;
}

llvm::Expected<std::vector<std::int64_t>> cluster_list(std::string_view text) {
  std::vector<std::int64_t> list;
  while (true) {
    std::size_t comma = text.find(',');
    std::string_view word = text.substr(0, comma);
    std::int64_t number = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < 0) {
      return wrong(fmt::format("`--clusters`: `{}` is no cluster; wanted is `all` or a list such as `0,7,73`", word));
    }
    if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

bool is_coloured(const sass::Program& program) {
  return std::all_of(program.values.begin(), program.values.end(),
                     [](const sass::Value& value) { return value.colour >= 0; });
}

}  // namespace

llvm::Expected<std::uint64_t> number_option(const Invocation& invocation, std::string_view option,
                                            std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) {
  std::optional<std::string> text = invocation.value(option);
  if (!text) return otherwise;
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc() && end == text->data() + text->size() && number >= least && number <= most) return number;
  return wrong(fmt::format("`{} {}`: wanted is a whole number from {} to {}", option, *text, least, most));
}

void Times::print(llvm::raw_ostream& out) const {
  double total = 0;
  for (const auto& [name, time] : parts_) {
    out << fmt::format("{:>10} {:10.2f} ms\n", name, time.count());
    total += time.count();
  }
  out << fmt::format("{:>10} {:10.2f} ms\n", "total", total);
}

// In milliseconds.
void Times::print_json(llvm::json::OStream& out) const {
  out.object([&] {
    for (const auto& [name, time] : parts_) out.attribute(llvm::StringRef(name), time.count());
  });
}

int Run::end(int exit_code) {
  llvm::outs().flush();  // what was said before comes first
  if (says_json(invocation)) {
    llvm::json::OStream out(llvm::errs());
    out.object([&] {
      auto print_part = [&](llvm::StringRef name, auto print) {
        out.attributeBegin(name);
        print();
        out.attributeEnd();
      };
      out.attribute("version", 1);
      out.attribute("exit_code", exit_code);
      print_part("diagnostics", [&] { print_json(diagnostics, out, sources); });
      if (checked) print_part("check", [&] { print_json(*checked, out, &sources); });
      if (invocation.has("--time")) print_part("times", [&] { times.print_json(out); });
    });
    llvm::errs() << '\n';
    return exit_code;
  }
  diagnostics.print(llvm::errs(), sources);
  if (invocation.has("--time")) times.print(llvm::errs());
  return exit_code;
}

int Run::end_refused(std::string_view part) {
  if (diagnostics.failed()) return end(kRefused);
  end(kCannotRun);
  llvm::errs() << "warpcc: internal error: `" << part
               << "` gave no result and no reason; this is a bug of warpcc: please report it with the input\n";
  return kCannotRun;
}

int cannot_run(llvm::Error error) {
  llvm::errs() << "warpcc: error: " << llvm::toString(std::move(error)) << '\n';
  return kCannotRun;
}

std::optional<std::string> library_folder(const std::string& program) {
  for (const char* from_bin : {"../share/warpcc/kernels", "../../kernels", "../../../kernels"}) {
    llvm::SmallString<256> folder(path::parent_path(program));
    path::append(folder, from_bin);
    path::remove_dots(folder, /*remove_dot_dot=*/true);
    if (fs::is_directory(folder)) return folder.str().str();
  }
  return std::nullopt;
}

llvm::Expected<CompileOptions> compile_options(const Invocation& invocation) {
  CompileOptions options;
  llvm::Expected<std::vector<Definition>> defined = definitions(invocation);
  if (!defined) return defined.takeError();
  options.definitions = std::move(*defined);

  for (std::string& folder : invocation.values("-I")) {
    if (!fs::is_directory(folder)) return wrong(fmt::format("`-I {}`: there is no such folder", folder));
    options.library_folders.push_back(std::move(folder));
  }
  if (const char* folders = std::getenv("WARPCC_PATH")) {
    for (llvm::StringRef rest = folders; !rest.empty();) {
      auto [folder, after] = rest.split(':');
      if (!folder.empty()) options.library_folders.push_back(folder.str());
      rest = after;
    }
  }
  if (std::optional<std::string> library = library_folder(invocation.program))
    options.library_folders.push_back(*library);
  return options;
}

llvm::Expected<sass::Form> form_option(const Invocation& invocation, sass::Form otherwise) {
  std::optional<std::string> form = invocation.value("--form");
  if (!form) return otherwise;
  if (*form == "named") return sass::Form::named;
  if (*form == "coloured") return sass::Form::coloured;
  if (*form == "both") return sass::Form::both;
  return wrong(fmt::format("`--form {}`: the forms are named, coloured, both", *form));
}

bool says_json(const Invocation& invocation) {
  return invocation.value("--format") == "json";
}

llvm::Error check_format(const Invocation& invocation) {
  std::string format = invocation.value("--format").value_or("text");
  if (format == "text" || format == "json") return llvm::Error::success();
  return wrong(fmt::format("`--format {}`: the formats are text, json", format));
}

llvm::Expected<checker::Options> check_options(const Invocation& invocation) {
  checker::Options options;
  options.values = invocation.has("--values");
  options.require_held = invocation.has("--require-held");
  options.strict = invocation.has("--strict");
  options.coverage = invocation.has("--coverage");
  llvm::Expected<std::uint64_t> sms = number_option(invocation, "--sms", 148, 1, 1 << 16);
  if (!sms) return sms.takeError();
  options.sms = static_cast<std::int64_t>(*sms);
  llvm::Expected<std::uint64_t> launches = number_option(invocation, "--launches", 1, 1, 16);
  if (!launches) return launches.takeError();
  options.launches = static_cast<int>(*launches);
  llvm::Expected<std::uint64_t> seed = number_option(invocation, "--seed", 0, 0, UINT64_MAX);
  if (!seed) return seed.takeError();
  options.seed = *seed;
  std::optional<std::string> clusters = invocation.value("--clusters");
  if (!clusters) return options;
  if (*clusters == "all") {
    options.clusters = checker::Options::Clusters::all;
    return options;
  }
  llvm::Expected<std::vector<std::int64_t>> list = cluster_list(*clusters);
  if (!list) return list.takeError();
  options.clusters = checker::Options::Clusters::list;
  options.list = std::move(*list);
  return options;
}

llvm::Error check_clusters(const checker::Options& options, const sass::Program& program) {
  std::int64_t there_are = program.grid[0] * program.grid[1] * program.grid[2] / std::max(program.cluster, 1);
  for (std::int64_t cluster : options.list) {
    if (cluster >= there_are) {
      return wrong(fmt::format("`--clusters`: no cluster {}; the grid has {}, counted from 0", cluster, there_are));
    }
  }
  return llvm::Error::success();
}

std::optional<sass::Program> compile_program(Run& run, FileId file, const CompileOptions& options, int& exit_code) {
  auto tree = run.times.measure("parse", [&] { return parse(file, run.sources, run.diagnostics); });
  if (!tree || run.diagnostics.failed()) {
    exit_code = run.end_refused("parse");
    return std::nullopt;
  }
  auto kernel = run.times.measure(
      "analyse", [&] { return elaborate(file, std::move(*tree), options, run.sources, run.diagnostics); });
  if (!kernel || run.diagnostics.failed()) {
    exit_code = run.end_refused("analyse");
    return std::nullopt;
  }
  run.choices = {kernel->choices, kernel->tune_row};
  auto program = run.times.measure("generate", [&] { return generate(*kernel, run.sources, run.diagnostics); });
  if (!program || run.diagnostics.failed()) {
    exit_code = run.end_refused("generate");
    return std::nullopt;
  }
  return program;
}

std::optional<sass::Program> read_program(Run& run, FileId file, int& exit_code) {
  auto program = run.times.measure("read", [&] { return sass::read(file, run.sources, run.diagnostics); });
  if (!program || run.diagnostics.failed()) {
    exit_code = run.end_refused("read");
    return std::nullopt;
  }
  if (is_coloured(*program)) return program;
  bool fits = run.times.measure(
      "colour", [&] { return sass::colour(*program, sass::register_ceiling(*program), run.diagnostics); });
  if (!fits) {
    exit_code = run.end_refused("colour");
    return std::nullopt;
  }
  return program;
}

namespace {

// `a=64,504`: of each dimension what holds something.
llvm::Error set_valid(sass::Program& program, llvm::StringRef option) {
  auto [name, list] = option.split('=');
  std::string known;
  for (sass::Buffer& buffer : program.buffers) {
    if (buffer.space != sass::MemorySpace::global) continue;
    known += (known.empty() ? "" : ", ") + buffer.name;
    if (name != buffer.name) continue;
    const layout::Map& map = buffer.layout.map();
    llvm::SmallVector<llvm::StringRef, 4> each;
    list.split(each, ',');
    bool fits = static_cast<int>(each.size()) == map.rank();
    std::vector<std::int64_t> valid(each.size(), 0);
    std::string extents;
    for (int i = 0; i < map.rank(); ++i) {
      auto at = static_cast<std::size_t>(i);
      extents += fmt::format("{}{}", i == 0 ? "" : ",", map.extent(i));
      fits = fits && !each[at].trim().getAsInteger(10, valid[at]) && valid[at] >= 0 && valid[at] <= map.extent(i);
    }
    if (!fits) {
      return wrong(fmt::format("`--valid {}`: {} has {} dimensions: `--valid {}={}` is all of it",
                               std::string_view(option), buffer.name, map.rank(), buffer.name, extents));
    }
    buffer.valid = std::move(valid);
    return llvm::Error::success();
  }
  return wrong(fmt::format("`--valid {}`: no buffer `{}` in global memory; the kernel has {}", std::string_view(option),
                           std::string_view(name), known.empty() ? "none" : known));
}

// Lines that no statement has made: what is said of them names the line of the text.
void name_own_places(sass::Program& program, const Sources& sources) {
  for (sass::Line& line : program.lines) {
    if (!line.place.empty() || line.where.end <= line.where.begin) continue;
    llvm::StringRef file = llvm::sys::path::filename(sources.path(line.where.file));
    line.place = fmt::format("{}:{}", std::string_view(file), sources.position(line.where.file, line.where.begin).line);
  }
}

}  // namespace

std::optional<CheckInput> read_check_input(Run& run, int& exit_code) {
  const Invocation& invocation = run.invocation;
  auto end = [&](llvm::Error error) {
    exit_code = cannot_run(std::move(error));
    return std::nullopt;
  };
  bool is_text = is_sass_text(invocation.input);
  if (is_text && (invocation.has("-D") || invocation.has("-I")))
    return end(wrong("`-D` and `-I` go with a .wk file; SASS text has no parameters"));
  llvm::Expected<checker::Options> options = check_options(invocation);
  if (!options) return end(options.takeError());
  llvm::Expected<CompileOptions> compile = compile_options(invocation);
  if (!compile) return end(compile.takeError());
  llvm::Expected<FileId> file = run.sources.load(invocation.input);
  if (!file) return end(file.takeError());
  std::optional<sass::Program> program =
      is_text ? read_program(run, *file, exit_code) : compile_program(run, *file, *compile, exit_code);
  if (!program) return std::nullopt;
  if (is_text) name_own_places(*program, run.sources);
  for (const std::string& valid : invocation.values("--valid")) {
    if (llvm::Error error = set_valid(*program, valid)) return end(std::move(error));
  }
  if (llvm::Error error = check_clusters(*options, *program)) return end(std::move(error));
  return CheckInput{std::move(*program), std::move(*options)};
}

bool is_sass_text(std::string_view file) {
  return llvm::StringRef(file).ends_with(".sass");
}

int write_text(const std::optional<std::string>& file, const std::string& input, std::string text) {
  if (file && *file != "-") return write_files(input, {{*file, std::move(text)}});
  llvm::raw_fd_ostream& out = llvm::outs();
  out << text;
  out.flush();
  if (!out.has_error()) return kDone;
  std::string why = out.error().message();
  out.clear_error();
  return cannot_run(wrong("cannot write to standard output: " + why));
}

int write_files(const std::string& input, const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    bool same = false;
    if (!fs::equivalent(file.path, input, same) && same) {
      return cannot_run(wrong(fmt::format("cannot write `{}`: it is the input", file.path)));
    }
  }
  if (llvm::Error error = write_whole(files)) return cannot_run(std::move(error));
  return kDone;
}

void print_outcome(const checker::Outcome& outcome, const Run& run) {
  if (says_json(run.invocation)) {
    llvm::json::OStream out(llvm::outs());
    checker::print_json(outcome, out, &run.sources);
    llvm::outs() << '\n';
  } else {
    checker::print(outcome, llvm::outs(), &run.sources);
  }
  llvm::outs().flush();
}

}  // namespace warpcc::driver
