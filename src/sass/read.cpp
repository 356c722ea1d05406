#include <fmt/format.h>

#include <algorithm>

#include "sass/read_header.h"
#include "sass/read_held.h"
#include "sass/read_operand.h"
#include "sass/text.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string> kLateHeader{"sass-late-header",
                                           "`{}` belongs to the header: before the first line of code"};
constexpr Message<std::string> kLabelTwice{"sass-label-twice", "the label `{}` stands already"};
constexpr Message<std::string> kLabelNowhere{"sass-label-nowhere", "no line of code follows the label `{}`"};
constexpr Message<std::string> kLeftOver{"sass-left-over",
                                         "`=`, `;` or the end of the line is wanted here; this is `{}`"};
constexpr Message<> kNoHeld{"sass-no-held", "what the line is held to is wanted behind `=`"};
constexpr Message<> kGivenUp{"sass-given-up", "too many errors; the rest of the text is not read"};
constexpr Message<> kNoCode{"sass-no-code", "the text has no line of code"};

constexpr Message<std::size_t> kTooManyLines{"sass-too-large", "a program of more than {} lines is not taken"};
constexpr Message<std::size_t, std::size_t> kTooLarge{
    "sass-too-large", "a program of {} lines with {} named registers is not taken: their flow would fill the memory"};

constexpr std::size_t kMostErrors = 50;
// A program of a hundred times the size of a kernel is still taken. What flow and colouring keep grows with lines ×
// registers.
constexpr std::size_t kMostLines = 200'000, kMostRegisters = 16'384, kMostBits = std::size_t{1} << 29;

// `wait inp.full  gemm.wk:141`, apart.
void split_comment(std::string_view text, Line& line) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::size_t gap = text.rfind("  ");
  std::string_view last = gap == std::string_view::npos ? text : text.substr(gap + 2);
  std::size_t colon = last.rfind(':');
  bool place = colon != std::string_view::npos && colon > 0 && colon + 1 < last.size() &&
               last.find(' ') == std::string_view::npos &&
               std::all_of(last.begin() + static_cast<std::ptrdiff_t>(colon) + 1, last.end(), is_digit);
  if (!place) {
    line.comment = text;
    return;
  }
  line.place = last;
  if (gap != std::string_view::npos) line.comment = text.substr(0, gap);
}

class TextReader {
 public:
  TextReader(FileId file, std::string_view text, Diagnostics& diagnostics)
      : file_(file),
        text_(text),
        diagnostics_(diagnostics),
        errors_before_(diagnostics.all().size()),
        values_(program_, diagnostics) {}

  std::optional<Program> run() {
    sort_lines();
    read_header(header_, program_, declared_, values_, diagnostics_);
    for (auto& [directive, line] : sections_) {
      Section section;
      section.first_line = line;
      if (read_section(directive, program_, declared_, section, diagnostics_))
        program_.sections.push_back(std::move(section));
    }
    if (code_.empty() && errors() == 0) diagnostics_.error({file_, 0, 0}, kNoCode);
    program_.lines.reserve(code_.size());
    for (const Place& place : code_) {
      if (errors() >= kMostErrors) {
        diagnostics_.error(cursor(place).whole(), kGivenUp);
        break;
      }
      read_line(place);
    }
    if (errors() == 0) check_size();
    if (errors() == 0) values_.finish();
    if (errors() > 0) return std::nullopt;
    return std::move(program_);
  }

 private:
  struct Place {
    std::size_t begin, end;
  };
  std::string_view view(const Place& place) const { return text_.substr(place.begin, place.end - place.begin); }
  Cursor cursor(const Place& place) const {
    return Cursor(file_, view(place), static_cast<std::uint32_t>(place.begin));
  }
  std::size_t errors() const { return diagnostics_.all().size() - errors_before_; }

  void check_size() {
    std::size_t registers = 0;
    for (const Value& value : program_.values) registers += value.width;
    if (registers > kMostRegisters || registers * program_.lines.size() > kMostBits) {
      diagnostics_.error({file_, 0, 0}, kTooLarge, program_.lines.size(), registers);
    }
  }

  // Lines by what they are: header, section, label, code.
  void sort_lines() {
    for (std::size_t begin = 0; begin < text_.size() && errors() < kMostErrors && code_.size() <= kMostLines;) {
      std::size_t end = std::min(text_.find('\n', begin), text_.size());
      sort_line({begin, end});
      begin = end + 1;
    }
    for (std::size_t i = 0; i < program_.labels.size(); ++i) {
      if (program_.labels[i].line >= code_.size())
        diagnostics_.error(label_places_[i], kLabelNowhere, program_.labels[i].name);
    }
  }

  void sort_line(const Place& place) {
    Cursor at = cursor(place);
    at.skip_spaces();
    if (at.done() || at.peek() == '#') return;
    if (at.peek() == '.') return directive(place, at);
    std::size_t start = at.position();
    std::string_view name = at.name();
    if (!name.empty() && at.eat(':')) {
      at.skip_spaces();
      if (at.done() || at.peek() == ';') return label(name, at.range_from(start));
    }
    if (code_.size() == kMostLines) diagnostics_.error(cursor(place).whole(), kTooManyLines, kMostLines);
    code_.push_back(place);
  }

  void directive(const Place& place, Cursor at) {
    std::size_t start = at.position();
    std::string_view word = at.word();
    SourceRange where = at.range_from(start);
    std::string_view line = view(place);
    std::size_t semicolon = line.find(';', at.position());
    std::size_t end = std::min(semicolon, line.size());
    std::string_view comment = semicolon < line.size() ? line.substr(semicolon + 1) : std::string_view{};
    while (!comment.empty() && is_space(comment.front())) comment.remove_prefix(1);
    while (!comment.empty() && is_space(comment.back())) comment.remove_suffix(1);
    Cursor rest(file_, line.substr(0, end), static_cast<std::uint32_t>(place.begin));
    rest.rewind(at.position());
    Directive directive{word, where, rest, comment};
    if (is_section(word)) {
      sections_.emplace_back(directive, code_.size());
    } else if (!code_.empty() || !sections_.empty()) {
      diagnostics_.error(where, kLateHeader, std::string(word.substr(0, 40)));
    } else {
      header_.push_back(directive);
    }
  }

  void label(std::string_view name, SourceRange where) {
    auto id = static_cast<LabelId>(program_.labels.size());
    if (!labels_.try_emplace(name, id).second) {
      diagnostics_.error(where, kLabelTwice, std::string(name.substr(0, 60)));
      return;
    }
    program_.labels.push_back({std::string(name), code_.size()});
    label_places_.push_back(where);
  }

  void read_line(const Place& place) {
    Cursor at = cursor(place);
    Line line;
    line.where = at.whole();
    if (at.peek() == '+' || at.peek() == '~') {
      line.mark = static_cast<Mark>(at.peek());
      at.advance(1);
    }
    OperandNames names{&program_, &values_, &labels_, {}};
    if (!OperandReader(at, names, diagnostics_).read(line, program_.target)) return;
    if (at.eat('=') && !read_held(at, line)) return;
    at.skip_spaces();
    if (at.peek() == ';') {
      split_comment(at.rest().substr(1), line);
    } else if (!at.done()) {
      diagnostics_.error(at.here(), kLeftOver, std::string(at.rest().substr(0, 40)));
      return;
    }
    program_.lines.push_back(std::move(line));
  }

  bool read_held(Cursor& at, Line& line) {
    at.skip_spaces();
    if (at.done() || at.peek() == ';') {
      diagnostics_.error(at.here(), kNoHeld);
      return false;
    }
    do {
      std::optional<Held> held = HeldReader(at, program_, declared_, values_, diagnostics_).read();
      if (!held) return false;
      line.held.push_back(std::move(*held));
    } while (at.eat(','));
    return true;
  }

  FileId file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t errors_before_;
  Program program_;
  ReadValues values_;
  Declared declared_;
  std::vector<Directive> header_;
  std::vector<std::pair<Directive, std::size_t>> sections_;
  std::vector<Place> code_;
  std::unordered_map<std::string_view, LabelId> labels_;
  std::vector<SourceRange> label_places_;
};

}  // namespace

std::optional<Program> read(FileId file, const Sources& sources, Diagnostics& diagnostics) {
  return TextReader(file, sources.text(file), diagnostics).run();
}

}  // namespace warpcc::sass
