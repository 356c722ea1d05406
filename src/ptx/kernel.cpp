// The whole kernel: its head, its sections and labels, the lines in turn.
#include <algorithm>
#include <cctype>

#include "ptx/lifter.h"

namespace warpcc::ptx {

namespace {

using isa::File;
using isa::Op;
using sass::Line;
using sass::Program;

constexpr Message<std::string, std::string> kMixedGroups{
    "mixed-cta-groups",
    "`{}` and `{}` are for different cta_groups: PTX allows one in a kernel (PTX ISA, tcgen05 restrictions). A program "
    "that multiplies in pairs also commits, allocates and frees for the pair"};

// The tensor core's instructions, by SASS's own family of names.
bool is_tensor_core(const Line& line) {
  return line.opcode->name.starts_with("UTC");
}

// Whether its spelling tells the cta_group: freeing tensor memory names none.
bool tells_cta_group(const Line& line) {
  return is_tensor_core(line) && !has(line, "AND");
}

bool uses_tensor_memory(const Line& line) {
  return is_tensor_core(line) || line.opcode->op == Op::LDTM || line.opcode->op == Op::STTM;
}

const char* section_word(sass::Section::Kind kind) {
  switch (kind) {
    case sass::Section::Kind::start:
      return "start";
    case sass::Section::Kind::role:
      return "role";
    case sass::Section::Kind::finish:
      return "finish";
  }
  return "";
}

}  // namespace

std::string label_name(const sass::Label& label) {
  std::string name = "$";
  for (char c : label.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '$';
  }
  return name;
}

std::string entry_name(const Program& program) {
  return program.kernel;
}
std::string param_name(const sass::Param& param) {
  return "param_" + param.name;
}

bool Lifter::find_cta_group() {
  const Line* first = nullptr;
  for (const Line& each : program_.lines) {
    if (!tells_cta_group(each)) continue;
    int group = ptx::has(each, "2CTA") ? 2 : 1;
    if (first == nullptr) {
      first = &each;
      cta_group_ = group;
    } else if (group != cta_group_) {
      diagnostics_.error(each.where, kMixedGroups, ptx::spelled(each), ptx::spelled(*first))
          .note(first->where,
                fmt::format("`{}` is for {}", ptx::spelled(*first), cta_group_ == 2 ? "the pair" : "one CTA"));
      return false;
    }
  }
  return true;
}

void Lifter::begin_sections_and_labels() {
  for (const sass::Section& section : program_.sections) {
    if (section.first_line != at_) continue;
    flush_selection();
    text_ += fmt::format("\n  // {}{}{}\n", section_word(section.kind), section.name.empty() ? "" : " ", section.name);
    std::size_t end = program_.lines.size();
    for (const sass::Section& other : program_.sections) {
      if (other.first_line > at_) end = std::min(end, other.first_line);
    }
    bool here = std::any_of(program_.lines.begin() + static_cast<std::ptrdiff_t>(at_),
                            program_.lines.begin() + static_cast<std::ptrdiff_t>(end), uses_tensor_memory);
    tensor_section_ = here || (tensor_program_ && section.kind == sass::Section::Kind::finish);
    after_signal_ = section.kind != sass::Section::Kind::start;
    accessed_ = tensor_section_ && section.kind == sass::Section::Kind::finish;
  }
  for (std::int32_t i : labels_at_[at_]) {
    flush_selection();
    text_ += label_name(program_.labels[i]) + ":\n";
    // ptxas unrolls counted loops by four on its own.
    if (loop_heads_[i]) text_ += "  .pragma \"nounroll\";\n";
    after_signal_ = true;
    accessed_ = tensor_section_;
  }
}

void Lifter::head(std::string& text) const {
  text += fmt::format(".version 8.6\n.target {}\n.address_size 64\n\n", isa::name(program_.target));
  // Addresses are the program's own: own rank << 24 | offset, the first byte at 0x400.
  if (program_.dynamic_shared > 0) text += ".extern .shared .align 1024 .b8 shared_memory[];\n\n";
  text += fmt::format(".visible .entry {}(", entry_name(program_));
  const char* comma = "\n";
  for (const sass::Param& param : program_.params) {
    text += fmt::format("{}  .param .u64 {}", comma, param_name(param));
    comma = ",\n";
  }
  for (const sass::TensorMap& map : program_.maps) {
    text += fmt::format("{}  .param .align 64 .b8 map_{}[128]", comma, map.name);
    comma = ",\n";
  }
  text += ")\n";
  if (program_.cluster > 1) text += fmt::format(".explicitcluster\n.reqnctapercluster {}, 1, 1\n", program_.cluster);
  text += fmt::format(".reqntid {}, 1, 1\n", program_.threads);
  text += program_.registers ? fmt::format(".maxnreg {}\n", *program_.registers) : std::string(".minnctapersm 1\n");
}

void Lifter::declarations(std::string& text) const {
  auto list = [&](std::string_view type, auto wanted) {
    std::string row;
    for (const Web& each : webs_.all()) {
      if (!wanted(each.file)) continue;
      if (row.size() + each.name.size() > 110) {
        text += fmt::format("  .reg .{} {};\n", type, row);
        row.clear();
      }
      row += (row.empty() ? "" : ", ") + each.name;
    }
    if (!row.empty()) text += fmt::format("  .reg .{} {};\n", type, row);
  };
  list("b32", [](File file) { return file == File::r || file == File::ur; });
  list("pred", [](File file) { return file == File::p || file == File::up; });
  auto range = [&](std::string_view type, std::string_view name, int count) {
    if (count > 0) text += fmt::format("  .reg .{} {}<{}>;\n", type, name, count);
  };
  range("b32", "%t", bits32_);
  range("b64", "%d", bits64_);
  range("b16", "%h", bits16_);
  range("pred", "%q", flags_);
  if (elects_) text += "  .reg .pred %elected;\n";
  for (const sass::TensorMap& map : program_.maps) text += fmt::format("  .reg .b64 %map_{};\n", map.name);
  text += '\n';
  for (const sass::TensorMap& map : program_.maps) {
    text += fmt::format("  mov.b64 %map_{0}, map_{0};\n  cvta.param.u64 %map_{0}, %map_{0};\n", map.name);
  }
  // Once, where all lanes of every warp are: ptxas sees one lane in whatever this predicate guards.
  if (elects_) text += "  elect.sync _|%elected, 0xffffffff;\n";
}

bool Lifter::run(std::string& text, std::vector<std::size_t>& begins) {
  if (!find_cta_group()) return false;
  tensor_program_ = std::any_of(program_.lines.begin(), program_.lines.end(), uses_tensor_memory);
  labels_at_.resize(program_.lines.size() + 1);
  for (std::size_t i = 0; i < program_.labels.size(); ++i) {
    std::size_t line = std::min(program_.labels[i].line, program_.lines.size());
    labels_at_[line].push_back(static_cast<std::int32_t>(i));
  }
  loop_heads_.assign(program_.labels.size(), 0);
  for (std::size_t i = 0; i < program_.lines.size(); ++i) {
    const Line& each = program_.lines[i];
    if (each.opcode->op != Op::BRA || each.operands.empty()) continue;
    sass::LabelId label = each.operands.back().label;
    if (label == sass::LabelId::none) continue;
    std::size_t to = program_[label].line;
    if (to > i) continue;
    // A wait is a loop of three lines that is never unrolled.
    bool waits = program_.lines[to].opcode->op == Op::SYNCS && i - to <= 2;
    if (!waits) loop_heads_[static_cast<std::size_t>(label)] = 1;
  }
  for (at_ = 0; at_ < program_.lines.size(); at_ += 1 + taken_) {
    taken_ = 0;
    begin_sections_and_labels();
    begins.resize(at_ + 1, text_.size());
    lift_line();
    begins.resize(at_ + 1 + taken_, text_.size());
  }
  begins.resize(program_.lines.size() + 1, text_.size());
  begin_sections_and_labels();  // labels at the end of the text
  flush_selection();
  if (failed_) return false;

  head(text);
  text += "{\n";
  declarations(text);
  for (std::size_t& begin : begins) begin += text.size();
  text += text_;
  text += "}\n";
  return true;
}

}  // namespace warpcc::ptx
