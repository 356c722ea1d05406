#!/usr/bin/env python3
"""edited.py WARPCC KERNELS: mistakes that kernels have had, and changes that look like some and are right, each made in the SASS text of a kernel that ships.

A mistake must get the finding that names it; what is right must get none. Each runs in every cluster, and what is right under four schedules as well."""
import os
import re
import subprocess
import sys
import tempfile

warpcc, kernels = sys.argv[1:3]

# The kernels: a pair of CTAs with two accumulators that walks four tiles; three tiles of a warpgroup of Hopper's, one after the other.
SOURCES = {
    "pair": ["gemm.wk", "sms=2", "M=256", "N=512", "K=640"],
    "hopper": ["hopper_gemm.wk", "sms=1", "M=64", "N=384", "K=512", "tile=(64,128)", "groups=1", "teams=1", "depth=3", "walk=stride(rows(1))"],
    "staged": ["hopper_gemm.wk", "sms=1", "M=128", "N=256", "K=320", "tile=(64,128)", "groups=1", "teams=1", "depth=3", "walk=stride(rows(1))", "output=staged"],
    "trade": ["hopper_gemm.wk", "sms=2", "M=256", "N=384", "K=320", "tile=(128,192)", "depth=5", "mates=2", "trade=true", "walk=stride(rows(1))", "output=staged", "slots=2"],
    "stream": ["gemm.wk", "M=256", "N=512", "K=1024", "sms=6", "walk=stream(rows(1))"],
    "steal": ["gemm.wk", "M=256", "N=1024", "K=256", "walk=steal(rows(1))"],
    "grid": ["gemm.wk", "M=256", "N=512", "K=256", "walk=grid"],
}


def is_at(line, what):
    return re.search(what, line) is not None


def drop(what, times=None):
    """The lines that match; of them the first `times`."""
    def edit(lines):
        left = [times if times is not None else len(lines)]
        def keep(line):
            if left[0] and is_at(line, what):
                left[0] -= 1
                return False
            return True
        return [line for line in lines if keep(line)]
    return edit


def change(what, into):
    return lambda lines: [re.sub(what, into, line) for line in lines]


def twice(what):
    return lambda lines: [each for line in lines for each in ([line, line] if is_at(line, what) else [line])]


def before(what, text):
    return lambda lines: [each for line in lines for each in ([text, line] if is_at(line, what) else [line])]


def behind(what, text):
    return lambda lines: [each for line in lines for each in ([line, text] if is_at(line, what) else [line])]


def swap(first, second):
    """Each line that matches `first` with the next that matches `second`."""
    def edit(lines):
        lines, at = list(lines), 0
        while at < len(lines):
            if is_at(lines[at], first):
                then = next((i for i in range(at + 1, min(at + 40, len(lines))) if is_at(lines[i], second)), None)
                if then is not None:
                    lines[at], lines[then] = lines[then], lines[at]
                    at = then
            at += 1
        return lines
    return edit


def move(what, behind_what):
    """The first line that matches goes behind the next that matches the other."""
    def edit(lines):
        at = next(i for i, line in enumerate(lines) if is_at(line, what))
        then = next(i for i in range(at + 1, len(lines)) if is_at(lines[i], behind_what))
        return lines[:at] + lines[at + 1 : then + 1] + [lines[at]] + lines[then + 1 :]
    return edit


def without_wait(where, barrier):
    """A wait is four lines: its label, the test, and what goes round."""
    def edit(lines):
        result, skip = [], 0
        for i, line in enumerate(lines):
            if skip:
                skip -= 1
            elif i + 1 < len(lines) and re.match(r"WAIT_\d+:", line) and is_at(lines[i + 1], where) and is_at(lines[i + 1], "= " + barrier):
                skip = 3
            else:
                result.append(line)
        return result
    return edit


FENCE, SYNC = r"FENCE\.VIEW\.ASYNC\.S", r"WARPSYNC\.ALL"

MISTAKES = [
    # name, kernel, edit, what is said
    ("the fence of staged stores forgotten", "pair", drop(FENCE), r"race: .*staging\[\d\]\[\d\].*: is written by `sts .*, the copy engine reads for `.*store.*: in order, but with no fence"),
    ("the fence before the stores that it is for", "pair", lambda lines: before(r"STS \[staging_at[^+]*\]", "  FENCE.VIEW.ASYNC.S")(drop(FENCE)(lines)), r"race: .*staging.*with no fence"),
    ("the warp does not meet behind its stores", "pair", drop(r"WARPSYNC.ALL .*epilogue.wk:12"), r"race: .*staging.*: is written by `sts"),
    ("the warp does not meet behind the wait for its slots", "pair", drop(r"WARPSYNC.ALL .*epilogue.wk:7"), r"race: .*staging.*: the copy engine reads for `.*is written by `sts"),
    ("a slot is written while one store more is pending", "pair", change(r"DEPBAR.LE SB0, 0x([1-9]) ", lambda wait: f"DEPBAR.LE SB0, 0x{int(wait[1]) + 1} "), r"race: .*staging.*: the copy engine reads for .*is written by `sts"),
    ("the accumulator is handed back before its last load is done", "pair", swap(r"DEPBAR.LE SB1, 0x0 .*ld.wait", r"SYNCS.ARRIVE.*accumulator_empty"), r"(protocol: frees a stage of accumulator while tensor loads|race: .*acc)"),
    ("the stage's commit forgotten", "pair", drop(r"UTCBAR.*stage_empty"), r"hang: CTA \d warp 0 waits on stage_empty\[\d\]"),
    ("the accumulator's commit forgotten", "pair", drop(r"UTCBAR.*accumulator_full"), r"hang: CTA \d warp \d waits on accumulator_full\[0\]"),
    ("barriers made and not published", "pair", drop(r"NOP .*fence.init"), r"race: uses .* without `fence.init`"),
    ("nobody waits for the barriers to be made", "pair", lambda lines: drop(r"UCGABAR_WAIT", 1)(drop(r"UCGABAR_ARV", 1)(lines)), r"(race: uses|protocol: uses|protocol: waits on|memory: )"),
    ("the cluster parts at the end", "pair", lambda lines: [line for i, line in enumerate(lines) if not (is_at(line, "UCGABAR") and i > next(j for j, each in enumerate(lines) if each.startswith(".finish")))], r"(race: .*may have exited|race: tensor memory is freed|memory: |race: columns)"),
    ("the cluster's last arrival publishes nothing, and tensor memory is freed", "pair", lambda lines: (lambda at: lines[:at] + [line for line in lines[at:] if not is_at(line, "MEMBAR")])(next(i for i, line in enumerate(lines) if line.startswith(".finish"))), r"race: columns 0 .. 256 of tensor memory.*: is read by `ld.tensor.*is written by `free.pair`"),
    ("the grid before is not waited for by those who load", "pair", drop(r"ACQBULK", 1), r"protocol: reaches global memory before this warp"),
    ("bytes expected twice", "pair", twice(r"SYNCS.ARRIVE.TRANS64 RZ.*stage_full"), r"(protocol: stage_full\[0\] gets more arrivals|hang: )"),
    ("a commit that tells one CTA of two", "pair", change(r"UMOV stage_mask(\S*), 0x3", r"UMOV stage_mask\1, 0x1"), r"hang: CTA 1 warp 0 waits on stage_empty"),
    ("the loads do not wait for their stage", "pair", without_wait("wait out.empty", "stage_empty"), r"race: s[ab]\[\d\].*the copy engine fills by `load"),
    ("the MMAs do not wait for their stage", "pair", without_wait("wait inp.full", "stage_full"), r"race: s[ab]\[\d\].*: the copy engine fills by `load.*the tensor core reads for|memory: reads [AB] "),
    ("the MMAs do not wait for their accumulator", "pair", without_wait("wait out.empty", "accumulator_empty"), r"race: .*acc\[\d\].*: is read by `ld.tensor.*the tensor core writes by `mma"),
    ("the epilogue does not wait for its accumulator", "pair", without_wait("wait inp.full", "accumulator_full"), r"(race: .*acc|memory: reads column)"),
    ("tensor memory freed before the epilogue is done", "pair", lambda lines: [line for line in drop(r"UTCATOMSWS.*AND tmem_base")(lines)], r"columns of tensor memory allocated"),
    ("tensor memory allocated after it was given up", "pair", swap(r"UTCATOMSWS.*FIND_AND_SET", r"UVIRTCOUNT"), r"protocol: allocates tensor memory after giving up"),
    ("the parity that a producer starts with", "pair", change(r"(~ MOV stage_parity\S*), 0x80000000", r"\1, RZ"), r"hang: "),
    ("a grid twice as large as the work", "grid", change(r"^\.grid (\d+) (\d+)$", lambda m: f".grid {2 * int(m[1])} {m[2]}"), r"(coverage: cluster \d+ stores nothing|operand: |range: |race: )"),
    ("partial sums that nobody stores", "stream", drop(r"UTMASTG|UTMAREDG"), r"values: nothing was stored, by any cluster"),
    ("one group of MMAs more is pending than the freed stage allows", "hopper", change(r"DEPBAR.LE gsb0, 0x1", "DEPBAR.LE gsb0, 0x2"), r"race: s[ab]\[\d\].*: the tensor core reads for `mma.*the copy engine fills by `load"),
    ("nobody waits for the last groups before the stage goes", "hopper", change(r"DEPBAR.LE gsb0, 0x[01] ", "DEPBAR.LE gsb0, 0x3 "), r"which an MMA under way computes: `mma.wait` comes first"),
    ("no fence before the accumulator's first MMA", "hopper", drop(r"WARPGROUP.ARRIVE"), r"protocol: no `mma.fence` comes before"),
    ("a stage freed by three warps of four", "hopper", change(r"^\.mbar stage_empty (.*) arrivals 4", r".mbar stage_empty \1 arrivals 3"), r"(operand: |protocol: )"),
    ("Hopper's staged fence forgotten", "staged", drop(FENCE), r"race: .*staging.*with no fence"),
    ("Hopper's slot is written while its store is pending", "staged", change(r"DEPBAR.LE SB0, 0x([1-9]) ", lambda wait: f"DEPBAR.LE SB0, 0x{int(wait[1]) + 1} "), r"race: .*staging.*: the copy engine reads for"),
    ("a role does not take the registers that it needs", "trade", drop(r"USETMAXREG.TRY_ALLOC"), r"protocol: 1\d\d registers of a thread hold values here, and it has 168"),
    ("a role takes fewer registers than it needs", "trade", change(r"(USETMAXREG.TRY_ALLOC\S* \S+,) 0xf0", r"\1 0xa8"), r"protocol: 1\d\d registers of a thread hold values here, and it has 168"),
    ("what an MMA multiplies ends before its k step does", "hopper", change(r"^(\.buffer a global .*: \(512, 1\))$", r"\1 valid (64, 504)"), r"memory: reads A at 0x\w+ \(sa\[\d\]\[\d+, \d+\]\) of CTA 0, which lies behind the valid extents"),
    ("a whole k step behind what is valid", "hopper", change(r"^(\.buffer b global .*: \(512, 1\))$", r"\1 valid (384, 448)"), r"memory: adds products of 0x\w+ \(sb\[\d\]\[\d+, \d+\]\) of CTA 0"),
]

# What the documents ask for and libraries leave out: told with --strict alone.
STRICT = [
    ("the engine set to work behind a flag without a fence", "stream", drop(r"FENCE\.VIEW\.ASYNC\.G"), r"race: c\[.*in order, but with no fence behind the flag that tells of the first"),
    ("an answer that lanes have read is written over", "steal", drop(r"FENCE.VIEW.ASYNC.*work\.wk"), r"race: reply\[\d\].*: is read by `lds.*with no fence between the lanes' accesses and the async proxy's"),
    ("stores that nobody waits for at the end", "pair", drop(r"DEPBAR.LE SB0, 0x0 .*store.wait.read 0"), r"race: exits, and its CTA may, before the copy engine has read what \S*\.wk:\d+: `.*store .*` stores"),
]

RIGHT = [
    ("as it is", "pair", lambda lines: lines + [""]),
    ("as it is, partial sums behind flags", "stream", lambda lines: lines + [""]),
    ("as it is, work that is taken", "steal", lambda lines: lines + [""]),
    ("answers read twice", "steal", twice(r"LDS.128 word")),
    ("as it is, registers traded", "trade", lambda lines: lines + [""]),
    ("every arrival behind a fence of the GPU's", "stream", before(r"SYNCS.ARRIVE", "  MEMBAR.ALL.GPU")),
    ("the grid before is waited for by those who load, from whom the others hear", "pair", lambda lines: (lambda at: lines[:at] + lines[at + 1 :])([i for i, line in enumerate(lines) if is_at(line, "ACQBULK")][-1])),
    ("fences twice", "pair", twice(FENCE)),
    ("the fence by all, behind the meeting", "pair", swap(FENCE, SYNC)),
    ("the fence by the lane that stores, behind the meeting", "pair", lambda lines: change(FENCE, "@one FENCE.VIEW.ASYNC.S")(swap(FENCE, SYNC)(change(r"/(R|UR|P|UP)\d+\b", "")(change(r"^\.form both", ".form named")(lines))))),
    ("no store pending when a slot is written", "pair", change(r"DEPBAR.LE SB0, 0x[1-9] ", "DEPBAR.LE SB0, 0x0 ")),
    ("stores waited for until they are written", "pair", behind(r"DEPBAR.LE SB0, 0x[01] ", "  CCTL.IVALL")),
    ("the warp meets again and again", "pair", twice(SYNC)),
    ("loads of tensor memory waited for twice", "pair", twice(r"DEPBAR.LE SB1")),
    ("the commit of the accumulator before that of the last stage would be another program; twice the barrier is not", "pair", before(r"UTCBAR", "  NOP")),
    ("bytes expected after the loads have begun", "pair", move(r"SYNCS.ARRIVE.TRANS64 RZ.*stage_full", r"UTMALDG.*map_b")),
    ("no map prefetched", "pair", drop(r"UTMACCTL.PF")),
    ("the next grid let in late", "pair", lambda lines: before(r"^~? *EXIT", "  PREEXIT")(drop(r"PREEXIT")(lines))),
    ("a failed test tries again at once", "pair", drop(r"NANOSLEEP")),
    ("the MMAs of a group waited for at once", "hopper", change(r"DEPBAR.LE gsb0, 0x1", "DEPBAR.LE gsb0, 0x0")),
    ("registers fenced twice", "hopper", twice(r"WARPGROUP.ARRIVE")),
    ("MMAs waited for twice", "hopper", twice(r"WARPGROUP.DEPBAR")),
    ("rows that hold nothing, and whose products are nobody's", "hopper", change(r"^(\.buffer a global .*: \(512, 1\))$", r"\1 valid (40, 512)")),
    ("Hopper's stores waited for at once", "staged", change(r"DEPBAR.LE SB0, 0x[1-9] ", "DEPBAR.LE SB0, 0x0 ")),
]


def text_of(kernel):
    name, *parameters = SOURCES[kernel]
    command = [warpcc, "expand", os.path.join(kernels, name), "--form", "both"]
    for each in parameters:
        command += ["-D", each]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def check(lines, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".sass", delete=False) as file:
        file.write("\n".join(lines) + "\n")
    try:
        run = subprocess.run([warpcc, "check", file.name, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    finally:
        os.unlink(file.name)
    return run.returncode, run.stdout.replace(file.name, "text.sass")


only = sys.argv[3] if len(sys.argv) > 3 else ""
texts = {kernel: text_of(kernel) for kernel in SOURCES}
failed = 0


def edited(edits):
    """Those asked for: what each is called, its lines, and the rest of it. One that changes nothing is wrong itself."""
    global failed
    for name, kernel, edit, *rest in edits:
        if only not in name:
            continue
        lines = edit(texts[kernel])
        if lines == texts[kernel]:
            failed += 1
            print(f"{name}: the edit changes nothing")
            continue
        yield name, lines, *rest


for name, lines, said in edited(MISTAKES):
    code, out = check(lines, "--clusters", "all", "--values")
    if code != 1 or not re.search(said, out):
        failed += 1
        print(f"{name}: wanted {said}, exit code 1; exit code {code}:\n{out[:3000]}")
    elif only:
        print(f"{name}:\n{out[:3000]}")
for name, lines, said in edited(STRICT):
    for options, wanted in (["--strict"], 1), ([], 0):
        code, out = check(lines, "--clusters", "all", *options)
        if code != wanted or (wanted and not re.search(said, out)):
            failed += 1
            print(f"{name}, {options}: wanted exit code {wanted}; exit code {code}:\n{out[:3000]}")
for kernel in texts:
    if only:
        continue
    code, out = check(texts[kernel], "--clusters", "all", "--strict")
    if code != 0:
        failed += 1
        print(f"{kernel} with --strict:\n{out[:3000]}")
for name, lines in edited(RIGHT):
    for options in (["--clusters", "all", "--values"], ["--clusters", "all", "--schedules", "4"]):
        code, out = check(lines, *options)
        if code != 0:
            failed += 1
            print(f"{name}: right, and told of, {' '.join(options)}:\n{out[:3000]}")
            break
print(f"{len(MISTAKES)} mistakes, {len(STRICT)} that --strict tells, {len(RIGHT)} right programs, {failed} failed")
sys.exit(1 if failed else 0)
