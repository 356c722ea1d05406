// The instruction set as data: one row an opcode (opcodes.def), one row a statement of the language (statements.def).
// The language's types, the SASS printer and reader, liveness, the checker and the lift read these tables; none keeps a
// list of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpcc::isa {

enum class Target : std::uint8_t { sm_100a, sm_90a };
std::optional<Target> target_named(std::string_view name);
std::string_view name(Target target);

// A set of targets; bit i is Target i.
using Targets = std::uint8_t;
constexpr Targets kSm100a = 1, kSm90a = 2, kAll = 3;
constexpr bool has(Targets set, Target target) {
  return set >> static_cast<int>(target) & 1;
}

// The register files. r, p: a value a lane; ur, up: a value a warp.
enum class File : std::uint8_t { r, ur, p, up };
std::string_view word(File file);      // "r", "ur", "p", "up": the language's word
std::string_view prefix(File file);    // "R", "UR", "P", "UP": SASS's
std::string_view constant(File file);  // "RZ", "URZ", "PT", "UPT": the register that is always zero, or true
// Registers that colouring may use, of one warp. r: 255 less what `registers` leaves; ur: sm_100a 80, sm_90a 63; p,
// up: 7.
int registers(File file, Target target);

// What an SM has for the CTAs that are on it, of general registers (CUDA C++ Programming Guide, technical
// specifications), and what a thread is given that asks for `wanted`: warps get them by units of 256.
inline constexpr int kRegistersOfSm = 65'536;
inline int registers_allocated(int wanted) {
  return (wanted + 7) / 8 * 8;
}

// Who executes an instruction.
enum class Issue : std::uint8_t {
  lane,       // each active lane for itself: a lane guard is allowed
  warp,       // all lanes together: no lane guard
  once,       // once a warp, whatever lanes are active
  warpgroup,  // four warps together (Hopper's MMA)
};

// ---- SASS opcodes

// What may stand in an operand's place, as bits.
using Takes = std::uint32_t;
enum : Takes {
  kR = 1 << 0,
  kUR = 1 << 1,
  kP = 1 << 2,
  kUP = 1 << 3,
  kImmediate = 1 << 4,
  kShared = 1 << 5,       // [x+0x30]: x a register or uniform register, 32-bit shared address
  kGlobal = 1 << 6,       // desc[ur][r.64+0x10], or [r.64]
  kTensor = 1 << 7,       // tmem[ur+0x40]
  kGdesc = 1 << 8,        // gdesc[ur]: always a pair of uniform registers, whatever the slot's width
  kIdesc = 1 << 9,        // idesc[ur]
  kVector = 1 << 10,      // [ur]: the copy engine's vector of uniform registers
  kMap = 1 << 11,         // [map_NAME]: a tensor map
  kSpecial = 1 << 12,     // SR_TID.X …
  kScoreboard = 1 << 13,  // SB0
  kLabel = 1 << 14,
  kConstant = 1 << 15,  // c[0x0][0x358]
  kGroups = 1 << 24,    // gsb0: the groups of a warpgroup's MMAs (bits 16 to 23 are the language's, below)
};

// One operand's place in an opcode's row.
struct Slot {
  Takes takes = 0;
  bool out = false;
  bool in = true;
  bool negates = false;    // -x, or !p
  bool optional = false;   // may be left out at the end
  std::uint8_t width = 1;  // registers of a group; 0: from the modifiers (width_of)
};

// Every opcode by name: Op::UIADD3, Op::SYNCS … The name is SASS's, with what would be '.' or a keyword written '_'.
enum class Op : std::uint16_t {
#define OPCODE(op, ...) op,
#define FORM(op, ...)
#include "isa/opcodes.def"
#undef OPCODE
#undef FORM
  count
};

// Modifiers (`.U32`, `.TRYWAIT`, `.2CTA`) are small numbers into one table of words, in the order they are written.
enum class Modifier : std::uint8_t {};
std::optional<Modifier> modifier_named(std::string_view word);
std::string_view word(Modifier modifier);

// An opcode's row. `forms` lists every sequence of modifiers that it has, as in sass-map section 6: "" or
// ".ARRIVE.TRANS64.RED.A1T0". A slot list may depend on the form (SYNCS) or the target (IADD3): then there are several
// rows of one Op, told apart by both.
struct Opcode {
  Op op;
  std::string_view name;  // "SYNCS"
  std::vector<std::string_view> forms;
  std::vector<Slot> slots;
  Issue issue;
  Targets targets;
  std::string_view lift;  // how it lifts to PTX: docs in opcodes.def
};

// The row for an opcode and its modifiers as written ("SYNCS.ARRIVE.TRANS64") on a target, or on any (the first that
// has it); or null.
const Opcode* find(std::string_view spelled);
const Opcode* find(std::string_view spelled, Target target);
std::span<const Opcode> opcodes();
// A known spelling close to this one, for messages; may be empty.
std::string_view nearest_opcode(std::string_view spelled);
// `-`, `.U32`, … taken apart: the modifiers of a spelling, none where one is unknown.
std::optional<std::vector<Modifier>> modifiers_of(std::string_view spelled);
// Registers of slot `slot` under these modifiers (LDTM.x32: 32; LDS.128: 4; UIMAD.WIDE: 2).
int width_of(const Opcode& opcode, int slot, std::span<const Modifier> modifiers);

// ---- The language's statements

// What a statement's operand may be, as bits above those of registers (kR, kUR, kP, kUP, kImmediate).
enum : Takes {
  kSharedView = 1 << 16,
  kGlobalView = 1 << 17,
  kTensorView = 1 << 18,
  kFragment = 1 << 19,  // a whole `regs` fragment
  kBarrier = 1 << 20,   // x.full, x.empty of a pipe's end (or of a pipe, in start)
  kNamedBarrier = 1 << 21,
  kBuffer = 1 << 22,           // a global buffer by name (prefetch)
  kSpecialRegister = 1 << 23,  // ctaid.x …
};

// What a statement is to the type checker. `plain` statements are their SASS template and nothing else.
enum class Does : std::uint8_t {
  plain,
  load,
  copy_cluster,  // shared memory to that of another CTA
  store,
  store_add,
  store_commit,
  store_wait,
  store_wait_read,
  prefetch,
  mma,
  mma_fence,  // Hopper: what lanes did to accumulators comes before what follows
  mma_wait,
  commit,
  ld_tensor,
  ld_wait,
  st_tensor,
  st_wait,
  alloc,
  relinquish,
  free_,
  init,
  arrive,
  expect,
  wait,
  probe,
  cancel,
  sync,
  sync_arrive,
  warpsync,
  cluster_arrive,
  cluster_arrive_relaxed,
  cluster_wait,
  fence_async,
  fence_async_global,
  fence_gpu,
  fence_init,
  grid_wait,
  grid_launch,
  shared_access,  // lds, sts
  global_access,  // ldg, stg, redg
};

struct StatementSlot {
  Takes takes = 0;
  bool out = false;
  bool negates = false;
  std::uint8_t width = 1;               // registers of a group; 0: any
  bool optional = false;                // may be left out at the end
  std::optional<std::int64_t> neutral;  // … and what it stands for then (predicates: 1 true)
};

// A statement's row. `sass` is the instruction that it becomes, `$0`, `$1` … its operands:
//     ushf.r.u32   ur! ur ur|imm    USHF.R.U32.HI $0, URZ, $2, $1
struct Statement {
  std::string_view word;  // "ushf.r.u32"
  Does does;
  std::vector<StatementSlot> slots;
  std::string_view sass;  // empty where codegen decides (tiles, barriers)
  Issue issue;
  Targets targets;
};

// The row of a statement as written ("mma.pair", "uisetp.lt.u32") on a target, or on any (the first that has it); or
// null. A word has a row a target where the SASS differs. `nearest` is a known word close to it, for messages.
const Statement* statement(std::string_view word);
const Statement* statement(std::string_view word, Target target);
std::string_view nearest_statement(std::string_view word);
std::span<const Statement> statements();

// Special registers: the language's name (PTX's: "ctaid.x"), SASS's ("SR_CTAID.X"), PTX's ("%ctaid.x").
struct SpecialRegister {
  std::string_view name, sass, ptx;
};
std::span<const SpecialRegister> special_registers();

// The words for what a slot takes, for messages: "a uniform register (ur) or an immediate".
std::string words(Takes takes);

}  // namespace warpcc::isa
