// Manifests to try things on.
#pragma once

#include <string>

// A GEMM of 256 × 128 × 64: maps of a and b, c by its address, flags that are kept.
inline std::string gemm_manifest() {
  return R"({
  "entry": "gemm", "target": "sm_90a",
  "grid": [4, 2, 1], "cluster": [2, 1, 1], "block": [384, 1, 1],
  "shared_bytes": 200000, "waits_for_grid_before": true,
  "parameters": [
    {"kind": "pointer", "name": "c", "offset": 0, "size": 8},
    {"kind": "pointer", "name": "raised", "offset": 8, "size": 8},
    {"kind": "tensor_map", "name": "a", "offset": 64, "size": 128},
    {"kind": "tensor_map", "name": "b", "offset": 192, "size": 128}],
  "tensors": [
    {"name": "a", "element": "f16", "shape": [256, 64], "strides": [64, 1], "written": false},
    {"name": "b", "element": "f16", "shape": [128, 64], "strides": [64, 1], "written": false},
    {"name": "c", "element": "f32", "shape": [256, 128], "strides": [128, 1], "written": true}],
  "tensor_maps": [
    {"name": "a", "tensor": "a", "element": "f16", "element_bytes": 2, "extents": [256, 64], "strides": [128, 2],
     "box": [128, 64], "swizzle": 128},
    {"name": "b", "tensor": "b", "element": "f16", "element_bytes": 2, "extents": [128, 64], "strides": [128, 2],
     "box": [64, 32], "swizzle": 64}],
  "kept": [{"tensor": "raised", "element": "u32", "bytes": 256}]
})";
}

inline constexpr char kCubin[] =
    "\x7f"
    "ELF and so on";

// The text with its first `from` made `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}
