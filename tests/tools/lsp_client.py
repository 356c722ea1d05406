"""A client of `warpcc lsp`, for tests: starts it, sends messages, waits for answers."""
import collections
import json
import os
import queue
import subprocess
import threading
import time
import urllib.parse


class Failure(Exception):
    """An answer that is an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.error = error


def uri_of(path):
    return "file://" + urllib.parse.quote(os.path.abspath(path), safe="/-._~+@=,")


class Client:
    SECONDS = 60

    def __init__(self, command, initialize=True, options=None, stderr=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self.arrived = queue.Queue()
        self.answers = {}
        self.diagnostics = {}  # by URI: (version, diagnostics, when)
        self.versions = collections.Counter()
        self.texts = {}
        self.next_id = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if initialize:
            self.capabilities = self.request("initialize", {"capabilities": {}, "initializationOptions": options})
            self.notify("initialized", {})

    # ---- Messages

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.arrived.put(None)
                    return
                line = line.strip()
                if not line:
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            self.arrived.put((json.loads(out.read(length)), time.perf_counter()))

    def send_raw(self, body, header=None):
        data = body if isinstance(body, bytes) else body.encode()
        self.process.stdin.write((header or f"Content-Length: {len(data)}\r\n\r\n").encode() + data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_raw(json.dumps({"jsonrpc": "2.0", **message}))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def start(self, method, params):
        """Sends a request; the id by which `answer` waits for it."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    def take(self, seconds=None):
        """Takes in the next message; false where none comes in time."""
        try:
            arrived = self.arrived.get(timeout=self.SECONDS if seconds is None else seconds)
        except queue.Empty:
            return False
        if arrived is None:
            raise EOFError(f"the server has ended: {self.process.wait()}")
        message, when = arrived
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = (params.get("version"), params["diagnostics"], when)
        elif "method" not in message:
            self.answers[json.dumps(message.get("id"))] = (message, when)
        return True

    def answer(self, id):
        key = json.dumps(id)
        end = time.monotonic() + self.SECONDS
        while key not in self.answers:
            if time.monotonic() > end or not self.take():
                raise TimeoutError(f"no answer to request {id} in {self.SECONDS} s")
        message, self.answered = self.answers.pop(key)
        if "error" in message:
            raise Failure(message["error"])
        return message["result"]

    def request(self, method, params):
        return self.answer(self.start(method, params))

    # ---- Documents

    def open(self, path, text=None):
        uri = uri_of(path)
        if text is None:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.versions[uri] += 1
        self.texts[uri] = text
        self.notify("textDocument/didOpen", {
            "textDocument": {"uri": uri, "languageId": "wk", "version": self.versions[uri], "text": text}})
        return uri

    def change(self, uri, begin, end, words):
        """Replaces a range of the text, by offsets of characters."""
        text = self.texts[uri]
        change = {"range": {"start": place(text, begin), "end": place(text, end)}, "text": words}
        self.texts[uri] = text[:begin] + words + text[end:]
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": [change]})

    def save(self, uri):
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.diagnostics.pop(uri, None)

    def wait_for_diagnostics(self, uri):
        """Those of the last version; and when they came."""
        end = time.monotonic() + self.SECONDS
        while uri not in self.diagnostics or self.diagnostics[uri][0] != self.versions[uri]:
            if time.monotonic() > end or not self.take():
                raise TimeoutError(f"no diagnostics of version {self.versions[uri]} in {self.SECONDS} s")
        return self.diagnostics[uri][1:]

    def at(self, uri, offset):
        return {"textDocument": {"uri": uri}, "position": place(self.texts[uri], offset)}

    # ---- The end

    def shutdown(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=self.SECONDS)


def place(text, offset):
    """Line and UTF-16 code unit of a character."""
    before = text[:offset]
    line = before.count("\n")
    start = before.rfind("\n") + 1
    return {"line": line, "character": len(before[start:].encode("utf-16-le")) // 2}


def offset(text, place):
    """Of a place, the other way round."""
    start = 0
    for _ in range(place["line"]):
        start = text.index("\n", start) + 1
    end = text.find("\n", start)
    line = text[start:] if end < 0 else text[start:end]
    return start + len(line.encode("utf-16-le")[:2 * place["character"]].decode("utf-16-le"))
