#include "sass/read_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "sass/flow.h"
#include "sass/spelling.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string, std::string, std::string> kWrongFile{"sass-wrong-file", "`{}` is {}; {} is wanted here"};
constexpr Message<std::string, std::string> kNeverWritten{"sass-never-written", "`{}` is read and never written{}"};
constexpr Message<std::string, std::string> kNamesNothing{
    "sass-names-nothing",
    "`{}` names nothing: no line writes a value of this name, and it is no axis and no fixed index{}"};
constexpr Message<std::string> kTooWide{"sass-too-wide", "`{}` would be a group of more than 255 registers"};
constexpr Message<std::string, int, int> kUnaligned{
    "sass-unaligned", "`{}` begins a group of {} registers: its number is a multiple of {}"};
constexpr Message<std::string, int, std::string, std::string> kNoSuchRegister{
    "sass-no-such-register", "`{}`: a warp has {} registers of this kind on {}, up to `{}`"};
constexpr Message<std::string, std::string, std::string> kMoves{
    "sass-value-moves", "`{}` is in `{}` here and in `{}` elsewhere; a value keeps its register"};
constexpr Message<std::string> kNoRegister{"sass-no-register",
                                           "`{0}` has no register, and the text's form says that it has: `{0}/R0`"};

isa::Takes bit(isa::File file) {
  return isa::Takes{1} << static_cast<int>(file);
}
std::size_t index(ValueId id) {
  return static_cast<std::size_t>(id);
}

}  // namespace

ValueId ReadValues::named(std::string_view name) {
  auto [place, inserted] = ids_.try_emplace(std::string(name), static_cast<ValueId>(program_.values.size()));
  if (inserted) {
    program_.values.emplace_back().name = name;
    files_.push_back(kAnyRegister);
  }
  return place->second;
}

void ReadValues::declare(ValueId value, isa::File file) {
  files_[index(value)] = bit(file);
}

void ReadValues::used(const WrittenReg& reg, isa::Takes takes, int width, bool written) {
  if (reg.reg.is_constant) return;
  uses_.push_back({reg.reg, takes & kAnyRegister, static_cast<std::uint8_t>(width), written, false, reg.where});
  if (reg.reg.value == ValueId::none) return;
  Value& value = program_.values[index(reg.reg.value)];
  int wide = std::max(reg.reg.part + width, reg.part_written ? 2 : 1);
  if (wide > 255) {
    complain(reg.where, kTooWide, value.name);
    return;
  }
  value.width = std::max(value.width, static_cast<std::uint8_t>(wide));
}

void ReadValues::mentioned(const WrittenReg& reg) {
  uses_.push_back({reg.reg, kAnyRegister, 1, false, true, reg.where});
  Value& value = program_.values[index(reg.reg.value)];
  int wide = std::max(reg.reg.part + 1, reg.part_written ? 2 : 1);
  value.width = std::max(value.width, static_cast<std::uint8_t>(std::min(wide, 255)));
}

std::string ReadValues::shown(const Reg& reg) const {
  if (reg.value == ValueId::none) return fmt::format("{}{}", isa::prefix(reg.file), reg.number);
  const Value& value = program_[reg.value];
  return value.width > 1 ? fmt::format("{}.{}", value.name, reg.part) : value.name;
}

void ReadValues::finish() {
  settle_files();
  settle_registers();
  check_written();
  check_groups();
  fill_operands();
}

// A name's file is the one that every place allows; the places that write it, which allow one each, come first.
void ReadValues::settle_files() {
  for (bool written : {true, false}) {
    for (const Use& use : uses_) {
      if (use.written != written || use.reg.value == ValueId::none) continue;
      isa::Takes& files = files_[index(use.reg.value)];
      if (files & use.takes) files &= use.takes;
    }
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    int lowest = 0;
    while (lowest < 3 && !(files_[i] >> lowest & 1)) ++lowest;
    program_.values[i].file = static_cast<isa::File>(lowest);
  }
  for (Use& use : uses_) {
    if (use.reg.value != ValueId::none) use.reg.file = program_[use.reg.value].file;
    if (use.takes & bit(use.reg.file)) continue;
    complain(use.where, kWrongFile, shown(use.reg), isa::words(bit(use.reg.file)), isa::words(use.takes));
  }
}

void ReadValues::settle_registers() {
  for (const Use& use : uses_) {
    if (use.reg.number >= 0) {
      int count = isa::registers(use.reg.file, program_.target);
      if (use.reg.number + use.width > count) {
        complain(use.where, kNoSuchRegister, fmt::format("{}{}", isa::prefix(use.reg.file), use.reg.number), count,
                 std::string(isa::name(program_.target)), fmt::format("{}{}", isa::prefix(use.reg.file), count - 1));
      }
    }
    if (use.reg.value == ValueId::none || use.mentioned) continue;
    Value& value = program_.values[index(use.reg.value)];
    if (use.reg.number < 0) {
      if (program_.form != Form::named) complain(use.where, kNoRegister, value.name);
      continue;
    }
    int first = use.reg.number - use.reg.part;
    if (value.colour < 0 && first >= 0) value.colour = static_cast<std::int16_t>(first);
    if (value.colour != first) {
      complain(use.where, kMoves, shown(use.reg), fmt::format("{}{}", isa::prefix(use.reg.file), use.reg.number),
               fmt::format("{}{}", isa::prefix(use.reg.file), value.colour + use.reg.part));
    }
  }
}

void ReadValues::check_written() {
  std::vector<char> written(program_.values.size(), 0), reported(program_.values.size(), 0);
  std::array<std::bitset<512>, 4> registers_written;
  for (const Use& use : uses_) {
    if (!use.written) continue;
    if (use.reg.value != ValueId::none) written[index(use.reg.value)] = 1;
    for (int n = 0; use.reg.number >= 0 && n < use.width; ++n) {
      registers_written[static_cast<std::size_t>(use.reg.file)].set(static_cast<std::size_t>(use.reg.number + n) % 512);
    }
  }
  for (const Use& use : uses_) {
    if (use.written) continue;
    if (use.reg.value == ValueId::none) {
      if (!registers_written[static_cast<std::size_t>(use.reg.file)].test(static_cast<std::size_t>(use.reg.number) %
                                                                          512)) {
        complain(use.where, kNeverWritten, shown(use.reg), "");
      }
    } else if (!written[index(use.reg.value)] && !reported[index(use.reg.value)]) {
      if (complaints_ >= kMostComplaints) return;
      reported[index(use.reg.value)] = 1;
      const std::string& name = program_[use.reg.value].name;
      NearestName nearest(name);
      for (std::size_t i = 0; i < program_.values.size(); ++i) {
        if (written[i]) nearest.offer(program_.values[i].name);
      }
      complain(use.where, use.mentioned ? kNamesNothing : kNeverWritten, name, nearest.words());
    }
  }
}

void ReadValues::check_groups() {
  for (const Use& use : uses_) {
    int align = alignment(use.reg.file, use.width);
    int place = use.reg.number >= 0 ? use.reg.number : use.reg.part;
    if (place % align != 0) complain(use.where, kUnaligned, shown(use.reg), use.width, align);
    if (use.reg.value == ValueId::none) continue;
    Value& value = program_.values[index(use.reg.value)];
    value.align = std::max(value.align, static_cast<std::uint8_t>(align));
  }
}

void ReadValues::fill_operands() {
  auto fill = [&](Reg& reg) {
    if (reg.value != ValueId::none) reg.file = program_[reg.value].file;
  };
  for (Line& line : program_.lines) {
    if (line.guard) fill(line.guard->reg);
    for (Operand& operand : line.operands) {
      fill(operand.reg);
      if (operand.second) fill(*operand.second);
    }
  }
}

}  // namespace warpcc::sass
