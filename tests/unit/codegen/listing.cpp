#include "listing.h"

#include <algorithm>

namespace warpcc::test {

namespace {

std::pair<std::size_t, std::size_t> lines_of(const sass::Program& program, std::string_view section) {
  for (std::size_t i = 0; i < program.sections.size(); ++i) {
    const sass::Section& found = program.sections[i];
    std::string_view name = found.kind == sass::Section::Kind::start    ? "start"
                            : found.kind == sass::Section::Kind::finish ? "finish"
                                                                        : std::string_view(found.name);
    if (name != section) continue;
    return {found.first_line,
            i + 1 < program.sections.size() ? program.sections[i + 1].first_line : program.lines.size()};
  }
  return {0, 0};
}

}  // namespace

std::vector<std::string> code_of(const sass::Program& program, std::string_view section) {
  std::vector<std::string> code;
  auto [first, end] = lines_of(program, section);
  for (std::size_t i = first; i < end; ++i)
    code.push_back(sass::print_line(program, program.lines[i], sass::Form::named));
  return code;
}

std::vector<std::string> loop_of(const sass::Program& program, std::string_view section, std::string_view counter) {
  std::vector<std::string> code = code_of(program, section);
  std::string head = "~ IADD3 " + std::string(counter) + ",", back = "~ @" + std::string(counter) + "_more BRA";
  auto from = std::find_if(code.begin(), code.end(), [&](const std::string& line) { return line.starts_with(head); });
  auto to = std::find_if(from, code.end(), [&](const std::string& line) { return line.starts_with(back); });
  if (to == code.end()) return {};
  return {from, to + 1};
}

}  // namespace warpcc::test
