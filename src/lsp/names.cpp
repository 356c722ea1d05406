#include "lsp/names.h"

#include <algorithm>

#include "lsp/resolve.h"

namespace warpcc::lsp {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Without its slashes.
std::string_view comment_text(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
  return line.starts_with(' ') ? line.substr(1) : line;
}

// The comment behind a place on its line, where nothing else stands between: `;` and brackets aside.
std::string_view comment_behind(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, text.substr(at).find('\n'));
  const std::size_t slashes = rest.find("//");
  if (slashes == std::string_view::npos || rest.find('"') < slashes) return {};
  return trimmed(comment_text(rest.substr(slashes)));
}

}  // namespace

std::string comment_of(std::string_view text, SourceRange where) {
  std::size_t line = text.rfind('\n', where.begin == 0 ? 0 : where.begin - 1);
  line = line == std::string_view::npos || where.begin == 0 ? 0 : line + 1;
  std::string above;
  // Documentation alone: other comments above a declaration may be of anything.
  for (std::size_t end = line; end > 0;) {
    const std::size_t before = text.rfind('\n', end - 2);
    const std::size_t begin = end < 2 || before == std::string_view::npos ? 0 : before + 1;
    const std::string_view one = trimmed(text.substr(begin, end - 1 - begin));
    if (!one.starts_with("///")) break;
    above = std::string(comment_text(one)) + (above.empty() ? "" : "\n" + above);
    end = begin;
  }
  const std::string_view behind = comment_behind(text, std::min<std::size_t>(where.end, text.size()));
  if (above.empty() || behind.empty()) return above + std::string(behind);
  return above + "\n\n" + std::string(behind);
}

std::shared_ptr<const Names> Names::read(FileId file, std::shared_ptr<const tree::File> tree, std::string_view text,
                                         Others others) {
  auto made = std::make_shared<Names>();
  made->file_ = file;
  made->tree_ = std::move(tree);
  Resolver(*made, text, others).run();
  std::stable_sort(made->uses_.begin(), made->uses_.end(),
                   [](const NameUse& a, const NameUse& b) { return a.where.begin < b.where.begin; });
  return made;
}

NameRef Names::at(std::uint32_t offset, SourceRange* where) const {
  auto covers = [&](SourceRange range) { return range.begin <= offset && offset <= range.end; };
  auto after = std::upper_bound(uses_.begin(), uses_.end(), offset,
                                [](std::uint32_t at, const NameUse& use) { return at < use.where.begin; });
  for (int looked = 0; after != uses_.begin() && looked < 4; ++looked) {
    --after;
    if (!covers(after->where)) continue;
    if (where) *where = after->where;
    return after->of;
  }
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    if (!covers(declarations_[i].where)) continue;
    if (where) *where = declarations_[i].where;
    return {file_, static_cast<std::int32_t>(i)};
  }
  return {};
}

NameRef Names::item(std::string_view name) const {
  const auto at = items_.find(name);
  return at == items_.end() ? NameRef{} : NameRef{file_, at->second};
}

NameRef Names::part(std::int32_t parent, std::string_view name) const {
  for (const std::int32_t at : parts(parent)) {
    if ((*this)[at].name == name) return {file_, at};
  }
  return {};
}

const std::vector<std::int32_t>& Names::parts(std::int32_t parent) const {
  static const std::vector<std::int32_t> kNone;
  const auto at = parts_.find(parent);
  return at == parts_.end() ? kNone : at->second;
}

NameRef Names::first(NameRef ref) const {
  const std::int32_t same = (*this)[ref.index].same;
  return same < 0 ? ref : NameRef{ref.file, same};
}

}  // namespace warpcc::lsp
