// Source text and places in it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/Error.h"

namespace warpcc {

enum class FileId : std::uint32_t {};

// A half-open range of bytes of one file.
struct SourceRange {
  FileId file{};
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

// Lines and columns count from 1; columns count bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// The files of a run. Texts stay where they are: views into them are good for the life of the object.
class Sources {
 public:
  // The largest text that is taken, in bytes.
  static constexpr std::uint32_t kLargest = 64u << 20;

  FileId add(std::string path, std::string text);
  // Another text for a file. Views into the one before are gone.
  void replace(FileId file, std::string text);
  // What `load` gives for this path, in place of what the file holds: an editor's text that is not saved.
  void stand_in(std::string path, std::string text);

  // Reads a file. Fails, in words for the user, where it cannot be read, is a directory, is larger than kLargest, holds
  // NUL bytes, or is no UTF-8.
  llvm::Expected<FileId> load(const std::string& path);

  std::uint32_t count() const { return static_cast<std::uint32_t>(files_.size()); }
  std::string_view path(FileId file) const;
  std::string_view text(FileId file) const;
  std::string_view text(SourceRange range) const;
  Position position(FileId file, std::uint32_t offset) const;
  // The line without its end, by number.
  std::string_view line(FileId file, std::uint32_t number) const;
  // `gemm.wk:141`, with the file's own name without its folders.
  std::string place(SourceRange range) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  const File& get(FileId file) const { return files_[static_cast<std::uint32_t>(file)]; }

  static File split(std::string path, std::string text);

  std::deque<File> files_;
  std::map<std::string, std::string, std::less<>> stand_ins_;
};

}  // namespace warpcc
