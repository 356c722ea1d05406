// Reading what a line is held to.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "sass/cursor.h"
#include "sass/program.h"
#include "sass/read_values.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

// What the header declares, by name. Buffers, barriers and words share one space of names.
struct Declared {
  std::unordered_map<std::string_view, View> places;  // a view of the whole
  std::unordered_map<std::string_view, std::size_t> pipes;
  std::unordered_map<std::string_view, int> axes;
};

class HeldReader {
 public:
  HeldReader(Cursor& cursor, const Program& program, const Declared& declared, ReadValues& values,
             Diagnostics& diagnostics)
      : cursor_(cursor), program_(program), declared_(declared), values_(values), diagnostics_(diagnostics) {}

  // One thing behind `=` or a comma; nothing where something was reported.
  std::optional<Held> read();

 private:
  std::optional<Held> named(Held::Kind kind);
  bool view(Held& held);
  bool brackets(View& view, std::size_t copies);
  bool coordinate(Coord& coord);
  bool pins(std::vector<Pin>& pins);

  // Expressions: operands come before their operator in `expr`; each gives the index of its root, -1 where something
  // was reported.
  std::int32_t binary(Expr& expr, int binds, int depth);
  std::int32_t unary(Expr& expr, int depth);
  std::int32_t name(Expr& expr);
  std::int32_t add(Expr& expr, Expr::Node node);
  bool wanted(const char* what);

  Cursor& cursor_;
  const Program& program_;
  const Declared& declared_;
  ReadValues& values_;
  Diagnostics& diagnostics_;
};

// `axis = n, …`
bool read_pins(Cursor& cursor, const Declared& declared, const Program& program, std::vector<Pin>& pins,
               Diagnostics& diagnostics);

}  // namespace warpcc::sass
