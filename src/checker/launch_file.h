// A launch written down: what a PTX kernel is given, and what must come of it (docs/programs.md has the schema).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/device.h"
#include "layout/element.h"
#include "llvm/Support/Error.h"

namespace warpcc::checker {

class LaunchFile {
 public:
  // Fails, in words for the user, where the text is no JSON, or says what no launch can be.
  // `folder`: where the files lie that it names.
  static llvm::Expected<LaunchFile> read(std::string_view text, std::string_view folder = "");

  // Launches it on a device of its own and compares what it leaves with what is expected. Fails where the module has no
  // such kernel, or its parameters are others; `diagnostics`: what the machine cannot run.
  // `sources`: for places in what is said.
  llvm::Error run(const ptx_text::Module& module, const Sources& sources, const Options& options, Outcome& outcome,
                  Diagnostics& diagnostics) const;

 private:
  // What a buffer holds at the end: each element within `within`, relative to it or to 1 where it is smaller.
  struct Wanted {
    std::string file;
    double within = 0;
  };
  // A piece of a parameter's or a buffer's bytes.
  struct Piece {
    std::int64_t at = 0;
    std::vector<std::uint8_t> bytes;
    int buffer = -1;  // its address, at `at`
    std::int64_t offset = 0;
    std::optional<TensorMapFields> map;  // its address is the buffer's
  };
  struct Buffer {
    std::string name;
    layout::Element element = layout::Element::f32;
    std::int64_t elements = 0;
    enum class Fill : std::uint8_t { none, zero, integers } fill = Fill::none;
    std::string file;           // of its contents
    std::vector<Piece> pieces;  // or these
    std::optional<Wanted> wanted;
  };
  struct Param {
    std::vector<Piece> pieces;
  };
  // C[m, n] = the sum over k of A[m, k] · B[n, k], rows dense, or of the other majors.
  struct Product {
    int a = -1, b = -1, c = -1;
    std::int64_t m = 0, n = 0, k = 0;
    bool a_mn_major = false, b_mn_major = false, c_column_major = false;
  };
  class Reader;
  llvm::Expected<std::string> file_beside(const std::string& name) const;
  static llvm::Error put(const std::vector<Piece>& pieces, const std::vector<std::uint64_t>& addresses,
                         const std::string& what, std::span<std::uint8_t> bytes);
  llvm::Error load(const Buffer& buffer, Device& device, std::uint64_t address) const;
  static float element(const Buffer& buffer, const std::uint8_t* bytes, std::int64_t at);
  void compare_with_product(Device& device, const std::vector<std::uint64_t>& addresses, Outcome& outcome) const;
  llvm::Error compare_with_wanted(Device& device, const std::vector<std::uint64_t>& addresses, Outcome& outcome) const;

  std::string folder_, kernel_;
  PtxLaunch launch_;
  int sms_ = 148;
  std::vector<Buffer> buffers_;
  std::vector<Param> params_;
  std::optional<Product> product_;
};

}  // namespace warpcc::checker
