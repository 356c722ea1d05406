// Stands in for the module `vscode`, which exists inside of the editor alone: documents, diagnostics, commands and providers are kept, and
// whatever else the language client asks for is there and does nothing.
"use strict";

const { EventEmitter: NodeEmitter } = require("node:events");
const { fileURLToPath, pathToFileURL } = require("node:url");

class Disposable {
  constructor(action) {
    this.action = action;
  }
  dispose() {
    if (this.action) this.action();
    this.action = undefined;
  }
}

class EventEmitter {
  constructor() {
    this.emitter = new NodeEmitter();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.emitter.on("event", bound);
      return new Disposable(() => this.emitter.off("event", bound));
    };
  }
  fire(value) {
    this.emitter.emit("event", value);
  }
  dispose() {
    this.emitter.removeAllListeners();
  }
}

class Position {
  constructor(line, character) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  constructor(a, b, c, d) {
    this.start = a instanceof Position ? a : new Position(a, b);
    this.end = b instanceof Position ? b : new Position(c, d);
  }
}

class Uri {
  constructor(scheme, path, query) {
    this.scheme = scheme;
    this.path = path;
    this.query = query || "";
    this.authority = "";
    this.fragment = "";
  }
  get fsPath() {
    return this.scheme === "file" ? fileURLToPath(this.toString()) : this.path;
  }
  with(change) {
    return new Uri(this.scheme, this.path, change.query);
  }
  toString() {
    if (this.scheme === "file") return pathToFileURL(this.path).toString();
    return `${this.scheme}:${this.path}${this.query ? "?" + encodeURIComponent(this.query) : ""}`;
  }
  static parse(words) {
    if (words.startsWith("file:")) return Uri.file(fileURLToPath(words));
    const [, scheme, path, query] = /^([^:]*):([^?]*)(?:\?(.*))?$/.exec(words);
    return new Uri(scheme, path, query && decodeURIComponent(query));
  }
  static file(path) {
    return new Uri("file", path);
  }
}

class Document {
  constructor(uri, languageId, text) {
    Object.assign(this, { uri, languageId, text, version: 1, isClosed: false, fileName: uri.path, isUntitled: false, isDirty: false });
  }
  getText() {
    return this.text;
  }
  get lineCount() {
    return this.text.split("\n").length;
  }
}

/** A namespace in which an event is never fired, what is registered is disposed of, and all the rest does nothing. */
function lenient(known) {
  return new Proxy(known, {
    get(target, name) {
      if (name in target || typeof name !== "string") return target[name];
      if (/^on[A-Z]/.test(name)) return () => new Disposable();
      return () => new Disposable();
    },
  });
}

const events = {};
for (const name of ["open", "change", "close", "save", "select", "configure"]) events[name] = new EventEmitter();

const state = {
  documents: [],
  editors: [],
  commands: new Map(),
  providers: new Map(),  // by kind, such as `Hover`: the first that was registered
  contents: new Map(),   // of virtual documents, by scheme
  diagnostics: new Map(),
  configuration: {},
  errors: [],
  printed: [],
  pages: [],
};

const window = lenient({
  get activeTextEditor() {
    return state.editors[0];
  },
  get visibleTextEditors() {
    return state.editors;
  },
  visibleNotebookEditors: [],
  tabGroups: lenient({ all: [], close: async () => true }),
  onDidChangeTextEditorSelection: events.select.event,
  createTextEditorDecorationType: () => new Disposable(),
  createOutputChannel: (name) =>
    lenient({ name, append: (words) => state.printed.push(words), appendLine: (words) => state.printed.push(words + "\n"), show() {}, dispose() {} }),
  createWebviewPanel: (kind, title) => {
    const panel = lenient({ title, webview: { html: "" } });
    state.pages.push(panel);
    return panel;
  },
  showErrorMessage: async (words) => void state.errors.push(words),
  showTextDocument: async (document) => {
    const editor = { document, selection: { active: new Position(0, 0) }, marked: [], revealed: undefined };
    editor.setDecorations = (_, ranges) => (editor.marked = ranges);
    editor.revealRange = (range) => (editor.revealed = range);
    state.editors.push(editor);
    return editor;
  },
});

const workspace = lenient({
  get textDocuments() {
    return state.documents;
  },
  notebookDocuments: [],
  workspaceFolders: undefined,
  fs: lenient({ isWritableFileSystem: () => true }),
  onDidOpenTextDocument: events.open.event,
  onDidChangeTextDocument: events.change.event,
  onDidCloseTextDocument: events.close.event,
  onDidSaveTextDocument: events.save.event,
  onDidChangeConfiguration: events.configure.event,
  getConfiguration: (section) => ({
    get: (name, other) => state.configuration[section ? `${section}.${name}` : name] ?? other,
    inspect: () => undefined,
  }),
  registerTextDocumentContentProvider: (scheme, provider) => {
    state.contents.set(scheme, provider);
    return new Disposable();
  },
  openTextDocument: async (uri) => {
    const language = { ".sass": "wk-sass", ".ptx": "ptx" }[/\.\w+$/.exec(uri.path)[0]];
    return open(new Document(uri, language, state.contents.get(uri.scheme).provideTextDocumentContent(uri)));
  },
});

const languages = lenient({
  match: (selector, document) =>
    [].concat(selector).some((each) => each.language === document.languageId && (!each.scheme || each.scheme === document.uri.scheme)) ? 10 : 0,
  createDiagnosticCollection: () =>
    lenient({
      set: (uri, found) => {
        state.diagnostics.set(uri.toString(), found || []);
        events.diagnosed?.();
      },
      delete: (uri) => state.diagnostics.delete(uri.toString()),
      clear: () => state.diagnostics.clear(),
    }),
});
const registering = new Proxy(languages, {
  get(target, name) {
    const kind = typeof name === "string" && /^register(.*)Provider$/.exec(name);
    if (!kind) return target[name];
    return (_, provider) => {
      if (!state.providers.has(kind[1])) state.providers.set(kind[1], provider);
      return new Disposable();
    };
  },
});

const commands = lenient({
  registerCommand: (name, action) => {
    if (state.commands.has(name)) throw new Error(`command '${name}' already exists`);
    state.commands.set(name, action);
    return new Disposable(() => state.commands.delete(name));
  },
  executeCommand: async (name, ...words) => state.commands.get(name)?.(...words),
});

function open(document) {
  state.documents.push(document);
  events.open.fire(document);
  return document;
}

/** Puts words in place of a document's, and says so as the editor does. */
function type(document, text) {
  const lines = document.text.split("\n");
  const range = new Range(0, 0, lines.length - 1, lines.at(-1).length);
  const rangeLength = document.text.length;
  document.text = text;
  ++document.version;
  events.change.fire({ document, contentChanges: [{ range, rangeOffset: 0, rangeLength, text }], reason: undefined });
}

class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  }
  cancel() {
    this.token.isCancellationRequested = true;
  }
  dispose() {}
}

/** `quickfix`, `refactor.rewrite`: kinds within kinds. */
class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
CodeActionKind.Empty = new CodeActionKind("");
CodeActionKind.QuickFix = new CodeActionKind("quickfix");
CodeActionKind.Refactor = new CodeActionKind("refactor");
CodeActionKind.Source = new CodeActionKind("source");

const module_ = {
  version: "1.85.0",
  CancellationTokenSource,
  CodeActionKind,
  Disposable,
  EventEmitter,
  Position,
  Range,
  Uri,
  window,
  workspace,
  commands,
  languages: registering,
  env: lenient({ appName: "stand-in", language: "en" }),
  ViewColumn: { Beside: -2 },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  TextEditorRevealType: { InCenterIfOutsideViewport: 2 },
  l10n: { t: (words) => words },
};
const namespaces = new Set(["debug", "notebooks", "scm", "tasks", "tests", "extensions", "lm", "chat"]);

/** What the language client derives from and compares with, and nothing here needs. */
const standIn = new Proxy(module_, {
  get(target, name) {
    if (!(name in target) && typeof name === "string" && name !== "default" && name !== "__esModule") {
      target[name] = namespaces.has(name) ? lenient({}) : class {
        constructor(...words) {
          this.given = words;
        }
      };
    }
    return target[name];
  },
});

module.exports = { vscode: standIn, state, events, open, type, Document, Uri, Position };
