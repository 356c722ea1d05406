#include <algorithm>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx/lift.h"
#include "ptx/lifter.h"

namespace warpcc::ptx {

namespace {

using sass::Buffer;
using sass::Program;
using sass::TensorMap;

constexpr std::int64_t kMapBytes = 128;  // CUtensorMap, aligned to 64 bytes
constexpr std::int64_t kMapAlign = 64;
constexpr std::int64_t kPointerBytes = 8;

const Buffer* buffer_named(const Program& program, const std::string& name) {
  auto found = std::find_if(program.buffers.begin(), program.buffers.end(), [&](const Buffer& buffer) {
    return buffer.space == sass::MemorySpace::global && buffer.name == name;
  });
  return found == program.buffers.end() ? nullptr : &*found;
}

void numbers(llvm::json::OStream& json, llvm::StringRef key, llvm::ArrayRef<std::int64_t> values) {
  json.attributeArray(key, [&] {
    for (std::int64_t value : values) json.value(value);
  });
}

void element(llvm::json::OStream& json, const Buffer* buffer) {
  if (buffer == nullptr) {
    json.attribute("element", nullptr);
  } else {
    json.attribute("element", llvm::StringRef(layout::name(buffer->element)));
  }
}

// Bytes from one index to the next of each dimension, the last dimension dense.
std::vector<std::int64_t> strides(const TensorMap& map) {
  std::vector<std::int64_t> bytes(map.extents.size());
  std::int64_t step = map.element_bytes;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    bytes[i] = step;
    step *= map.extents[i];
  }
  return bytes;
}

void parameters(llvm::json::OStream& json, const Program& program) {
  auto parameter = [&](llvm::StringRef kind, llvm::StringRef name, std::int64_t offset, std::int64_t size) {
    json.object([&] {
      json.attribute("kind", kind);
      json.attribute("name", name);
      json.attribute("offset", offset);
      json.attribute("size", size);
    });
  };
  std::int64_t offset = 0;
  for (const sass::Param& param : program.params) {
    parameter("pointer", param.name, param.offset, kPointerBytes);
    offset = std::max<std::int64_t>(offset, param.offset + kPointerBytes);
  }
  for (const TensorMap& map : program.maps) {
    offset = (offset + kMapAlign - 1) / kMapAlign * kMapAlign;
    parameter("tensor_map", map.name, offset, kMapBytes);
    offset += kMapBytes;
  }
}

void tensor_map(llvm::json::OStream& json, const Program& program, const TensorMap& map) {
  const std::string& tensor = map.buffer.empty() ? map.name : map.buffer;
  json.attribute("name", map.name);
  json.attribute("tensor", tensor);
  element(json, buffer_named(program, tensor));
  json.attribute("element_bytes", map.element_bytes);
  numbers(json, "extents", map.extents);
  numbers(json, "strides", strides(map));
  numbers(json, "box", map.box);
  json.attribute("swizzle", map.swizzle);
}

}  // namespace

std::string manifest(const Program& program) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out, 2);
  bool waits = std::any_of(program.lines.begin(), program.lines.end(),
                           [](const sass::Line& line) { return line.opcode->op == isa::Op::ACQBULK; });
  json.object([&] {
    json.attribute("entry", entry_name(program));
    json.attribute("target", llvm::StringRef(isa::name(program.target)));
    numbers(json, "grid", program.grid);
    numbers(json, "cluster", {program.cluster, 1, 1});
    numbers(json, "block", {program.threads, 1, 1});
    json.attribute("shared_bytes", static_cast<std::int64_t>(program.dynamic_shared));
    json.attribute("waits_for_grid_before", waits);
    json.attributeArray("parameters", [&] { parameters(json, program); });
    json.attributeArray("tensor_maps", [&] {
      for (const TensorMap& map : program.maps) json.object([&] { tensor_map(json, program, map); });
    });
    json.attributeArray("kept", [&] {
      for (const Buffer& buffer : program.buffers) {
        if (buffer.space != sass::MemorySpace::global || !buffer.kept) continue;
        json.object([&] {
          json.attribute("tensor", buffer.name);
          element(json, &buffer);
          json.attribute("bytes", buffer.layout.bytes(layout::bits(buffer.element)));
        });
      }
    });
  });
  out << '\n';
  return text;
}

}  // namespace warpcc::ptx
