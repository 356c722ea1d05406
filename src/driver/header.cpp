#include "driver/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "driver/command_line.h"
#include "runtime/manifest.h"

namespace warpcc::driver {
namespace {

using runtime::Manifest;
using runtime::Tensor;

// Words that a name of the kernel may not be in C++: its keywords that `.wk` leaves free, and what the header uses.
constexpr std::string_view kTaken[] = {
    "alignas", "alignof",   "and",      "asm",       "auto",     "bool",     "break",   "case",     "catch",
    "char",    "class",     "concept",  "const",     "continue", "decltype", "default", "delete",   "do",
    "double",  "else",      "enum",     "error",     "explicit", "export",   "extern",  "false",    "float",
    "for",     "friend",    "get",      "goto",      "if",       "inline",   "int",     "launch",   "long",
    "mutable", "namespace", "new",      "not",       "noexcept", "nullptr",  "open",    "operator", "or",
    "private", "protected", "public",   "register",  "requires", "return",   "short",   "signed",   "sizeof",
    "static",  "std",       "stream",   "struct",    "switch",   "template", "this",    "throw",    "true",
    "try",     "typedef",   "typename", "union",     "unsigned", "using",    "virtual", "void",     "volatile",
    "warpcc",  "while",     "xor",      "kManifest", "Kernel",   "tensors"};

std::string cpp_name(std::string_view name) {
  bool is_taken = std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
  return std::string(name) + (is_taken ? "_" : "");
}

std::string_view cpp_type(warpcc_element element) {
  switch (element) {
    case WARPCC_F16:
      return "warpcc::f16";
    case WARPCC_BF16:
      return "warpcc::bf16";
    case WARPCC_F32:
      return "float";
    case WARPCC_TF32:
      return "warpcc::tf32";
    case WARPCC_F8E4M3:
      return "warpcc::f8e4m3";
    case WARPCC_F8E5M2:
      return "warpcc::f8e5m2";
    case WARPCC_S8:
      return "int8_t";
    case WARPCC_U8:
      return "uint8_t";
    case WARPCC_S32:
      return "int32_t";
    case WARPCC_U32:
      return "uint32_t";
    case WARPCC_U64:
      return "uint64_t";
    default:
      return "void";
  }
}

std::string shapes(const Manifest& manifest) {
  std::string text;
  for (const Tensor& tensor : manifest.tensors) {
    if (tensor.shape.empty()) continue;
    text += fmt::format("inline constexpr int64_t {}_shape[] = {{{}}};  // {}{}\n", tensor.name,
                        fmt::join(tensor.shape, ", "), runtime::element_name(tensor.element),
                        tensor.written ? ", stored to" : "");
  }
  return text;
}

std::string launch(const Manifest& manifest) {
  std::string parameters, tensors;
  for (const Tensor& tensor : manifest.tensors) {
    std::string name = cpp_name(tensor.name);
    parameters += fmt::format("{}{}* {}, ", tensor.written ? "" : "const ", cpp_type(tensor.element), name);
    tensors += fmt::format(
        "        {{\"{}\", const_cast<void*>(static_cast<const void*>({})), "
        "static_cast<warpcc_element>({}), 0, nullptr, nullptr}},\n",
        tensor.name, name, static_cast<int>(tensor.element));
  }
  return fmt::format(
      "  // One launch, queued in the stream: addresses in the GPU's memory of dense tensors of the shapes above.\n"
      "  // `warpcc_bind` takes tensors with strides, and checks and encodes once for many launches.\n"
      "  warpcc_status launch({}warpcc_stream stream = nullptr, warpcc_error* error = nullptr) {{\n"
      "    const warpcc_tensor tensors[] = {{\n{}    }};\n"
      "    const warpcc_launch_options options = {{stream, 0}};\n"
      "    return warpcc_run(kernel_, tensors, {}, &options, error);\n"
      "  }}\n",
      parameters, tensors, manifest.tensors.size());
}

}  // namespace

llvm::Expected<std::string> header(const std::string& text, std::string_view source) {
  Manifest manifest;
  if (runtime::Error error = runtime::read_manifest(text, manifest)) {
    return wrong("this kernel's manifest cannot be launched by: " + error.message);
  }
  if (manifest.tensors.empty()) return wrong("the kernel has no tensors: there is nothing to launch it on");
  return fmt::format(
      "// {entry} for {target}, compiled by warpcc from {source}. `warpcc --emit header` made this: make it anew "
      "rather than edit it.\n"
      "#pragma once\n\n"
      "#include <warpcc.h>\n\n"
      "#include <utility>\n\n"
      "namespace {name} {{\n\n"
      "{shapes}\n"
      "// What the cubin beside this must say of itself.\n"
      "inline constexpr char kManifest[] = R\"json({manifest})json\";\n\n"
      "// The kernel on a GPU. Every function returns WARPCC_OK or says what is wrong.\n"
      "class Kernel {{\n"
      " public:\n"
      "  Kernel() = default;\n"
      "  Kernel(Kernel&& other) noexcept : kernel_(std::exchange(other.kernel_, nullptr)) {{}}\n"
      "  Kernel& operator=(Kernel&& other) noexcept {{\n"
      "    std::swap(kernel_, other.kernel_);\n"
      "    return *this;\n"
      "  }}\n"
      "  ~Kernel() {{ warpcc_close(kernel_); }}\n\n"
      "  // Loads the cubin, which was compiled together with this header: another is refused.\n"
      "  warpcc_status open(const char* cubin, warpcc_error* error = nullptr) {{\n"
      "    warpcc_close(std::exchange(kernel_, nullptr));\n"
      "    warpcc_open_options options = {{}};\n"
      "    options.expect_manifest = kManifest;\n"
      "    return warpcc_open(cubin, &options, &kernel_, error);\n"
      "  }}\n\n"
      "{launch}\n"
      "  // For the functions of warpcc.h.\n"
      "  warpcc_kernel* get() const {{ return kernel_; }}\n\n"
      " private:\n"
      "  warpcc_kernel* kernel_ = nullptr;\n"
      "}};\n\n"
      "}}  // namespace {name}\n",
      fmt::arg("entry", manifest.entry), fmt::arg("target", manifest.target), fmt::arg("source", source),
      fmt::arg("name", cpp_name(manifest.entry)), fmt::arg("shapes", shapes(manifest)), fmt::arg("manifest", text),
      fmt::arg("launch", launch(manifest)));
}

}  // namespace warpcc::driver
