// Header lines of memory: buffers, barriers, words.
#include <algorithm>

#include "sass/header_reader.h"
#include "sass/read_layout.h"
#include "sass/spelling.h"

namespace warpcc::sass {

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

}  // namespace warpcc::sass
