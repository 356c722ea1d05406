#!/usr/bin/env python3
"""pairs.py WARPCC FILE [N]: holds warpcc to the pairs of a file (README.md); N: one pair alone, with its two programs."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = ("pair", "base", "define", "refused", "accepted", "says", "under", "more")


def read(path):
    pairs = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        key, colon, rest = line.strip().partition(": ")
        if not line.strip() or line.startswith("#") or line.startswith("RUN:"):
            continue
        if not colon or key not in KEYS:
            sys.exit(f"{path}:{number}: one of {', '.join(KEYS)} is wanted")
        if key == "pair":
            pairs.append({"pair": rest, "line": number, "refused": [], "accepted": [], "define": []})
        elif key in ("refused", "accepted"):
            old, arrow, new = rest.partition(" => ")
            if not arrow:
                sys.exit(f"{path}:{number}: OLD => NEW is wanted")
            pairs[-1][key].append((old, "" if new == "nothing" else new.replace("\\n", "\n")))
        elif key == "define":
            pairs[-1][key] += ["-D", rest]
        else:
            pairs[-1][key] = rest
    return pairs


def changed(text, replacements):
    for old, new in replacements:
        which = re.match(r"#(\d+) ", old)
        place = int(which.group(1)) if which else 0
        wanted = re.escape(old[which.end():] if which else old).replace(re.escape("\\n"), "\n").replace(re.escape("..."), ".*?")
        found = list(re.finditer(wanted, text, re.S))
        if not found or place > len(found) or (place == 0 and len(found) > 1):
            raise ValueError(f"`{old}` stands {len(found)} times in the base")
        at = found[max(place, 1) - 1]
        text = text[: at.start()] + new + text[at.end():]
    return text


def compiled(warpcc, text, define, folder):
    path = os.path.join(folder, "it.wk")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([warpcc, path, "--emit", "sass", "--format", "json", *define], capture_output=True, text=True, timeout=60)
    errors = []
    if done.returncode:
        try:
            said = json.loads(done.stderr or done.stdout)
        except ValueError:
            return done.returncode, [{"code": "?", "text": (done.stderr or done.stdout)[:500]}]
        errors = [each for each in said["diagnostics"] if each["severity"] == "error"]
    return done.returncode, errors


def under(text, error):
    lines = text.split("\n")
    if "begin" not in error:
        return ""
    begin, end = error["begin"], error["end"]
    first = lines[begin["line"] - 1].encode()[begin["column"] - 1:]
    return first.decode() if begin["line"] != end["line"] else first[: end["column"] - begin["column"]].decode()


def problem(warpcc, pair, folder, show):
    base = open(os.path.join(HERE, "Inputs", pair["base"]), encoding="utf-8").read()
    texts = {key: changed(base, pair[key]) for key in ("accepted", "refused")}
    code, errors = compiled(warpcc, texts["accepted"], pair["define"], folder)
    if show:
        for key, text in texts.items():
            print(f"// ---- {key}\n{text}")
    if code != 0:
        return f"the accepted program is refused: {errors[0]['code']}: {errors[0]['text']}, under `{under(texts['accepted'], errors[0])}`"
    code, errors = compiled(warpcc, texts["refused"], pair["define"], folder)
    if code != 1 or not errors:
        return f"the refused program ends with {code} and {len(errors)} errors"
    first = errors[0]
    said = f"{first['code']}: {first['text']}"
    if not said.startswith(pair["says"]):
        return f"it says {said}, under `{under(texts['refused'], first)}`"
    if under(texts["refused"], first) != pair["under"]:
        return f"the caret stands under `{under(texts['refused'], first)}`"
    if len(errors) != 1 + int(pair.get("more", 0)):
        return f"{len(errors) - 1} more errors: {'; '.join(each['text'] for each in errors[1:3])}"
    return None


def main():
    warpcc, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    pairs = read(path)
    if len(sys.argv) > 3:
        pairs = [pairs[int(sys.argv[3]) - 1]]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, pair in enumerate(pairs, 1):
            try:
                what = problem(warpcc, pair, folder, len(sys.argv) > 3)
            except (KeyError, ValueError) as error:
                what = f"{error}"
            if what:
                wrong += 1
                print(f"{path}:{pair['line']}: {number}: {pair['pair']}: {what}", file=sys.stderr)
    print(f"{len(pairs) - wrong} of {len(pairs)} pairs hold")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
