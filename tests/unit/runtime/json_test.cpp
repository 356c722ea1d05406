#include "runtime/json.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpcc::runtime;

TEST_CASE("JSON: values of every kind, and members by name") {
  Json json;
  REQUIRE(!parse_json(R"( {"a": [1, -2.5, true, false, null], "b": {"c": "x\n\u00e9\"\\"}, "d": ""} )", json));
  REQUIRE(json.member("a"));
  const Json::Array& all = *json.member("a")->array();
  REQUIRE(all.size() == 5);
  CHECK(*all[0].number() == 1);
  CHECK(*all[1].number() == -2.5);
  CHECK(*all[2].boolean());
  CHECK(!*all[3].boolean());
  CHECK(all[4].is_null());
  CHECK(*json.member("b")->member("c")->string() == "x\n\xc3\xa9\"\\");
  CHECK(json.member("d")->string()->empty());
  CHECK(json.member("e") == nullptr);
  CHECK(all[0].member("a") == nullptr);
}

TEST_CASE("JSON: what is none is said with its line") {
  for (const char* text : {"", "{", "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"x", "tru", "nul", "[1]]", "\"\\q\"",
                           "\"\\u12\"", "-", "{\"a\": 1,}"}) {
    CAPTURE(text);
    Json json;
    CHECK(parse_json(text, json).status == WARPCC_BAD_FILE);
  }
  Json json;
  CHECK(parse_json("{\n\"a\": 1\n\"b\": 2}", json).message == "no JSON: line 3 is not as it should be");
}

TEST_CASE("JSON: nesting without end is refused") {
  Json json;
  CHECK(parse_json(std::string(100000, '['), json));
  CHECK(parse_json(std::string(64, '[') + std::string(64, ']'), json).status == WARPCC_OK);
}
