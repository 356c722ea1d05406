#!/usr/bin/env python3
"""trace.py TRACE.json: whether a viewer of the Trace Event Format shows all of it: events by time, spans that nest within their row, arrows that begin and end on spans."""
import collections
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
times = [event["ts"] for event in events if "ts" in event]
rows, ends = collections.defaultdict(list), collections.defaultdict(list)
for event in events:
    if event["ph"] == "X":
        assert event["dur"] > 0, event
        rows[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    elif event["ph"] in "sf":
        ends[event["id"]].append(event)
named = {(event["pid"], event["tid"]) for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
overlaps = sum(after[0] < before[1] for row in rows.values() for before, after in zip(sorted(row), sorted(row)[1:]))
loose = sum(not any(begin <= event["ts"] < end for begin, end in rows[event["pid"], event["tid"]]) for pair in ends.values() for event in pair)
pairs = all([event["ph"] for event in pair] == ["s", "f"] and pair[0]["ts"] <= pair[1]["ts"] for pair in ends.values())
print(f"{len(rows)} rows, {'all' if named == set(rows) else 'not all'} named; {len(ends)} arrows, {'each' if pairs else 'not each'} with a begin and an end")
print(f"{sum(a > b for a, b in zip(times, times[1:]))} out of order, {overlaps} overlap, {loose} loose ends")
