// Hopper's tensor core and the registers of its warpgroups.
#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

// "HGMMA.64x128x16.F32.BF16" -> "m64n128k16.f32.bf16.bf16" (PTX ISA, wgmma.mma_async).
struct Form {
  std::string shape, types;
  bool sixteen_bits = false, integer = false;
};
Form form_of(Lifter& l) {
  const std::vector<isa::Modifier>& modifiers = l.line().modifiers;
  auto word = [&](std::size_t i) {
    return i < modifiers.size() ? std::string(isa::word(modifiers[i])) : std::string();
  };
  std::string sizes = word(0);  // 64x128x16
  std::size_t first = sizes.find('x'), second = sizes.rfind('x');
  Form form;
  form.shape = fmt::format("m{}n{}k{}", sizes.substr(0, first), sizes.substr(first + 1, second - first - 1),
                           sizes.substr(second + 1));
  std::string d = word(1), element = word(2);
  form.integer = d == "S8";
  form.sixteen_bits = !form.integer && (element.empty() || element == "BF16");
  if (form.integer) {
    form.types = "s32.s8.s8";
  } else {
    std::string operand = element.empty() ? "f16" : element == "BF16" ? "bf16" : element == "TF32" ? "tf32" : "e4m3";
    form.types = fmt::format("{}.{}.{}", d == "F16" ? "f16" : "f32", operand, operand);
  }
  return form;
}

}  // namespace

// D, A, B, what is added to, whether it is, and the end of a group. D is computed in place: what is added to is D.
void lift_warpgroup_mma(Lifter& l) {
  Form form = form_of(l);
  bool a_rows = l.operand(1).transposed, b_rows = l.operand(2).transposed;
  const sass::Reg& added_to = l.operand(3).reg;
  auto constant = l.constant_predicate(4);
  bool in_place = added_to.is_constant ? constant == false : added_to == l.operand(0).reg;
  if (l.line().guard || !in_place || ((a_rows || b_rows) && !form.sixteen_bits)) return l.fail_operands();
  bool registers = l.operand(1).kind == sass::Operand::Kind::reg;
  if (registers && l.operand(1).reg.is_constant) return l.fail_operands();
  std::string a = registers ? l.group(l.operand(1).reg, l.width(1)) : l.pair(l.operand(1).reg);
  std::string b = l.pair(l.operand(2).reg);
  std::string accumulate = constant ? (*constant ? "1" : "0") : l.predicate(4);
  std::string d;
  for (int n = 0; n < l.width(0); ++n) d += (n > 0 ? ", " : "") + l.target(0, n);
  std::string rest = form.integer ? "" : ", 1, 1";  // neither operand is negated
  if (form.sixteen_bits && !registers) rest += fmt::format(", {:d}", a_rows);
  if (form.sixteen_bits) rest += fmt::format(", {:d}", b_rows);
  l.put(fmt::format("wgmma.mma_async.sync.aligned.{}.{} {{{}}}, {}, {}, {}{};", form.shape, form.types, d, a, b,
                    accumulate, rest));
  if (l.operands() > 5) l.put("wgmma.commit_group.sync.aligned;");
}

void lift_warpgroup(Lifter& l) {
  if (l.has("ARRIVE")) return l.put("wgmma.fence.sync.aligned;");
  l.put(fmt::format("wgmma.wait_group.sync.aligned {};", l.operand(1).number));
}

// The spin until registers are free is ptxas's: after it they are.
void lift_take_registers(Lifter& l) {
  l.put(fmt::format("setmaxnreg.inc.sync.aligned.u32 {};", l.source(1)));
  if (!l.operand(0).reg.is_constant) l.put(fmt::format("mov.pred {}, 1;", l.target(0)));
}

}  // namespace warpcc::ptx
