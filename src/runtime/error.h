// Errors of the runtime: a status and words for the user, as a value.
#pragma once

#include <string>
#include <utility>

#include "runtime/warpcc.h"

namespace warpcc::runtime {

struct [[nodiscard]] Error {
  warpcc_status status = WARPCC_OK;
  std::string message;

  explicit operator bool() const { return status != WARPCC_OK; }
};

inline Error success() {
  return {};
}
inline Error failure(warpcc_status status, std::string message) {
  return {status, std::move(message)};
}

}  // namespace warpcc::runtime
