// node timeline.mjs TRACE.json [FROM [TO [CTA …]]]: a timeline of `warpcc check --trace` as a picture (SVG).
import fs from "node:fs";
import { createRequire } from "node:module";

const { timelineSvg } = createRequire(import.meta.url)("../src/timeline.js");

const [file, from = "0", to = "Infinity", ...ctas] = process.argv.slice(2);
const trace = JSON.parse(fs.readFileSync(file, "utf8"));
process.stdout.write(timelineSvg(trace, { width: 1000, from: Number(from), to: Number(to), ctas: ctas.length > 0 ? ctas.map(Number) : undefined }));
