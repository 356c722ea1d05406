// A folder of one test's own, gone when the test is.
#pragma once

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "llvm/Support/FileSystem.h"

class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/warpcc-test-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { llvm::sys::fs::remove_directories(path_); }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(*this / name) << text; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(*this / name).rdbuf();
    return text.str();
  }
  int count() const {
    int found = 0;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(path_, code), end; it != end && !code; it.increment(code)) ++found;
    return found;
  }

 private:
  std::string path_;
};
