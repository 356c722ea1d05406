#include <doctest/doctest.h>

#include "llvm/Support/JSON.h"
#include "ptx/lift.h"

using namespace warpcc;

namespace {

sass::Program small() {
  sass::Program program;
  program.kernel = "gemm";
  program.threads = 256;
  program.dynamic_shared = 4096;
  program.grid = {148, 1, 1};
  program.cluster = 2;
  program.params.push_back({"raised", 0});
  sass::Buffer a;
  a.name = "a";
  a.space = sass::MemorySpace::global;
  a.map = "a";
  a.element = layout::Element::bf16;
  a.layout = *layout::Physical::make(layout::row_major(std::vector<std::int64_t>{2048, 1024}));
  program.buffers.push_back(a);
  sass::Buffer raised;
  raised.name = "raised";
  raised.space = sass::MemorySpace::global;
  raised.element = layout::Element::u32;
  raised.kept = true;
  raised.layout = *layout::Physical::make(layout::row_major(std::vector<std::int64_t>{16, 2, 4}));
  program.buffers.push_back(raised);
  program.maps.push_back({"a", "a", {2048, 1024}, 2, {64, 64}, 128});
  sass::Line line;
  line.opcode = isa::find("ACQBULK");
  program.lines.push_back(line);
  return program;
}

}  // namespace

TEST_CASE("the manifest, key by key, in its order") {
  CHECK(ptx::manifest(small()) == R"({
  "entry": "gemm",
  "target": "sm_100a",
  "grid": [
    148,
    1,
    1
  ],
  "cluster": [
    2,
    1,
    1
  ],
  "block": [
    256,
    1,
    1
  ],
  "shared_bytes": 4096,
  "waits_for_grid_before": true,
  "parameters": [
    {
      "kind": "pointer",
      "name": "raised",
      "offset": 0,
      "size": 8
    },
    {
      "kind": "tensor_map",
      "name": "a",
      "offset": 64,
      "size": 128
    }
  ],
  "tensors": [
    {
      "name": "a",
      "element": "bf16",
      "shape": [
        2048,
        1024
      ],
      "strides": [
        1024,
        1
      ],
      "written": false
    }
  ],
  "tensor_maps": [
    {
      "name": "a",
      "tensor": "a",
      "element": "bf16",
      "element_bytes": 2,
      "extents": [
        2048,
        1024
      ],
      "strides": [
        2048,
        2
      ],
      "box": [
        64,
        64
      ],
      "swizzle": 128
    }
  ],
  "kept": [
    {
      "tensor": "raised",
      "element": "u32",
      "bytes": 512
    }
  ]
}
)");
}

TEST_CASE("a program that waits for no grid says so") {
  sass::Program program = small();
  program.lines.clear();
  auto json = llvm::json::parse(ptx::manifest(program));
  REQUIRE(static_cast<bool>(json));
  CHECK(json->getAsObject()->getBoolean("waits_for_grid_before") == false);
}

TEST_CASE("a tensor that is stored to says so, by its map or by what the line is held to") {
  sass::Program program = small();
  auto written = [&] {
    auto json = llvm::json::parse(ptx::manifest(program));
    REQUIRE(static_cast<bool>(json));
    return (*json->getAsObject()->getArray("tensors"))[0].getAsObject()->getBoolean("written");
  };
  CHECK(written() == false);
  sass::Operand map;
  map.kind = sass::Operand::Kind::map;
  SUBCASE("a store of the copy engine") {
    sass::Line line;
    line.opcode = isa::find("UTMASTG.2D");
    line.operands = {{}, map};
    program.lines.push_back(line);
    CHECK(written() == true);
  }
  SUBCASE("a load") {
    sass::Line line;
    line.opcode = isa::find("UTMALDG.2D");
    line.operands = {{}, map};
    program.lines.push_back(line);
    CHECK(written() == false);
  }
  SUBCASE("a store of a register") {
    sass::Line line;
    line.opcode = isa::find("STG.E");
    sass::View view;
    view.buffer = static_cast<sass::BufferId>(0);
    line.held.push_back({sass::Held::Kind::reach, {view}, {}, {}});
    program.lines.push_back(line);
    CHECK(written() == true);
  }
}

TEST_CASE("a map or a parameter that no buffer is declared for is a tensor of its own") {
  sass::Program program = small();
  program.maps.push_back({"d", "", {64, 32}, 4, {8, 32}, 0});
  program.params.push_back({"note", 8});
  auto json = llvm::json::parse(ptx::manifest(program));
  REQUIRE(static_cast<bool>(json));
  const llvm::json::Array& tensors = *json->getAsObject()->getArray("tensors");
  REQUIRE(tensors.size() == 3);
  CHECK(tensors[1].getAsObject()->getString("name") == "d");
  CHECK(*tensors[1].getAsObject()->getArray("strides") == llvm::json::Array{32, 1});
  CHECK(tensors[2].getAsObject()->getString("name") == "note");
  CHECK(tensors[2].getAsObject()->getArray("shape")->empty());
}
