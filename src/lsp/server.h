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
  // What a complaint's code means, in Markdown; empty: nothing is known. None: nobody knows.
  std::string (*explanation)(std::string_view code) = nullptr;
};

// Which analysis an answer is read from. What comes with typing takes the last one, and does not wait; what is about
// all documents wants all of them looked at.
enum class Needs : std::uint8_t { last, fresh, all };

// What a request is about, and what it may look at.
struct Request {
  const Settings& settings;
  const CompileOptions& options;  // with what the editor has set
  const Documents& documents;
  Document& document;
  const json::Object& params;
  std::uint32_t offset = 0;  // of `position`, where one is given
};
using Answer = llvm::Expected<json::Value>;

// Who does what takes its time. Nobody: it is done where it is asked for.
struct Beside {
  Worker* checker = nullptr;
  // Looks at a text elsewhere; what comes of it is brought to `Server::looked`.
  llvm::unique_function<void(Look)> look;
};

class Server {
 public:
  using Send = llvm::unique_function<void(json::Value)>;

  Server(Settings settings, Send send, Beside beside = {});

  void receive(json::Value message);
  // A message that could not be read.
  void refuse(ErrorCode code, const std::string& words);
  // The request was cancelled before its turn.
  void cancelled(const json::Value& id);
  // Looks at a document that has changed, or has it looked at; false where nothing more is to be done now.
  bool look();
  void looked(Looked looked);
  // What the checker has finished.
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
  void cancel(const json::Value* id);
  void look_again(const std::string* used);

  Document* find(const json::Object& params);
  Look look_of(const Document& document) const;
  void analyse(Document& document);
  void keep(Document& document, std::int64_t changes, std::shared_ptr<const Analysis> analysis);
  // Whether a request can be answered now: what it needs has been looked at.
  bool ready(const Document* document, Needs needs) const;
  void answer_waiting();
  void publish(Document& document);
  void publish(const std::string& uri);
  void start(Job job);
  void start_findings(Document& document);
  llvm::Error start_check(Job::Kind kind, const json::Value& id, Document& document);

  Settings settings_;
  CompileOptions options_;  // the settings and what the editor has added
  Send send_;
  Beside beside_;
  bool looking_ = false;  // a text is being looked at
  // Requests that wait for a text to be looked at.
  struct Waiting {
    json::Value id;
    std::string method;
    json::Object params;
  };
  std::vector<Waiting> waiting_;
  Documents documents_;
  std::map<std::string, std::map<std::string, json::Array>>
      said_;  // by the document that it comes from, and whose it is
  bool initialized_ = false, shut_down_ = false, ended_ = false;
};

}  // namespace warpcc::lsp
