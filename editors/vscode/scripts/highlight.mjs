// node highlight.mjs GRAMMAR.tmLanguage.json FILE [FIRST [LINES]]: a part of a file as a picture (SVG), coloured by the grammar. FIRST is what
// the first line holds.
import fs from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

// The longest scope that a token's scope begins with gives its colour.
const kTheme = {
  "comment": ["#6a737d", "italic"],
  "constant": ["#005cc5"],
  "entity.name": ["#6f42c1"],
  "keyword.control": ["#d73a49"],
  "keyword.operator": ["#57606a"],
  "keyword.operator.guard": ["#d73a49"],
  "keyword.operator.held": ["#22863a"],
  "keyword.other.directive": ["#d73a49"],
  "markup.inserted": ["#22863a", "bold"],
  "storage": ["#d73a49"],
  "string": ["#032f62"],
  "support.constant": ["#005cc5"],
  "support.function": ["#6f42c1"],
  "support.type": ["#e36209"],
  "variable.language": ["#005cc5"],
  "variable.other.member": ["#005cc5"],
  "variable.parameter": ["#e36209"],
};
const kInk = "#24292f";
const kLetter = 7.23;  // width of a letter of 12 pixels
const kLine = 17;
const kMargin = 12;

async function grammarOf(file) {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  return registry.loadGrammar(JSON.parse(fs.readFileSync(file, "utf8")).scopeName);
}

function styleOf(scopes) {
  for (const scope of [...scopes].reverse()) {
    const keys = Object.keys(kTheme).filter((key) => scope === key || scope.startsWith(key + "."));
    if (keys.length > 0) return kTheme[keys.sort((a, b) => b.length - a.length)[0]];
  }
  return [kInk];
}

function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function spansOf(line, tokens) {
  const spans = [];
  for (const { startIndex, endIndex, scopes } of tokens) {
    const [fill, form = ""] = styleOf(scopes);
    const words = line.slice(startIndex, endIndex);
    const last = spans.at(-1);
    if (last && (last.fill === fill && last.form === form || !words.trim())) last.words += words;
    else spans.push({ fill, form, words });
  }
  return spans.map(({ fill, form, words }) => {
    const style = form === "italic" ? ' font-style="italic"' : form === "bold" ? ' font-weight="bold"' : "";
    return `<tspan fill="${fill}"${style}>${escaped(words)}</tspan>`;
  });
}

const [grammarFile, file, first = "", count = "1000000"] = process.argv.slice(2);
const grammar = await grammarOf(grammarFile);
const all = fs.readFileSync(file, "utf8").replace(/\n$/, "").split("\n");
const begin = all.findIndex((line) => line.includes(first));
if (begin < 0) throw new Error(`no line of ${file} holds ${first}`);
const end = Math.min(all.length, begin + Number(count));

let stack = textmate.INITIAL;
const rows = all.slice(0, end).map((line) => {
  const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
  stack = ruleStack;
  return spansOf(line, tokens).join("");
}).slice(begin);
const width = Math.ceil(Math.max(...all.slice(begin, end).map((line) => line.length)) * kLetter + 2 * kMargin);
const height = rows.length * kLine + 2 * kMargin;
process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n` +
    `<rect width="100%" height="100%" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>\n` +
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12" xml:space="preserve">\n` +
    rows.map((row, i) => `<text x="${kMargin}" y="${kMargin + 12 + i * kLine}">${row}</text>`).join("\n") +
    `\n</g>\n</svg>\n`,
);
