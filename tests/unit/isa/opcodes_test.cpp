#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "isa/isa.h"

using namespace warpcc::isa;

namespace {

// Spellings and the targets on which the assembler was seen to emit them.
std::map<std::string, Targets> seen() {
  std::map<std::string, Targets> spellings;
  std::ifstream file(WARPCC_SOURCE_DIR "/tests/facts/sass_opcodes.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string spelling;
    words >> spelling;
    for (std::string target; words >> target;) {
      spellings[spelling] |= static_cast<Targets>(1 << static_cast<int>(*target_named(target)));
    }
  }
  return spellings;
}

}  // namespace

TEST_CASE("every form of the table is one that the assembler emits for the row's targets") {
  auto known = seen();
  REQUIRE(known.size() > 300);
  for (const Opcode& row : opcodes()) {
    for (std::string_view form : row.forms) {
      std::string spelled = std::string(row.name) + std::string(form);
      INFO(spelled);
      REQUIRE(known.contains(spelled));
      CHECK((row.targets & ~known[spelled]) == 0);
    }
  }
}

TEST_CASE("an opcode is found by its spelling, on the target that has it") {
  const Opcode* arrive = find("SYNCS.ARRIVE.TRANS64.RED.A1T0");
  REQUIRE(arrive);
  CHECK(arrive->op == Op::SYNCS);
  CHECK(arrive->slots.size() == 3);
  CHECK(find("SYNCS.ARRIVE") == nullptr);
  CHECK(find("UIADD3", Target::sm_100a)->slots.size() == 6);
  CHECK(find("UIADD3", Target::sm_90a)->slots.size() == 4);
  CHECK(find("UIADD3") == find("UIADD3", Target::sm_100a));
  CHECK(find("UTCHMMA", Target::sm_90a) == nullptr);
  CHECK(nearest_opcode("UTMALGD.2D") == "UTMALDG.2D");
}

TEST_CASE("no form stands twice for a target") {
  std::set<std::pair<std::string, int>> forms;
  for (const Opcode& row : opcodes()) {
    for (std::string_view form : row.forms) {
      for (int target = 0; target < 2; ++target) {
        if (row.targets >> target & 1) CHECK(forms.emplace(std::string(row.name) + std::string(form), target).second);
      }
    }
  }
}

TEST_CASE("groups are as wide as the modifiers say") {
  auto width = [](std::string_view spelled, int slot) {
    return width_of(*find(spelled), slot, *modifiers_of(spelled));
  };
  CHECK(width("LDTM.x32", 0) == 32);
  CHECK(width("LDTM", 0) == 1);
  CHECK(width("LDTM.16dp256bit.x8", 0) == 32);
  CHECK(width("LDTM.x16.PACK16BIT", 0) == 8);
  CHECK(width("LDS.128", 0) == 4);
  CHECK(width("STS.64", 1) == 2);
  CHECK(width("LDG.E.STRONG.GPU", 0) == 1);
  CHECK(width("UIMAD.WIDE.U32", 0) == 2);
  CHECK(width("UTMALDG.2D.MULTICAST.2CTA", 0) == 4);
  CHECK(width("UTMASTG.2D", 0) == 3);
  CHECK(width("HGMMA.64x128x16.F32", 0) == 64);
  CHECK(width("HGMMA.64x24x16.F32.BF16", 3) == 12);
  CHECK(width("HGMMA.64x64x16.F16", 0) == 16);
  CHECK(width("IGMMA.64x256x32.S8.S8", 0) == 128);
  CHECK(width("HGMMA.64x8x8.F32.TF32", 1) == 4);  // A in registers
  CHECK(width("REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU", 1) == 2);
}

TEST_CASE("registers of a file") {
  CHECK(registers(File::ur, Target::sm_100a) == 80);
  CHECK(registers(File::ur, Target::sm_90a) == 63);
  CHECK(registers(File::p, Target::sm_90a) == 7);
}
