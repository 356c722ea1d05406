#include "sass/read_held.h"

#include <fmt/format.h>

#include "sass/read_operand.h"
#include "sass/spelling.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string> kWanted{"sass-wanted", "{} is wanted here"};
constexpr Message<std::string, std::string> kNoPlace{
    "sass-names-nothing",
    "`{}` names nothing: no line of the header declares a buffer, a barrier or a word of this name{}"};
constexpr Message<std::string> kNoPipe{"sass-names-nothing", "`{}` names nothing: no `.pipe` line declares it"};
constexpr Message<std::string> kNoBarrier{"sass-names-nothing",
                                          "`{}` names nothing: a mask is of a pipe's barrier, as `stage_empty`"};
constexpr Message<std::string> kNoAxis{"sass-no-axis", "the cluster has no axis `{}`"};
constexpr Message<std::string, int> kPinRange{"sass-pin-range", "the axis `{}` goes from 0 to {}"};
constexpr Message<std::string, std::size_t, std::size_t> kRank{"sass-rank", "`{}` has {} coordinates; {} are given"};
constexpr Message<> kBracket{
    "sass-copies",
    "each index of a copy stands in brackets of its own, then the coordinates: `staging[warp][0][row, 0]`"};
constexpr Message<> kTooDeep{"sass-too-deep", "this expression is too long or too deep"};
constexpr Message<> kDivisor{"sass-divisor", "a divisor is a constant above 0"};

constexpr int kDeepest = 64;
constexpr std::size_t kMostNodes = 2000;

std::string shown(std::string_view text) {
  return std::string(text.substr(0, 60));
}

// Whether coordinates may follow the copies.
bool has_elements(const View& view) {
  return view.buffer != BufferId::none || view.fragment >= 0;
}

}  // namespace

bool HeldReader::wanted(const char* what) {
  diagnostics_.error(cursor_.here(), kWanted, std::string(what));
  return false;
}

std::optional<Held> HeldReader::read() {
  Held held;
  cursor_.skip_spaces();
  if (cursor_.eat('(')) {
    held.kind = Held::Kind::number;
    if (binary(held.expr, 0, 0) < 0) return std::nullopt;
    if (!cursor_.eat(')')) return wanted("`)`"), std::nullopt;
    return held;
  }
  // A word of the dialect, where a name follows: a buffer may be called `mask`.
  std::size_t start = cursor_.position();
  std::string_view first = cursor_.dotted();
  for (const HeldWord& entry : kHeldWords) {
    if (entry.word != first || !cursor_.at_name() || cursor_.rest().starts_with("at (")) continue;
    return named(entry.kind);
  }
  cursor_.rewind(start);
  if (!view(held)) return std::nullopt;
  return held;
}

// What follows one of the words.
std::optional<Held> HeldReader::named(Held::Kind kind) {
  Held held;
  held.kind = kind;
  if (kind == Held::Kind::mask || kind == Held::Kind::bytes) {
    std::size_t start = cursor_.position();
    std::string_view name = cursor_.name();
    bool known = kind == Held::Kind::bytes && declared_.pipes.contains(name);
    if (kind == Held::Kind::mask && name == "across" && cursor_.at_name()) {
      held.kind = Held::Kind::mask_across;
      name = cursor_.name();
      if (!declared_.axes.contains(name)) {
        diagnostics_.error(cursor_.range_from(start), kNoAxis, shown(name));
        return std::nullopt;
      }
      known = true;
    } else if (kind == Held::Kind::mask) {
      auto place = declared_.places.find(name);
      known = place != declared_.places.end() && place->second.barrier != MBarrierId::none;
    }
    if (!known) {
      diagnostics_.error(cursor_.range_from(start), kind == Held::Kind::mask ? kNoBarrier : kNoPipe, shown(name));
      return std::nullopt;
    }
    held.name = name;
    return held;
  }
  int views = kind == Held::Kind::idesc ? 3 : 1;
  for (int i = 0; i < views; ++i) {
    if (i > 0 && !cursor_.eat(',')) return wanted("`,` and a view: `idesc D, A, B`"), std::nullopt;
    if (!view(held)) return std::nullopt;
  }
  return held;
}

bool HeldReader::view(Held& held) {
  cursor_.skip_spaces();
  std::size_t start = cursor_.position();
  std::string_view name = cursor_.name();
  if (name.empty()) return wanted("a view, as `sa[stage_pos][0, 0]`, or a number in parentheses");
  auto place = declared_.places.find(name);
  if (place == declared_.places.end()) {
    NearestName nearest(name);
    for (const auto& [known, view] : declared_.places) nearest.offer(known);
    diagnostics_.error(cursor_.range_from(start), kNoPlace, shown(name), nearest.words());
    return false;
  }
  View view = place->second;
  if (cursor_.eat_word("at")) {
    if (!cursor_.eat('(')) return wanted("`(axis = n)`");
    if (!pins(view.at)) return false;
    if (!cursor_.eat(')')) return wanted("`)`");
  }
  std::size_t copies = view.buffer != BufferId::none        ? program_[view.buffer].copies.size()
                       : view.word < 0 && view.fragment < 0 ? 1
                                                            : 0;
  if (!brackets(view, copies)) return false;
  if (has_elements(view) && !view.coordinates.empty()) {
    std::size_t rank = view.fragment >= 0 ? 2 : static_cast<std::size_t>(program_[view.buffer].layout.map().rank());
    if (view.coordinates.size() != rank) {
      diagnostics_.error(cursor_.range_from(start), kRank, shown(name), rank, view.coordinates.size());
      return false;
    }
  }
  if (cursor_.rest().starts_with(".at(")) {
    cursor_.advance(4);
    view.fragment_index = cursor_.number();
    if (!view.fragment_index) return wanted("a number");
    if (!cursor_.eat(')')) return wanted("`)`");
  }
  held.views.push_back(std::move(view));
  return true;
}

// `[copy]…[coordinates]`
bool HeldReader::brackets(View& view, std::size_t copies) {
  constexpr std::size_t kMostCoordinates = 8;
  for (std::size_t bracket = 0; cursor_.eat('['); ++bracket) {
    if (bracket > copies || (bracket == copies && !has_elements(view))) return wanted("no further bracket");
    std::vector<Coord> inside;
    do {
      if (inside.size() == kMostCoordinates) return wanted("no further coordinate");
      if (!coordinate(inside.emplace_back())) return false;
    } while (cursor_.eat(','));
    if (!cursor_.eat(']')) return wanted("`]`");
    if (bracket == copies) {
      view.coordinates = std::move(inside);
      continue;
    }
    if (inside.size() != 1 || inside[0].whole || inside[0].extent != 0) {
      diagnostics_.error(cursor_.here(), kBracket);
      return false;
    }
    view.copies.push_back(std::move(inside[0].from));
  }
  return true;
}

bool HeldReader::coordinate(Coord& coord) {
  if (cursor_.eat("..")) {
    coord.whole = true;
    return true;
  }
  if (binary(coord.from, 0, 0) < 0) return false;
  if (!cursor_.eat("+:")) return true;
  std::optional<std::int64_t> extent = cursor_.number();
  if (!extent || *extent <= 0) return wanted("how many elements: a number above 0");
  coord.extent = *extent;
  return true;
}

// Places along axes: numbers as in the header, or expressions, one place a lane.
bool HeldReader::pins(std::vector<Pin>& pins) {
  do {
    cursor_.skip_spaces();
    std::size_t start = cursor_.position();
    std::string_view name = cursor_.name();
    auto axis = declared_.axes.find(name);
    if (name.empty() || axis == declared_.axes.end()) {
      diagnostics_.error(cursor_.range_from(start), kNoAxis, shown(name));
      return false;
    }
    if (!cursor_.eat('=')) return wanted("`=`");
    Pin& pin = pins.emplace_back();
    pin.axis = axis->second;
    if (binary(pin.by, 0, 0) < 0) return false;
    if (pin.by.nodes.size() > 1 || pin.by.nodes[0].kind != Expr::Kind::number) continue;
    pin.at = pin.by.nodes[0].number;
    pin.by = {};
    int extent = program_.axes[static_cast<std::size_t>(axis->second)].extent;
    if (pin.at < 0 || pin.at >= extent) {
      diagnostics_.error(cursor_.range_from(start), kPinRange, shown(name), extent - 1);
      return false;
    }
  } while (cursor_.eat(','));
  return true;
}

std::int32_t HeldReader::add(Expr& expr, Expr::Node node) {
  if (expr.nodes.size() >= kMostNodes) {
    diagnostics_.error(cursor_.here(), kTooDeep);
    return -1;
  }
  expr.nodes.push_back(node);
  return static_cast<std::int32_t>(expr.nodes.size()) - 1;
}

std::int32_t HeldReader::binary(Expr& expr, int binds, int depth) {
  if (depth > kDeepest) {
    diagnostics_.error(cursor_.here(), kTooDeep);
    return -1;
  }
  if (binds == kBindsTightest) return unary(expr, depth + 1);
  std::int32_t left = binary(expr, binds + 1, depth + 1);
  while (left >= 0) {
    cursor_.skip_spaces();
    if (cursor_.rest().starts_with("+:")) break;
    const OperatorWord* found = nullptr;
    for (const OperatorWord& entry : kOperators) {
      if (entry.binds == binds && cursor_.rest().starts_with(entry.word)) {
        found = &entry;
        break;
      }
    }
    if (!found) break;
    cursor_.advance(found->word.size());
    std::int32_t right = binary(expr, binds + 1, depth + 1);
    if (right < 0) return -1;
    const Expr::Node& divisor = expr.nodes[static_cast<std::size_t>(right)];
    bool divides = found->kind == Expr::Kind::divide || found->kind == Expr::Kind::remainder;
    if (divides && (divisor.kind != Expr::Kind::number || divisor.number <= 0)) {
      diagnostics_.error(cursor_.here(), kDivisor);
      return -1;
    }
    Expr::Node node;
    node.kind = found->kind;
    node.left = left;
    node.right = right;
    left = add(expr, node);
  }
  return left;
}

std::int32_t HeldReader::unary(Expr& expr, int depth) {
  cursor_.skip_spaces();
  Expr::Node node;
  if (cursor_.eat('!')) {
    node.kind = Expr::Kind::not_;
    if (depth > kDeepest) return wanted("a shorter expression"), -1;
    node.left = unary(expr, depth + 1);
    return node.left < 0 ? -1 : add(expr, node);
  }
  if (cursor_.eat('(')) {
    std::int32_t inside = binary(expr, 0, depth + 1);
    if (inside < 0) return -1;
    if (!cursor_.eat(')')) return wanted("`)`"), -1;
    return inside;
  }
  if (cursor_.at_name()) return name(expr);
  std::optional<std::int64_t> number = cursor_.number();
  if (!number) return wanted("a number or a name"), -1;
  node.number = *number;
  return add(expr, node);
}

std::int32_t HeldReader::name(Expr& expr) {
  std::size_t start = cursor_.position();
  RegWords words = read_reg_words(cursor_);
  if (words.name.empty() || words.part.value_or(0) > 254) return wanted("a name"), -1;
  Expr::Node node;
  if (!words.part) {
    for (const FixedWord& entry : kFixedWords) {
      if (entry.word != words.name) continue;
      node.kind = Expr::Kind::fixed;
      node.fixed = entry.fixed;
      return add(expr, node);
    }
    if (auto axis = declared_.axes.find(words.name); axis != declared_.axes.end()) {
      node.kind = Expr::Kind::fixed;
      node.fixed = Fixed::axis;
      node.number = axis->second;
      return add(expr, node);
    }
  }
  node.kind = Expr::Kind::value;
  node.value = values_.named(words.name);
  node.part = static_cast<std::uint8_t>(words.part.value_or(0));
  WrittenReg written;
  written.reg.value = node.value;
  written.reg.part = node.part;
  written.part_written = words.part.has_value();
  written.where = cursor_.range_from(start);
  values_.mentioned(written);
  return add(expr, node);
}

bool read_pins(Cursor& cursor, const Declared& declared, const Program& program, std::vector<Pin>& pins,
               Diagnostics& diagnostics) {
  do {
    cursor.skip_spaces();
    std::size_t start = cursor.position();
    std::string_view name = cursor.name();
    auto axis = declared.axes.find(name);
    if (name.empty() || axis == declared.axes.end()) {
      diagnostics.error(cursor.range_from(start), kNoAxis, shown(name));
      return false;
    }
    if (!cursor.eat('=')) {
      diagnostics.error(cursor.here(), kWanted, std::string("`=`"));
      return false;
    }
    std::optional<std::int64_t> at = cursor.number();
    int extent = program.axes[static_cast<std::size_t>(axis->second)].extent;
    if (!at || *at < 0 || *at >= extent) {
      diagnostics.error(cursor.range_from(start), kPinRange, shown(name), extent - 1);
      return false;
    }
    pins.push_back({axis->second, *at});
  } while (cursor.eat(','));
  return true;
}

}  // namespace warpcc::sass
