#include "checker/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "checker/machine/input.h"
#include "checker/machine/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPCC_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define WARPCC_WIDE
#endif

namespace warpcc::checker {
namespace {

struct Matrix {
  std::uint32_t number = 0;  // of the buffer
  std::int64_t rows = 0, columns = 0;
  std::int64_t valid_rows = 0, valid_columns = 0;  // of them, what holds something
};

// Row-major matrices alone.
std::optional<Matrix> matrix(const sass::Program& program, std::size_t at) {
  const sass::Buffer& buffer = program.buffers[at];
  const layout::Map& map = buffer.layout.map();
  if (buffer.space != sass::MemorySpace::global || map.rank() != 2 || map.size() == 0 || buffer.kept) return {};
  const layout::Coordinate& rows = map.coordinates()[0];
  const layout::Coordinate& columns = map.coordinates()[1];
  if (rows.size() != 1 || columns.size() != 1) return {};
  if (columns[0].extent != 1 && columns[0].stride != 1) return {};
  if (rows[0].extent != 1 && rows[0].stride != columns[0].extent) return {};
  auto valid = [&](int i) { return buffer.valid.empty() ? map.extent(i) : buffer.valid[static_cast<std::size_t>(i)]; };
  return Matrix{static_cast<std::uint32_t>(at), map.extent(0), map.extent(1), valid(0), valid(1)};
}

constexpr int kTile = 64;

// sums[i][j] = Σ a[i][k] · b[k][j].
WARPCC_WIDE void multiply(const double* __restrict a, const double* __restrict b, std::int64_t depth,
                          double* __restrict sums) {
  for (int i = 0; i < kTile; ++i) {
    double sum[kTile] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
      double x = a[i * depth + k];
      for (int j = 0; j < kTile; ++j) sum[j] += x * b[k * kTile + j];
    }
    for (int j = 0; j < kTile; ++j) sums[i * kTile + j] = sum[j];
  }
}

// The product as C can hold it.
double rounded(double value, layout::Element element) {
  switch (element) {
    case layout::Element::f16:
      return machine::f16_to_float(machine::float_to_f16(static_cast<float>(value)));
    case layout::Element::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(machine::float_to_bf16(static_cast<float>(value))) << 16);
    default:
      return static_cast<float>(value);
  }
}

class Comparison {
 public:
  Comparison(const sass::Program& program, const std::vector<machine::GlobalBuffer>& globals, Matrix a, Matrix b,
             Matrix c, int launch)
      : program_(program), globals_(globals), a_(a), b_(b), c_(c), launch_(launch) {}

  void run(bool whole, Outcome& outcome, Findings& findings) {
    for (std::int64_t row = 0; row < c_.rows; row += kTile) {
      rows_.clear();
      for (std::int64_t column = 0; column < c_.columns; column += kTile) compare_tile(row, column, whole, outcome);
    }
    std::string name = program_.buffers[c_.number].name;
    if (launch_ > 0) name = fmt::format("launch {}: {}", launch_ + 1, name);
    if (wrong_ > 0) {
      findings.add(Finding::Kind::values, Findings::kNoLine,
                   fmt::format("{}[{}, {}] is {}, the product {}", name, row_, column_, got_, wants_), details());
      outcome.values_wrong += wrong_ - 1;
    }
    if (missing_ > 0) {
      findings.add(Finding::Kind::values, Findings::kNoLine,
                   fmt::format("{}[{}, {}] is stored by nobody, and {} elements more", name, missing_row_,
                               missing_column_, missing_ - 1));
      outcome.values_wrong += missing_ - 1;
    }
    outcome.values_compared += compared_ + missing_;
  }

 private:
  void compare_tile(std::int64_t row, std::int64_t column, bool whole, Outcome&) {
    const machine::GlobalBuffer& c = globals_[c_.number];
    std::int64_t rows = std::min<std::int64_t>(kTile, c_.rows - row),
                 columns = std::min<std::int64_t>(kTile, c_.columns - column);
    bool any = false;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (c.stored((row + i) * c_.columns + column + j, launch_)) {
          any = true;
        } else if (whole && missing_++ == 0) {
          missing_row_ = row + i;
          missing_column_ = column + j;
        }
      }
    }
    if (!any) return;
    std::int64_t depth = this->depth();
    if (rows_.empty()) {
      rows_.assign(static_cast<std::size_t>(kTile * depth), 0);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < depth; ++k)
          rows_[static_cast<std::size_t>(i * depth + k)] =
              machine::input(a_.number, static_cast<std::uint64_t>((row + i) * a_.columns + k));
      }
    }
    columns_.assign(static_cast<std::size_t>(kTile * depth), 0);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t k = 0; k < depth; ++k)
        columns_[static_cast<std::size_t>(k * kTile + j)] =
            machine::input(b_.number, static_cast<std::uint64_t>((column + j) * b_.columns + k));
    }
    multiply(rows_.data(), columns_.data(), depth, sums_);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        std::int64_t at = (row + i) * c_.columns + column + j;
        if (!c.stored(at, launch_) || row + i >= a_.valid_rows || column + j >= b_.valid_rows) continue;
        ++compared_;
        double got = machine::to_float(c.load(at), c.element()), wants = rounded(sums_[i * kTile + j], c.element());
        if (got == wants) continue;
        if (wrong_++ == 0) {
          row_ = row + i;
          column_ = column + j;
          got_ = got;
          wants_ = wants;
          first_row_ = last_row_ = row_;
          first_column_ = last_column_ = column_;
        }
        first_row_ = std::min(first_row_, row + i);
        last_row_ = std::max(last_row_, row + i);
        first_column_ = std::min(first_column_, column + j);
        last_column_ = std::max(last_column_, column + j);
      }
    }
  }

  std::vector<std::string> details() const {
    std::vector<std::string> text = {fmt::format("{} of {} elements are wrong, in rows {} .. {} and columns {} .. {}",
                                                 wrong_, compared_, first_row_, last_row_ + 1, first_column_,
                                                 last_column_ + 1)};
    if (auto other = owner(true))
      text.push_back(
          fmt::format("row {} holds what belongs to row {}: the rows that are multiplied and those that are "
                      "stored differ",
                      row_, *other));
    else if (auto column = owner(false))
      text.push_back(
          fmt::format("column {} holds what belongs to column {}: the columns that are multiplied and those "
                      "that are stored differ",
                      column_, *column));
    return text;
  }

  // The row (or column) whose product stands, for some elements beside each other, where the first wrong one is.
  std::optional<std::int64_t> owner(bool of_rows) const {
    constexpr std::int64_t kBeside = 8, kMostProducts = 1 << 24;
    const machine::GlobalBuffer& c = globals_[c_.number];
    std::int64_t along = of_rows ? c_.columns : c_.rows, across = of_rows ? c_.rows : c_.columns;
    std::int64_t from = of_rows ? column_ : row_, count = std::min(kBeside, along - from);
    if (count < kBeside || across * a_.columns > kMostProducts) return {};
    std::optional<std::int64_t> found;
    for (std::int64_t other = 0; other < across; ++other) {
      bool same = true;
      for (std::int64_t i = 0; i < count && same; ++i) {
        std::int64_t row = of_rows ? row_ : from + i, column = of_rows ? from + i : column_;
        double got = machine::to_float(c.load(row * c_.columns + column), c.element());
        same = got == rounded(of_rows ? product(other, column) : product(row, other), c.element());
      }
      if (!same) continue;
      if (found) return {};  // of several: of none
      found = other;
    }
    return found;
  }
  std::int64_t depth() const { return std::min(a_.valid_columns, b_.valid_columns); }
  double product(std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (std::int64_t k = 0; k < depth(); ++k) {
      sum += machine::input(a_.number, static_cast<std::uint64_t>(row * a_.columns + k)) *
             machine::input(b_.number, static_cast<std::uint64_t>(column * b_.columns + k));
    }
    return sum;
  }

  const sass::Program& program_;
  const std::vector<machine::GlobalBuffer>& globals_;
  Matrix a_, b_, c_;
  int launch_;
  std::vector<double> rows_, columns_;
  double sums_[kTile * kTile] = {};
  std::uint64_t compared_ = 0, wrong_ = 0, missing_ = 0;
  std::int64_t row_ = 0, column_ = 0, missing_row_ = 0, missing_column_ = 0;
  std::int64_t first_row_ = 0, last_row_ = 0, first_column_ = 0, last_column_ = 0;
  double got_ = 0, wants_ = 0;
};

}  // namespace

void compare_with_product(const sass::Program& program, const std::vector<machine::GlobalBuffer>& globals, bool whole,
                          int launch, Outcome& outcome, Findings& findings) {
  std::vector<Matrix> inputs, outputs;
  bool stored = false;  // what is kept for later launches aside: flags
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    stored = stored || (globals[i].touched() && !program.buffers[i].kept);
    std::optional<Matrix> found = matrix(program, i);
    if (!found) continue;
    (globals[i].touched() ? outputs : inputs).push_back(*found);
  }
  if (outputs.size() == 1 && inputs.size() >= 2) {
    const Matrix &a = inputs[0], &b = inputs[1], &c = outputs[0];
    if (a.rows == c.rows && b.rows == c.columns && a.columns == b.columns) {
      Comparison(program, globals, a, b, c, launch).run(whole, outcome, findings);
      return;
    }
  }
  if (!stored && whole && inputs.size() >= 3) {
    findings.add(Finding::Kind::values, Findings::kNoLine, "nothing was stored, by any cluster");
    return;
  }
  outcome.notes.push_back(
      !stored ? "nothing was stored: there are no values to compare"
              : "the buffers are not those of C = A · Bᵀ: there is no plain product to compare the values with");
}

}  // namespace warpcc::checker
