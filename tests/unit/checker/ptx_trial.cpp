#include "ptx_trial.h"

#include <cstring>

#include "llvm/Support/raw_ostream.h"
#include "ptx_text/parse.h"

namespace warpcc::checker::test {

PtxTrial::PtxTrial(const PtxText& text, std::uint32_t threads, Words words) {
  module = ptx_text::parse(
      sources.add("k.ptx", ".version 9.0\n.target " + text.target +
                               "\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n" + text.before +
                               "\n.entry k(.param .u64 out" + (text.map ? ", .param .align 64 .b8 map[128]" : "") +
                               ") {\n.reg .pred %p<9>;\n.reg .b8 %b<4>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n"
                               ".reg .b64 %rd<20>;\n.reg .f32 %f<9>;\nld.param.u64 %rd1, [out];\n"
                               "mov.u32 %r1, %tid.x;\n" +
                               text.body + "\nret;\n}\n"),
      sources, diagnostics);
  if (!module) return;
  out = device.memory().allocate(kCount * 4);
  for (std::uint32_t i = 0; words == Words::kIndices && i < 1024; ++i)
    std::memcpy(&device.memory().bytes(out, kCount * 4)[i * 4], &i, 4);
  device.memory().mark_written(out, words == Words::kIndices ? 4096 : kCount * 4);
  launch.module = &*module;
  launch.kernel = module->entry("k");
  launch.block = {threads, 1, 1};
  launch.dynamic_shared = 65536;
  launch.params.emplace_back(8);
  std::memcpy(launch.params[0].data(), &out, 8);
  if (!text.map) return;
  TensorMapFields map = *text.map;
  map.address += out;
  std::array<std::uint8_t, 128> bytes = encode(map);
  launch.params.emplace_back(bytes.begin(), bytes.end());
}

PtxTrial& PtxTrial::run(const Options& options) {
  ran = module && device.launch(launch, options, outcome, diagnostics);
  return *this;
}

std::string PtxTrial::said() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostics.print(stream, sources);
  for (const Finding& finding : outcome.findings) text += finding.text + "\n";
  return text;
}

std::uint32_t PtxTrial::word(std::int64_t i) {
  std::uint32_t value = 0;
  std::memcpy(&value, &device.memory().bytes(out, kCount * 4)[static_cast<std::size_t>(i) * 4], 4);
  return value;
}

}  // namespace warpcc::checker::test
