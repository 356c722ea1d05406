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

function timelinePage(trace, width) {
  const ctas = [...new Set(trace.traceEvents.map((event) => event.pid))].sort((a, b) => a - b).slice(0, 4);
  if (!trace.traceEvents.some((event) => event.ph === "X")) return page("Timeline", "<pre>nothing ran</pre>");
  return page("Timeline", image(timelineSvg(trace, { width, ctas })));
}

module.exports = { layoutPage, timelinePage };
