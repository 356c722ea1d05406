// warpcc layout FILE.wk [NAME]: where everything lies and what that costs; with --text and --svg, drawn.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "driver/commands.h"
#include "driver/steps.h"
#include "frontend/parse.h"
#include "llvm/Support/raw_ostream.h"
#include "report/layout_report.h"

namespace warpcc::driver {
namespace {

using report::LayoutSubject;
using report::LayoutUse;

constexpr Option kOptions[] = {
    {"-o", "FILE", "where the output goes instead of standard output"},
    {"-D", "NAME=VALUE", "sets a parameter of the kernel", true},
    {"-I", "FOLDER", "searched for the files that `use` names, after the input's own folder", true},
    {"--text", "", "draws as text"},
    {"--svg", "", "draws as SVG"},
    {"--format", "FORMAT", "how mistakes are said: text (the default), json"},
};

// What is asked for: a buffer or fragment, and with `:LINE` its accesses by the instructions at that line.
struct Asked {
  std::string name;
  std::optional<std::uint32_t> line;
};

llvm::Expected<std::optional<Asked>> asked_for(const Invocation& invocation) {
  if (invocation.inputs.size() > 2)
    return wrong(fmt::format("`{}` and `{}`: one name at a time", invocation.inputs[1], invocation.inputs[2]));
  if (invocation.inputs.size() < 2) return std::nullopt;
  const std::string& word = invocation.inputs[1];
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return Asked{word, std::nullopt};
  std::uint32_t line = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data() + colon + 1, end, line);
  if (error != std::errc() || stopped != end) return wrong(fmt::format("`{}`: wanted is NAME, or NAME:LINE", word));
  return Asked{word.substr(0, colon), line};
}

llvm::Error not_there(const Asked& asked, const std::vector<LayoutSubject>& all) {
  std::vector<std::string_view> names;
  std::string list;
  for (const LayoutSubject& subject : all) {
    if (std::find(names.begin(), names.end(), subject.name) != names.end()) continue;
    names.push_back(subject.name);
    list += (list.empty() ? "" : ", ") + subject.name;
  }
  return wrong(fmt::format("the kernel has no buffer and no fragment `{}`{}; it has {}", asked.name,
                           suggestion(asked.name, names), list.empty() ? "none" : list));
}

// The subjects of this name; with a line, only what stands there.
llvm::Expected<std::vector<LayoutSubject>> chosen(std::vector<LayoutSubject> all, const Asked& asked,
                                                  const Sources& sources) {
  std::vector<LayoutSubject> those;
  for (const LayoutSubject& subject : all)
    if (subject.name == asked.name) those.push_back(subject);
  if (those.empty()) return not_there(asked, all);
  if (!asked.line) return those;
  bool any = false;
  for (LayoutSubject& subject : those) {
    std::erase_if(subject.uses, [&](const LayoutUse& use) {
      return sources.position(use.instruction.file, use.instruction.begin).line != *asked.line;
    });
    any |= !subject.uses.empty();
  }
  if (!any) return wrong(fmt::format("no instruction at line {} names `{}`", *asked.line, asked.name));
  return those;
}

// The pictures of the subjects; of a line's instructions, of the banks that they touch.
llvm::Expected<std::vector<layout::Picture>> pictures_of(const std::vector<LayoutSubject>& subjects,
                                                         const std::optional<Asked>& asked, const Sources& sources) {
  std::vector<layout::Picture> pictures;
  for (const LayoutSubject& subject : subjects) {
    if (asked && asked->line) {
      for (const LayoutUse& use : subject.uses) {
        if (!use.access) continue;
        layout::Picture picture = layout::picture_of(use.access->lanes, use.access->lane_bytes);
        picture.title = fmt::format("{}: {}: {}", sources.place(use.instruction), use.text, picture.title);
        pictures.push_back(std::move(picture));
      }
      continue;
    }
    // Of all that there is global memory is left out: it is rarely small and its layout rarely worth a picture.
    const bool global = subject.buffer && subject.buffer->space == kernel::MemorySpace::global;
    if (!asked && (global || (subject.buffer && subject.buffer->empty()))) continue;
    llvm::Expected<layout::Picture> picture = layout_picture(subject);
    if (!picture) return wrong(fmt::format("`{}`: {}", subject.name, llvm::toString(picture.takeError())));
    pictures.push_back(std::move(*picture));
  }
  if (pictures.empty() && asked && asked->line)
    return wrong(fmt::format("line {} has no access of a warp's lanes to `{}`", *asked->line, asked->name));
  return pictures;
}

llvm::Expected<std::string> output_of(const Invocation& invocation, const std::vector<LayoutSubject>& subjects,
                                      const std::optional<Asked>& asked, const Sources& sources) {
  if (!invocation.has("--text") && !invocation.has("--svg")) {
    std::string out;
    for (const LayoutSubject& subject : subjects) out += (out.empty() ? "" : "\n") + layout_text(subject, sources);
    return out;
  }
  llvm::Expected<std::vector<layout::Picture>> pictures = pictures_of(subjects, asked, sources);
  if (!pictures) return pictures.takeError();
  if (invocation.has("--svg")) return layout::svg(*pictures);
  const std::optional<std::string> file = invocation.value("-o");
  const bool coloured = (!file || *file == "-") && llvm::outs().is_displayed() && llvm::outs().has_colors();
  std::string out;
  for (const layout::Picture& picture : *pictures) out += (out.empty() ? "" : "\n") + layout::text(picture, coloured);
  return out;
}

int run_layout(const Invocation& invocation) {
  if (llvm::Error error = check_format(invocation)) return cannot_run(std::move(error));
  if (invocation.has("--text") && invocation.has("--svg"))
    return cannot_run(wrong("`--text` and `--svg`: one picture at a time"));
  llvm::Expected<std::optional<Asked>> asked = asked_for(invocation);
  if (!asked) return cannot_run(asked.takeError());
  llvm::Expected<CompileOptions> options = compile_options(invocation);
  if (!options) return cannot_run(options.takeError());
  Run run{invocation, {}, {}, {}};
  llvm::Expected<FileId> file = run.sources.load(invocation.input);
  if (!file) return cannot_run(file.takeError());
  if (!parse(*file, run.sources, run.diagnostics) || run.diagnostics.failed()) return run.end_refused("parse");
  const std::optional<kernel::Kernel> kernel = elaborate(*file, *options, run.sources, run.diagnostics);
  if (!kernel || run.diagnostics.failed()) return run.end_refused("analyse");

  std::vector<LayoutSubject> subjects = report::layout_subjects(*kernel, run.sources);
  if (*asked) {
    llvm::Expected<std::vector<LayoutSubject>> those = chosen(std::move(subjects), **asked, run.sources);
    if (!those) return cannot_run(those.takeError());
    subjects = std::move(*those);
  }
  llvm::Expected<std::string> output = output_of(invocation, subjects, *asked, run.sources);
  if (!output) return cannot_run(output.takeError());
  return run.end(write_text(invocation.value("-o"), invocation.input, std::move(*output)));
}

}  // namespace

constinit const Command layout_command{
    "layout",
    "warpcc layout FILE.wk [NAME[:LINE]] [-D NAME=VALUE …] [--text|--svg] [-o FILE]",
    "says where each buffer, fragment and operand lies, the arithmetic of its address and its bank conflicts; or "
    "draws it",
    "a kernel, and the name of a buffer or fragment in it",
    kOptions,
    "  warpcc layout kernels/gemm.wk\n"
    "  warpcc layout kernels/gemm.wk sa\n"
    "  warpcc layout kernels/gemm.wk sa --svg -o sa.svg\n",
    run_layout,
    true,
};

}  // namespace warpcc::driver
