// What is decided about the whole kernel, once its code is there.
#pragma once

#include "sema/session.h"

namespace warpcc::sema {

// Arrivals and bytes of every barrier (language.md 7), and that every tile of a stage is loaded exactly once.
void derive_counts(Session& session);
void check_coverage(Session& session);

}  // namespace warpcc::sema
