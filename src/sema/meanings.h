// What each name of a text came to mean while a kernel was elaborated: for editors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sema/kernel.h"

namespace warpcc::sema {

class Session;
struct Value;

// A name in the body of a proc or of an unrolled loop means something once a call or a round; what differs is kept, the
// first few times.
struct Meaning {
  std::string kind;                 // `a tile of f16 in shared memory`
  std::vector<std::string> values;  // compile-time values, or what a coordinate is made of
  bool more = false;                // than these

  // Which part of the kernel it is, the first time; none: of no such part.
  kernel::RegisterId reg = kernel::RegisterId::none;
  kernel::CounterId counter = kernel::CounterId::none;
  kernel::BufferId buffer = kernel::BufferId::none;
  kernel::PipeId pipe = kernel::PipeId::none;
  kernel::EndId end = kernel::EndId::none;
  kernel::BarrierId barrier = kernel::BarrierId::none;
  bool full = false, empty = false;                               // it is this barrier of the pipe
  bool coordinate = false;                                        // an index: `bounds` are of all times
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds{};  // first and last value
  std::optional<std::vector<std::int64_t>> shape{};               // of a view or a part of a fragment
};

class Meanings {
 public:
  static constexpr std::size_t kMostValues = 4;

  void tell(const Session& session, SourceRange name, const Value& value);
  // Of the name that begins there.
  const Meaning* at(FileId file, std::uint32_t begin) const;
  const std::unordered_map<std::uint64_t, Meaning>& all() const { return all_; }
  static FileId file_of(std::uint64_t key) { return static_cast<FileId>(key >> 32); }
  static std::uint32_t begin_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

 private:
  std::unordered_map<std::uint64_t, Meaning> all_;  // by file and place
};

}  // namespace warpcc::sema
