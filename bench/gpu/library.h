// Libraries that are found when the program runs, where the machine has them.
#pragma once

#include <dlfcn.h>

#include <string>

#include "runtime/error.h"

namespace warpcc::bench {

class Library {
 public:
  // The first of the names that can be loaded. Nothing is ever unloaded: CUDA's libraries do not take it well.
  template <typename Names>
  runtime::Error open(const Names& names) {
    std::string looked;
    for (const std::string& name : names) {
      handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (handle_ != nullptr) return runtime::success();
      looked += (looked.empty() ? "`" : ", `") + name + "`";
    }
    return runtime::failure(WARPCC_BAD_FILE, "none of " + looked +
                                                 " can be loaded: install the CUDA toolkit, or name its library folder "
                                                 "in LD_LIBRARY_PATH");
  }

  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  // After all have been found.
  runtime::Error found() const {
    if (missing_.empty()) return runtime::success();
    return runtime::failure(WARPCC_BAD_FILE, "the library has no `" + missing_ + "`");
  }

 private:
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace warpcc::bench
