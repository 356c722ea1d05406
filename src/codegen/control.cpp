// Sections, loops, branches, rings: the lines that the compiler adds as control (language.md, section 13: `~`).
#include <algorithm>
#include <cctype>
#include <set>

#include "codegen/lower.h"

namespace warpcc::codegen {

namespace {

constexpr auto kControl = sass::Mark::control;

bool is_meeting(const kernel::Node& node) {
  auto* instruction = std::get_if<kernel::Instruction>(&node.is);
  if (!instruction) return false;
  using isa::Does;
  if (instruction->op->does == Does::cluster_wait) return true;
  if (instruction->op->does != Does::sync) return false;
  return instruction->operands.empty();
}

bool meets(const kernel::Block& block) {
  return std::any_of(block.begin(), block.end(), is_meeting);
}

// A role made by an unrolled `for` is called `stores[2]`: brackets are no part of a name.
std::string as_name(const std::string& role) {
  std::string name;
  for (char c : role) {
    if (c == ']') continue;
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  }
  return name;
}

}  // namespace

// ---- Sections

void Lower::begin_section(sass::Section section, Place in) {
  names_.next_role();
  values_.enter_section(
      section.first_warp, section.end_warp,
      [&] {
        std::vector<kernel::Pin> pins;
        for (const sass::Pin& pin : section.at) pins.push_back({pin.axis, pin.at});
        return pins;
      }(),
      emit_.open(in));
  here_ = emit_.open(in);
  next_descriptor_ = 0;
  more_.clear();
  loop_ends_.clear();
  program_.sections.push_back(std::move(section));
}

void Lower::program() {
  std::vector<sass::LabelId> labels;
  for (const kernel::Role& role : kernel_.roles) labels.push_back(emit_.label("ROLE_" + as_name(role.name)));
  finish_label_ = emit_.label("FINISH");

  auto write = [&](auto&& code) {
    Place section = emit_.root();
    code(section);
    program_.sections.back().first_line = program_.lines.size();
    emit_.flatten(section);
  };
  write([&](Place in) {
    start(in);
    choose_roles(labels);
  });
  for (std::size_t i = 0; i < kernel_.roles.size(); ++i) {
    write([&](Place in) { role(kernel_.roles[i], labels[i], in); });
  }
  write([&](Place in) { finish(in); });
}

void Lower::start(Place in) {
  sass::Section section;
  section.kind = sass::Section::Kind::start;
  section.end_warp = kernel_.threads / 32;
  begin_section(std::move(section), in);
  plan_vectors(kernel_.start);
  // What the choice of the roles needs, and what the blocks before it share.
  values_.warp_index();
  values_.rank();
  block(kernel_.start);
}

// The index of the warp, and the axes that a role is pinned on, tell where to go; who has no role goes to the end.
void Lower::choose_roles(const std::vector<sass::LabelId>& labels) {
  emit_.comes_from({});
  int warps = kernel_.threads / 32;
  for (std::size_t i = 0; i < kernel_.roles.size(); ++i) {
    const kernel::Role& role = kernel_.roles[i];
    emit_.comes_from(role.where);
    std::string comment = "role " + role.name;
    std::optional<Reg> chosen;
    auto compare = [&](Reg value, kernel::Compare::Is is, std::int64_t with) {
      Operand before = chosen ? use(*chosen) : constant_use(isa::File::up);
      if (!chosen) chosen = values_.named("is " + role.name, "is_" + as_name(role.name), kUniformPredicate);
      compare_uniform(here_, kControl, *chosen, use(value), is, with, before).comment = comment;
      comment.clear();
    };
    if (role.end_warp == role.first_warp + 1 && warps > 1) {
      compare(values_.warp_index(), kernel::Compare::Is::eq, role.first_warp);
    } else {
      if (role.first_warp > 0) compare(values_.warp_index(), kernel::Compare::Is::ge, role.first_warp);
      if (role.end_warp < warps) compare(values_.warp_index(), kernel::Compare::Is::lt, role.end_warp);
    }
    for (const kernel::Pin& pin : role.at) {
      if (kernel_.axes[static_cast<std::size_t>(pin.axis)].extent == 1) continue;
      compare(values_.fixed({Symbol::Kind::axis, pin.axis}), kernel::Compare::Is::eq, pin.at);
    }
    if (chosen)
      emit_.line(here_, kControl, "BRA.U", {use(*chosen), to(labels[i])});
    else
      emit_.line(here_, kControl, "BRA", {to(labels[i])}).comment = comment;
  }
  emit_.comes_from({});
  emit_.line(here_, kControl, "BRA", {to(finish_label_)});
}

void Lower::role(const kernel::Role& role, sass::LabelId label, Place in) {
  emit_.place(in, label);
  emit_.comes_from(role.where);
  sass::Section section;
  section.kind = sass::Section::Kind::role;
  section.name = as_name(role.name);
  section.first_warp = role.first_warp;
  section.end_warp = role.end_warp;
  for (const kernel::Pin& pin : role.at) section.at.push_back({pin.axis, pin.at});
  for (kernel::EndId id : role.ends) {
    const kernel::End& end = kernel_[id];
    if (kernel_[end.pipe].depth == 0) continue;
    section.holds.push_back(kernel_[end.pipe].name + (end.side == kernel::Side::producer ? ".producer" : ".consumer"));
  }
  begin_section(std::move(section), in);
  in_role_ = true;
  take_registers(role);
  begin_rings(role);
  plan_vectors(role.body);
  plan_edges(role.body);
  block(role.body);
  emit_.comes_from({});
  emit_.line(here_, kControl, "BRA", {to(finish_label_)}).comment = "the role ends";
  in_role_ = false;
}

// `registers` of a role: its warpgroups give back what they need not, or take more, which waits until others have
// given (PTX ISA, setmaxnreg).
void Lower::take_registers(const kernel::Role& role) {
  if (role.registers == 0 || role.registers == kernel_.registers) return;
  emit_.comes_from(role.where);
  std::string comment = "registers " + std::to_string(role.registers);
  if (role.registers < kernel_.registers) {
    emit_.line(here_, kControl, "USETMAXREG.DEALLOC.CTAPOOL", {immediate(role.registers)}).comment = comment;
    return;
  }
  Reg taken = values_.named("registers taken", "taken", kUniformPredicate);
  emit_.line(here_, kControl, "USETMAXREG.TRY_ALLOC.CTAPOOL", {use(taken), immediate(role.registers)}).comment =
      comment;
}

void Lower::finish(Place in) {
  emit_.place(in, finish_label_);
  sass::Section section;
  section.kind = sass::Section::Kind::finish;
  section.end_warp = kernel_.threads / 32;
  begin_section(std::move(section), in);
  plan_vectors(kernel_.finish);
  block(kernel_.finish);
  emit_.comes_from({});
  emit_.line(here_, kControl, "EXIT", {});
}

// ---- Blocks

void Lower::block(const kernel::Block& block) {
  for (const kernel::Node& node : block) {
    std::visit(
        [&](const auto& is) {
          if constexpr (std::is_same_v<std::decay_t<decltype(is)>, kernel::Instruction>)
            instruction(is);
          else
            this->node(is);
        },
        node.is);
    if (in_role_ && is_meeting(node) && !meets(kernel_.start)) values_.meeting_at(emit_.open(here_));
  }
}

const std::vector<Symbol>& Lower::changes(const kernel::Block& block) {
  auto [entry, is_new] = changes_.try_emplace(&block);
  if (!is_new) return entry->second;
  std::set<Symbol> found;
  auto add_all = [&](const kernel::Block& inner) {
    const std::vector<Symbol>& symbols = changes(inner);
    found.insert(symbols.begin(), symbols.end());
  };
  for (const kernel::Node& node : block) {
    if (auto* instruction = std::get_if<kernel::Instruction>(&node.is)) {
      for (std::size_t i = 0; i < instruction->operands.size() && i < instruction->op->slots.size(); ++i) {
        auto* reg = std::get_if<kernel::RegisterOperand>(&instruction->operands[i]);
        if (reg && instruction->op->slots[i].out && kernel_[reg->id].range) {
          found.insert({Symbol::Kind::reg, static_cast<std::int32_t>(reg->id)});
        }
      }
    } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
      found.insert({Symbol::Kind::position, static_cast<std::int32_t>(hold->end)});
      if (hold->keeps) found.insert({Symbol::Kind::last, static_cast<std::int32_t>(hold->end)});
      add_all(hold->body);
    } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
      add_all(loop->body);
    } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
      add_all(forever->body);
    } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
      add_all(on->body);
    } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
      add_all(when->then);
      add_all(when->otherwise);
    }
  }
  // References into the table stay good while others are added; the entry itself may have moved.
  std::vector<Symbol>& result = changes_[&block];
  result.assign(found.begin(), found.end());
  return result;
}

void Lower::changed_from(const std::vector<Symbol>& symbols, Place place) {
  for (Symbol symbol : symbols) values_.written(symbol, place);
}

// ---- Loops and branches

void Lower::branch(Operand predicate, sass::LabelId label, const std::string& comment) {
  bool uniform = predicate.reg.file == isa::File::up;
  if (uniform) {
    emit_.line(here_, kControl, "BRA.U", {predicate, to(label)}).comment = comment;
  } else {
    sass::Line& line = emit_.line(here_, kControl, "BRA", {to(label)});
    line.guard = predicate;
    line.comment = comment;
  }
}

void Lower::node(const kernel::Loop& loop) {
  emit_.comes_from(loop.where);
  const kernel::Counter& counter = kernel_[loop.counter];
  Form begin = values_.form(loop.begin), end = values_.form(loop.end);
  Reg k = values_.named("counter " + std::to_string(static_cast<int>(loop.counter)), counter.name, kLane);
  Reg more =
      values_.named("more " + std::to_string(static_cast<int>(loop.counter)), counter.name + "_more", kLanePredicate);
  more_[loop.counter] = more;
  sass::LabelId again = emit_.numbered_label("LOOP");
  std::optional<sass::LabelId> skip;

  // The counter is one step early before the loop, and steps at its head; another round follows where one more step
  // stays below the end.
  std::optional<Reg> last;
  Quantity bound;
  bound.number = end + form_of(-loop.step);
  bound.name = counter.name + "_bound";
  if (!bound.number.is_constant()) {
    last = values_.named("last " + std::to_string(static_cast<int>(loop.counter)), counter.name + "_last", kLane);
    Quantity whole = bound;
    Reg uniform = values_.derive_whole(whole);
    emit_.move(here_, kControl, *last, use(uniform));
  }
  Operand start = immediate(begin.constant - loop.step);
  if (!begin.is_constant()) {
    Quantity first;
    first.number = begin + form_of(-loop.step);
    first.name = counter.name + "_first";
    start = use(values_.derive_whole(first));
  }
  if (!loop.runs) {
    // Not one round if already the first index is at the end.
    skip = emit_.numbered_label("DONE");
    emit_.move(here_, kControl, k, start);
    Operand compared = last ? use(*last) : immediate(bound.number.constant);
    emit_
        .line(here_, kControl, "ISETP.GE.AND",
              {use(more), constant_use(isa::File::p), use(k), compared, constant_use(isa::File::p)})
        .comment = loop.text;
    branch(use(more), *skip, "");
  } else {
    emit_.move(here_, kControl, k, start);
  }

  OpenLoop open;
  open.counter = loop.counter;
  open.reg = k;
  open.before = emit_.open(here_);
  open.begin = begin;
  open.step = loop.step;
  emit_.place(here_, again);
  emit_.add(here_, kControl, k, use(k), immediate(loop.step), constant_use(isa::File::r)).comment = loop.text;
  // Unsigned where the bound is known to be no negative number; the counter is none either once it has stepped.
  if (last) {
    emit_.line(here_, kControl, "ISETP.GT.AND",
               {use(more), constant_use(isa::File::p), use(*last), use(k), constant_use(isa::File::p)});
  } else {
    emit_.line(here_, kControl, "ISETP.LT.U32.AND",
               {use(more), constant_use(isa::File::p), use(k),
                immediate(std::max<std::int64_t>(bound.number.constant, 0)), constant_use(isa::File::p)});
  }
  open.steps = emit_.open(here_);
  values_.open_loop(open);
  Place outer = here_;
  here_ = emit_.open(here_);
  changed_from(changes(loop.body), emit_.open(here_));
  loop_ends_.push_back(sass::LabelId::none);
  block(loop.body);
  loop_ends_.pop_back();
  values_.close_loop();

  emit_.comes_from(loop.where);
  sass::Line& back = emit_.line(here_, kControl, "BRA", {to(again)});
  back.guard = use(more);
  back.comment = "the loop closes";
  here_ = outer;
  if (skip) emit_.place(here_, *skip);
  changed_from(changes(loop.body), emit_.open(here_));
}

void Lower::node(const kernel::Forever& loop) {
  emit_.comes_from(loop.where);
  sass::LabelId again = emit_.numbered_label("LOOP");
  sass::LabelId done = emit_.numbered_label("DONE");
  emit_.place(here_, again);
  Place outer = here_;
  here_ = emit_.open(here_);
  changed_from(changes(loop.body), emit_.open(here_));
  loop_ends_.push_back(done);
  block(loop.body);
  loop_ends_.pop_back();
  emit_.comes_from(loop.where);
  emit_.line(here_, kControl, "BRA", {to(again)}).comment = "the loop closes";
  here_ = outer;
  emit_.place(here_, done);
  changed_from(changes(loop.body), emit_.open(here_));
}

void Lower::node(const kernel::Break& leave) {
  emit_.comes_from(leave.where);
  sass::LabelId done =
      *std::find_if(loop_ends_.rbegin(), loop_ends_.rend(), [](sass::LabelId l) { return l != sass::LabelId::none; });
  sass::Line& line =
      emit_.line(here_, sass::Mark::program, "BRA.U", {use(values_.reg(leave.when), leave.when.negated), to(done)});
  line.comment = leave.text;
}

void Lower::node(const kernel::When& when) {
  emit_.comes_from(when.where);
  Operand predicate = use(values_.reg(when.when), !when.when.negated);
  bool has_else = !when.otherwise.empty();
  sass::LabelId otherwise = emit_.numbered_label(has_else ? "ELSE" : "END");
  branch(predicate, otherwise, when.text);
  Place outer = here_;
  auto before = values_.known();
  here_ = emit_.open(outer);
  block(when.then);
  std::optional<sass::LabelId> end;
  if (has_else) {
    end = emit_.numbered_label("END");
    emit_.comes_from(when.where);
    emit_.line(here_, kControl, "BRA", {to(*end)});
  }
  here_ = outer;
  emit_.place(here_, otherwise);
  values_.known(before);
  if (has_else) {
    here_ = emit_.open(outer);
    block(when.otherwise);
    here_ = outer;
    emit_.place(here_, *end);
  }
  values_.known(std::move(before));
  Place after = emit_.open(here_);
  changed_from(changes(when.then), after);
  changed_from(changes(when.otherwise), after);
}

// A block for the warps where facts hold: one branch around it. In `start` and `finish` it is like a role of its own:
// what it needs is made at its head.
void Lower::node(const kernel::On& on) {
  emit_.comes_from(on.where);
  values_.at_statement(on.where);
  Fact fact = this->fact(on.facts, true);
  if (fact.never) return;
  emit_.comes_from(on.where);
  std::optional<sass::LabelId> end;
  if (fact.predicate) {
    end = emit_.numbered_label("END");
    Operand around = *fact.predicate;
    around.negated = !around.negated;
    branch(around, *end, on.text);
  }
  Place outer = here_;
  auto before = values_.known();
  here_ = emit_.open(outer);
  if (!in_role_) {
    Place head = emit_.open(here_);
    values_.enter_block(head);
    here_ = emit_.open(here_);
  }
  block(on.body);
  if (!in_role_) values_.leave_block();
  here_ = outer;
  if (end) emit_.place(here_, *end);
  values_.known(std::move(before));
  changed_from(changes(on.body), emit_.open(here_));
}

}  // namespace warpcc::codegen
