// Builds typed kernels by hand, so that codegen is tested without the rooms before it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sema/kernel.h"

namespace warpcc::test {

using namespace kernel;  // NOLINT: a test's shorthand

inline Index index(std::int64_t constant) {
  return {constant, {}};
}
inline Index of(Atom::Kind kind, int id = 0, std::int64_t factor = 1) {
  return {0, {{{kind, id}, factor}}};
}
inline Index of(CounterId id) {
  return of(Atom::Kind::counter, static_cast<int>(id));
}
inline Index of(RegisterId id) {
  return of(Atom::Kind::reg, static_cast<int>(id));
}
inline Slice part(Index from, std::int64_t extent) {
  return {std::move(from), extent, false};
}
inline Slice pick(Index at) {
  return {std::move(at), 1, true};
}

class Builder {
 public:
  explicit Builder(std::string name) {
    kernel.name = std::move(name);
    kernel.axes = {{"half", 2}};
    kernel.pairs = true;
  }

  Kernel kernel;

  RegisterId reg(std::string name, isa::File file, int count = 1, std::optional<Range> range = {}) {
    Register made;
    made.name = std::move(name);
    made.file = file;
    made.count = count;
    made.range = range;
    kernel.registers_declared.push_back(std::move(made));
    return static_cast<RegisterId>(kernel.registers_declared.size() - 1);
  }
  CounterId counter(std::string name, std::int64_t end) {
    kernel.counters.push_back({std::move(name), {0, end, 1}});
    return static_cast<CounterId>(kernel.counters.size() - 1);
  }
  BufferId buffer(std::string name, MemorySpace space, std::vector<Copies> copies, layout::Element element,
                  std::vector<std::int64_t> shape, std::vector<layout::Coordinate> strides, int swizzle = 0) {
    Buffer made;
    made.name = std::move(name);
    made.space = space;
    made.copies = std::move(copies);
    made.element = element;
    made.shape = std::move(shape);
    made.layout =
        llvm::cantFail(layout::Physical::make(layout::Map(std::move(strides)), layout::swizzle_of_span(swizzle)));
    kernel.buffers.push_back(std::move(made));
    return static_cast<BufferId>(kernel.buffers.size() - 1);
  }
  PipeId pipe(std::string name, int depth, std::vector<BufferId> carries, std::vector<Pin> from, std::vector<Pin> to,
              Signal full, Signal empty) {
    Pipe made;
    made.name = std::move(name);
    made.depth = depth;
    made.carries = std::move(carries);
    made.from = std::move(from);
    made.to = std::move(to);
    made.full = std::move(full);
    made.empty = std::move(empty);
    kernel.pipes.push_back(std::move(made));
    return static_cast<PipeId>(kernel.pipes.size() - 1);
  }
  EndId end(std::string name, PipeId pipe, Side side) {
    kernel.ends.push_back({.name = std::move(name), .pipe = pipe, .side = side});
    return static_cast<EndId>(kernel.ends.size() - 1);
  }

  static Node say(std::string_view word, std::vector<Operand> operands, std::string text, Guard guard = {}) {
    Instruction made;
    made.op = isa::statement(word);
    made.pair = word.find(".pair") != word.npos;
    made.operands = std::move(operands);
    made.text = text.empty() ? std::string(word) : std::move(text);
    made.guard = std::move(guard);
    return {std::move(made)};
  }
};

inline RegisterOperand use(RegisterId id, int part = 0, int count = 1) {
  return {id, part, count, false};
}
inline BarrierOperand full(EndId end) {
  return {.kind = BarrierOperand::Kind::full, .end = end};
}
inline BarrierOperand empty(EndId end) {
  return {.kind = BarrierOperand::Kind::empty, .end = end};
}
inline BarrierOperand in_start(PipeId pipe, BarrierOperand::Kind kind, std::int64_t stage) {
  return {.kind = kind, .pipe = pipe, .stage = stage};
}
inline View view(BufferId buffer, EndId end, std::vector<Index> copies, std::vector<Slice> slices) {
  View made;
  made.buffer = buffer;
  made.end = end;
  made.copies = std::move(copies);
  made.slices = std::move(slices);
  return made;
}
inline Guard if_one() {
  Guard guard;
  guard.facts.one = true;
  return guard;
}
inline Compare compare(Index left, Compare::Is is, std::int64_t right) {
  return {std::move(left), is, right};
}

// The pair GEMM: what kernels/gemm.wk becomes, with one tile of C a turn of 128 or 256 columns a CTA.
struct GemmShape {
  int depth = 8, accumulators = 2, columns = 128, rows = 128;
  std::int64_t k_steps = 32;
  bool ask_ahead = false;
};
Kernel gemm(const GemmShape& shape);

}  // namespace warpcc::test
