"""Programs of PTX as others write it, for `warpcc check KERNEL.ptx`: instructions of every form, each on operands of all kinds, a lane each.

A form is a line of PTX with its operands by type: `add.sat.s32 {d:b32}, {b32}, {b32}`. What it leaves in `{d:…}` is stored, a word or two a lane.
PTX's own braces are written as parentheses.
"""

import math
import random
import re
import struct

import ptx_forms

LINES = 40  # of forms a program


# ---- operands


def bits_of(form, value):
    return int.from_bytes(struct.pack(form, value), "little")


FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    -2.5,
    0.5,
    3.0,
    1e-3,
    65504.0,
    448.0,
    449.0,
    464.0,
    57344.0,
    61440.0,
    255.5,
    -128.5,
    2147483648.0,
    -2147483648.0,
    4294967296.0,
    1e10,
    1e-10,
]
F32 = [bits_of("<f", x) for x in FLOATS] + [
    0x7F800000,
    0xFF800000,
    0x7FC00001,
    0xFF812345,
    0x00000001,
    0x807FFFFF,
    0x00800000,
    0x7F7FFFFF,
    0x3F800001,
    0x33800000,
    0x387FE000,
    0x5F000000,
]
F64 = [bits_of("<d", x) for x in FLOATS] + [
    0x7FF0000000000000,
    0xFFF0000000000000,
    0x7FF8000000000001,
    1,
    0x000FFFFFFFFFFFFF,
    0x7FEFFFFFFFFFFFFF,
    0x3FF0000000000001,
    0x3FEFFFFFFFFFFFFF,
]
F16 = [
    0x0000,
    0x8000,
    0x3C00,
    0xBC00,
    0x3E00,
    0xC100,
    0x7BFF,
    0xFBFF,
    0x7C00,
    0xFC00,
    0x7E01,
    0xFD00,
    0x0001,
    0x83FF,
    0x0400,
    0x3C01,
    0x5BFF,
    0x6400,
]
BF16 = [
    0x0000,
    0x8000,
    0x3F80,
    0xBF80,
    0x3FC0,
    0xC020,
    0x7F7F,
    0xFF7F,
    0x7F80,
    0xFF80,
    0x7FC1,
    0xFF90,
    0x0001,
    0x807F,
    0x0080,
    0x3F81,
    0x437F,
    0x4F00,
]
WHOLE = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    0x100000000,
    2**63 - 1,
    2**63,
    2**64 - 1,
]


def small(chance, kind):
    """A register full of whole numbers from -3 to 3."""
    numbers = [chance.randrange(-3, 4) for _ in range(8)]
    if kind in ("s8", "u8"):
        return sum((x & 0xFF) << 8 * i for i, x in enumerate(numbers[:4]))
    if kind in ("s4", "u4"):
        return sum((x & 0xF) << 4 * i for i, x in enumerate(numbers))
    if kind in ("e4m3", "e5m2"):
        codes = {
            "e4m3": (0xC4, 0xC0, 0xB8, 0x00, 0x38, 0x40, 0x44),
            "e5m2": (0xC2, 0xC0, 0xBC, 0x00, 0x3C, 0x40, 0x42),
        }[kind]
        return sum(codes[x + 3] << 8 * i for i, x in enumerate(numbers[:4]))
    if kind == "f64":
        return bits_of("<d", float(numbers[0]))
    if kind in ("f32", "tf32"):
        return bits_of("<f", float(numbers[0]))
    halves = [bits_of("<e", float(x)) if kind == "f16" else bits_of("<f", float(x)) >> 16 for x in numbers[:2]]
    return halves[0] | halves[1] << 16


def value(chance, kind):
    """The bits of an operand: what is special of its kind, near to it, or any."""
    wild = chance.getrandbits(64)
    if kind in ("f32", "f64", "f16", "bf16"):
        special, width = {"f32": (F32, 32), "f64": (F64, 64), "f16": (F16, 16), "bf16": (BF16, 16)}[kind]
        if chance.random() < 0.4:
            return chance.choice(special)
        if kind == "f64" or chance.random() < 0.3:
            return wild & (1 << width) - 1
        number = chance.choice([1, -1]) * 2.0 ** chance.uniform(-12, 12)
        if kind == "f32":
            return bits_of("<f", number)
        return bits_of("<e", number) if kind == "f16" else bits_of("<f", number) >> 16
    if kind in ("f16x2", "bf16x2"):
        return value(chance, kind[:-2]) | value(chance, kind[:-2]) << 16
    if kind in ("two_of_four", "one_of_two"):  # a sparse A's: eight chunks
        chunks = (0x4, 0x8, 0x9, 0xC, 0xD, 0xE) if kind == "two_of_four" else (0x4, 0xE)
        return sum(chance.choice(chunks) << 4 * i for i in range(8))
    if kind.startswith("small_"):
        return small(chance, kind[6:])
    if kind == "near":
        return chance.randrange(-1000, 1000) & 0xFFFFFFFF
    if kind == "tame":
        return bits_of("<f", chance.choice([1, -1]) * 2.0 ** chance.uniform(-6, 6))
    if kind == "small":  # amounts of shifts, positions, lengths
        return chance.choice([0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 200, 255])
    if kind == "odd":  # never zero
        return wild | 1
    if chance.random() < 0.4:
        return (chance.choice(WHOLE) * chance.choice([1, 1, -1])) & 2**64 - 1
    return wild >> chance.choice([0, 0, 16, 32, 40, 56])


# By an operand's kind: the register's type.
REGISTERS = {
    "b16": "b16",
    "b32": "b32",
    "b64": "b64",
    "f32": "b32",
    "f64": "b64",
    "f16": "b16",
    "bf16": "b16",
    "f16x2": "b32",
    "bf16x2": "b32",
    "small": "b32",
    "odd": "b32",
    "odd16": "b16",
    "odd64": "b64",
    "pred": "pred",
    "near": "b32",
    "tame": "b32",
    "small_f64": "b64",
}


# ---- programs


class Kernel:
    """A kernel of one CTA while it is written; `out` has a row of 32 words for each of `rows`, a warp's."""

    def __init__(self, name, seed, threads=32):
        self.name, self.chance, self.threads = name, random.Random(seed), threads
        self.rows, self.count = 0, 0
        self.tables, self.code = {}, []

    def register(self, kind):
        self.count += 1
        name = f"v{self.count}"
        self.code.append(f".reg .{kind} {name};")
        return name

    def operand(self, kind):
        """A register with a value of the lane's own: of a table of 64 of its kind."""
        if kind == "pred":
            register, number = self.register("pred"), self.operand("b32")
            self.code.append(f"and.b32 {number}, {number}, 1; setp.eq.u32 {register}, {number}, 1;")
            return register
        of = {"odd16": "odd", "odd64": "odd", "b16": "b64", "b32": "b64"}.get(kind, kind)
        if of not in self.tables:
            self.tables[of] = [value(self.chance, of) for _ in range(64)]
        a, b = self.chance.randrange(1, 64, 2), self.chance.randrange(64)
        wide = self.register("b64")
        self.code.append(
            f"mad.lo.u32 index, lane, {a}, {b}; and.b32 index, index, 63; mul.wide.u32 place, index, 8; "
            f"mov.u64 {wide}, {self.name}_{of}; add.u64 place, place, {wide}; ld.global.b64 {wide}, [place];"
        )
        width = REGISTERS.get(kind, "b32")
        if width == "b64":
            return wide
        register = self.register(width)
        self.code.append(f"cvt.u{width[1:]}.u64 {register}, {wide};")
        return register

    def store(self, register, kind):
        width = "b32" if kind == "pred" else REGISTERS[kind]
        if kind == "pred":
            word = self.register("b32")
            self.code.append(f"selp.b32 {word}, 1, 0, {register};")
            register = word
        if width == "b16":
            word = self.register("b32")
            self.code.append(f"cvt.u32.u16 {word}, {register};")
            register, width = word, "b32"
        if width == "b64":
            low, high = self.register("b32"), self.register("b32")
            self.code.append(f"mov.b64 {{{low}, {high}}}, {register};")
            return self.store(low, "b32"), self.store(high, "b32")
        self.code.append(f"st.global.b32 [out+{128 * self.rows}], {register};")
        self.rows += self.threads // 32

    def form(self, text):
        parts = text.replace("(", "\1").replace(")", "\2").split("{")
        line, stores, first = parts[0], [], self.rows
        for part in parts[1:]:
            kind, _, rest = part.partition("}")
            if kind.startswith("d:"):
                kind = kind[2:]
                register = self.register(REGISTERS[kind])
                stores.append((register, kind))
            else:
                register = self.operand(kind)
            line += register + rest
        self.code.append(line.replace("\1", "{").replace("\2", "}"))
        for register, kind in stores:
            self.store(register, kind)
        self.code.append(f"// rows {first} to {self.rows - 1}: {text}")

    def text(self):
        tables = "".join(
            f".global .align 8 .b64 {self.name}_{kind}[64] = {{{', '.join(map(hex, values))}}};\n"
            for kind, values in self.tables.items()
        )
        shared = ".align 16 .b8 bytes[2048]" if self.threads == 32 else ".align 1024 .b8 bytes[16384]"
        return (
            f"// threads {self.threads}, words {32 * self.rows}\n.version 8.6\n.target sm_90a\n.address_size 64\n\n{tables}"
            f".visible .entry {self.name}(.param .u64 result) {{\n.shared {shared};\n"
            ".reg .b32 lane, index, mine, rows;\n.reg .b64 place, out;\nmov.u32 lane, %tid.x;\n"
            "mov.u32 mine, bytes;\nmad.lo.u32 rows, lane, 16, mine;\nmad.lo.u32 mine, lane, 64, mine;\n"
            "mul.wide.u32 place, lane, 4;\nld.param.u64 out, [result];\ncvta.to.global.u64 out, out;\n"
            "add.u64 out, out, place;\n" + "\n".join(self.code) + "\nret;\n}\n"
        )


def count(forms):
    """Of the programs that hold all forms once."""
    return -(-len(list(forms())) // LINES)


def programs_of(forms, threads=32):
    """Of the forms in an order of chance, LINES a program: seeds that follow each other go through all of them."""

    def make(label, seed):
        listed = list(forms())
        programs = count(forms)
        random.Random(seed // programs).shuffle(listed)
        kernel = Kernel(label, label, threads)
        for form in listed[seed % programs * LINES :][:LINES]:
            kernel.form(form)
        return kernel.text()

    return make


THREADS = {"ptx_warpgroup": 128}
FAMILIES = {
    "ptx_whole": ptx_forms.whole_numbers,
    "ptx_real": ptx_forms.real_numbers,
    "ptx_convert": ptx_forms.conversions,
    "ptx_compare": ptx_forms.comparisons,
    "ptx_lanes": ptx_forms.between_lanes,
    "ptx_products": ptx_forms.products,
    "ptx_sparse": ptx_forms.sparse_products,
    "ptx_fragments": ptx_forms.fragments,
    "ptx_warpgroup": ptx_forms.sparse_warpgroup_products,
    "ptx_memory": ptx_forms.shared_memory,
    "ptx_near": ptx_forms.approximate,
}


# ---- what a GPU left, and the machine


def forms_of(text):
    """(form, its first row, the row behind its last) of a program."""
    for first, last, form in re.findall(r"^// rows (\d+) to (\d+): (.*)$", text, re.M):
        yield form, int(first), int(last) + 1


def words(content, row):
    return struct.unpack_from("<32I", content, 128 * row)


def differing(text, got, wanted):
    """The forms whose rows differ, and how."""
    said = []
    for form, first, end in forms_of(text):
        for row in range(first, end):
            pairs = [(g, m) for g, m in zip(words(got, row), words(wanted, row)) if g != m]
            if pairs:
                said.append(
                    f"{form} row {row - first}: {len(pairs)} lanes, GPU {pairs[0][0]:#x}, machine {pairs[0][1]:#x}"
                )
    return "; ".join(said)


def numbers(kind, content, row):
    if kind == "f64":
        return [
            struct.unpack("<d", struct.pack("<II", *pair))[0]
            for pair in zip(words(content, row), words(content, row + 1))
        ]
    if kind == "f32":
        return list(struct.unpack_from("<32f", content, 128 * row))
    halves = [
        half
        for word in words(content, row)
        for half in ((word & 0xFFFF,) if "x2" not in kind else (word & 0xFFFF, word >> 16))
    ]
    if kind.startswith("bf16"):
        return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]
    return [struct.unpack("<e", struct.pack("<H", half))[0] for half in halves]


def off(text, got, wanted):
    """By form, how far what the two left is apart: of the number (of 1 at least for lg2, sin and cos); 1 where only one of them is a number."""
    worst = {}
    for form, first, _ in forms_of(text):
        kind = re.search(r"\{d:(\w+)\}", form).group(1)
        least = 1.0 if form[:3] in ("lg2", "sin", "cos") else 2.0**-14 if "16" in kind else 2.0**-126
        for a, b in zip(numbers(kind, got, first), numbers(kind, wanted, first)):
            same = a == b or (a != a and b != b)
            far = 0.0 if same else abs(a - b) / max(abs(b), least) if math.isfinite(a) and math.isfinite(b) else 1.0
            worst[form] = max(worst.get(form, 0.0), far)
    return worst
