#include "runtime/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace warpcc::runtime {

Error read_file(const std::string& path, std::string& contents) {
  constexpr std::size_t kMost = std::size_t{256} << 20;  // no cubin comes near; a device would never end
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return failure(WARPCC_BAD_FILE, "`" + path + "` cannot be read: " + std::strerror(errno));
  contents.clear();
  char buffer[65536];
  std::size_t got = 0;
  while (contents.size() < kMost && (got = std::fread(buffer, 1, sizeof buffer, file)) > 0)
    contents.append(buffer, got);
  bool failed = std::ferror(file) != 0;
  int reason = errno;
  std::fclose(file);
  if (failed) return failure(WARPCC_BAD_FILE, "`" + path + "` cannot be read: " + std::strerror(reason));
  if (contents.size() >= kMost) return failure(WARPCC_BAD_FILE, "`" + path + "` is too large");
  return success();
}

std::string manifest_beside(const std::string& cubin) {
  std::size_t dot = cubin.rfind('.'), slash = cubin.rfind('/');
  bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return cubin.substr(0, has_ending ? dot : cubin.size()) + ".json";
}

}  // namespace warpcc::runtime
