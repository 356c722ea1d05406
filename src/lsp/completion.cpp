// What could stand at the cursor.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "llvm/Support/Path.h"
#include "lsp/context.h"
#include "lsp/operands.h"
#include "lsp/paths.h"
#include "lsp/requests.h"
#include "lsp/symbols.h"
#include "lsp/vocabulary.h"

namespace warpcc::lsp {
namespace {

// CompletionItemKind of the protocol.
enum Kind : int {
  kMethod = 2,
  kFunction = 3,
  kField = 5,
  kVariable = 6,
  kModule = 9,
  kProperty = 10,
  kUnit = 11,
  kEnum = 13,
  kKeyword = 14,
  kFile = 17,
  kFolder = 19,
  kCase = 20,
  kConstant = 21,
  kStruct = 22,
  kEvent = 23,
};

Kind kind_of(NameKind kind) {
  switch (kind) {
    case NameKind::module:
      return kModule;
    case NameKind::param:
    case NameKind::constant:
    case NameKind::variable:
    case NameKind::binding:
      return kConstant;
    case NameKind::fn:
    case NameKind::kernel:
      return kFunction;
    case NameKind::proc:
      return kMethod;
    case NameKind::enumeration:
      return kEnum;
    case NameKind::enum_case:
      return kCase;
    case NameKind::structure:
      return kStruct;
    case NameKind::field:
      return kField;
    case NameKind::pipe:
    case NameKind::barrier:
    case NameKind::end:
      return kEvent;
    case NameKind::axis:
      return kUnit;
    default:
      return kVariable;
  }
}

class Items {
 public:
  // Of several with one name the first stays: the innermost.
  void add(const std::string& label, Kind kind, const std::string& detail, char order, const std::string& doc = "",
           const std::string& insert = "") {
    if (!seen_.insert(label).second) return;
    json::Object item{{"label", label}, {"kind", static_cast<int>(kind)}, {"sortText", std::string(1, order) + label}};
    if (!detail.empty()) item["detail"] = json::fixUTF8(detail);
    if (!doc.empty()) item["documentation"] = markdown(doc);
    if (!insert.empty()) {
      item["insertText"] = insert;
      item["insertTextFormat"] = 2;
    }
    items_.push_back(std::move(item));
  }
  json::Array take() { return std::move(items_); }

 private:
  std::set<std::string> seen_;
  json::Array items_;
};

constexpr llvm::StringLiteral kItemWords[] = {"use",  "param",  "const", "require", "tune", "fn",
                                              "enum", "struct", "proc",  "kernel",  "if",   "match"};
constexpr llvm::StringLiteral kMemberWords[] = {"shared", "tensor", "pipe",    "barrier", "role", "start",
                                                "finish", "const",  "require", "if",      "for",  "match"};
constexpr llvm::StringLiteral kStatementWords[] = {"r",       "ur",   "p",    "up",    "regs", "let",  "const",
                                                   "require", "if",   "for",  "match", "loop", "when", "break when",
                                                   "on",      "fill", "take", "drain", "turn"};
constexpr llvm::StringLiteral kValueWords[] = {"true", "false", "if", "match"};

constexpr llvm::StringLiteral kTypes[] = {"int",    "bool",   "string", "type", "index", "f16", "bf16", "f32",
                                          "f8e4m3", "f8e5m2", "tf32",   "s8",   "u8",    "s32", "u32",  "u64"};

// `ceil_div(a, b): a quotient, rounded up`
std::string detail_of(const KnownWord& word) {
  return word.form.empty() ? std::string(word.meaning) : fmt::format("{}: {}", word.form, word.meaning);
}

class Completion {
 public:
  Completion(const Request& request, const Sight& sight, const Context& context)
      : request_(request), document_(request.document), sight_(sight), context_(context) {}

  json::Array run() {
    if (context_.in_comment) return {};
    if (context_.after_dot && !opcode_in_hand()) {
      members();
    } else {
      words();
    }
    return items_.take();
  }

 private:
  // `mma.pa`: an instruction's word, not a member.
  bool opcode_in_hand() const {
    if (context_.block != Context::Block::statements || context_.chain.empty()) return false;
    const std::string_view before =
        std::string_view(document_.text.str()).substr(context_.statement, context_.word - context_.statement);
    const bool first = before.find_first_of(" \t\r\n", std::min(before.find_first_not_of(" \t\r\n"), before.size())) ==
                       std::string_view::npos;
    if (!first && before.find('@') == std::string_view::npos) return false;
    const std::optional<Symbol> known = symbol_named(document_, *sight_, context_.chain[0], place());
    return !known && std::any_of(isa::statements().begin(), isa::statements().end(), [&](const isa::Statement& each) {
      return each.word.starts_with(context_.chain[0] + ".");
    });
  }

  // The place in the analysis that is nearest to the cursor.
  std::uint32_t place() const { return sight_.near(context_.word); }

  // ---- Behind a dot

  void members() {
    if (!sight_->names) return;
    std::optional<Symbol> of;
    for (std::size_t i = 0; i < context_.chain.size(); ++i) {
      of = i == 0 ? symbol_named(document_, *sight_, context_.chain[0], place()) : part_named(*of, context_.chain[i]);
      if (!of) return;
    }
    if (!of) return;
    const Declaration& declared = **of;
    if (declared.kind == NameKind::fragment) {
      items_.add("r", kProperty, "its registers on this lane: `v.r[i]`", 'a');
      items_.add("at", kMethod, "at(i): the coordinates of its i-th value", 'a');
    }
    if (has_shape(declared.kind)) items_.add("shape", kProperty, "its extents", 'b');
    if (declared.kind == NameKind::counter) items_.add("more", kProperty, "whether another round comes", 'a');
    const std::optional<Symbol> type = type_of(document_, *sight_, *of);
    if (type) parts_of(*type);
  }

  static bool has_shape(NameKind kind) {
    return kind == NameKind::shared || kind == NameKind::tensor || kind == NameKind::global ||
           kind == NameKind::fragment || kind == NameKind::let || kind == NameKind::parameter;
  }

  std::optional<Symbol> part_named(const Symbol& of, const std::string& name) {
    const std::optional<Symbol> type = type_of(document_, *sight_, of);
    if (!type) return std::nullopt;
    const Declaration& declared = **type;
    if (declared.kind == NameKind::module) {
      const std::shared_ptr<const Names> names = declared.module ? sight_->names_of(*declared.module) : nullptr;
      return names ? symbol_of(document_, *sight_, names->item(name)) : std::nullopt;
    }
    return symbol_of(document_, *sight_, type->names->part(type->ref.index, name));
  }

  void parts_of(const Symbol& type) {
    const Declaration& declared = *type;
    if (declared.kind == NameKind::module) {
      const std::shared_ptr<const Names> names = declared.module ? sight_->names_of(*declared.module) : nullptr;
      for (std::size_t i = 0; names && i < names->declarations().size(); ++i) {
        const NameRef ref{names->file(), static_cast<std::int32_t>(i)};
        if (names->item((*names)[ref.index].name) == ref) symbol(symbol_of(document_, *sight_, ref), 'a');
      }
      return;
    }
    for (const std::int32_t part : type.names->parts(type.ref.index)) {
      if ((*type.names)[part].kind != NameKind::carried)
        symbol(symbol_of(document_, *sight_, {type.names->file(), part}), 'a');
    }
    if (declared.kind == NameKind::pipe) {
      items_.add("depth", kProperty, "its stages", 'a');
      items_.add("full", kEvent, "the full barriers: `x.full[i]`, in `start`", 'a');
      items_.add("empty", kEvent, "the empty barriers: `x.empty[i]`, in `start`", 'a');
    }
    if (const auto* end = std::get_if<const tree::End*>(&declared.tree)) end_members(**end);
    if (const auto* formal = std::get_if<const tree::Formal*>(&declared.tree)) {
      if (const auto* end = std::get_if<tree::Formal::EndParameter>(&(*formal)->is)) {
        barriers(end->producer, true);
        for (const tree::Name& carried : end->carries) items_.add(carried.text, kVariable, "the stage's tile", 'a');
      }
    }
  }

  void end_members(const tree::End& end) {
    barriers(end.producer, end.turn != nullptr);
    const std::optional<Symbol> pipe = symbol_named(document_, *sight_, end.pipe.text, place());
    const auto* declared = pipe ? std::get_if<const tree::Pipe*>(&(*pipe)->tree) : nullptr;
    for (std::size_t i = 0; declared && i < (*declared)->carries.size(); ++i) {
      const std::string& name = (*declared)->carries[i].text;
      symbol(symbol_named(document_, *sight_, name, place()), 'a');
    }
  }

  void barriers(bool producer, bool turn) {
    items_.add("full", kEvent, producer ? "signalled when the stage is filled" : "to wait for: the stage is filled",
               'b');
    items_.add("empty", kEvent, producer ? "to wait for: the stage is free" : "signalled when the stage is free", 'b');
    if (!producer) items_.add("last", kProperty, "the stage that is held on: `last.empty`", 'c');
    if (turn && !producer) {
      items_.add("mine", kEvent, "the barrier that hands the turn to this team", 'c');
      items_.add("next", kEvent, "the barrier that hands the turn to the next team", 'c');
    }
  }

  // ---- Words

  void keyword(llvm::StringRef word, char order) {
    const KnownWord* known = known_word(word.split(' ').first);
    const std::string doc = known && !known->form.empty() ? fmt::format("```wk\n{}\n```", known->form) : "";
    items_.add(word.str(), kKeyword, known ? std::string(known->meaning) : "", order, doc);
  }

  void words() {
    if (context_.after_guard) {
      for (const KnownWord& fact : facts())
        items_.add(std::string(fact.name), kKeyword, std::string(fact.meaning), 'b');
      names([](NameKind kind) { return kind == NameKind::registers || kind == NameKind::parameter; });
      return;
    }
    if (context_.statement_starts || opcode_in_hand()) {
      starts();
      return;
    }
    names([](NameKind) { return true; });
    for (const llvm::StringLiteral& word : kValueWords) keyword(word, 'd');
    for (const KnownWord& each : indices()) items_.add(std::string(each.name), kUnit, std::string(each.meaning), 'c');
    for (const KnownWord& each : functions()) items_.add(std::string(each.name), kFunction, detail_of(each), 'c');
    for (const llvm::StringLiteral& type : kTypes) items_.add(type.str(), kStruct, "", 'd');
    if (context_.instruction) operand_words();
  }

  void starts() {
    switch (context_.block) {
      case Context::Block::items:
        for (const llvm::StringLiteral& word : kItemWords) keyword(word, 'b');
        return;
      case Context::Block::members:
        for (const llvm::StringLiteral& word : kMemberWords) keyword(word, 'b');
        return;
      case Context::Block::other:
        names([](NameKind kind) { return kind == NameKind::enum_case || kind == NameKind::param; });
        return;
      case Context::Block::statements:
        break;
    }
    for (const llvm::StringLiteral& word : kStatementWords) keyword(word, 'c');
    names([](NameKind kind) {
      return kind == NameKind::proc || kind == NameKind::module || kind == NameKind::parameter;
    });
    const isa::Target target = sight_->kernel ? sight_->kernel->target : isa::Target::sm_100a;
    for (const isa::Statement& each : isa::statements()) {
      if (!isa::has(each.targets, target)) continue;
      items_.add(std::string(each.word), kKeyword, operands_text(each), 'b', instruction_doc(each), snippet(each));
    }
  }

  // What an operand of the instruction may be and no name is.
  void operand_words() {
    const isa::Statement* row = isa::statement(context_.instruction->opcode);
    if (!row || static_cast<std::size_t>(context_.instruction->operand) >= row->slots.size()) return;
    const isa::Takes takes = row->slots[static_cast<std::size_t>(context_.instruction->operand)].takes;
    if (!(takes & isa::kSpecialRegister)) return;
    for (const isa::SpecialRegister& each : isa::special_registers())
      items_.add(std::string(each.name), kConstant, std::string(each.sass), 'a');
  }

  template <typename Wanted>
  void names(Wanted wanted) {
    if (!sight_->names) return;
    const Names& all = *sight_->names;
    const std::uint32_t at = place();
    std::vector<std::int32_t> seen;
    for (std::size_t i = 0; i < all.declarations().size(); ++i) {
      const Declaration& each = all.declarations()[i];
      const bool part = each.kind == NameKind::field || each.kind == NameKind::carried || each.kind == NameKind::role ||
                        each.kind == NameKind::kernel;
      if (part || each.same >= 0 || !wanted(each.kind)) continue;
      if (each.kind != NameKind::enum_case && (at < each.seen.begin || at > each.seen.end)) continue;
      seen.push_back(static_cast<std::int32_t>(i));
    }
    // The innermost first.
    std::stable_sort(seen.begin(), seen.end(), [&](std::int32_t a, std::int32_t b) {
      return all[a].seen.end - all[a].seen.begin < all[b].seen.end - all[b].seen.begin;
    });
    for (const std::int32_t index : seen)
      symbol(symbol_of(document_, *sight_, {all.file(), index}), fits(all[index]) ? 'a' : 'b');
  }

  // Whether the operand at the cursor takes what this declares.
  bool fits(const Declaration& of) const {
    const isa::Statement* row = context_.instruction ? isa::statement(context_.instruction->opcode) : nullptr;
    if (!row || static_cast<std::size_t>(context_.instruction->operand) >= row->slots.size()) return true;
    return takes(row->slots[static_cast<std::size_t>(context_.instruction->operand)].takes, of);
  }

  void symbol(const std::optional<Symbol>& symbol, char order) {
    if (!symbol) return;
    const Declaration& of = **symbol;
    items_.add(of.name, kind_of(of.kind), signature(*symbol, sight_->sources), order,
               comment_of(sight_->sources.text(of.where.file), of.whole));
  }

  const Request& request_;
  const Document& document_;
  const Sight& sight_;
  const Context& context_;
  Items items_;
};

// Files and folders, where the cursor stands in the path of a `use`.
json::Array in_path(const Request& request, const std::string& text, const Context& context) {
  const llvm::StringRef before = llvm::StringRef(text).slice(context.statement, request.offset);
  const auto [head, typed] = before.split('"');
  json::Array items;
  if (head.trim() != "use") return items;
  std::vector<std::string> folders{llvm::sys::path::parent_path(request.document.path).str()};
  folders.insert(folders.end(), request.options.library_folders.begin(), request.options.library_folders.end());
  const std::uint32_t name = request.offset - static_cast<std::uint32_t>(typed.size() - (typed.rfind('/') + 1));
  const json::Value range = range_in(request.document.text, name, request.offset);
  for (const PathEntry& entry : module_paths(typed, folders)) {
    if (entry.name == llvm::sys::path::filename(request.document.path)) continue;
    items.push_back(json::Object{{"label", json::fixUTF8(entry.name)},
                                 {"kind", static_cast<int>(entry.folder ? kFolder : kFile)},
                                 {"textEdit", json::Object{{"range", range}, {"newText", json::fixUTF8(entry.name)}}}});
  }
  return items;
}

}  // namespace

Answer completion(const Request& request) {
  const Sight sight(request.document, request.document.parsed ? request.document.parsed : request.document.newest);
  const std::string text = request.document.text.str();
  const Context context = context_at(text, request.offset);
  json::Array items;
  if (context.in_string) {
    items = in_path(request, text, context);
  } else if (sight) {
    items = Completion(request, sight, context).run();
  }
  return json::Object{{"isIncomplete", false}, {"items", std::move(items)}};
}

}  // namespace warpcc::lsp
