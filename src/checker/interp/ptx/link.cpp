// The functions that a kernel can reach, taken apart into one code: callees before their callers, so that lanes that
// are further in, which stand lower, go on first and come back to those that wait for them.
//
// Registers, local variables and parameters have one place a function, not one a call: a function that calls itself,
// through others too, is not taken; the machine says so where a lane does it.
#include "checker/interp/ptx/link.h"

#include <algorithm>

#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

const FunctionCode::Part* FunctionCode::part_at(std::uint32_t at) const {
  auto after =
      std::upper_bound(parts.begin(), parts.end(), at, [](std::uint32_t a, const Part& b) { return a < b.first; });
  return after == parts.begin() ? nullptr : &*std::prev(after);
}

const ptx_text::Instruction* FunctionCode::instruction(std::uint32_t at) const {
  const Part* part = part_at(at);
  if (part == nullptr || at - part->first >= part->function->instructions.size()) return nullptr;
  return &part->function->instructions[at - part->first];
}

namespace {

using ptx_text::Function;
using ptx_text::Module;

// The functions that a kernel reaches, callees first; where it calls through a register, all that there are.
class Reach {
 public:
  explicit Reach(const Module& module) : module_(module), seen_(module.functions.size(), false) {}

  std::vector<std::uint32_t> from(std::uint32_t kernel) {
    add(kernel);
    if (indirect_) {
      std::uint32_t last = order_.back();
      order_.pop_back();
      for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
        if (!module_.functions[i].entry) add(i);
      }
      order_.push_back(last);
    }
    return std::move(order_);
  }

 private:
  // As deep as calls go, without recursion of its own.
  void add(std::uint32_t first) {
    struct Step {
      std::uint32_t function;
      std::size_t operand;
    };
    std::vector<Step> open;
    auto enter = [&](std::uint32_t index) {
      if (module_.functions[index].alias < module_.functions.size()) index = module_.functions[index].alias;
      if (seen_[index] || !module_.functions[index].defined) return;
      seen_[index] = true;
      open.push_back({index, 0});
      note_indirect(module_.functions[index]);
    };
    enter(first);
    while (!open.empty()) {
      const std::vector<Operand>& operands = module_.functions[open.back().function].operands;
      std::size_t& at = open.back().operand;
      if (at == operands.size()) {
        order_.push_back(open.back().function);
        open.pop_back();
        continue;
      }
      const Operand& operand = operands[at++];
      if (operand.kind == Operand::Kind::function) enter(operand.index);
    }
  }
  void note_indirect(const Function& function) {
    for (const Instruction& each : function.instructions) {
      if (module_.opcodes[each.opcode].words[0] != "call") continue;
      bool direct = false;
      for (std::uint32_t i = 0; i < each.operands; ++i)
        direct = direct || function.operands[each.first + i].kind == Operand::Kind::function;
      indirect_ = indirect_ || !direct;
    }
  }

  const Module& module_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> order_;
  bool indirect_ = false;
};

}  // namespace

Storage::Storage(const Module& module) {
  shared = kSharedStart;
  module_shared.assign(module.variables.size(), 0);
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ptx_text::Variable& variable = module.variables[i];
    if (variable.space != ptx_text::Space::shared || variable.external || variable.bytes == 0) continue;
    module_shared[i] = take(shared, variable.bytes, variable.align);
  }
}

std::int64_t Storage::take(std::int64_t& end, std::int64_t bytes, std::int64_t align) {
  std::int64_t at = (end + align - 1) / align * align;
  end = at + bytes;
  return at;
}

void Storage::close(const Module& module) {
  std::int64_t align = 16;
  for (const ptx_text::Variable& variable : module.variables) {
    if (variable.space == ptx_text::Space::shared && variable.bytes == 0) align = std::max(align, variable.align);
  }
  std::int64_t dynamic = take(shared, 0, align);
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].space == ptx_text::Space::shared && module_shared[i] == 0) module_shared[i] = dynamic;
  }
}

std::optional<FunctionCode> decode(const Module& module, const Function& function, const AddressOf& address_of,
                                   Diagnostics& diagnostics) {
  FunctionCode out;
  out.module = &module;
  Storage storage(module);
  std::vector<std::uint32_t> reached =
      Reach(module).from(static_cast<std::uint32_t>(&function - module.functions.data()));
  out.part_of.assign(module.functions.size(), Code::kNone);
  for (std::uint32_t index : reached) {
    out.part_of[index] = static_cast<std::uint32_t>(out.parts.size());
    out.parts.push_back({});
    out.parts.back().function = &module.functions[index];
  }
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (std::uint32_t alias = module.functions[i].alias; alias < module.functions.size())
      out.part_of[i] = out.part_of[alias];
  }
  std::vector<Decoder> decoders;
  decoders.reserve(out.parts.size());
  for (FunctionCode::Part& part : out.parts) {
    decoders.emplace_back(module, *part.function, address_of, diagnostics, storage, out);
    decoders.back().place(part);
  }
  storage.close(module);
  out.frame_bytes = Storage::take(storage.frame, 0, 16);
  out.shared_bytes = storage.shared - kSharedStart;
  bool good = true;
  for (std::size_t i = 0; i < out.parts.size(); ++i) {
    out.parts[i].first = static_cast<std::uint32_t>(out.code.size());
    good = decoders[i].run(out.parts[i]) && good;
  }
  if (!good) return {};
  out.start = out.parts.back().first;
  return out;
}

}  // namespace warpcc::checker::ptx
