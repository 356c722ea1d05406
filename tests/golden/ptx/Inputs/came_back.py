"""Are a text's instructions in machine code? came_back.py FILE.sass < `cuobjdump -sass` output.

The instructions between `# these` and `# stored` are looked for, whatever register they write; R0 to R3 are the registers that the
machine code's LDG.E.128 loads.
"""
import re
import sys

code = [text.replace(".reuse", "") for text in re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s*/\*", sys.stdin.read(), re.M)]
base = next((int(m[1]) for m in (re.match(r"LDG\.E\.128 R(\d+),", text) for text in code) if m), None)
if base is None:
    sys.exit("the sources are not loaded at once")


def shape(text, first):
    """The text with sources as `s0` to `s3` and the destination as `d`."""
    opcode, _, operands = text.partition(" ")
    destination, _, sources = operands.partition(", ")
    renamed = re.sub(r"\bR(\d+)\b", lambda m: f"s{int(m[1]) - first}" if 0 <= int(m[1]) - first < 4 else m[0], sources)
    return f"{opcode} d, {renamed}"


have = {shape(text, base) for text in code}
asked = open(sys.argv[1]).read().partition("# these\n")[2].partition("# stored\n")[0].splitlines()
missing = [line.strip() for line in asked if shape(line.strip(), 0) not in have]
for line in missing:
    opcode = line.split(" ")[0].split(".")[0]
    print(f"not there: {line}; like it:", [text for text in code if text.startswith(opcode)])
sys.exit(bool(missing) or not asked)
