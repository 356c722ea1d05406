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

llvm::StringRef tensor_of(const TensorMap& map) {
  return map.buffer.empty() ? map.name : map.buffer;
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

// The global buffer that a line stores or adds to, by its map or by what it is held to; empty where it is none.
llvm::StringRef stored(const Program& program, const sass::Line& line) {
  isa::Op op = line.opcode->op;
  if (op == isa::Op::UTMASTG || op == isa::Op::UTMAREDG) {
    for (const sass::Operand& operand : line.operands) {
      if (operand.kind == sass::Operand::Kind::map) return tensor_of(program.maps[operand.number]);
    }
  }
  if (op != isa::Op::STG && op != isa::Op::REDG) return {};
  for (const sass::Held& held : line.held) {
    if (held.kind != sass::Held::Kind::reach) continue;
    for (const sass::View& view : held.views) {
      if (view.buffer == sass::BufferId::none) continue;
      const Buffer& buffer = program[view.buffer];
      if (buffer.space == sass::MemorySpace::global) return buffer.name;
    }
  }
  return {};
}

// The dense strides of a shape, in elements.
std::vector<std::int64_t> dense(llvm::ArrayRef<std::int64_t> shape) {
  std::vector<std::int64_t> all(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = all.size(); i-- > 0;) {
    all[i] = step;
    step *= shape[i];
  }
  return all;
}

struct Tensor {
  std::string name;
  const Buffer* buffer = nullptr;  // none where the program does not declare it
  std::vector<std::int64_t> shape, strides;
};

// What a host gives: the global buffers that are not the kernel's own, and what hand-written text only has a map or a
// parameter of.
std::vector<Tensor> tensors(const Program& program) {
  std::vector<Tensor> all;
  auto add = [&](Tensor tensor) {
    bool is_new = std::none_of(all.begin(), all.end(), [&](const Tensor& each) { return each.name == tensor.name; });
    if (is_new) all.push_back(std::move(tensor));
  };
  for (const Buffer& buffer : program.buffers) {
    if (buffer.space != sass::MemorySpace::global || buffer.kept) continue;
    Tensor tensor{buffer.name, &buffer, {}, {}};
    for (const layout::Coordinate& coordinate : buffer.layout.map().coordinates()) {
      // Dimensions of several modes have no stride; a host sees such a buffer as the row of its elements.
      if (coordinate.size() != 1) tensor.shape.clear();
      if (coordinate.size() != 1) break;
      tensor.shape.push_back(coordinate[0].extent);
      tensor.strides.push_back(coordinate[0].stride);
    }
    if (tensor.shape.empty()) {
      tensor.shape = {buffer.layout.map().span()};
      tensor.strides = {1};
    }
    add(std::move(tensor));
  }
  for (const TensorMap& map : program.maps) add({tensor_of(map).str(), nullptr, map.extents, dense(map.extents)});
  for (const sass::Param& param : program.params) {
    const Buffer* buffer = buffer_named(program, param.name);
    if (buffer == nullptr) add({param.name, nullptr, {}, {}});
  }
  return all;
}

void write_tensors(llvm::json::OStream& json, const Program& program) {
  std::vector<llvm::StringRef> written;
  for (const sass::Line& line : program.lines) written.push_back(stored(program, line));
  for (const Tensor& tensor : tensors(program)) {
    json.object([&] {
      json.attribute("name", tensor.name);
      element(json, tensor.buffer);
      numbers(json, "shape", tensor.shape);
      numbers(json, "strides", tensor.strides);
      json.attribute("written", std::find(written.begin(), written.end(), tensor.name) != written.end());
    });
  }
}

void tensor_map(llvm::json::OStream& json, const Program& program, const TensorMap& map) {
  llvm::StringRef tensor = tensor_of(map);
  json.attribute("name", map.name);
  json.attribute("tensor", tensor);
  element(json, buffer_named(program, tensor.str()));
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
    json.attributeArray("tensors", [&] { write_tensors(json, program); });
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
