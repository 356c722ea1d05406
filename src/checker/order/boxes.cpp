#include "checker/order/boxes.h"

namespace warpcc::order {

std::vector<Boxes::Part>& Boxes::parts_of(Place& place) {
  if (place.parts < 0) {
    place.parts = static_cast<std::int32_t>(parts_.size());
    parts_.push_back({{place.box, {place.entry}}});
  }
  return parts_[static_cast<std::size_t>(place.parts)];
}

void Boxes::access(const Box& box, const Actor& actor, Conflicts& conflicts, Pairs* pairs) {
  // Lanes that touch one element each, and those of boxes: the same box by the same lanes is the same elements.
  auto same_lanes = [](const Entry& a, const Entry& b) { return a.footprint == b.footprint && a.footprint != ~0u; };
  const Entry& now = actor.entry;
  for_each_place(box, [&](std::uint64_t key, const Box& part) {
    auto [found, fresh] = at_.try_emplace(key, static_cast<std::uint32_t>(places_.size()));
    if (fresh) {
      places_.push_back({part, now, -1});
      return;
    }
    Place& place = places_[found->second];
    if (place.parts < 0 && place.box == part) {
      bool conflict = in_conflict(place.entry.use, now.use);
      if (conflict) {
        Why why = between(place.entry, actor, same_lanes);
        if (why != Why::ordered) {
          conflicts.push_back({place.entry, why});
        } else if (pairs) {
          pairs->pair(place.entry, actor);
        }
      }
      if (now.use == Use::write || (now.use == place.entry.use && now.epoch.agent == place.entry.epoch.agent)) {
        place.entry = now;
        return;
      }
    }
    bool exact = false;
    std::vector<Part>& parts = parts_of(place);
    for (Part& other : parts) {
      if (other.box == part) {
        exact = true;
        check_entries(other.entries, actor, same_lanes, conflicts, pairs);
      } else if (other.box.meets(part)) {
        for (const Entry& entry : other.entries) {
          if (!in_conflict(entry.use, now.use)) continue;
          Why why = between(entry, actor, same_lanes);
          if (why != Why::ordered) {
            conflicts.push_back({entry, why});
          } else if (pairs) {
            pairs->pair(entry, actor);
          }
        }
      }
    }
    if (!exact) parts.push_back({part, {now}});
  });
}

}  // namespace warpcc::order
