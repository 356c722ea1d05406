// Section lines: `.start`, `.role …`, `.finish`.
#include "sass/header_reader.h"

namespace warpcc::sass {

// ---- Sections

bool is_section(std::string_view word) {
  return word == ".start" || word == ".role" || word == ".finish";
}

bool read_section(Directive& line, const Program& program, const Declared& declared, Section& section,
                  Diagnostics& diagnostics) {
  Cursor& at = line.rest;
  auto wanted = [&](const char* what) {
    diagnostics.error(at.here(), kWanted, std::string(what));
    return false;
  };
  section.kind = line.word == ".start"  ? Section::Kind::start
                 : line.word == ".role" ? Section::Kind::role
                                        : Section::Kind::finish;
  if (section.kind == Section::Kind::role) {
    section.name = at.dotted();
    if (section.name.empty()) return wanted("the role's name");
    if (!at.eat_word("warps")) return wanted("`warps` and their range");
    std::optional<std::int64_t> first = at.number();
    if (!first || !at.eat("..")) return wanted("a range of warps, as `8 .. 9`,");
    std::optional<std::int64_t> end = at.number();
    if (!end || *first < 0 || *first >= *end || *end > 32) return wanted("a range of warps from 0 to 32");
    section.first_warp = static_cast<int>(*first);
    section.end_warp = static_cast<int>(*end);
  }
  if (at.eat_word("at") && !read_pins(at, declared, program, section.at, diagnostics)) return false;
  if (at.eat_word("holds")) {
    do {
      std::string_view end = at.dotted();
      if (end.empty()) return wanted("an end, as `stage.producer`,");
      section.holds.emplace_back(end);
    } while (at.eat(','));
  }
  at.skip_spaces();
  if (at.done()) return true;
  diagnostics.error(at.here(), kMore, std::string(at.rest().substr(0, 40)));
  return false;
}

}  // namespace warpcc::sass
