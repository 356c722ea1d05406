// What bench/gpu makes of its measurements.
#include <doctest/doctest.h>

#include "results.h"
#include "timing.h"

using namespace warpcc;
using namespace warpcc::bench;

namespace {

Row row(const std::string& hash) {
  Row row;
  row.cubin = "a \"b\".cubin";
  row.hash = hash;
  row.product = {0, 1, 2, 1024, 512, 256};
  row.element = "f16";
  row.exact = true;
  row.warpcc.sum = {5.125, 5.25, 5, 5.5};
  row.cublaslt.sum = {5.75, 6};
  row.geometry.waves = 0.96969;
  return row;
}

const Machine kMachine{"GPU", 132, 13000, 130100};

}  // namespace

TEST_CASE("bench: the median of odd and even counts, and of none") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(median({}) == 0);
}

TEST_CASE("bench: the counts of calls are the article's for its eleven shapes") {
  auto calls = [](double m, double n, double k) { return counts_for(2 * m * n * k).calls; };
  CHECK(calls(1024, 1024, 1024) == 400);
  CHECK(calls(1536, 1536, 1536) == 400);
  CHECK(calls(2048, 2048, 2048) == 400);
  CHECK(calls(3072, 1280, 2048) == 400);
  CHECK(calls(4096, 4096, 1024) == 300);
  CHECK(calls(4096, 4096, 4096) == 200);
  CHECK(calls(8192, 2048, 4096) == 200);
  CHECK(calls(2048, 2048, 16384) == 200);
  CHECK(calls(1024, 1024, 65536) == 200);
  CHECK(calls(8192, 8192, 8192) == 40);
  CHECK(calls(16384, 16384, 16384) == 12);
}

TEST_CASE("bench: results are written, read again, and found by cubin and machine") {
  runtime::Json results;
  REQUIRE(!runtime::parse_json(to_text(kMachine, {to_json(row("aa")), to_json(row("bb"))}), results));
  const runtime::Json* found = row_of(results, kMachine, "bb");
  REQUIRE(found);
  CHECK(*found->member("cubin")->string() == "a \"b\".cubin");
  CHECK(*found->member("m")->number() == 1024);
  CHECK(*found->member("exact")->boolean());
  const runtime::Json::Array& times = *found->member("warpcc")->member("isolated")->array();
  REQUIRE(times.size() == 4);
  CHECK(*times[1].number() == 5.25);
  CHECK(row_of(results, kMachine, "cc") == nullptr);
  // Of another GPU, driver or cuBLASLt nothing is taken.
  CHECK(row_of(results, {"GPU", 132, 13010, 130100}, "bb") == nullptr);
  CHECK(row_of(results, {"GPU", 132, 13000, 130800}, "bb") == nullptr);
  CHECK(row_of(runtime::Json(), kMachine, "bb") == nullptr);
}

TEST_CASE("bench: what is written again is the same text") {
  std::string text = to_text(kMachine, {to_json(row("aa"))});
  runtime::Json results;
  REQUIRE(!runtime::parse_json(text, results));
  CHECK(to_text(kMachine, *results.member("rows")->array()) == text);
}
