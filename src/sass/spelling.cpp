#include "sass/spelling.h"

#include <fmt/format.h>

#include "llvm/ADT/StringRef.h"

namespace warpcc::sass {

void NearestName::offer(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  if (name == wanted_ || wanted_.size() > kLongest || name.size() > kLongest) return;
  auto most = static_cast<unsigned>(least_);
  std::size_t distance = llvm::StringRef(wanted_).edit_distance(name, true, most);
  bool nearer = distance < least_ || (distance == least_ && !nearest_.empty() && name < nearest_);
  if (!nearer) return;
  least_ = distance;
  nearest_ = name;
}

std::string NearestName::words() const {
  return nearest_.empty() ? "" : fmt::format("; `{}` is near", nearest_);
}

}  // namespace warpcc::sass
