// The server as messages see it: life and death, texts that change, requests that come too early or too late.
#include "lsp/server.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace warpcc::lsp;

namespace {

constexpr const char* kUri = "file:///nowhere/k.wk";

struct Session {
  std::vector<json::Value> sent;
  Server server{{{}, "0"}, [this](json::Value message) { sent.push_back(std::move(message)); }};
  int id = 0;

  const json::Object& last() { return *sent.back().getAsObject(); }
  void notify(const char* method, json::Object params) {
    server.receive(json::Object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  const json::Object& request(const char* method, json::Object params) {
    server.receive(json::Object{{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", std::move(params)}});
    CHECK(last().getInteger("id") == id);
    return last();
  }
  void begin() {
    request("initialize", {});
    notify("initialized", {});
  }
  void open(const char* text) {
    notify("textDocument/didOpen",
           json::Object{
               {"textDocument", json::Object{{"uri", kUri}, {"languageId", "wk"}, {"version", 1}, {"text", text}}}});
    while (server.look()) {
    }
  }
  void change(json::Value range, const char* text) {
    json::Object change{{"text", text}};
    if (range.getAsObject()) change["range"] = std::move(range);
    notify("textDocument/didChange", json::Object{{"textDocument", json::Object{{"uri", kUri}, {"version", 2}}},
                                                  {"contentChanges", json::Array{std::move(change)}}});
    while (server.look()) {
    }
  }
  // How much is said of the document.
  std::size_t diagnostics() {
    for (auto message = sent.rbegin(); message != sent.rend(); ++message) {
      const json::Object* object = message->getAsObject();
      if (object->getString("method") != "textDocument/publishDiagnostics") continue;
      return object->getObject("params")->getArray("diagnostics")->size();
    }
    return 999;
  }
  static int code(const json::Object& answer) {
    const json::Object* error = answer.getObject("error");
    return error ? static_cast<int>(error->getInteger("code").value_or(0)) : 0;
  }
  static json::Object at(int line, int character) {
    return json::Object{{"textDocument", json::Object{{"uri", kUri}}},
                        {"position", json::Object{{"line", line}, {"character", character}}}};
  }
};

}  // namespace

TEST_CASE("a session begins with `initialize` and ends with `exit`") {
  Session session;
  CHECK(Session::code(session.request("textDocument/hover", Session::at(0, 0))) == -32002);
  session.begin();
  CHECK(Session::code(session.request("initialize", {})) == -32600);
  CHECK(Session::code(session.request("textDocument/what", Session::at(0, 0))) == -32601);
  CHECK(Session::code(session.request("textDocument/hover", Session::at(0, 0))) == -32602);
  CHECK(session.server.exit_code() == 1);
  session.request("shutdown", {});
  CHECK(session.server.exit_code() == 0);
  CHECK(Session::code(session.request("textDocument/hover", Session::at(0, 0))) == -32600);
  CHECK_FALSE(session.server.ended());
  session.notify("exit", {});
  CHECK(session.server.ended());
}

TEST_CASE("a text changes, and what is said of it") {
  Session session;
  session.begin();
  session.open("const x = 1;\n");
  CHECK(session.diagnostics() == 0);  // a module: no kernel is missed
  session.change(json::Object{{"start", json::Object{{"line", 0}, {"character", 10}}},
                              {"end", json::Object{{"line", 0}, {"character", 11}}}},
                 "y");
  CHECK(session.diagnostics() == 1);
  session.change(nullptr, "const y = 1;\nconst x = y;\n");
  CHECK(session.diagnostics() == 0);
  session.change(json::Object{{"start", 3}, {"end", nullptr}}, "junk");
  CHECK(session.diagnostics() == 0);
  session.notify("textDocument/didClose", json::Object{{"textDocument", json::Object{{"uri", kUri}}}});
  CHECK(session.diagnostics() == 0);
  CHECK(Session::code(session.request("textDocument/hover", Session::at(0, 0))) == -32602);
}

TEST_CASE("requests of half-typed text are answered from what could be read last") {
  Session session;
  session.begin();
  session.open("const first = 12;\nconst second = first;\n");
  session.change(nullptr, "const first = 12;\nconst @ third = ;\nconst second = first;\n");
  CHECK(session.diagnostics() >= 1);
  const json::Object& answer = session.request("textDocument/hover", Session::at(2, 17));
  const json::Object* result = answer.getObject("result");
  REQUIRE(result);
  CHECK(result->getObject("contents")->getString("value")->contains("12"));
  CHECK(session.request("textDocument/completion", Session::at(1, 7)).getObject("result"));
}

TEST_CASE("messages that are none") {
  Session session;
  session.begin();
  const json::Value broken[] = {nullptr,
                                1,
                                json::Array{},
                                json::Object{},
                                json::Object{{"id", 1}},
                                json::Object{{"id", json::Object{}}, {"method", 3}},
                                json::Object{{"method", "textDocument/didOpen"}},
                                json::Object{{"method", "textDocument/didChange"}, {"params", json::Array{}}},
                                json::Object{{"id", 1}, {"result", nullptr}}};
  for (const json::Value& message : broken) session.server.receive(message);
  session.server.refuse(ErrorCode::parse_error, "no JSON");
  CHECK(Session::code(session.last()) == -32700);
}

TEST_CASE("texts are looked at beside the server: requests wait for it, or do not") {
  std::vector<json::Value> sent;
  std::vector<Look> looks;
  Server server{{{}, "0"},
                [&](json::Value message) { sent.push_back(std::move(message)); },
                {nullptr, [&](Look look) { looks.push_back(std::move(look)); }}};
  auto send = [&](int id, const char* method, json::Object params) {
    json::Object message{{"method", method}, {"params", std::move(params)}};
    if (id != 0) message["id"] = id;
    server.receive(std::move(message));
  };
  auto open = [&](int version, const char* text) {
    return json::Object{{"textDocument", json::Object{{"uri", kUri}, {"version", version}, {"text", text}}}};
  };
  auto last_id = [&] { return sent.back().getAsObject()->getInteger("id").value_or(0); };
  send(1, "initialize", {});
  send(0, "textDocument/didOpen", open(1, "const first = 1;\nconst second = first;\n"));
  CHECK_FALSE(server.look());
  REQUIRE(looks.size() == 1);
  sent.clear();

  // Before anything is known all wait; one is cancelled.
  send(2, "textDocument/hover", Session::at(0, 7));
  send(3, "textDocument/definition", Session::at(1, 16));
  CHECK(sent.empty());
  send(0, "$/cancelRequest", json::Object{{"id", 2}});
  REQUIRE(sent.size() == 1);
  CHECK(Session::code(*sent.back().getAsObject()) == -32800);
  server.looked(run(std::move(looks.back())));
  CHECK(last_id() == 3);
  CHECK(sent.size() == 3);  // and the diagnostics

  // While the text is looked at again, hover is answered from what was; what is found of a text that is gone is not
  // said.
  json::Object change = open(2, "");
  change["contentChanges"] = json::Array{json::Object{{"text", "const first = ;\n"}}};
  send(0, "textDocument/didChange", std::move(change));
  CHECK_FALSE(server.look());
  CHECK_FALSE(server.look());
  CHECK(looks.size() == 2);
  sent.clear();
  send(4, "textDocument/hover", Session::at(0, 7));
  CHECK(last_id() == 4);
  send(5, "textDocument/codeLens", Session::at(0, 0));
  json::Object again = open(3, "");
  again["contentChanges"] = json::Array{json::Object{{"text", "const first = 2;\n"}}};
  send(0, "textDocument/didChange", std::move(again));
  server.looked(run(std::move(looks.back())));
  CHECK(last_id() == 4);
  CHECK_FALSE(server.look());
  REQUIRE(looks.size() == 3);
  server.looked(run(std::move(looks.back())));
  CHECK(last_id() == 5);
}
