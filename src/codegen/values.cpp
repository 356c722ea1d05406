#include "codegen/values.h"

#include <algorithm>
#include <bit>

namespace warpcc::codegen {

namespace {

// A register that every warp makes for itself.
constexpr ValueKind kUniform{isa::File::ur, 1, 1, std::nullopt};
constexpr ValueKind kLane{isa::File::r, 1, 1, std::nullopt};
constexpr ValueKind kLanePredicate{isa::File::p, 1, 1, std::nullopt};
constexpr ValueKind kUniformPredicate{isa::File::up, 1, 1, std::nullopt};

constexpr auto kDerived = sass::Mark::derived;

Symbol symbol_of(const kernel::Atom& atom) {
  using From = kernel::Atom::Kind;
  switch (atom.kind) {
    case From::reg:
      return {Symbol::Kind::reg, atom.id};
    case From::counter:
      return {Symbol::Kind::counter, atom.id};
    case From::lane:
      return {Symbol::Kind::lane, 0};
    case From::warp:
      return {Symbol::Kind::warp, 0};
    case From::warpgroup:
      return {Symbol::Kind::warpgroup, 0};
    case From::cluster_id:
      return {Symbol::Kind::cluster_id, 0};
    case From::axis:
      return {Symbol::Kind::axis, atom.id};
    case From::divided:
      return {Symbol::Kind::divided, atom.id};
  }
  return {};
}

int ceil_power_of_two(int number) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(number, 1))));
}

}  // namespace

void Values::enter_section(int first_warp, int end_warp, std::vector<kernel::Pin> at, Place head) {
  pins_ = std::move(at);
  first_warp_ = first_warp;
  warps_ = end_warp - first_warp;
  addresses_.role_of(warps_);
  heads_.assign(1, head);
  meeting_ = head;
  loops_.clear();
  where_.clear();
  made_.clear();
  named_.clear();
  rings_.clear();
}

// ---- Registers
// ---------------------------------------------------------------------------------------------------------------------

Reg Values::reg(kernel::RegisterId id) {
  auto [entry, is_new] = registers_.try_emplace(id);
  if (!is_new) return entry->second;
  const kernel::Register& declared = kernel_[id];
  ValueKind kind{declared.file, declared.count, std::min(ceil_power_of_two(declared.count), 4), std::nullopt};
  if (declared.range) kind.range = {declared.range->begin, declared.range->end, declared.range->step};
  entry->second = names_.make(declared.name, kind);
  return entry->second;
}

Values::Ring& Values::ring(kernel::EndId id) {
  auto [entry, is_new] = rings_.try_emplace(id);
  if (!is_new) return entry->second;
  const std::string& pipe = kernel_[kernel_[id].pipe].name;
  entry->second.position = names_.make(pipe + "_pos", kUniform);
  entry->second.parity = names_.make(pipe + "_parity", kLane);
  entry->second.stays = names_.make(pipe + "_stays", kUniformPredicate);
  entry->second.stays_lane = names_.make(pipe + "_stays_p", kLanePredicate);
  return entry->second;
}

Reg Values::named(const std::string& key, std::string_view name, const ValueKind& kind, bool fixed_index) {
  auto known = named_.find(key);
  if (known == named_.end()) known = named_.emplace(key, names_.make(name, kind, fixed_index)).first;
  return known->second;
}

std::optional<Reg> Values::made_at_head(const std::string& key) const {
  auto known = made_.find(key);
  if (known == made_.end()) return std::nullopt;
  if (std::find(heads_.begin(), heads_.end(), known->second.place) == heads_.end()) return std::nullopt;
  return known->second.reg;
}

// The index among the CTA's warps: one warp is always 32 lanes that differ in the low bits of the thread's index.
Reg Values::warp_index() {
  if (warp_index_) return *warp_index_;
  Place head = heads_.front();
  Reg thread = named("thread", "thread", kLane);
  Reg lane_warp = named("warp of lane", "warp_of_lane", kLane);
  warp_index_ = names_.make("warp_index", kUniform);
  Form warp = form_of(Symbol{Symbol::Kind::warp, 0});
  emit_.line(head, kDerived, "S2R", {use(thread), special("SR_TID.X")}).held = {
      number(warp * 32 + form_of(Symbol{Symbol::Kind::lane, 0}))};
  emit_.line(head, kDerived, "SHF.R.U32.HI", {use(lane_warp), constant_use(isa::File::r), immediate(5), use(thread)})
      .held = {number(warp)};
  emit_.line(head, kDerived, "R2UR", {use(*warp_index_), use(lane_warp)}).held = {number(warp)};
  return *warp_index_;
}

std::optional<Reg> Values::rank() {
  if (kernel_.cluster_ctas() == 1) return std::nullopt;
  return once("rank", [&](Place head) {
    Reg rank = named("rank", "cta_rank", kUniform);
    Form axes;
    std::int64_t stride = 1;
    for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
      if (kernel_.axes[axis].extent > 1) axes.add({Symbol::Kind::axis, static_cast<std::int32_t>(axis)}, stride);
      stride *= kernel_.axes[axis].extent;
    }
    emit_.line(head, kDerived, "S2UR", {use(rank), special("SR_CgaCtaId")}).held = {number(axes)};
    return rank;
  });
}

Reg Values::window() {
  return once("window", [&](Place head) {
    Reg rank = *this->rank();
    Reg window = named("window", "window", kUniform);
    sass::Expr shifted =
        sass::Expr::binary(sass::Expr::Kind::multiply, sass::Expr::of(rank.value), sass::Expr::of(1 << 24));
    sass::Held held;
    held.kind = sass::Held::Kind::number;
    held.expr = std::move(shifted);
    emit_.line(head, kDerived, "USHF.L.U32", {use(window), use(rank), immediate(24), constant_use(isa::File::ur)})
        .held = {held};
    return window;
  });
}

Reg Values::elected() {
  return once("elected", [&](Place head) {
    Reg one = named("elected", "one", kLanePredicate, true);
    sass::Held held;
    held.kind = sass::Held::Kind::number;
    held.expr = sass::Expr::of(sass::Fixed::one);
    emit_.line(head, kDerived, "ELECT", {use(one), constant_use(isa::File::ur), constant_use(isa::File::p)}).held = {
        held};
    return one;
  });
}

Reg Values::tensor_base(const std::string& name) {
  auto make = [&](Place place) {
    Reg lane = named("tensor word", name + "_r", kLane);
    Reg base = named("tensor base", name, kUniform);
    Operand word = immediate(0);
    if (kernel_.cluster_ctas() > 1) {
      word = at(Operand::Kind::shared, window(), memory_.tensor_word);
    } else {
      word = at(Operand::Kind::shared, constant_register(isa::File::ur), memory_.tensor_word);
    }
    sass::View view;
    view.word = 0;
    emit_.line(place, kDerived, "LDS", {use(lane), word}).held = {reach(view)};
    sass::View first;
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      if (program_.buffers[i].space != sass::MemorySpace::tensor || program_.buffers[i].place != 0) continue;
      first.buffer = static_cast<sass::BufferId>(i);
      first.copies.assign(program_.buffers[i].copies.size(), sass::Expr::of(0));
      break;
    }
    sass::Held held;
    held.kind = sass::Held::Kind::tmem;
    held.views = {first};
    emit_.line(place, kDerived, "R2UR", {use(base), use(lane)}).held = {held};
    return base;
  };
  // The head of a block inside `finish`; else where the role has met the warp that allocated.
  if (heads_.size() > 1) return once("tensor base", make);
  auto known = made_.find("tensor base");
  if (known != made_.end() && known->second.place == meeting_) return known->second.reg;
  Reg base = make(meeting_);
  made_["tensor base"] = {base, meeting_};
  return base;
}

Reg Values::axis(Symbol symbol) {
  return once("axis " + std::to_string(symbol.id), [&](Place head) {
    auto index = static_cast<std::size_t>(symbol.id);
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < index; ++i) stride *= kernel_.axes[i].extent;
    std::int64_t extent = kernel_.axes[index].extent;
    bool last = true;
    for (std::size_t i = index + 1; i < kernel_.axes.size(); ++i) last = last && kernel_.axes[i].extent == 1;
    Reg rank = *this->rank();
    if (stride == 1 && last) return rank;
    Reg value = named("axis " + kernel_.axes[index].name, kernel_.axes[index].name, kUniform, true);
    Reg from = rank;
    sass::Line* line = nullptr;
    if (stride > 1) {
      line = &emit_.line(head, kDerived, "USHF.R.U32.HI",
                         {use(value), constant_use(isa::File::ur),
                          immediate(std::bit_width(static_cast<std::uint64_t>(stride)) - 1), use(rank)});
      from = value;
      sass::Held shifted;
      shifted.kind = sass::Held::Kind::number;
      shifted.expr = sass::Expr::binary(sass::Expr::Kind::divide, sass::Expr::of(rank.value), sass::Expr::of(stride));
      line->held = {shifted};
    }
    if (!last) {
      line = &emit_.line(head, kDerived, "ULOP3.LUT",
                         {use(value), use(from), immediate(extent - 1), constant_use(isa::File::ur), immediate(0xc0),
                          constant_use(isa::File::up, true)});
    }
    line->held = {number(form_of(symbol))};
    return value;
  });
}

Reg Values::divided(const kernel::Divided& divided, Symbol symbol) {
  return once("divided " + std::to_string(symbol.id), [&](Place head) {
    Quantity numerator;
    numerator.number = form(divided.numerator);
    numerator.name = "numerator";
    Reg from = derive_whole(numerator);
    bool uniform = from.file == isa::File::ur;
    Reg value = named("divided " + std::to_string(symbol.id), divided.remainder ? "remainder" : "quotient",
                      uniform ? kUniform : kLane);
    // Divisors are powers of two: others are refused where the form is made.
    if (divided.remainder) {
      emit_
          .line(head, kDerived, uniform ? "ULOP3.LUT" : "LOP3.LUT",
                {use(value), use(from), immediate(divided.divisor - 1),
                 constant_use(uniform ? isa::File::ur : isa::File::r), immediate(0xc0),
                 constant_use(uniform ? isa::File::up : isa::File::p, true)})
          .held = {number(form_of(symbol))};
    } else {
      emit_
          .line(head, kDerived, uniform ? "USHF.R.U32.HI" : "SHF.R.U32.HI",
                {use(value), constant_use(uniform ? isa::File::ur : isa::File::r),
                 immediate(std::bit_width(static_cast<std::uint64_t>(divided.divisor)) - 1), use(from)})
          .held = {number(form_of(symbol))};
    }
    return value;
  });
}

Reg Values::fixed(Symbol symbol) {
  switch (symbol.kind) {
    case Symbol::Kind::lane:
      return once("lane", [&](Place head) {
        Reg lane = named("lane", "lane", kLane, true);
        emit_.line(head, kDerived, "S2R", {use(lane), special("SR_LANEID")}).held = {number(form_of(symbol))};
        return lane;
      });
    case Symbol::Kind::warp: {
      Reg index = warp_index();
      if (first_warp_ == 0) return index;
      return once("warp", [&](Place head) {
        Reg warp = named("warp", "warp", kUniform, true);
        emit_.add(head, kDerived, warp, use(index), immediate(-first_warp_), constant_use(isa::File::ur)).held = {
            number(form_of(symbol))};
        return warp;
      });
    }
    case Symbol::Kind::warpgroup:
      return once("warpgroup", [&](Place head) {
        Reg warp = fixed({Symbol::Kind::warp, 0});
        Reg group = named("warpgroup", "warpgroup", kUniform, true);
        emit_.line(head, kDerived, "USHF.R.U32.HI", {use(group), constant_use(isa::File::ur), immediate(2), use(warp)})
            .held = {number(form_of(symbol))};
        return group;
      });
    case Symbol::Kind::cluster_id:
      return once("cluster_id", [&](Place head) {
        Reg cluster = named("cluster_id", "cluster_id", kUniform, true);
        sass::Line& read = emit_.line(head, kDerived, "S2UR", {use(cluster), special("SR_CTAID.X")});
        int ctas = kernel_.cluster_ctas();
        if (auto rank = this->rank()) {
          Form thread_block = form_of(symbol, ctas);
          for (std::int64_t axis = 0, stride = 1; axis < static_cast<std::int64_t>(kernel_.axes.size()); ++axis) {
            thread_block.add({Symbol::Kind::axis, static_cast<std::int32_t>(axis)}, stride);
            stride *= kernel_.axes[static_cast<std::size_t>(axis)].extent;
          }
          read.held = {number(thread_block)};
          emit_
              .line(head, kDerived, "USHF.R.U32.HI",
                    {use(cluster), constant_use(isa::File::ur),
                     immediate(std::bit_width(static_cast<unsigned>(ctas)) - 1), use(cluster)})
              .held = {number(form_of(symbol))};
        } else {
          read.held = {number(form_of(symbol))};
        }
        return cluster;
      });
    case Symbol::Kind::axis:
      return axis(symbol);
    case Symbol::Kind::divided:
      return divided(kernel_.divided[static_cast<std::size_t>(symbol.id)], symbol);
    default:
      return constant_register(isa::File::ur);
  }
}

// ---- Forms and held expressions
// ------------------------------------------------------------------------------------------------------

Form Values::form(const kernel::Index& index) const {
  Form form = form_of(index.constant);
  for (const kernel::Term& term : index.terms) {
    Symbol symbol = symbol_of(term.atom);
    if ((symbol.kind == Symbol::Kind::warp && warps_ == 1) || (symbol.kind == Symbol::Kind::warpgroup && warps_ <= 4))
      continue;
    if (symbol.kind == Symbol::Kind::axis) {
      if (kernel_.axes[static_cast<std::size_t>(symbol.id)].extent == 1) continue;
      auto pin = std::find_if(pins_.begin(), pins_.end(), [&](const kernel::Pin& p) { return p.axis == symbol.id; });
      if (pin != pins_.end()) {
        form.constant += pin->at * term.factor;
        continue;
      }
    }
    if (symbol.kind == Symbol::Kind::divided) {
      const kernel::Divided& divided = kernel_.divided[static_cast<std::size_t>(symbol.id)];
      Form numerator = this->form(divided.numerator);
      // Known here: warp / 4 of a role of four warps is 0, warp % 4 the warp itself.
      Interval range = addresses_.interval(numerator);
      if (range.low >= 0 && range.high < divided.divisor) {
        if (divided.remainder) form = form + numerator * term.factor;
        continue;
      }
    }
    form.add(symbol, term.factor);
  }
  return form;
}

sass::Expr Values::expr(const Form& form) {
  using sass::Expr;
  auto of = [&](Symbol symbol) -> Expr {
    switch (symbol.kind) {
      case Symbol::Kind::lane:
        return Expr::of(sass::Fixed::lane);
      case Symbol::Kind::warp:
        return Expr::of(sass::Fixed::warp);
      case Symbol::Kind::warpgroup:
        return Expr::of(sass::Fixed::warpgroup);
      case Symbol::Kind::cluster_id:
        return Expr::of(sass::Fixed::cluster_id);
      case Symbol::Kind::axis:
        return Expr::of(sass::Fixed::axis, symbol.id);
      case Symbol::Kind::divided: {
        const kernel::Divided& divided = kernel_.divided[static_cast<std::size_t>(symbol.id)];
        return Expr::binary(divided.remainder ? Expr::Kind::remainder : Expr::Kind::divide,
                            expr(this->form(divided.numerator)), Expr::of(divided.divisor));
      }
      case Symbol::Kind::counter:
        return Expr::of(loop_of(symbol)->reg.value);
      case Symbol::Kind::position:
        return Expr::of(ring(static_cast<kernel::EndId>(symbol.id)).position.value);
      case Symbol::Kind::reg:
        return Expr::of(reg(static_cast<kernel::RegisterId>(symbol.id)).value);
    }
    return Expr::of(0);
  };
  Expr sum;
  // Registers and counters first, as one would write them: w.row + half * 64 + 8.
  for (std::size_t i = form.terms.size(); i-- > 0;) {
    const auto& [symbol, factor] = form.terms[i];
    std::int64_t size = factor < 0 ? -factor : factor;
    Expr term = size == 1 ? of(symbol) : Expr::binary(Expr::Kind::multiply, of(symbol), Expr::of(size));
    if (sum.empty()) {
      sum = factor < 0 ? Expr::binary(Expr::Kind::subtract, Expr::of(0), std::move(term)) : std::move(term);
    } else {
      sum = Expr::binary(factor < 0 ? Expr::Kind::subtract : Expr::Kind::add, std::move(sum), std::move(term));
    }
  }
  if (sum.empty()) return Expr::of(form.constant);
  if (form.constant == 0) return sum;
  std::int64_t size = form.constant < 0 ? -form.constant : form.constant;
  return Expr::binary(form.constant < 0 ? Expr::Kind::subtract : Expr::Kind::add, std::move(sum), Expr::of(size));
}

sass::View Values::view(const Reference& reference) {
  sass::View view;
  for (const Form& copy : reference.copies) view.copies.push_back(expr(copy));
  for (const kernel::Pin& pin : reference.at) view.at.push_back({pin.axis, pin.at});
  if (reference.of != Reference::Of::buffer) {
    const sass::Pipe& pipe = program_.pipes[declared_.pipe(reference.pipe)];
    view.barrier = reference.of == Reference::Of::full ? pipe.full : pipe.empty;
    return view;
  }
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  view.buffer = declared_.buffer(reference.buffer);
  bool whole = true;
  for (std::size_t i = 0; i < reference.coordinates.size(); ++i) {
    const Coordinate& coordinate = reference.coordinates[i];
    sass::Coord coord;
    coord.whole = !coordinate.picked && coordinate.from == Form{} && coordinate.extent == buffer.shape[i];
    whole = whole && coord.whole;
    if (!coord.whole) {
      coord.from = expr(coordinate.from);
      coord.extent = coordinate.picked ? 0 : coordinate.extent;
    }
    view.coordinates.push_back(std::move(coord));
  }
  if (whole) view.coordinates.clear();
  return view;
}

sass::Held Values::number(const Form& form) {
  sass::Held held;
  held.kind = sass::Held::Kind::number;
  held.expr = expr(form);
  return held;
}

sass::Held Values::reach(sass::View view) {
  sass::Held held;
  held.kind = sass::Held::Kind::reach;
  held.views.push_back(std::move(view));
  return held;
}

std::vector<sass::Held> Values::reach(std::initializer_list<Reference> references) {
  std::vector<sass::Held> reached;
  for (const Reference& reference : references) reached.push_back(reach(view(reference)));
  return reached;
}

sass::Held Values::held(const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::number) return number(quantity.number);
  sass::Held held;
  held.kind = quantity.kind == Quantity::Kind::shared       ? sass::Held::Kind::addr
              : quantity.kind == Quantity::Kind::descriptor ? sass::Held::Kind::desc
                                                            : sass::Held::Kind::tmem;
  held.views = {view(quantity.view)};
  return held;
}

}  // namespace warpcc::codegen
