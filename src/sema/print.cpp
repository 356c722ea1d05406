#include "sema/print.h"

#include <fmt/format.h>

namespace warpcc::kernel {
namespace {

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string index(const Index& index) const {
    std::string out;
    for (const Term& term : index.terms) {
      if (!out.empty()) out += " + ";
      out += atom(term.atom);
      if (term.factor != 1) out += fmt::format(" * {}", term.factor);
    }
    if (out.empty()) return std::to_string(index.constant);
    if (index.constant != 0) out += fmt::format(" + {}", index.constant);
    return out;
  }

  std::string kernel() {
    out_ =
        fmt::format("kernel {} on {}, grid ({}, {}, {}), {} threads{}\n", kernel_.name, isa::name(kernel_.target),
                    kernel_.grid[0], kernel_.grid[1], kernel_.grid[2], kernel_.threads, kernel_.pairs ? ", pairs" : "");
    for (const Axis& axis : kernel_.axes) out_ += fmt::format("axis {}: {}\n", axis.name, axis.extent);
    for (const Buffer& buffer : kernel_.buffers) {
      out_ +=
          fmt::format("buffer {}: {} {}", buffer.name, layout::name(buffer.element), layout::tuple_text(buffer.shape));
      for (const Copies& copies : buffer.copies) out_ += fmt::format(" x{}", copies.count);
      out_ += " " + buffer.layout.map().text();
      if (buffer.layout.swizzle().span() != 0) out_ += fmt::format(" swizzle {}", buffer.layout.swizzle().span());
      if (buffer.carried_by != PipeId::none) out_ += " carried by " + kernel_[buffer.carried_by].name;
      out_ += "\n";
    }
    for (const Pipe& pipe : kernel_.pipes) {
      out_ += fmt::format("pipe {} x{}: full {}", pipe.name, pipe.depth, pipe.full.arrivals_why);
      if (pipe.full.bytes != 0) out_ += fmt::format(", bytes {}", pipe.full.bytes_why);
      out_ += fmt::format("; empty {}\n", pipe.empty.arrivals_why);
    }
    section("start", kernel_.start);
    for (const Role& role : kernel_.roles) {
      std::string head = fmt::format("role {} warps {} .. {}", role.name, role.first_warp, role.end_warp);
      for (const Pin& pin : role.at) head += fmt::format(" at {} = {}", kernel_.axes[pin.axis].name, pin.at);
      section(head, role.body);
    }
    section("finish", kernel_.finish);
    return std::move(out_);
  }

 private:
  void section(const std::string& head, const Block& body) {
    out_ += head + "\n";
    block(body, 1);
  }

  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }

  void block(const Block& nodes, int depth) {
    for (const Node& node : nodes) {
      if (auto* it = std::get_if<Instruction>(&node.is)) {
        line(depth, instruction(*it));
      } else if (auto* loop = std::get_if<Loop>(&node.is)) {
        line(depth, fmt::format("loop {} in {} .. {} by {}{}", kernel_[loop->counter].name, index(loop->begin),
                                index(loop->end), loop->step, loop->runs ? "" : " (may not run)"));
        block(loop->body, depth + 1);
      } else if (auto* forever = std::get_if<Forever>(&node.is)) {
        line(depth, "loop");
        block(forever->body, depth + 1);
      } else if (auto* a_break = std::get_if<Break>(&node.is)) {
        line(depth, "break when " + reg(a_break->when));
      } else if (auto* when = std::get_if<When>(&node.is)) {
        line(depth, "when " + reg(when->when));
        block(when->then, depth + 1);
        if (!when->otherwise.empty()) line(depth, "else");
        block(when->otherwise, depth + 1);
      } else if (auto* on = std::get_if<On>(&node.is)) {
        line(depth, "on (" + facts(on->facts) + ")");
        block(on->body, depth + 1);
      } else if (auto* hold = std::get_if<Hold>(&node.is)) {
        constexpr const char* kWords[] = {"fill", "take", "drain", "turn"};
        std::string text = fmt::format("{} {}", kWords[static_cast<int>(hold->kind)], kernel_[hold->end].name);
        if (hold->stages > 0) text += fmt::format(" of {}", hold->stages);
        line(depth, text);
        block(hold->body, depth + 1);
      }
    }
  }

  std::string instruction(const Instruction& it) const {
    std::string out;
    if (it.guard.predicate) out += fmt::format("@{} ", reg(*it.guard.predicate));
    if (it.guard.more)
      out += fmt::format("@{}{}.more ", it.guard.more_negated ? "!" : "", kernel_[*it.guard.more].name);
    if (!it.guard.facts.none()) out += fmt::format("@({}) ", facts(it.guard.facts));
    out += it.op->word;
    for (std::size_t i = 0; i < it.operands.size(); ++i) out += (i == 0 ? " " : ", ") + operand(it.operands[i]);
    if (it.across) out += " across " + kernel_.axes[*it.across].name;
    if (it.m != 0) out += fmt::format("  [m {} n {} k {} idesc {:#x}]", it.m, it.n, it.k, it.descriptor->encode());
    return out;
  }

  std::string operand(const Operand& operand) const {
    if (auto* r = std::get_if<RegisterOperand>(&operand)) return reg(*r);
    if (auto* immediate = std::get_if<std::int64_t>(&operand)) return std::to_string(*immediate);
    if (auto* boolean = std::get_if<bool>(&operand)) return *boolean ? "true" : "false";
    if (auto* i = std::get_if<Index>(&operand)) return "(" + index(*i) + ")";
    if (auto* v = std::get_if<View>(&operand)) return view(*v);
    if (auto* special = std::get_if<SpecialRegister>(&operand))
      return std::string(isa::special_registers()[special->index].name);
    if (auto* map = std::get_if<TensorMapOf>(&operand)) {
      return kernel_[map->buffer].name + (map->box_for == BufferId::none ? "" : " for " + kernel_[map->box_for].name);
    }
    const auto& barrier = std::get<BarrierOperand>(operand);
    const std::string side = barrier.kind == BarrierOperand::Kind::full ? "full" : "empty";
    if (barrier.end == EndId::none) return fmt::format("{}.{}[{}]", kernel_[barrier.pipe].name, side, barrier.stage);
    return fmt::format("{}.{}", kernel_[barrier.end].name, side);
  }

  std::string reg(const RegisterOperand& operand) const {
    const Register& of = kernel_[operand.id];
    std::string out =
        (operand.negated ? (of.file == isa::File::p || of.file == isa::File::up ? "!" : "-") : "") + of.name;
    if (of.count > 1 && operand.count != of.count)
      out += fmt::format("[{}{}]", operand.part, operand.count > 1 ? fmt::format(" +: {}", operand.count) : "");
    return out;
  }

  std::string view(const View& view) const {
    std::string out = (view.end == EndId::none ? "" : kernel_[view.end].name + ".") + kernel_[view.buffer].name;
    for (const Index& copy : view.copies) out += fmt::format("[{}]", index(copy));
    out += "[";
    for (std::size_t i = 0; i < view.slices.size(); ++i) {
      const Slice& slice = view.slices[i];
      out += (i == 0 ? "" : ", ") + index(slice.from) + (slice.picked ? "" : fmt::format(" +: {}", slice.extent));
    }
    return out + "]";
  }

  std::string facts(const Facts& facts) const {
    std::string out;
    auto add = [&](const std::string& fact) { out += (out.empty() ? "" : " && ") + fact; };
    if (facts.one) add("one");
    if (facts.inside) add("inside");
    constexpr const char* kWords[] = {"==", "!=", "<", "<=", ">", ">="};
    for (const Compare& compare : facts.compares)
      add(fmt::format("{} {} {}", index(compare.left), kWords[static_cast<int>(compare.is)], compare.right));
    return out;
  }

  std::string atom(const Atom& atom) const {
    switch (atom.kind) {
      case Atom::Kind::reg:
        return kernel_[static_cast<RegisterId>(atom.id)].name;
      case Atom::Kind::counter:
        return kernel_[static_cast<CounterId>(atom.id)].name;
      case Atom::Kind::lane:
        return "lane";
      case Atom::Kind::warp:
        return "warp";
      case Atom::Kind::warpgroup:
        return "warpgroup";
      case Atom::Kind::cluster_id:
        return "cluster_id";
      case Atom::Kind::axis:
        return kernel_.axes[atom.id].name;
      case Atom::Kind::divided: {
        const Divided& of = kernel_.divided[atom.id];
        return fmt::format("({}) {} {}", index(of.numerator), of.remainder ? "%" : "/", of.divisor);
      }
    }
    return "?";
  }

  const Kernel& kernel_;
  std::string out_;
};

}  // namespace

std::string text(const Kernel& kernel) {
  return Printer(kernel).kernel();
}
std::string text(const Kernel& kernel, const Index& index) {
  return Printer(kernel).index(index);
}

}  // namespace warpcc::kernel
