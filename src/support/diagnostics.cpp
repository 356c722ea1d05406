#include "support/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "support/diagnostics_json.h"

namespace warpcc {
namespace {

// Wider lines are cut around the place.
constexpr std::size_t kWidest = 120;
// What is shown before the place in a line that is cut.
constexpr std::size_t kLead = 40;
constexpr std::string_view kCut = "...";
// A text can be wrong in as many places as it has bytes; nobody reads on from here.
constexpr std::size_t kMostPrinted = 100;

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Moves back to where a UTF-8 character begins.
std::size_t character_start(std::string_view line, std::size_t at) {
  while (at > 0 && at < line.size() && continues_character(line[at])) --at;
  return at;
}

std::string printable(std::string_view line) {
  std::string shown(line);
  for (char& byte : shown) {
    auto code = static_cast<unsigned char>(byte);
    if ((code < 0x20 && byte != '\t') || code == 0x7f) byte = '?';
  }
  return shown;
}

// The line and under it the caret range, `begin` to `end` in bytes of the line.
void print_excerpt(llvm::raw_ostream& out, std::string_view line, std::size_t begin, std::size_t end) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  std::size_t from = 0;
  std::size_t to = line.size();
  if (line.size() > kWidest) {
    from = character_start(line, begin > kLead ? begin - kLead : 0);
    to = character_start(line, std::min(from + kWidest, line.size()));
  }
  std::string_view before_cut = from > 0 ? kCut : "";
  std::string_view after_cut = to < line.size() ? kCut : "";
  out << before_cut << printable(line.substr(from, to - from)) << after_cut << '\n';

  out << std::string(before_cut.size(), ' ');
  for (char byte : line.substr(from, begin - from)) {
    if (!continues_character(byte)) out << (byte == '\t' ? '\t' : ' ');
  }
  out << '^';
  std::string_view marked = line.substr(begin, std::min(end, to) - begin);
  auto width = std::count_if(marked.begin(), marked.end(), [](char byte) { return !continues_character(byte); });
  for (std::ptrdiff_t i = 1; i < width; ++i) out << '~';
  out << '\n';
}

void print_part(llvm::raw_ostream& out, const Sources& sources, SourceRange where, llvm::StringRef kind,
                std::string_view text, std::string_view code) {
  Position at = sources.position(where.file, where.begin);
  out << sources.path(where.file) << ':' << at.line << ':' << at.column << ": " << kind << ": " << text;
  if (!code.empty()) out << " [" << code << ']';
  out << '\n';
  std::string_view line = sources.line(where.file, at.line);
  if (line.empty()) return;
  std::size_t begin = at.column - 1;
  std::size_t length = where.end > where.begin ? where.end - where.begin : 0;
  print_excerpt(out, line, begin, begin + length);
}

// A line with the edits that lie in it made; nothing where one of them reaches out of it.
std::optional<std::string> mended(const Sources& sources, FileId file, std::uint32_t line,
                                  const std::vector<Edit>& edits) {
  std::string_view text = sources.line(file, line);
  std::vector<const Edit*> in_order;
  for (const Edit& edit : edits) {
    if (edit.where.file == file && sources.position(file, edit.where.begin).line == line) in_order.push_back(&edit);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Edit* a, const Edit* b) { return a->where.begin < b->where.begin; });
  std::string made;
  std::size_t at = 0;
  for (const Edit* edit : in_order) {
    std::size_t begin = sources.position(file, edit->where.begin).column - 1;
    std::size_t end = begin + (edit->where.end - edit->where.begin);
    if (begin < at || end > text.size() || edit->words.find('\n') != std::string::npos) return std::nullopt;
    made.append(text.substr(at, begin - at)).append(edit->words);
    at = end;
  }
  return made.append(text.substr(at));
}

// The lines that the edits change, as they are then.
void print_mended(llvm::raw_ostream& out, const Sources& sources, const std::vector<Edit>& edits) {
  std::vector<std::pair<FileId, std::uint32_t>> lines;
  for (const Edit& edit : edits) {
    std::pair line{edit.where.file, sources.position(edit.where.file, edit.where.begin).line};
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  for (auto [file, line] : lines) {
    std::optional<std::string> text = mended(sources, file, line, edits);
    if (text && text->size() <= kWidest) out << "mended: " << printable(llvm::StringRef(*text).trim().str()) << '\n';
  }
}

llvm::StringRef name(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

void print_position(llvm::json::OStream& out, llvm::StringRef name, const Sources& sources, FileId file,
                    std::uint32_t offset) {
  Position at = sources.position(file, offset);
  out.attributeBegin(name);
  out.objectBegin();
  out.attribute("line", at.line);
  out.attribute("column", at.column);
  out.attribute("offset", offset);
  out.objectEnd();
  out.attributeEnd();
}

void print_place(llvm::json::OStream& out, const Sources& sources, SourceRange where) {
  out.attribute("file", llvm::json::fixUTF8(sources.path(where.file)));
  print_position(out, "begin", sources, where.file, where.begin);
  print_position(out, "end", sources, where.file, std::max(where.begin, where.end));
}

bool comes_before(const Diagnostic* left, const Diagnostic* right) {
  auto place = [](const Diagnostic* d) { return std::tie(d->where.file, d->where.begin, d->where.end); };
  return place(left) < place(right);
}

bool same(const Diagnostic& left, const Diagnostic& right) {
  return left.where == right.where && left.severity == right.severity && left.code == right.code &&
         left.text == right.text;
}

}  // namespace

std::vector<const Diagnostic*> in_order(const std::vector<Diagnostic>& all) {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : all) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(), comes_before);

  std::vector<const Diagnostic*> shown;
  for (const Diagnostic* diagnostic : sorted) {
    bool seen = false;
    for (auto it = shown.rbegin(); it != shown.rend() && (*it)->where == diagnostic->where; ++it) {
      seen |= same(**it, *diagnostic);
    }
    if (!seen) shown.push_back(diagnostic);
  }
  return shown;
}

Diagnostic& Diagnostics::add(Severity severity, std::string_view code, SourceRange where, std::string text) {
  if (severity == Severity::error) ++errors_;
  all_.push_back({severity, code, where, std::move(text), {}, {}});
  return all_.back();
}

void Diagnostics::print(llvm::raw_ostream& out, const Sources& sources) const {
  std::vector<const Diagnostic*> shown = in_order(all_);
  for (std::size_t i = 0; i < std::min(shown.size(), kMostPrinted); ++i) {
    const Diagnostic& diagnostic = *shown[i];
    print_part(out, sources, diagnostic.where, name(diagnostic.severity), diagnostic.text, diagnostic.code);
    print_mended(out, sources, diagnostic.edits);
    for (const Note& note : diagnostic.notes) print_part(out, sources, note.where, "note", note.text, "");
  }
  if (shown.size() > kMostPrinted) out << "and " << shown.size() - kMostPrinted << " more\n";
}

void print_json(const Diagnostics& diagnostics, llvm::json::OStream& out, const Sources& sources) {
  out.arrayBegin();
  for (const Diagnostic* diagnostic : in_order(diagnostics.all())) {
    out.objectBegin();
    out.attribute("severity", name(diagnostic->severity));
    out.attribute("code", llvm::StringRef(diagnostic->code));
    out.attribute("text", llvm::json::fixUTF8(diagnostic->text));
    print_place(out, sources, diagnostic->where);
    out.attributeBegin("notes");
    out.arrayBegin();
    for (const Note& note : diagnostic->notes) {
      out.objectBegin();
      out.attribute("text", llvm::json::fixUTF8(note.text));
      print_place(out, sources, note.where);
      out.objectEnd();
    }
    out.arrayEnd();
    out.attributeEnd();
    if (!diagnostic->edits.empty()) {
      out.attributeBegin("edits");
      out.arrayBegin();
      for (const Edit& edit : diagnostic->edits) {
        out.objectBegin();
        print_place(out, sources, edit.where);
        out.attribute("words", llvm::json::fixUTF8(edit.words));
        out.objectEnd();
      }
      out.arrayEnd();
      out.attributeEnd();
    }
    out.objectEnd();
  }
  out.arrayEnd();
}

}  // namespace warpcc
