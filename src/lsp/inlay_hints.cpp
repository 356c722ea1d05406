// What the compiler derived, beside the text: bytes, arrivals, extents, ranges.
#include <fmt/format.h>

#include <map>

#include "lsp/facts.h"
#include "lsp/requests.h"
#include "lsp/symbols.h"
#include "report/kernel_walk.h"
#include "support/words.h"

namespace warpcc::lsp {
namespace {

constexpr int kType = 1;

class Hints {
 public:
  Hints(const Sight& sight, const Text& text, std::uint32_t begin, std::uint32_t end)
      : sight_(sight), text_(text), begin_(begin), end_(end) {}

  json::Array run() {
    declarations();
    report::KernelWalk walk(*sight_->kernel);
    walk.each_instruction([&](const kernel::Instruction& each) { instruction(each); });
    json::Array all;
    for (auto& [at, label] : hints_) {
      if (label.empty()) continue;
      all.push_back(
          json::Object{{"position", to_json(text_.place(at))}, {"label", json::fixUTF8(label)}, {"kind", kType}});
    }
    return all;
  }

 private:
  // Behind a place of the main file. What differs from one round or call to the next has no hint.
  void add(SourceRange where, const std::string& label) {
    const std::optional<SourceRange> now = sight_.to_now({where.file, where.end, where.end});
    if (!now || now->begin < begin_ || now->begin > end_) return;
    const auto [at, fresh] = hints_.try_emplace(now->begin, label);
    if (!fresh && at->second != label) at->second.clear();
  }

  void declarations() {
    if (!sight_->names) return;
    const kernel::Kernel& kernel = *sight_->kernel;
    for (const Declaration& each : sight_->names->declarations()) {
      const sema::Meaning* meaning = sight_->meanings.at(Analysis::kMain, each.where.begin);
      if (!meaning) continue;
      if (each.kind == NameKind::pipe && meaning->pipe != kernel::PipeId::none) {
        const kernel::Pipe& pipe = kernel[meaning->pipe];
        if (pipe.full.bytes != 0) add(each.where, fmt::format(": {} bytes a stage", pipe.full.bytes));
      } else if (each.kind == NameKind::let && meaning->shape && meaning->buffer != kernel::BufferId::none) {
        if (!meaning->shape->empty())
          add(each.where, ": " + tile_text(kernel[meaning->buffer].element, *meaning->shape));
      } else if (each.kind == NameKind::let && meaning->bounds) {
        add(each.where, fmt::format(": {} .. {}", meaning->bounds->first, meaning->bounds->second + 1));
      } else if (each.kind == NameKind::counter && meaning->counter != kernel::CounterId::none) {
        const kernel::Range& range = kernel[meaning->counter].range;
        add(each.where, fmt::format(": {} .. {}{}", range.begin, range.end,
                                    range.step == 1 ? "" : fmt::format(" by {}", range.step)));
      }
    }
  }

  void instruction(const kernel::Instruction& it) {
    if (it.where.file != Analysis::kMain) return;
    for (std::size_t i = 0; i < it.operands.size() && i < it.operands_where.size(); ++i) {
      if (auto* barrier = std::get_if<kernel::BarrierOperand>(&it.operands[i]))
        signal(it, *barrier, it.operands_where[i]);
      if (auto* view = std::get_if<kernel::View>(&it.operands[i])) extents(*view);
    }
  }

  void signal(const kernel::Instruction& it, const kernel::BarrierOperand& of, SourceRange where) {
    const kernel::Kernel& kernel = *sight_->kernel;
    if (of.is_named()) {
      if (of.named == kernel::BarrierId::none) return;
      add(where, fmt::format(": {}", counted(static_cast<std::uint64_t>(kernel[of.named].warps), "warp")));
      return;
    }
    const kernel::Pipe& pipe = kernel[of.pipe];
    const kernel::Signal& signal = of.kind == kernel::BarrierOperand::Kind::full ? pipe.full : pipe.empty;
    const std::string arrivals = counted(static_cast<std::uint64_t>(signal.arrivals), "arrival");
    if (it.op->does == isa::Does::expect) {
      add(where, fmt::format(": {} bytes", signal.bytes));
    } else if (it.op->does == isa::Does::wait || it.op->does == isa::Does::init) {
      add(where, signal.bytes == 0 ? ": " + arrivals : fmt::format(": {}, {} bytes", arrivals, signal.bytes));
    }
  }

  void extents(const kernel::View& view) {
    if (view.where.file != Analysis::kMain || !sight_->sources.text(view.where).ends_with(']')) return;
    std::vector<std::int64_t> shape;
    for (const kernel::Slice& slice : view.slices) {
      if (!slice.picked) shape.push_back(slice.extent);
    }
    if (!shape.empty()) add(view.where, ": " + tile_text((*sight_->kernel)[view.buffer].element, shape));
  }

  const Sight& sight_;
  const Text& text_;
  std::uint32_t begin_, end_;
  std::map<std::uint32_t, std::string> hints_;  // by place; empty: different ones
};

}  // namespace

Answer inlay_hints(const Request& request) {
  const Text& text = request.document.text;
  const json::Object* range = request.params.getObject("range");
  const std::optional<Place> from = range ? read_place(range->get("start")) : std::nullopt;
  const std::optional<Place> to = range ? read_place(range->get("end")) : std::nullopt;
  const Sight sight(request.document, request.document.accepted);
  if (!sight) return json::Value(json::Array{});
  return json::Value(Hints(sight, text, from ? text.offset(*from) : 0, to ? text.offset(*to) : text.size()).run());
}

}  // namespace warpcc::lsp
