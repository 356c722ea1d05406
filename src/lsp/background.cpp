#include "lsp/background.h"

#include <optional>
#include <utility>

namespace warpcc::lsp {

// The compiler recurses as deep as texts nest: the stack of a program's main thread, whatever the system's default is.
constexpr unsigned kStackBytes = 8u << 20;

Background::Background() : thread_(std::optional<unsigned>(kStackBytes), [this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Background::run(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_all();
}

void Background::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
    if (ending_) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace warpcc::lsp
