#include "lsp/vocabulary.h"

#include <algorithm>

namespace warpcc::lsp {
namespace {

constexpr KnownWord kIndices[] = {
    {"lane", "", "the lane of the warp, 0 .. 32"},
    {"warp", "", "the warp within the role"},
    {"warpgroup", "", "four warps within the role"},
    {"cluster_id", "", "the cluster of the grid"},
};

constexpr KnownWord kFacts[] = {
    {"one", "@one", "the elected lane"},
    {"inside", "@(inside)", "the access lies in its buffer"},
};

constexpr KnownWord kFunctions[] = {
    {"min", "min(a, b, …)", "the least"},
    {"max", "max(a, b, …)", "the greatest"},
    {"ceil_div", "ceil_div(a, b)", "a quotient, rounded up"},
    {"log2", "log2(n)", "a logarithm, rounded down"},
    {"bytes", "bytes(ELEMENT)", "bytes of an element type"},
    {"compose", "compose(g, f)", "g at the coordinates that f's value stands for"},
    {"complement", "complement(L, n)", "what completes L to 0 .. n"},
    {"divide", "divide(L, t)", "L over (in the tile, which tile)"},
    {"product", "product(L, m)", "repetitions of L at m's places"},
    {"row_major", "", "the last coordinate fastest"},
    {"col_major", "", "the first coordinate fastest"},
    {"k_major", "", "the last coordinate fastest"},
    {"mn_major", "", "the first coordinate fastest"},
    {"target", "", "the kernel's target"},
    {"sm_100a", "", "Blackwell: tcgen05, tensor memory, CTA pairs"},
    {"sm_90a", "", "Hopper: wgmma, accumulators in registers"},
};

constexpr KnownWord kKeywords[] = {
    {"use", "use \"FILE\" [as NAME];", "brings in a file: its names are reached behind the module's"},
    {"param", "param NAME: TYPE = DEFAULT;", "a value that `-D NAME=VALUE` sets, else `tune`, else the default"},
    {"const", "const NAME = EXPRESSION;", "a compile-time value"},
    {"require", "require CONDITION, \"MESSAGE\";", "refuses what the program is not made for"},
    {"tune", "tune (NAMES) { (PATTERNS) [when CONDITION] => { PARAMETER: value, … } … }",
     "sets parameters by others: the first row that matches"},
    {"fn", "fn NAME(x: TYPE, …) -> TYPE = EXPRESSION;", "a compile-time function"},
    {"enum", "enum NAME { CASE, CASE(x: TYPE, …), … }", "a compile-time type of cases"},
    {"struct", "struct NAME { x: TYPE, … }, or with registers for fields",
     "compile-time values, or registers, together"},
    {"proc", "proc NAME(x: KIND, …) { … }", "statements that stand where it is called"},
    {"kernel", "kernel NAME(x: global ELEMENT[SHAPE], …) on TARGET, grid (…), … { … }", "what each warp of a CTA does"},
    {"global", "NAME: global [in|out|inout|kept] ELEMENT[SHAPE] [in LAYOUT]", "a buffer in global memory"},
    {"inout", "", "read and written"},
    {"kept", "", "memory of the kernel's own: zero before its first launch, untouched between launches"},
    {"grid", "grid (x, y, z)", "how many CTAs, in up to three dimensions"},
    {"cluster", "cluster (AXIS: n, …)", "CTAs that share: the axes by which they are named, the fastest first"},
    {"registers", "registers n", "what a thread has: of a kernel at its launch, of a role from there on"},
    {"shared", "shared NAME: [ring(n) of] [warps(n) of] ELEMENT[SHAPE] [in LAYOUT];", "a buffer in shared memory"},
    {"tensor", "tensor NAME: [ring(n) of] ELEMENT[SHAPE] in LAYOUT;", "a buffer in tensor memory"},
    {"ring", "ring(n) of …", "n copies; of a pipe: its stages"},
    {"warps", "warps(n) of …, or on warps a .. b", "a copy a warp; of a role: which warps run it"},
    {"warpgroups", "warpgroups(n) of …, or on warpgroups a .. b", "four warps, aligned, as one"},
    {"pipe", "pipe NAME: ring(n) [carries (BUFFERS)] [from PINS] [to PINS] [across AXIS] [broadcast];",
     "hands stages from a producer to a consumer: a full and an empty barrier each"},
    {"carries", "carries (BUFFER, …)", "the rings whose tiles a pipe hands over"},
    {"from", "from AXIS = n", "the CTAs that hold the producer's end"},
    {"to", "to AXIS = n", "the CTAs that hold the consumer's end"},
    {"across", "across AXIS",
     "of a load: to every CTA along the axis; of a pipe: its stages are filled by all of those together"},
    {"broadcast", "", "several roles hold the consumer's end, and each takes every stage"},
    {"barrier", "barrier NAME: n warps;", "a named barrier, for `sync` and `sync.arrive`"},
    {"role", "role NAME(END: producer|consumer PIPE, …) on warp n [at AXIS = n] [registers n] { … }",
     "what some warps do"},
    {"producer", "NAME: producer PIPE", "the end that waits for `empty`, writes the tiles, signals `full`"},
    {"consumer", "NAME: consumer PIPE", "the end that waits for `full`, reads the tiles, signals `empty`"},
    {"at", "at AXIS = n, or BUFFER at (AXIS = n)", "in the CTAs that are there; a buffer of another CTA"},
    {"start", "start { … }", "what all warps do first"},
    {"finish", "finish { … }", "what all warps do last"},
    {"r", "r NAME, …;", "registers: 32 bits a lane"},
    {"ur", "ur NAME, …;", "uniform registers: 32 bits a warp"},
    {"p", "p NAME, …;", "predicates, one a lane"},
    {"up", "up NAME, …;", "uniform predicates, one a warp"},
    {"regs", "regs NAME: ELEMENT[SHAPE] in LAYOUT; or regs NAME: STRUCT(…);",
     "a tile that is spread over lanes; or the registers of a struct"},
    {"let", "let NAME = VIEW;", "a name for a view or a coordinate; emits nothing"},
    {"if", "if CONDITION { … } else { … }", "known at compile time: one branch is kept"},
    {"else", "", "the other branch"},
    {"match", "match VALUE { PATTERN => { … } … }", "known at compile time: the first arm that matches is kept"},
    {"is", "VALUE is PATTERN", "tests the form of a value"},
    {"for", "for NAME in a .. b [by n] { … }", "unrolled, with a compile-time value"},
    {"loop", "loop NAME in a .. b [by n] { … }, or loop { … break when CONDITION; … }",
     "runs, and counts in a register"},
    {"by", "by n", "the step"},
    {"break", "break when CONDITION;", "leaves the loop where a uniform predicate holds"},
    {"when", "when CONDITION { … } else { … }", "branches at run time, where a uniform predicate holds"},
    {"on", "on (FACTS) { … }", "for the warps and CTAs where the facts hold"},
    {"fill", "fill END { … }", "holds one stage of a producer; the ring steps when the block closes"},
    {"take", "take END { … }", "holds one stage of a consumer; the ring steps when the block closes"},
    {"drain", "drain END { wait END.empty; }", "a producer's last round: waits until its stages have been freed"},
    {"turn", "turn END of n { … }", "n stages that one team of the role takes"},
    {"int", "", "a compile-time integer of 64 bits"},
    {"bool", "", "`true` or `false`, at compile time"},
    {"type", "", "an element type, as a value"},
    {"index", "", "a coordinate"},
};

const KnownWord* find(llvm::ArrayRef<KnownWord> words, std::string_view name) {
  const KnownWord* found =
      std::find_if(words.begin(), words.end(), [&](const KnownWord& each) { return each.name == name; });
  return found == words.end() ? nullptr : found;
}

}  // namespace

llvm::ArrayRef<KnownWord> indices() {
  return kIndices;
}
llvm::ArrayRef<KnownWord> facts() {
  return kFacts;
}
llvm::ArrayRef<KnownWord> functions() {
  return kFunctions;
}
llvm::ArrayRef<KnownWord> keywords() {
  return kKeywords;
}

const KnownWord* known_word(std::string_view name) {
  for (llvm::ArrayRef<KnownWord> words : {keywords(), indices(), facts(), functions()}) {
    if (const KnownWord* found = find(words, name)) return found;
  }
  return nullptr;
}

}  // namespace warpcc::lsp
