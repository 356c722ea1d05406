// The manifest as the runtime uses it (docs/manifest.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.h"

namespace warpcc::runtime {

struct Parameter {
  enum class Kind : std::uint8_t { pointer, tensor_map };
  Kind kind = Kind::pointer;
  std::string name;
  std::size_t offset = 0, size = 0;
};

struct Tensor {
  std::string name;
  warpcc_element element = WARPCC_ANY;
  int element_bytes = 0;              // 0: not known
  std::vector<std::int64_t> shape;    // empty: not known; then every address is taken
  std::vector<std::int64_t> strides;  // elements
  bool written = false;
  bool by_pointer = false, by_map = false;  // how the kernel reaches it
};

struct TensorMap {
  std::string name, tensor;
  warpcc_element element = WARPCC_ANY;
  int element_bytes = 0;
  std::vector<std::int64_t> extents, strides, box;  // rows first; strides in bytes
  int swizzle = 0;                                  // its span in bytes
};

struct Kept {
  std::string tensor;
  std::int64_t bytes = 0;
};

struct Manifest {
  std::string entry;
  std::string target;
  std::array<unsigned, 3> grid{1, 1, 1}, cluster{1, 1, 1}, block{1, 1, 1};
  unsigned shared_bytes = 0;
  bool waits_for_grid_before = false;
  std::vector<Parameter> parameters;
  std::vector<Tensor> tensors;
  std::vector<TensorMap> maps;
  std::vector<Kept> kept;
  std::string text;  // what was read

  const Kept* kept_named(std::string_view name) const;
  const Tensor* tensor_named(std::string_view name) const;
  const TensorMap* map_named(std::string_view name) const;
  unsigned ctas() const { return grid[0] * grid[1] * grid[2]; }
  unsigned cluster_ctas() const { return cluster[0] * cluster[1] * cluster[2]; }
};

// An error names the key that is missing or not as it should be.
Error read_manifest(std::string_view text, Manifest& manifest);

std::string_view element_name(warpcc_element element);
int element_bytes(warpcc_element element);

}  // namespace warpcc::runtime
