#include "checker/lifted.h"

#include <fmt/format.h>

#include <cstring>

#include "checker/device.h"
#include "checker/machine/input.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker {

namespace {

// A buffer of the program in the device's memory.
struct Tensor {
  std::uint64_t address = 0;
  std::int64_t elements = 0;
  int bytes = 0;  // of an element
};

class Comparison {
 public:
  Comparison(const sass::Program& program, const std::vector<machine::GlobalBuffer>& globals)
      : program_(program), globals_(globals) {}

  bool run(const ptx_text::Module& module, const Options& options, Outcome& outcome, Diagnostics& diagnostics) {
    const ptx_text::Function* kernel = module.entry(program_.kernel);
    if (kernel == nullptr) return false;
    place_tensors();
    PtxLaunch launch;
    launch.module = &module;
    launch.kernel = kernel;
    for (std::size_t i = 0; i < 3; ++i) launch.grid[i] = static_cast<std::uint32_t>(program_.grid[i]);
    launch.block = {static_cast<std::uint32_t>(program_.threads), 1, 1};
    launch.cluster = {static_cast<std::uint32_t>(program_.cluster), 1, 1};
    launch.dynamic_shared = program_.dynamic_shared;
    for (const ptx_text::Variable& param : kernel->params) launch.params.push_back(parameter(param));
    return device_.launch(launch, options, outcome, diagnostics);
  }

  void compare(Outcome& outcome, Findings& findings) {
    for (std::size_t i = 0; i < globals_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      if (tensor.elements == 0 || !globals_[i].touched()) continue;
      std::uint64_t differ = 0;
      std::string first;
      for (std::int64_t at = 0; at < tensor.elements; ++at) {
        if (!globals_[i].stored(at)) continue;
        std::uint32_t wanted = globals_[i].load(at), got = word(tensor, at);
        ++outcome.values_compared;
        if (got == wanted || differ++ > 0) continue;
        first = fmt::format("element {} of {} is {:#x} where the program leaves {:#x}", at, program_.buffers[i].name,
                            got, wanted);
      }
      if (differ == 0) continue;
      findings.add(Finding::Kind::values, Findings::kNoLine,
                   fmt::format("the lifted program leaves other values: {}", first),
                   {fmt::format("{} elements differ", differ)});
      outcome.values_wrong += differ - 1;
    }
  }

 private:
  void place_tensors() {
    DeviceMemory& memory = device_.memory();
    for (std::size_t i = 0; i < globals_.size(); ++i) {
      Tensor tensor;
      const machine::GlobalBuffer& from = globals_[i];
      if (program_.buffers[i].space == sass::MemorySpace::global && from.elements() > 0) {
        tensor.elements = from.elements();
        tensor.bytes = layout::bytes(from.element());
        tensor.address = memory.allocate(tensor.elements * tensor.bytes);
        std::span<std::uint8_t> bytes = memory.bytes(tensor.address, tensor.elements * tensor.bytes);
        for (std::int64_t at = 0; at < tensor.elements && !from.kept(); ++at) {
          std::uint32_t value =
              machine::encode_integer(machine::input(from.number(), static_cast<std::uint64_t>(at)), from.element());
          std::memcpy(&bytes[static_cast<std::size_t>(at * tensor.bytes)], &value,
                      static_cast<std::size_t>(tensor.bytes));
        }
        memory.mark_written(tensor.address, tensor.elements * tensor.bytes);
      }
      tensors_.push_back(tensor);
    }
  }

  std::uint32_t word(const Tensor& tensor, std::int64_t at) {
    std::uint32_t value = 0;
    std::span<std::uint8_t> bytes =
        device_.memory().bytes(tensor.address + static_cast<std::uint64_t>(at * tensor.bytes), tensor.bytes);
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  const Tensor* tensor(std::string_view name) const {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      if (program_.buffers[i].name == name && program_.buffers[i].space == sass::MemorySpace::global)
        return &tensors_[i];
    }
    return nullptr;
  }

  // `map_a`, `param_raised`: as the lift names them.
  std::vector<std::uint8_t> parameter(const ptx_text::Variable& param) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(param.bytes));
    for (const sass::TensorMap& map : program_.maps) {
      if (param.name != "map_" + map.name) continue;
      const Tensor* of = tensor(map.buffer);
      TensorMapFields fields;
      fields.element_bytes = map.element_bytes;
      fields.address = of == nullptr ? 0 : of->address;
      std::int64_t stride = map.element_bytes;
      for (std::size_t i = map.extents.size(); i-- > 0;) {
        fields.extents.push_back(map.extents[i]);
        fields.box.push_back(map.box[i]);
        stride *= map.extents[i];
        if (i > 0) fields.strides.push_back(stride);
      }
      fields.swizzle_span = map.swizzle;
      std::array<std::uint8_t, 128> encoded = encode(fields);
      std::copy_n(encoded.begin(), std::min(encoded.size(), bytes.size()), bytes.begin());
      return bytes;
    }
    for (const sass::Param& word : program_.params) {
      if (param.name != "param_" + word.name) continue;
      for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
        if (program_.buffers[i].param == word.offset)
          std::memcpy(bytes.data(), &tensors_[i].address, std::min<std::size_t>(8, bytes.size()));
      }
    }
    return bytes;
  }

  const sass::Program& program_;
  const std::vector<machine::GlobalBuffer>& globals_;
  Device device_;
  std::vector<Tensor> tensors_;
};

}  // namespace

void compare_lifted(const sass::Program& program, const std::vector<machine::GlobalBuffer>& globals,
                    const ptx_text::Module& module, const Options& options, Outcome& outcome, Findings& findings,
                    Diagnostics& diagnostics) {
  Comparison comparison(program, globals);
  std::size_t before = outcome.findings.size();
  if (!comparison.run(module, options, outcome, diagnostics)) return;
  for (std::size_t i = before; i < outcome.findings.size(); ++i)
    outcome.findings[i].text = "lifted: " + outcome.findings[i].text;
  comparison.compare(outcome, findings);
}

}  // namespace warpcc::checker
