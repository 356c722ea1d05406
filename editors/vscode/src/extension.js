// The client of `warpcc lsp`: starts the server, and shows what it answers beside the kernel.
"use strict";

const os = require("os");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { explanations, explain } = require("./explain");
const { Listings } = require("./listings");
const { layoutPage, timelinePage } = require("./pages");
const { compiler, serverOptions } = require("./settings");

let client;
let output;

function folder() {
  const folders = vscode.workspace.workspaceFolders;
  return folders && folders.length > 0 ? folders[0].uri.fsPath : undefined;
}

function settings() {
  const configuration = vscode.workspace.getConfiguration("warpcc");
  return {
    path: compiler(configuration.get("path"), folder(), os.homedir()),
    server: serverOptions({ defines: configuration.get("defines"), includePath: configuration.get("includePath") }, folder()),
  };
}

async function start() {
  const { path, server } = settings();
  client = new LanguageClient(
    "warpcc",
    "warpcc",
    { command: path, args: ["lsp"] },
    {
      documentSelector: [
        { scheme: "file", language: "wk" },
        { scheme: "untitled", language: "wk" },
      ],
      initializationOptions: server,
      outputChannel: output,
    },
  );
  try {
    await client.start();
  } catch (error) {
    const words = `warpcc: the server \`${path} lsp\` does not start: ${error.message || error}`;
    output.appendLine(words);
    const chosen = await vscode.window.showErrorMessage(words, "Settings");
    if (chosen) vscode.commands.executeCommand("workbench.action.openSettings", "warpcc.path");
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.isRunning()) await running.stop();
}

async function restart() {
  await stop();
  await start();
}

async function ask(method, params) {
  if (!client || !client.isRunning()) throw new Error("the server does not run: see the output channel `warpcc`");
  return client.sendRequest(method, params);
}

/** What a command is about: the place that a code lens gives, else the cursor's. (A menu gives a document, too, and no line.) */
function placeOf(uri, line) {
  if (typeof line === "number") return { uri: vscode.Uri.parse(String(uri)), position: { line, character: 0 } };
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "wk") throw new Error("open a kernel (.wk) first");
  const { line: at, character } = editor.selection.active;
  return { uri: editor.document.uri, position: { line: at, character } };
}

function showPage(title, html) {
  const panel = vscode.window.createWebviewPanel("warpcc", title, vscode.ViewColumn.Beside, { enableScripts: false });
  panel.webview.html = html;
}

function print(text) {
  output.appendLine(text.replace(/\n+$/, ""));
  output.show(true);
}

/** What each command does, given its place. */
function commands(listings) {
  const about = ({ uri, position }) => ({ textDocument: { uri: uri.toString() }, position });
  return {
    "warpcc.check": async (place) => print((await ask("warpcc/check", about(place))).text),
    "warpcc.expand": (place) => listings.show("expand", place.uri, place.position.line),
    "warpcc.ptx": (place) => listings.show("ptx", place.uri, place.position.line),
    "warpcc.layout": async (place) => showPage("Layout", layoutPage(await ask("warpcc/layout", about(place)))),
    "warpcc.timeline": async (place) => {
      const { json } = await ask("warpcc/trace", about(place));
      showPage("Timeline", timelinePage(typeof json === "string" ? JSON.parse(json) : json, 1400));
    },
    "warpcc.why": async (place) => print((await ask("warpcc/why", about(place))).text),
  };
}

/** An error of a command is said where the user looks; nothing escapes into the editor's log. */
function said(action) {
  return async (...words) => {
    try {
      await action(...words);
    } catch (error) {
      vscode.window.showErrorMessage(`warpcc: ${error.message || error}`);
    }
  };
}

async function activate(context) {
  output = vscode.window.createOutputChannel("warpcc");
  const listings = new Listings(ask);
  context.subscriptions.push(output, listings);
  for (const [name, action] of Object.entries(commands(listings))) {
    context.subscriptions.push(vscode.commands.registerCommand(name, said((uri, line) => action(placeOf(uri, line)))));
  }
  context.subscriptions.push(
    vscode.languages.registerCodeActionsProvider({ language: "wk" }, explanations),
    vscode.commands.registerCommand("warpcc.explain", said(async (code) => print(await explain(settings().path, code)))),
    vscode.commands.registerCommand("warpcc.restart", said(restart)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("warpcc")) said(restart)();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
