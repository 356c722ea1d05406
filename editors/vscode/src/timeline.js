// A timeline of `warpcc check --trace` as a picture: a row a warp and engine, its spans in time, and the signals between them.
"use strict";

const kLine = 20;        // height of a span's row
const kNames = 150;      // width of the rows' names
const kGap = 8;
const kColours = [
  [/^wait/, "#d7dae0", "#6a737d"],
  [/^`(@\S+ )?load/, "#a8c7fa", "#174ea6"],
  [/^`(@\S+ )?(mma|commit)/, "#b7e1c0", "#0d652d"],
  [/^`(@\S+ )?store/, "#fbd3a6", "#8a4b00"],
  [/./, "#e3d3f5", "#5b2c8f"],
];

function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function short(name, width) {
  const bare = name.replace(/`/g, "");
  const letters = Math.floor((width - 6) / 6.1);
  return letters < 3 ? "" : bare.length <= letters ? bare : bare.slice(0, letters - 1) + "…";
}

/** The tracks of the CTAs, each with its spans put into as many rows as overlap: an engine's rows have one name in the trace, and are one track. */
function tracksOf(events, ctas) {
  const tracks = new Map();
  const named = new Map();
  const ctaNames = new Map();
  for (const event of events) {
    if (event.ph === "M" && event.name === "process_name") ctaNames.set(event.pid, event.args.name);
    if (event.ph === "M" && event.name === "thread_name" && ctas.has(event.pid)) {
      const key = `${event.pid}/${event.args.name}`;
      if (!named.has(key)) named.set(key, { cta: event.pid, name: event.args.name, spans: [], rows: [] });
      tracks.set(`${event.pid}/${event.tid}`, named.get(key));
    }
  }
  for (const event of events) {
    const track = event.ph === "X" && tracks.get(`${event.pid}/${event.tid}`);
    if (track) track.spans.push(event);
  }
  for (const track of named.values()) {
    track.spans.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
    for (const span of track.spans) {
      let row = track.rows.findIndex((end) => end <= span.ts);
      if (row < 0) row = track.rows.push(0) - 1;
      track.rows[row] = span.ts + span.dur;
      span.row = row;
    }
  }
  return { tracks: [...named.values()].filter((track) => track.spans.length > 0), ctaNames };
}

/**
 * The picture, an SVG document. `from` and `to` choose a part of the time, `ctas` the CTAs (the first, where it is not said), `width` its pixels.
 */
function timelineSvg(trace, { width = 960, from = 0, to = Infinity, ctas } = {}) {
  const events = trace.traceEvents.filter((event) => event.ph === "M" || (event.ts <= to && event.ts + (event.dur || 0) >= from));
  const pids = [...new Set(events.map((event) => event.pid))].sort((a, b) => a - b);
  const chosen = new Set(ctas || pids.slice(0, 1));
  const { tracks, ctaNames } = tracksOf(events.map((event) => ({ ...event })), chosen);
  const spans = tracks.flatMap((track) => track.spans);
  const begin = Math.max(from, spans.reduce((least, span) => Math.min(least, span.ts), Infinity));
  const end = Math.min(to, spans.reduce((most, span) => Math.max(most, span.ts + span.dur), 0));
  const x = (time) => kNames + ((Math.min(Math.max(time, begin), end) - begin) / Math.max(1, end - begin)) * (width - kNames - kGap);

  const parts = [];
  let y = kGap;
  let cta = -1;
  for (const track of tracks) {
    if (track.cta !== cta) {
      cta = track.cta;
      parts.push(`<text x="${kGap}" y="${y + 14}" font-weight="bold" fill="#24292f">${escaped(ctaNames.get(cta) || "")}</text>`);
      y += kLine;
    }
    track.y = y;
    parts.push(`<text x="${kGap}" y="${y + 14}" fill="#24292f">${escaped(track.name)}</text>`);
    for (const span of track.spans) {
      const [, fill, ink] = kColours.find(([pattern]) => pattern.test(span.name));
      const left = x(span.ts);
      const wide = Math.max(1, x(span.ts + span.dur) - left);
      const top = y + span.row * kLine;
      const title = `${span.name}: ${span.ts} to ${span.ts + span.dur}`;
      parts.push(
        `<g><title>${escaped(title)}</title>` +
          `<rect x="${left.toFixed(1)}" y="${top + 2}" width="${wide.toFixed(1)}" height="${kLine - 4}" rx="2" fill="${fill}" stroke="${ink}" stroke-width="0.5"/>` +
          (short(span.name, wide) ? `<text x="${(left + 4).toFixed(1)}" y="${top + 14}" font-size="10" fill="${ink}">${escaped(short(span.name, wide))}</text>` : "") +
          `</g>`,
      );
    }
    y += track.rows.length * kLine + 2;
    parts.push(`<line x1="0" x2="${width}" y1="${y}" y2="${y}" stroke="#eaecef"/>`);
    y += 2;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y + kGap}" viewBox="0 0 ${width} ${y + kGap}" ` +
    `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="11">` +
    `<rect width="100%" height="100%" fill="#ffffff"/>${parts.join("\n")}</svg>\n`
  );
}

module.exports = { timelineSvg };
