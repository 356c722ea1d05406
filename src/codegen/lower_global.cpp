// Lanes' own accesses to global memory, and whether they lie inside (docs/language.md, sections 5, 10 and 13, rule 6).
#include <set>
#include <string>

#include "codegen/lower.h"
#include "sass/text.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;

constexpr Message<std::string> kAddElement{"unsupported",
                                           "`redg.add` adds u32 and f32, neighbours f32 only; `{}` has others"};

// The sum's instruction says what it adds; neighbours are floats.
std::string_view reduction(layout::Element element, int registers) {
  if (element == layout::Element::f32) {
    return registers == 4   ? "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU"
           : registers == 2 ? "REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU"
                            : "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU";
  }
  if ((element == layout::Element::u32 || element == layout::Element::s32) && registers == 1)
    return "REDG.E.ADD.STRONG.GPU";
  return "";
}

const kernel::View& view_of(const kernel::Instruction& instruction) {
  for (const kernel::Operand& operand : instruction.operands) {
    if (auto* view = std::get_if<kernel::View>(&operand)) return *view;
  }
  return std::get<kernel::View>(instruction.operands[0]);
}

}  // namespace

void Lower::global_access(const kernel::Instruction& instruction) {
  const kernel::View& view = view_of(instruction);
  Reference reference = this->reference(view);
  if (instruction.guard.facts.inside) {
    bool never = false;
    guard_ = inside(instruction, reference, never);
    if (never) return;
  }
  Derived derived = values_.derive_global(reference);
  if (!derived.reg) return;
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (std::holds_alternative<kernel::View>(instruction.operands[i]))
      operands.push_back(at(Operand::Kind::global, *derived.reg, derived.offset));
    else
      operands.push_back(plain_operand(instruction.operands[i], instruction.op->slots[i]));
  }
  std::vector<sass::Held> reached = values_.reach({reference});
  if (!instruction.op->sass.empty()) {
    sass::Line line = sass::instantiate(instruction.op->sass, operands);
    line.held = std::move(reached);
    finish_line(instruction, emit_.line(here_, std::move(line)));
    return;
  }
  const kernel::Buffer& buffer = kernel_[view.buffer];
  std::string_view opcode = reduction(buffer.element, instruction.op->slots[1].width);
  if (opcode.empty()) {
    diagnostics_.error(instruction.where, kAddElement, buffer.name);
    return;
  }
  say(instruction, opcode, std::move(operands)).held = std::move(reached);
}

void Lower::plan_edges(const kernel::Block& block) {
  constexpr std::size_t kShared = 2;
  std::set<std::string> columns;
  each_instruction(block, [&](const kernel::Instruction& instruction) {
    if (instruction.op->does != isa::Does::global_access || !instruction.guard.facts.inside) return;
    const kernel::View& view = view_of(instruction);
    Form last = values_.form(view.slices.back().from);
    std::int64_t bound = kernel_[view.buffer].shape.back() - view.slices.back().extent + 1;
    if (values_.addresses().interval(last).high < bound) return;
    columns.insert(text(last) + '<' + std::to_string(bound));
  });
  shares_edges_ = columns.size() <= kShared;
}

// One comparison an edge that the ranges cannot settle. That of the fastest coordinate, which many accesses share, is
// made where it is known; the others at the operand, each joined to the one before.
std::optional<Operand> Lower::inside(const kernel::Instruction& instruction, const Reference& reference, bool& never) {
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  std::size_t dimensions = reference.coordinates.size();
  std::optional<Operand> so_far = guard_;
  sass::Expr all = guard_ ? expression(instruction.guard.facts) : sass::Expr{};
  for (std::size_t d = dimensions; d-- > 0;) {
    const Coordinate& coordinate = reference.coordinates[d];
    std::int64_t bound = buffer.shape[d] - coordinate.extent + 1;
    Interval range = values_.addresses().interval(coordinate.from);
    never = never || range.low >= bound || range.high < 0;
    if (never || (range.low >= 0 && range.high < bound)) continue;
    // Whole numbers from 0 on are compared, a negative one is large; the constant changes sides unless what is left
    // could be negative without it.
    Quantity compared;
    compared.number = coordinate.from;
    compared.number.constant = 0;
    if (values_.addresses().interval(compared.number).low < 0) compared.number = coordinate.from;
    bound -= coordinate.from.constant - compared.number.constant;
    compared.name = buffer.name + (dimensions != 2 ? "_" + std::to_string(d) : d == 0 ? "_row" : "_col");
    Reg value = values_.derive_lane(compared);
    kernel::Compare below;
    below.is = kernel::Compare::Is::lt;
    below.right = bound;
    sass::Held held;
    held.kind = sass::Held::Kind::number;
    held.expr = comparison(compared.number, below);
    auto compare = [&](Place place, Reg predicate, Operand with) {
      emit_
          .line(place, kDerived, "ISETP.LT.U32.AND",
                {use(predicate), constant_use(isa::File::p), use(value), immediate(bound), with})
          .held = {held};
    };
    if (shares_edges_ && !so_far && d + 1 == dimensions) {
      all = held.expr;
      std::string name = compared.name + "_inside";
      so_far = use(values_.fact_of(compared.number, name + " " + text(compared.number) + std::to_string(bound), name,
                                   [&](Place place, Reg made) { compare(place, made, constant_use(isa::File::p)); }));
      continue;
    }
    if (!all.empty()) held.expr = sass::Expr::binary(sass::Expr::Kind::both, std::move(all), std::move(held.expr));
    all = held.expr;
    Reg predicate = values_.named("inside", "inside", kLanePredicate);
    compare(here_, predicate, so_far ? *so_far : constant_use(isa::File::p));
    so_far = use(predicate);
  }
  return so_far;
}

// The facts as a held expression says them.
sass::Expr Lower::expression(const kernel::Facts& facts) {
  sass::Expr all;
  auto also = [&](sass::Expr one) {
    all = all.empty() ? std::move(one) : sass::Expr::binary(sass::Expr::Kind::both, std::move(all), std::move(one));
  };
  if (facts.one) also(sass::Expr::of(sass::Fixed::one));
  for (const kernel::Compare& compare : facts.compares) also(comparison(values_.form(compare.left), compare));
  return all;
}

}  // namespace warpcc::codegen
