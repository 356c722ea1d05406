#include "lsp/protocol.h"

#include <fmt/format.h>

#include <limits>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::lsp {

char Failure::ID = 0;

void Failure::log(llvm::raw_ostream& out) const {
  out << words;
}

llvm::Error failed(std::string words) {
  return llvm::make_error<Failure>(ErrorCode::request_failed, std::move(words));
}

llvm::Error bad_params(std::string words) {
  return llvm::make_error<Failure>(ErrorCode::invalid_params, std::move(words));
}

json::Value to_json(Place place) {
  return json::Object{{"line", place.line}, {"character", place.character}};
}

json::Value to_json(Place begin, Place end) {
  return json::Object{{"start", to_json(begin)}, {"end", to_json(end)}};
}

json::Value range_in(const Text& text, std::uint32_t begin, std::uint32_t end) {
  return to_json(text.place(begin), text.place(end));
}

std::optional<Place> read_place(const json::Value* value) {
  const json::Object* object = value ? value->getAsObject() : nullptr;
  if (!object) return std::nullopt;
  const std::optional<std::int64_t> line = object->getInteger("line"), character = object->getInteger("character");
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!line || !character || *line < 0 || *character < 0) return std::nullopt;
  return Place{static_cast<std::uint32_t>(std::min(*line, kMost)),
               static_cast<std::uint32_t>(std::min(*character, kMost))};
}

Place place_in(const Sources& sources, FileId file, std::uint32_t offset) {
  const Position at = sources.position(file, offset);
  const std::string_view line = sources.line(file, at.line);
  return {at.line - 1, utf16_length(line.substr(0, at.column - 1))};
}

json::Value range_in(const Sources& sources, SourceRange where) {
  return to_json(place_in(sources, where.file, where.begin),
                 place_in(sources, where.file, std::max(where.begin, where.end)));
}

std::string path_of(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return std::string(uri);
  std::string path;
  for (std::size_t i = kScheme.size(); i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && llvm::isHexDigit(uri[i + 1]) && llvm::isHexDigit(uri[i + 2])) {
      path += static_cast<char>(llvm::hexFromNibbles(uri[i + 1], uri[i + 2]));
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

std::string uri_of(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  std::string uri = "file://";
  for (const char c : path) {
    if (llvm::isAlnum(c) || llvm::StringRef("-._~/+@=,").contains(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

json::Value markdown(std::string text) {
  return json::Object{{"kind", "markdown"}, {"value", json::fixUTF8(text)}};
}

}  // namespace warpcc::lsp
