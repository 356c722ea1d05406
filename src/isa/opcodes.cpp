#include <algorithm>
#include <charconv>
#include <map>

#include "isa/isa.h"
#include "isa/rows.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace warpcc::isa {

namespace {

constexpr KindWord kKinds[] = {
    {"r", kR},
    {"ur", kUR},
    {"p", kP},
    {"up", kUP},
    {"imm", kImmediate},
    {"shared", kShared},
    {"global", kGlobal},
    {"tensor", kTensor},
    {"gdesc", kGdesc},
    {"idesc", kIdesc},
    {"vector", kVector},
    {"map", kMap},
    {"special", kSpecial},
    {"sb", kScoreboard},
    {"gsb", kGroups},
    {"label", kLabel},
    {"const", kConstant},
};

std::vector<Slot> slots_of(std::string_view text) {
  std::vector<Slot> slots;
  for (const Column& column : read_columns(text, kKinds)) {
    slots.push_back({column.takes, column.written, !column.written, column.negates, column.optional, column.width});
  }
  return slots;
}

struct Table {
  std::vector<Opcode> rows;
  std::vector<std::string_view> modifiers;  // by Modifier
  std::map<std::string_view, Modifier> modifier_index;
  std::multimap<std::string_view, std::size_t> by_name;  // rows of an opcode, in the order of the file
  std::vector<std::string> spellings;                    // every opcode with every form

  void add(Op op, std::string_view name, std::string_view forms, std::string_view slots, Issue issue, Targets targets,
           std::string_view lift) {
    Opcode row{op, name, split(forms, ' '), slots_of(slots), issue, targets, lift};
    for (std::string_view& form : row.forms) {
      if (form == "-") form = "";
      for (std::string_view modifier : split(form, '.')) intern(modifier);
      spellings.push_back(std::string(name) + std::string(form));
    }
    by_name.emplace(name, rows.size());
    rows.push_back(std::move(row));
  }

  void intern(std::string_view modifier) {
    if (modifiers.size() == 255) llvm::report_fatal_error("warpcc: more modifiers than a byte counts");
    auto [place, inserted] = modifier_index.try_emplace(modifier, static_cast<Modifier>(modifiers.size()));
    if (inserted) modifiers.push_back(modifier);
  }
};

Table make_table() {
  using enum Issue;
  Table table;
#define OPCODE(op, forms, slots, issue, targets, lift) table.add(Op::op, #op, forms, slots, issue, targets, lift);
#define FORM(op, forms, slots, issue, targets, lift) table.add(Op::op, #op, forms, slots, issue, targets, lift);
#include "isa/opcodes.def"
#undef OPCODE
#undef FORM
  return table;
}

const Table& table() {
  static const Table kTable = make_table();
  return kTable;
}

const Opcode* find_in(std::string_view spelled, Targets targets) {
  std::size_t dot = std::min(spelled.find('.'), spelled.size());
  std::string_view form = spelled.substr(dot);
  auto [first, last] = table().by_name.equal_range(spelled.substr(0, dot));
  for (auto entry = first; entry != last; ++entry) {
    const Opcode& row = table().rows[entry->second];
    if ((row.targets & targets) && std::find(row.forms.begin(), row.forms.end(), form) != row.forms.end()) return &row;
  }
  return nullptr;
}

// The first number in a word: 32 of `x32`.
int number_in(std::string_view text) {
  int value = 0;
  std::size_t start = std::min(text.find_first_of("0123456789"), text.size());
  std::from_chars(text.data() + start, text.data() + text.size(), value);
  return value;
}

// Tensor memory's loads and stores: a shape gives the registers of a repetition, `.xN` the repetitions; two columns to
// a register where they are packed (PTX ISA, tcgen05.ld).
int tensor_width(std::span<const Modifier> modifiers) {
  int shape = 1, count = 1, packed = 1;
  for (Modifier modifier : modifiers) {
    std::string_view text = word(modifier);
    if (text == "16dp128bit") shape = 2;
    if (text == "16dp256bit") shape = 4;
    if (text.starts_with('x')) count = number_in(text);
    if (text == "PACK16BIT") packed = 2;
  }
  return shape * count / packed;
}

// D of a warpgroup's MMA: 64 rows by N over 128 lanes, two values a register where they have 16 bits (PTX ISA, wgmma:
// register fragments). The shape is the first modifier, `64x128x16`.
int warpgroup_width(std::span<const Modifier> modifiers) {
  if (modifiers.empty()) return 1;
  std::string_view shape = word(modifiers[0]);
  int values = number_in(shape.substr(std::min(shape.find('x'), shape.size()))) / 2;
  bool halves = modifiers.size() > 1 && word(modifiers[1]) == "F16";
  return halves ? values / 2 : values;
}

// A plain memory instruction: 32 bits, or as its modifiers say.
int memory_width(std::span<const Modifier> modifiers) {
  for (Modifier modifier : modifiers) {
    std::string_view text = word(modifier);
    if (text == "64" || text == "F32x2") return 2;
    if (text == "128" || text == "F32x4") return 4;
  }
  return 1;
}

// The copy engine's vector: one register a coordinate, before them the shared address and, of a load, the barrier.
int vector_width(Op op, std::span<const Modifier> modifiers) {
  for (Modifier modifier : modifiers) {
    std::string_view text = word(modifier);
    if (text.size() == 2 && text[1] == 'D') return text[0] - '0' + (op == Op::UTMALDG ? 2 : 1);
  }
  return 1;
}

}  // namespace

std::span<const Opcode> opcodes() {
  return table().rows;
}
const Opcode* find(std::string_view spelled) {
  return find_in(spelled, kAll);
}
const Opcode* find(std::string_view spelled, Target target) {
  return find_in(spelled, static_cast<Targets>(1 << static_cast<int>(target)));
}

std::string_view nearest_opcode(std::string_view spelled) {
  std::string_view nearest;
  std::size_t least = spelled.size() / 2 + 2;
  if (spelled.size() > 64) return nearest;
  for (const std::string& known : table().spellings) {
    std::size_t distance = llvm::StringRef(spelled).edit_distance(known);
    if (distance < least) least = distance, nearest = known;
  }
  return nearest;
}

std::optional<Modifier> modifier_named(std::string_view word) {
  auto place = table().modifier_index.find(word);
  if (place == table().modifier_index.end()) return std::nullopt;
  return place->second;
}
std::string_view word(Modifier modifier) {
  return table().modifiers[static_cast<std::size_t>(modifier)];
}

std::optional<std::vector<Modifier>> modifiers_of(std::string_view spelled) {
  std::vector<Modifier> modifiers;
  std::size_t dot = std::min(spelled.find('.'), spelled.size());
  for (std::string_view text : split(spelled.substr(dot), '.')) {
    std::optional<Modifier> modifier = modifier_named(text);
    if (!modifier) return std::nullopt;
    modifiers.push_back(*modifier);
  }
  return modifiers;
}

int width_of(const Opcode& opcode, int slot, std::span<const Modifier> modifiers) {
  const Slot& place = opcode.slots[static_cast<std::size_t>(slot)];
  if (place.width != 0) return place.width;
  if (place.takes & kVector) return vector_width(opcode.op, modifiers);
  if (opcode.op == Op::LDTM || opcode.op == Op::STTM) return tensor_width(modifiers);
  if (opcode.op == Op::HGMMA || opcode.op == Op::QGMMA || opcode.op == Op::IGMMA) return warpgroup_width(modifiers);
  return memory_width(modifiers);
}

}  // namespace warpcc::isa
