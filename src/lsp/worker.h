// What takes its time, to be done beside the server: looking at texts, and the checker.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "checker/check.h"
#include "llvm/ADT/FunctionExtras.h"
#include "lsp/analysis.h"
#include "lsp/protocol.h"

namespace warpcc::lsp {

struct Job {
  enum class Kind : std::uint8_t { findings, report, trace };  // on save; `warpcc/check`; `warpcc/trace`
  Kind kind = Kind::findings;
  json::Value id = nullptr;  // of the request; null: none asked
  std::string uri;
  std::int64_t changes = 0;  // of the document, when it was asked
  std::shared_ptr<const Analysis> analysis;
};

struct Done {
  Job job;
  bool stopped = false;
  checker::Outcome outcome;
  std::string text;    // the report, the timeline
  std::string broken;  // what went wrong in the checker itself; empty: nothing
};

// Runs it here. `stop` ends it early.
Done run(Job job, const std::atomic<bool>* stop);

// A text that is to be looked at, with all that is needed for it.
struct Look {
  std::string uri, text;
  std::int64_t changes = 0;  // of the document, when it was asked
  CompileOptions options;
  std::vector<Library::Open> open;
  std::shared_ptr<Library> library;  // of the document: one look at a time
};
struct Looked {
  std::string uri;
  std::int64_t changes = 0;
  std::shared_ptr<Library> library;
  std::shared_ptr<const Analysis> analysis;
};
Looked run(Look look);

class Worker {
 public:
  // `done` is called in the worker's thread.
  explicit Worker(llvm::unique_function<void(Done)> done);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(Job job);
  // Ends the findings that were asked for of this document, running or waiting.
  void stop_findings(const std::string& uri);
  // Ends what this request asked for; false where there is no such job.
  bool stop(const json::Value& id);

 private:
  void work();
  template <typename Wanted>
  bool stop_where(Wanted wanted);

  struct Entry {
    Job job;
    std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);
  };

  llvm::unique_function<void(Done)> done_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Entry> waiting_;
  Entry* running_ = nullptr;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace warpcc::lsp
