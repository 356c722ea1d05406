// Header lines of pipes, fragments and values.
#include <algorithm>

#include "sass/header_reader.h"
#include "sass/read_layout.h"

namespace warpcc::sass {

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

}  // namespace warpcc::sass
