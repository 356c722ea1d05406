#!/usr/bin/env python3
"""lsp.py WARPCC KERNELS [--seed S] [--seconds N]: the language server under broken requests and random edits.

Edits of the kernels' texts, requests of every kind at random places, messages that are no JSON, no request, or lack what they should have.
Whatever comes, the server goes on, answers each request, soon, and does not grow. What can be told to be wrong is: a change of semantic tokens that does not
make of the old the new, formatting that changes words or is not done when it is done, a selection that does not grow. The seed chooses all: what fails can be
played again.
"""
import argparse
import glob
import json
import os
import random
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tools"))
import lsp_client  # noqa: E402

POSITIONED = ["hover", "completion", "signatureHelp", "definition", "typeDefinition", "references", "documentHighlight", "prepareRename", "rename"]
WHOLE = ["documentSymbol", "documentLink", "foldingRange", "selectionRange", "semanticTokens/full", "semanticTokens/full/delta", "semanticTokens/range",
         "inlayHint", "formatting", "rangeFormatting", "onTypeFormatting", "codeAction", "codeLens"]
OURS = ["expand", "ptx", "layout", "why"]
CHECKED = ["check", "trace"]
MOST_MEGABYTES = 1500


class Fuzz:
    def __init__(self, warpcc, kernels, seed):
        self.chance = random.Random(seed)
        self.texts = {}
        for path in sorted(glob.glob(os.path.join(kernels, "**", "*.wk"), recursive=True)):
            with open(path, encoding="utf-8") as file:
                self.texts[path] = file.read()
        words = re.findall(r"\w+|[^\w\s]+|\s+", "".join(self.texts.values()))
        self.words = sorted(set(words)) + ["/*", "*/", '"', "'", "\\", "\u00e9", "\U0001f600", "\x00", "\r\n", "{" * 50, "(" * 300, "9" * 40]
        self.client = lsp_client.Client([warpcc, "lsp"])
        self.open = {}
        self.done = 0

    def step(self):
        self.done += 1
        kinds = [(self.edit, 12), (self.ask, 8), (self.ask_ours, 1), (self.broken_message, 1), (self.broken_request, 2),
                 (self.open_or_close, 0.5), (self.save, 0.05), (self.check, 0.02), (self.recolour, 1), (self.format, 0.5), (self.select, 0.5), (self.restore, 3), (self.swap, 8)]
        kind = self.chance.choices([k for k, _ in kinds], [weight for _, weight in kinds])[0]
        if not self.open:
            kind = self.open_or_close
        kind()

    def document(self):
        return self.chance.choice(sorted(self.open))

    def open_or_close(self):
        if len(self.open) > 3 or (self.open and self.chance.random() < 0.4):
            uri = self.document()
            self.client.close(uri)
            del self.open[uri]
            return
        path = self.chance.choice(sorted(self.texts))
        uri = lsp_client.uri_of(path)
        if uri not in self.open:
            self.client.open(path, self.texts[path])
            self.open[uri] = path

    def restore(self):
        """The text as it was: most edits break it, and what is broken is looked at no further."""
        uri = self.document()
        self.client.change(uri, 0, len(self.client.texts[uri]), self.texts[self.open[uri]])

    def edit(self):
        uri = self.document()
        text = self.client.texts[uri]
        begin = self.chance.randint(0, len(text))
        end = min(len(text), begin + self.chance.choice([0, 0, 0, 1, 3, 20, 300]))
        words = "".join(self.chance.choice(self.words) for _ in range(self.chance.choice([0, 1, 1, 1, 2, 5])))
        self.client.change(uri, begin, end, words)

    def swap(self):
        self.swap_in(self.document())

    def swap_in(self, uri):
        """One name or number in place of another: often a text that can be read, and means something else."""
        text = self.client.texts[uri]
        words = [match.span() for match in re.finditer(r"\w+", text)]
        if not words:
            return
        begin, end = self.chance.choice(words)
        other = self.chance.choice(words)
        digit = text[begin].isdigit()
        self.client.change(uri, begin, end, str(self.chance.choice([0, 1, 2, 3, 64, 129, 1 << 40])) if digit else text[other[0]:other[1]])

    def params(self, uri):
        text = self.client.texts[uri]
        position = lsp_client.place(text, self.chance.randint(0, len(text)))
        end = lsp_client.place(text, self.chance.randint(0, len(text)))
        return {"textDocument": {"uri": uri}, "position": position, "range": {"start": position, "end": self.chance.choice([position, end])},
                "positions": [position, end], "ch": self.chance.choice([";", "}", "x"]), "previousResultId": str(self.chance.randint(0, 3)),
                "query": self.chance.choice(["", "s", "stage", "\u00e9"]),
                "newName": self.chance.choice(["other", "9", "", "role"]), "context": {"includeDeclaration": True, "diagnostics": []}}

    def send(self, method, params):
        try:
            self.client.request(method, params)
        except lsp_client.Failure as failure:
            if failure.error["code"] == -32603:
                raise

    def ask(self):
        methods = ["textDocument/" + method for method in POSITIONED + WHOLE] + ["workspace/symbol"]
        self.send(self.chance.choice(methods), self.params(self.document()))

    def answered(self, method, params):
        """What is answered; none where it cannot be done."""
        try:
            return self.client.request("textDocument/" + method, params)
        except lsp_client.Failure as failure:
            if failure.error["code"] == -32603:
                raise
            return None

    def recolour(self):
        uri = self.document()
        params = self.params(uri)
        old = self.answered("semanticTokens/full", params)
        self.swap_in(uri)
        made = self.answered("semanticTokens/full/delta", {**params, "previousResultId": old["resultId"]})
        for edit in made["edits"]:
            old["data"][edit["start"]:edit["start"] + edit["deleteCount"]] = edit["data"]
        if old["data"] != self.answered("semanticTokens/full", params)["data"]:
            raise ValueError("the change of the semantic tokens makes others than there are")

    def format(self):
        uri = self.document()
        text = self.client.texts[uri]
        method = self.chance.choice(["formatting", "rangeFormatting", "onTypeFormatting"])
        edits = self.answered(method, self.params(uri))
        for edit in sorted(edits or [], key=lambda each: each["range"]["start"]["line"], reverse=True):
            begin, end = (lsp_client.offset(self.client.texts[uri], edit["range"][at]) for at in ("start", "end"))
            self.client.change(uri, begin, end, edit["newText"])
        if "".join(text.split()) != "".join(self.client.texts[uri].split()):
            raise ValueError(f"{method} changes words")
        if edits and method == "formatting" and self.answered(method, self.params(uri)) != []:
            raise ValueError("what is formatted is formatted again")

    def select(self):
        uri = self.document()
        params = self.params(uri)
        for step, place in zip(self.answered("selectionRange", params), params["positions"]):
            at = lsp_client.offset(self.client.texts[uri], place)
            spans = [(at, at)]
            while step:
                spans.append(tuple(lsp_client.offset(self.client.texts[uri], step["range"][each]) for each in ("start", "end")))
                step = step.get("parent")
            for inner, outer in zip(spans, spans[1:]):
                if outer[0] > inner[0] or outer[1] < inner[1] or (inner == outer and len(spans) > 2):
                    raise ValueError("a selection does not grow")

    def ask_ours(self):
        self.send("warpcc/" + self.chance.choice(OURS), self.params(self.document()))

    def check(self):
        # Of a text as it is: half of the mutants would run for seconds.
        self.restore()
        self.send("warpcc/" + self.chance.choice(CHECKED), self.params(self.document()))

    def save(self):
        self.client.save(self.document())

    def broken_message(self):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"})
        at = self.chance.randint(0, len(body))
        body = body[:at] + self.chance.choice(["", "\x00", "{", '"', "\udcff", "[" * 5000]) + body[at + self.chance.randint(0, 3):]
        data = body.encode("utf-8", "surrogateescape")
        if self.chance.random() < 0.3:
            self.client.send_raw(b"", header=self.chance.choice(["junk\r\n\r\n", "Content-Length: x\r\n\r\n", "\r\n\r\n", "a" * 9000 + "\r\n"]))
        self.client.send_raw(data)

    def broken_request(self):
        params = self.params(self.document())
        values = [None, -1, 1e300, 1 << 70, "", "x", [], {}, {"uri": 3}, {"line": -1, "character": 0}, {"line": 1 << 40, "character": 1 << 40}, True]
        for key in self.chance.sample(sorted(params), 2):
            params[key] = self.chance.choice(values)
        method = self.chance.choice(["textDocument/" + m for m in POSITIONED + WHOLE] + ["warpcc/" + m for m in OURS] + ["workspace/symbol", "x", "", "initialize"])
        if self.chance.random() < 0.2:
            params = self.chance.choice([None, [], [1], {}])
        if self.chance.random() < 0.3:
            # A change, too: the document stays what the client has.
            self.client.notify("textDocument/didChange", {"textDocument": params and {"uri": 1}, "contentChanges": self.chance.choice(values)})
        id = self.client.start(method, params)
        if self.chance.random() < 0.2:
            self.client.notify("$/cancelRequest", {"id": self.chance.choice([id, 0, "x", None])})
        try:
            self.client.answer(id)
        except lsp_client.Failure:
            pass

    def megabytes(self):
        with open(f"/proc/{self.client.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warpcc")
    parser.add_argument("kernels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    fuzz = Fuzz(arguments.warpcc, arguments.kernels, arguments.seed)
    begin = said = time.monotonic()
    sizes = []
    try:
        while time.monotonic() - begin < arguments.seconds:
            fuzz.step()
            if time.monotonic() - said > arguments.seconds / 10:
                said = time.monotonic()
                sizes.append(fuzz.megabytes())
                print(f"{fuzz.done} steps, {sizes[-1]:.0f} MB", flush=True)
        code = fuzz.client.shutdown()
    except Exception as error:
        print(f"seed {arguments.seed}, step {fuzz.done}: {type(error).__name__}: {error}")
        fuzz.client.process.kill()
        sys.exit(1)
    if code != 0 or max(sizes, default=0) > MOST_MEGABYTES:
        sys.exit(f"seed {arguments.seed}: exit code {code}, {max(sizes, default=0):.0f} MB")
    print(f"{fuzz.done} steps")


main()
