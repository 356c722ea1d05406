// How a derived value is made: the terms of its sum in the order in which they become known, each layer a value of its
// own.
#include <algorithm>
#include <bit>

#include "codegen/values.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;

constexpr Message<std::string> kNoSum{"address-form",
                                      "the layout of `{}` gives no address that is a sum over these coordinates: pick "
                                      "a part that starts at a multiple of its modes"};

constexpr Message<std::string> kFarElement{
    "unsupported", "an element of `{}` is before its first or more than 32 bits behind it: lanes reach none so far"};

constexpr Message<std::string> kAxisExtent{
    "cluster-axis",
    "another CTA along `{0}` is reached by bits of its rank: there is a power of two of CTAs (1, 2, 4, 8 or 16) along "
    "`{0}` and each axis before it"};

bool is_fixed(Symbol symbol) {
  return symbol.kind < Symbol::Kind::counter;
}

bool contains(const std::vector<Symbol>& symbols, Symbol symbol) {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

}  // namespace

bool Values::changes_in_loops(const Form& form) {
  return std::any_of(form.terms.begin(), form.terms.end(), [](const auto& term) {
    return term.first.kind == Symbol::Kind::counter || term.first.kind == Symbol::Kind::position ||
           term.first.kind == Symbol::Kind::last;
  });
}

bool Values::is_lane(Symbol symbol) const {
  switch (symbol.kind) {
    case Symbol::Kind::lane:
      return true;
    case Symbol::Kind::reg:
      return kernel_.registers_declared[static_cast<std::size_t>(symbol.id)].file == isa::File::r;
    case Symbol::Kind::divided: {
      const auto& terms = kernel_.divided[static_cast<std::size_t>(symbol.id)].numerator.terms;
      return std::any_of(terms.begin(), terms.end(), [&](const kernel::Term& term) {
        return term.atom.kind == kernel::Atom::Kind::lane ||
               (term.atom.kind == kernel::Atom::Kind::divided && is_lane({Symbol::Kind::divided, term.atom.id}));
      });
    }
    default:
      return false;
  }
}

const OpenLoop* Values::loop_of(Symbol symbol) const {
  for (const OpenLoop& loop : loops_) {
    if (static_cast<std::int32_t>(loop.counter) == symbol.id) return &loop;
  }
  return nullptr;
}

Place Values::place_of(Symbol symbol) const {
  if (is_fixed(symbol)) return heads_.back();
  if (symbol.kind == Symbol::Kind::counter) return loop_of(symbol)->steps;
  auto known = where_.find(symbol);
  return known == where_.end() ? heads_.back() : known->second;
}

Place Values::place_of(const Form& form) const {
  Place last = heads_.back();
  for (const auto& [symbol, factor] : form.terms) last = std::max(last, place_of(symbol));
  return last;
}

Reg Values::source(Symbol symbol) {
  if (symbol.kind == Symbol::Kind::reg) return reg(static_cast<kernel::RegisterId>(symbol.id));
  if (symbol.kind == Symbol::Kind::last) return ring(static_cast<kernel::EndId>(symbol.id)).last;
  if (symbol.kind == Symbol::Kind::position) return ring(static_cast<kernel::EndId>(symbol.id)).position;
  return fixed(symbol);
}

// ---- Quantities

Form Values::form(const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::number) return quantity.number;
  std::optional<Form> form = addresses_.of(quantity.view);
  if (!form) {
    diagnostics_.error(statement_, kNoSum, kernel_[quantity.view.buffer].name);
    return {};
  }
  if (!quantity.view.each.empty()) {
    std::int64_t stride = 1;
    for (int axis = 0; axis < quantity.view.each.front(); ++axis)
      stride *= kernel_.axes[static_cast<std::size_t>(axis)].extent;
    form->add({Symbol::Kind::lane, 0}, stride << 24);
  }
  if (quantity.kind != Quantity::Kind::descriptor) return *form;
  // Addresses in a descriptor are in units of 16 bytes (PTX ISA, tcgen05: shared memory descriptor).
  Form units = form_of(quantity.low_fields + form->constant / 16);
  for (const auto& [symbol, factor] : form->terms) units.add(symbol, factor / 16);
  return units;
}

Quantity Values::bare(const Quantity& quantity) const {
  Quantity bare = quantity;
  auto without_constant = [](const Form& form) { return filter(form, false, [](Symbol) { return true; }); };
  // A coordinate that would lie before its buffer keeps its constant: a value is held to a place.
  auto of_place = [&](const Form& form) {
    Form without = without_constant(form);
    return addresses_.interval(without).low < 0 ? form : without;
  };
  bare.number = without_constant(bare.number);
  bare.view = changed(std::move(bare.view), of_place);
  return bare;
}

Quantity Values::only(const Quantity& quantity, const std::vector<Symbol>& symbols) const {
  Quantity part = quantity;
  auto keep = [&](const Form& form) {
    return filter(form, true, [&](Symbol symbol) { return contains(symbols, symbol); });
  };
  part.number = keep(part.number);
  part.view = changed(std::move(part.view), keep);
  if (!contains(symbols, {Symbol::Kind::lane, 0})) part.view.each.clear();
  return part;
}

std::string Values::key_of(const Quantity& quantity, const Form& form) const {
  std::string key(1, static_cast<char>('0' + static_cast<int>(quantity.kind)));
  key += std::to_string(static_cast<int>(quantity.view.of)) + '/' +
         std::to_string(static_cast<int>(quantity.view.buffer)) + '/' +
         std::to_string(static_cast<int>(quantity.view.pipe));
  for (const kernel::Pin& pin : quantity.view.at) key += '@' + std::to_string(pin.axis) + '=' + std::to_string(pin.at);
  for (int axis : quantity.view.each) key += "@each " + std::to_string(axis);
  return key + ' ' + text(form);
}

// ---- Deriving

Derived Values::derive(const Quantity& quantity) {
  Quantity without = bare(quantity);
  std::int64_t offset = form(quantity).constant - form(without).constant;
  return {make(without, std::nullopt, 0), offset};
}

Reg Values::derive_whole(const Quantity& quantity) {
  Derived derived = derive(quantity);
  if (derived.reg && derived.offset == 0) return *derived.reg;
  Form whole = form(quantity);
  std::string key = "whole " + key_of(quantity, whole);
  Place place = place_of(whole);
  bool lane =
      std::any_of(whole.terms.begin(), whole.terms.end(), [&](const auto& term) { return is_lane(term.first); });
  Reg value = named(key, quantity.name, lane ? kLane : kUniform);
  auto known = made_.find(key);
  if (known != made_.end() && known->second.place == place) return value;
  if (derived.reg) {
    emit_.add(place, kDerived, value, use(*derived.reg), immediate(derived.offset), constant_use(value.file)).held = {
        held(quantity)};
  } else {
    emit_.move(place, kDerived, value, immediate(derived.offset)).held = {held(quantity)};
  }
  made_[key] = {value, place};
  return value;
}

Reg Values::derive_lane(const Quantity& quantity) {
  Form whole = form(quantity);
  bool lane =
      std::any_of(whole.terms.begin(), whole.terms.end(), [&](const auto& term) { return is_lane(term.first); });
  if (lane) return derive_whole(quantity);
  std::string key = "lane's " + key_of(quantity, whole);
  Place place = place_of(whole);
  Operand from = whole.is_constant() ? immediate(whole.constant) : use(derive_whole(quantity));
  Reg value = named(key, quantity.name + "_r", kLane);
  if (is_made(key, place)) return value;
  emit_.move(place, kDerived, value, from).held = {held(quantity)};
  made_[key] = {value, place};
  return value;
}

// The parameter block lies in constant bank 0, from 0x380 on sm_100a and from 0x210 on sm_90a (sass-map: ld.param).
Reg Values::pointer(kernel::BufferId id) {
  const std::string& name = kernel_[id].name;
  return once("pointer " + name, [&](Place head) {
    Reg pair = named("pointer " + name, name + "_first", {isa::File::r, 2, 2, std::nullopt});
    const sass::Buffer& buffer = program_.buffers[static_cast<std::size_t>(declared_.buffer(id))];
    Operand word;
    word.kind = Operand::Kind::constant;
    word.number = (program_.target == isa::Target::sm_100a ? 0x380 : 0x210) + buffer.param.value_or(0);
    Reference first;
    first.buffer = id;
    first.coordinates.assign(kernel_[id].shape.size(), {{}, 1, true});
    emit_.line(head, kDerived, "LDC.64", {use(pair), word}).held = {global_held(first)};
    return pair;
  });
}

// Elements are counted in 32 bits, so that a buffer may be larger than those reach in bytes; the offset is what an
// instruction has in 24.
Derived Values::derive_global(const Reference& reference) {
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  constexpr std::int64_t kOffset = std::int64_t{1} << 23;
  std::int64_t bytes = layout::bits(buffer.element) / 8;
  Reference without = reference;
  std::optional<Form> whole = addresses_.elements(reference);
  without =
      changed(std::move(without), [](const Form& form) { return filter(form, false, [](Symbol) { return true; }); });
  std::optional<Form> bare = addresses_.elements(without);
  if (!whole || !bare || bytes == 0) {
    diagnostics_.error(statement_, kNoSum, buffer.name);
    return {};
  }
  std::int64_t offset = (whole->constant - bare->constant) * bytes;
  if (offset < -kOffset || offset >= kOffset || addresses_.interval(*bare).low < 0) {
    without = reference;
    bare = whole;
    offset = 0;
  }
  Interval range = addresses_.interval(*bare);
  if (range.low < 0 || range.high > 0xffffffff) {
    diagnostics_.error(statement_, kFarElement, buffer.name);
    return {};
  }
  Reg first = pointer(reference.buffer);
  if (*bare == Form{}) return {first, offset};
  Quantity elements;
  elements.number = *bare;
  elements.name = buffer.name + "_element";
  Reg index = derive_lane(elements);
  std::string key = "global " + std::to_string(static_cast<int>(reference.buffer)) + ' ' + text(*bare);
  Place place = place_of(*bare);
  Reg pair = named(key, buffer.name + "_at", {isa::File::r, 2, 2, std::nullopt});
  if (!is_made(key, place)) {
    made_[key] = {pair, place};
    emit_.line(place, kDerived, "IMAD.WIDE.U32", {use(pair), use(index), immediate(bytes), use(first)}).held = {
        global_held(without)};
  }
  return {pair, offset};
}

// The low word says it: of what the high one holds, the accesses tell.
sass::Held Values::global_held(const Reference& reference) {
  sass::Held held;
  held.kind = sass::Held::Kind::addr_lo;
  held.views = {view(reference)};
  return held;
}

void Values::set(Reg component, const Quantity& quantity, Place here, bool hoist) {
  Form whole = form(quantity);
  bool fixed =
      std::all_of(whole.terms.begin(), whole.terms.end(), [](const auto& term) { return is_fixed(term.first); });
  Place place = hoist ? place_of(whole) : here;
  if (hoist) {
    std::string key = "set " + std::to_string(static_cast<int>(component.value)) + '.' +
                      std::to_string(component.part) + ' ' + key_of(quantity, whole);
    auto [entry, is_new] = made_.try_emplace(key);
    if (!is_new && entry->second.place == place) return;
    entry->second = {component, place};
    // The value needs no register of its own, unless others have made it.
    if (!fixed || !made_at_head(key_of(quantity, form(bare(quantity))))) {
      make(quantity, component, whole.constant - form(bare(quantity)).constant);
      return;
    }
  }
  Derived derived = derive(quantity);
  sass::Line* line = nullptr;
  if (!derived.reg) {
    line = &emit_.move(place, kDerived, component, immediate(derived.offset));
  } else if (derived.offset == 0) {
    line = &emit_.move(place, kDerived, component, use(*derived.reg));
  } else {
    line = &emit_.add(place, kDerived, component, use(*derived.reg), immediate(derived.offset),
                      constant_use(isa::File::ur));
  }
  line->held = {held(quantity)};
}

std::optional<Reg> Values::make(const Quantity& quantity, std::optional<Reg> target, std::int64_t offset) {
  Form form = this->form(bare(quantity));
  bool lane = std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) { return is_lane(term.first); });
  if (lane) return make_lane(quantity, form, target, offset);
  return make_uniform(quantity, form, target, offset);
}

// What a sum starts from: the CTA's window, tensor memory's base. Numbers start from nothing.
std::optional<Reg> Values::base(const Quantity& quantity) {
  switch (quantity.kind) {
    case Quantity::Kind::number:
      return std::nullopt;
    case Quantity::Kind::descriptor:
      return std::nullopt;
    case Quantity::Kind::tensor:
      return tensor_base(quantity.name);
    case Quantity::Kind::shared:
      break;
  }
  if (kernel_.cluster_ctas() == 1) return std::nullopt;
  return window();
}

std::optional<Reg> Values::make_uniform(const Quantity& quantity, const Form& form, std::optional<Reg> target,
                                        std::int64_t offset) {
  struct Layer {
    Place place;
    bool counts;  // an induction: before what else changes at the head of the loop
    std::vector<Part> parts;
  };
  std::vector<Layer> layers;
  std::vector<Part> fixed;
  for (const auto& [symbol, factor] : form.terms) {
    if (is_fixed(symbol)) {
      fixed.push_back({symbol, factor});
      continue;
    }
    Place place = place_of(symbol);
    bool counts = symbol.kind == Symbol::Kind::counter;
    auto known = std::find_if(layers.begin(), layers.end(),
                              [&](const Layer& l) { return l.place == place && l.counts == counts; });
    if (known == layers.end()) known = layers.insert(layers.end(), {place, counts, {}});
    known->parts.push_back({symbol, factor});
  }
  std::sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) {
    return a.place != b.place ? a.place < b.place : a.counts > b.counts;
  });

  bool is_number = quantity.kind == Quantity::Kind::number;
  std::vector<Symbol> included;
  std::optional<Reg> value;
  // The layer of what is fixed. Addresses have one always: their base.
  if (!fixed.empty() || !is_number || layers.empty()) {
    std::int64_t constant = is_number ? 0 : form.constant;
    std::optional<Reg> from = base(quantity);
    if (!quantity.view.at.empty()) {
      // Another CTA's address is this one's with another rank.
      for (const Part& part : fixed) included.push_back(part.symbol);
      value = in_other_cta(only(bare(quantity), included));
      from = value;
      constant = 0;
      fixed.clear();
    }
    for (const Part& part : fixed) included.push_back(part.symbol);
    bool last = layers.empty();
    Form known_form = filter(form, true, [&](Symbol symbol) { return contains(included, symbol); });
    if (last && target) {
      sum(heads_.back(), *target, from, constant, fixed, quantity, {}, offset);
      return target;
    }
    if (is_number && fixed.empty()) return std::nullopt;
    std::string key = key_of(quantity, known_form);
    if (fixed.size() == 1 && fixed.front().factor == 1 && is_number) {
      value = source(fixed.front().symbol);
    } else if (from && constant == 0 && fixed.empty()) {
      value = from;  // the base itself, or an address that is made already
    } else if (auto made = made_at_head(key)) {
      value = made;
    } else {
      std::string name = quantity.name + (last ? "" : is_number ? "_base" : "");
      Reg d = named(key, name, kUniform);
      made_[key] = {d, heads_.back()};
      sum(heads_.back(), d, from, constant, fixed, only(bare(quantity), included), {}, 0);
      value = d;
    }
  }

  for (std::size_t i = 0; i < layers.size(); ++i) {
    Layer& layer = layers[i];
    bool last = i + 1 == layers.size();
    std::vector<Symbol> before = included;
    for (const Part& part : layer.parts) included.push_back(part.symbol);
    Form known_form = filter(form, true, [&](Symbol symbol) { return contains(included, symbol); });
    std::string key = key_of(quantity, known_form);
    if (layer.counts) {
      // A loop has one counter: a layer of counters is one term.
      value = induction(only(bare(quantity), included), value, before, layer.parts.front().symbol,
                        layer.parts.front().factor);
      if (last && target) sum(layer.place, *target, value, 0, {}, quantity, included, offset);
      continue;
    }
    if (last && target) {
      sum(layer.place, *target, value, 0, layer.parts, quantity, before, offset);
      return target;
    }
    if (!value && layer.parts.size() == 1 && layer.parts.front().factor == 1) {
      value = source(layer.parts.front().symbol);
      continue;
    }
    auto known = made_.find(key);
    if (known != made_.end() && known->second.place == layer.place) {
      value = known->second.reg;
      continue;
    }
    std::string name = quantity.name;
    auto ring = std::find_if(included.begin(), included.end(),
                             [](Symbol s) { return s.kind == Symbol::Kind::position || s.kind == Symbol::Kind::last; });
    if (ring == included.end())
      name += "_at";
    else
      name += "@" + kernel_[kernel_.ends[static_cast<std::size_t>(ring->id)].pipe].name +
              (ring->kind == Symbol::Kind::last ? "_last" : "");
    Reg d = named(key, name, kUniform);
    made_[key] = {d, layer.place};
    sum(layer.place, d, value, 0, layer.parts, only(bare(quantity), included), before, 0);
    value = d;
  }
  return target ? target : value;
}

// The rank stands in bits 24 and above: clear what the pinned axes have there, and put theirs in. The pair's even CTA
// is one ULOP3 (sass-map: addresses in a cluster).
Reg Values::in_other_cta(const Quantity& quantity) {
  return once("other " + key_of(quantity, form(quantity)), [&](Place head) {
    Quantity own = quantity;
    own.view.at.clear();
    if (own.name.starts_with("leader_")) own.name.erase(0, 7);
    if (own.name.starts_with("peer_") || own.name.starts_with("each_")) own.name.erase(0, 5);
    Reg here = derive_whole(own);
    Reg d = named("other " + key_of(quantity, form(quantity)), quantity.name, kUniform);
    std::int64_t cleared = 0, rank = 0, stride = 1;
    for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
      std::int64_t extent = kernel_.axes[axis].extent;
      for (const kernel::Pin& pin : quantity.view.at) {
        if (static_cast<std::size_t>(pin.axis) != axis) continue;
        if (!std::has_single_bit(static_cast<std::uint64_t>(stride * extent))) {
          diagnostics_.error(statement_, kAxisExtent, kernel_.axes[axis].name);
        }
        cleared |= (extent - 1) * stride;
        rank += pin.at * stride;
      }
      stride *= extent;
    }
    std::int64_t keep = 0xffffffff & ~(cleared << 24);
    sass::Line& line = emit_.line(head, kDerived, "ULOP3.LUT",
                                  {use(d), use(here), immediate(keep), constant_use(isa::File::ur), immediate(0xc0),
                                   constant_use(isa::File::up, true)});
    Quantity at_zero = quantity;
    for (kernel::Pin& pin : at_zero.view.at) pin.at = 0;
    line.held = {held(at_zero)};
    if (rank != 0) {
      emit_.add(head, kDerived, d, use(d), immediate(rank << 24), constant_use(isa::File::ur)).held = {held(quantity)};
    }
    return d;
  });
}

// Rule 2: set before the loop one step early, stepped at its head.
Reg Values::induction(const Quantity& quantity, std::optional<Reg> from, const std::vector<Symbol>& before,
                      Symbol counter, std::int64_t factor) {
  const OpenLoop& loop = *loop_of(counter);
  std::string key = key_of(quantity, form(quantity));
  auto known = made_.find(key);
  if (known != made_.end() && known->second.place == loop.steps) return known->second.reg;
  bool alone = quantity.kind == Quantity::Kind::number && before.empty();
  Reg d =
      named(key, alone ? kernel_[loop.counter].name + "_at" : quantity.name + "_" + kernel_[loop.counter].name + "_at",
            kUniform);
  made_[key] = {d, loop.steps};

  Form early = loop.begin + form_of(-loop.step);
  Quantity at_start = quantity;
  auto put = [&](const Form& form) { return substitute(form, counter, early); };
  at_start.number = put(at_start.number);
  at_start.view = changed(std::move(at_start.view), put);
  std::vector<Part> parts;
  for (const auto& [symbol, step] : loop.begin.terms) parts.push_back({symbol, step * factor});
  sum(loop.before, d, from, 0, parts, at_start, before, early.constant * factor);
  emit_.add(loop.steps, kDerived, d, use(d), immediate(factor * loop.step), constant_use(isa::File::ur)).held = {
      held(quantity)};
  return d;
}

Reg Values::make_lane(const Quantity& quantity, const Form& form, std::optional<Reg> target, std::int64_t offset) {
  std::vector<Symbol> uniform;
  std::vector<Part> parts;
  Place place = heads_.back();
  for (const auto& [symbol, factor] : form.terms) {
    if (is_lane(symbol))
      parts.push_back({symbol, factor});
    else
      uniform.push_back(symbol);
    place = std::max(place, place_of(symbol));
  }
  Quantity same = only(bare(quantity), uniform);
  std::optional<Reg> from = make(same, std::nullopt, 0);
  std::int64_t constant = form.constant - this->form(bare(same)).constant;
  Reg d = target.value_or(Reg{});
  if (!target) {
    if (!from && constant == 0 && parts.size() == 1 && parts.front().factor == 1) return source(parts.front().symbol);
    std::string key = key_of(quantity, form);
    d = named(key, quantity.name + "_at", kLane);
    if (is_made(key, place)) return d;
    made_[key] = {d, place};
  }
  sum(place, d, from, constant, parts, quantity, uniform, offset);
  return d;
}

// d = from + constant + parts + offset. Every line is held to what it has so far; the last to the whole quantity.
void Values::sum(Place place, Reg d, std::optional<Reg> from, std::int64_t constant, std::vector<Part> parts,
                 const Quantity& quantity, std::vector<Symbol> before, std::int64_t offset) {
  bool uniform = d.file == isa::File::ur;
  Operand zero = constant_use(d.file);
  std::vector<std::pair<Operand, std::optional<Symbol>>> addends;
  std::vector<Part> multiplied;
  for (const Part& part : parts) {
    if (part.factor == 1 || part.factor == -1)
      addends.emplace_back(use(source(part.symbol), part.factor < 0), part.symbol);
    else
      multiplied.push_back(part);
  }
  std::optional<Reg> so_far = from;
  Quantity partial = bare(quantity);
  auto hold = [&](sass::Line& line, bool last) { line.held = {last ? held(quantity) : held(only(partial, before))}; };
  // What a multiplication starts from must be in a register of the file.
  if (!multiplied.empty() && (constant != 0 || (so_far && so_far->file != d.file))) {
    if (!so_far)
      hold(emit_.move(place, kDerived, d, immediate(constant)), false);
    else if (constant == 0)
      hold(emit_.move(place, kDerived, d, use(*so_far)), false);
    else
      hold(emit_.add(place, kDerived, d, use(*so_far), immediate(constant), zero), false);
    so_far = d;
    constant = 0;
  }
  std::int64_t number = constant + offset;
  for (std::size_t i = 0; i < multiplied.size(); ++i) {
    before.push_back(multiplied[i].symbol);
    bool last = i + 1 == multiplied.size() && addends.empty() && number == 0;
    hold(emit_.line(place, kDerived, uniform ? "UIMAD" : "IMAD",
                    {use(d), use(source(multiplied[i].symbol)), immediate(multiplied[i].factor),
                     so_far ? use(*so_far) : zero}),
         last);
    so_far = d;
  }
  if (number != 0) addends.emplace_back(immediate(number), std::nullopt);
  if (addends.empty()) {
    if (multiplied.empty()) hold(emit_.move(place, kDerived, d, so_far ? use(*so_far) : immediate(0)), true);
    return;
  }
  if (!so_far && addends.size() == 1 && !addends.front().first.negated) {
    hold(emit_.move(place, kDerived, d, addends.front().first), true);
    return;
  }
  // Three operands an addition; for a lane's one of them at most is uniform or an immediate.
  for (std::size_t i = 0; i < addends.size();) {
    std::vector<Operand> operands;
    int outside = 0;
    auto takes = [&](const Operand& operand) {
      bool other = operand.kind == Operand::Kind::immediate || operand.reg.file != d.file;
      if (!uniform && other && outside > 0) return false;
      outside += other ? 1 : 0;
      operands.push_back(operand);
      return true;
    };
    if (so_far) takes(use(*so_far));
    while (i < addends.size() && operands.size() < 3 && takes(addends[i].first)) {
      if (addends[i].second) before.push_back(*addends[i].second);
      ++i;
    }
    while (operands.size() < 3) operands.push_back(zero);
    hold(emit_.add(place, kDerived, d, operands[0], operands[1], operands[2]), i == addends.size());
    so_far = d;
  }
}

}  // namespace warpcc::codegen
