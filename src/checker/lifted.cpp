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

void add_finding(Outcome& outcome, Finding::Kind kind, std::string text) {
  Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  outcome.findings.push_back(std::move(finding));
}

class Comparison {
 public:
  Comparison(const sass::Program& program, const ProgramRun& of) : program_(program), memory_(of.memory), of_(of) {}

  void run(const ptx_text::Module& module, Outcome& outcome) {
    const ptx_text::Function* kernel = module.entry(program_.kernel);
    if (kernel == nullptr) {
      add_finding(outcome, Finding::Kind::protocol, fmt::format("the PTX has no kernel `{}`", program_.kernel));
      return;
    }
    place_tensors();
    PtxLaunch launch;
    launch.module = &module;
    launch.kernel = kernel;
    for (std::size_t i = 0; i < 3; ++i) launch.grid[i] = static_cast<std::uint32_t>(program_.grid[i]);
    launch.block = {static_cast<std::uint32_t>(program_.threads), 1, 1};
    launch.cluster = {static_cast<std::uint32_t>(program_.cluster), 1, 1};
    launch.dynamic_shared = program_.dynamic_shared;
    for (const ptx_text::Variable& param : kernel->params) launch.params.push_back(parameter(param));
    launch.places = &places_;
    Diagnostics diagnostics;
    std::size_t before = outcome.findings.size();
    if (!device_.launch(launch, {}, outcome, diagnostics)) {
      for (const Diagnostic& each : diagnostics.all())
        add_finding(outcome, Finding::Kind::protocol, "the PTX cannot run: " + each.text);
      return;
    }
    for (std::size_t i = before; i < outcome.findings.size(); ++i) {
      // Places are the PTX's, which the user has not written.
      outcome.findings[i].text = "in the PTX: " + outcome.findings[i].text;
      outcome.findings[i].where = {};
    }
    compare(outcome);
    compare_places(outcome);
  }

 private:
  void compare(Outcome& outcome) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      std::uint64_t differ = 0;
      std::string first;
      for (std::int64_t at = 0; at < tensor.elements; ++at) {
        std::uint32_t wanted = 0, got = word(tensor, at);
        std::memcpy(&wanted, &memory_[i][static_cast<std::size_t>(at * tensor.bytes)],
                    static_cast<std::size_t>(tensor.bytes));
        ++outcome.values_compared;
        if (got == wanted || differ++ > 0) continue;
        first = fmt::format("element {} of {} is {:#x}, and {:#x} as the program leaves it", at,
                            program_.buffers[i].name, got, wanted);
      }
      if (differ == 0) continue;
      outcome.values_wrong += differ;
      add_finding(outcome, Finding::Kind::values, fmt::format("the PTX leaves {} other values: {}", differ, first));
    }
  }

  void compare_places(Outcome& outcome) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      machine::PlaceHistory::Difference differ =
          places_.compare(tensor.address, of_.places, machine::begin_of_buffer(i), tensor.elements * tensor.bytes);
      if (differ.places == 0) continue;
      add_finding(outcome, Finding::Kind::values,
                  fmt::format("the PTX does to {} places of {} something else than the program, or in another order: "
                              "byte {} is {}; by the program, {}",
                              differ.places, program_.buffers[i].name, differ.byte, differ.here, differ.there));
    }
  }

  void place_tensors() {
    DeviceMemory& memory = device_.memory();
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      Tensor tensor;
      const sass::Buffer& buffer = program_.buffers[i];
      if (buffer.space == sass::MemorySpace::global && i < memory_.size() && !memory_[i].empty()) {
        tensor.bytes = layout::bytes(buffer.element);
        tensor.elements = static_cast<std::int64_t>(memory_[i].size()) / tensor.bytes;
        tensor.address = memory.allocate(tensor.elements * tensor.bytes);
        std::span<std::uint8_t> bytes = memory.bytes(tensor.address, tensor.elements * tensor.bytes);
        for (std::int64_t at = 0; at < tensor.elements && !buffer.kept; ++at) {
          std::uint32_t value = machine::encode_integer(
              machine::input(static_cast<std::uint32_t>(i), static_cast<std::uint64_t>(at)), buffer.element);
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
  const std::vector<std::vector<std::uint8_t>>& memory_;
  const ProgramRun& of_;
  machine::PlaceHistory places_;
  Device device_;
  std::vector<Tensor> tensors_;
};

}  // namespace

void compare_lifted(const sass::Program& program, const ProgramRun& run, const ptx_text::Module& module,
                    Outcome& outcome) {
  Comparison(program, run).run(module, outcome);
}

}  // namespace warpcc::checker
