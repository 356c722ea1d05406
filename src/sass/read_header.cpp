#include "sass/read_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "sass/read_layout.h"
#include "sass/spelling.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string> kWanted{"sass-wanted", "{} is wanted here"};
constexpr Message<std::string, std::string> kUnknown{"sass-unknown-directive", "no header line `{}`{}"};
constexpr Message<std::string> kTwice{"sass-twice", "a second `{}` line"};
constexpr Message<std::string> kMissing{"sass-missing", "the header has no `{}` line"};
constexpr Message<std::string> kDeclared{"sass-declared-twice", "`{}` is declared already"};
constexpr Message<std::string, std::int64_t, std::int64_t> kRange{"sass-range", "{} from {} to {} is wanted here"};
constexpr Message<std::string, std::string> kNoSuch{"sass-no-such", "no `{}` line declares `{}`"};
constexpr Message<std::string> kMore{"sass-more", "nothing more belongs on this line: `{}`"};
constexpr Message<int, int> kAxes{"sass-axes", "the axes make {} CTAs, the cluster has {}"};
constexpr Message<int, int> kMbarriers{"sass-mbarriers", "the `.mbar` lines declare {} mbarriers, this line says {}"};
constexpr Message<std::string> kLayout{"sass-layout", "{}"};

constexpr std::int64_t kLarge = std::int64_t{1} << 40;
constexpr std::int64_t kSharedBytes = 1 << 20;  // above what any target has

class HeaderReader {
 public:
  HeaderReader(Program& program, Declared& declared, ReadValues& values, Diagnostics& diagnostics)
      : program_(program), declared_(declared), values_(values), diagnostics_(diagnostics) {}

  void run(std::vector<Directive>& lines);

 private:
  using Reader = bool (HeaderReader::*)(Directive&);
  struct Entry {
    std::string_view word;
    Reader read;
    bool once, needed;
  };
  static const std::vector<Entry>& entries();

  bool kernel(Directive& line);
  bool sm(Directive& line);
  bool threads(Directive& line);
  bool registers(Directive& line);
  bool dynsmem(Directive& line);
  bool tmap(Directive& line);
  bool param(Directive& line);
  bool grid(Directive& line);
  bool cluster(Directive& line);
  bool mbarriers(Directive& line);
  bool form(Directive& line);
  bool buffer(Directive& line);
  bool mbar(Directive& line);
  bool bar(Directive& line);
  bool pipe(Directive& line);
  bool fragment(Directive& line);
  bool value(Directive& line);
  bool word(Directive& line);

  bool buffer_place(Cursor& at, Buffer& buffer);
  bool valid_extents(Cursor& at, Buffer& buffer);
  bool buffer_copies(Cursor& at, Buffer& buffer, std::vector<char>& stated);
  bool pipe_barrier(Cursor& at, MBarrierId& id);
  bool carried(Cursor& at, Pipe& pipe);

  bool wanted(const Cursor& at, std::string what);
  bool name(Cursor& at, std::string& into);
  bool number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, std::int64_t& into);
  template <typename Int>
  bool number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, Int& into);
  std::optional<std::int64_t> times(Cursor& at);
  bool place(Cursor& at, std::size_t start, const std::string& name, const View& view);

  Program& program_;
  Declared& declared_;
  ReadValues& values_;
  Diagnostics& diagnostics_;
};

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

template <typename Int>
bool HeaderReader::number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, Int& into) {
  std::int64_t value = 0;
  if (!number(at, least, most, std::move(what), value)) return false;
  into = static_cast<Int>(value);
  return true;
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

// ---- Memory

bool HeaderReader::buffer(Directive& line) {
  Cursor& at = line.rest;
  Buffer buffer;
  at.skip_spaces();
  std::size_t start = at.position();
  if (!name(at, buffer.name)) return false;
  Cursor before = at;
  std::string_view space = at.name();
  auto found = std::find(kSpaces.begin(), kSpaces.end(), space);
  if (found == kSpaces.end()) return wanted(before, "`shared`, `tensor` or `global`");
  buffer.space = static_cast<MemorySpace>(found - kSpaces.begin());
  std::vector<char> stated;
  if (!buffer_place(at, buffer) || !buffer_copies(at, buffer, stated)) return false;
  before = at;
  std::optional<layout::Element> element = layout::element_named(at.name());
  if (!element) return wanted(before, "an element type, as `f16`,");
  buffer.element = *element;
  llvm::Expected<layout::Physical> layout = read_layout(at);
  if (!layout) {
    diagnostics_.error(before.here(), kLayout, llvm::toString(layout.takeError()));
    return false;
  }
  if (layout->map().span() > kLarge) return wanted(before, "a smaller buffer");
  buffer.layout = std::move(*layout);
  buffer.kept = at.eat_word("kept");
  if (at.eat_word("valid") && !valid_extents(at, buffer)) return false;

  std::int64_t apart = tile_extent(buffer);
  for (std::size_t i = buffer.copies.size(); i-- > 0;) {
    Copies& copies = buffer.copies[i];
    if (!stated[i]) copies.stride = apart;
    if (copies.stride > kLarge / std::max<std::int64_t>(copies.count, 1)) return wanted(before, "a smaller buffer");
    apart = copies.stride * copies.count;
  }
  Cursor end = at;
  View view;
  view.buffer = static_cast<BufferId>(program_.buffers.size());
  if (!place(at, start, buffer.name, view)) return false;
  at = end;
  program_.buffers.push_back(std::move(buffer));
  return true;
}

// `valid (100, 64)`: what lies behind holds nothing.
bool HeaderReader::valid_extents(Cursor& at, Buffer& buffer) {
  const char* form = "an extent for each coordinate of a buffer in global memory, as `valid (100, 64)`,";
  if (buffer.space != MemorySpace::global || !at.eat('(')) return wanted(at, form);
  for (int i = 0; i < buffer.layout.map().rank(); ++i) {
    if (i > 0 && !at.eat(',')) return wanted(at, form);
    if (!number(at, 0, buffer.layout.map().extent(i), "a valid extent", buffer.valid.emplace_back())) return false;
  }
  return at.eat(')') || wanted(at, form);
}

bool HeaderReader::buffer_place(Cursor& at, Buffer& buffer) {
  if (buffer.space != MemorySpace::global) return number(at, 0, kSharedBytes, "an offset", buffer.place);
  Cursor before = at;
  if (at.eat_word("none")) return true;
  const bool mapped = at.eat_word("map");
  if (mapped) {
    if (!name(at, buffer.map)) return false;
    const bool known = std::any_of(program_.maps.begin(), program_.maps.end(),
                                   [&](const TensorMap& map) { return map.name == buffer.map; });
    if (!known) {
      diagnostics_.error(before.here(), kNoSuch, std::string(".tmap"), buffer.map);
      return false;
    }
  }
  if (!at.eat_word("param")) return mapped || wanted(at, "`map NAME` or `param NAME`");
  std::string param;
  if (!name(at, param)) return false;
  for (const Param& one : program_.params) {
    if (one.name == param) buffer.param = one.offset;
  }
  if (!buffer.param) diagnostics_.error(before.here(), kNoSuch, std::string(".param"), param);
  return buffer.param.has_value();
}

bool HeaderReader::buffer_copies(Cursor& at, Buffer& buffer, std::vector<char>& stated) {
  while (std::optional<std::int64_t> count = times(at)) {
    if (buffer.copies.size() == 8) return wanted(at, "no more than 8 kinds of copies");
    Copies& copies = buffer.copies.emplace_back();
    copies.count = *count;
    stated.push_back(at.eat_word("by"));
    if (stated.back() && !number(at, 0, kLarge, "how far the copies are apart", copies.stride)) return false;
  }
  return true;
}

bool HeaderReader::mbar(Directive& line) {
  Cursor& at = line.rest;
  MBarrier mbarrier;
  at.skip_spaces();
  std::size_t start = at.position();
  if (!name(at, mbarrier.name) || !number(at, 0, kSharedBytes, "an offset", mbarrier.offset)) return false;
  mbarrier.count = static_cast<int>(times(at).value_or(1));
  if (!at.eat_word("arrivals")) return wanted(at, "`arrivals` and how many");
  if (!number(at, 0, 0xfffff, "a number of arrivals", mbarrier.arrivals)) return false;
  if (at.eat_word("bytes") && !number(at, 0, 0xfffff, "a number of bytes", mbarrier.bytes.emplace())) return false;
  mbarrier.why = line.comment;
  Cursor end = at;
  View view;
  view.barrier = static_cast<MBarrierId>(program_.mbarriers.size());
  if (!place(at, start, mbarrier.name, view)) return false;
  at = end;
  program_.mbarriers.push_back(std::move(mbarrier));
  return true;
}

bool HeaderReader::bar(Directive& line) {
  Cursor& at = line.rest;
  NamedBarrier barrier;
  at.skip_spaces();
  std::size_t start = at.position();
  if (!name(at, barrier.name) || !number(at, 0, 15, "a barrier's number", barrier.id)) return false;
  barrier.count = static_cast<int>(times(at).value_or(1));
  if (!at.eat_word("threads")) return wanted(at, "`threads` and how many");
  if (!number(at, 0, 1024, "a number of threads", barrier.threads)) return false;
  Cursor end = at;
  View view;
  view.named_barrier = static_cast<std::int32_t>(program_.named_barriers.size());
  if (!place(at, start, barrier.name, view)) return false;
  at = end;
  program_.named_barriers.push_back(std::move(barrier));
  return true;
}

bool HeaderReader::word(Directive& line) {
  Cursor& at = line.rest;
  Word word;
  at.skip_spaces();
  std::size_t start = at.position();
  if (!name(at, word.name) || !number(at, 0, kSharedBytes, "an offset", word.offset)) return false;
  Cursor end = at;
  View view;
  view.word = static_cast<std::int32_t>(program_.words.size());
  if (!place(at, start, word.name, view)) return false;
  at = end;
  program_.words.push_back(std::move(word));
  return true;
}

// ---- Pipes and values

bool HeaderReader::pipe_barrier(Cursor& at, MBarrierId& id) {
  Cursor before = at;
  std::string_view name = at.name();
  auto found = declared_.places.find(name);
  if (found != declared_.places.end() && found->second.barrier != MBarrierId::none) {
    id = found->second.barrier;
    return true;
  }
  diagnostics_.error(before.here(), kNoSuch, std::string(".mbar"), std::string(name));
  return false;
}

bool HeaderReader::carried(Cursor& at, Pipe& pipe) {
  do {
    Cursor before = at;
    std::string_view name = at.name();
    auto found = declared_.places.find(name);
    if (found == declared_.places.end() || found->second.buffer == BufferId::none) {
      diagnostics_.error(before.here(), kNoSuch, std::string(".buffer"), std::string(name));
      return false;
    }
    pipe.carries.push_back(found->second.buffer);
  } while (at.eat(','));
  return true;
}

bool HeaderReader::pipe(Directive& line) {
  Cursor& at = line.rest;
  Pipe pipe;
  at.skip_spaces();
  std::size_t start = at.position();
  std::string_view in_text = at.name();
  pipe.name = in_text;
  if (in_text.empty()) return wanted(at, "a name");
  SourceRange where = at.range_from(start);
  std::optional<std::int64_t> depth = times(at);
  if (!depth) return wanted(at, "how many stages, as `x6`,");
  pipe.depth = static_cast<int>(*depth);
  if (!pipe_barrier(at, pipe.full) || !pipe_barrier(at, pipe.empty)) return false;
  if (at.eat_word("carries") && !carried(at, pipe)) return false;
  if (at.eat_word("from") && !read_pins(at, declared_, program_, pipe.from, diagnostics_)) return false;
  if (at.eat_word("to") && !read_pins(at, declared_, program_, pipe.to, diagnostics_)) return false;
  if (at.eat_word("across")) {
    Cursor before = at;
    std::string_view axis = at.name();
    auto found = declared_.axes.find(axis);
    if (found == declared_.axes.end()) {
      diagnostics_.error(before.here(), kNoSuch, std::string(".cluster"), std::string(axis));
      return false;
    }
    pipe.across = found->second;
  }
  if (at.eat_word("turns")) {
    if (!number(at, 1, 32, "a number of teams", pipe.teams)) return false;
    if (!at.eat_word("of")) return wanted(at, "`of` and the stages of a turn");
    if (!number(at, 0, 1 << 30, "a number of stages", pipe.stages_a_turn)) return false;
  }
  if (!declared_.pipes.try_emplace(in_text, program_.pipes.size()).second) {
    diagnostics_.error(where, kDeclared, pipe.name);
    return false;
  }
  program_.pipes.push_back(std::move(pipe));
  return true;
}

// NAME, element, rows and columns, the layout from thread and value.
bool HeaderReader::fragment(Directive& line) {
  Cursor& at = line.rest;
  Fragment fragment;
  at.skip_spaces();
  std::size_t start = at.position();
  std::string name;
  if (!this->name(at, name)) return false;
  Cursor before = at;
  std::optional<layout::Element> element = layout::element_named(at.name());
  if (!element) return wanted(before, "an element type, as `f32`,");
  fragment.element = *element;
  constexpr std::int64_t kMost = 4096;
  if (!at.eat('(') || !number(at, 1, kMost, "a number of rows", fragment.rows) || !at.eat(',') ||
      !number(at, 1, kMost, "a number of columns", fragment.columns) || !at.eat(')')) {
    return wanted(at, "the tile's extents, as `(64, 128)`,");
  }
  before = at;
  llvm::Expected<layout::Map> map = read_map(at);
  llvm::Expected<layout::ThreadValue> layout = map ? layout::ThreadValue::make(std::move(*map)) : map.takeError();
  if (!layout) {
    diagnostics_.error(before.here(), kLayout, llvm::toString(layout.takeError()));
    return false;
  }
  if (layout->rank() != 2 || (layout->extent(0) != 32 && layout->extent(0) != 128) ||
      layout->size() != fragment.rows * fragment.columns) {
    return wanted(before, "a layout from the threads of a warp or a warpgroup and their values to the tile's elements");
  }
  std::int64_t registers = (layout->extent(1) * layout::bits(fragment.element) + 31) / 32;
  if (registers > 255) return wanted(before, "no more than 255 registers");
  fragment.layout = *layout;
  fragment.value = values_.named(name);
  values_.declare(fragment.value, isa::File::r);
  Value& value = program_.values[static_cast<std::size_t>(fragment.value)];
  value.width = std::max(value.width, static_cast<std::uint8_t>(registers));
  Cursor end = at;
  View view;
  view.fragment = static_cast<std::int32_t>(program_.fragments.size());
  if (!place(at, start, name, view)) return false;
  at = end;
  program_.fragments.push_back(std::move(fragment));
  return true;
}

bool HeaderReader::value(Directive& line) {
  Cursor& at = line.rest;
  Cursor before = at;
  std::string_view name = at.dotted();
  if (name.empty()) return wanted(at, "a name");
  ValueId id = values_.named(name);
  if (program_[id].range) {
    diagnostics_.error(before.here(), kDeclared, std::string(name));
    return false;
  }
  if (at.eat_word("ur")) {
    values_.declare(id, isa::File::ur);
  } else if (at.eat_word("r")) {
    values_.declare(id, isa::File::r);
  } else {
    return wanted(at, "`ur` or `r`");
  }
  at.skip_spaces();
  if (at.done()) return true;
  IndexRange range;
  if (!number(at, -kLarge, kLarge, "a number", range.begin)) return false;
  if (!at.eat("..")) return wanted(at, "`..`");
  if (!number(at, -kLarge, kLarge, "a number", range.end)) return false;
  if (at.eat_word("by") && !number(at, 1, kLarge, "a step", range.step)) return false;
  program_.values[static_cast<std::size_t>(id)].range = range;
  return true;
}

}  // namespace

void read_header(std::vector<Directive>& lines, Program& program, Declared& declared, ReadValues& values,
                 Diagnostics& diagnostics) {
  HeaderReader(program, declared, values, diagnostics).run(lines);
}

// ---- Sections

bool is_section(std::string_view word) {
  return word == ".start" || word == ".role" || word == ".finish";
}

bool read_section(Directive& line, const Program& program, const Declared& declared, Section& section,
                  Diagnostics& diagnostics) {
  Cursor& at = line.rest;
  auto wanted = [&](const char* what) {
    diagnostics.error(at.here(), kWanted, std::string(what));
    return false;
  };
  section.kind = line.word == ".start"  ? Section::Kind::start
                 : line.word == ".role" ? Section::Kind::role
                                        : Section::Kind::finish;
  if (section.kind == Section::Kind::role) {
    section.name = at.dotted();
    if (section.name.empty()) return wanted("the role's name");
    if (!at.eat_word("warps")) return wanted("`warps` and their range");
    std::optional<std::int64_t> first = at.number();
    if (!first || !at.eat("..")) return wanted("a range of warps, as `8 .. 9`,");
    std::optional<std::int64_t> end = at.number();
    if (!end || *first < 0 || *first >= *end || *end > 32) return wanted("a range of warps from 0 to 32");
    section.first_warp = static_cast<int>(*first);
    section.end_warp = static_cast<int>(*end);
  }
  if (at.eat_word("at") && !read_pins(at, declared, program, section.at, diagnostics)) return false;
  if (at.eat_word("holds")) {
    do {
      std::string_view end = at.dotted();
      if (end.empty()) return wanted("an end, as `stage.producer`,");
      section.holds.emplace_back(end);
    } while (at.eat(','));
  }
  at.skip_spaces();
  if (at.done()) return true;
  diagnostics.error(at.here(), kMore, std::string(at.rest().substr(0, 40)));
  return false;
}

}  // namespace warpcc::sass
