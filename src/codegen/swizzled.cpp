// Where a lane's element lies in a swizzled tile. The swizzle works on absolute addresses, and a tile starts where its
// pattern does: so it acts on the sum of both.
#include "codegen/values.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;
// (a & b) ^ c
constexpr std::int64_t kMaskedXor = 0x6a;

}  // namespace

// A register and an offset. What moves an element by whole patterns is in the offset, so that such accesses share the
// register.
Derived Values::derive_swizzled(const Reference& reference, const std::string& name) {
  const kernel::Buffer& buffer = kernel_[reference.buffer];
  const layout::Swizzle& swizzle = buffer.layout.swizzle();
  std::int64_t bytes = layout::bits(buffer.element) / 8, pattern = swizzle.pattern();
  Reference shared = reference;
  for (std::size_t i = 0; i < shared.coordinates.size(); ++i) {
    const layout::Coordinate& modes = buffer.layout.map().coordinates()[i];
    std::int64_t& constant = shared.coordinates[i].from.constant;
    if (modes.size() == 1 && constant * modes[0].stride * bytes % pattern == 0) constant = 0;
  }
  for (Form& copy : shared.copies) copy.constant = 0;

  Quantity tile, inside;
  tile.kind = Quantity::Kind::shared;
  tile.name = name;
  tile.view = shared;
  for (Coordinate& coordinate : tile.view.coordinates) coordinate.from = {};
  std::optional<Form> whole = addresses_.of(reference), own = addresses_.of(shared), start = addresses_.of(tile.view);
  inside.name = name + "_byte";
  if (!whole || !own || !start) {
    inside.kind = Quantity::Kind::shared;
    inside.view = reference;
    form(inside);  // says so
    return {};
  }
  std::int64_t offset = whole->constant - own->constant;
  inside.number = *own + *start * -1;

  Quantity element;
  element.kind = Quantity::Kind::shared;
  element.name = name;
  element.view = shared;
  std::string key = "swizzled " + key_of(element, *own);
  Place place = place_of(*own);
  Reg d = named(key, name + "_at", kLane);
  if (is_made(key, place)) return {d, offset};
  Reg first = derive_whole(tile), byte = derive_lane(inside);
  made_[key] = {d, place};
  Reg row = named("row of " + key, name + "_row", kLane);
  std::int64_t shift = swizzle.shift, mask = ((std::int64_t{1} << swizzle.bits) - 1) << swizzle.base;
  auto expression = [](sass::Expr expr) {
    sass::Held held;
    held.kind = sass::Held::Kind::number;
    held.expr = std::move(expr);
    return held;
  };
  using Kind = sass::Expr::Kind;
  emit_.line(place, kDerived, "SHF.R.U32.HI", {use(row), constant_use(isa::File::r), immediate(shift), use(byte)})
      .held = {expression(
      sass::Expr::binary(Kind::divide, sass::Expr::of(byte.value), sass::Expr::of(std::int64_t{1} << shift)))};
  emit_.add(place, kDerived, d, use(byte), use(first), constant_use(isa::File::r)).held = {
      expression(sass::Expr::binary(Kind::add, sass::Expr::of(byte.value), sass::Expr::of(first.value)))};
  emit_
      .line(place, kDerived, "LOP3.LUT",
            {use(d), use(row), immediate(mask), use(d), immediate(kMaskedXor), constant_use(isa::File::p, true)})
      .held = {held(element)};
  return {d, offset};
}

}  // namespace warpcc::codegen
