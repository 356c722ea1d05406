// node png.mjs PICTURE.svg PICTURE.png: for places that show no SVG, such as the page of an extension.
import fs from "node:fs";
import { createRequire } from "node:module";

const { Resvg } = createRequire(import.meta.url)("@resvg/resvg-js");

const [from, to] = process.argv.slice(2);
const svg = fs.readFileSync(from, "utf8").replace(/font-family="[^"]*"/g, 'font-family="DejaVu Sans Mono"');
fs.writeFileSync(to, new Resvg(svg, { fitTo: { mode: "zoom", value: 1.4 } }).render().asPng());
