#include "codegen/emit.h"

#include <utility>

namespace warpcc::codegen {

namespace {

constexpr Message<std::string, std::string> kNoForm{"no-instruction", "this takes `{}`, which {} is not known to have"};

}  // namespace

Place Emit::root() {
  stretches_.emplace_back();
  return static_cast<Place>(stretches_.size() - 1);
}

Place Emit::open(Place in) {
  Place opened = root();
  stretches_[static_cast<std::size_t>(in)].items.push_back({Item::Kind::stretch, static_cast<std::int32_t>(opened)});
  return opened;
}

void Emit::comes_from(SourceRange where) {
  where_ = where;
  place_ = where.end == 0 ? std::string() : sources_.place(where);
}

sass::Line& Emit::line(Place in, sass::Line made) {
  made.where = where_;
  made.place = place_;
  lines_.push_back(std::move(made));
  stretches_[static_cast<std::size_t>(in)].items.push_back(
      {Item::Kind::line, static_cast<std::int32_t>(lines_.size() - 1)});
  return lines_.back();
}

sass::Line& Emit::line(Place in, sass::Mark mark, std::string_view opcode, std::vector<Operand> operands) {
  sass::Line made;
  made.mark = mark;
  made.opcode = isa::find(opcode, target());
  if (!made.opcode) {
    diagnostics_.error(where_, kNoForm, std::string(opcode), std::string(isa::name(target())));
    made.opcode = isa::find("NOP", target());
    operands.clear();
    opcode = "NOP";
  }
  if (auto modifiers = isa::modifiers_of(opcode)) made.modifiers = *modifiers;
  made.operands = std::move(operands);
  return line(in, std::move(made));
}

sass::LabelId Emit::label(std::string name) {
  program_.labels.push_back({std::move(name), 0});
  return static_cast<sass::LabelId>(program_.labels.size() - 1);
}

sass::LabelId Emit::numbered_label(std::string_view word) {
  for (auto& [known, count] : label_counts_) {
    if (known == word) return label(std::string(word) + "_" + std::to_string(++count));
  }
  label_counts_.emplace_back(word, 1);
  return label(std::string(word) + "_1");
}

void Emit::place(Place in, sass::LabelId label) {
  stretches_[static_cast<std::size_t>(in)].items.push_back({Item::Kind::label, static_cast<std::int32_t>(label)});
}

sass::Line& Emit::add(Place in, sass::Mark mark, Reg d, Operand a, Operand b, Operand c) {
  bool uniform = d.file == isa::File::ur;
  std::vector<Operand> operands{use(d)};
  if (target() == isa::Target::sm_100a) {
    Operand none = constant_use(uniform ? isa::File::up : isa::File::p);
    operands.push_back(none);
    operands.push_back(none);
  }
  operands.push_back(a);
  operands.push_back(b);
  operands.push_back(c);
  return line(in, mark, uniform ? "UIADD3" : "IADD3", std::move(operands));
}

sass::Line& Emit::move(Place in, sass::Mark mark, Reg d, Operand from) {
  return line(in, mark, d.file == isa::File::ur ? "UMOV" : "MOV", {use(d), from});
}

void Emit::flatten(Place root) {
  // By hand, as deep as the program nests.
  std::vector<std::pair<std::size_t, std::size_t>> open{{static_cast<std::size_t>(root), 0}};
  while (!open.empty()) {
    auto [stretch, next] = open.back();
    if (next == stretches_[stretch].items.size()) {
      open.pop_back();
      continue;
    }
    ++open.back().second;
    Item item = stretches_[stretch].items[next];
    auto index = static_cast<std::size_t>(item.index);
    switch (item.kind) {
      case Item::Kind::line:
        program_.lines.push_back(std::move(lines_[index]));
        break;
      case Item::Kind::label:
        program_.labels[index].line = program_.lines.size();
        break;
      case Item::Kind::stretch:
        open.emplace_back(index, 0);
        break;
    }
  }
}

}  // namespace warpcc::codegen
