#include "lsp/worker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::lsp {

Done run(Job job, const std::atomic<bool>* stop) {
  checker::Options options;
  checker::Trace trace;
  options.stop = stop;
  options.threads = 1;  // the editor's machine has other things to do
  if (job.kind == Job::Kind::trace) options.trace = &trace;
  Done done;
  try {
    done.outcome = checker::check(*job.analysis->program, options);
  } catch (const std::exception& error) {
    done.broken = error.what();
  }
  llvm::raw_string_ostream out(done.text);
  if (job.kind == Job::Kind::report) checker::print(done.outcome, out, &job.analysis->sources);
  if (job.kind == Job::Kind::trace) checker::print_trace(trace, out);
  done.stopped = stop && *stop;
  done.job = std::move(job);
  return done;
}

Looked run(Look look) {
  std::shared_ptr<const Analysis> analysis = look.library->analyse(look.text, look.options, look.open);
  return {std::move(look.uri), look.changes, std::move(look.library), std::move(analysis)};
}

Worker::Worker(llvm::unique_function<void(Done)> done) : done_(std::move(done)), thread_([this] { work(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
    if (running_) *running_->stop = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Worker::start(Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(job)});
  }
  wake_.notify_all();
}

template <typename Wanted>
bool Worker::stop_where(Wanted wanted) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  auto stop = [&](Entry& entry) {
    if (!wanted(entry.job)) return;
    *entry.stop = true;
    any = true;
  };
  std::for_each(waiting_.begin(), waiting_.end(), stop);
  if (running_) stop(*running_);
  return any;
}

void Worker::stop_findings(const std::string& uri) {
  stop_where([&](const Job& job) { return job.kind == Job::Kind::findings && job.uri == uri; });
}

bool Worker::stop(const json::Value& id) {
  return stop_where([&](const Job& job) { return job.kind != Job::Kind::findings && job.id == id; });
}

void Worker::work() {
  llvm::set_thread_priority(llvm::ThreadPriority::Low);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = &entry;
    lock.unlock();
    Done done;
    if (*entry.stop) {
      done.job = entry.job;
      done.stopped = true;
    } else {
      done = run(entry.job, entry.stop.get());
    }
    lock.lock();
    running_ = nullptr;
    if (ending_) return;
    lock.unlock();
    done_(std::move(done));
    lock.lock();
  }
}

}  // namespace warpcc::lsp
