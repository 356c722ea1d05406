"""The innermost loop of machine code around an instruction: loop_of.py OPCODE < `cuobjdump -sass` output.

Prints its instructions, one a line. Fails where there is no such instruction, or no loop around it.
"""
import re
import sys

wanted = sys.argv[1]
code = re.findall(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*/\*", sys.stdin.read(), re.M)
code = [(int(at, 16), text) for at, text in code]
found = next((at for at, text in code if re.search(rf"(^|\s){re.escape(wanted)}\s", text)), None)
if found is None:
    sys.exit(f"no {wanted}")
loops = []
for at, text in code:
    branch = re.search(r"\bBRA\S*\s.*?(0x[0-9a-f]+)$", text)
    if branch and int(branch[1], 16) <= found <= at:
        loops.append((at - int(branch[1], 16), int(branch[1], 16), at))
if not loops:
    sys.exit(f"no loop around {wanted}")
_, first, last = min(loops)
for at, text in code:
    if first <= at <= last:
        print(text)
