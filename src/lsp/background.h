// A thread that does what it is given, one thing after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/thread.h"

namespace warpcc::lsp {

class Background {
 public:
  using Task = llvm::unique_function<void()>;

  Background();
  // Waits for what runs; what has not begun is left undone.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void run(Task task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool ending_ = false;
  llvm::thread thread_;
};

}  // namespace warpcc::lsp
