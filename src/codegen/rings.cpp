// Rings: where they stand, how they step when a block closes, and how they pass over the other teams' stages
// (language.md, sections 8 and 13: `~`).
#include <set>

#include "codegen/lower.h"

namespace warpcc::codegen {

namespace {

constexpr auto kControl = sass::Mark::control;
constexpr auto kDerived = sass::Mark::derived;
// The parity of a ring's phase is kept in bit 31, where a test of the barrier reads it (sass-map: wait).
constexpr std::int64_t kParity = 0x80000000;

Symbol position_of(kernel::EndId id) {
  return {Symbol::Kind::position, static_cast<std::int32_t>(id)};
}

}  // namespace

// Where the rings of a role's ends stand when it begins: at stage 0, a producer's as if it had been emptied.
void Lower::begin_rings(const kernel::Role& role) {
  std::set<kernel::EndId> used;
  auto visit_holds = [&](auto& self, const kernel::Block& block) -> void {
    for (const kernel::Node& node : block) {
      if (auto* hold = std::get_if<kernel::Hold>(&node.is))
        used.insert(hold->end), self(self, hold->body);
      else if (auto* loop = std::get_if<kernel::Loop>(&node.is))
        self(self, loop->body);
      else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
        self(self, forever->body);
      else if (auto* on = std::get_if<kernel::On>(&node.is))
        self(self, on->body);
      else if (auto* when = std::get_if<kernel::When>(&node.is))
        self(self, when->then), self(self, when->otherwise);
    }
  };
  visit_holds(visit_holds, role.body);
  emit_.comes_from(role.where);
  for (kernel::EndId id : role.ends) {
    if (!used.count(id)) continue;
    const kernel::End& end = kernel_[id];
    const kernel::Pipe& pipe = kernel_[end.pipe];
    Values::Ring& ring = values_.ring(id);
    std::string comment =
        std::string("ring of ") + (end.side == kernel::Side::producer ? "producer " : "consumer ") + pipe.name;
    Place head = values_.head();
    if (end.stages_a_turn > 0) {
      begin_turns(id, head);
      continue;
    }
    if (pipe.depth > 1) emit_.move(head, kControl, ring.position, constant_use(isa::File::ur)).comment = comment;
    emit_
        .move(head, kControl, ring.parity,
              end.side == kernel::Side::producer ? immediate(kParity) : constant_use(isa::File::r))
        .comment = pipe.depth > 1 ? "" : comment;
    values_.written(position_of(id), emit_.open(here_));
  }
}

// Team i begins i turns in.
void Lower::begin_turns(kernel::EndId id, Place head) {
  const kernel::End& end = kernel_[id];
  Values::Ring& ring = values_.ring(id);
  const std::string& pipe = kernel_[end.pipe].name;
  if (kernel_[end.pipe].depth > 1) {
    Quantity position;
    position.number = values_.form(end.first_position);
    position.name = pipe + "_first";
    values_.set(ring.position, position, head, false);
  }
  Quantity parity;
  parity.number = values_.form(end.first_odd) * kParity;
  parity.name = pipe + "_first_parity";
  Operand first = parity.number.is_constant() ? immediate(parity.number.constant) : use(values_.derive_whole(parity));
  emit_.move(head, kDerived, ring.parity, first).held = {values_.number(parity.number)};
  values_.written(position_of(id), emit_.open(here_));
}

// A turn closes: d stages and some whole rounds of the ring are the other teams'. The parity flips where the ring
// wraps, or, after an odd number of rounds, where it does not.
void Lower::pass_over(kernel::EndId id) {
  const kernel::End& end = kernel_[id];
  if (end.teams == 1) return;
  const int depth = kernel_[end.pipe].depth;
  std::int64_t others = end.stages_a_turn * (end.teams - 1);
  std::int64_t d = others % depth;
  bool odd = others / depth % 2 != 0;
  Values::Ring& ring = values_.ring(id);
  std::optional<Operand> guard;
  std::string comment = "the turn closes";
  if (d > 0) {
    Operand stays = use(ring.stays);
    emit_.add(here_, kControl, ring.position, use(ring.position), immediate(d), constant_use(isa::File::ur)).comment =
        comment;
    comment.clear();
    emit_.line(here_, kControl, "UISETP.LT.U32.AND",
               {stays, constant_use(isa::File::up), use(ring.position), immediate(depth), constant_use(isa::File::up)});
    emit_.line(here_, kControl, "PLOP3.LUT",
               {use(ring.stays_lane), constant_use(isa::File::p), constant_use(isa::File::p),
                constant_use(isa::File::p), stays, immediate(0x80), immediate(0x8)});
    stays.negated = true;
    emit_.add(here_, kControl, ring.position, use(ring.position), immediate(-depth), constant_use(isa::File::ur))
        .guard = stays;
    guard = use(ring.stays_lane, !odd);
  }
  if (d > 0 || odd) {
    sass::Line& flip = emit_.line(here_, kControl, "LOP3.LUT",
                                  {use(ring.parity), use(ring.parity), immediate(kParity), constant_use(isa::File::r),
                                   immediate(0x3c), constant_use(isa::File::p, true)});
    flip.guard = guard;
    flip.comment = comment;
  }
  values_.written(position_of(id), emit_.open(here_));
}

void Lower::node(const kernel::Hold& hold) {
  if (hold.kind == kernel::Hold::Kind::turn) {
    block(hold.body);
    emit_.comes_from(hold.where);
    pass_over(hold.end);
    return;
  }
  emit_.comes_from(hold.where);
  int depth = kernel_[kernel_[hold.end].pipe].depth;
  Values::Ring& ring = values_.ring(hold.end);
  Symbol position = position_of(hold.end);
  if (depth > 1) {
    emit_
        .line(here_, kControl, "UISETP.NE.U32.AND",
              {use(ring.stays), constant_use(isa::File::up), use(ring.position), immediate(depth - 1),
               constant_use(isa::File::up)})
        .comment = hold.text;
  }
  values_.written(position, emit_.open(here_));
  block(hold.body);

  emit_.comes_from(hold.where);
  if (hold.keeps) {
    // The stage is held on: `last` is where the ring stands now.
    if (depth > 1) {
      emit_.move(here_, kDerived, ring.last, use(ring.position)).held = {values_.number(form_of(position))};
    }
    values_.written({Symbol::Kind::last, position.id}, emit_.open(here_));
  }
  std::optional<Operand> wraps;
  if (depth > 1) {
    Operand stays = use(ring.stays);
    emit_
        .line(here_, kControl, "PLOP3.LUT",
              {use(ring.stays_lane), constant_use(isa::File::p), constant_use(isa::File::p), constant_use(isa::File::p),
               stays, immediate(0x80), immediate(0x8)})
        .comment = "the block closes";
    emit_.add(here_, kControl, ring.position, use(ring.position), immediate(1), constant_use(isa::File::ur)).guard =
        stays;
    stays.negated = true;
    emit_.add(here_, kControl, ring.position, use(ring.position), immediate(1 - depth), constant_use(isa::File::ur))
        .guard = stays;
    wraps = use(ring.stays_lane, true);
  }
  sass::Line& flip = emit_.line(here_, kControl, "LOP3.LUT",
                                {use(ring.parity), use(ring.parity), immediate(kParity), constant_use(isa::File::r),
                                 immediate(0x3c), constant_use(isa::File::p, true)});
  flip.guard = wraps;
  if (depth == 1) flip.comment = "the block closes";
  values_.written(position, emit_.open(here_));
}

}  // namespace warpcc::codegen
