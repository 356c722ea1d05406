// How header lines are read, for the files that read them: read_header.cpp what a host must know,
// read_header_memory.cpp buffers and barriers, read_header_values.cpp pipes, fragments and values, read_section.cpp the
// sections.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sass/read_header.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

inline constexpr Message<std::string> kWanted{"sass-wanted", "{} is wanted here"};
inline constexpr Message<std::string> kDeclared{"sass-declared-twice", "`{}` is declared already"};
inline constexpr Message<std::string, std::int64_t, std::int64_t> kRange{"sass-range",
                                                                         "{} from {} to {} is wanted here"};
inline constexpr Message<std::string, std::string> kNoSuch{"sass-no-such", "no `{}` line declares `{}`"};
inline constexpr Message<std::string> kMore{"sass-more", "nothing more belongs on this line: `{}`"};
inline constexpr Message<std::string> kLayout{"sass-layout", "{}"};

inline constexpr std::int64_t kLarge = std::int64_t{1} << 40;
inline constexpr std::int64_t kSharedBytes = 1 << 20;  // above what any target has

class HeaderReader {
 public:
  HeaderReader(Program& program, Declared& declared, ReadValues& values, Diagnostics& diagnostics)
      : program_(program), declared_(declared), values_(values), diagnostics_(diagnostics) {}

  void run(std::vector<Directive>& lines);

 private:
  using Reader = bool (HeaderReader::*)(Directive&);
  struct Entry {
    std::string_view word;
    Reader read;
    bool once, needed;
  };
  static const std::vector<Entry>& entries();

  bool kernel(Directive& line);
  bool sm(Directive& line);
  bool threads(Directive& line);
  bool registers(Directive& line);
  bool dynsmem(Directive& line);
  bool tmap(Directive& line);
  bool param(Directive& line);
  bool grid(Directive& line);
  bool cluster(Directive& line);
  bool mbarriers(Directive& line);
  bool form(Directive& line);
  bool buffer(Directive& line);
  bool mbar(Directive& line);
  bool bar(Directive& line);
  bool pipe(Directive& line);
  bool fragment(Directive& line);
  bool value(Directive& line);
  bool word(Directive& line);

  bool buffer_place(Cursor& at, Buffer& buffer);
  bool valid_extents(Cursor& at, Buffer& buffer);
  bool buffer_copies(Cursor& at, Buffer& buffer, std::vector<char>& stated);
  bool pipe_barrier(Cursor& at, MBarrierId& id);
  bool carried(Cursor& at, Pipe& pipe);

  bool wanted(const Cursor& at, std::string what);
  bool name(Cursor& at, std::string& into);
  bool number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, std::int64_t& into);
  template <typename Int>
  bool number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, Int& into);
  std::optional<std::int64_t> times(Cursor& at);
  bool place(Cursor& at, std::size_t start, const std::string& name, const View& view);

  Program& program_;
  Declared& declared_;
  ReadValues& values_;
  Diagnostics& diagnostics_;
};

template <typename Int>
bool HeaderReader::number(Cursor& at, std::int64_t least, std::int64_t most, std::string what, Int& into) {
  std::int64_t value = 0;
  if (!number(at, least, most, std::move(what), value)) return false;
  into = static_cast<Int>(value);
  return true;
}

}  // namespace warpcc::sass
