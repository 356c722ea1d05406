// Calls of functions: those of the module, whose registers and frames have one place each (link.cpp), and those that
// the system has.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

// A function of the system's. [address], results, arguments
void Executor::call(const Code& code) {
  const std::string& callee = launch_.module->functions[code.function].name;
  auto word = [&](std::size_t i, int lane) {
    const Arg& arg = this->arg(code, i);
    std::uint64_t value = 0;
    if (arg.kind == Arg::Kind::frame) {
      std::memcpy(&value, frame(lane, arg.value), 8);
    } else {
      Lanes64 lanes;
      read64(arg, lanes);
      value = lanes[lane];
    }
    return value;
  };
  if (callee == "vprintf") return;  // what it prints is not looked at
  if (callee == "__assertfail") {
    int lane = std::countr_zero(mask_);
    auto text = [&](std::size_t i) { return i < code.count ? string(word(i, lane)) : std::string(); };
    std::string asserted = "an assertion of the kernel fails";
    if (std::string what = text(1), file = text(2), function = text(4); !what.empty()) {
      asserted += fmt::format(": `{}`", what);
      if (!file.empty()) asserted += fmt::format(", {}:{}", file, word(3, lane) & 0xffffffff);
      if (!function.empty()) asserted += fmt::format(", in {}", function);
    }
    report(Finding::Kind::protocol, std::move(asserted));
    outcome_.aborted = Outcome::Aborted::assertion;
    leave(mask_);
    return;
  }
  if (callee == "malloc" && code.count == 3 && arg(code, 1).kind == Arg::Kind::frame) {
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      int lane = std::countr_zero(rest);
      std::uint64_t address = memory_.allocate(static_cast<std::int64_t>(word(2, lane)));
      std::memcpy(frame(lane, arg(code, 1).value), &address, 8);
    }
    return;
  }
  if (callee == "free" && code.count == 2) {
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      std::uint64_t address = word(1, std::countr_zero(rest));
      if (address != 0 && !memory_.free(address))
        report(Finding::Kind::memory, fmt::format("frees {:#x}, where nothing is allocated", address));
    }
    return;
  }
  report(Finding::Kind::protocol, "calls `" + callee.substr(0, 80) + "`, which the machine does not have");
  stopped_ = true;
}

std::string Executor::string(std::uint64_t address) {
  constexpr std::size_t kLongest = 200;  // it goes into a report
  std::string text;
  while (text.size() < kLongest) {
    auto next = memory_.bytes(address + text.size(), 1);
    if (next.empty() || next[0] == 0) break;
    text += next[0] >= 0x20 && next[0] < 0x7f ? static_cast<char>(next[0]) : '?';
  }
  return text;
}

std::uint8_t* Executor::frame(int lane, std::int64_t at) {
  return &warp_->frame[static_cast<std::size_t>(lane * code_.frame_bytes + at)];
}

// Of the lanes that run: an argument, or a result.
void Executor::hand_over(const Arg& from, const Arg& to, std::int64_t bytes) {
  // A caller's variable may be smaller than what the callee has declared.
  const std::int64_t furthest =
      std::max(from.kind == Arg::Kind::frame ? from.value : 0, to.kind == Arg::Kind::frame ? to.value : 0);
  bytes = std::min(bytes, code_.frame_bytes - furthest);
  if (to.kind == Arg::Kind::frame && from.kind == Arg::Kind::frame) {
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      int lane = std::countr_zero(rest);
      std::memmove(frame(lane, to.value), frame(lane, from.value), static_cast<std::size_t>(bytes));
    }
    return;
  }
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(bytes, 8));
  Lanes64 lanes{};
  if (from.kind == Arg::Kind::frame) {
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      int lane = std::countr_zero(rest);
      std::memcpy(&lanes[lane], frame(lane, from.value), count);
    }
  } else {
    read64(from, lanes);
  }
  if (to.kind != Arg::Kind::frame) return write64(to, lanes);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    std::memcpy(frame(lane, to.value), &lanes[lane], count);
  }
}

// [address], results, arguments
Executor::Next Executor::call_own(const Code& code) {
  Lanes64 addresses;
  Lanes32 to;
  if (code.function == Code::kNone) {
    read64(arg(code, 0), addresses);
  } else {
    std::fill_n(addresses, kLanes, address_of_function(code.function));
  }
  const std::uint32_t all = mask_;
  for (std::uint32_t rest = all; rest != 0; rest &= ~mask_) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    mask_ = 0;
    for (std::uint32_t left = rest; left != 0; left &= left - 1) {
      if (addresses[std::countr_zero(left)] == address) mask_ |= left & -left;
    }
    const std::uint64_t index = (address - kFunctionWindow) / 16 - 1;
    const std::uint32_t which = index < code_.part_of.size() ? code_.part_of[index] : Code::kNone;
    std::string wrong;
    if (which == Code::kNone || address % 16 != 0) {
      wrong = fmt::format("calls {:#x}, where no function is", address);
    } else if (const FunctionCode::Part& part = code_.parts[which];
               part.params.size() + part.results.size() + 1 != code.count ||
               part.results.size() != static_cast<std::size_t>(code.extra)) {
      wrong = fmt::format("calls `{}` with other arguments than it has", part.function->name.substr(0, 80));
    } else if ((warp_->calls[which].inside & mask_) != 0) {
      wrong = fmt::format("`{}` calls itself: recursion is not taken", part.function->name.substr(0, 80));
    }
    if (!wrong.empty()) {
      report(Finding::Kind::protocol, std::move(wrong));
      stopped_ = true;
      return Next::jumped;
    }
    const FunctionCode::Part& part = code_.parts[which];
    Warp::Call& call = warp_->calls[which];
    call.inside |= mask_;
    for (std::uint32_t left = mask_; left != 0; left &= left - 1) {
      int lane = std::countr_zero(left);
      call.back[static_cast<std::size_t>(lane)] = line_ + 1;
      to[lane] = part.first;
    }
    for (std::size_t i = 0; i < part.params.size(); ++i)
      hand_over(arg(code, 1 + part.results.size() + i), part.params[i].place, part.params[i].bytes);
  }
  mask_ = all;
  scatter(to);
  return Next::jumped;
}

Executor::Next Executor::leave_function() {
  const auto which = static_cast<std::size_t>(code_.part_at(line_) - code_.parts.data());
  const FunctionCode::Part& part = code_.parts[which];
  Warp::Call& call = warp_->calls[which];
  const std::uint32_t all = mask_;
  call.inside &= ~all;
  for (std::uint32_t rest = all; rest != 0; rest &= ~mask_) {
    const std::uint32_t back = call.back[static_cast<std::size_t>(std::countr_zero(rest))];
    mask_ = 0;
    for (std::uint32_t left = rest; left != 0; left &= left - 1) {
      if (call.back[static_cast<std::size_t>(std::countr_zero(left))] == back) mask_ |= left & -left;
    }
    const Code& caller = code_.code[back - 1];
    for (std::size_t i = 0; i < part.results.size(); ++i)
      hand_over(part.results[i].place, arg(caller, 1 + i), part.results[i].bytes);
  }
  mask_ = all;
  scatter(call.back.data());
  return Next::jumped;
}

}  // namespace warpcc::checker::ptx
