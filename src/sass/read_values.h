// The named values of a text while it is read. Nothing declares their files and widths: they follow from the operands'
// places.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

constexpr isa::Takes kAnyRegister = isa::kR | isa::kUR | isa::kP | isa::kUP;

// A register as it was written: a constant, a plain register, or a name with a part and perhaps a register behind it.
struct WrittenReg {
  Reg reg;
  bool part_written = false;  // `x.0`: a group even where only its first register is used
  SourceRange where{};
};

class ReadValues {
 public:
  ReadValues(Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

  ValueId named(std::string_view name);
  void declare(ValueId value, isa::File file);

  // An operand's register: what its place takes of kR, kUR, kP, kUP, how many registers, and whether it is written
  // there.
  void used(const WrittenReg& reg, isa::Takes takes, int width, bool written);
  // A name in what a line is held to.
  void mentioned(const WrittenReg& reg);

  // When all is read: every value's file, width and register, and every operand's file. Reports what does not agree.
  void finish();

 private:
  struct Use {
    Reg reg;
    isa::Takes takes;
    std::uint8_t width;
    bool written, mentioned;
    SourceRange where;
  };
  void settle_files();
  void settle_registers();
  void check_written();
  void check_groups();
  void fill_operands();
  std::string shown(const Reg& reg) const;
  // Reports; after the first many nothing more, since one slip may make thousands.
  template <typename... Args>
  void complain(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    if (complaints_++ < kMostComplaints) diagnostics_.error(where, message, args...);
  }

  Program& program_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, ValueId> ids_;
  std::vector<isa::Takes> files_;  // by value: those that all its places allow
  std::vector<Use> uses_;
  static constexpr int kMostComplaints = 50;
  int complaints_ = 0;
};

}  // namespace warpcc::sass
