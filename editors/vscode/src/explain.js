// `warpcc explain`, of the complaint under the cursor.
"use strict";

const { execFile } = require("child_process");
const vscode = require("vscode");

/** The code of a diagnostic; servers may give it with a link. */
function codeOf(diagnostic) {
  const code = diagnostic.code;
  return typeof code === "object" && code !== null ? String(code.value) : code === undefined ? undefined : String(code);
}

function explain(compiler, code) {
  if (!code) return explain(compiler, codeUnderCursor());
  return new Promise((done, failed) => {
    execFile(compiler, ["explain", code], (error, out, err) => (error ? failed(new Error(err.trim() || error.message)) : done(out)));
  });
}

function codeUnderCursor() {
  const editor = vscode.window.activeTextEditor;
  const at = editor && editor.selection.active;
  const here = editor && vscode.languages.getDiagnostics(editor.document.uri).find((each) => each.range.contains(at));
  const code = here && codeOf(here);
  if (!code) throw new Error("no complaint stands under the cursor");
  return code;
}

/** Offers to explain each complaint that a quick fix is asked for. */
const explanations = {
  provideCodeActions(document, range, context) {
    const codes = new Set(context.diagnostics.map(codeOf).filter(Boolean));
    return [...codes].map((code) => {
      const title = `Explain \`${code}\``;
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.command = { title, command: "warpcc.explain", arguments: [code] };
      return action;
    });
  },
};

module.exports = { explain, explanations };
