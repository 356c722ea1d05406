#include "runtime/json.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace warpcc::runtime {
namespace {

constexpr int kMostNested = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Error run(Json& json) {
    bool read = value(json, 0);
    skip_blanks();
    if (read && at_ == text_.size()) return success();
    auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    return failure(WARPCC_BAD_FILE, "no JSON: line " + std::to_string(line) + " is not as it should be");
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool eat(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool eat_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool value(Json& json, int depth) {
    skip_blanks();
    if (depth > kMostNested || at_ == text_.size()) return false;
    switch (text_[at_]) {
      case '{':
        return object(json, depth);
      case '[':
        return array(json, depth);
      case '"': {
        std::string text;
        if (!string(text)) return false;
        json = Json(std::move(text));
        return true;
      }
      case 't':
        json = Json(true);
        return eat_word("true");
      case 'f':
        json = Json(false);
        return eat_word("false");
      case 'n':
        json = Json();
        return eat_word("null");
      default:
        return number(json);
    }
  }

  bool number(Json& json) {
    double number = 0;
    auto [end, wrong] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (wrong != std::errc()) return false;
    at_ = static_cast<std::size_t>(end - text_.data());
    json = Json(number);
    return true;
  }

  bool string(std::string& text) {
    if (!eat('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c != '\\') {
        text += c;
        continue;
      }
      if (at_ == text_.size() || !escape(text_[at_++], text)) return false;
    }
    return eat('"');
  }

  bool escape(char c, std::string& text) {
    constexpr std::string_view kShort = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (std::size_t which = kShort.find(c); which != std::string_view::npos) {
      text += kMeant[which];
      return true;
    }
    unsigned code = 0;
    if (c != 'u' || text_.size() - at_ < 4) return false;
    auto [end, wrong] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (wrong != std::errc() || end != text_.data() + at_ + 4) return false;
    at_ += 4;
    append_utf8(code, text);
    return true;
  }

  // Names are ASCII; of a pair of surrogates each half becomes three bytes, which no name equals.
  static void append_utf8(unsigned code, std::string& text) {
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      text += static_cast<char>(0xe0 | code >> 12);
      text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
  }

  bool array(Json& json, int depth) {
    Json::Array all;
    if (!eat('[')) return false;
    if (!eat(']')) {
      do {
        if (!value(all.emplace_back(), depth + 1)) return false;
      } while (eat(','));
      if (!eat(']')) return false;
    }
    json = Json(std::move(all));
    return true;
  }

  bool object(Json& json, int depth) {
    Json::Object all;
    if (!eat('{')) return false;
    if (!eat('}')) {
      do {
        skip_blanks();
        std::string name;
        Json member;
        if (!string(name) || !eat(':') || !value(member, depth + 1)) return false;
        all.emplace_back(std::move(name), std::move(member));
      } while (eat(','));
      if (!eat('}')) return false;
    }
    json = Json(std::move(all));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::member(std::string_view name) const {
  const Object* all = object();
  if (all == nullptr) return nullptr;
  for (const auto& [key, value] : *all) {
    if (key == name) return &value;
  }
  return nullptr;
}

Error parse_json(std::string_view text, Json& json) {
  return Parser(text).run(json);
}

}  // namespace warpcc::runtime
