// Writing lines. The code of a role is a tree of stretches that lines may be added to at any time, so that a derived
// value found late still lands where its rule puts it (language.md, section 13).
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/operand.h"
#include "sass/program.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc::codegen {

// A stretch of code. Stretches are numbered as they are opened, and they are opened in program order: of two that both
// lie on the way to a point, the one with the larger number is nearer to it.
enum class Place : std::int32_t { none = -1 };

class Emit {
 public:
  Emit(sass::Program& program, const Sources& sources, Diagnostics& diagnostics)
      : program_(program), sources_(sources), diagnostics_(diagnostics) {}

  // A new stretch at the present end of `in`; a stretch that is in none yet.
  Place open(Place in);
  Place root();

  // What the following lines come from.
  void comes_from(SourceRange where);

  // One line at the end of a stretch. The reference is good until the next line there.
  sass::Line& line(Place in, sass::Mark mark, std::string_view opcode, std::vector<Operand> operands);
  // A line whose template the statement table has.
  sass::Line& line(Place in, sass::Line made);

  sass::LabelId label(std::string name);                // not placed yet
  sass::LabelId numbered_label(std::string_view word);  // WAIT_1, WAIT_2 …
  void place(Place in, sass::LabelId label);

  isa::Target target() const { return program_.target; }
  // `UIADD3 d, UPT, UPT, a, b, c` on sm_100a, `UIADD3 d, a, b, c` on sm_90a; IADD3 where `d` is a lane's.
  sass::Line& add(Place in, sass::Mark mark, Reg d, Operand a, Operand b, Operand c);
  sass::Line& move(Place in, sass::Mark mark, Reg d, Operand from);

  // Writes the stretch and all that it holds to the end of the program's lines.
  void flatten(Place root);

 private:
  struct Item {
    enum class Kind : std::uint8_t { line, label, stretch } kind;
    std::int32_t index;
  };
  struct Stretch {
    std::vector<Item> items;
  };

  sass::Program& program_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  SourceRange where_{};
  std::string place_;
  std::deque<Stretch> stretches_;
  std::deque<sass::Line> lines_;
  std::vector<std::pair<std::string, int>> label_counts_;
};

}  // namespace warpcc::codegen
