#include "lsp/serve.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "lsp/background.h"
#include "lsp/transport.h"

namespace warpcc::lsp {
namespace {

struct Broken {  // what came was no JSON
  std::string why;
};
struct End {};
using Event = std::variant<json::Value, Broken, Looked, Done, End>;

// What is to be done, in the order that it came. Requests that are cancelled while they wait are marked.
class Events {
 public:
  void push(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    wake_.notify_one();
  }
  // False where no such request waits here.
  bool cancel(const json::Value& id) {
    const std::lock_guard lock(mutex_);
    for (const Event& event : events_) {
      const json::Value* message = std::get_if<json::Value>(&event);
      const json::Object* object = message ? message->getAsObject() : nullptr;
      const json::Value* known = object ? object->get("id") : nullptr;
      if (!known || *known != id) continue;
      cancelled_.push_back(id);
      return true;
    }
    return false;
  }
  // Nothing, without waiting, where nothing waits.
  std::optional<Event> next(bool wait) {
    std::unique_lock lock(mutex_);
    if (wait) wake_.wait(lock, [&] { return !events_.empty(); });
    if (events_.empty()) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  bool take_cancelled(const json::Value& id) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find(cancelled_.begin(), cancelled_.end(), id);
    if (at == cancelled_.end()) return false;
    cancelled_.erase(at);
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> events_;
  std::vector<json::Value> cancelled_;
};

const json::Value* cancelled_id(const json::Value& message) {
  const json::Object* object = message.getAsObject();
  if (!object || object->getString("method") != "$/cancelRequest") return nullptr;
  const json::Object* params = object->getObject("params");
  return params ? params->get("id") : nullptr;
}

bool says_exit(const json::Value& message) {
  const json::Object* object = message.getAsObject();
  return object && object->getString("method") == "exit" && !object->get("id");
}

// Reads until the stream ends or the editor says `exit`: behind it nothing comes.
void read(Events& events) {
  Reader reader(stdin);
  while (std::optional<std::string> text = reader.next()) {
    if (nests_too_deep(*text)) {
      events.push(Broken{"brackets nest too deep"});
      continue;
    }
    llvm::Expected<json::Value> message = json::parse(*text);
    if (!message) {
      events.push(Broken{llvm::toString(message.takeError())});
      continue;
    }
    if (const json::Value* id = cancelled_id(*message)) {
      if (events.cancel(*id)) continue;
    }
    const bool exit = says_exit(*message);
    events.push(std::move(*message));
    if (exit) return;
  }
  events.push(End{});
}

void handle(Event event, Server& server, Events& events) {
  if (auto* broken = std::get_if<Broken>(&event)) {
    server.refuse(ErrorCode::parse_error, broken->why);
  } else if (auto* looked = std::get_if<Looked>(&event)) {
    server.looked(std::move(*looked));
  } else if (auto* done = std::get_if<Done>(&event)) {
    server.finished(std::move(*done));
  } else if (auto* message = std::get_if<json::Value>(&event)) {
    const json::Object* object = message->getAsObject();
    const json::Value* id = object ? object->get("id") : nullptr;
    if (id && events.take_cancelled(*id)) {
      server.cancelled(*id);
    } else {
      server.receive(std::move(*message));
    }
  }
}

}  // namespace

int serve(Settings settings) {
  Events events;
  Worker checker([&](Done done) { events.push(std::move(done)); });
  Background compiler;
  Beside beside{&checker, [&](Look look) {
                  compiler.run([&events, look = std::move(look)]() mutable { events.push(run(std::move(look))); });
                }};
  llvm::raw_fd_ostream& out = llvm::outs();
  Server server(std::move(settings), [&](json::Value message) { write(out, message); }, std::move(beside));
  std::thread reader([&] { read(events); });
  bool idle = false;
  while (!server.ended()) {
    // What has been typed is looked at when nothing else waits: of many edits in a row the last counts.
    std::optional<Event> event = events.next(idle);
    if (!event) {
      idle = !server.look();
      continue;
    }
    idle = false;
    if (std::holds_alternative<End>(*event)) break;
    handle(std::move(*event), server, events);
  }
  reader.join();
  return server.exit_code();
}

}  // namespace warpcc::lsp
