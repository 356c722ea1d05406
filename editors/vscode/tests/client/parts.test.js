// The parts that need no server: settings, the map between kernel and listing, the timeline.
"use strict";

const assert = require("node:assert");
const test = require("node:test");

const { listingLines, sourceLine } = require("../../src/follow");
const { layoutPage, timelinePage } = require("../../src/pages");
const { compiler, serverOptions } = require("../../src/settings");
const { timelineSvg } = require("../../src/timeline");

test("the compiler is a name on PATH or a path", () => {
  assert.strictEqual(compiler("", "/w", "/home/u"), "warpcc");
  assert.strictEqual(compiler("warpcc-19", "/w", "/home/u"), "warpcc-19");
  assert.strictEqual(compiler("~/bin/warpcc", "/w", "/home/u"), "/home/u/bin/warpcc");
  assert.strictEqual(compiler("${workspaceFolder}/build/bin/warpcc", "/w", "/home/u"), "/w/build/bin/warpcc");
  assert.strictEqual(compiler("build/bin/warpcc", "/w", "/home/u"), "/w/build/bin/warpcc");
  assert.strictEqual(compiler("build/bin/warpcc", undefined, "/home/u"), "build/bin/warpcc");
});

test("settings become what the server takes", () => {
  assert.deepStrictEqual(serverOptions({ defines: { M: 4096, walk: "split(9, rows(1))" }, includePath: ["lib", "/opt/kernels"] }, "/w"), {
    defines: { M: "4096", walk: "split(9, rows(1))" },
    includePath: ["/w/lib", "/opt/kernels"],
  });
  assert.deepStrictEqual(serverOptions({}, undefined), { defines: {}, includePath: [] });
});

test("tasks find the places of what warpcc says", () => {
  const [compiler, checker] = require("../../package.json").contributes.problemMatchers.map((each) => new RegExp(each.pattern.regexp));
  const said = "kernels/copy.wk:40:21: error: `inp.tile` may still be read by the `store` of line 37 [still-read]";
  assert.deepStrictEqual(compiler.exec(said).slice(1), [
    "kernels/copy.wk", "40", "21", "error", "`inp.tile` may still be read by the `store` of line 37", "still-read",
  ]);
  assert.deepStrictEqual(checker.exec("copy.wk:36: hang: CTA 0 warp 1 waits").slice(1), ["copy.wk", "36", "hang", "CTA 0 warp 1 waits"]);
  assert.strictEqual(checker.exec(said), null);
  assert.strictEqual(compiler.exec("    at `wait inp.full`"), null);
});

const kMap = [
  { source: 3, first: 10, last: 20 }, // a loop
  { source: 4, first: 12, last: 13 },
  { source: 3, first: 30, last: 30 }, // its end
];

test("a line of the kernel is found in the listing, and back", () => {
  assert.deepStrictEqual(listingLines(kMap, 4), [{ first: 12, last: 13 }]);
  assert.deepStrictEqual(listingLines(kMap, 3), [{ first: 10, last: 20 }, { first: 30, last: 30 }]);
  assert.deepStrictEqual(listingLines(kMap, 5), [{ first: 12, last: 13 }], "a line that became none: the one before it");
  assert.deepStrictEqual(listingLines(kMap, 2), []);
  assert.strictEqual(sourceLine(kMap, 12), 4, "the narrowest");
  assert.strictEqual(sourceLine(kMap, 15), 3);
  assert.strictEqual(sourceLine(kMap, 25), -1);
});

const kTrace = {
  traceEvents: [
    { ph: "M", name: "process_name", pid: 0, args: { name: "CTA 0" } },
    { ph: "M", name: "thread_name", pid: 0, tid: 1, args: { name: "warp 1, a & b" } },
    { ph: "X", name: "`load x`", pid: 0, tid: 1, ts: 0, dur: 10 },
    { ph: "X", name: "`load y`", pid: 0, tid: 1, ts: 5, dur: 10 },
    { ph: "X", name: "wait <z>", pid: 0, tid: 1, ts: 20, dur: 5 },
  ],
};

test("spans that overlap stand in rows of their own", () => {
  const svg = timelineSvg(kTrace, { width: 950 });
  assert.match(svg, /warp 1, a &amp; b/);
  const tops = [...svg.matchAll(/<g><title>.*?<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g)].map((found) => found.slice(1).map(Number));
  assert.strictEqual(tops.length, 3);
  assert.strictEqual(tops[0][1] + 20, tops[1][1]);
  assert.strictEqual(tops[0][1], tops[2][1]);
  assert.ok(Math.abs(tops[0][2] / tops[2][2] - 2) < 0.01, "widths are times");
  assert.doesNotMatch(svg, /<z>/);
});

test("of a long trace the first part is shown", () => {
  const traceEvents = kTrace.traceEvents.filter((event) => event.ph === "M");
  for (let i = 0; i < 200000; ++i) traceEvents.push({ ph: "X", name: "`mma d`", pid: 0, tid: 1, ts: 10 * i, dur: 10 });
  const html = timelinePage({ traceEvents }, 900);
  assert.match(html, /the first 30000 of 1999990 instructions of time/);
  assert.ok(html.length < 2e6);
});

test("pages run nothing", () => {
  const html = layoutPage({ svg: "<svg><script>alert(1)</script></svg>", text: "<b>" });
  assert.doesNotMatch(html, /<script>|<b>/);
  assert.match(html, /default-src 'none'/);
  assert.match(timelinePage({ traceEvents: [] }, 900), /nothing ran/);
  assert.match(timelinePage(kTrace, 900), /data:image\/svg\+xml/);
});
