#include "checker/report/trace.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::checker {
namespace {

std::string track_name(const Trace& trace, std::int64_t cta, std::int32_t track) {
  switch (track) {
    case Trace::kLoads:
      return "copy engine, loads";
    case Trace::kTensorCore:
      return "tensor core";
    case Trace::kStores:
      return "copy engine, stores";
    default:
      break;
  }
  std::string text = "warp " + std::to_string(track);
  for (const Trace::Name& name : trace.names) {
    if (name.cta == cta && name.warp == track) return text + ", " + name.role;
  }
  return text;
}

std::string cta_name(const Trace& trace, std::int64_t cta) {
  if (trace.ctas == 0 || cta < trace.ctas) return "CTA " + std::to_string(cta);
  return "CTA " + std::to_string(cta % trace.ctas) + " of launch " + std::to_string(cta / trace.ctas + 1);
}

// Spans of one row of a viewer do not overlap: what an engine does at the same time is put into several rows.
constexpr std::int32_t kRows = 1000;

struct Row {
  std::int64_t cta = 0;
  std::int32_t track = 0, row = 0;

  // What viewers sort rows by: an engine's are together, behind the warps.
  std::int64_t id() const {
    return track < Trace::kLoads ? track : std::int64_t{track - Trace::kLoads + 1} * kRows + row;
  }
};

// Arrows begin and end within spans: what ends at their moment is over by then.
std::uint64_t last_moment(const Trace::Span& span) {
  return span.end - 1;
}

// A point on a span: where an arrow begins or ends.
struct Point {
  std::size_t span = 0;
  std::uint64_t at = 0;
};

// A trace made ready: every arrow is bound to a span on either side, every span has its row.
class Timeline {
 public:
  explicit Timeline(const Trace& trace) : spans_(trace.spans) {
    for (Trace::Span& span : spans_) {
      span.end = std::max<std::uint64_t>(span.end, 1);
      span.begin = std::min(span.begin, span.end - 1);
    }
    std::map<std::tuple<std::int64_t, std::int32_t, std::uint64_t>, std::size_t> ending;
    for (std::size_t i = 0; i < spans_.size(); ++i) ending[{spans_[i].cta, spans_[i].track, spans_[i].end}] = i;
    for (const Trace::Arrow& arrow : trace.arrows) {
      auto point = [&](std::int64_t cta, std::int32_t track, std::uint64_t at) {
        at = std::max<std::uint64_t>(at, 1);
        auto [found, fresh] = ending.try_emplace({cta, track, at}, spans_.size());
        // An arrival, or a commit: what signals and has no span of its own gets a short one.
        if (fresh) spans_.push_back({cta, track, "signals " + arrow.name, at - 1, at});
        return Point{found->second, last_moment(spans_[found->second])};
      };
      const Point from = point(arrow.from_cta, arrow.from, arrow.begin), to = point(arrow.to_cta, arrow.to, arrow.end);
      arrows_.emplace_back(from, to);
    }
    place();
  }

  const std::vector<Trace::Span>& spans() const { return spans_; }
  const std::vector<std::pair<Point, Point>>& arrows() const { return arrows_; }
  Row row(std::size_t span) const { return {spans_[span].cta, spans_[span].track, rows_[span]}; }
  // By when they begin, those that hold others first.
  const std::vector<std::size_t>& sorted() const { return sorted_; }

 private:
  void place() {
    rows_.assign(spans_.size(), 0);
    for (std::size_t i = 0; i < spans_.size(); ++i) sorted_.push_back(i);
    std::stable_sort(sorted_.begin(), sorted_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(spans_[a].begin, spans_[b].end) < std::pair(spans_[b].begin, spans_[a].end);
    });
    std::map<std::pair<std::int64_t, std::int32_t>, std::vector<std::uint64_t>> ends;  // of each row
    for (std::size_t i : sorted_) {
      std::vector<std::uint64_t>& of = ends[{spans_[i].cta, spans_[i].track}];
      auto free = std::find_if(of.begin(), of.end(), [&](std::uint64_t end) { return end <= spans_[i].begin; });
      rows_[i] = static_cast<std::int32_t>(free - of.begin());
      if (free == of.end()) free = of.insert(of.end(), 0);
      *free = spans_[i].end;
    }
  }

  std::vector<Trace::Span> spans_;
  std::vector<std::pair<Point, Point>> arrows_;
  std::vector<std::int32_t> rows_;
  std::vector<std::size_t> sorted_;
};

void print_names(const Trace& trace, const Timeline& timeline, llvm::json::OStream& json) {
  std::map<std::pair<std::int64_t, std::int64_t>, Row> rows;
  for (std::size_t i = 0; i < timeline.spans().size(); ++i) {
    const Row row = timeline.row(i);
    rows.emplace(std::pair(row.cta, row.id()), row);
  }
  auto name = [&](const char* what, const Row& row, bool of_row, const std::string& text) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", row.cta);
      if (of_row) json.attribute("tid", row.id());
      json.attributeObject("args", [&] { json.attribute("name", text); });
    });
  };
  std::int64_t last = -1;
  for (const auto& [key, row] : rows) {
    if (row.cta != last) name("process_name", row, false, cta_name(trace, row.cta));
    last = row.cta;
    name("thread_name", row, true, track_name(trace, row.cta, row.track));
  }
}

void print_span(const Timeline& timeline, std::size_t which, llvm::json::OStream& json) {
  const Trace::Span& span = timeline.spans()[which];
  const Row row = timeline.row(which);
  json.object([&] {
    json.attribute("ph", "X");
    json.attribute("name", llvm::json::fixUTF8(span.name));
    json.attribute("pid", row.cta);
    json.attribute("tid", row.id());
    json.attribute("ts", static_cast<std::int64_t>(span.begin));
    json.attribute("dur", static_cast<std::int64_t>(span.end - span.begin));
  });
}

// One end of an arrow; `bp` binds it to the span that holds it, and not to the next.
void print_end(const Timeline& timeline, const Trace::Arrow& arrow, std::size_t id, bool begins,
               llvm::json::OStream& json) {
  const auto& [from, to] = timeline.arrows()[id];
  const Point& point = begins ? from : to;
  const Row row = timeline.row(point.span);
  json.object([&] {
    json.attribute("ph", begins ? "s" : "f");
    json.attribute("id", static_cast<std::int64_t>(id));
    json.attribute("cat", "signal");
    json.attribute("name", llvm::json::fixUTF8(arrow.name));
    json.attribute("pid", row.cta);
    json.attribute("tid", row.id());
    json.attribute("ts", static_cast<std::int64_t>(point.at));
    if (!begins) json.attribute("bp", "e");
  });
}

}  // namespace

// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: M names, X spans, s and f arrows.
// By time, spans before the arrows on them, an arrow's begin before its end.
void print_trace(const Trace& trace, llvm::raw_ostream& out) {
  const Timeline timeline(trace);
  struct Event {
    std::uint64_t at = 0;
    int kind = 0;  // a span, an arrow's begin, its end
    std::size_t which = 0;
  };
  std::vector<Event> events;
  for (std::size_t i : timeline.sorted()) events.push_back({timeline.spans()[i].begin, 0, i});
  for (std::size_t i = 0; i < timeline.arrows().size(); ++i) {
    events.push_back({timeline.arrows()[i].first.at, 1, i});
    events.push_back({timeline.arrows()[i].second.at, 2, i});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return std::pair(a.at, a.kind) < std::pair(b.at, b.kind); });
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      print_names(trace, timeline, json);
      for (const Event& event : events) {
        if (event.kind == 0) {
          print_span(timeline, event.which, json);
        } else {
          print_end(timeline, trace.arrows[event.which], event.which, event.kind == 1, json);
        }
      }
    });
  });
  out << '\n';
}

}  // namespace warpcc::checker
