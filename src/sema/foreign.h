// Words of PTX, CUDA C++ and Triton that mean something else, or nothing, here: for complaints alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpcc::sema {

// `what PTX calls so is `wait` here`, where the word is known from elsewhere; it ends at a dot or as a whole.
std::optional<std::string> foreign(std::string_view word);

}  // namespace warpcc::sema
