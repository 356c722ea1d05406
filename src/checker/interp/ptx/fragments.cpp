// wmma: matrices in the registers of a warp. Where an element lies the PTX ISA leaves open; here value v of a lane is
// element 32 · v + lane, row by row, and those of f16's A and B lie there twice.
#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/ptx/executor.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker::ptx {

namespace {

struct Shape {
  int m, n, k;
};
Shape shape_of(const Code& code) {
  return {code.extra & 255, code.extra >> 8 & 255, code.extra >> 16};
}

struct Extents {
  int rows, columns;
};
Extents extents_of(const Code& code, Fragment fragment) {
  const Shape shape = shape_of(code);
  if (fragment == Fragment::a) return {shape.m, shape.k};
  if (fragment == Fragment::b) return {shape.k, shape.n};
  return {shape.m, shape.n};
}

layout::Element element_of(Num type) {
  switch (type) {
    case Num::f16:
      return layout::Element::f16;
    case Num::bf16:
      return layout::Element::bf16;
    case Num::tf32:
      return layout::Element::tf32;
    case Num::s8:
      return layout::Element::s8;
    default:
      return layout::Element::u8;
  }
}

// Of a register: all of f64, else 32 bits.
int values_in(Num type) {
  return std::max(1, 32 / bits(type));
}

}  // namespace

int fragment_registers(Num type, Fragment fragment, int m, int n, int k) {
  if (type == Num::f16 && fragment != Fragment::sum) return 8;
  const int elements = fragment == Fragment::a ? m * k : fragment == Fragment::b ? k * n : m * n;
  return elements / (kLanes * values_in(type));
}

// [first element], offset, stride in elements, registers. `add`: column by column.
void Executor::move_fragment(const Code& code) {
  const bool load = code.op == Op::wmma_load;
  const Extents extents = extents_of(code, static_cast<Fragment>(code.dimensions));
  const int width = bits(code.type) / 8, values = values_in(code.type), elements = extents.rows * extents.columns;
  Lanes64 first;
  addresses(code, 0, first);
  const auto stride = static_cast<std::int64_t>(scalar(arg(code, 2)) & 0xffffffff);
  for (int reg = 0; reg < code.vector; ++reg) {
    const Arg& place_of_reg = arg(code, static_cast<std::size_t>(reg) + 3);
    Lanes64 words{};
    if (!load) read64(place_of_reg, words);
    for (int i = 0; i < values; ++i) {
      Lanes64 at;
      for (int lane = 0; lane < kLanes; ++lane) {
        const int element = (kLanes * (reg * values + i) + lane) % elements, row = element / extents.columns,
                  column = element % extents.columns;
        const std::int64_t offset = code.add ? column * stride + row : row * stride + column;
        at[lane] = first[lane] + static_cast<std::uint64_t>(offset * width);
      }
      order_lanes(code.where, at, width, load ? order::Use::read : order::Use::write);
      note_lanes(code, at, width, load ? machine::PlaceHistory::Use::read : machine::PlaceHistory::Use::write);
      for (int lane = 0; lane < kLanes; ++lane) {
        Place here = place(code.where, at[lane], width, lane, !load);
        if (here.data == nullptr) continue;
        std::uint64_t value = words[lane] >> (8 * width * i % 64);
        if (load) {
          value = 0;
          std::memcpy(&value, here.data, static_cast<std::size_t>(width));
          words[lane] |= value << (8 * width * i % 64);
        } else {
          std::memcpy(here.data, &value, static_cast<std::size_t>(width));
          wrote(here, width);
        }
      }
    }
    if (load) write64(place_of_reg, words);
  }
}

// D, A, B, C
void Executor::multiply_fragments(const Code& code) {
  const Shape shape = shape_of(code);
  const auto [m, n, k] = shape;
  // Elements as numbers, row by row; whole sums and f64 as they are.
  auto gather = [&](std::size_t first_arg, Num type, Fragment fragment, std::vector<double>& into) {
    const Extents extents = extents_of(code, fragment);
    const int elements = extents.rows * extents.columns, values = values_in(type), width = bits(type);
    into.resize(static_cast<std::size_t>(elements));
    const int registers = fragment_registers(type, fragment, m, n, k);
    for (int reg = 0; reg < registers; ++reg) {
      Lanes64 words;
      read64(arg(code, first_arg + static_cast<std::size_t>(reg)), words);
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int i = 0; i < values; ++i) {
          const auto at = static_cast<std::size_t>((kLanes * (reg * values + i) + lane) % elements);
          const auto word = static_cast<std::uint32_t>(words[lane] >> (width * i % 64));
          if (type == Num::f64) {
            into[at] = std::bit_cast<double>(words[lane]);
          } else if (type == Num::s32) {
            into[at] = static_cast<std::int32_t>(word);
          } else if (type == Num::f32) {
            into[at] = std::bit_cast<float>(word);
          } else {
            into[at] = machine::to_float(width == 32 ? word : word & ((1u << width) - 1), element_of(type));
          }
        }
      }
    }
    return first_arg + static_cast<std::size_t>(registers);
  };
  const auto sums = static_cast<std::size_t>(fragment_registers(code.type, Fragment::sum, m, n, k));
  std::vector<double> a, b, c;
  std::size_t next = gather(sums, code.from, Fragment::a, a);
  next = gather(next, code.from, Fragment::b, b);
  gather(next, code.from_b, Fragment::sum, c);
  const int values = values_in(code.type);
  for (std::size_t reg = 0; reg < sums; ++reg) {
    Lanes64 words{};
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < values; ++i) {
        const int element = kLanes * (static_cast<int>(reg) * values + i) + lane, row = element / n,
                  column = element % n;
        auto sum_as = [&](auto sum) {
          using Sum = decltype(sum);
          for (int j = 0; j < k; ++j)
            sum += static_cast<Sum>(a[static_cast<std::size_t>(row * k + j)]) *
                   static_cast<Sum>(b[static_cast<std::size_t>(j * n + column)]);
          return sum;
        };
        const double was = c[static_cast<std::size_t>(element)];
        std::uint64_t bits_of_sum = 0;
        if (code.type == Num::f64) {
          bits_of_sum = std::bit_cast<std::uint64_t>(sum_as(was));
        } else if (code.type == Num::s32) {
          auto sum = sum_as(static_cast<std::int64_t>(was));
          if (code.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
          bits_of_sum = static_cast<std::uint32_t>(sum);
        } else if (code.type == Num::f16) {
          bits_of_sum = machine::float_to_f16(sum_as(static_cast<float>(was)));
        } else {
          bits_of_sum = std::bit_cast<std::uint32_t>(sum_as(static_cast<float>(was)));
        }
        words[lane] |= bits_of_sum << (bits(code.type) * i % 64);
      }
    }
    write64(arg(code, reg), words);
  }
}

}  // namespace warpcc::checker::ptx
