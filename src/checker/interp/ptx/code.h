// A PTX function as the machine runs it: opcodes taken apart once, registers as places in a warp's register file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ptx_text/program.h"
#include "support/diagnostics.h"

namespace warpcc::checker::ptx {

inline constexpr int kLanes = 32;

// clang-format off
enum class Op : std::uint8_t {
  nop, mov, pack, unpack, add, sub, mul_lo, mul_hi, mul_wide, mad_lo, mad_hi, mad_wide, fma, div, rem, neg, abs, min, max,
  bit_and, bit_or, bit_xor, bit_not, shl, shr, shf_l, shf_r, bfi, bfe, prmt, popc, clz, brev, bfind, lop3,
  rcp, sqrt, rsqrt, ex2, lg2, tanh, sin, cos, copysign,
  sad, mul24, mad24, dp4a, dp2a, bmsk, szext, cnot, testp, isspacep, slct, set,
  selp, setp, cvt, ld, st, atom, red, st_async, red_async, shfl, vote, elect, activemask, redux, match, movmatrix, mma,
  wmma, wmma_load, wmma_store,
  bra, bra_table, ret, call, call_own, ret_own, trap,
  bar_sync, bar_arrive, warp_sync, cluster_arrive, cluster_wait, fence,
  mbar_init, mbar_inval, mbar_arrive, mbar_expect, mbar_test,
  mapa, cta_rank, cvta,
  discard, copy_async, copy_async_arrive, copy_async_commit, copy_async_wait, tensor_load, tensor_store, bulk_load, bulk_store, bulk_commit, bulk_wait,
  map_replace, map_copy,
  tmem_alloc, tmem_dealloc, tmem_relinquish, tmem_ld, tmem_st, tmem_wait, tmem_mma, tmem_copy, tmem_shift, tmem_commit, tmem_fence,
  wgmma, wgmma_fence, wgmma_commit, wgmma_wait,
  clc_try, clc_canceled, clc_ctaid, grid_wait, grid_launch, register_budget, ldmatrix, stmatrix,
};

enum class Num : std::uint8_t { pred, b8, b16, b32, b64, b128, u8, u16, u32, u64, s8, s16, s32, s64,
                                f16, bf16, f16x2, bf16x2, f32, tf32, f64, e4m3x2, e5m2x2,
                                f32x2, u16x2, s16x2, ue8m0x2, e2m1x2, e2m3x2, e3m2x2, s4, u4, b1 };
// clang-format on

int bits(Num type);
inline bool is_signed(Num type) {
  return type >= Num::s8 && type <= Num::s64;
}
inline bool is_float(Num type) {
  return (type >= Num::f16 && type <= Num::f64) || type == Num::f32x2;
}

enum class Where : std::uint8_t { generic, global, shared, local, param, frame, constant };
enum class Scope : std::uint8_t { none, cta, cluster, gpu };  // gpu: or the system
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, num, nan };
enum class Combine : std::uint8_t { none, bit_and, bit_or, bit_xor };

struct Arg {
  enum class Kind : std::uint8_t { none, reg, value, shared, special, frame };
  Kind kind = Kind::none;
  bool negated = false;
  std::uint8_t bytes = 4;    // of a lane in the register file: 0 a predicate (a word, a bit a lane), 4, 8, 16
  std::uint32_t offset = 0;  // of a register in the file; special register × 4 + part
  std::int64_t value = 0;    // shared: an address, to which the CTA's rank is added; frame: a place in a lane's frame
};

// How a copy of a tensor finds its rows: a box, four rows apart, pixels within bounds.
enum class BoxMode : std::uint8_t { tile, rows_apart, pixels };

// Of mma.sync: bits of an element, and how many registers A, B and D, or C, have.
int mma_width(Num type);
struct MmaRegisters {
  int a, b, sums;
};
MmaRegisters mma_registers(int m, int k, Num sum, Num element, bool sparse);

// Of wmma: what a fragment holds.
enum class Fragment : std::uint8_t { a, b, sum };
// The registers of a fragment of m × n × k.
int fragment_registers(Num type, Fragment fragment, int m, int n, int k);

// What an MMA does with a collector buffer (PTX ISA, tcgen05.mma): .dimensions has it, with the buffer from bit 2 on,
// A's or one of B's four.
enum class Collector : std::uint8_t { discard, fill, use, last_use };

struct Code {
  static constexpr std::uint32_t kNone = ~0u;
  Op op = Op::nop;
  Num type = Num::b32, from = Num::b32;  // from: of a conversion's source; a comparison's operands
  Num from_b = Num::b32;                 // of B, where A is of `from`
  Where where = Where::generic;
  Compare compare = Compare::eq;
  Combine combine = Combine::none;
  // What else the modifiers say, by op: decode.cpp.
  bool unordered = false, round_down = false, round_up = false, to_zero = false, saturate = false, relu = false;
  bool uniform = false, multicast = false, pair = false, relaxed = false, add = false, at_read = false, cluster = false;
  bool release = false, acquire = false;
  bool carry_in = false, carry_out = false;
  bool finite = false;       // what is too large is the largest number
  bool ftz = false;          // numbers too small for a normal exponent are 0
  bool sparse = false;       // A of an MMA holds half of k
  bool aligned = false;      // all lanes of a warp execute it together
  bool no_complete = false;  // an arrival that is not the last of its phase
  Scope scope = Scope::none;
  std::uint8_t vector = 1;  // registers of a load or store
  std::uint8_t dimensions = 0;
  std::int32_t extra = 0;  // a shape's number, an immediate
  std::uint32_t guard = kNone;
  bool guard_negated = false;
  std::uint16_t count = 0;  // of arguments
  std::uint32_t first = 0;
  std::uint32_t target = kNone;
  std::uint32_t function = kNone;
};

struct FunctionCode {
  // A function of those that the kernel reaches; the kernel is the last.
  struct Part {
    std::uint32_t first = 0;  // of its code
    const ptx_text::Function* function = nullptr;
    struct Formal {
      Arg place;  // a register, or in the frame
      std::int64_t bytes = 0;
    };
    std::vector<Formal> params, results;
  };
  const ptx_text::Module* module = nullptr;
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of;              // by the module's functions; Code::kNone: not reached
  std::vector<std::vector<std::uint32_t>> tables;  // of branches
  std::uint32_t start = 0;                         // where the kernel begins
  const Part* part_at(std::uint32_t at) const;
  const ptx_text::Instruction* instruction(std::uint32_t at) const;  // null: the end of a function
  std::vector<Code> code;
  std::vector<Arg> args;
  std::uint32_t register_bytes = 0;       // of a warp
  std::vector<std::uint32_t> predicates;  // where they lie among these
  std::int64_t frame_bytes = 0;           // of a lane: local variables, call frames, functions' parameters
  bool reserved_shared = false;           // it asks where reserved shared memory is
  std::int64_t shared_bytes = 0;          // static, from the start of shared memory on
  std::int64_t param_bytes = 0;
  std::vector<std::int64_t> param_offsets;
};

// What registers hold before they are written: no number of any type, nor one that an instruction makes.
inline constexpr std::uint32_t kUnwritten = 0x7ffb7ffd;

// Where a variable of the module lies in global memory.
using AddressOf = std::function<std::uint64_t(std::uint32_t variable)>;

// The first byte of shared memory that is the kernel's (CUDA programming guide: 1 KiB is the system's).
inline constexpr std::int64_t kSharedStart = 0x400;
// Of the system's, what libraries may use that ask for it by %reserved_smem_offset_1 (cooperative groups does, where
// several warps are one tile).
inline constexpr std::int64_t kReservedForLibraries = 0x200;

// Windows of the generic address space. What they are is the machine's own business: a kernel cannot tell.
inline constexpr std::uint64_t kSharedWindow = 0x7f00'0000'0000, kLocalWindow = 0x7e00'0000'0000,
                               kParamWindow = 0x7d00'0000'0000, kFunctionWindow = 0x7c00'0000'0000,
                               kWindow = 0x0100'0000'0000;
constexpr std::uint64_t address_of_function(std::uint32_t index) {
  return kFunctionWindow + 16 * (std::uint64_t{index} + 1);
}

// A kernel and what it calls. Nothing, where errors were reported: opcodes and operands that the machine does not have.
std::optional<FunctionCode> decode(const ptx_text::Module& module, const ptx_text::Function& function,
                                   const AddressOf& address_of, Diagnostics& diagnostics);

}  // namespace warpcc::checker::ptx
