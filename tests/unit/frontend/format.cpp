// Formatted text: what stays, what is set, and that the words stay the same.
#include "frontend/format.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "reading.h"

using namespace warpcc;

namespace {

struct Formatting {
  Sources sources;
  Diagnostics diagnostics;
  std::optional<std::string> text;

  explicit Formatting(std::string of) { text = format(sources.add("test.wk", std::move(of)), sources, diagnostics); }
};

std::string formatted(const std::string& text) {
  Formatting done(text);
  REQUIRE_MESSAGE(done.text.has_value(), text, (done.diagnostics.all().empty() ? "" : done.diagnostics.all()[0].text));
  return *done.text;
}

// Formatted it is `wanted`, and that stays.
void becomes(const std::string& text, const std::string& wanted) {
  CHECK(formatted(text) == wanted);
  CHECK(formatted(wanted) == wanted);
}

void stays(const std::string& text) {
  CHECK(formatted(text) == text);
}

std::string in_proc(const std::string& statements) {
  return "proc test() {\n" + statements + "}\n";
}

std::vector<std::filesystem::path> texts_in(const std::string& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(WARPCC_SOURCE_DIR) + folder)) {
    if (entry.path().extension() == ".wk") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

// A text's words and comments, without what is between them.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      at = text.find("*/", at) + 2;
    } else if (text[at] == '"') {
      for (++at; text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      ++at;
    } else if (is_letter(text[at])) {
      while (at < text.size() && is_letter(text[at])) ++at;
    } else {
      ++at;
    }
    std::string word = text.substr(begin, at - begin);
    word.erase(word.find_last_not_of(" \t") + 1);
    found.push_back(word);
  }
  return found;
}

// The text with other blanks, line ends and comments where the language lets them be.
std::string shaken(const std::string& text, std::mt19937& random) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    bool is_blank = false;
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      at = text.find("*/", at) + 2;
    } else if (text[at] == '"') {
      at = text.find('"', at + 1) + 1;
    } else {
      is_blank = text[at] == ' ' || text[at] == '\n';
      ++at;
    }
    static const std::vector<std::string> kBlanks = {
        " ",    "  ",        "   ",           "\n",        "\n\n",        "\n\n\n\n",  "\t", " \n  ",
        "\r\n", " /* c */ ", "\n/* a\n b */", " // end\n", "\n/// doc\n", " /* d */\n"};
    std::size_t some = random() % 100;
    bool changes = is_blank && some < 30;
    // What a line's end closes stays closed.
    bool ends = text[begin] == '\n';
    if (changes && !ends) {
      made += kBlanks[random() % kBlanks.size()];
    } else if (changes) {
      made += "\n" + kBlanks[random() % kBlanks.size()];
    } else {
      made += text.substr(begin, at - begin);
    }
  }
  return made;
}

}  // namespace

TEST_CASE("the kernels stay as they are") {
  std::vector<std::filesystem::path> kernels = texts_in("/kernels");
  REQUIRE(kernels.size() >= 6);
  for (const auto& path : kernels) {
    INFO(path.string());
    stays(contents(path));
  }
}

TEST_CASE("an item, a member, a statement and an arm has a line of its own") {
  becomes("const a=1;const b  =  (1,2);", "const a = 1;\nconst b = (1, 2);\n");
  becomes("proc f(x:r,const n:int){mov x,n;\nif n>1{mov x,1;}else{mov x,2;}}",
          "proc f(x: r, const n: int) {\n  mov x, n;\n  if n > 1 { mov x, 1; } else { mov x, 2; }\n}\n");
  becomes("proc f() {\n match 1 { 1=>{ sync; } _=>{\n } }\n}",
          "proc f() {\n  match 1 {\n    1 => { sync; }\n    _ => { }\n  }\n}\n");
  becomes("struct W { r a;\n ur b: 0..4 by 2; }", "struct W {\n  r a;\n  ur b: 0 .. 4 by 2;\n}\n");
  becomes("enum E { a,\nb(of:int) }", "enum E {\n  a,\n  b(of: int)\n}\n");
}

TEST_CASE("blocks on one line stay there, other blocks have their brackets where they belong") {
  stays(in_proc("  if a { sync; warpsync; } else { }\n"));
  becomes(in_proc("if a\n{ sync;\n}\nelse\n{ sync; }\n"), in_proc("  if a {\n    sync;\n  } else { sync; }\n"));
  stays(in_proc("  if a { sync; }\n  else { warpsync; }\n"));
  becomes(in_proc("loop{ }\nloop\n{\n}\n"), in_proc("  loop { }\n  loop { }\n"));
}

TEST_CASE("blanks between words") {
  becomes(in_proc("@!x  mov y , - z;\n@( a&&b )arrive p . q at(half=0) [ 1 ];\n"),
          in_proc("  @!x mov y, -z;\n  @(a && b) arrive p.q at (half = 0)[1];\n"));
  becomes("const l=(64,(n/2,2)):(1,(2,- 3));", "const l = (64, (n / 2, 2)) : (1, (2, -3));\n");
  becomes(in_proc("load s[..,k+:4],a,f(hint:evict);\n"), in_proc("  load s[.., k +: 4], a, f(hint: evict);\n"));
  becomes(
      "kernel k(a:global in f16 [4]) on sm_100a,grid(2),cluster(half:2){shared s:ring (2)of f16[4];"
      "pipe p:ring(2)carries(s)to half=0;\nrole r(i:consumer p in turn (2))on warps 0..4{}}",
      "kernel k(a: global in f16[4]) on sm_100a, grid (2), cluster (half: 2) {\n  shared s: ring(2) of f16[4];\n"
      "  pipe p: ring(2) carries (s) to half = 0;\n  role r(i: consumer p in turn(2)) on warps 0 .. 4 { }\n}\n");
  becomes("tune(M,N){(1..4,_)when N>M=>{depth:4}\n}", "tune (M, N) {\n  (1 .. 4, _) when N > M => { depth: 4 }\n}\n");
}

TEST_CASE("a parenthesis that makes no call of a name stays away from it") {
  stays(in_proc("  mov (x);\n  call(x);\n  on (x) { }\n"));
}

TEST_CASE("an empty line stays, several become one, none is at the ends") {
  becomes("\n\nconst a = 1;\n\n\n\nconst b = 2;\n\n\n", "const a = 1;\n\nconst b = 2;\n");
  becomes("proc f() {\n\n  sync;\n\n}\n", "proc f() {\n\n  sync;\n}\n");
  becomes("", "");
  becomes("\n \n", "");
  becomes(
      "\xef\xbb\xbf"
      "const a = 1;",
      "const a = 1;\n");
}

TEST_CASE("comments stay where they stood") {
  stays("// alone\n");
  stays("/// doc\n// and more\nconst a = 1;  // behind\n\n/* one */ const b = 2; /* two */\n/* three\n    four */\n");
  becomes(in_proc("// before\nsync; // behind  \n  // last\n"), in_proc("  // before\n  sync; // behind\n  // last\n"));
  becomes(in_proc("if a { // why\nsync; }\n// then\nelse { }\n"),
          in_proc("  if a { // why\n    sync;\n  }\n  // then\n  else { }\n"));
  becomes(in_proc("mov x, // first\n y // second\n ;\n"), in_proc("  mov x, // first\n    y // second\n    ;\n"));
  stays("const a = f(/* none */);\nconst b = f(1 /* one */, /* two */ 2);\n");
  becomes("const a = 1; /* x\r\n y */\r\n// z\r\n", "const a = 1; /* x\n y */\n// z\n");
}

TEST_CASE("lines may end in lists and expressions, and elsewhere do not") {
  stays("const p = Plan(\n  m: M, n: N,\n  k: K\n);\n");
  becomes("const p = Plan(\n  m: M, n: N,\n  k: K);\n", "const p = Plan(\n  m: M, n: N,\n  k: K\n);\n");
  becomes("const p = Plan(m: M,\nn: N\n)\n;\n", "const p = Plan(m: M,\n  n: N);\n");
  stays("fn f(n: int) -> int =\n  if n == 0 { 1 }\n  else      { n * f(n - 1) };\n");
  stays("const a = one +\n  two;\n");
  becomes("const\na\n=\n1\n+\n2\n;", "const a =\n  1\n  +\n  2;\n");
  becomes(in_proc("mov\nx\n,\ny\n;\n"), in_proc("  mov x,\n    y;\n"));
}

TEST_CASE("columns stay, also where their words have moved") {
  stays("const tile   = 128;    // rows\nconst tile_k = 64;     // a row\n");
  stays("const tile   = 128;\nconst tile_k = 64;\n\nconst atom   = 2;\nconst atoms  = 4;\n");
  becomes("const a    = 1;\n\nconst b = 2;\n", "const a = 1;\n\nconst b = 2;\n");
  becomes("const a =  f( 1 );   // one\nconst b =  2;        // two\n",
          "const a =  f(1);     // one\nconst b =  2;        // two\n");
  becomes("const short  = 1;\nconst longer=22;\nconst longer = 3;\n",
          "const short = 1;\nconst longer = 22;\nconst longer = 3;\n");
  stays(
      "tune (M, N) {\n  (   1,   2) => { depth:  8 }\n  ( 100, 200) => { depth:  10 }\n  (1024,   4) => { depth:  1 "
      "}\n}\n");
  stays("require a == 1 ||\n        b == 2,\n        \"why\";\n");
  stays(in_proc("  f(a, b,\n    c);\n  ff(a, b,\n     c);\n"));
  becomes(in_proc("    require\t\ta,\n             \"why\";\n"), in_proc("  require a,\n          \"why\";\n"));
  stays("tune (M) {\n  (1)           => { depth: 1 }\n  (2) when true => { depth: 2 }\n}\n");
}

TEST_CASE("the indentation of blocks goes by the elements that they are of") {
  becomes("kernel k() on sm_100a,\ngrid (1) {\nstart { }\n}", "kernel k() on sm_100a,\n  grid (1) {\n  start { }\n}\n");
}

TEST_CASE("what does not parse is refused") {
  Formatting done("const a = ;\n");
  CHECK(!done.text);
  CHECK(done.diagnostics.failed());
}

TEST_CASE("every text of the project keeps its words, and what is formatted stays") {
  std::vector<std::filesystem::path> paths = texts_in("/kernels");
  for (const auto& path : texts_in("/tests")) paths.push_back(path);
  int read = 0;
  for (const auto& path : paths) {
    INFO(path.string());
    std::string text = contents(path);
    Formatting done(text);
    CHECK(done.text.has_value() != done.diagnostics.failed());
    if (!done.text) continue;
    ++read;
    CHECK(words(*done.text) == words(text));
    CHECK(formatted(*done.text) == *done.text);
  }
  CHECK(read >= 50);
}

TEST_CASE("whatever is between the words, formatted text stays and its words are the same") {
  std::mt19937 random(7);
  int read = 0;
  for (const auto& path : texts_in("/kernels")) {
    std::string text = contents(path);
    for (int round = 0; round < 20; ++round) {
      std::string other = shaken(text, random);
      Formatting done(other);
      if (!done.text) continue;
      ++read;
      bool same_words = words(*done.text) == words(other);
      std::string again = formatted(*done.text);
      bool stays = again == *done.text;
      CHECK(same_words);
      CHECK(stays);
      if (same_words && stays) continue;
      MESSAGE(path.string() << "\n" << *done.text << "\n---- and again\n" << again);
      return;
    }
  }
  CHECK(read >= 100);
}

TEST_CASE("cut texts are refused or formatted") {
  for (const auto& path : texts_in("/kernels")) {
    std::string text = contents(path);
    for (std::size_t at = 0; at < text.size(); at += 37) {
      Formatting done(text.substr(0, at));
      CHECK(done.text.has_value() != done.diagnostics.failed());
    }
  }
}

TEST_CASE("long lines, deep brackets and long comments take no time to speak of") {
  auto start = std::chrono::steady_clock::now();
  std::string long_line, columns;
  for (int i = 0; i < 20000; ++i) long_line += "const a" + std::to_string(i) + " = (1,2);";
  for (int i = 0; i < 10000; ++i) columns += "const a" + std::to_string(i) + "   =   (1,   2);   // c\n";
  CHECK(formatted(long_line).size() > long_line.size());
  std::string aligned = formatted(columns);
  CHECK(formatted(aligned) == aligned);
  std::string comment = "// " + std::string(10'000'000, 'x') + "\n";
  CHECK(formatted(comment) == comment);
  CHECK(formatted(std::string(10'000'000, ' ')) == "");
  std::string deep = "const a = " + std::string(190, '(') + "\n1" + std::string(190, ')') + ";\n";
  CHECK(formatted(formatted(deep)) == formatted(deep));
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(took.count() < 60);
}
