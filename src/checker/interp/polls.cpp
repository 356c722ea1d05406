// Flags in global memory: a warp that loads the same again and again sleeps until something is written there, so that a
// wait which never ends is seen to be one.
#include <fmt/format.h>

#include <algorithm>

#include "checker/coverage.h"
#include "checker/interp/interpreter.h"

namespace warpcc::checker {

// A load has read `value` in its first lane, and all together what `seen` stands for. Answers whether the warp sleeps:
// it has read the same here before, and done nothing since.
bool Interpreter::polls_again(std::size_t buffer, std::int64_t first, std::int64_t last, std::uint32_t value,
                              std::uint64_t seen) {
  Warp& warp = *warp_;
  bool again = warp.poll_line == line_ && warp.poll_seen == seen && !warp.timed_out;
  warp.timed_out = false;
  warp.poll_line = line_;
  warp.poll_seen = seen;
  warp.poll_buffer = buffer;
  warp.poll_element = first;
  warp.poll_value = value;
  if (!again) return false;
  warp.blocked = Blocked::poll;
  polls_.push_back({running_, warp.number_in_cluster, buffer, first, last});
  return true;
}

void Interpreter::written(std::size_t buffer, std::int64_t first, std::int64_t count) {
  if (polls_.empty()) return;
  std::erase_if(polls_, [&](const Poll& poll) {
    if (poll.buffer != buffer || poll.last < first || poll.first >= first + count) return false;
    Warp& warp = poll.cluster->warps[static_cast<std::size_t>(poll.warp)];
    warp.blocked = Blocked::no;
    poll.cluster->turns.wake(static_cast<std::size_t>(poll.warp));
    return true;
  });
}

// A relaxed load may see any value that nothing orders before the one that is there (PTX ISA, memory consistency
// model): where the schedule has it so, the first load of a warp sees the oldest of this launch.
void Interpreter::keep_old_flag(std::size_t buffer, std::int64_t element) {
  if (!schedule_.old_flags) return;
  auto [at, fresh] = running_->launch->old_flags.try_emplace({buffer, element});
  if (!fresh) return;
  at->second.value = globals_[buffer].load(element);
  at->second.by = warp_->order.who();
  at->second.written = warp_->order.access(mask_, true);
}

// Nothing where the load sees what is there.
const std::uint32_t* Interpreter::old_flag(std::size_t buffer, std::int64_t element) {
  if (!schedule_.old_flags) return nullptr;
  auto found = running_->launch->old_flags.find({buffer, element});
  if (found == running_->launch->old_flags.end()) return nullptr;
  Launch::OldFlag& flag = found->second;
  if (flag.by == warp_->order.who() || warp_->order.knows().seen.covers(flag.written)) return nullptr;
  auto [loaded, fresh] = flag.loaded.try_emplace(warp_->order.who(), outcome_.instructions);
  return loaded->second == outcome_.instructions ? &flag.value : nullptr;  // by all its lanes
}

void Interpreter::report_poll(Warp& warp, std::string& text, std::vector<std::string>& details) {
  const sass::Buffer& buffer = program_.buffers[warp.poll_buffer];
  text += fmt::format("for {}, which holds {} and which nothing changes any more",
                      element_text(buffer, warp.poll_element), warp.poll_value);
  for (const Instruction& instruction : code_.instructions) {
    if (instruction.action != Action::store_global && instruction.action != Action::add_global) continue;
    const HeldCode* held = nullptr;
    const ViewCode* view = reached(instruction, 0, held);
    if (!view || static_cast<std::size_t>(view->view->buffer) != warp.poll_buffer) continue;
    const sass::Line& line = program_.lines[instruction.line];
    std::uint64_t times = executed_[instruction.line];
    for (const auto& cluster : resident_) times += cluster->executed[instruction.line];
    std::string detail = fmt::format(
        "{} is written by {}{}, executed {} times in all clusters", buffer.name,
        line.place.empty() ? "" : line.place + ": ",
        line.comment.empty() ? fmt::format("`{}`", line.opcode->name) : fmt::format("`{}`", line.comment), times);
    if (std::find(details.begin(), details.end(), detail) == details.end()) details.push_back(std::move(detail));
  }
  if (std::size_t waiting = running_->launch->to_start.size(); waiting > 0) {
    details.push_back(
        fmt::format("{} clusters have not started: the machine holds {} at once", waiting, resident_.size()));
  }
  if (!all_chosen_) {
    details.push_back(fmt::format("{} clusters are not run; where they are waited for: --clusters all",
                                  clusters_ - static_cast<std::int64_t>(chosen_.size())));
  }
}

}  // namespace warpcc::checker
