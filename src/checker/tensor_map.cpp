// Where the rows of a tensor map's boxes lie (PTX ISA, tensors; CUDA driver API, tensor map objects).
#include "checker/device.h"

namespace warpcc::checker {

std::int64_t TensorMapFields::rows() const {
  std::int64_t rows = 1;
  for (std::size_t i = 1; i < box.size(); ++i) rows *= box[i];
  return rows;
}

std::optional<std::int64_t> TensorMapFields::row_offset(const BoxStart& start, std::int64_t row) const {
  if (window) return pixel_offset(start, row);
  std::int64_t rest = row, offset = 0;
  for (std::size_t i = 1; i < box.size(); ++i) {
    std::int64_t at = rows_apart ? start.at[static_cast<std::size_t>(row) + 1] : start.at[i] + rest % box[i];
    rest /= box[i];
    if (at < 0 || at >= extents[i]) return {};
    offset += at * strides[i - 1];
  }
  return offset;
}

// From the pixel at `start` on, `pixel` steps through the bounds, which the offsets move as a whole (PTX ISA, tensors:
// im2col mode; bounding box, traversal stride).
std::optional<std::int64_t> TensorMapFields::pixel_offset(const BoxStart& start, std::int64_t pixel) const {
  const std::size_t images = extents.size() - 1;
  std::int64_t steps = pixel, offset = 0;
  bool inside = true;
  for (std::size_t i = 1; i < images; ++i) {
    const Window& bounds = *window;
    const std::int64_t step = bounds.step[i - 1], lower = bounds.lower[i - 1],
                       upper = extents[i] - 1 + bounds.upper[i - 1],
                       places = upper < lower ? 1 : (upper - lower) / step + 1;
    steps += (start.at[i] - lower) / step;
    const std::int64_t at = lower + steps % places * step + start.offsets[i - 1];
    steps /= places;
    inside = inside && at >= 0 && at < extents[i];
    if (inside) offset += at * strides[i - 1];
  }
  const std::int64_t image = start.at[images] + steps;
  if (!inside || image < 0 || image >= extents[images]) return {};
  return offset + image * strides[images - 1];
}

}  // namespace warpcc::checker
