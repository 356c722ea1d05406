#include <fmt/format.h>

#include <iterator>

#include "sass/print_parts.h"
#include "sass/spelling.h"

namespace warpcc::sass {

std::int64_t tile_extent(const Buffer& buffer) {
  if (buffer.space != MemorySpace::tensor) return buffer.layout.bytes(layout::bits(buffer.element));
  constexpr std::int64_t kLane = 0x10000;  // tensor memory's address: lane above, column below
  std::int64_t last = 0;
  for (const layout::Coordinate& coordinate : buffer.layout.map().coordinates()) {
    for (const layout::Mode& mode : coordinate) {
      if (mode.stride % kLane != 0) last += (mode.extent - 1) * mode.stride;
    }
  }
  return last + 1;
}

namespace {

// `(128, (64, 2))` of extents or strides.
void append_tuple(std::string& text, const layout::Map& map, std::int64_t layout::Mode::* field) {
  text += '(';
  for (std::size_t i = 0; i < map.coordinates().size(); ++i) {
    const layout::Coordinate& coordinate = map.coordinates()[i];
    if (i > 0) text += ", ";
    if (coordinate.size() != 1) text += '(';
    for (std::size_t j = 0; j < coordinate.size(); ++j) {
      fmt::format_to(std::back_inserter(text), "{}{}", j == 0 ? "" : ", ", coordinate[j].*field);
    }
    if (coordinate.size() != 1) text += ')';
  }
  text += ')';
}

void append_pins(std::string& text, const Program& program, std::string_view word, const std::vector<Pin>& pins) {
  for (std::size_t i = 0; i < pins.size(); ++i) {
    if (i == 0) fmt::format_to(std::back_inserter(text), " {} ", word);
    fmt::format_to(std::back_inserter(text), "{}{} = {}", i == 0 ? "" : ", ",
                   program.axes[static_cast<std::size_t>(pins[i].axis)].name, pins[i].at);
  }
}

class HeaderPrinter {
 public:
  HeaderPrinter(std::string& text, const Program& program) : text_(text), program_(program) {}

  void run(Form form) {
    line(".kernel {}", program_.kernel);
    line(".sm {}", isa::name(program_.target));
    line(".threads {}", program_.threads);
    if (program_.registers) line(".registers {}", *program_.registers);
    line(".dynsmem {}", program_.dynamic_shared);
    for (const TensorMap& map : program_.maps) tensor_map(map);
    for (const Param& param : program_.params) line(".param {} {}", param.name, param.offset);
    grid();
    put(".cluster {}", program_.cluster);
    for (const Axis& axis : program_.axes) put(" {}:{}", axis.name, axis.extent);
    text_ += '\n';
    int mbarriers = 0;
    for (const MBarrier& mbarrier : program_.mbarriers) mbarriers += mbarrier.count;
    line(".mbarriers {}", mbarriers);
    line(".form {}", kForms[static_cast<std::size_t>(form)]);
    for (const Buffer& one : program_.buffers) buffer(one);
    for (const MBarrier& one : program_.mbarriers) mbarrier(one);
    for (const NamedBarrier& one : program_.named_barriers) named_barrier(one);
    for (const Pipe& one : program_.pipes) pipe(one);
    for (const Word& word : program_.words) line(".word {} 0x{:x}", word.name, word.offset);
    for (const Fragment& one : program_.fragments) fragment(one);
    for (const Value& one : program_.values) value(one);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<const Args&...> format, const Args&... args) {
    fmt::format_to(std::back_inserter(text_), format, args...);
  }
  template <typename... Args>
  void line(fmt::format_string<const Args&...> format, const Args&... args) {
    fmt::format_to(std::back_inserter(text_), format, args...);
    text_ += '\n';
  }

  void grid() {
    put(".grid {} {}", program_.grid[0], program_.grid[1]);
    if (program_.grid[2] != 1) put(" {}", program_.grid[2]);
    text_ += '\n';
  }

  void tensor_map(const TensorMap& map) {
    put(".tmap {}", map.name);
    for (std::int64_t extent : map.extents) put(" {}", extent);
    put(" {}", map.element_bytes);
    for (std::int64_t extent : map.box) put(" {}", extent);
    put(" {}", map.swizzle);
    if (map.buffer != map.name) put(" of {}", map.buffer);
    text_ += '\n';
  }

  void place(const Buffer& buffer) {
    if (buffer.space == MemorySpace::shared) return put(" 0x{:x}", buffer.place);
    if (buffer.space == MemorySpace::tensor) return put(" {}", buffer.place);
    if (!buffer.map.empty()) put(" map {}", buffer.map);
    for (const Param& param : program_.params) {
      if (param.offset == buffer.param) return put(" param {}", param.name);
    }
    if (buffer.map.empty()) put(" none");
  }

  void buffer(const Buffer& buffer) {
    put(".buffer {} {}", buffer.name, kSpaces[static_cast<std::size_t>(buffer.space)]);
    place(buffer);
    std::int64_t apart = tile_extent(buffer);
    std::vector<std::int64_t> expected(buffer.copies.size());
    for (std::size_t i = buffer.copies.size(); i-- > 0;) {
      expected[i] = apart;
      apart = buffer.copies[i].stride * buffer.copies[i].count;
    }
    for (std::size_t i = 0; i < buffer.copies.size(); ++i) {
      put(" x{}", buffer.copies[i].count);
      if (buffer.copies[i].stride != expected[i]) put(" by {}", buffer.copies[i].stride);
    }
    put(" {} ", layout::name(buffer.element));
    append_tuple(text_, buffer.layout.map(), &layout::Mode::extent);
    text_ += " : ";
    append_tuple(text_, buffer.layout.map(), &layout::Mode::stride);
    if (buffer.layout.swizzle().bits != 0) put(" swizzle {}", buffer.layout.swizzle().span());
    if (buffer.kept) text_ += " kept";
    for (std::size_t i = 0; i < buffer.valid.size(); ++i) put("{}{}", i == 0 ? " valid (" : ", ", buffer.valid[i]);
    if (!buffer.valid.empty()) text_ += ')';
    text_ += '\n';
  }

  void mbarrier(const MBarrier& mbarrier) {
    put(".mbar {} 0x{:x}", mbarrier.name, mbarrier.offset);
    if (mbarrier.count != 1) put(" x{}", mbarrier.count);
    put(" arrivals {}", mbarrier.arrivals);
    if (mbarrier.bytes) put(" bytes {}", *mbarrier.bytes);
    if (!mbarrier.why.empty()) put("  ; {}", mbarrier.why);
    text_ += '\n';
  }

  void named_barrier(const NamedBarrier& barrier) {
    put(".bar {} {}", barrier.name, barrier.id);
    if (barrier.count != 1) put(" x{}", barrier.count);
    line(" threads {}", barrier.threads);
  }

  void pipe(const Pipe& pipe) {
    put(".pipe {} x{} {} {}", pipe.name, pipe.depth, program_[pipe.full].name, program_[pipe.empty].name);
    for (std::size_t i = 0; i < pipe.carries.size(); ++i)
      put("{}{}", i == 0 ? " carries " : ", ", program_[pipe.carries[i]].name);
    append_pins(text_, program_, "from", pipe.from);
    append_pins(text_, program_, "to", pipe.to);
    if (pipe.across) put(" across {}", program_.axes[static_cast<std::size_t>(*pipe.across)].name);
    if (pipe.teams > 1) put(" turns {} of {}", pipe.teams, pipe.stages_a_turn);
    text_ += '\n';
  }

  void fragment(const Fragment& fragment) {
    put(".fragment {} {} ({}, {}) ", program_[fragment.value].name, layout::name(fragment.element), fragment.rows,
        fragment.columns);
    append_tuple(text_, fragment.layout, &layout::Mode::extent);
    text_ += " : ";
    append_tuple(text_, fragment.layout, &layout::Mode::stride);
    text_ += '\n';
  }

  void value(const Value& value) {
    if (!value.range) return;
    put(".value {} {} {} .. {}", value.name, isa::word(value.file), value.range->begin, value.range->end);
    if (value.range->step != 1) put(" by {}", value.range->step);
    text_ += '\n';
  }

  std::string& text_;
  const Program& program_;
};

}  // namespace

void print_header(std::string& text, const Program& program, Form form) {
  HeaderPrinter(text, program).run(form);
}

void print_section(std::string& text, const Program& program, const Section& section) {
  if (section.kind == Section::Kind::start) {
    text += ".start";
  } else if (section.kind == Section::Kind::finish) {
    text += ".finish";
  } else {
    fmt::format_to(std::back_inserter(text), ".role {} warps {} .. {}", section.name, section.first_warp,
                   section.end_warp);
  }
  append_pins(text, program, "at", section.at);
  for (std::size_t i = 0; i < section.holds.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? " holds " : ", ", section.holds[i]);
  }
  text += '\n';
}

}  // namespace warpcc::sass
