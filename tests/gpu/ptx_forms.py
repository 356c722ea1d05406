"""Forms of PTX instructions: a line each, with its operands by kind (tests/gpu/ptx.py says how they are written)."""

import itertools


def each(template, **choices):
    """The template with every choice of each name."""
    for chosen in itertools.product(*choices.values()):
        text = template
        for name, word in zip(choices, chosen):
            text = text.replace("<" + name + ">", word)
        yield text


def whole_numbers():
    for bits in ("16", "32", "64"):
        for sign in "us":
            t, r = sign + bits, "b" + bits
            odd = {"16": "odd16", "32": "odd", "64": "odd64"}[bits]
            for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
                yield f"{op}.{t} {{d:{r}}}, {{{r}}}, {{{r}}};"
            for op in ("div", "rem"):
                yield f"{op}.{t} {{d:{r}}}, {{{r}}}, {{{odd}}};"
            for op in ("mad.lo", "mad.hi"):
                yield f"{op}.{t} {{d:{r}}}, {{{r}}}, {{{r}}}, {{{r}}};"
            yield f"sad.{t} {{d:{r}}}, {{{r}}}, {{{r}}}, {{{r}}};"
            yield f"shr.{t} {{d:{r}}}, {{{r}}}, {{small}};"
        for op in ("abs", "neg"):
            yield f"{op}.s{bits} {{d:b{bits}}}, {{b{bits}}};"
        for op in ("and", "or", "xor"):
            yield f"{op}.b{bits} {{d:b{bits}}}, {{b{bits}}}, {{b{bits}}};"
        for op in ("not", "cnot"):
            yield f"{op}.b{bits} {{d:b{bits}}}, {{b{bits}}};"
        for op in ("shl", "shr"):
            yield f"{op}.b{bits} {{d:b{bits}}}, {{b{bits}}}, {{small}};"
    for sign in "us":
        for narrow, wide in (("16", "32"), ("32", "64")):
            yield f"mul.wide.{sign}{narrow} {{d:b{wide}}}, {{b{narrow}}}, {{b{narrow}}};"
            yield f"mad.wide.{sign}{narrow} {{d:b{wide}}}, {{b{narrow}}}, {{b{narrow}}}, {{b{wide}}};"
        for half in ("lo", "hi"):
            yield f"mul24.{half}.{sign}32 {{d:b32}}, {{b32}}, {{b32}};"
            yield f"mad24.{half}.{sign}32 {{d:b32}}, {{b32}}, {{b32}}, {{b32}};"
        for bits in ("32", "64"):
            yield f"bfe.{sign}{bits} {{d:b{bits}}}, {{b{bits}}}, {{small}}, {{small}};"
            yield f"bfind.{sign}{bits} {{d:b32}}, {{b{bits}}};"
            yield f"bfind.shiftamt.{sign}{bits} {{d:b32}}, {{b{bits}}};"
        for mode in ("clamp", "wrap"):
            yield f"szext.{mode}.{sign}32 {{d:b32}}, {{b32}}, {{small}};"
        for other in "us":
            yield f"dp4a.{sign}32.{other}32 {{d:b32}}, {{b32}}, {{b32}}, {{b32}};"
            for half in ("lo", "hi"):
                yield f"dp2a.{half}.{sign}32.{other}32 {{d:b32}}, {{b32}}, {{b32}}, {{b32}};"
        for op in ("min", "max"):
            yield f"{op}.{sign}16x2 {{d:b32}}, {{b32}}, {{b32}};"
        yield f"add.{sign}16x2 {{d:b32}}, {{b32}}, {{b32}};"
    yield from each("<op>.relu.s16x2 {d:b32}, {b32}, {b32};", op=("min", "max"))
    yield from each("<op>.relu.s32 {d:b32}, {b32}, {b32};", op=("min", "max"))
    yield from each("<op>.sat.s32 {d:b32}, {b32}, {b32};", op=("add", "sub"))
    yield "mad.hi.sat.s32 {d:b32}, {b32}, {b32}, {b32};"
    for bits in ("32", "64"):
        yield from each("<op>.b" + bits + " {d:b32}, {b" + bits + "};", op=("popc", "clz"))
        yield f"brev.b{bits} {{d:b{bits}}}, {{b{bits}}};"
        yield f"bfi.b{bits} {{d:b{bits}}}, {{b{bits}}}, {{b{bits}}}, {{small}}, {{small}};"
    yield from each("bmsk.<mode>.b32 {d:b32}, {small}, {small};", mode=("clamp", "wrap"))
    yield from each("shf.<way>.<mode>.b32 {d:b32}, {b32}, {b32}, {small};", way="lr", mode=("clamp", "wrap"))
    yield from each(
        "prmt.b32<mode> {d:b32}, {b32}, {b32}, {b32};", mode=("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16")
    )
    yield from each(
        "lop3.b32 {d:b32}, {b32}, {b32}, {b32}, <table>;", table=("0x80", "0xfe", "0x96", "0xca", "0x1b", "0x6d")
    )
    # Chains of carries.
    yield "add.cc.u32 {d:b32}, {b32}, {b32}; addc.cc.u32 {d:b32}, {b32}, {b32}; addc.u32 {d:b32}, {b32}, {b32};"
    yield "sub.cc.u32 {d:b32}, {b32}, {b32}; subc.cc.u32 {d:b32}, {b32}, {b32}; subc.u32 {d:b32}, {b32}, {b32};"
    yield "add.cc.u64 {d:b64}, {b64}, {b64}; addc.u64 {d:b64}, {b64}, {b64};"
    yield "mad.lo.cc.u32 {d:b32}, {b32}, {b32}, {b32}; madc.hi.cc.u32 {d:b32}, {b32}, {b32}, {b32}; addc.u32 {d:b32}, {b32}, {b32};"


def real_numbers():
    ways = ("rn", "rz", "rm", "rp")
    yield from each(
        "<op>.<way><ftz><sat>.f32 {d:f32}, {f32}, {f32};",
        op=("add", "sub", "mul"),
        way=ways,
        ftz=("", ".ftz"),
        sat=("", ".sat"),
    )
    yield from each(
        "fma.<way><ftz><sat>.f32 {d:f32}, {f32}, {f32}, {f32};", way=ways, ftz=("", ".ftz"), sat=("", ".sat")
    )
    yield from each("div.<way><ftz>.f32 {d:f32}, {f32}, {f32};", way=ways, ftz=("", ".ftz"))
    yield from each("<op>.<way><ftz>.f32 {d:f32}, {f32};", op=("rcp", "sqrt"), way=ways, ftz=("", ".ftz"))
    yield from each(
        "<op><ftz><nan><sign>.f32 {d:f32}, {f32}, {f32};",
        op=("min", "max"),
        ftz=("", ".ftz"),
        nan=("", ".NaN"),
        sign=("", ".xorsign.abs"),
    )
    yield from each("<op><ftz>.f32 {d:f32}, {f32};", op=("abs", "neg"), ftz=("", ".ftz"))
    yield from each("<op>.<way>.f64 {d:f64}, {f64}, {f64};", op=("add", "sub", "mul", "div"), way=ways)
    yield from each("fma.<way>.f64 {d:f64}, {f64}, {f64}, {f64};", way=ways)
    yield from each("<op>.<way>.f64 {d:f64}, {f64};", op=("rcp", "sqrt"), way=ways)
    yield from each("<op>.f64 {d:f64}, {f64}, {f64};", op=("min", "max", "copysign"))
    yield from each("<op>.f64 {d:f64}, {f64};", op=("abs", "neg"))
    yield "copysign.f32 {d:f32}, {f32}, {f32};"
    yield from each(
        "testp.<test>.<type> {d:pred}, {<type>};",
        test=("finite", "infinite", "number", "notanumber", "normal", "subnormal"),
        type=("f32", "f64"),
    )
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        ftz = ("", ".ftz") if t.startswith("f16") else ("",)
        sat = ("", ".sat") if t.startswith("f16") else ("",)
        yield from each(
            "<op>.rn<ftz><sat>.T {d:T}, {T}, {T};".replace("T", t), op=("add", "sub", "mul"), ftz=ftz, sat=sat
        )
        yield from each("fma.rn<ftz><end>.T {d:T}, {T}, {T}, {T};".replace("T", t), ftz=ftz, end=sat + (".relu",))
        yield from each("fma.rn.oob<end>.T {d:T}, {T}, {T}, {T};".replace("T", t), end=("", ".relu"))
        yield from each(
            "<op><ftz><nan><sign>.T {d:T}, {T}, {T};".replace("T", t),
            op=("min", "max"),
            ftz=ftz,
            nan=("", ".NaN"),
            sign=("", ".xorsign.abs"),
        )
        yield from each("<op><ftz>.T {d:T}, {T};".replace("T", t), op=("abs", "neg"), ftz=ftz)


WHOLE_TYPES = [sign + bits for bits in ("8", "16", "32", "64") for sign in "us"]


def in_register(t):
    return {"8": "b32", "16": "b16", "32": "b32", "64": "b64"}[t[1:]]


def conversions():
    for to, source in itertools.product(WHOLE_TYPES, WHOLE_TYPES):
        if to != source:
            yield f"cvt.{to}.{source} {{d:{in_register(to)}}}, {{{in_register(source)}}};"
        # Not where every value fits.
        if (
            int(to[1:]) < int(source[1:])
            or (source[0] == "s" and to[0] == "u")
            or (to[1:] == source[1:] and to != source)
        ):
            yield f"cvt.sat.{to}.{source} {{d:{in_register(to)}}}, {{{in_register(source)}}};"
    for whole, real in itertools.product(WHOLE_TYPES, ("f16", "bf16", "f32", "f64")):
        if real == "bf16" and whole[1:] == "8":
            continue
        for way in ("rn", "rz", "rm", "rp"):
            yield f"cvt.{way}.{real}.{whole} {{d:{real}}}, {{{in_register(whole)}}};"
            yield f"cvt.{way}i.{whole}.{real} {{d:{in_register(whole)}}}, {{{real}}};"
            if real == "f32":
                yield f"cvt.{way}i.ftz.{whole}.{real} {{d:{in_register(whole)}}}, {{{real}}};"
    for way in ("rn", "rz", "rm", "rp"):
        for real in ("f16", "f32", "f64"):
            yield from each(
                "cvt." + way + "i<sat>.T.T {d:T}, {T};".replace("T", real), sat=("", ".sat") if real != "f64" else ("",)
            )
        for narrow, wide in (("f16", "f32"), ("f16", "f64"), ("f32", "f64")):
            yield f"cvt.{way}.{narrow}.{wide} {{d:{narrow}}}, {{{wide}}};"
    yield from (
        "cvt.f32.f16 {d:f32}, {f16};",
        "cvt.f64.f16 {d:f64}, {f16};",
        "cvt.f64.f32 {d:f64}, {f32};",
        "cvt.f32.bf16 {d:f32}, {bf16};",
    )
    yield from (
        "cvt.ftz.f64.f32 {d:f64}, {f32};",
        "cvt.ftz.f32.f16 {d:f32}, {f16};",
        "cvt.rn.ftz.f16.f32 {d:f16}, {f32};",
        "cvt.rn.ftz.f32.f64 {d:f32}, {f64};",
        "cvt.rn.sat.f32.f64 {d:f32}, {f64};",
    )
    yield from ("cvt.sat.f32.f32 {d:f32}, {f32};", "cvt.ftz.f32.f32 {d:f32}, {f32};", "cvt.sat.f16.f16 {d:f16}, {f16};")
    for to in ("f16", "bf16"):
        yield from each(
            "cvt.<way><relu><fits>.T.f32 {d:T}, {f32};".replace("T", to),
            way=("rn", "rz"),
            relu=("", ".relu"),
            fits=("", ".satfinite"),
        )
        yield from each(
            "cvt.<way><relu><fits>.Tx2.f32 {d:Tx2}, {f32}, {f32};".replace("T", to),
            way=("rn", "rz"),
            relu=("", ".relu"),
            fits=("", ".satfinite"),
        )
    for to in ("f16", "f32", "f64"):
        yield from each(
            "cvt.<way>.bf16.T {d:bf16}, {T};".replace("T", to),
            way=("rn", "rz", "rm", "rp") if to != "f32" else ("rm", "rp"),
        )
    yield from ("cvt.rn.f16.bf16 {d:f16}, {bf16};", "cvt.f64.bf16 {d:f64}, {bf16};")
    yield from each(
        "cvt.<way>.tf32.f32 {d:f32}, {f32};", way=("rna", "rn", "rz", "rn.relu", "rz.relu", "rna.satfinite")
    )
    for small in ("e4m3x2", "e5m2x2"):
        yield from each(
            "( .reg .b16 h; cvt.rn.satfinite<relu>.T.f32 h, {f32}, {f32}; mov.b16 {d:b16}, h; )".replace("T", small),
            relu=("", ".relu"),
        )
        yield from each(
            "( .reg .b16 h; cvt.rn.satfinite<relu>.T.f16x2 h, {f16x2}; mov.b16 {d:b16}, h; )".replace("T", small),
            relu=("", ".relu"),
        )
        yield from each("cvt.rn<relu>.f16x2.T {d:b32}, {b16};".replace("T", small), relu=("", ".relu"))
    yield from each("cvt.pack.sat.<to>.s32 {d:b32}, {b32}, {b32};", to=("u16", "s16"))
    yield from each("cvt.pack.sat.<to>.s32.b32 {d:b32}, {b32}, {b32}, {b32};", to=("u8", "s8", "u4", "s4", "u2", "s2"))


def comparisons():
    ordered = ("eq", "ne", "lt", "le", "gt", "ge")
    unordered = tuple(x + "u" for x in ordered) + ("num", "nan")
    kinds = [("u" + b, "b" + b, ordered + ("lo", "ls", "hi", "hs")) for b in ("16", "32", "64")]
    kinds += [("s" + b, "b" + b, ordered) for b in ("16", "32", "64")] + [
        ("b" + b, "b" + b, ("eq", "ne")) for b in ("16", "32", "64")
    ]
    kinds += [(real, real, ordered + unordered) for real in ("f16", "bf16", "f32", "f64")]
    for t, r, tests in kinds:
        yield from each("setp.<test>.T {d:pred}, {R}, {R};".replace("T", t).replace("R", r), test=tests)
        second = "" if r in ("f16", "bf16") else "|{d:pred}"
        yield from each(
            "setp.<test>.<join>.T {d:pred}S, {R}, {R}, {pred};".replace("S", second).replace("T", t).replace("R", r),
            test=tests[:3],
            join=("and", "or", "xor"),
        )
        if r != "f16" and r != "bf16":
            yield from each(
                "set.<test>.<to>.T {d:b32}, {R}, {R};".replace("T", t).replace("R", r),
                test=tests[::3],
                to=("u32", "s32", "f32"),
            )
            if t[0] != "b":
                yield f"slct.{t}.s32 {{d:{r}}}, {{{r}}}, {{{r}}}, {{b32}};"
                yield f"slct.ftz.{t}.f32 {{d:{r}}}, {{{r}}}, {{{r}}}, {{f32}};"
            yield f"selp.{t} {{d:{r}}}, {{{r}}}, {{{r}}}, {{pred}};"
    yield from each("setp.<test><ftz>.f32 {d:pred}, {f32}, {f32};", test=("eq", "lt", "geu"), ftz=(".ftz",))
    for t in ("f16x2", "bf16x2"):
        yield from each("setp.<test>.T {d:pred}|{d:pred}, {T}, {T};".replace("T", t), test=ordered + unordered)
        yield from each("set.<test>.T.T {d:T}, {T}, {T};".replace("T", t), test=ordered + unordered)
    yield from each(
        "set.<test>.<join>.u32.f32 {d:b32}, {f32}, {f32}, {pred};", test=("lt", "neu"), join=("and", "or", "xor")
    )


def between_lanes():
    """What passes between the lanes of a warp."""
    yield from each(
        "( .reg .pred q; .reg .b32 c; and.b32 c, {b32}, 31; shfl.sync.<way>.b32 {d:b32}|q, {b32}, c, <bound>, -1; selp.b32 {d:b32}, 1, 0, q; )",
        way=("up", "down", "bfly", "idx"),
        bound=("0", "31", "0x1c1f", "0x1800", "0x181f", "0x1e00"),
    )
    yield from each("vote.sync.<way>.pred {d:pred}, {pred}, -1;", way=("all", "any", "uni"))
    yield "vote.sync.ballot.b32 {d:b32}, {pred}, -1;"
    yield from each("( .reg .b32 c; and.b32 c, {b32}, 3; match.any.sync.b32 {d:b32}, c, -1; )", x=("",))
    yield "( .reg .b64 c; and.b64 c, {b64}, 1; match.any.sync.b64 {d:b32}, c, -1; )"
    yield "( .reg .pred q; .reg .b32 c; and.b32 c, {b32}, 0; match.all.sync.b32 {d:b32}|q, c, -1; selp.b32 {d:b32}, 1, 0, q; )"
    yield "( .reg .pred q; .reg .b32 c; and.b32 c, {b32}, 1; match.all.sync.b32 {d:b32}|q, c, -1; selp.b32 {d:b32}, 1, 0, q; )"
    yield from each("redux.sync.<op>.<type> {d:b32}, {b32}, -1;", op=("add", "min", "max"), type=("u32", "s32"))
    yield from each("redux.sync.<op>.b32 {d:b32}, {b32}, -1;", op=("and", "or", "xor"))
    yield "movmatrix.sync.aligned.m8n8.trans.b16 {d:b32}, {b32};"
    yield "elect.sync {d:b32}|{d:pred}, -1;"
    yield "activemask.b32 {d:b32};"


def in_braces(kind, count):
    return "(" + ", ".join([f"{{{kind}}}"] * count) + ")"


# Of mma.sync: shape, type of A and B, registers of A and B, of sums.
DENSE = [
    ("m16n8k8", "f16", 2, 1, 4),
    ("m16n8k16", "f16", 4, 2, 4),
    ("m16n8k8", "bf16", 2, 1, 4),
    ("m16n8k16", "bf16", 4, 2, 4),
    ("m16n8k4", "tf32", 2, 1, 4),
    ("m16n8k8", "tf32", 4, 2, 4),
    ("m16n8k32", "e4m3", 4, 2, 4),
    ("m16n8k32", "e5m2", 4, 2, 4),
    *[("m16n8k16", sign + "8", 2, 1, 4) for sign in "su"],
    *[("m16n8k32", sign + "8", 4, 2, 4) for sign in "su"],
    *[("m16n8k32", sign + "4", 2, 1, 4) for sign in "su"],
    *[("m16n8k64", sign + "4", 4, 2, 4) for sign in "su"],
    ("m8n8k16", "s8", 1, 1, 2),
    ("m8n8k32", "u4", 1, 1, 2),
    ("m16n8k4", "f64", 2, 1, 4),
    ("m16n8k8", "f64", 4, 2, 4),
    ("m16n8k16", "f64", 8, 4, 4),
    ("m8n8k4", "f64", 1, 1, 2),
]
# The same of a sparse A, and how many lanes of four can have what lies where.
SPARSE = [
    *[("m16n8k16", t, 2, 2, 4, 4) for t in ("f16", "bf16")],
    *[("m16n8k32", t, 4, 4, 4, 2) for t in ("f16", "bf16")],
    ("m16n8k8", "tf32", 2, 2, 4, 4),
    ("m16n8k16", "tf32", 4, 4, 4, 2),
    *[("m16n8k32", sign + "8", 2, 2, 4, 2) for sign in "su"],
    *[("m16n8k64", t, 4, 4, 4, 1) for t in ("s8", "u8", "e4m3", "e5m2")],
    ("m16n8k64", "s4", 2, 2, 4, 2),
    ("m16n8k128", "u4", 4, 4, 4, 1),
]


def products():
    """mma.sync: products of small whole numbers, which no order of adding changes; those of whole numbers of any."""
    for shape, t, a, b, sums in DENSE:
        whole = t[0] in "su"
        d, kind, s = (
            ("s32", "b32", "near")
            if whole
            else ("f64", "f64", "small_f64") if t == "f64" else ("f32", "f32", "small_f32")
        )
        rows = ", ".join([f"{{d:{kind}}}"] * sums)
        name = f"mma.sync.aligned.{shape}.row.col"
        yield f"{name}.{d}.{t}.{t}.{d} ({rows}), {in_braces('small_' + t, a)}, {in_braces('small_' + t, b)}, {in_braces(s, sums)};"
        if whole:
            other = {"s": "u", "u": "s"}[t[0]] + t[1:]
            yield f"{name}.satfinite.{d}.{t}.{other}.{d} ({rows}), {in_braces('b32', a)}, {in_braces('b32', b)}, {in_braces('b32', sums)};"
        if t == "f16":
            yield f"{name}.f16.f16.f16.f16 ({{d:b32}}, {{d:b32}}), {in_braces('small_f16', a)}, {in_braces('small_f16', b)}, {in_braces('small_f16', 2)};"
    for op, (shape, a, b, sums) in itertools.product(
        ("xor", "and"), (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4))
    ):
        rows = ", ".join(["{d:b32}"] * sums)
        yield f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc ({rows}), {in_braces('b32', a)}, {in_braces('b32', b)}, {in_braces('near', sums)};"


def sparse_products():
    for shape, t, a, b, sums, lanes in SPARSE:
        whole = t[0] in "su"
        d, kind, s = ("s32", "b32", "near") if whole else ("f32", "f32", "small_f32")
        rows = ", ".join([f"{{d:{kind}}}"] * sums)
        where = "one_of_two" if t == "tf32" else "two_of_four"
        for lane in range(lanes):
            yield (
                f"mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.{d}.{t}.{t}.{d} ({rows}), {in_braces('small_' + t, a)}, "
                f"{in_braces('small_' + t, b)}, {in_braces(s, sums)}, {{{where}}}, {hex(lane)};"
            )


def sparse_warpgroup_products():
    """wgmma with a sparse A, in shared memory or registers; operands in rows of 128 bytes with their swizzle, B 8192 bytes behind A."""
    shapes = [(t, 32, "f32", ", 1, 1", 2) for t in ("f16", "bf16")] + [("tf32", 16, "f32", ", 1, 1", 2)]
    shapes += [(t, 64, "f32", ", 1, 1", 1) for t in ("e4m3", "e5m2")] + [(t, 64, "s32", "", 1) for t in ("s8", "u8")]
    descriptor = "0x4000004000010000"  # the swizzle's kind, 1024 bytes from eight rows to the next
    for (t, k, d, scales, lanes), n, in_registers in itertools.product(shapes, (8, 24), (False, True)):
        kind = "b32" if d == "s32" else "f32"
        for lane in range(lanes):
            fill = " ".join(
                f"st.shared.v4.b32 [rows+{2048 * i}], {in_braces('small_' + t, 4)};"
                for i in (range(4, 6) if in_registers else range(6))
            )
            rows = ", ".join([f"{{d:{kind}}}"] * (n // 2))
            a = in_braces("small_" + t, 4) if in_registers else "a"
            majors = "" if t not in ("f16", "bf16") else ", 0" if in_registers else ", 0, 0"
            where = "one_of_two" if t == "tf32" else "two_of_four"
            yield (
                f"( .reg .b32 at; .reg .b64 a, b; .reg .pred adds; bar.sync 0; {fill} fence.proxy.async; bar.sync 0; mov.u32 at, bytes; "
                f"cvt.u64.u32 a, at; shr.u64 a, a, 4; add.u64 a, a, {descriptor}; add.u64 b, a, 512; setp.ne.u32 adds, lane, lane; "
                f"wgmma.fence.sync.aligned; wgmma.mma_async.sp.sync.aligned.m64n{n}k{k}.{d}.{t}.{t} ({rows}), {a}, b, "
                f"{{{where}}}, {lane}, adds{scales}{majors}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; )"
            )


def fragments():
    """wmma: A, B and the sums lie in a warp's shared memory, 512 bytes from each other."""
    words = lambda name, count: ", ".join(f"{name}{i}" for i in range(count))
    fill = lambda kind, at: f"st.shared.v4.b32 [rows+{at}], {in_braces('small_' + kind, 4)};"
    shown = "bar.warp.sync -1; ld.shared.v4.b32 ({d:b32}, {d:b32}, {d:b32}, {d:b32}), [rows+1024]; ld.shared.v4.b32 ({d:b32}, {d:b32}, {d:b32}, {d:b32}), [rows+1536];"
    for t, a, b in (("f16", 8, 8), ("bf16", 4, 4), ("s8", 2, 2)):
        d, kind = ("s32", "b32") if t == "s8" else ("f32", "b32")
        for m, n in ((16, 16), (32, 8), (8, 32)):
            ra, rb = (a, b) if t == "f16" else (a * m // 16, b * n // 16)
            for la, lb, lc in (("row", "col", "row"), ("col", "row", "col")):
                name = f"m{m}n{n}k16"
                step_a, step_b, step_d = (
                    (16 if la == "row" else m),
                    (16 if lb == "col" else n),
                    (n if lc == "row" else m),
                )
                yield (
                    f"( .reg .b32 a<{ra}>; .reg .b32 b<{rb}>; .reg .b32 c<8>; bar.warp.sync -1; {fill(t, 0)} {fill(t, 512)} {fill('f32' if d == 'f32' else 's8', 1024)} "
                    f"{fill('f32' if d == 'f32' else 's8', 1536)} bar.warp.sync -1; "
                    f"wmma.load.a.sync.aligned.{la}.{name}.shared.{t} ({words('a', ra)}), [bytes], {step_a}; "
                    f"wmma.load.b.sync.aligned.{lb}.{name}.shared.{t} ({words('b', rb)}), [bytes+512], {step_b}; "
                    f"wmma.load.c.sync.aligned.{lc}.{name}.shared.{d} ({words('c', 8)}), [bytes+1024], {step_d}; bar.warp.sync -1; "
                    f"wmma.mma.sync.aligned.{la}.{lb}.{name}.{d + '.' + d if t == 'f16' else d + '.' + t + '.' + t + '.' + d} ({words('c', 8)}), ({words('a', ra)}), ({words('b', rb)}), ({words('c', 8)}); "
                    f"wmma.store.d.sync.aligned.{lc}.{name}.shared.{d} [bytes+1024], ({words('c', 8)}), {step_d}; {shown} )"
                )


def shared_memory():
    """Shared memory, a warp's: each lane has 64 bytes of its own, at `mine`."""
    for t in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64", "b16"):
        wide = {"8": "b32", "6": "b16", "2": "b32", "4": "b64"}[t[-1]]
        yield f"st.shared.{t} [mine], {{{wide}}}; ld.shared.{t} {{d:{wide}}}, [mine];"
    for sign in "us":
        yield f"st.shared.b32 [mine], {{b32}}; ld.shared.{sign}8 {{d:b32}}, [mine+1]; ld.shared.{sign}16 {{d:b32}}, [mine+2]; ld.shared.{sign}8 {{d:b64}}, [mine+3];"
    yield "st.shared.v4.b32 [mine], ({b32}, {b32}, {b32}, {b32}); ld.shared.v2.b64 ({d:b64}, {d:b64}), [mine];"
    yield "st.shared.v2.b64 [mine], ({b64}, {b64}); ld.shared.v4.u8 ({d:b32}, {d:b32}, {d:b32}, {d:b32}), [mine+4]; ld.shared.v2.s16 ({d:b32}, {d:b32}), [mine+12];"
    start = "st.shared.b64 [mine], {b64};"
    for space in ("shared", "shared::cta"):
        for op, types in (
            ("add", ("u32", "s32", "u64")),
            ("min", ("u32", "s32", "u64", "s64")),
            ("max", ("u32", "s32", "u64", "s64")),
            ("and", ("b32", "b64")),
            ("or", ("b32", "b64")),
            ("xor", ("b32", "b64")),
            ("exch", ("b32", "b64")),
            ("inc", ("u32",)),
            ("dec", ("u32",)),
        ):
            for t in types:
                wide = "b" + t[1:]
                yield f"{start} atom.{space}.{op}.{t} {{d:{wide}}}, [mine], {{{wide}}}; ld.shared.b64 {{d:b64}}, [mine];"
    for t in ("b16", "b32", "b64"):
        yield f"( .reg .{t} c; {start} ld.shared.{t} c, [mine]; atom.shared.cas.{t} {{d:{t}}}, [mine], c, {{{t}}}; ld.shared.b64 {{d:b64}}, [mine]; atom.shared.cas.{t} {{d:{t}}}, [mine], {{{t}}}, {{{t}}}; ld.shared.b64 {{d:b64}}, [mine]; )"
    for t in ("f32", "f64"):
        yield f"st.shared.{t} [mine], {{{t}}}; atom.shared.add.{t} {{d:{t}}}, [mine], {{{t}}}; ld.shared.{t} {{d:{t}}}, [mine];"
    # Matrices: each lane's row is where `rows` has it, 16 bytes of its own.
    rows = "bar.warp.sync -1; st.shared.v2.b64 [rows], ({b64}, {b64}); bar.warp.sync -1;"
    for count in (1, 2, 4):
        got = ", ".join(["{d:b32}"] * count)
        given = ", ".join(["{b32}"] * count)
        for way in ("", ".trans"):
            yield f"{rows} ldmatrix.sync.aligned.m8n8.x{count}{way}.shared.b16 ({got}), [rows];"
            yield f"{rows} stmatrix.sync.aligned.m8n8.x{count}{way}.shared.b16 [rows], ({given}); bar.warp.sync -1; ld.shared.v2.b64 ({{d:b64}}, {{d:b64}}), [rows];"


def approximate():
    """What the ISA lets be approximate."""
    yield from each(
        "<op>.approx<ftz>.f32 {d:f32}, {<of>};",
        op=("ex2", "rcp", "sqrt", "rsqrt"),
        ftz=("", ".ftz"),
        of=("tame", "f32"),
    )
    yield from each("<op>.approx<ftz>.f32 {d:f32}, {tame};", op=("lg2", "sin", "cos"), ftz=("", ".ftz"))
    yield from each(
        "<op>.f32 {d:f32}, {<of>}, {<of>};", op=("div.approx", "div.full", "div.approx.ftz"), of=("tame", "f32")
    )
    yield from each("tanh.approx.f32 {d:f32}, {<of>};", of=("tame", "f32"))
    yield from each("<op>.approx.<type> {d:<type>}, {<type>};", op=("ex2", "tanh"), type=("f16", "f16x2"))
    yield from each("<op>.<type> {d:<type>}, {<type>};", op=("ex2.approx.ftz", "tanh.approx"), type=("bf16", "bf16x2"))
    yield from each("<op>.approx.ftz.f64 {d:f64}, {f64};", op=("rcp", "rsqrt"))
