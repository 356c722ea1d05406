// Webs: what becomes one PTX register. A hardware register serves many values in its time; the part of its time in
// which writes and reads belong together is a web, and every web gets a PTX register of its own, named after the value
// where the program names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "sass/program.h"

namespace warpcc::ptx {

enum class WebId : std::int32_t { none = -1 };

struct Web {
  isa::File file = isa::File::r;
  std::string name;                      // the PTX register
  std::optional<std::int64_t> constant;  // every write moves this number into it
  // It only ever holds an mbarrier's parity: PTX wants it in bit 0, the hardware in bit 31, so the PTX register holds
  // it in bit 0.
  bool parity = false;
};

class Webs {
 public:
  explicit Webs(const sass::Program& program);

  WebId read(std::size_t line, const sass::Reg& reg) const { return at(line, reg, false); }
  WebId written(std::size_t line, const sass::Reg& reg) const { return at(line, reg, true); }
  const Web& operator[](WebId id) const { return webs_[static_cast<std::size_t>(id)]; }
  const std::vector<Web>& all() const { return webs_; }

 private:
  // A register of the program: the hardware's where the program is coloured, else a part of a named value.
  using Key = std::uint64_t;
  static Key key(const sass::Reg& reg);

  struct Entry {
    Key key;
    bool written;
    WebId web;
  };

  struct Build;
  WebId at(std::size_t line, const sass::Reg& reg, bool written) const;

  std::vector<Web> webs_;
  std::vector<llvm::SmallVector<Entry, 4>> lines_;
};

// The register `n` places on in the group that `reg` begins.
sass::Reg part(sass::Reg reg, int n);

}  // namespace warpcc::ptx
