// A small GEMM that is right, and the same broken in one place at a time: each mutant gets the complaint that names its
// fault.
#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;
using Kind = Finding::Kind;

namespace {

Options values() {
  Options options;
  options.clusters = Options::Clusters::all;
  options.values = true;
  return options;
}
const Options kValues = values();

std::string gemm() {
  return text_of("small_gemm.sass");
}

#define REPORTS(result, kind, text)    \
  do {                                 \
    CAPTURE((result).report);          \
    CHECK((result).found(kind, text)); \
    CHECK((result).outcome.failed());  \
  } while (false)

}  // namespace

TEST_CASE("the GEMM is right, by name and as coloured") {
  for (bool coloured : {false, true}) {
    Run result = run(gemm(), kValues, coloured);
    CAPTURE(result.report);
    CHECK_FALSE(result.outcome.failed());
    CHECK(result.outcome.findings.empty());
    CHECK(result.outcome.values_compared == 200 * 328);
    CHECK(result.outcome.operands_checked > 8000);
    CHECK(result.outcome.not_held == 0);
  }
}

TEST_CASE("a warp arrives by all of its lanes where one is counted") {
  Run result = run(changed(gemm(), "@one SYNCS.ARRIVE.TRANS64.RED.A1T0", "SYNCS.ARRIVE.TRANS64.RED.A1T0"));
  CHECK(result.found(Finding::Kind::protocol, "by more lanes than its phase waits for"));
}

TEST_CASE("an arrival dropped hangs, and the report says who waits for what") {
  Run result = run(without(gemm(), "; arrive inp.empty"));
  REPORTS(result, Kind::hang,
          "CTA 0 warp 1 waits on acc_empty[0] for the phase of parity 0: it is in phase 0, 8 of 8 arrivals to come, 0 "
          "bytes");
  CHECK(result.outcome.hangs >= 3);
}

TEST_CASE("bytes that nobody expects") {
  Run result = run(without(gemm(), "; expect out.full"));
  REPORTS(result, Kind::hang,
          "CTA 0 warp 1 waits on stage_full[0] for the phase of parity 0: it is in phase 0, 1 of 1 arrivals to come, "
          "-49152 bytes");
  REPORTS(result, Kind::hang, "-49152 bytes");
  CHECK(result.found(Kind::hang, "`load out.sa`"));
}

TEST_CASE("an expectation of other bytes") {
  Run more = run(changed(gemm(), "MOV phase_bytes, 0xc000", "MOV phase_bytes, 0x10000"));
  REPORTS(more, Kind::operand, "phase_bytes holds 0x10000 where a phase of stage is 0xc000");
  REPORTS(more, Kind::operand, "expects 65536 bytes at stage_full[0]; a phase has 49152");
  REPORTS(more, Kind::hang, "0 of 1 arrivals to come, 16384 bytes");
  Run fewer = run(changed(gemm(), "MOV phase_bytes, 0xc000", "MOV phase_bytes, 0xa000"));
  REPORTS(fewer, Kind::hang, "0 of 1 arrivals to come, -8192 bytes");
  Run too_many = run(changed(gemm(), "MOV phase_bytes, 0xc000", "MOV phase_bytes, 0x100000"));
  REPORTS(too_many, Kind::protocol, "a phase counts 1048575 at most");
}

TEST_CASE("a load dropped") {
  REPORTS(run(without(gemm(), "; load out.sb")), Kind::hang, "0 of 1 arrivals to come, 32768 bytes");
}

TEST_CASE("a descriptor's bits") {
  Run start = run(changed(gemm(), "UMOV sb_desc, 0x10440", "UMOV sb_desc, 0x10441"), kValues);
  REPORTS(start, Kind::operand,
          "sb_desc holds 0x10441, a descriptor's low word that does not reach sb[0][.., 0 +: 16]");
  REPORTS(start, Kind::operand, "A's descriptor");
  REPORTS(start, Kind::values, "the product");
  Run stride = run(changed(gemm(), "desc_a.1, 0x40004040", "desc_a.1, 0x40004080"), kValues);
  REPORTS(stride, Kind::operand, "desc_a.1 holds 0x40004080");
  Run swizzle = run(changed(gemm(), "desc_b.1, 0x40004040", "desc_b.1, 0x80004040"), kValues);
  REPORTS(swizzle, Kind::operand, "desc_b.1 holds 0x80004040");
  REPORTS(swizzle, Kind::values, "the product");
}

TEST_CASE("a tensor map's swizzle") {
  Run result = run(changed(gemm(), ".tmap b 328 168 2 128 64 128", ".tmap b 328 168 2 128 64 0"), kValues);
  REPORTS(result, Kind::operand, "element (1, 0) of the box of b lies at");
  REPORTS(result, Kind::values, "the product");
}

TEST_CASE("an instruction descriptor's bits") {
  Run half = run(changed(gemm(), "zero_idesc.1, 0x10200010", "zero_idesc.1, 0x08200010"), kValues);
  REPORTS(half, Kind::operand, "it says M = 128, N = 128, where A has 128 rows and B 64 in a CTA");
  Run none = run(changed(gemm(), "zero_idesc.1, 0x10200010", "zero_idesc.1, 0x20200010"));
  REPORTS(none, Kind::protocol, "the instruction descriptor 0x20200010 is no MMA of a pair");
  Run bf16 = run(changed(gemm(), "zero_idesc.1, 0x10200010", "zero_idesc.1, 0x10200090"));
  REPORTS(bf16, Kind::operand, "it says bf16 × f16 to f32");
}

TEST_CASE("the ring's address") {
  Run result = run(changed(gemm(), "UIMAD sa@stage, stage_pos, 0x2000", "UIMAD sa@stage, stage_pos, 0x4000"));
  REPORTS(result, Kind::operand,
          "sa@stage holds 0x4400 where sa[1] is 0x2400 (role loads, CTA 0 warp 0, stage_pos = 1)");
}

TEST_CASE("the wrong operand, of the right value's kind") {
  Run result = run(changed(gemm(), "UTMALDG.2D.2CTA [load_b], [map_b]", "UTMALDG.2D.2CTA [load_a], [map_b]"));
  REPORTS(result, Kind::operand, "held to sb[0] at 0x4400");
}

TEST_CASE("accumulators read too early, or never written") {
  Run early = run(without_wait(gemm(), "acc_full[s_pos]"));
  REPORTS(early, Kind::memory, "reads column 0 of tensor memory, which no MMA has written");
  Run added = run(changed(gemm(), "UMOV first, 0x0", "UMOV first, 0x1"), kValues);
  REPORTS(added, Kind::memory, "adds to column 0 of tensor memory, which no MMA has written");
  Run no_commit = run(without(gemm(), "; commit.pair out.full"));
  REPORTS(no_commit, Kind::hang, "waits on acc_full[0]");
  // Four warps of each CTA wait for the same: told once, counted each.
  REPORTS(no_commit, Kind::hang, "so do warps 5, 6, 7");
  REPORTS(no_commit, Kind::hang, "no statement of the program signals it");
  REPORTS(no_commit, Kind::hang, "there: acc_full[0], s_pos = 0, row = 0, col = 0, s_tile = 0");
  REPORTS(no_commit, Kind::hang, "not arrived: CTA 0 warp 0, ");
  CHECK(no_commit.outcome.hangs == 16);
  CHECK(no_commit.outcome.findings.size() == 7);
}

TEST_CASE("accumulators overwritten too early") {
  // The third tile begins in the columns of the first, which the storing warps have not read.
  Run result = run(without_wait(gemm(), "acc_empty[a_pos]"), kValues);
  CAPTURE(result.report);
  CHECK(result.outcome.failed());
}

TEST_CASE("stages read before they are full, or freed before they are read") {
  Run early = run(without_wait(gemm(), "stage_full[m_pos]"));
  REPORTS(early, Kind::memory, "reads A at 0x4400 (sb[0][0, 0]), which nothing has written");
  REPORTS(early, Kind::race, "the tensor core reads for `mma.pair");  // of what is not there yet, too
  std::string line =
      "  UTCBAR.2CTA.MULTICAST [empty@m], URZ, stage_mask = stage_empty[m_pos] ; commit.pair inp.empty\n";
  std::string moved = changed(gemm(), line, "");
  moved = changed(moved, "  UISETP.NE.U32.AND accumulate,", line + "  UISETP.NE.U32.AND accumulate,");
  Run freed = run(moved);
  REPORTS(freed, Kind::memory, "which an MMA or a store under way has yet to read");
  Run refilled = run(without_wait(gemm(), "stage_empty[stage_pos] ; wait out.empty"));
  CAPTURE(refilled.report);
  CHECK(refilled.outcome.failed());
}

TEST_CASE("a barrier's count") {
  std::string text = changed(gemm(), "UMOV counts_8.0, 0x1ffff0", "UMOV counts_8.0, 0x1ffff2");
  Run result = run(changed(text, "UMOV counts_8.1, 0x7fffc000", "UMOV counts_8.1, 0x7fffc800"));
  REPORTS(result, Kind::operand, "initialises acc_empty[0] to 7 arrivals; a phase has 8");
  REPORTS(run(without(gemm(), "; init acc_empty[1]")), Kind::protocol, "acc_empty[1], which nothing has initialised");
  REPORTS(run(changed(gemm(), "UMOV counts.0, 0x1ffffe", "UMOV counts.0, 0x1ffffc")), Kind::protocol,
          "which say no count");
}

TEST_CASE("whom a commit signals") {
  Run result = run(changed(gemm(), "UMOV stage_mask, 0x3", "UMOV stage_mask, 0x1"));
  REPORTS(result, Kind::operand,
          "stage_mask holds 0x1 where the CTAs where stage_empty is signalled from here are 0x3");
  REPORTS(result, Kind::hang, "CTA 1 warp 0 waits on stage_empty[0]");
  REPORTS(run(changed(gemm(), "UMOV stage_mask, 0x3", "UMOV stage_mask, 0x7")), Kind::memory,
          "commits to CTA 2 of a cluster of 2");
  REPORTS(run(changed(gemm(), "UTCBAR.2CTA.MULTICAST [acc_bar], URZ, acc_mask", "UTCBAR.2CTA [acc_bar], URZ")),
          Kind::operand, "commits to the CTAs 0x1; acc_full[0] is signalled from here in 0x3");
}

TEST_CASE("one CTA and the pair, mixed") {
  REPORTS(run(changed(gemm(), "UTCATOMSWS.2CTA", "UTCATOMSWS")), Kind::protocol,
          "mixes `UTCHMMA` for the pair with `UTCATOMSWS` for one CTA: a kernel has one cta_group");
  std::string text = gemm();
  for (std::size_t at; (at = text.find("UTCHMMA.2CTA")) != std::string::npos;) text.erase(at + 7, 5);
  REPORTS(run(text), Kind::protocol, "a kernel has one cta_group");
}

TEST_CASE("a store's source, written again before it is read") {
  std::string text = gemm();
  std::string store = "staging[warp][0] ; store\n  UTMACMDFLUSH ; store.commit\n",
              wait = "  DEPBAR.LE SB0, 0x1 ; store.wait.read 1\n";
  for (std::size_t at; (at = text.find(store + wait)) != std::string::npos;) text.erase(at + store.size(), wait.size());
  REPORTS(run(text), Kind::memory, "which a store of the copy engine or an MMA has yet to read");
}

TEST_CASE("parities and positions") {
  REPORTS(run(changed(gemm(), "MOV stage_parity, 0x80000000", "MOV stage_parity, 0x0")), Kind::hang,
          "waits on stage_empty[0] for the phase of parity 0: it is in phase 0, 1 of 1 arrivals to come");
  REPORTS(run(changed(gemm(), "@!m_stays_p LOP3.LUT m_parity, m_parity, 0x80000000",
                      "@!m_stays_p LOP3.LUT m_parity, m_parity, 0x0")),
          Kind::hang, "stage_full");
}

TEST_CASE("index values leave their ranges") {
  REPORTS(run(changed(gemm(), "USHF.L.U32 row, l_low, 0x7", "USHF.L.U32 row, l_low, 0x8")), Kind::range,
          "writes 256 to row, declared 0 .. 256 by 128");
  REPORTS(run(changed(gemm(), "USHF.L.U32 row, l_low, 0x7", "USHF.L.U32 row, l_low, 0x6")), Kind::range,
          "writes 64 to row");
}

TEST_CASE("where a tile is stored") {
  Run result =
      run(changed(gemm(), "UIADD3 store_c.2, UPT, UPT, row, 0x8,", "UIADD3 store_c.2, UPT, UPT, row, 0x9,"), kValues);
  REPORTS(result, Kind::operand, "store_c.2 holds 0x9 where the expression is 0x8");
  REPORTS(result, Kind::operand, "reaches c[9, 0] by a box of 8 × 32, held to c[8 +: 8, 0 +: 32]");
  REPORTS(result, Kind::values, "the product");
  Run bytes = run(changed(gemm(), "UIMAD s_col, rank, 0x80, col", "UIMAD s_col, rank, 0x7f, col"));
  REPORTS(bytes, Kind::protocol, "is no multiple of 16 bytes");
}

TEST_CASE("shared memory read and written too early") {
  REPORTS(run(without(gemm(), "; store.wait.read 1", 16)), Kind::memory,
          "which a store of the copy engine or an MMA has yet to read");
  REPORTS(run(changed(gemm(), "STS [s_slot+0x80], v.1 =", "STS [s_slot+0x84], v.1 =", 4)), Kind::operand,
          "held to staging[0][0][1, 0]");
  REPORTS(run(without(gemm(), "STS [s_slot+0x80], v.1 ", 4)), Kind::memory, "which nothing has written");
  REPORTS(run(changed(gemm(), "UIADD3 s_staging, UPT, UPT, s_staging, 0xc400",
                      "UIADD3 s_staging, UPT, UPT, s_staging, 0xe400")),
          Kind::protocol, "a live barrier, as data");
}

TEST_CASE("tensor loads that are not waited for") {
  Run result = run(without(gemm(), "; ld.wait", 4));
  REPORTS(result, Kind::protocol, "which a tensor load still fills: `ld.wait` comes first");
  REPORTS(result, Kind::protocol, "frees a stage of accumulator while tensor loads are under way");
}

TEST_CASE("tensor memory's allocation") {
  REPORTS(run(without(gemm(), "; free.pair")), Kind::protocol, "exits with 256 columns of tensor memory allocated");
  REPORTS(run(changed(gemm(), "UTCATOMSWS.AND f_tmem, 0x8", "UTCATOMSWS.AND f_tmem, 0x4")), Kind::protocol,
          "exits with 128 columns");
  REPORTS(run(changed(gemm(), "ALIGN [window+0xe440], 0x8", "ALIGN [window+0xe440], 0x7")), Kind::protocol,
          "a power of two from 32 to 512");
  REPORTS(run(changed(gemm(), "ALIGN [window+0xe440], 0x8", "ALIGN [window+0xe440], 0x4")), Kind::memory,
          "which are not allocated");
}

TEST_CASE("the grid before is waited for by every warp that reaches global memory") {
  std::string text = gemm();
  std::size_t at = text.find("  ACQBULK");
  text.erase(at, text.find('\n', at) + 1 - at);
  REPORTS(run(text), Kind::protocol, "has waited for the grid before (ACQBULK)");
}

TEST_CASE("barriers of other CTAs") {
  REPORTS(run(changed(gemm(), "SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [s_free]", "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [s_free]")),
          Kind::protocol, "this form reaches its own CTA, 1, alone");
  REPORTS(run(changed(gemm(), "UTMALDG.2D.2CTA [load_a]", "UTMALDG.2D [load_a]")), Kind::protocol, "takes .2CTA");
  REPORTS(run(changed(gemm(), "UIADD3 leader_full, UPT, UPT, leader, 0xe400",
                      "UIADD3 leader_full, UPT, UPT, leader, 0xe408")),
          Kind::operand, "leader_full holds 0xe408 where stage_full at (half = 0)[0] is 0xe400");
}

TEST_CASE("lines that are held to nothing") {
  std::string text = changed(gemm(), "; commit.pair out.full", "");
  text = changed(text, " = acc_full[a_pos] \n", "\n");
  Run counted = run(text);
  CHECK(counted.outcome.not_held == 1);
  CHECK_FALSE(counted.outcome.failed());
  Options strict;
  strict.require_held = true;
  CHECK(run(text, strict).outcome.failed());
}

TEST_CASE("lanes that part, and uniform values that are none") {
  REPORTS(run(changed(gemm(), "~ @k_more BRA LOADS_K", "~ @one BRA LOADS_K")), Kind::protocol,
          "the lanes of the warp part here: 1 of 32 go on");
  REPORTS(run(changed(gemm(), "~ SHF.R.U32.HI warp_lanes, RZ, 0x5, tid", "~ SHF.R.U32.HI warp_lanes, RZ, 0x4, tid")),
          Kind::protocol, "differs between lanes");
}

TEST_CASE("a colouring that gives two live values one register") {
  Run result = run_in_one_register(gemm(), "k_at", "stage_pos");
  REPORTS(result, Kind::colouring, "reads stage_pos as 0x0 by name, and 0x");
  CHECK(result.outcome.operands_wrong == 0);
}

TEST_CASE("a role's code is for its own warps and CTAs") {
  REPORTS(run(changed(gemm(), ".role mma warps 1 .. 2 at half = 0", ".role mma warps 2 .. 3 at half = 0")),
          Kind::protocol, "does the work of role mma, which is of warps 2 .. 3 at half = 0");
  REPORTS(run(changed(gemm(), ".role stores warps 4 .. 8", ".role stores warps 4 .. 8 at half = 0")), Kind::protocol,
          "does the work of role stores, which is of warps 4 .. 8 at half = 0");
}

TEST_CASE("a header that says one thing in two ways") {
  REPORTS(run(changed(gemm(), "arrivals 1 bytes 49152", "arrivals 1 bytes 49151")), Kind::protocol,
          "stage_full is said to count 49151 bytes a phase, and the tiles of stage have 49152");
  REPORTS(run(changed(gemm(), "carries sa, sb to half = 0", "carries sa, sb to half = 1")), Kind::protocol,
          "the consumers of stage are said to stand at 1 along an axis, and role mma, which holds it, at 0");
}
