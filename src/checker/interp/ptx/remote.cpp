// Stores and reductions at other CTAs of the cluster that tell an mbarrier there of their bytes (PTX ISA, st.async,
// red.async). They are done at once.
#include <bit>
#include <cstring>

#include "checker/interp/ptx/combine.h"
#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

// [a], offset, [mbarrier], offset, values
void Executor::access_remotely(const Code& code) {
  Lanes64 at, barriers, value;
  addresses(code, 0, at);
  addresses(code, 2, barriers);
  const int width = bits(code.type) / 8;
  const std::int64_t bytes = static_cast<std::int64_t>(width) * code.vector;
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    need_aligned(at[lane], bytes, "writes");
    Place to = place(Where::shared, at[lane], bytes, lane, true);
    if (to.data == nullptr) continue;
    auto [rank, offset] = shared_place(barriers[lane]);
    if (rank >= 0)
      need_together(static_cast<int>(to.shared->rank), rank, offset,
                    "PTX ISA, st.async, red.async: the mbarrier is in the CTA of the destination");
    order_remote(to, bytes, rank, offset, code.op == Op::red_async);
    for (int i = 0; i < code.vector; ++i) {
      read64(arg(code, static_cast<std::size_t>(i) + 4), value);
      std::uint64_t word = value[lane];
      if (code.op == Op::red_async) {
        std::uint64_t old = 0;
        std::memcpy(&old, to.data + i * width, static_cast<std::size_t>(width));
        word = combined(code.extra, code.type, old, word, 0);
      }
      std::memcpy(to.data + i * width, &word, static_cast<std::size_t>(width));
    }
    wrote(to, bytes);
    land(rank, offset, bytes);
  }
}

}  // namespace warpcc::checker::ptx
