// The map between a kernel and a listing made of it: which lines of the listing each statement became. Lines count from 0.
//
// The server's map is a list of `{ source, first, last }`: line `source` of the kernel became lines `first` to `last`, both included. A line may
// have several: a loop's head stands at its beginning and at its end.
"use strict";

/** The runs of lines that a line of the kernel became; of the nearest line above it, where it became none. */
function listingLines(map, source) {
  let nearest = -1;
  for (const entry of map) {
    if (entry.source <= source && entry.source > nearest) nearest = entry.source;
  }
  return map.filter((entry) => entry.source === nearest).map(({ first, last }) => ({ first, last }));
}

/** The line of the kernel that a line of the listing comes from, or -1: the narrowest run that holds it. */
function sourceLine(map, line) {
  let found = -1;
  let width = Infinity;
  for (const { source, first, last } of map) {
    if (first <= line && line <= last && last - first < width) {
      found = source;
      width = last - first;
    }
  }
  return found;
}

module.exports = { listingLines, sourceLine };
