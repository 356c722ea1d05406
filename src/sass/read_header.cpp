#include "sass/read_header.h"

#include <algorithm>

#include "sass/header_reader.h"
#include "sass/spelling.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string, std::string> kUnknown{"sass-unknown-directive", "no header line `{}`{}"};
constexpr Message<std::string> kTwice{"sass-twice", "a second `{}` line"};
constexpr Message<std::string> kMissing{"sass-missing", "the header has no `{}` line"};
constexpr Message<int, int> kAxes{"sass-axes", "the axes make {} CTAs, the cluster has {}"};
constexpr Message<int, int> kMbarriers{"sass-mbarriers", "the `.mbar` lines declare {} mbarriers, this line says {}"};

}  // namespace

// In the order in which they are read, so that a line may name what a later line declares.
const std::vector<HeaderReader::Entry>& HeaderReader::entries() {
  static const std::vector<Entry> kEntries{
      {".kernel", &HeaderReader::kernel, true, true},        {".sm", &HeaderReader::sm, true, true},
      {".threads", &HeaderReader::threads, true, true},      {".registers", &HeaderReader::registers, true, false},
      {".dynsmem", &HeaderReader::dynsmem, true, false},     {".grid", &HeaderReader::grid, true, false},
      {".cluster", &HeaderReader::cluster, true, false},     {".form", &HeaderReader::form, true, false},
      {".tmap", &HeaderReader::tmap, false, false},          {".param", &HeaderReader::param, false, false},
      {".word", &HeaderReader::word, false, false},          {".mbar", &HeaderReader::mbar, false, false},
      {".mbarriers", &HeaderReader::mbarriers, true, false}, {".bar", &HeaderReader::bar, false, false},
      {".buffer", &HeaderReader::buffer, false, false},      {".pipe", &HeaderReader::pipe, false, false},
      {".fragment", &HeaderReader::fragment, false, false},  {".value", &HeaderReader::value, false, false},
  };
  return kEntries;
}

void HeaderReader::run(std::vector<Directive>& lines) {
  for (const Directive& line : lines) {
    bool known =
        std::any_of(entries().begin(), entries().end(), [&](const Entry& entry) { return entry.word == line.word; });
    if (!known)
      diagnostics_.error(line.where, kUnknown, std::string(line.word.substr(0, 40)),
                         line.word == "." ? "" : "; docs/sass-text.md lists them");
  }
  for (const Entry& entry : entries()) {
    bool seen = false;
    for (Directive& line : lines) {
      if (line.word != entry.word) continue;
      if (seen && entry.once) {
        diagnostics_.error(line.where, kTwice, std::string(entry.word));
        continue;
      }
      seen = true;
      if (!(this->*entry.read)(line)) continue;
      line.rest.skip_spaces();
      if (!line.rest.done()) diagnostics_.error(line.rest.here(), kMore, std::string(line.rest.rest().substr(0, 40)));
    }
    if (!seen && entry.needed) {
      SourceRange where = lines.empty() ? SourceRange{} : lines.front().where;
      diagnostics_.error(where, kMissing, std::string(entry.word));
    }
  }
}

// ---- Words and numbers

bool HeaderReader::wanted(const Cursor& at, std::string what) {
  diagnostics_.error(at.here(), kWanted, what);
  return false;
}

bool HeaderReader::name(Cursor& at, std::string& into) {
  into = at.name();
  return !into.empty() || wanted(at, "a name");
}

bool HeaderReader::number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, std::int64_t& into) {
  at.skip_spaces();
  std::size_t start = at.position();
  std::optional<std::int64_t> number = at.number();
  if (number && *number >= least && *number <= most) {
    into = *number;
    return true;
  }
  diagnostics_.error(number ? at.range_from(start) : at.here(), kRange, what, least, most);
  return false;
}

// `x6`
std::optional<std::int64_t> HeaderReader::times(Cursor& at) {
  at.skip_spaces();
  if (at.peek() != 'x' || !is_digit(at.peek(1))) return std::nullopt;
  std::size_t start = at.position();
  at.advance(1);
  std::optional<std::int64_t> count = at.number();
  if (count && *count <= 65536) return count;
  at.rewind(start);
  return std::nullopt;
}

bool HeaderReader::place(Cursor& at, std::size_t start, const std::string& name, const View& view) {
  // The views of the table live in the program's own strings only when the program is complete: the text outlives the
  // reading.
  at.rewind(start);
  std::string_view in_text = at.name();
  if (declared_.places.try_emplace(in_text, view).second) return true;
  diagnostics_.error(at.range_from(start), kDeclared, name);
  return false;
}

// ---- The host's facts

bool HeaderReader::kernel(Directive& line) {
  return name(line.rest, program_.kernel);
}

bool HeaderReader::sm(Directive& line) {
  std::string text;
  Cursor before = line.rest;
  if (!name(line.rest, text)) return false;
  std::optional<isa::Target> target = isa::target_named(text);
  if (!target) return wanted(before, "a target, `sm_100a` or `sm_90a`,");
  program_.target = *target;
  return true;
}

bool HeaderReader::threads(Directive& line) {
  return number(line.rest, 1, 1024, "a number of threads", program_.threads);
}

bool HeaderReader::registers(Directive& line) {
  return number(line.rest, 24, 255, "a number of registers", program_.registers.emplace());
}

bool HeaderReader::dynsmem(Directive& line) {
  return number(line.rest, 0, kSharedBytes, "a number of bytes", program_.dynamic_shared);
}

// NAME, extents, bytes an element, box, swizzle, and the buffer where the map has another name.
bool HeaderReader::tmap(Directive& line) {
  TensorMap map;
  Cursor before = line.rest;
  if (!name(line.rest, map.name)) return false;
  std::vector<std::int64_t> numbers;
  line.rest.skip_spaces();
  while (!line.rest.done() && !line.rest.at_name()) {
    if (!number(line.rest, 0, kLarge, "a number", numbers.emplace_back())) return false;
    line.rest.skip_spaces();
    if (numbers.size() > 12) return wanted(line.rest, "no more than five dimensions");
  }
  if (numbers.size() < 4 || numbers.size() % 2 != 0) {
    return wanted(
        line.rest,
        "extents, bytes an element, the box's extents and the swizzle's bytes, as `.tmap a 4096 4096 2 128 64 128`,");
  }
  std::size_t rank = numbers.size() / 2 - 1;
  map.extents.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(rank));
  map.element_bytes = static_cast<int>(std::min<std::int64_t>(numbers[rank], 16));
  map.box.assign(numbers.begin() + static_cast<std::ptrdiff_t>(rank) + 1, numbers.end() - 1);
  map.swizzle = static_cast<int>(std::min<std::int64_t>(numbers.back(), 1024));
  for (std::int64_t extent : map.box) {
    if (extent < 1 || extent > 256) return wanted(before, "a box of 1 to 256 elements a dimension");
  }
  if (map.element_bytes != 1 && map.element_bytes != 2 && map.element_bytes != 4 && map.element_bytes != 8) {
    return wanted(before, "an element of 1, 2, 4 or 8 bytes");
  }
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128) {
    return wanted(before, "a swizzle of 0, 32, 64 or 128 bytes");
  }
  map.buffer = map.name;
  if (line.rest.eat_word("of") && !name(line.rest, map.buffer)) return false;
  for (const TensorMap& other : program_.maps) {
    if (other.name == map.name) {
      diagnostics_.error(before.here(), kDeclared, map.name);
      return false;
    }
  }
  program_.maps.push_back(std::move(map));
  return true;
}

bool HeaderReader::param(Directive& line) {
  Param param;
  if (!name(line.rest, param.name) || !number(line.rest, 0, 4096, "an offset", param.offset)) return false;
  program_.params.push_back(std::move(param));
  return true;
}

bool HeaderReader::grid(Directive& line) {
  constexpr std::int64_t kMost[] = {0x7fffffff, 65535, 65535};
  for (std::size_t i = 0; i < 3; ++i) {
    line.rest.skip_spaces();
    if (i > 0 && line.rest.done()) break;
    if (!number(line.rest, 1, kMost[i], "a number of CTAs", program_.grid[i])) return false;
  }
  return true;
}

bool HeaderReader::cluster(Directive& line) {
  if (!number(line.rest, 1, 16, "a number of CTAs", program_.cluster)) return false;
  int product = 1;
  while (line.rest.at_name()) {
    Cursor before = line.rest;
    Axis axis;
    axis.name = line.rest.name();
    before.skip_spaces();
    std::string_view in_text = before.rest().substr(0, axis.name.size());
    if (!line.rest.eat(':')) return wanted(line.rest, "`:` and the axis' extent");
    if (!number(line.rest, 1, 16, "an extent", axis.extent)) return false;
    if (!declared_.axes.try_emplace(in_text, static_cast<int>(program_.axes.size())).second) {
      diagnostics_.error(before.here(), kDeclared, axis.name);
      return false;
    }
    product *= axis.extent;
    if (product > 16) break;
    program_.axes.push_back(std::move(axis));
  }
  if (!program_.axes.empty() && product != program_.cluster) {
    diagnostics_.error(line.where, kAxes, product, program_.cluster);
    return false;
  }
  return true;
}

bool HeaderReader::mbarriers(Directive& line) {
  int stated = 0;
  if (!number(line.rest, 0, kSharedBytes / 8, "a number of mbarriers", stated)) return false;
  int declared = 0;
  for (const MBarrier& mbarrier : program_.mbarriers) declared += mbarrier.count;
  if (!program_.mbarriers.empty() && declared != stated) {
    diagnostics_.error(line.where, kMbarriers, declared, stated);
    return false;
  }
  return true;
}

bool HeaderReader::form(Directive& line) {
  std::string_view text = line.rest.name();
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    if (kForms[i] != text) continue;
    program_.form = static_cast<Form>(i);
    return true;
  }
  diagnostics_.error(line.where, kWanted, std::string("`named`, `coloured` or `both`"));
  return false;
}

void read_header(std::vector<Directive>& lines, Program& program, Declared& declared, ReadValues& values,
                 Diagnostics& diagnostics) {
  HeaderReader(program, declared, values, diagnostics).run(lines);
}

}  // namespace warpcc::sass
