// Findings as they come: counted by kind, told once a line; what goes wrong in memory and at barriers once a statement,
// which may have been written out as many lines.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/check.h"

namespace warpcc::checker {

class Findings {
 public:
  Findings(const sass::Program& program, const Options& options, Outcome& outcome)
      : program_(program), options_(options), outcome_(outcome) {}

  static constexpr std::uint32_t kNoLine = 0xffffffff;

  // Whether the next finding of this kind and line will be told: what need not be put in words, if not.
  bool told(Finding::Kind kind, std::uint32_t line) const;
  void add(Finding::Kind kind, std::uint32_t line, std::string text, std::vector<std::string> details = {});
  // The same, told each time that it comes.
  void add_each(Finding::Kind kind, std::uint32_t line, std::string text, std::vector<std::string> details);
  // What another one has of clusters that come after those of this one. Its outcome is added as well.
  void take(Findings& other);
  // A race, which has been counted.
  void tell_race(std::uint32_t line, std::string text, std::vector<std::string> details, Finding::Race race);
  // Says how often each came, once all have.
  void finish();

 private:
  using Key = std::pair<Finding::Kind, std::uint32_t>;
  Key key(Finding::Kind kind, std::uint32_t line) const;
  bool tell(Finding::Kind kind, std::uint32_t line, std::string text, std::vector<std::string> details);

  const sass::Program& program_;
  const Options& options_;
  Outcome& outcome_;
  struct Told {
    std::size_t finding;
    std::uint64_t times;
  };
  std::map<Key, Told> told_;
  mutable std::vector<std::uint32_t> statements_;  // by line, once it is asked for: the first line of its statement
  std::map<Finding::Kind, int> of_kind_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, int>> races_;
  std::vector<std::uint32_t> lines_;  // of the outcome's findings
};

}  // namespace warpcc::checker
