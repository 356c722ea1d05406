#include "sema/meanings.h"

#include <algorithm>

#include "sema/print.h"
#include "sema/ranges.h"
#include "sema/session.h"
#include "sema/values.h"

namespace warpcc::sema {
namespace {

std::uint64_t key(FileId file, std::uint32_t begin) {
  return static_cast<std::uint64_t>(file) << 32 | begin;
}

void add(Meaning& meaning, std::string value) {
  if (meaning.more || std::find(meaning.values.begin(), meaning.values.end(), value) != meaning.values.end()) return;
  meaning.more = meaning.values.size() == Meanings::kMostValues;
  if (!meaning.more) meaning.values.push_back(std::move(value));
}

void widen(Meaning& meaning, const Session& session, const kernel::Index& index) {
  meaning.coordinate = true;
  const std::optional<Interval> is = interval(session, index);
  if (!is) return;
  if (!meaning.bounds) meaning.bounds = {is->lo, is->hi};
  meaning.bounds = {std::min(meaning.bounds->first, is->lo), std::max(meaning.bounds->second, is->hi)};
}

// What is the same each time.
Meaning first(const Session& session, const Value& value) {
  Meaning made;
  made.kind = describe(value, session.kernel);
  if (auto* reg = value.get<RegisterRef>()) made.reg = reg->operand.id;
  if (auto* fragment = value.get<FragmentRef>()) {
    made.reg = fragment->id;
    made.shape = fragment->extents;
  }
  if (auto* counter = value.get<CounterRef>()) made.counter = counter->id;
  if (auto* buffer = value.get<BufferRef>()) made.buffer = buffer->id;
  if (auto* view = value.get<ViewRef>()) {
    made.buffer = view->view.buffer;
    if (!view->ring_open) {
      made.shape.emplace();
      for (const int dimension : view->kept) made.shape->push_back(view->view.slices[dimension].extent);
    }
  }
  if (auto* pipe = value.get<PipeRef>()) made.pipe = pipe->id;
  if (auto* end = value.get<EndRef>()) made.end = end->id;
  if (auto* last = value.get<LastRef>()) made.end = last->id;
  if (auto* barrier = value.get<NamedBarrierRef>()) made.barrier = barrier->id;
  if (auto* barrier = value.get<BarrierRef>()) {
    const kernel::BarrierOperand& of = barrier->operand;
    made.pipe = of.pipe;
    made.end = of.end;
    made.barrier = of.named;
    made.full = of.kind == kernel::BarrierOperand::Kind::full;
    made.empty = of.kind == kernel::BarrierOperand::Kind::empty;
  }
  return made;
}

// The kind of a buffer, a barrier or an axis is known before it is named in code.
std::string declared_kind(const Session& session, const Value& value) {
  if (auto* buffer = value.get<BufferRef>()) {
    constexpr const char* kPlaces[] = {"shared memory", "tensor memory", "global memory"};
    const kernel::Buffer& of = session.kernel[buffer->id];
    return fmt::format("a buffer of {} in {}", layout::name(of.element), kPlaces[static_cast<int>(of.space)]);
  }
  if (value.has<AxisRef>()) return "an axis of the cluster";
  return {};
}

}  // namespace

void Meanings::tell(const Session& session, SourceRange name, const Value& value) {
  if (value.bad()) return;
  const auto [at, fresh] = all_.try_emplace(key(name.file, name.begin));
  Meaning& meaning = at->second;
  if (fresh) {
    meaning = first(session, value);
    if (std::string kind = declared_kind(session, value); !kind.empty()) meaning.kind = std::move(kind);
  }
  if (meaning.more && !meaning.coordinate) return;
  if (auto* index = value.get<kernel::Index>()) {
    widen(meaning, session, *index);
    add(meaning, kernel::text(session.kernel, *index));
  } else if (is_constant(value)) {
    add(meaning, show(value));
  }
}

const Meaning* Meanings::at(FileId file, std::uint32_t begin) const {
  const auto found = all_.find(key(file, begin));
  return found == all_.end() ? nullptr : &found->second;
}

void Session::tell_meanings(SourceRange name, const Value& value) {
  meanings->tell(*this, name, value);
}

}  // namespace warpcc::sema
