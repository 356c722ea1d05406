#include "codegen/values.h"

#include <algorithm>
#include <bit>

namespace warpcc::codegen {

namespace {

int ceil_power_of_two(int number) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(number, 1))));
}

}  // namespace

void Values::enter_section(int first_warp, int end_warp, std::vector<kernel::Pin> at, Place head) {
  pins_ = std::move(at);
  first_warp_ = first_warp;
  warps_ = end_warp - first_warp;
  addresses_.role_of(warps_);
  heads_.assign(1, head);
  meeting_ = head;
  loops_.clear();
  where_.clear();
  made_.clear();
  named_.clear();
  rings_.clear();
}

// ---- Registers

Reg Values::reg(kernel::RegisterId id) {
  auto [entry, is_new] = registers_.try_emplace(id);
  if (!is_new) return entry->second;
  const kernel::Register& declared = kernel_[id];
  ValueKind kind{declared.file, declared.count, std::min(ceil_power_of_two(declared.count), 4), std::nullopt};
  if (declared.range) kind.range = {declared.range->begin, declared.range->end, declared.range->step};
  entry->second = names_.make(declared.name, kind);
  return entry->second;
}

Values::Ring& Values::ring(kernel::EndId id) {
  auto [entry, is_new] = rings_.try_emplace(id);
  if (!is_new) return entry->second;
  const std::string& pipe = kernel_[kernel_[id].pipe].name;
  entry->second.position = names_.make(pipe + "_pos", kUniform);
  entry->second.parity = names_.make(pipe + "_parity", kLane);
  entry->second.stays = names_.make(pipe + "_stays", kUniformPredicate);
  if (kernel_[id].releases_late) entry->second.last = names_.make(pipe + "_last", kUniform);
  entry->second.stays_lane = names_.make(pipe + "_stays_p", kLanePredicate);
  return entry->second;
}

Reg Values::named(const std::string& key, std::string_view name, const ValueKind& kind, bool fixed_index) {
  auto known = named_.find(key);
  if (known == named_.end()) known = named_.emplace(key, names_.make(name, kind, fixed_index)).first;
  return known->second;
}

bool Values::is_made(const std::string& key, Place place) const {
  auto known = made_.find(key);
  if (known == made_.end()) return false;
  return known->second.place == place || (place == heads_.back() && made_at_head(key));
}

std::optional<Reg> Values::made_at_head(const std::string& key) const {
  auto known = made_.find(key);
  if (known == made_.end()) return std::nullopt;
  if (std::find(heads_.begin(), heads_.end(), known->second.place) == heads_.end()) return std::nullopt;
  return known->second.reg;
}

}  // namespace warpcc::codegen
