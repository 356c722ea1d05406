#!/usr/bin/env python3
"""The machine against the machine: random programs on the GPU and on the checker's machine, memory compared byte by byte.

    differential.py prepare --build BUILD --pack PACK.zip [--scale S] [--seed N]
    differential.py run --pack PACK.zip [--out FOLDER]
    differential.py machine --build BUILD [--scale S] [--seed N]

`prepare` needs no GPU: it writes the programs, runs them on the checker's machine (BUILD/tests/memory_after), lifts them
(BUILD/bin/warpcc) and assembles them (ptxas). `run` needs a Hopper GPU, its driver and Python: no CUDA. tests/gpu/README.md.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

SEEN = pathlib.Path(__file__).resolve().parent / "seen.txt"
SILENCE = 30  # seconds without an answer that are taken for a hang
MODULE = 25  # kernels of a module: modules are slow to load, large ones slow to assemble


# ---- prepare


def lifted(warpcc, path):
    """The program's PTX: what a module has once, and the rest."""
    if path.suffix == ".ptx":
        head, gap, body = path.read_text().partition("\n\n")
        return head + gap, body
    done = subprocess.run([warpcc, "lift", path, "-o", path.with_suffix(".ptx")], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{path}: warpcc lift refuses it:\n{done.stderr}")
    text = path.with_suffix(".ptx").read_text()
    head, _, body = text.partition(".visible .entry")
    return head, ".visible .entry" + body


def assembled(ptxas, folder, number, parts):
    """A module of several kernels, with one head: they differ in nothing but whether there is shared memory."""
    head = max((head for head, _ in parts), key=len)
    path = folder / f"module_{number}.ptx"
    path.write_text(head + "\n".join(body for _, body in parts))
    cubin = path.with_suffix(".cubin")
    done = subprocess.run([ptxas, "-arch=sm_90a", path, "-o", cubin], capture_output=True, text=True)
    if done.returncode != 0 or "serializ" in done.stdout + done.stderr:
        raise SystemExit(f"{path}: {ptxas}:\n{done.stdout}{done.stderr}")
    return cubin


def compiled(warpcc, source):
    """SASS text beside a program in .wk."""
    to = source.with_suffix(".sass")
    done = subprocess.run(
        [warpcc, source, "--emit", "sass", "--form", "named", "--no-check", "-o", to], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"{source}: warpcc refuses it:\n{done.stderr}")


def source_of(path):
    """What a program was written as: .wk, or the SASS text itself."""
    written = path.with_suffix(".wk")
    return written if written.exists() else path


def write(options, folder):
    """(class, name, path) of every program."""
    import programs

    listed, sources = [], []
    for kind, name, text in programs.programs(options.scale, options.seed):
        if options.only and kind not in options.only.split(","):
            continue
        path = folder / (name + (".ptx" if kind.startswith("ptx_") else ".sass"))
        if kind.startswith("wk_"):
            sources.append(path.with_suffix(".wk"))
            sources[-1].write_text(text)
        else:
            path.write_text(text)
        listed.append((kind, name, path))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda source: compiled(pathlib.Path(options.build) / "bin/warpcc", source), sources))
    return listed


def run_on_the_machine(build, listed):
    """The checker's machine: NAME.memory beside the program. It finds nothing wrong with these programs."""
    for i in range(0, len(listed), 100):
        part = [str(path) for _, _, path in listed[i : i + 100]]
        done = subprocess.run([build / "tests/memory_after", *part], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"the checker's machine does not take them:\n{done.stderr}")


def short_hash(content):
    return hashlib.sha256(content).hexdigest()[:12]


def seen():
    """What a GPU has left in memory, by a program's name: hashes of its text and of the memory."""
    lines = [line.split() for line in SEEN.read_text().splitlines() if not line.startswith("#")]
    return {name: (text, memory) for name, text, memory in lines}


def compare_with_seen(listed):
    known, same, differ = seen(), 0, []
    for _, name, path in listed:
        text, memory = known.get(name, (None, None))
        if text != short_hash(source_of(path).read_bytes()):
            continue
        if memory == short_hash(path.with_suffix(".memory").read_bytes()):
            same += 1
        else:
            differ.append(name)
    print(f"{same} leave what a GPU was seen to leave, {len(differ)} do not")
    if differ:
        raise SystemExit("they differ from the GPU: " + ", ".join(differ))


def prepare(options):
    build = pathlib.Path(options.build)
    folder = pathlib.Path(options.work or tempfile.mkdtemp(prefix="differential"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        listed = write(options, folder)
        run_on_the_machine(build, listed)
        compare_with_seen(listed)
        groups = [range(i, min(i + MODULE, len(listed))) for i in range(0, len(listed), MODULE)]
        ptxas = options.ptxas or os.environ.get("WARPCC_PTXAS") or shutil.which("ptxas")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            texts = list(pool.map(lambda entry: lifted(build / "bin/warpcc", entry[2]), listed))
            if ptxas:
                make = lambda group: assembled(ptxas, folder, group[0] // MODULE, [texts[i] for i in group])
                cubins = list(pool.map(make, groups))
        counts = collections.Counter(kind for kind, _, _ in listed)
        print(f"{len(listed)} programs: {', '.join(f'{kind} {count}' for kind, count in counts.items())}")
        if not ptxas:
            print("not assembled: no ptxas")
        if options.pack:
            if not ptxas:
                raise SystemExit("a pack needs ptxas: --ptxas, WARPCC_PTXAS or PATH")
            write_pack(options.pack, listed, groups, cubins)
            print(f"{options.pack}: {os.path.getsize(options.pack) / 1e6:.1f} MB")
    finally:
        if not options.work:
            shutil.rmtree(folder)


def machine(options):
    """The checker's machine alone, held to what a GPU was seen to leave."""
    with tempfile.TemporaryDirectory(prefix="differential") as folder:
        listed = write(options, pathlib.Path(folder))
        run_on_the_machine(pathlib.Path(options.build), listed)
        compare_with_seen(listed)


def write_pack(path, listed, groups, cubins):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as pack:
        index = []
        for number, (group, cubin) in enumerate(zip(groups, cubins)):
            pack.write(cubin, f"module_{number}.cubin")
            for i in group:
                kind, name, text = listed[i]
                index.append([kind, text.name, number, short_hash(source_of(text).read_bytes())])
                pack.write(text, text.name)
                pack.write(text.with_suffix(".memory"), name + ".memory")
        pack.writestr("index.json", json.dumps(index))


# ---- run


class Buffer:
    def __init__(self, number, name, element, extents, mapped):
        self.number, self.name, self.element, self.extents, self.mapped = number, name, element, extents, mapped
        self.count = 1
        for extent in extents:
            self.count *= extent


class Header:
    """What a launcher needs of a text: its header lines."""

    def __init__(self, text):
        self.threads, self.shared, self.grid, self.cluster = 0, 0, (1, 1, 1), 1
        self.params, self.maps, self.buffers = [], [], []
        of_ptx = re.match(r"// threads (\d+), words (\d+)", text)
        if of_ptx:
            self.threads, self.params = int(of_ptx.group(1)), ["result"]
            self.buffers = [Buffer(0, "result", "u32", [int(of_ptx.group(2)) // 32, 32], False)]
            return
        for line in text.splitlines():
            words = line.split()
            if not words or not words[0].startswith("."):
                continue
            if words[0] == ".threads":
                self.threads = int(words[1])
            elif words[0] == ".dynsmem":
                self.shared = int(words[1])
            elif words[0] == ".grid":
                self.grid = tuple([*map(int, words[1:]), 1, 1][:3])
            elif words[0] == ".cluster":
                self.cluster = int(words[1])
            elif words[0] == ".param":
                self.params.append(words[1])
            elif words[0] == ".tmap":
                numbers = list(map(int, words[2 : words.index("of") if "of" in words else None]))
                rank = len(numbers) // 2 - 1
                self.maps.append((words[1], numbers[:rank], numbers[rank], numbers[rank + 1 : -1], numbers[-1]))
            elif words[0] == ".buffer" and words[2] == "global":
                shape = re.search(r"\(([^)]*)\) :", line).group(1)
                self.buffers.append(
                    Buffer(len(self.buffers), words[1], words[5], [int(x) for x in shape.split(",")], words[3] == "map")
                )
            elif words[0] in (".start", ".role"):
                break


def run_from(options):
    """The programs from number `start` on: a line of JSON each. Ends after one that the driver refuses: its context is gone."""
    import ptx
    from driver import Driver
    from inputs import encoded

    driver = Driver()
    pack = zipfile.ZipFile(options.pack)
    index = json.loads(pack.read("index.json"))
    say = lambda **words: print(json.dumps(words), flush=True)
    say(gpu=driver.name())
    module, loaded = None, None
    for i in range(options.start, len(index)):
        kind, file, number, written = index[i]
        name = pathlib.Path(file).stem
        text = pack.read(file).decode()
        header = Header(text)
        before = [encoded(b.number, b.count, b.element) for b in header.buffers]
        try:
            if loaded != number:
                if module is not None:
                    driver.unload(module)
                module, loaded = driver.load(pack.read(f"module_{number}.cubin")), number
            after = driver.launch(module, name, header, before)
        except RuntimeError as error:
            say(name=name, kind=kind, why=str(error))
            return 1
        wanted, got = pack.read(name + ".memory"), b"".join(after)
        if kind == "ptx_near":
            say(name=name, kind=kind, why="", off=ptx.off(text, got, wanted))
            continue
        why = "" if got == wanted else first_difference(header, after, wanted)
        if why and file.endswith(".ptx"):
            why += "; " + ptx.differing(text, got, wanted)
        say(name=name, kind=kind, why=why, seen=f"{name} {written} {short_hash(got)}")
    return 0


def pass_on(lines, to):
    for line in lines:
        to.put(line)
    to.put(None)


def run(options):
    """Each stretch in a process of its own, so that a program that fails or hangs takes no other with it."""
    count = len(json.loads(zipfile.ZipFile(options.pack).read("index.json")))
    ran, differ, said, seen_lines, off = collections.Counter(), collections.Counter(), [], [], {}
    done, failures = 0, 0
    while done < count and failures < 40:
        command = [sys.executable, __file__, "run-from", "--pack", options.pack, "--start", str(done)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            lines = queue.Queue()
            threading.Thread(target=pass_on, args=(child.stdout, lines), daemon=True).start()
            began = done
            while True:
                try:
                    line = lines.get(timeout=SILENCE)
                except queue.Empty:
                    child.kill()
                    line = json.dumps({"name": None, "kind": "hang", "why": f"no answer for {SILENCE} s"})
                if line is None:
                    break
                told = json.loads(line)
                if "gpu" in told:
                    if not done:
                        print("GPU:", told["gpu"])
                    continue
                name, kind = told["name"], told["kind"]
                for form, far in told.get("off", {}).items():
                    off[form] = max(far, off.get(form, 0.0))
                if name is None:
                    kind, name, *_ = json.loads(zipfile.ZipFile(options.pack).read("index.json"))[done]
                done += 1
                ran[kind] += 1
                if "seen" in told:
                    seen_lines.append(told["seen"])
                if told["why"]:
                    differ[kind] += 1
                    said.append(f"{name}: {told['why']}")
                    print(said[-1], flush=True)
                if told["name"] is None:
                    break
            child.wait()
            if done < count:
                failures += 1
            if done == began and child.returncode not in (0, 1):
                print(f"the process ended with {child.returncode} before it ran anything")
                break
    for kind in ran:
        print(f"{kind:16} {ran[kind]:5} programs, {differ[kind]} differ")
    for form, far in off.items():
        print(f"{form}: at most 2^{math.log2(far) if far else -math.inf:.1f} off")
    print(f"{sum(ran.values())} of {count} programs run, {sum(differ.values())} differ")
    if options.out:
        out = pathlib.Path(options.out)
        out.mkdir(parents=True, exist_ok=True)
        (out / "differ.txt").write_text("\n".join(said) + "\n")
        (out / "seen.txt").write_text("\n".join(seen_lines) + "\n")
    return 1 if said or done < count else 0


def first_difference(header, after, wanted):
    at, said = 0, []
    for buffer, got in zip(header.buffers, after):
        model = wanted[at : at + len(got)]
        at += len(got)
        places = [i for i in range(0, len(got), 4) if got[i : i + 4] != model[i : i + 4]]
        if places:
            i = places[0]
            said.append(
                f"{buffer.name}: {len(places)} of {len(got) // 4} words, the first at word {i // 4} (row of {buffer.extents[-1]}): "
                f"GPU {int.from_bytes(got[i:i + 4], 'little'):#x}, machine {int.from_bytes(model[i:i + 4], 'little'):#x}"
            )
    return "; ".join(said) or "another length"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make, alone = commands.add_parser("prepare"), commands.add_parser("machine")
    for each in (make, alone):
        each.add_argument("--build", required=True)
        each.add_argument("--scale", type=float, default=1.0)
        each.add_argument("--seed", type=int, default=0)
        each.add_argument("--only", help="classes, with commas")
    make.add_argument("--pack", help="without it the programs are run on the checker's machine and assembled, no more")
    make.add_argument("--ptxas")
    make.add_argument("--work", help="a folder for what is made on the way, kept")
    go = commands.add_parser("run")
    go.add_argument("--pack", required=True)
    go.add_argument("--out")
    part = commands.add_parser("run-from")
    part.add_argument("--pack", required=True)
    part.add_argument("--start", type=int, default=0)
    options = parser.parse_args()
    return {"prepare": prepare, "machine": machine, "run": run, "run-from": run_from}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
