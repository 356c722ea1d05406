// The extension against the real server, with a stand-in for the editor: `WARPCC` names the compiler.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");

const { vscode, state, events, open, type, Document, Uri, Position } = require("./stand_in");

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === "vscode" ? "vscode" : resolve.call(this, request, ...rest);
};
require.cache.vscode = { id: "vscode", filename: "vscode", loaded: true, exports: vscode };

const extension = require("../../src/extension");

const kKernel = `kernel first(to: global out u32[4, 32]) on sm_100a, grid (1) {
  start { sync; }

  role writes() on warps 0 .. 4 {
    r x;
    grid.wait;
    mov x, lane;
    stg to[warp, lane], x;
  }

  shared slots: u32[4, 32];
}
`;
const kStore = 7; // the line of `stg`
const kBuffer = 10;

// A warp reads what the other one writes, and no barrier is between.
const kRace = `kernel k(c: global out u32[2, 32]) on sm_100a, grid (1) {
  shared slots: u32[2, 32];
  start { sync; }
  role both() on warps 0 .. 2 {
    r x;
    grid.wait;
    mov x, 1;
    sts slots[warp, lane], x;
    lds x, slots[1 - warp, lane];
    stg c[warp, lane], x;
  }
}
`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "warpcc-client-"));
const file = path.join(folder, "first.wk");
const kernel = new Document(Uri.file(file), "wk", kKernel);
const context = { subscriptions: [] };

async function until(what, holds) {
  for (let waited = 0; waited < 10000; waited += 20) {
    const found = holds();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.fail(`${what} did not come; errors: ${state.errors.join("; ")}\n${state.printed.join("")}`);
}

const diagnostics = () => state.diagnostics.get(kernel.uri.toString());
const run = (name, ...words) => vscode.commands.executeCommand(name, ...words);

test.before(async () => {
  fs.writeFileSync(file, kKernel);
  state.configuration = { "warpcc.path": process.env.WARPCC || "warpcc", "warpcc.defines": {}, "warpcc.includePath": [] };
  await extension.activate(context);
  assert.deepStrictEqual(state.errors, [], "the server starts");
  open(kernel);
  await vscode.window.showTextDocument(kernel);
});

test.after(async () => {
  await extension.deactivate();
  for (const each of context.subscriptions) each.dispose();
  fs.rmSync(folder, { recursive: true });
});

test("what is wrong stands under the cursor as it is typed, and goes when it is mended", async () => {
  type(kernel, kKernel.replace("mov x, lane;", "mvo x, lane;"));
  const [found] = await until("a diagnostic", () => diagnostics()?.length && diagnostics());
  assert.match(found.message ?? found.given[1], /there is no instruction `mvo`/);
  type(kernel, kKernel);
  await until("a kernel without diagnostics", () => diagnostics()?.length === 0);
});

test("a complaint is explained", async () => {
  type(kernel, kKernel.replace("mov x, lane;", "mvo x, lane;"));
  const found = await until("a diagnostic", () => diagnostics()?.length && diagnostics());
  const [action] = state.providers.get("CodeActions").provideCodeActions(kernel, undefined, { diagnostics: found });
  assert.strictEqual(action.command.arguments[0], "no-instruction");
  await run(action.command.command, ...action.command.arguments);
  assert.match(state.printed.join(""), /There is no instruction of this name/);
  type(kernel, kKernel);
  await until("a kernel without diagnostics", () => diagnostics()?.length === 0);
});

test("what the checker finds on saving stands there, with the other place", async () => {
  type(kernel, kRace);
  events.save.fire(kernel);
  const found = await until("a race", () => diagnostics()?.find((each) => each.code === "race"));
  assert.match(found.message ?? found.given[1], /nothing orders them/);
  assert.ok(found.relatedInformation?.length > 0, "the other access is told");
  type(kernel, kKernel);
  await until("a kernel without diagnostics", () => diagnostics()?.length === 0);
});

test("a register is explained where the cursor rests", async () => {
  const hover = await state.providers.get("Hover").provideHover(kernel, new Position(6, 8), { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) });
  assert.ok(hover, "there is a hover");
});

test("the expansion stands beside the kernel, and follows it", async () => {
  const source = state.editors[0];
  await run("warpcc.expand", kernel.uri.toString(), kStore);
  assert.deepStrictEqual(state.errors, []);
  const listing = await until("the expansion", () => state.editors.find((each) => each.document.languageId === "wk-sass"));
  const lines = listing.document.text.split("\n");
  assert.ok(lines.some((line) => /STG\.E/.test(line)));
  const marked = listing.marked.flatMap(({ start, end }) => lines.slice(start.line, end.line + 1));
  assert.ok(marked.some((line) => /STG\.E/.test(line)), `marked: ${marked.join("\n")}`);

  const store = lines.findIndex((line) => /STG\.E/.test(line));
  listing.selection.active = new Position(store, 0);
  events.select.fire({ textEditor: listing });
  assert.strictEqual(source.revealed.start.line, kStore);

  type(kernel, kKernel.replace("mov x, lane;", "mov x, warp;"));
  await until("the new expansion", () => /MOV x, warp/.test(state.contents.get("warpcc").provideTextDocumentContent(listing.document.uri)));
  type(kernel, kKernel);
});

test("the PTX stands beside it too", async () => {
  await run("warpcc.ptx", kernel.uri.toString(), kStore);
  const listing = await until("the PTX", () => state.editors.find((each) => each.document.languageId === "ptx"));
  assert.match(listing.document.text, /\.entry first/);
});

test("a check is printed", async () => {
  await run("warpcc.check", kernel.uri.toString(), 0);
  assert.match(state.printed.join(""), /36 operands checked, 0 wrong/);
});

test("a timeline and a layout are drawn", async () => {
  await run("warpcc.timeline", kernel.uri.toString(), 0);
  assert.match(state.pages.at(-1).webview.html, /<title>Timeline<\/title>/);
  state.editors[0].selection.active = new Position(kBuffer, 10);
  await run("warpcc.layout", kernel.uri, { groupId: 0 }); // as a menu does
  assert.deepStrictEqual(state.errors, []);
  assert.match(state.pages.at(-1).webview.html, /<title>Layout<\/title>[^]*data:image\/svg/);
});

test("what stands above a kernel is a command that there is", async () => {
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  const lenses = await state.providers.get("CodeLens").provideCodeLenses(kernel, token);
  assert.ok(lenses.length > 0, "there are code lenses");
  for (const { command } of lenses) {
    assert.ok(state.commands.has(command.command), command.command);
    await run(command.command, ...command.arguments);
  }
  assert.deepStrictEqual(state.errors, []);
});

test("a command without a kernel says so", async () => {
  const editors = state.editors.splice(0);
  await run("warpcc.check");
  assert.match(state.errors.pop(), /open a kernel/);
  state.editors.push(...editors);
});

test("the server starts again", async () => {
  await run("warpcc.restart");
  type(kernel, kKernel.replace("mov x, lane;", "mov y, lane;"));
  await until("a diagnostic", () => diagnostics()?.length);
  assert.deepStrictEqual(state.errors, []);
});

test("a compiler that is not there is said to be missing", async () => {
  state.configuration["warpcc.path"] = "/nowhere/warpcc";
  await run("warpcc.restart");
  assert.match(state.errors.pop() ?? "", /\/nowhere\/warpcc lsp` does not start/);
});
