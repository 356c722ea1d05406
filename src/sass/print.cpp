#include <fmt/format.h>

#include <iterator>

#include "sass/flow.h"
#include "sass/print_parts.h"
#include "sass/text.h"

namespace warpcc::sass {

namespace {

// Where what a line is held to begins, and its comment; further right where the code is longer.
constexpr std::size_t kHeldColumn = 51, kCommentColumn = 110;

std::string number_text(std::int64_t number) {
  if (number < 0) return fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(number));
  return fmt::format("0x{:x}", number);
}

// Writes the operands of one line.
class LinePrinter {
 public:
  LinePrinter(const Program& program, const Line& line, Form form) : program_(program), line_(line), form_(form) {}

  std::string text() {
    text_ = {static_cast<char>(line_.mark), ' '};
    if (line_.guard) {
      text_ += '@';
      if (line_.guard->negated) text_ += '!';
      reg(line_.guard->reg, 1, false);
      text_ += ' ';
    }
    text_ += line_.opcode->name;
    for (isa::Modifier modifier : line_.modifiers) (text_ += '.') += isa::word(modifier);
    if (line_.cluster) text_ += ".CLUSTER";
    for (std::size_t i = 0; i < line_.operands.size(); ++i) {
      text_ += i == 0 ? " " : ", ";
      operand(i);
    }
    return std::move(text_);
  }

 private:
  void name(const Reg& reg, int width, bool always_part) {
    const Value& value = program_[reg.value];
    text_ += value.name;
    bool is_part = reg.part != 0 || (width == 1 && value.width > 1) || (always_part && value.width > 1);
    if (is_part) fmt::format_to(std::back_inserter(text_), ".{}", reg.part);
  }

  void reg(const Reg& reg, int width, bool destination, bool always_part = false) {
    if (reg.is_constant) {
      text_ += isa::constant(reg.file);
      return;
    }
    bool named = reg.value != ValueId::none;
    bool number = reg.number >= 0 && (form_ != Form::named || !named);
    bool with_name = named && (!number || destination || form_ != Form::coloured);
    if (with_name) name(reg, width, always_part);
    if (with_name && number) text_ += '/';
    if (number) fmt::format_to(std::back_inserter(text_), "{}{}", isa::prefix(reg.file), reg.number);
  }

  void offset(std::int64_t number) {
    if (number != 0) (text_ += '+') += number_text(number);
  }

  void address(const Operand& operand, std::string_view before) {
    (text_ += before) += '[';
    reg(operand.reg, 1, false);
    if (operand.second) {
      text_ += '+';
      reg(*operand.second, 1, false);
    }
    offset(operand.number);
    text_ += ']';
  }

  void global(const Operand& operand) {
    const Reg* pair = &operand.reg;
    if (operand.second) {
      text_ += "desc[";
      reg(operand.reg, 2, false);
      text_ += ']';
      pair = &*operand.second;
    }
    text_ += '[';
    reg(*pair, 2, false);
    text_ += ".64";
    offset(operand.number);
    text_ += ']';
  }

  void plain(const Operand& operand, std::size_t slot) {
    const isa::Slot& place = line_.opcode->slots[slot];
    if (operand.negated) text_ += operand.reg.file == isa::File::p || operand.reg.file == isa::File::up ? '!' : '-';
    if (operand.absolute) text_ += '|';
    reg(operand.reg, isa::width_of(*line_.opcode, static_cast<int>(slot), line_.modifiers), place.out);
    if (operand.absolute) text_ += '|';
  }

  void operand(std::size_t i) {
    const Operand& operand = line_.operands[i];
    auto out = std::back_inserter(text_);
    switch (operand.kind) {
      case Operand::Kind::reg:
        return plain(operand, i);
      case Operand::Kind::immediate:
        text_ += number_text(operand.number);
        return;
      case Operand::Kind::shared:
        return address(operand, "");
      case Operand::Kind::tensor:
        return address(operand, "tmem");
      case Operand::Kind::global:
        return global(operand);
      case Operand::Kind::gdesc:
        text_ += "gdesc[";
        reg(operand.reg, 2, false, true);
        text_ += ']';
        if (operand.transposed) text_ += i == 1 ? ".tnspA" : ".tnspB";
        return;
      case Operand::Kind::idesc:
        text_ += "idesc[";
        reg(operand.reg, 1, false);
        text_ += ']';
        return;
      case Operand::Kind::vector:
        text_ += '[';
        reg(operand.reg, isa::width_of(*line_.opcode, static_cast<int>(i), line_.modifiers), false);
        text_ += ']';
        return;
      case Operand::Kind::map:
        fmt::format_to(out, "[map_{}]", program_.maps[static_cast<std::size_t>(operand.number)].name);
        return;
      case Operand::Kind::special:
        text_ += isa::special_registers()[static_cast<std::size_t>(operand.number)].sass;
        return;
      case Operand::Kind::scoreboard:
        fmt::format_to(out, "{}{}", line_.opcode->slots[i].takes & isa::kGroups ? "gsb" : "SB", operand.number);
        return;
      case Operand::Kind::label:
        text_ += program_[operand.label].name;
        return;
      case Operand::Kind::constant:
        fmt::format_to(out, "c[0x0][0x{:x}]", operand.number);
        return;
    }
  }

  const Program& program_;
  const Line& line_;
  Form form_;
  std::string text_;
};

void pad_to(std::string& text, std::size_t start, std::size_t column) {
  std::size_t length = text.size() - start;
  text.append(length + 1 < column ? column - 1 - length : 1, ' ');
}

// A comment's text on one line.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

void append_line(std::string& text, const Program& program, const Line& line, Form form) {
  std::size_t start = text.size();
  text += print_line(program, line, form);
  for (std::size_t i = 0; i < line.held.size(); ++i) {
    if (i == 0) {
      pad_to(text, start, kHeldColumn);
      text += "= ";
    } else {
      text += ", ";
    }
    text += print_held(program, line.held[i]);
  }
  std::string comment = one_line(line.comment);
  if (!line.place.empty()) comment += (comment.empty() ? "" : "  ") + line.place;
  if (!comment.empty()) {
    pad_to(text, start, kCommentColumn);
    (text += "; ") += comment;
  }
  text += '\n';
}

}  // namespace

std::string print_line(const Program& program, const Line& line, Form form) {
  return LinePrinter(program, line, form).text();
}

std::vector<std::uint32_t> lines_of(std::string_view text, const std::vector<std::size_t>& offsets) {
  std::vector<std::uint32_t> lines;
  std::uint32_t line = 0;
  std::size_t at = 0;
  for (const std::size_t offset : offsets) {
    for (; at < offset && at < text.size(); ++at) line += text[at] == '\n';
    lines.push_back(line);
  }
  return lines;
}

std::string print(const Program& program, Form form) {
  std::vector<std::uint32_t> at;
  return print(program, form, at);
}

std::string print(const Program& program, Form form, std::vector<std::uint32_t>& at_lines) {
  std::string text;
  std::vector<std::size_t> offsets;
  text.reserve(4096 + program.lines.size() * 100);
  print_header(text, program, form);

  std::vector<std::vector<std::size_t>> labels(program.lines.size() + 1);
  for (std::size_t i = 0; i < program.labels.size(); ++i) labels[program.labels[i].line].push_back(i);
  std::size_t section = 0;
  for (std::size_t at = 0; at <= program.lines.size(); ++at) {
    for (; section < program.sections.size() && program.sections[section].first_line <= at; ++section) {
      print_section(text, program, program.sections[section]);
    }
    for (std::size_t label : labels[at]) (text += program.labels[label].name) += ":\n";
    if (at == program.lines.size()) break;
    offsets.push_back(text.size());
    append_line(text, program, program.lines[at], form);
  }
  at_lines = lines_of(text, offsets);
  return text;
}

}  // namespace warpcc::sass
