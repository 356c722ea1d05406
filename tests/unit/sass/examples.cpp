#include "examples.h"

namespace warpcc::sass::testing {

const char* const kLoads = R"(.kernel hopper_gemm
.sm sm_90a
.threads 288
.dynsmem 229472
.tmap a 4096 4096 2 128 64 128
.tmap b 4096 4096 2 128 64 128
.tmap c 4096 4096 4 16 32 128
.grid 132 1
.cluster 1 mate:1
.mbarriers 12
.form named
.buffer a global map a f16 (4096, 4096) : (4096, 1)
.buffer b global map b f16 (4096, 4096) : (4096, 1)
.buffer c global map c f32 (4096, 4096) : (4096, 1)
.buffer sa shared 0x400 x6 f16 (128, 64) : (64, 1) swizzle 128
.buffer sb shared 0x18400 x6 f16 (128, 64) : (64, 1) swizzle 128
.buffer staging shared 0x30400 x8 x2 f32 (16, 32) : (32, 1) swizzle 128
.mbar stage_full 0x38400 x6 arrivals 1 bytes 32768
.mbar stage_empty 0x38430 x6 arrivals 4  ; 4 warps of one of 2 teams of consumers
.bar stage_turn 1 x2 threads 256
.pipe stage x6 stage_full stage_empty carries sa, sb turns 2 of 64
.value w.row ur 0 .. 4096 by 128
.value w.col ur 0 .. 4096 by 128
.role loads warps 8 .. 9 holds stage.producer
~ UMOV smem, 0x38400
~ UMOV sa, 0x400
~ UMOV sb, 0x18400
~ ELECT one, URZ, PT                              = (one)
~ UMOV stage_pos, 0x0                             = (0)
~ MOV stage_parity, 0x80000000
~ MOV stage_bytes, 0x8000                         = bytes stage
~ MOV k, 0x0
  S2UR w.row, SR_CTAID.X
  UMOV w.col, 0x0
+ UMOV load_a.3, w.row                            = (w.row)
+ UMOV load_b.3, w.col                            = (w.col)
+ UMOV k_at, 0x0
LOOP_2:
~ IADD3 k, k, 0x1, RZ                                                                                        ; loop k in begin .. 64  gemm.wk:12
~ ISETP.LT.U32.AND k_more, PT, k, 0x40, PT
+ UIADD3 k_at, k_at, 0x40, URZ                    = (k * 64)
~ UISETP.NE.U32.AND stage_stays, UPT, stage_pos, 0x5, UPT                                                    ; fill out
+ UIMAD stage_bar@stage, stage_pos, 0x8, smem     = addr stage_full[stage_pos]
+ UIMAD sa@stage, stage_pos, 0x4000, sa           = addr sa[stage_pos][0, 0]
+ UIMAD sb@stage, stage_pos, 0x4000, sb           = addr sb[stage_pos][0, 0]
WAIT_3:
  SYNCS.PHASECHK.TRANS64.TRYWAIT waited, [stage_bar@stage+0x30], stage_parity = stage_empty[stage_pos]       ; wait out.empty
~ @!waited NANOSLEEP.SYNCS 0xc350
~ @!waited BRA WAIT_3
  @one SYNCS.ARRIVE.TRANS64 RZ, [stage_bar@stage], stage_bytes = stage_full[stage_pos]                       ; @one expect out.full
+ UMOV load_a.0, sa@stage                         = addr sa[stage_pos][0, 0]
+ UMOV load_a.1, stage_bar@stage                  = addr stage_full[stage_pos]
+ UMOV load_a.2, k_at                             = (k * 64)
  UTMALDG.2D [load_a], [map_a]                    = sa[stage_pos], a[w.row +: 128, k * 64 +: 64], stage_full[stage_pos] ; load out.sa, …
+ UMOV load_b.0, sb@stage                         = addr sb[stage_pos][0, 0]
+ UMOV load_b.1, stage_bar@stage                  = addr stage_full[stage_pos]
+ UMOV load_b.2, k_at                             = (k * 64)
  UTMALDG.2D [load_b], [map_b]                    = sb[stage_pos], b[w.col +: 128, k * 64 +: 64], stage_full[stage_pos] ; load out.sb, …
~ PLOP3.LUT stage_stays_p, PT, PT, PT, stage_stays, 0x80, 0x8                                                ; the block closes
~ @stage_stays UIADD3 stage_pos, stage_pos, 0x1, URZ
~ @!stage_stays UIADD3 stage_pos, stage_pos, -0x5, URZ
~ @!stage_stays_p LOP3.LUT stage_parity, stage_parity, 0x80000000, RZ, 0x3c, !PT
~ @k_more BRA LOOP_2                                                                                         ; the loop closes
~ EXIT
)";

const char* const kPair = R"(.kernel pair
.sm sm_100a
.threads 192
.registers 200
.dynsmem 100000
.tmap a 2048 2048 2 64 64 128
.tmap c_staging 2048 2048 4 8 32 0 of c
.param raised 0
.grid 148 1
.cluster 2 half:2
.mbarriers 16
.form named
.buffer a global map a f16 (2048, 2048) : (2048, 1)
.buffer c global map c_staging f32 (2048, 2048) : (2048, 1)
.buffer raised global param raised u32 (64) : (1) kept valid (48)
.buffer sa shared 0x400 x8 by 16384 f16 (64, 64) : (64, 1) swizzle 128
.buffer acc tensor 0 x2 f32 (128, (64, 2)) : (65536, (1, 64))
.mbar stage_full 0x20400 x8 arrivals 1 bytes 32768
.mbar stage_empty 0x20440 x8 arrivals 1
.pipe stage x8 stage_full stage_empty carries sa from half = 0 to half = 1 across half
.word tmem_base 0x20480
.start
  UTCATOMSWS.2CTA.FIND_AND_SET.ALIGN [word], 0x8  = tmem_base                                                ; alloc.pair  gemm.wk:64
+ S2UR cta_rank, SR_CgaCtaId                      = (half)
+ USHF.L.U32 word, cta_rank, 0x18, URZ
+ UMOV counts.0, 0x1ffffe
+ UMOV counts.1, 0x7ffff800
  SYNCS.EXCH.64 URZ, [word+0x20440], counts       = stage_empty[0]
.role mma warps 1 .. 2 at half = 0 holds stage.consumer
+ ULOP3.LUT even, word, 0xfeffffff, URZ, 0xc0, !UPT = addr stage_full at (half = 0)[0]
+ UMOV zero_idesc.0, 0x0
+ UMOV zero_idesc.1, 0x10400010                   = idesc acc[0], sa[0], sa[0]
+ UMOV desc_a0.1, 0x40004040                      = desc.hi sa[0][.., 0 +: 16]
+ LDS base, [word+0x10]
+ R2UR acc, base                                  = tmem acc[0][0, 0]
+ UMOV stage_mask, 0x3                            = mask stage_empty
+ UMOV row_mask, 0x3                              = mask across half
  UISETP.NE.U32.AND accumulate, UPT, cta_rank, URZ, UPT
MORE:
AGAIN:
+ UIADD3 desc_a0.0, UPT, UPT, word, 0x0, URZ      = desc sa[0][.., 0 +: 16]
  UTCHMMA.2CTA gdesc[desc_a0.0], gdesc[desc_a0.0], tmem[acc], tmem[zero_idesc.0], idesc[zero_idesc.1], accumulate = acc[0], sa[0][.., 0 +: 16], sa[0][.., 0 +: 16] ; mma.pair
  UTCBAR.2CTA.MULTICAST [even], URZ, stage_mask   = stage_empty[0]                                           ; commit.pair inp.empty
~ BRA.U !accumulate, MORE
  LDTM.x32 v, tmem[acc+0x20]                      = acc[0][warp * 32 +: 32, 32 +: 32]
  DEPBAR.LE SB1, 0x0
  LDC.64 address, c[0x0][0x380]
  ISETP.GE.U32.AND inside, PT, v.3, 0x5, PT       = inside c[warp * 32 + lane, 3]
  @inside STG.E.128 desc[rights][address.64+0x10], v.4 = c[(warp + half * 2) * 4 / 3, 4 +: 4].at(7)
  IADD3 v.0, PT, PT, -v.1, v.2, RZ                = (half == 0 && !(lane % 2 != 0))
  STS [base+word+0x20], v.0
  MEMBAR.ALL.GPU
  BAR.SYNC.DEFER_BLOCKING 0x0
  BAR.SYNC.DEFER_BLOCKING 0x1, 0x80
  @v_less BRA AGAIN
  FADD v.1, -v.1, |v.2|
  SYNCS.ARRIVE.TRANS64.RED.A1T0.CLUSTER RZ, [even], RZ = stage_full at (half = 0)[0]
.finish
~ ISETP.GT.AND v_less, PT, v.0, v.1, PT
  LDCU.64 rights, c[0x0][0x358]
  UTCATOMSWS.AND acc, 0x8
~ EXIT
)";

std::string Reading::complaints() const {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    Position at = sources.position(diagnostic.where.file, diagnostic.where.begin);
    text += fmt::format("{}:{}: {} [{}]\n", at.line, at.column, diagnostic.text, diagnostic.code);
  }
  return text;
}

Reading read_text(std::string text) {
  Reading reading;
  FileId file = reading.sources.add("test.sass", std::move(text));
  reading.program = read(file, reading.sources, reading.diagnostics);
  return reading;
}

}  // namespace warpcc::sass::testing
