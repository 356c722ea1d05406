// Listings beside a kernel: what it expands to, and its PTX. The cursor in one shows the same place in the other.
"use strict";

const vscode = require("vscode");
const { listingLines, sourceLine } = require("./follow");

const kScheme = "warpcc";
const kDelay = 300; // milliseconds of quiet after a change, before a listing is made again

const kKinds = {
  expand: { request: "warpcc/expand", ending: "sass", name: "expansion" },
  ptx: { request: "warpcc/ptx", ending: "ptx", name: "PTX" },
};

class Listings {
  /** `ask(method, params)` asks the server. */
  constructor(ask) {
    this.ask = ask;
    this.shown = new Map(); // by the listing's URI: { kind, source, text, map }
    this.changed = new vscode.EventEmitter();
    this.timer = undefined;
    this.mark = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    });
    this.disposables = [
      this.changed,
      this.mark,
      vscode.workspace.registerTextDocumentContentProvider(kScheme, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (uri) => (this.shown.get(uri.toString()) || { text: "" }).text,
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => this.follow(event.textEditor)),
      vscode.workspace.onDidChangeTextDocument((event) => this.changedText(event.document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
    ];
  }

  dispose() {
    clearTimeout(this.timer);
    for (const each of this.disposables) each.dispose();
  }

  /** Opens the listing of a kernel beside it, at the line where the cursor is. */
  async show(kind, source, line) {
    const { ending } = kKinds[kind];
    const uri = vscode.Uri.parse(`${kScheme}:${source.path}.${ending}`).with({ query: source.toString() });
    await this.make(kind, source, uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    });
    this.reveal(editor, listingLines(this.shown.get(uri.toString()).map, line));
  }

  async make(kind, source, uri) {
    const answer = await this.ask(kKinds[kind].request, { textDocument: { uri: source.toString() } });
    this.shown.set(uri.toString(), { kind, source: source.toString(), text: answer.text, map: answer.map || [] });
    this.changed.fire(uri);
  }

  changedText(document) {
    const stale = [...this.shown].filter(([, listing]) => listing.source === document.uri.toString());
    if (stale.length === 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      for (const [uri, listing] of stale) {
        // A kernel that is half typed has no listing: the last one stays.
        this.make(listing.kind, document.uri, vscode.Uri.parse(uri)).catch(() => {});
      }
    }, kDelay);
  }

  follow(editor) {
    const uri = editor.document.uri.toString();
    const line = editor.selection.active.line;
    const listing = this.shown.get(uri);
    if (listing) {
      const source = sourceLine(listing.map, line);
      const other = vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === listing.source);
      if (other && source >= 0) this.reveal(other, [{ first: source, last: source }]);
      return;
    }
    for (const each of vscode.window.visibleTextEditors) {
      const shown = this.shown.get(each.document.uri.toString());
      if (shown && shown.source === uri) this.reveal(each, listingLines(shown.map, line));
    }
  }

  reveal(editor, runs) {
    const ranges = runs.map(({ first, last }) => new vscode.Range(first, 0, last, 0));
    editor.setDecorations(this.mark, ranges);
    if (ranges.length > 0) editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

module.exports = { Listings };
