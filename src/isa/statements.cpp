#include <map>

#include "isa/isa.h"
#include "isa/rows.h"
#include "llvm/ADT/StringRef.h"

namespace warpcc::isa {

namespace {

constexpr KindWord kKinds[] = {
    {"r", kR},
    {"ur", kUR},
    {"p", kP},
    {"up", kUP},
    {"imm", kImmediate},
    {"shared", kSharedView},
    {"global", kGlobalView},
    {"tensor", kTensorView},
    {"fragment", kFragment},
    {"barrier", kBarrier},
    {"named", kNamedBarrier},
    {"buffer", kBuffer},
    {"special", kSpecialRegister},
};

std::vector<StatementSlot> slots_of(std::string_view text) {
  std::vector<StatementSlot> slots;
  for (const Column& column : read_columns(text, kKinds)) {
    slots.push_back({column.takes, column.written, column.negates, column.width, column.optional, column.neutral});
  }
  return slots;
}

struct Table {
  std::vector<Statement> rows;
  std::multimap<std::string_view, std::size_t> by_word;  // in the order of the file
};

Table make_table() {
  using enum Issue;
  Table table;
#define STATEMENT(word, does, slots, sass, issue, targets) \
  table.rows.push_back({word, Does::does, slots_of(slots), sass, issue, targets});
#include "isa/statements.def"
#undef STATEMENT
  for (std::size_t i = 0; i < table.rows.size(); ++i) table.by_word.emplace(table.rows[i].word, i);
  return table;
}

const Table& table() {
  static const Table kTable = make_table();
  return kTable;
}

const Statement* statement_in(std::string_view word, Targets targets) {
  auto [first, last] = table().by_word.equal_range(word);
  for (auto entry = first; entry != last; ++entry) {
    const Statement& row = table().rows[entry->second];
    if (row.targets & targets) return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const Statement> statements() {
  return table().rows;
}
const Statement* statement(std::string_view word) {
  return statement_in(word, kAll);
}
const Statement* statement(std::string_view word, Target target) {
  return statement_in(word, static_cast<Targets>(1 << static_cast<int>(target)));
}

std::string_view nearest_statement(std::string_view word) {
  std::string_view nearest;
  std::size_t least = word.size() / 2 + 2;
  if (word.size() > 64) return nearest;
  for (const Statement& row : table().rows) {
    std::size_t distance = llvm::StringRef(word).edit_distance(row.word);
    if (distance < least) least = distance, nearest = row.word;
  }
  // More than a slip of the hand: a statement with a modifier that it does not have.
  constexpr std::size_t kSlip = 2;
  for (std::size_t dot = word.rfind('.'); least > kSlip && dot != std::string_view::npos && dot > 0;
       dot = word.rfind('.', dot - 1)) {
    if (const Statement* row = statement(word.substr(0, dot))) return row->word;
  }
  return nearest;
}

}  // namespace warpcc::isa
