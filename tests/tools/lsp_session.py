#!/usr/bin/env python3
"""lsp_session.py WARPCC SESSION: plays a session with `warpcc lsp` and prints what is answered (tests/golden/lsp).

A session has a line a step; lines that begin with no step's name are for readers, and for FileCheck. A file is named relative to the session's folder; a place is a piece of its text with `^` where the cursor is.

    options {"defines": {"M": 512}}     the initializationOptions; comes first
    open FILE                           and waits for its diagnostics
    diagnostics FILE                    prints them
    change FILE 'old ^ text' -> 'new'   the text without `^` is replaced
    type FILE 'place^' 'words'          one character a time, not waiting in between
    save FILE                           and waits for what the checker finds
    close FILE
    METHOD FILE ['place^'] [{params}]   a request: hover, completion, rename, expand, …
    raw TEXT                            as the body of a message; prints what comes back
    raw-header TEXT                     before the next message
    cancel METHOD FILE …                a request, and its cancellation behind it
    shutdown
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lsp_client  # noqa: E402

NAMES = {
    "hover": "textDocument/hover",
    "completion": "textDocument/completion",
    "signature": "textDocument/signatureHelp",
    "definition": "textDocument/definition",
    "type-definition": "textDocument/typeDefinition",
    "references": "textDocument/references",
    "highlights": "textDocument/documentHighlight",
    "prepare-rename": "textDocument/prepareRename",
    "rename": "textDocument/rename",
    "links": "textDocument/documentLink",
    "symbols": "textDocument/documentSymbol",
    "workspace-symbols": "workspace/symbol",
    "folding": "textDocument/foldingRange",
    "selection": "textDocument/selectionRange",
    "tokens": "textDocument/semanticTokens/full",
    "tokens-delta": "textDocument/semanticTokens/full/delta",
    "tokens-range": "textDocument/semanticTokens/range",
    "hints": "textDocument/inlayHint",
    "formatting": "textDocument/formatting",
    "range-formatting": "textDocument/rangeFormatting",
    "on-type-formatting": "textDocument/onTypeFormatting",
    "actions": "textDocument/codeAction",
    "lenses": "textDocument/codeLens",
    "expand": "warpcc/expand",
    "ptx": "warpcc/ptx",
    "layout": "warpcc/layout",
    "why": "warpcc/why",
    "trace": "warpcc/trace",
    "check": "warpcc/check",
}
STEPS = {*NAMES, "options", "open", "diagnostics", "change", "type", "save", "close", "raw", "raw-header", "cancel", "shutdown"}


def main():
    warpcc, path = sys.argv[1], os.path.abspath(sys.argv[2])
    os.chdir(os.path.dirname(path))
    with open(path, encoding="utf-8") as file:
        steps = [line.rstrip("\n") for line in file if line.strip() and line.split(" ")[0] in STEPS]
    options = None
    if steps and steps[0].startswith("options "):
        options = json.loads(steps.pop(0)[len("options "):])
    client = lsp_client.Client([warpcc, "lsp", "--stdio"], options=options)
    session = Session(client)
    for step in steps:
        print(f"--- {step}", flush=True)
        session.play(step)
    if client.process.poll() is None and "shutdown" not in steps:
        client.shutdown()


class Session:
    def __init__(self, client):
        self.client = client

    def play(self, step):
        word, _, rest = step.partition(" ")
        if word == "raw":
            self.raw(rest)
        elif word == "raw-header":
            self.client.send_raw("", header=rest.encode().decode("unicode_escape"))
        elif word == "shutdown":
            print("exit code", self.client.shutdown())
        elif word == "cancel":
            method, params = self.request(rest)
            id = self.client.start(method, params)
            self.client.notify("$/cancelRequest", {"id": id})
            self.show(lambda: self.client.answer(id))
        elif word in ("open", "diagnostics", "save", "close"):
            self.document(word, rest.strip())
        elif word == "change":
            name, old, new = re.fullmatch(r"(\S+) '(.*)' -> '(.*)'", rest).groups()
            uri = lsp_client.uri_of(name)
            begin = self.offset(uri, old.replace("^", ""), at_end=False)
            self.client.change(uri, begin, begin + len(unescape(old.replace("^", ""))), unescape(new))
        elif word == "type":
            name, where, words = re.fullmatch(r"(\S+) '(.*?)' '(.*)'", rest).groups()
            uri = lsp_client.uri_of(name)
            at = self.offset(uri, where)
            for i, c in enumerate(unescape(words)):
                self.client.change(uri, at + i, at + i, c)
        else:
            method, params = self.request(step)
            self.show(lambda: self.client.request(method, params))

    def document(self, word, name):
        uri = lsp_client.uri_of(name)
        if word == "open":
            self.client.open(name)
            self.client.wait_for_diagnostics(uri)
        elif word == "diagnostics":
            self.print(self.client.wait_for_diagnostics(uri)[0])
        elif word == "close":
            self.client.close(uri)
        else:
            self.client.wait_for_diagnostics(uri)
            before = self.client.diagnostics[uri][2]
            self.client.save(uri)
            end = time.monotonic() + self.client.SECONDS
            while self.client.diagnostics[uri][2] == before and time.monotonic() < end:
                self.client.take()

    def request(self, step):
        word, name, place, params = re.fullmatch(r"(\S+) (\S+)(?: '(.*?)')?(?: (\{.*\}))?", step).groups()
        uri = lsp_client.uri_of(name)
        made = {"textDocument": {"uri": uri}}
        if uri in self.client.versions:
            self.client.wait_for_diagnostics(uri)
        if place:
            made["position"] = lsp_client.place(self.client.texts[uri], self.offset(uri, place))
            made["range"] = {"start": made["position"], "end": made["position"]}
            made["positions"] = [made["position"]]
        elif uri in self.client.texts:
            made["range"] = {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 20, "character": 0}}
        made.update(json.loads(params) if params else {})
        return NAMES[word], made

    def offset(self, uri, place, at_end=True):
        text = self.client.texts[uri]
        place = unescape(place)
        cursor = place.find("^") if "^" in place else len(place) if at_end else 0
        piece = place.replace("^", "")
        if text.count(piece) != 1:
            sys.exit(f"`{piece}` stands {text.count(piece)} times in {uri}")
        return text.index(piece) + cursor

    def raw(self, text):
        self.client.send_raw(text)
        known = set(self.client.answers)
        while set(self.client.answers) == known:
            self.client.take()
        for key in set(self.client.answers) - known:
            self.print(self.client.answers.pop(key)[0])

    def show(self, ask):
        try:
            self.print(ask())
        except lsp_client.Failure as failure:
            print("error", failure.error["code"], failure.error["message"])

    def print(self, value):
        if isinstance(value, dict) and set(value) == {"contents", "range"}:
            print("range", short(value["range"]))
            print(value["contents"]["value"])
        elif isinstance(value, list) and value and isinstance(value[0], dict) and set(value[0]) in ({"range"}, {"range", "parent"}):
            for step in value:  # of a selection
                while step:
                    print(short(step["range"]))
                    step = step.get("parent")
        elif isinstance(value, dict) and set(value) in ({"text"}, {"text", "map"}, {"text", "svg"}):
            print(value["text"])
            for each in value.get("map", []):
                print(f"map {each['source'] + 1}: {each['first'] + 1}-{each['last'] + 1}")
            if "svg" in value:
                print("svg", value["svg"][:60])
        else:
            print(json.dumps(short(value), indent=1, ensure_ascii=False, sort_keys=True))


def unescape(text):
    return text.replace("\\n", "\n").replace("\\t", "\t")


def short(value):
    """Places as `line:character`, from 1; files by their names."""
    if isinstance(value, list):
        return [short(each) for each in value]
    if isinstance(value, str):
        return re.sub(r"file://[^\s\"]*/", "", value)
    if not isinstance(value, dict):
        return value
    if set(value) == {"line", "character"}:
        return f"{value['line'] + 1}:{value['character'] + 1}"
    if set(value) == {"start", "end"}:
        return f"{short(value['start'])}-{short(value['end'])}"
    return {short(key): short(each) for key, each in value.items()}


main()
