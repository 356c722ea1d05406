#include "frontend/format.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/arrange.h"
#include "frontend/build.h"
#include "frontend/reading.h"

namespace warpcc {
namespace frontend {
namespace {

constexpr Message<> meaning_changed{
    "format-changes", "formatted, this file would no longer be the same: this is a bug of warpcc; please report it"};

// What the grammar says of a word, beside its type.
enum class Role : std::uint8_t {
  plain,
  prefix,       // a unary operator, a guard's `@`
  infix,        // lines may end before it and behind it
  clause,       // lines may end before it
  goes_on,      // `else` behind a block
  open,         // a parenthesis that follows a name without a blank
  loose_open,   // one that follows a word of the grammar
  call,         // one that makes a call of the name before it
  block_brace,  // around items, members, statements, arms
};

struct Word {
  std::size_t type = 0;  // the token's
  std::size_t begin = 0;
  std::size_t end = 0;
  Role role = Role::plain;
  bool starts_element = false;
};

// The words of a text with their roles.
class Words {
 public:
  explicit Words(Reading& reading) {
    std::vector<antlr4::Token*> tokens = reading.tokens().getTokens();
    word_of_.assign(tokens.size(), 0);
    for (const antlr4::Token* token : tokens) {
      bool is_word = token->getChannel() == antlr4::Token::DEFAULT_CHANNEL && token->getType() != antlr4::Token::EOF;
      if (!is_word) continue;
      word_of_[token->getTokenIndex()] = words_.size();
      Role role = token->getType() == WkParser::CALL_OPEN ? Role::call : Role::plain;
      words_.push_back({token->getType(), token->getStartIndex(), token->getStopIndex() + 1, role, false});
    }
    visit(reading.file());
  }

  std::vector<Word> take() { return std::move(words_); }

 private:
  Word& word(const antlr4::Token* token) { return words_[word_of_[token->getTokenIndex()]]; }

  // As deep as the parser went: the tokenizer has seen to it that this is not too deep.
  void visit(antlr4::ParserRuleContext* rule) {
    if (is_element(rule->getRuleIndex())) word(rule->getStart()).starts_element = true;
    for (antlr4::tree::ParseTree* child : rule->children) {
      if (auto* inner = dynamic_cast<antlr4::ParserRuleContext*>(child)) {
        visit(inner);
      } else if (auto* leaf = dynamic_cast<antlr4::tree::TerminalNode*>(child)) {
        if (leaf->getSymbol()->getType() == antlr4::Token::EOF) continue;
        Role role = role_of(rule, leaf->getSymbol()->getType());
        if (role != Role::plain) word(leaf->getSymbol()).role = role;
      }
    }
  }

  static bool is_element(std::size_t rule) {
    switch (rule) {
      case WkParser::RuleItem:
      case WkParser::RuleMember:
      case WkParser::RuleStatement:
      case WkParser::RuleItemArm:
      case WkParser::RuleMemberArm:
      case WkParser::RuleStatementArm:
      case WkParser::RuleTuneRow:
      case WkParser::RuleStructRegisters:
        return true;
      default:
        return false;
    }
  }

  static Role role_of(antlr4::ParserRuleContext* rule, std::size_t type) {
    switch (rule->getRuleIndex()) {
      case WkParser::RuleInfix:
      case WkParser::RuleLink:
        return Role::infix;
      case WkParser::RuleCoord:
        return type == WkParser::PLUS_COLON ? Role::infix : Role::plain;
      case WkParser::RulePrimary:
        return type == WkParser::COLON ? Role::infix : Role::plain;
      case WkParser::RuleUnary:
      case WkParser::RuleInteger:
        return type == WkParser::MINUS || type == WkParser::NOT ? Role::prefix : Role::plain;
      case WkParser::RuleGuard:
        return type == WkParser::GUARD || type == WkParser::NOT ? Role::prefix : Role::plain;
      case WkParser::RuleOpen:
        return follows_word(rule->parent) ? Role::loose_open : Role::open;
      case WkParser::RuleIfExpr:
        return type == WkParser::ELSE ? Role::clause : Role::plain;
      case WkParser::RuleIfItem:
      case WkParser::RuleIfMember:
      case WkParser::RuleIfStatement:
      case WkParser::RuleWhen:
        return type == WkParser::ELSE ? Role::goes_on : Role::plain;
      case WkParser::RuleStructure:
        return type == WkParser::LBRACE && holds_registers(rule) ? Role::block_brace : Role::plain;
      case WkParser::RuleItemBlock:
      case WkParser::RuleMemberBlock:
      case WkParser::RuleBlock:
      case WkParser::RuleMatchItem:
      case WkParser::RuleMatchMember:
      case WkParser::RuleMatchStatement:
      case WkParser::RuleTune:
        return type == WkParser::LBRACE ? Role::block_brace : Role::plain;
      case WkParser::RuleKernel:
        return type == WkParser::LBRACE ? Role::block_brace : type == WkParser::ON ? Role::clause : Role::plain;
      default:
        return is_clause(rule->getRuleIndex(), type) ? Role::clause : Role::plain;
    }
  }

  static bool follows_word(antlr4::tree::ParseTree* parent) {
    switch (static_cast<antlr4::RuleContext*>(parent)->getRuleIndex()) {
      case WkParser::RuleClause:
      case WkParser::RuleCarries:
      case WkParser::RuleTune:
      case WkParser::RuleSuffix:
        return true;
      default:
        return false;
    }
  }

  static bool holds_registers(antlr4::ParserRuleContext* rule) {
    return !static_cast<WkParser::StructureContext*>(rule)->structBody()->structRegisters().empty();
  }

  // The words that begin a part of a longer declaration.
  static bool is_clause(std::size_t rule, std::size_t type) {
    switch (rule) {
      case WkParser::RuleCarries:
      case WkParser::RuleFrom:
      case WkParser::RuleTo:
        return type == WkParser::CARRIES || type == WkParser::FROM || type == WkParser::TO;
      case WkParser::RulePipe:
      case WkParser::RuleAction:
        return type == WkParser::ACROSS || type == WkParser::BROADCAST || type == WkParser::FOR;
      case WkParser::RuleBuffer:
      case WkParser::RuleGlobal:
      case WkParser::RuleRegs:
        return type == WkParser::IN;
      case WkParser::RuleRole:
        return type == WkParser::ON || type == WkParser::AT || type == WkParser::REGISTERS;
      default:
        return false;
    }
  }

  std::vector<Word> words_;
  std::vector<std::size_t> word_of_;  // by the token's index
};

bool opens(std::size_t type) {
  return type == WkParser::LPAREN || type == WkParser::CALL_OPEN || type == WkParser::LBRACKET;
}

bool closes(std::size_t type) {
  return type == WkParser::RPAREN || type == WkParser::RBRACKET;
}

// Whether no blank stands between two words that nothing else is between.
bool is_tight(const Word& before, const Word& word) {
  if (opens(before.type) || closes(word.type)) return true;
  if (before.type == WkParser::DOT || word.type == WkParser::DOT) return true;
  if (before.role == Role::prefix) return true;
  switch (word.type) {
    case WkParser::COMMA:
    case WkParser::SEMI:
    case WkParser::LBRACKET:
      return true;
    case WkParser::COLON:
      return word.role != Role::infix;
    default:
      return word.role == Role::open || word.role == Role::call;
  }
}

bool may_break(const Word& before, const Word& word) {
  if (word.role == Role::goes_on || word.role == Role::block_brace) return false;
  if (word.type == WkParser::COMMA || word.type == WkParser::SEMI) return false;
  if (opens(before.type) || before.type == WkParser::LBRACE) return true;
  switch (before.type) {
    case WkParser::COMMA:
    case WkParser::ASSIGN:
    case WkParser::FAT_ARROW:
      return true;
    default:
      return before.role == Role::infix || word.role == Role::infix || word.role == Role::clause;
  }
}

// Text to pieces, with where they stand.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  std::vector<Piece> run(const std::vector<Word>& words) {
    for (const Word& word : words) {
      cut_gap(word.begin);
      cut(word.end, Piece::Kind::word);
    }
    cut_gap(text_.size());
    return std::move(pieces_);
  }

 private:
  // Comments, and what is between them, up to a place.
  void cut_gap(std::size_t end) {
    while (at_ < end) {
      if (text_[at_] != '/') {
        pass_blank();
      } else if (text_[at_ + 1] == '/') {
        cut(std::min(text_.find_first_of("\r\n", at_), end), Piece::Kind::line_comment);
      } else {
        cut(text_.find("*/", at_ + 2) + 2, Piece::Kind::block_comment);
      }
    }
  }

  void pass_blank() {
    bool is_end = text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_, 2) != "\r\n");
    if (is_end) ++line_ends_;
    only_blanks_ &= text_[at_] == ' ';
    ++blanks_;
    step();
  }

  void cut(std::size_t end, Piece::Kind kind) {
    Piece piece;
    piece.text = text_.substr(at_, end - at_);
    piece.kind = kind;
    piece.line = line_;
    piece.column = column_;
    piece.line_ends = line_ends_;
    piece.blanks = only_blanks_ ? blanks_ : 0;
    pieces_.push_back(piece);
    while (at_ < end) step();
    line_ends_ = 0;
    blanks_ = 0;
    only_blanks_ = true;
  }

  void step() {
    char byte = text_[at_++];
    bool is_end = byte == '\n' || (byte == '\r' && (at_ == text_.size() || text_[at_] != '\n'));
    if (is_end) {
      ++line_;
      column_ = 0;
    } else if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) {
      ++column_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t column_ = 0;
  std::size_t line_ends_ = 0;
  std::size_t blanks_ = 0;
  bool only_blanks_ = true;
  std::vector<Piece> pieces_;
};

Piece::Bracket bracket(const Word& word) {
  if (opens(word.type)) return Piece::Bracket::group;
  if (word.type != WkParser::LBRACE) return Piece::Bracket::none;
  return word.role == Role::block_brace ? Piece::Bracket::block : Piece::Bracket::list;
}

bool is_in_number_list(const std::vector<Word>& words, std::size_t word, const Piece* open) {
  if (words[word].type != WkParser::NUMBER || word == 0 || !open || open->text != "(") return false;
  return opens(words[word - 1].type) || words[word - 1].type == WkParser::COMMA;
}

// What the grammar says of the words, said of their pieces.
void describe(std::vector<Piece>& pieces, const std::vector<Word>& words) {
  std::vector<std::size_t> open;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    if (piece.is_comment()) {
      piece.tight = piece.kind == Piece::Kind::block_comment && i > 0 && !pieces[i - 1].is_comment() &&
                    opens(words[next - 1].type);
      continue;
    }
    const Word& word = words[next++];
    piece.starts_element = word.starts_element;
    piece.goes_on = word.role == Role::goes_on;
    piece.comma = word.type == WkParser::COMMA;
    piece.opens = bracket(word);
    piece.closes = closes(word.type) || word.type == WkParser::RBRACE;
    piece.in_number_list = is_in_number_list(words, next - 1, open.empty() ? nullptr : &pieces[open.back()]);
    if (next > 1) piece.may_break = may_break(words[next - 2], word);
    if (i > 0 && pieces[i - 1].is_comment()) {
      piece.tight = piece.comma || word.type == WkParser::SEMI || closes(word.type);
    } else if (i > 0) {
      piece.tight = is_tight(words[next - 2], word);
    }
    if (piece.closes) {
      piece.partner = open.back();
      pieces[open.back()].partner = i;
      open.pop_back();
    }
    if (piece.opens != Piece::Bracket::none) open.push_back(i);
  }
}

std::string without_margins(std::string_view text) {
  std::string bare(text);
  bare.erase(std::remove(bare.begin(), bare.end(), '\r'), bare.end());
  bare.erase(bare.find_last_not_of(" \t\f") + 1);
  return bare;
}

// Whether both texts are the same words and comments. Where a parenthesis may be one of a call or not, it may change.
bool is_same(const std::vector<Piece>& pieces, const std::vector<Word>& words, FileId file, std::string_view text) {
  Diagnostics unsaid;
  std::unique_ptr<Reading> reading = Reading::read(file, text, unsaid);
  if (!reading) return false;
  std::vector<Word> words_now = Words(*reading).take();
  std::vector<Piece> pieces_now = Cutter(text).run(words_now);
  auto same_word = [](const Word& a, const Word& b) {
    return a.role == b.role && (a.type == b.type || a.role == Role::open || a.role == Role::loose_open);
  };
  auto same_piece = [](const Piece& a, const Piece& b) {
    return a.kind == b.kind && without_margins(a.text) == without_margins(b.text);
  };
  return std::equal(words.begin(), words.end(), words_now.begin(), words_now.end(), same_word) &&
         std::equal(pieces.begin(), pieces.end(), pieces_now.begin(), pieces_now.end(), same_piece);
}

}  // namespace
}  // namespace frontend

std::optional<std::string> format(FileId file, const Sources& sources, Diagnostics& diagnostics) {
  using namespace frontend;
  std::string_view text = sources.text(file);
  std::unique_ptr<Reading> reading = Reading::read(file, text, diagnostics);
  if (!reading) return std::nullopt;
  std::size_t reported = diagnostics.all().size();
  Builder(file, text, reading->tokens(), diagnostics).build(reading->file());
  if (diagnostics.all().size() > reported) return std::nullopt;

  std::vector<Word> words = Words(*reading).take();
  std::vector<Piece> pieces = Cutter(text).run(words);
  describe(pieces, words);
  reading.reset();  // a large file's is large
  std::string formatted = arrange(pieces);
  if (formatted == text) return formatted;
  if (!is_same(pieces, words, file, formatted)) {
    diagnostics.error({file, 0, 0}, meaning_changed);
    return std::nullopt;
  }
  return formatted;
}

}  // namespace warpcc
