// What an index may be: interval arithmetic with steps.
#pragma once

#include <cstdint>
#include <optional>

#include "sema/session.h"

namespace warpcc::sema {

// lo, lo + step … hi. A constant: lo == hi, step 0.
struct Interval {
  std::int64_t lo = 0, hi = 0, step = 0;
  bool constant() const { return lo == hi; }
  bool multiple_of(std::int64_t n) const { return lo % n == 0 && step % n == 0; }
};

// Nothing where a bound overflows.
std::optional<Interval> interval(const Session& session, const kernel::Index& index);
Interval interval(const Session& session, const kernel::Atom& atom);

// Whether it is made of fixed indices alone: the same from the role's head on.
bool is_fixed(const kernel::Index& index);
// Whether it may differ between the lanes of a warp.
bool differs_by_lane(const kernel::Kernel& kernel, const kernel::Index& index);

// The index where it can be told to be a constant, and quotients and remainders in their simplest form. Rounds down.
kernel::Index divided(Session& session, const kernel::Index& numerator, std::int64_t divisor, bool remainder);

// What a comparison comes to, where the ranges tell.
std::optional<bool> decide(const Session& session, const kernel::Compare& compare);

// The index at one place: its value when the fixed indices are these. `other` is taken for every register and counter.
struct Fixed {
  std::int64_t lane = 0, warp = 0;
  const std::vector<std::int64_t>* axes = nullptr;
  std::optional<std::int64_t> cluster_id{};  // none: the session's
};
std::int64_t value_at(const Session& session, const kernel::Index& index, const Fixed& fixed);
bool holds_at(const Session& session, const kernel::Facts& facts, const Fixed& fixed);

// One cluster of each kind that the facts of the kernel tell apart (`on (cluster_id == 0)`), by `cluster_id`.
std::vector<std::int64_t> clusters_apart(const Session& session);

std::int64_t floor_div(std::int64_t a, std::int64_t b);
std::int64_t floor_mod(std::int64_t a, std::int64_t b);

}  // namespace warpcc::sema
