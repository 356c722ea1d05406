// The language server without its streams: takes messages, sends messages. docs/lsp.md says what it answers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/FunctionExtras.h"
#include "lsp/document.h"
#include "lsp/protocol.h"
#include "lsp/worker.h"

namespace warpcc::lsp {

struct Settings {
  CompileOptions options;  // what every document is compiled with
  std::string version;     // of warpcc
};

// What a request is about, and what it may look at.
struct Request {
  const std::map<std::string, std::unique_ptr<Document>>& documents;
  Document& document;
  const json::Object& params;
  std::uint32_t offset = 0;  // of `position`, where one is given
};
using Answer = llvm::Expected<json::Value>;

class Server {
 public:
  using Send = llvm::unique_function<void(json::Value)>;

  // Without a worker the checker runs where it is asked for.
  Server(Settings settings, Send send, Worker* worker = nullptr);

  void receive(json::Value message);
  // A message that could not be read.
  void refuse(ErrorCode code, const std::string& words);
  // The request was cancelled before its turn.
  void cancelled(const json::Value& id);
  // Looks at a document that has changed; false where there is none left.
  bool look();
  // What the worker has finished.
  void finished(Done done);

  bool ended() const { return ended_; }
  int exit_code() const { return shut_down_ ? 0 : 1; }

 private:
  void notify(llvm::StringRef method, const json::Object& params);
  void request(json::Value id, llvm::StringRef method, const json::Object& params);
  Answer answer(const json::Value& id, llvm::StringRef method, const json::Object& params, bool& later);
  Answer initialize(const json::Object& params);
  void reply(json::Value id, Answer answer);
  void send(json::Object message);

  void did_open(const json::Object& params);
  void did_change(const json::Object& params);
  void did_save(const json::Object& params);
  void did_close(const json::Object& params);
  void configure(const json::Value* settings);
  void look_at_all();

  Document* find(const json::Object& params);
  void analyse(Document& document);
  void publish(Document& document);
  void publish(const std::string& uri);
  void start(Job job);
  llvm::Error start_check(Job::Kind kind, const json::Value& id, Document& document);

  Settings settings_;
  CompileOptions options_;  // the settings and what the editor has added
  Send send_;
  Worker* worker_;
  std::map<std::string, std::unique_ptr<Document>> documents_;  // by URI
  std::map<std::string, std::map<std::string, json::Array>>
      said_;  // by the document that it comes from, and whose it is
  bool initialized_ = false, shut_down_ = false, ended_ = false;
};

}  // namespace warpcc::lsp
