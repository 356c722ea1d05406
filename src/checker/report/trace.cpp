#include "checker/report/trace.h"

#include <algorithm>
#include <set>
#include <utility>

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

}  // namespace

// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: M names, X spans, s and f arrows.
void print_trace(const Trace& trace, llvm::raw_ostream& out) {
  llvm::json::OStream json(out);
  std::set<std::pair<std::int64_t, std::int32_t>> tracks;
  for (const Trace::Span& span : trace.spans) tracks.insert({span.cta, span.track});
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      std::int64_t last = -1;
      for (const auto& [cta, track] : tracks) {
        if (cta != last) {
          json.object([&] {
            json.attribute("ph", "M");
            json.attribute("name", "process_name");
            json.attribute("pid", cta);
            json.attributeObject("args", [&] { json.attribute("name", cta_name(trace, cta)); });
          });
        }
        last = cta;
        json.object([&] {
          json.attribute("ph", "M");
          json.attribute("name", "thread_name");
          json.attribute("pid", cta);
          json.attribute("tid", track);
          json.attributeObject("args", [&] { json.attribute("name", track_name(trace, cta, track)); });
        });
      }
      for (const Trace::Span& span : trace.spans) {
        json.object([&] {
          json.attribute("ph", "X");
          json.attribute("name", llvm::json::fixUTF8(span.name));
          json.attribute("pid", span.cta);
          json.attribute("tid", span.track);
          json.attribute("ts", static_cast<std::int64_t>(span.begin));
          json.attribute("dur", static_cast<std::int64_t>(std::max<std::uint64_t>(1, span.end - span.begin)));
        });
      }
      std::int64_t id = 0;
      for (const Trace::Arrow& arrow : trace.arrows) {
        auto end = [&](const char* phase, std::int64_t cta, std::int32_t track, std::uint64_t at) {
          json.object([&] {
            json.attribute("ph", phase);
            json.attribute("id", id);
            json.attribute("cat", "signal");
            json.attribute("name", llvm::json::fixUTF8(arrow.name));
            json.attribute("pid", cta);
            json.attribute("tid", track);
            json.attribute("ts", static_cast<std::int64_t>(at));
            if (*phase == 'f') json.attribute("bp", "e");
          });
        };
        end("s", arrow.from_cta, arrow.from, arrow.begin);
        end("f", arrow.to_cta, arrow.to, arrow.end);
        ++id;
      }
    });
  });
  out << '\n';
}

}  // namespace warpcc::checker
