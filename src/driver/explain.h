// What complaints and findings mean (docs/complaints/).
#pragma once

#include <string>
#include <string_view>

namespace warpcc::driver {

// The entry of a code, in Markdown; empty where there is none.
std::string explanation(std::string_view code);

}  // namespace warpcc::driver
