// vectors DIR: holds src/layout against the records of tests/vectors, or of any folder with files of those names.
// Prints for each file how many records agree, how many are refused and why, and every one that differs. Exit status 1
// where one differs or no file is found.
#include <array>
#include <map>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "vectors/check.h"

namespace warpcc::layout::vectors {
namespace {

struct File {
  const char* name;
  Verdict (*check)(const Record&);
};
constexpr std::array kFiles{
    File{"layout_ops", check_layout_op},         File{"mma_atoms", check_mma_atom},
    File{"umma_desc", check_operand_descriptor}, File{"gmma_desc", check_wgmma_descriptor},
    File{"idesc", check_instruction_descriptor}, File{"smem_atoms", check_shared_atom},
    File{"tmem_frag", check_tensor_load},        File{"tmem_acc", check_accumulator},
    File{"tma_box", check_tensor_map},
};

// How many records of a case, as the verdict words it.
using Cases = std::map<std::string, int>;

struct Tally {
  int agree = 0, refused = 0, differ = 0;
  Cases agreements, refusals;

  void count(const Record& record, Verdict verdict) {
    if (verdict.kind == Verdict::Kind::agrees && !record.missing().empty())
      verdict = Verdict::differs("no field `" + record.missing() + "`");
    switch (verdict.kind) {
      case Verdict::Kind::agrees:
        ++agree;
        ++agreements[verdict.why];
        break;
      case Verdict::Kind::refused:
        ++refused;
        ++refusals[verdict.why];
        break;
      case Verdict::Kind::differs:
        ++differ;
        llvm::outs() << "    differs: " << record.text("id") << ": " << verdict.why << '\n';
        break;
    }
  }
};

void print_cases(const char* word, const Cases& cases) {
  for (const auto& [why, count] : cases)
    if (!why.empty()) llvm::outs() << "    " << word << ' ' << count << ": " << why << '\n';
}

// Whether all of the file's records were read, and none differs.
bool run(const File& file, llvm::StringRef content) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(content);
  if (!value) llvm::outs() << file.name << ".json: " << llvm::toString(value.takeError()) << '\n';
  if (!value || !value->getAsArray()) return false;
  Tally tally;
  for (const llvm::json::Value& entry : *value->getAsArray()) {
    const llvm::json::Object empty;
    const Record record(entry.getAsObject() ? *entry.getAsObject() : empty);
    tally.count(record, file.check(record));
  }
  llvm::outs() << file.name << ".json: " << tally.agree << " agree, " << tally.refused << " refused, " << tally.differ
               << " differ\n";
  print_cases("agree", tally.agreements);
  print_cases("refused", tally.refusals);
  return tally.differ == 0;
}

int main_of(llvm::StringRef folder) {
  bool good = true, any = false;
  for (const File& file : kFiles) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, std::string(file.name) + ".json");
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      llvm::outs() << file.name << ".json: not there\n";
      continue;
    }
    any = true;
    good &= run(file, (*buffer)->getBuffer());
  }
  return good && any ? 0 : 1;
}

}  // namespace
}  // namespace warpcc::layout::vectors

int main(int argc, char** argv) {
  if (argc != 2) {
    llvm::errs() << "usage: vectors DIR\n";
    return 2;
  }
  return warpcc::layout::vectors::main_of(argv[1]);
}
