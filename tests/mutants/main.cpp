// Mutants of a kernel: every statement of its text and of its SASS text changed in every way that this program knows,
// each through types and checker.
//
//   mutants [-j N] [--sample N] [--list] [--argued FILE] [--only-argued] [--text | --listing] FOLDER PROGRAMS [NAME …]
//
// PROGRAMS has a program a line: its name, its parameters, and after each `|` a shape: `2048 tile=(128,128) | M=256
// N=512 K=128`. FILE argues for mutants that are equivalent (equivalent.txt says how); --only-argued tries those alone
// that an argument fits, to see which of them the program decides by now. Prints a table and those that survive; ends
// with 1 where one does.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "judge.h"

namespace warpcc::mutants {
namespace {

namespace fs = std::filesystem;

struct Settings {
  int processes = 2;
  std::size_t sample = 0;  // 0: all
  bool list = false, text = true, listing = true, only_argued = false;
  std::string folder, programs, argued;
  std::set<std::string> names;
};

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Subject> subjects(const Settings& settings) {
  std::vector<Subject> all;
  for (const std::string& line : lines_of(contents(settings.programs))) {
    if (line.empty() || line[0] == '#') continue;
    Subject subject;
    std::vector<Definition>* to = &subject.parameters;
    std::size_t at = 0;
    while (at < line.size()) {
      std::size_t end = std::min(line.find(' ', at), line.size());
      std::string word = line.substr(at, end - at);
      at = end + 1;
      if (word.empty()) continue;
      std::size_t equals = word.find('=');
      if (subject.name.empty()) {
        subject.name = word;
      } else if (subject.kernel.empty()) {
        subject.kernel = word;
      } else if (word.starts_with("launches=")) {
        subject.launches = std::atoi(word.c_str() + 9);
      } else if (word == "|") {
        to = &subject.shapes.emplace_back();
      } else {
        to->push_back({word.substr(0, equals), word.substr(equals + 1)});
      }
    }
    if (settings.names.empty() || settings.names.count(subject.name) > 0) all.push_back(std::move(subject));
  }
  return all;
}

// Arguments for mutants that no check can tell from the program: `change | where | why`, the first two as regular
// expressions; `where` is searched in `program: place: statement`.
struct Argued {
  std::regex change, statement;
  std::string why;
};
std::vector<Argued> arguments(const std::string& path) {
  std::vector<Argued> all;
  for (const std::string& line : lines_of(contents(path))) {
    if (line.empty() || line[0] == '#') continue;
    std::size_t first = line.find(" | "), second = line.find(" | ", first + 3);
    if (second == std::string::npos) continue;
    all.push_back({std::regex(line.substr(0, first)), std::regex(line.substr(first + 3, second - first - 3)),
                   line.substr(second + 3)});
  }
  return all;
}

struct Judged {
  const Subject* subject;
  Mutant mutant;
  Verdict verdict{Verdict::Kind::broken, "crashed, or did not end", ""};
};

// Why, for the first that fits; empty: none does.
std::string argument_for(const Judged& one, const std::vector<Argued>& all) {
  std::string what = fmt::format("{}: {}: {}", one.subject->name, one.mutant.place, one.mutant.statement);
  for (const Argued& argument : all) {
    if (std::regex_search(one.mutant.change, argument.change) && std::regex_search(what, argument.statement))
      return argument.why;
  }
  return {};
}

// The kernel's own file, and those of the library that its text names.
std::vector<std::string> files(const Settings& settings, const Subject& subject) {
  std::vector<std::string> all = {subject.kernel};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::string& line : lines_of(contents(fs::path(settings.folder) / all[i]))) {
      std::size_t begin = line.find('"'), end = line.rfind('"');
      if (!line.starts_with("use ") || end <= begin) continue;
      std::string name = (fs::path(all[i]).parent_path() / line.substr(begin + 1, end - begin - 1)).string();
      if (fs::exists(fs::path(settings.folder) / name) && std::find(all.begin(), all.end(), name) == all.end())
        all.push_back(name);
    }
  }
  return all;
}

// A verdict a line, through a pipe: a child that dies loses the mutant that it was at, and no other.
void work(const std::vector<Judged>& all, const std::map<const Subject*, std::vector<Original>>& originals,
          const Settings& settings, std::size_t from, std::size_t step, int out) {
  std::string folder = fmt::format("{}/warpcc-mutants-{}", fs::temp_directory_path().string(), getpid());
  fs::create_directories(folder);
  fs::copy(settings.folder, folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  for (std::size_t i = from; i < all.size(); i += step) {
    alarm(120);
    const Judged& one = all[i];
    Verdict verdict = one.mutant.file.empty()
                          ? judge_listing(*one.subject, one.mutant, originals.at(one.subject)[0])
                          : judge_kernel_text(*one.subject, one.mutant, folder, originals.at(one.subject));
    for (std::string* text : {&verdict.by, &verdict.text})
      std::replace_if(text->begin(), text->end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    std::string line = fmt::format("{}\t{}\t{}\t{}\n", i, static_cast<int>(verdict.kind), verdict.by, verdict.text);
    if (write(out, line.data(), line.size()) < 0) break;
  }
  fs::remove_all(folder);
}

void judge_all(std::vector<Judged>& all, const std::map<const Subject*, std::vector<Original>>& originals,
               const Settings& settings) {
  struct Child {
    pid_t pid;
    int in;
    std::size_t next, step;
    std::string buffer;
  };
  auto begin = [&](std::size_t from, std::size_t step) {
    int ends[2];
    if (pipe(ends) != 0) std::exit(2);
    pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      work(all, originals, settings, from, step, ends[1]);
      _exit(0);
    }
    close(ends[1]);
    return Child{pid, ends[0], from, step, {}};
  };
  auto count = static_cast<std::size_t>(settings.processes);
  std::vector<Child> children;
  for (std::size_t i = 0; i < count; ++i) children.push_back(begin(i, count));
  while (!children.empty()) {
    std::vector<pollfd> waiting;
    for (const Child& child : children) waiting.push_back({child.in, POLLIN, 0});
    poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = children.size(); i-- > 0;) {
      if (waiting[i].revents == 0) continue;
      Child& child = children[i];
      char some[4096];
      ssize_t got = read(child.in, some, sizeof some);
      if (got > 0) {
        child.buffer.append(some, static_cast<std::size_t>(got));
        std::size_t end;
        while ((end = child.buffer.find('\n')) != std::string::npos) {
          std::string line = child.buffer.substr(0, end);
          child.buffer.erase(0, end + 1);
          std::size_t a = line.find('\t'), b = line.find('\t', a + 1), c = line.find('\t', b + 1);
          std::size_t index = 0;
          std::from_chars(line.data(), line.data() + a, index);
          all[index].verdict = {static_cast<Verdict::Kind>(line[a + 1] - '0'), line.substr(b + 1, c - b - 1),
                                line.substr(c + 1)};
          child.next = index + child.step;
        }
        continue;
      }
      close(child.in);
      int status = 0;
      waitpid(child.pid, &status, 0);
      std::size_t lost = child.next, step = child.step;
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      if (status != 0 && lost + step < all.size()) children.push_back(begin(lost + step, step));
    }
  }
}

// `drop`, `double`, `swap` …: the first word, and what kind of thing it is done to.
std::string class_of(const Mutant& mutant) {
  std::string word = mutant.change.substr(0, mutant.change.find(' '));
  if (word != "drop" && word != "double" && word != "swap" && word != "move") {
    bool number = !mutant.change.empty() && mutant.change[0] >= '0' && mutant.change[0] <= '9';
    word = number ? "number" : mutant.change.find("guard") != std::string::npos ? "guard" : "word";
  }
  return (mutant.file.empty() ? "SASS " : ".wk ") + word;
}

int run(const Settings& settings) {
  std::vector<Subject> programs = subjects(settings);
  std::map<const Subject*, std::vector<Original>> originals;
  std::vector<Judged> all;
  for (const Subject& subject : programs) {
    std::vector<Original>& shapes = originals[&subject];
    for (std::size_t shape = 0; shape < subject.shapes.size(); ++shape) {
      Verdict why;
      auto one = original(subject, settings.folder + "/" + subject.kernel, shape, why);
      if (!one) {
        bool refused = why.kind == Verdict::Kind::refused;
        fmt::print(stderr, "{}: shape {} {}: {}: {}\n", subject.name, shape + 1,
                   refused ? "is refused" : "fails unchanged", why.by, why.text);
        return 2;
      }
      shapes.push_back(std::move(*one));
    }
    std::vector<Mutant> mutants;
    if (settings.text) {
      for (const std::string& file : files(settings, subject)) {
        for (Mutant& mutant : of_kernel_text(file, contents(fs::path(settings.folder) / file)))
          mutants.push_back(std::move(mutant));
      }
    }
    if (settings.listing) {
      for (Mutant& mutant : of_listing(shapes[0].listing)) mutants.push_back(std::move(mutant));
    }
    for (Mutant& mutant : mutants) all.push_back({&subject, std::move(mutant)});
  }
  if (settings.sample > 0 && all.size() > settings.sample) {  // spread over all, the same each time
    std::vector<Judged> some;
    for (std::size_t i = 0; i < settings.sample; ++i) some.push_back(std::move(all[i * all.size() / settings.sample]));
    all = std::move(some);
  }
  std::vector<Argued> argued = arguments(settings.argued);
  if (settings.only_argued) std::erase_if(all, [&](const Judged& one) { return argument_for(one, argued).empty(); });
  judge_all(all, originals, settings);

  for (Judged& one : all) {
    if (one.verdict.kind != Verdict::Kind::survived) continue;
    if (std::string why = argument_for(one, argued); !why.empty())
      one.verdict = {Verdict::Kind::equivalent, "argued: " + why, ""};
  }

  struct Row {
    std::size_t mutants = 0, refused = 0, killed = 0, decided = 0, argued = 0, survived = 0;
  };
  std::map<std::string, Row> rows, by_program;
  std::map<std::string, std::size_t> rules, checks, reasons;
  Row total;
  for (const Judged& one : all) {
    for (Row* row : {&rows[class_of(one.mutant)], &by_program[one.subject->name], &total}) {
      ++row->mutants;
      bool is_argued = one.verdict.by.starts_with("argued: ");
      row->refused += one.verdict.kind == Verdict::Kind::refused;
      row->killed += one.verdict.kind == Verdict::Kind::killed;
      row->decided += one.verdict.kind == Verdict::Kind::equivalent && !is_argued;
      row->argued += one.verdict.kind == Verdict::Kind::equivalent && is_argued;
      row->survived += one.verdict.kind == Verdict::Kind::survived || one.verdict.kind == Verdict::Kind::broken;
    }
    if (one.verdict.kind == Verdict::Kind::refused) ++rules[one.verdict.by];
    if (one.verdict.kind == Verdict::Kind::killed) ++checks[one.verdict.by];
    if (one.verdict.kind == Verdict::Kind::equivalent) ++reasons[one.verdict.by];
  }
  auto print_rows = [&](const std::map<std::string, Row>& of) {
    for (const auto& [name, row] : of)
      fmt::print("{:24} {:8} {:8} {:8} {:8} {:8} {:8}\n", name, row.mutants, row.refused, row.killed, row.decided,
                 row.argued, row.survived);
  };
  fmt::print("{:24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "mutants", "refused", "killed", "decided", "argued",
             "survived");
  print_rows(by_program);
  print_rows(rows);
  print_rows({{"all", total}});
  auto print_counts = [](const char* title, const std::map<std::string, std::size_t>& counts) {
    fmt::print("{}\n", title);
    for (const auto& [name, count] : counts) fmt::print("  {:8} {}\n", count, name);
  };
  print_counts("killed by", checks);
  print_counts("refused by", rules);
  print_counts("equivalent, because", reasons);
  for (const Judged& one : all) {
    bool alive = one.verdict.kind == Verdict::Kind::survived || one.verdict.kind == Verdict::Kind::broken;
    if (!alive && !settings.list) continue;
    fmt::print("{} {}: {}: `{}`: {}{}{}{}\n",
               alive ? one.verdict.kind == Verdict::Kind::broken ? "BROKEN" : "SURVIVED" : "gone", one.subject->name,
               one.mutant.place, one.mutant.statement, one.mutant.change, one.verdict.by.empty() ? "" : " -> ",
               one.verdict.by, one.verdict.text.empty() ? "" : ": " + one.verdict.text);
  }
  return total.survived > 0 ? 1 : 0;
}

}  // namespace
}  // namespace warpcc::mutants

int main(int argc, char** argv) {
  warpcc::mutants::Settings settings;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "-j" && i + 1 < argc) {
      settings.processes = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--sample" && i + 1 < argc) {
      settings.sample = static_cast<std::size_t>(std::max(1, std::atoi(argv[++i])));
    } else if (word == "--argued" && i + 1 < argc) {
      settings.argued = argv[++i];
    } else if (word == "--only-argued") {
      settings.only_argued = true;
    } else if (word == "--list") {
      settings.list = true;
    } else if (word == "--text") {
      settings.listing = false;
    } else if (word == "--listing") {
      settings.text = false;
    } else {
      words.emplace_back(word);
    }
  }
  if (words.size() < 2) {
    std::fprintf(stderr,
                 "mutants [-j N] [--sample N] [--list] [--argued FILE] [--only-argued] [--text | --listing] FOLDER "
                 "PROGRAMS [NAME ...]\n");
    return 2;
  }
  settings.folder = words[0];
  settings.programs = words[1];
  settings.names = {words.begin() + 2, words.end()};
  return warpcc::mutants::run(settings);
}
