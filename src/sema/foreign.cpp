#include "sema/foreign.h"

#include <fmt/format.h>

namespace warpcc::sema {
namespace {

struct Word {
  std::string_view from, word, here;
};

// The longer of two that begin alike stands first.
constexpr Word kWords[] = {
    {"PTX", "mbarrier.try_wait", "`wait`"},
    {"PTX", "mbarrier.test_wait", "`probe`"},
    {"PTX", "mbarrier.arrive.expect_tx", "`expect`, which knows the bytes"},
    {"PTX", "mbarrier.expect_tx", "`expect`, which knows the bytes"},
    {"PTX", "mbarrier.arrive", "`arrive`"},
    {"PTX", "mbarrier.init", "`init`, which knows the count"},
    {"PTX", "cp.async.bulk.tensor", "`load` or `store`"},
    {"PTX", "cp.async.bulk.commit_group", "`store.commit`"},
    {"PTX", "cp.async.bulk.wait_group", "`store.wait n` or `store.wait.read n`"},
    {"PTX", "cp.async", "`load`, by the copy engine"},
    {"PTX", "cp.reduce.async.bulk", "`store.add`"},
    {"PTX", "prefetch.tensormap", "`prefetch`"},
    {"PTX", "tcgen05.mma", "`mma` or `mma.pair`"},
    {"PTX", "tcgen05.commit", "`commit` or `commit.pair`"},
    {"PTX", "tcgen05.ld", "`ld.tensor`"},
    {"PTX", "tcgen05.st", "`st.tensor`"},
    {"PTX", "tcgen05.wait", "`ld.wait`"},
    {"PTX", "tcgen05.alloc", "`alloc` or `alloc.pair`"},
    {"PTX", "tcgen05.dealloc", "`free` or `free.pair`"},
    {"PTX", "tcgen05.relinquish_alloc_permit", "`relinquish` or `relinquish.pair`"},
    {"PTX", "tcgen05.fence", "nothing: the compiler places it"},
    {"PTX", "wgmma.mma_async", "`mma`"},
    {"PTX", "wgmma.fence", "`mma.fence`"},
    {"PTX", "wgmma.commit_group", "`last: true` of an `mma`"},
    {"PTX", "wgmma.wait_group", "`mma.wait n`"},
    {"PTX", "setmaxnreg", "`registers n` in a role's head"},
    {"PTX", "clusterlaunchcontrol.try_cancel", "`cancel`"},
    {"PTX", "griddepcontrol.wait", "`grid.wait`"},
    {"PTX", "griddepcontrol.launch_dependents", "`grid.launch`"},
    {"PTX", "fence.proxy.async", "`fence.async`"},
    {"PTX", "fence.mbarrier_init", "`fence.init`"},
    {"PTX", "barrier.cluster.arrive", "`cluster.arrive`"},
    {"PTX", "barrier.cluster.wait", "`cluster.wait`"},
    {"PTX", "barrier.sync", "`sync`"},
    {"PTX", "barrier.arrive", "`sync.arrive`"},
    {"PTX", "bar.sync", "`sync`"},
    {"PTX", "bar.arrive", "`sync.arrive`"},
    {"PTX", "bar.warp.sync", "`warpsync`"},
    {"PTX", "elect.sync", "the fact `one`: `@one arrive …`"},
    {"PTX", "setp", "`isetp` or `uisetp`"},
    {"PTX", "selp", "`sel` or `usel`"},
    {"PTX", "add", "`iadd3`, `uiadd3` or `fadd`"},
    {"PTX", "sub", "`iadd3 x, y, -z`"},
    {"PTX", "mul", "`imad` or `uimad`"},
    {"PTX", "mad", "`imad` or `uimad`"},
    {"PTX", "fma", "`ffma`"},
    {"PTX", "shl", "`shf.l.u32` or `ushf.l.u32`"},
    {"PTX", "shr", "`shf.r.u32` or `ushf.r.u32`"},
    {"PTX", "and", "`lop3.and` or `ulop3.and`"},
    {"PTX", "or", "`lop3.or` or `ulop3.or`"},
    {"PTX", "xor", "`lop3.xor` or `ulop3.xor`"},
    {"PTX", "mov.u32", "`mov` or `umov`"},
    {"PTX", "mov.b32", "`mov` or `umov`"},
    {"PTX", "ld.shared", "`lds`"},
    {"PTX", "st.shared", "`sts`"},
    {"PTX", "ld.global", "`ldg`"},
    {"PTX", "st.global", "`stg`"},
    {"PTX", "red.global.add", "`redg.add`"},
    {"PTX", "atom", "`redg.add`"},
    {"PTX", "bra", "`loop`, `when` and `break when`: there are no branches"},
    {"PTX", "ret", "the end of the role's block"},
    {"PTX", "exit", "the end of the role's block"},
    {"CUDA C++", "threadIdx", "`lane`, `warp` and `warpgroup`"},
    {"CUDA C++", "blockIdx", "`cluster_id` and the cluster's axes, or `s2ur u, ctaid.x`"},
    {"CUDA C++", "blockDim", "nothing: the roles say which warps there are"},
    {"CUDA C++", "__syncthreads", "`sync`"},
    {"CUDA C++", "__syncwarp", "`warpsync`"},
    {"CUDA C++", "__shfl_sync", "`shfl.idx`"},
    {"CUDA C++", "float", "`f32`, as an element's type; a register has none, it is an `r`"},
    {"CUDA C++", "__half", "`f16`"},
    {"CUDA C++", "__nv_bfloat16", "`bf16`"},
    {"CUDA C++", "cudaGridDependencySynchronize", "`grid.wait`"},
    {"CUDA C++", "cudaTriggerProgrammaticLaunchCompletion", "`grid.launch`"},
    {"CUTLASS", "half_t", "`f16`"},
    {"CUTLASS", "bfloat16_t", "`bf16`"},
    {"CUTLASS", "warpgroup_arrive", "`mma.fence`"},
    {"CUTLASS", "warpgroup_wait", "`mma.wait n`"},
    {"CUTLASS", "warpgroup_commit_batch", "`last: true` of an `mma`"},
    {"CUTLASS", "tma_store_arrive", "`store.commit`"},
    {"CUTLASS", "tma_store_wait", "`store.wait.read n`"},
    {"CUTLASS", "cluster_sync", "`cluster.arrive; cluster.wait;`"},
    {"CUTLASS", "elect_one_sync", "the fact `one`: `@one arrive …`"},
    {"PTX", "elect", "the fact `one`: `@one arrive …`"},
    {"CUDA C++", "return", "the end of the role's block"},
    {"CUDA C++", "continue", "a `when` around the rest of the loop"},
    {"Triton", "cdiv", "`ceil_div`"},
    {"Triton", "fp16", "`f16`"},
    {"Triton", "fp32", "`f32`"},
    {"Triton", "range", "`a .. b`"},
    {"Triton", "tl", "an instruction: `load`, `mma`, `store`"},
};

}  // namespace

std::optional<std::string> foreign(std::string_view word) {
  for (const Word& known : kWords) {
    if (!word.starts_with(known.word)) continue;
    if (word.size() != known.word.size() && word[known.word.size()] != '.') continue;
    return fmt::format("what {} calls so is {} here", known.from, known.here);
  }
  return std::nullopt;
}

}  // namespace warpcc::sema
