// What is decided about the whole kernel, once its code is there.
#pragma once

#include <map>

#include "sema/session.h"

namespace warpcc::sema {

// Arrivals and bytes of every barrier (language.md 7), and that every tile of a stage is loaded exactly once.
void derive_counts(Session& session);
void check_coverage(Session& session);
// Arrivals that publish to warps of other CTAs (language.md 11).
void mark_publishing(Session& session);

// Registers: written before they are read, and not named while a load still writes them (section 4).
void check_registers(Session& session);
// Fills that need no wait: the ring has stages that were never filled (section 8).
std::map<const kernel::Hold*, std::int64_t> counted_fills(const kernel::Kernel& kernel);
// What a block that holds a stage does, in order, on every path (section 8).
void check_holds(Session& session);
// Ends held in turn, stages released one late, named barriers: who hands on, who lets go, who meets (section 8). Before
// check_holds, which it tells what takes leave held.
void check_turns(Session& session);
// Every end that a role holds is used.
void check_ends(Session& session);
// Barriers initialised once, known to who uses them; global memory behind `grid.wait`; tensor memory allocated and
// freed (section 9).
void check_meeting(Session& session);

}  // namespace warpcc::sema
