// The pages that a webview shows: a layout's picture, a timeline.
"use strict";

const { timelineSvg } = require("./timeline");

function page(title, body) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;">
<title>${title}</title>
<style>
  body { margin: 0; padding: 12px; background: #ffffff; color: #24292f; }
  pre { font-family: var(--vscode-editor-font-family, monospace); font-size: 12px; }
</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function text(words) {
  return words.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** A server's picture is shown as an image, so that nothing in it runs. */
function image(svg) {
  return `<img alt="" src="data:image/svg+xml;base64,${Buffer.from(svg, "utf8").toString("base64")}">`;
}

function layoutPage(answer) {
  return page("Layout", (answer.svg ? image(answer.svg) : "") + (answer.text ? `\n<pre>${text(answer.text)}</pre>` : ""));
}

const kCtas = 4;        // CTAs that a timeline shows
const kSpans = 3000;    // and spans: more would be too small to read, and too many for a page

/** The first part of a trace: its first CTAs, and as much of their time as can be read. */
function timelinePage(trace, width) {
  const ctas = [...new Set(trace.traceEvents.map((event) => event.pid))].sort((a, b) => a - b);
  const shown = new Set(ctas.slice(0, kCtas));
  const begins = trace.traceEvents.filter((event) => event.ph === "X" && shown.has(event.pid)).map((event) => event.ts);
  if (begins.length === 0) return page("Timeline", "<pre>nothing ran</pre>");
  begins.sort((a, b) => a - b);
  const to = begins.length > kSpans ? begins[kSpans] : Infinity;
  const wide = Math.min(20000, Math.max(width, (Math.min(to, begins.at(-1)) - begins[0]) / 2));
  const left = [
    ctas.length > kCtas && `the first ${kCtas} of ${ctas.length} CTAs`,
    to !== Infinity && `the first ${to} of ${begins.at(-1)} instructions of time`,
  ].filter(Boolean);
  const words = left.length > 0 ? `\n<pre>${left.join(", ")}; \`warpcc check --trace FILE\` writes all</pre>` : "";
  return page("Timeline", image(timelineSvg(trace, { width: Math.round(wide), ctas: [...shown], to })) + words);
}

module.exports = { layoutPage, timelinePage };
