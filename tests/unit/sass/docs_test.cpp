#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "examples.h"

using namespace warpcc::sass;

// docs/sass-text.md shows the loading warp; what it shows must be what the tests read and print.
TEST_CASE("the example of the reference is the text that the tests read") {
  std::ifstream file(WARPCC_SOURCE_DIR "/docs/sass-text.md");
  std::ostringstream text;
  text << file.rdbuf();
  CHECK(text.str().find("```\n" + std::string(testing::kLoads) + "```\n") != std::string::npos);
}
