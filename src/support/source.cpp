#include "support/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace warpcc {
namespace {

llvm::Error failure(const std::string& words) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), words);
}

// At most kLargest + 1 bytes: the last one says that there is more. Devices and pipes have no size to ask for.
llvm::Expected<std::string> read_some(const std::string& path) {
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    std::error_code code = llvm::errorToErrorCode(file.takeError());
    return failure(fmt::format("cannot read `{}`: {}", path, code.message()));
  }
  std::string text;
  constexpr std::size_t kMost = std::size_t{Sources::kLargest} + 1;
  constexpr std::size_t kChunk = 1u << 16;
  while (text.size() < kMost) {
    std::size_t before = text.size();
    text.resize(std::min(before + kChunk, kMost));
    llvm::Expected<std::size_t> count =
        llvm::sys::fs::readNativeFile(*file, llvm::MutableArrayRef<char>(text.data() + before, text.size() - before));
    if (!count) {
      std::error_code code = llvm::errorToErrorCode(count.takeError());
      llvm::sys::fs::closeFile(*file);
      return failure(fmt::format("cannot read `{}`: {}", path, code.message()));
    }
    text.resize(before + *count);
    if (*count == 0) break;
  }
  llvm::sys::fs::closeFile(*file);
  return text;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  return 1 +
         static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// Where the text stops being UTF-8; its size where it is.
std::size_t first_bad_byte(std::string_view text) {
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  const auto* at = begin;
  if (llvm::isLegalUTF8String(&at, begin + text.size())) return text.size();
  return static_cast<std::size_t>(at - begin);
}

}  // namespace

Sources::File Sources::split(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}};
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return file;
}

FileId Sources::add(std::string path, std::string text) {
  files_.push_back(split(std::move(path), std::move(text)));
  return static_cast<FileId>(files_.size() - 1);
}

void Sources::replace(FileId file, std::string text) {
  File& of = files_[static_cast<std::uint32_t>(file)];
  of = split(std::move(of.path), std::move(text));
}

void Sources::stand_in(std::string path, std::string text) {
  stand_ins_.insert_or_assign(std::move(path), std::move(text));
}

llvm::Expected<FileId> Sources::load(const std::string& path) {
  if (auto at = stand_ins_.find(path); at != stand_ins_.end()) return add(path, at->second);
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status)) {
    return failure(fmt::format("cannot read `{}`: {}", path, code.message()));
  }
  if (llvm::sys::fs::is_directory(status)) return failure(fmt::format("cannot read `{}`: it is a directory", path));
  llvm::Expected<std::string> text = read_some(path);
  if (!text) return text.takeError();
  if (text->size() > kLargest) {
    return failure(fmt::format("cannot read `{}`: it is larger than {} MB", path, kLargest >> 20));
  }
  if (std::size_t nul = text->find('\0'); nul != std::string::npos) {
    return failure(fmt::format("`{}` is no text: there is a NUL byte in line {}", path, line_of(*text, nul)));
  }
  if (std::size_t bad = first_bad_byte(*text); bad != text->size()) {
    return failure(fmt::format("`{}` is not UTF-8: byte 0x{:02x} in line {}", path,
                               static_cast<unsigned char>((*text)[bad]), line_of(*text, bad)));
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (std::string_view(*text).starts_with(kByteOrderMark)) text->erase(0, kByteOrderMark.size());
  return add(path, std::move(*text));
}

std::string_view Sources::path(FileId file) const {
  return get(file).path;
}

std::string_view Sources::text(FileId file) const {
  return get(file).text;
}

std::string_view Sources::text(SourceRange range) const {
  std::string_view all = text(range.file);
  std::size_t begin = std::min<std::size_t>(range.begin, all.size());
  std::size_t end = std::clamp<std::size_t>(range.end, begin, all.size());
  return all.substr(begin, end - begin);
}

Position Sources::position(FileId file, std::uint32_t offset) const {
  const File& of = get(file);
  offset = std::min(offset, static_cast<std::uint32_t>(of.text.size()));
  auto after = std::upper_bound(of.line_starts.begin(), of.line_starts.end(), offset);
  auto line = static_cast<std::uint32_t>(after - of.line_starts.begin());
  return {line, offset - of.line_starts[line - 1] + 1};
}

std::string_view Sources::line(FileId file, std::uint32_t number) const {
  const File& of = get(file);
  if (number == 0 || number > of.line_starts.size()) return {};
  std::string_view rest = std::string_view(of.text).substr(of.line_starts[number - 1]);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string Sources::place(SourceRange range) const {
  std::string_view name = llvm::sys::path::filename(llvm::StringRef(path(range.file)));
  return fmt::format("{}:{}", name, position(range.file, range.begin).line);
}

}  // namespace warpcc
