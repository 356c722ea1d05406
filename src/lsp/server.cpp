#include "lsp/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "lsp/diagnostics.h"
#include "lsp/requests.h"

namespace warpcc::lsp {
namespace {

const json::Object* object_at(const json::Object& params, llvm::StringRef key) {
  return params.getObject(key);
}

std::string uri_in(const json::Object& params) {
  const json::Object* document = object_at(params, "textDocument");
  const std::optional<llvm::StringRef> uri = document ? document->getString("uri") : std::nullopt;
  return uri ? uri->str() : "";
}

bool is_name(llvm::StringRef text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                              llvm::StringRef::npos;
}

// `4096`, `true`, `"split(9, rows(1))"`: what stands behind `-D NAME=`.
std::optional<std::string> definition_text(const json::Value& value) {
  if (const std::optional<llvm::StringRef> text = value.getAsString()) return text->str();
  if (const std::optional<std::int64_t> number = value.getAsInteger()) return std::to_string(*number);
  if (const std::optional<bool> boolean = value.getAsBoolean()) return *boolean ? "true" : "false";
  return std::nullopt;
}

}  // namespace

Server::Server(Settings settings, Send send, Beside beside)
    : settings_(std::move(settings)), options_(settings_.options), send_(std::move(send)), beside_(std::move(beside)) {}

void Server::send(json::Object message) {
  message["jsonrpc"] = "2.0";
  send_(std::move(message));
}

void Server::reply(json::Value id, Answer answer) {
  if (answer) {
    send(json::Object{{"id", std::move(id)}, {"result", std::move(*answer)}});
    return;
  }
  ErrorCode code = ErrorCode::internal_error;
  std::string words;
  llvm::handleAllErrors(
      answer.takeError(),
      [&](const Failure& failure) {
        code = failure.code;
        words = failure.words;
      },
      [&](const llvm::ErrorInfoBase& error) { words = error.message(); });
  send(json::Object{{"id", std::move(id)},
                    {"error", json::Object{{"code", static_cast<int>(code)}, {"message", json::fixUTF8(words)}}}});
}

void Server::refuse(ErrorCode code, const std::string& words) {
  reply(nullptr, llvm::make_error<Failure>(code, words));
}

void Server::cancelled(const json::Value& id) {
  reply(id, llvm::make_error<Failure>(ErrorCode::cancelled, "cancelled"));
}

void Server::receive(json::Value message) {
  const json::Object* object = message.getAsObject();
  if (!object) {
    refuse(ErrorCode::invalid_request, "a message is an object");
    return;
  }
  const json::Value* id = object->get("id");
  const std::optional<llvm::StringRef> method = object->getString("method");
  if (!method) {
    // A response: to none of ours, we ask nothing.
    if (id && (object->get("result") || object->get("error"))) return;
    reply(id ? *id : json::Value(nullptr),
          llvm::make_error<Failure>(ErrorCode::invalid_request, "a message has a method"));
    return;
  }
  static const json::Object kNone;
  const json::Object* params = object->getObject("params");
  if (!params) params = &kNone;
  if (id) {
    request(*id, *method, *params);
  } else {
    notify(*method, *params);
  }
}

// ---- Requests

void Server::request(json::Value id, llvm::StringRef method, const json::Object& params) {
  bool later = false;
  try {
    Answer given = answer(id, method, params, later);
    if (!later || !given) reply(std::move(id), std::move(given));
  } catch (const std::exception& error) {
    // A bug of ours: the request fails, and the session goes on.
    reply(std::move(id), llvm::make_error<Failure>(ErrorCode::internal_error, error.what()));
  }
}

Answer Server::answer(const json::Value& id, llvm::StringRef method, const json::Object& params, bool& later) {
  if (method == "initialize") return initialize(params);
  if (!initialized_) return llvm::make_error<Failure>(ErrorCode::not_initialized, "`initialize` comes first");
  if (shut_down_) return llvm::make_error<Failure>(ErrorCode::invalid_request, "the server has been shut down");
  if (method == "shutdown") {
    shut_down_ = true;
    return nullptr;
  }
  const bool check = method == "warpcc/check", trace = method == "warpcc/trace";
  const auto handler =
      std::find_if(handlers().begin(), handlers().end(), [&](const Handler& each) { return each.method == method; });
  const bool of_all = method == "workspace/symbol";  // and of no document
  if (handler == handlers().end() && !check && !trace && !of_all)
    return llvm::make_error<Failure>(ErrorCode::method_not_found, fmt::format("there is no `{}`", method.str()));
  Document* document = of_all ? nullptr : find(params);
  if (!document && !of_all) return bad_params("`textDocument.uri` names no open document");
  const Needs needs = of_all ? Needs::all : check || trace ? Needs::fresh : handler->needs;
  if (!ready(document, needs)) {
    if (beside_.look) {
      waiting_.push_back({id, method.str(), params});
      later = true;
      return nullptr;
    }
    if (document && document->stale()) analyse(*document);
    while (needs == Needs::all && look()) {
    }
  }
  if (of_all) return workspace_symbols(documents_, params);
  if (check || trace) {
    if (llvm::Error error = start_check(check ? Job::Kind::report : Job::Kind::trace, id, *document)) return error;
    later = true;
    return nullptr;
  }
  std::uint32_t offset = 0;
  if (const json::Value* given = params.get("position")) {
    const std::optional<Place> place = read_place(given);
    if (!place) return bad_params("`position` is a line and a character, from 0");
    offset = document->text.offset(*place);
  }
  return handler->answer({settings_, options_, documents_, *document, params, offset});
}

bool Server::ready(const Document* document, Needs needs) const {
  if (needs == Needs::last) return document->newest != nullptr;
  if (needs == Needs::fresh) return !document->stale();
  return std::none_of(documents_.begin(), documents_.end(), [](const auto& each) { return each.second->stale(); });
}

void Server::answer_waiting() {
  for (Waiting& each : std::exchange(waiting_, {})) request(std::move(each.id), each.method, each.params);
}

Answer Server::initialize(const json::Object& params) {
  if (initialized_) return llvm::make_error<Failure>(ErrorCode::invalid_request, "`initialize` comes once");
  initialized_ = true;
  configure(params.get("initializationOptions"));
  return json::Object{{"capabilities", capabilities()},
                      {"serverInfo", json::Object{{"name", "warpcc"}, {"version", settings_.version}}}};
}

void Server::configure(const json::Value* value) {
  const json::Object* given = value ? value->getAsObject() : nullptr;
  if (!given) return;
  if (const json::Object* inner = given->getObject("warpcc")) given = inner;
  options_ = settings_.options;
  if (const json::Object* defines = given->getObject("defines")) {
    for (const auto& [name, definition] : *defines) {
      std::optional<std::string> text = definition_text(definition);
      if (text && is_name(name)) options_.definitions.push_back({name.str(), std::move(*text)});
    }
    std::sort(options_.definitions.begin(), options_.definitions.end(),
              [](const Definition& a, const Definition& b) { return a.name < b.name; });
  }
  if (const json::Array* folders = given->getArray("includePath")) {
    std::vector<std::string>& all = options_.library_folders;
    std::size_t at = 0;
    for (const json::Value& folder : *folders) {
      if (const std::optional<llvm::StringRef> path = folder.getAsString())
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(at++), path_of(path->str()));
    }
  }
}

// ---- Notifications

void Server::notify(llvm::StringRef method, const json::Object& params) {
  if (method == "exit") {
    ended_ = true;
    return;
  }
  if (!initialized_ || shut_down_) return;
  if (method == "$/cancelRequest") return cancel(params.get("id"));
  if (method == "textDocument/didOpen") return did_open(params);
  if (method == "textDocument/didChange") return did_change(params);
  if (method == "textDocument/didSave") return did_save(params);
  if (method == "textDocument/didClose") return did_close(params);
  if (method == "workspace/didChangeConfiguration") {
    configure(params.get("settings"));
    look_again(nullptr);
  }
  if (method == "workspace/didChangeWatchedFiles") look_again(nullptr);
}

// Of a request that waits here, or is the checker's now: what waited before it came here has been cancelled already.
void Server::cancel(const json::Value* id) {
  if (!id || (beside_.checker && beside_.checker->stop(*id))) return;
  const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return each.id == *id; });
  if (at == waiting_.end()) return;
  waiting_.erase(at);
  cancelled(*id);
}

// Something that the text depends on has changed: as if it had itself, for whoever is looking at it now.
void Server::look_again(const std::string* used) {
  for (auto& [uri, document] : documents_) {
    if (used && !document->uses(*used)) continue;
    ++document->changes;
    document->checked = {};
  }
}

Document* Server::find(const json::Object& params) {
  const auto at = documents_.find(uri_in(params));
  return at == documents_.end() ? nullptr : at->second.get();
}

void Server::did_open(const json::Object& params) {
  const json::Object* given = object_at(params, "textDocument");
  const std::string uri = uri_in(params);
  const std::optional<llvm::StringRef> text = given ? given->getString("text") : std::nullopt;
  if (uri.empty() || !text || text->size() > Sources::kLargest) return;
  auto& document = documents_[uri];
  document = std::make_unique<Document>(uri);
  document->text = Text(text->str());
  document->version = given->getInteger("version").value_or(0);
  look_again(&document->path);
}

void Server::did_change(const json::Object& params) {
  Document* document = find(params);
  const json::Array* changes = params.getArray("contentChanges");
  if (!document || !changes) return;
  for (const json::Value& each : *changes) {
    const json::Object* change = each.getAsObject();
    const std::optional<llvm::StringRef> words = change ? change->getString("text") : std::nullopt;
    if (!words) continue;
    std::uint32_t begin = 0, end = document->text.size();
    if (const json::Object* range = change->getObject("range")) {
      const std::optional<Place> first = read_place(range->get("start")), last = read_place(range->get("end"));
      if (!first || !last) continue;
      begin = document->text.offset(*first);
      end = std::max(begin, document->text.offset(*last));
    }
    if (std::size_t{document->text.size()} - (end - begin) + words->size() > Sources::kLargest) continue;
    document->text.replace(begin, end, std::string_view(words->data(), words->size()));
  }
  ++document->changes;
  document->checked = {};
  if (beside_.checker) beside_.checker->stop_findings(document->uri);
  if (const json::Object* of = object_at(params, "textDocument"))
    document->version = of->getInteger("version").value_or(document->version);
  look_again(&document->path);
}

void Server::did_save(const json::Object& params) {
  Document* document = find(params);
  if (!document) return;
  for (auto& [uri, each] : documents_) {  // kernels that use it, if it is a module
    if (each.get() != document && !each->uses(document->path)) continue;
    each->check_later = true;
    if (!each->stale()) {
      start_findings(*each);
    } else if (!beside_.look) {
      analyse(*each);
    }
  }
}

void Server::did_close(const json::Object& params) {
  const std::string uri = uri_in(params);
  if (documents_.erase(uri) == 0) return;
  const std::string path = path_of(uri);
  if (beside_.checker) beside_.checker->stop_findings(uri);
  std::map<std::string, json::Array> said;
  if (auto at = said_.find(uri); at != said_.end()) {
    said = std::move(at->second);
    said_.erase(at);
  }
  said.try_emplace(uri);
  for (const auto& [about, diagnostics] : said) publish(about);
  look_again(&path);
}

// ---- Analyses

bool Server::look() {
  if (looking_) return false;
  const auto stale =
      std::find_if(documents_.begin(), documents_.end(), [](const auto& each) { return each.second->stale(); });
  if (stale == documents_.end()) return false;
  if (beside_.look) {
    looking_ = true;
    beside_.look(look_of(*stale->second));
    return false;
  }
  analyse(*stale->second);
  return true;
}

Look Server::look_of(const Document& document) const {
  Look look{document.uri, document.text.str(), document.changes, options_, {}, document.library};
  for (const auto& [uri, each] : documents_) look.open.push_back({each->path, each->text.str(), each->changes});
  return look;
}

void Server::looked(Looked looked) {
  looking_ = false;
  const auto at = documents_.find(looked.uri);
  if (at != documents_.end() && at->second->library == looked.library)
    keep(*at->second, looked.changes, std::move(looked.analysis));
  answer_waiting();
}

void Server::analyse(Document& document) {
  Looked looked = run(look_of(document));
  keep(document, looked.changes, std::move(looked.analysis));
}

void Server::keep(Document& document, std::int64_t changes, std::shared_ptr<const Analysis> analysis) {
  document.newest = std::move(analysis);
  document.analysed = changes;
  if (document.newest->tree) document.parsed = document.newest;
  if (document.newest->program) document.accepted = document.newest;
  if (document.stale()) return;  // what is said would stand at the wrong places
  publish(document);
  if (document.check_later) start_findings(document);
}

void Server::publish(Document& document) {
  std::map<std::string, json::Array> now = diagnostics_by_file(document, *document.newest);
  for (const auto& [uri, found] : document.checked) {
    for (const json::Value& each : found) now[uri].push_back(each);
  }
  std::map<std::string, json::Array>& before = said_[document.uri];
  std::vector<std::string> about{document.uri};
  for (const auto* part : {&before, &now}) {
    for (const auto& [uri, diagnostics] : *part) {
      if (std::find(about.begin(), about.end(), uri) == about.end()) about.push_back(uri);
    }
  }
  before = std::move(now);
  for (const std::string& uri : about) publish(uri);
}

// All that is said of a file, by whichever document: several kernels use one module.
void Server::publish(const std::string& uri) {
  json::Array all;
  for (const auto& [from, by_file] : said_) {
    const auto at = by_file.find(uri);
    if (at == by_file.end()) continue;
    for (const json::Value& each : at->second) {
      if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
    }
  }
  json::Object params{{"uri", uri}, {"diagnostics", std::move(all)}};
  if (const auto at = documents_.find(uri); at != documents_.end()) params["version"] = at->second->version;
  send(json::Object{{"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}});
}

// ---- The checker

void Server::start(Job job) {
  if (beside_.checker) {
    beside_.checker->start(std::move(job));
  } else {
    finished(run(std::move(job), nullptr));
  }
}

void Server::start_findings(Document& document) {
  document.check_later = false;
  if (!document.newest->program) return;
  if (beside_.checker) beside_.checker->stop_findings(document.uri);
  start({Job::Kind::findings, nullptr, document.uri, document.changes, document.newest});
}

llvm::Error Server::start_check(Job::Kind kind, const json::Value& id, Document& document) {
  if (!document.newest->program)
    return failed(document.newest->is_module ? "this file holds no kernel: it is checked where it is used"
                                             : "the kernel has errors: it is checked when they are mended");
  start({kind, id, document.uri, document.changes, document.newest});
  return llvm::Error::success();
}

void Server::finished(Done done) {
  const Job& job = done.job;
  if (job.kind != Job::Kind::findings) {
    if (done.stopped) return cancelled(job.id);
    if (!done.broken.empty()) return reply(job.id, llvm::make_error<Failure>(ErrorCode::internal_error, done.broken));
    const char* name = job.kind == Job::Kind::report ? "text" : "json";
    return reply(job.id, json::Value(json::Object{{name, json::fixUTF8(done.text)}}));
  }
  const auto at = documents_.find(job.uri);
  if (done.stopped || at == documents_.end() || at->second->changes != job.changes) return;
  at->second->checked = findings(*at->second, *job.analysis, done.outcome);
  publish(*at->second);
}

}  // namespace warpcc::lsp
