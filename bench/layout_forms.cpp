// layout_forms [DIR]: in which form layouts are emitted, and how many divisions and remainders the decision saves.
//
// 1. Every distinct layout of atoms and examples in the records of tests/vectors (or DIR): operands and accumulators of
//    MMAs by thread and value, shared-memory atoms and stages, accumulators in tensor memory, the inputs and results of
//    CuTe's unit tests and documentation. Distinct: other functions of their coordinates. For the compositions among
//    the examples it is our composite's form, also where CuTe rejects them.
// 2. Random composites of a dense bijection with a padded storage map, seed 7. A size of 12 k, k = 1 .. 20, or 2^k, k =
// 3
//    .. 12; each map takes it apart into factors (a divisor above 1 drawn until 1 is left), shuffles them, and shares
//    them out to 1 to 3 coordinates. The storage map is dense in some order but for a gap of 1 to 3 after one mode in
//    three, and starts with a stride of 1 or 2. They are RandomMaps::bijection and ::padded of
//    tests/unit/layout/random_maps.h. And, as tiles mostly are, 2 or 3 coordinates of one mode each: the inner map's
//    extents 2, 3, 4, 6, 8, 12, 16 or 32 in an order of their own, the storage map's the same in another order, or, one
//    time in two, with a factor of 2 to 4 moved from one coordinate to the next where it divides.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "layout/cute.h"
#include "layout/emit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "random_maps.h"
#include "record.h"

namespace warpcc::layout {
namespace {

using vectors::cute_layout;
using vectors::Record;

struct Forms {
  std::array<int, 4> count{};

  void add(Form form) { ++count[static_cast<int>(form)]; }
  int all() const { return count[0] + count[1] + count[2] + count[3]; }
};

void print(llvm::StringRef what, const Forms& forms) {
  llvm::outs() << "  " << what << ": " << forms.all() << " distinct: " << forms.count[0] << " affine, "
               << forms.count[1] << " with one split, " << forms.count[2] << " with several, " << forms.count[3]
               << " composites\n";
}

// The distinct layouts of a family.
class Family {
 public:
  void add(const std::string& text) {
    if (const std::optional<Map> map = cute_layout(text)) add(*map);
  }
  void add(const Map& map) {
    const Map form = canonical(map);
    if (seen_.insert(form.text()).second) forms_.add(Emission(form).form());
  }
  // A composition: where it is kept, by both.
  void add(const cute::View& view) {
    if (const std::optional<Map> strided = view.strided()) return add(*strided);
    if (seen_.insert(view.outer().text() + " after " + view.inner().text()).second) forms_.add(Form::composite);
  }
  const Forms& forms() const { return forms_; }

 private:
  std::set<std::string> seen_;
  Forms forms_;
};

void add_example(const Record& record, Family& family) {
  if (record.text("src") == "random") return;
  const std::string a = record.text("a"), b = record.has("b") ? record.text("b") : "";
  family.add(a);
  if (!b.empty()) family.add(b);
  const std::optional<Map> outer = cute_layout(a);
  const std::optional<Map> inner = outer && !b.empty() ? cute_layout(b, &*outer) : std::nullopt;
  if (record.text("op") == "composition" && inner) return family.add(cute::composition(*outer, *inner));
  if (record.has("r")) family.add(record.text("r"));
}

void read(const std::string& path, llvm::function_ref<void(const Record&)> each) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) return llvm::consumeError(value.takeError());
  for (const llvm::json::Value& entry : *value->getAsArray())
    if (entry.getAsObject()) each(Record(*entry.getAsObject()));
}

void forms_of_vectors(const std::string& folder) {
  std::map<std::string, Family> families;
  const auto layouts = [&](const char* file, const char* family, const char* key) {
    read(folder + "/" + file + ".json", [&](const Record& record) {
      if (record.has(key)) families[family].add(record.text(key));
    });
  };
  read(folder + "/mma_atoms.json", [&](const Record& record) {
    for (const char* operand : {"A", "B", "C"})
      if (record.has(operand)) families["MMA operands by thread and value"].add(record.object(operand).text("layout"));
  });
  layouts("smem_atoms", "shared-memory atoms", "layout");
  layouts("umma_desc", "shared-memory stages", "stage_layout");
  layouts("gmma_desc", "shared-memory stages", "stage_layout");
  layouts("tma_box", "shared-memory stages", "smem_layout");
  layouts("tmem_acc", "accumulators in tensor memory", "cta_layout");
  layouts("tmem_acc", "accumulators in tensor memory", "acc_layout");
  read(folder + "/layout_ops.json", [&](const Record& record) { add_example(record, families["CuTe's examples"]); });
  llvm::outs() << "layouts of atoms and examples:\n";
  Forms all;
  for (const auto& [name, family] : families) {
    print(name, family.forms());
    for (int i = 0; i < 4; ++i) all.count[i] += family.forms().count[i];
  }
  print("all", all);
}

struct Pair {
  Map outer, inner;
};

// Coordinates of one mode each, dense in a random order, with gaps of 1 to 3 after one in `gaps`; none where 0.
Map plain(RandomMaps& random, const std::vector<std::int64_t>& extents, int gaps) {
  std::vector<Coordinate> coordinates(extents.size());
  std::vector<std::size_t> left(extents.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::int64_t stride = gaps == 0 ? 1 : random.between(1, 2);
  while (!left.empty()) {
    const auto at = left.begin() + random.between(0, static_cast<std::int64_t>(left.size()) - 1);
    coordinates[*at] = {{extents[*at], stride}};
    stride *= extents[*at];
    if (gaps != 0 && random.one_in(gaps)) stride += random.between(1, 3);
    left.erase(at);
  }
  return Map(std::move(coordinates));
}

Pair tile(RandomMaps& random) {
  constexpr std::array<std::int64_t, 8> kExtents{2, 3, 4, 6, 8, 12, 16, 32};
  std::vector<std::int64_t> extents(random.between(2, 3));
  for (std::int64_t& extent : extents) extent = kExtents[random.between(0, 7)];
  const Map inner = plain(random, extents, 0);
  std::rotate(extents.begin(), extents.begin() + random.between(0, 1), extents.end());
  if (const std::int64_t factor = random.between(2, 4); random.one_in(2) && extents[0] % factor == 0) {
    extents[0] /= factor;
    extents[1] *= factor;
  }
  return {plain(random, extents, 3), inner};
}

Pair of_size(RandomMaps& random, std::int64_t size) {
  Map outer = random.padded(size);
  return {std::move(outer), random.bijection(size)};
}

void random_composites(llvm::StringRef what, llvm::function_ref<Pair(RandomMaps&)> draw) {
  RandomMaps random(7);
  int strided = 0, emitted = 0, own = 0;
  Forms forms;
  for (int i = 0; i < 600; ++i) {
    const Pair pair = draw(random);
    const Composite composite(pair.outer, pair.inner);
    const Emission emission(composite);
    const Arithmetic cost = emission.arithmetic();
    strided += composite.decision().strided.has_value();
    emitted += cost.divisions + cost.remainders;
    own += composite.divisions_undecided();
    forms.add(emission.form());
  }
  llvm::outs() << "600 random composites of " << what << ": " << strided << " are layouts of a refinement ("
               << forms.count[0] << " affine, " << forms.count[1] << " with one split, " << forms.count[2]
               << " with several), " << forms.count[3] << " are kept; " << emitted
               << " divisions and remainders emitted, the composites' own are " << own << '\n';
}

}  // namespace
}  // namespace warpcc::layout

int main(int argc, char** argv) {
  using warpcc::layout::of_size;
  using warpcc::layout::RandomMaps;
  warpcc::layout::forms_of_vectors(argc > 1 ? argv[1] : "tests/vectors");
  warpcc::layout::random_composites("12 k elements",
                                    [](RandomMaps& random) { return of_size(random, 12 * random.between(1, 20)); });
  warpcc::layout::random_composites(
      "2^k elements", [](RandomMaps& random) { return of_size(random, std::int64_t{1} << random.between(3, 12)); });
  warpcc::layout::random_composites("2 or 3 coordinates of one mode", warpcc::layout::tile);
}
