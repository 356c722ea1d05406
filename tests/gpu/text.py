"""Building blocks of the programs that run on the GPU and on the checker's machine: SASS text for sm_90a."""

import random

WORD = 0xFFFFFFFF


class Program:
    """A program while it is written: header lines, code, and what its random choices come from."""

    def __init__(self, name, seed, threads=64, ctas=1, cluster=1, shared=0, registers=None):
        self.name, self.random = name, random.Random(seed)
        self.threads, self.ctas, self.cluster, self.shared = threads, ctas, cluster, shared
        self.registers = registers
        self.maps, self.params, self.buffers, self.code = [], [], [], []
        self.labels = 0

    # ---- the header
    def buffer(self, name, element, shape, mapped=False):
        """A row-major array of global memory, reached by its address or through a tensor map of its name."""
        strides, step = [], 1
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
        list_of = lambda numbers: "(" + ", ".join(map(str, numbers)) + ")"
        if not mapped:
            self.params.append(name)
        how = "map" if mapped else "param"
        self.buffers.append(f".buffer {name} global {how} {name} {element} {list_of(shape)} : {list_of(strides)}")

    def map(self, name, shape, element_bytes, box, swizzle):
        numbers = [*shape, element_bytes, *box, swizzle]
        self.maps.append(f".tmap {name} " + " ".join(map(str, numbers)))

    def address_of(self, name):
        """The operand of a parameter's address in the constant bank."""
        return f"c[0x0][{hex(0x210 + 8 * self.params.index(name))}]"

    # ---- the code
    def line(self, *lines):
        for text in lines:
            self.code.append("  " + text)

    def label(self, name=None):
        if name is None:
            self.labels += 1
            name = f"L{self.labels}"
        return name

    def here(self, label):
        self.code.append(label + ":")

    def immediate(self):
        """Bits of all kinds: small ones, powers of two and their neighbours, any."""
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.randrange(64)
        if kind == 1:
            return (1 << self.random.randrange(32)) + self.random.choice([-1, 0, 1]) & WORD
        if kind == 2:
            return -self.random.randrange(1, 64) & WORD
        return self.random.getrandbits(32)

    def text(self):
        lines = [f".kernel {self.name}", ".sm sm_90a", f".threads {self.threads}"]
        if self.registers:
            lines.append(f".registers {self.registers}")
        if self.shared:
            lines.append(f".dynsmem {self.shared}")
        lines += self.maps
        lines += [f".param {name} {8 * i}" for i, name in enumerate(self.params)]
        lines += [f".grid {self.ctas} 1", f".cluster {self.cluster} rank:{self.cluster}", ".form named"]
        lines += self.buffers + [".start"] + self.code
        return "\n".join(lines) + "\n"


def begin(program, out_words):
    """Thread, lane and warp, and the address `to` of this thread's words in the buffer `out`."""
    program.buffer("out", "u32", (program.ctas * program.threads, out_words))
    program.line(
        "S2R tid, SR_TID.X",
        "S2R lane, SR_LANEID",
        "SHF.R.U32.HI warp_lanes, RZ, 0x5, tid",
        "R2UR warp, warp_lanes",
        "S2UR cta, SR_CTAID.X",
        "MOV cta_lanes, cta",
        f"IMAD place, cta_lanes, {hex(program.threads)}, tid",
        f"LDC.64 out_base, {program.address_of('out')}",
        f"IMAD.WIDE.U32 to, place, {hex(4 * out_words)}, out_base",
    )
    program.stored = 0


def store(program, register, guard=""):
    """The register as the next word of this thread."""
    offset = 4 * program.stored
    program.stored += 1
    program.line(f"{guard}STG.E [to.64{'+' + hex(offset) if offset else ''}], {register}")


def window(program):
    """This CTA's shared memory in its cluster: rank << 24."""
    program.line("S2UR rank, SR_CgaCtaId", "USHF.L.U32 window, rank, 0x18, URZ", "ELECT one, URZ, PT")


def barrier_counts(program, name, arrivals):
    """What an mbarrier is initialised with."""
    program.line(
        f"UMOV {name}.0, {hex((0x100000 - arrivals) << 1 & WORD)}", f"UMOV {name}.1, {hex((0x100000 - arrivals) << 11 & WORD)}"
    )


def wait(program, address, parity, flag="waited"):
    label = program.label()
    program.here(label)
    program.line(
        f"SYNCS.PHASECHK.TRANS64.TRYWAIT {flag}, [{address}], {parity}",
        f"@!{flag} NANOSLEEP.SYNCS 0xc350",
        f"@!{flag} BRA {label}",
    )


def meet(program):
    """All threads of the cluster, with what they have done before."""
    if program.cluster > 1:
        program.line("MEMBAR.ALL.GPU", "UCGABAR_ARV", "UCGABAR_WAIT")
    else:
        program.line("BAR.SYNC.DEFER_BLOCKING 0x0")


def finish(program):
    program.line("EXIT")
    return program.text()
