// Words that the printer and the reader of SASS text share.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sass/program.h"

namespace warpcc::sass {

constexpr std::array<std::string_view, 3> kForms{"named", "coloured", "both"};
constexpr std::array<std::string_view, 3> kSpaces{"shared", "tensor", "global"};

struct FixedWord {
  Fixed fixed;
  std::string_view word;
};
// An axis goes by its own name.
constexpr FixedWord kFixedWords[] = {{Fixed::lane, "lane"},
                                     {Fixed::warp, "warp"},
                                     {Fixed::warpgroup, "warpgroup"},
                                     {Fixed::cluster_id, "cluster_id"},
                                     {Fixed::one, "one"}};

// The words before a view, `reach` has none.
struct HeldWord {
  Held::Kind kind;
  std::string_view word;
};
constexpr HeldWord kHeldWords[] = {
    {Held::Kind::addr, "addr"},     {Held::Kind::addr_lo, "addr.lo"}, {Held::Kind::addr_hi, "addr.hi"},
    {Held::Kind::desc, "desc"},     {Held::Kind::desc_hi, "desc.hi"}, {Held::Kind::idesc, "idesc"},
    {Held::Kind::tmem, "tmem"},     {Held::Kind::mask, "mask"},       {Held::Kind::bytes, "bytes"},
    {Held::Kind::inside, "inside"},
};

// Binary operators with how tightly they bind.
struct OperatorWord {
  Expr::Kind kind;
  std::string_view word;
  int binds;
};
constexpr OperatorWord kOperators[] = {
    {Expr::Kind::both, "&&", 1},          {Expr::Kind::equal, "==", 2},
    {Expr::Kind::not_equal, "!=", 2},     {Expr::Kind::less_equal, "<=", 2},
    {Expr::Kind::greater_equal, ">=", 2}, {Expr::Kind::less, "<", 2},
    {Expr::Kind::greater, ">", 2},        {Expr::Kind::add, "+", 3},
    {Expr::Kind::subtract, "-", 3},       {Expr::Kind::multiply, "*", 4},
    {Expr::Kind::divide, "/", 4},         {Expr::Kind::remainder, "%", 4},
};
constexpr int kBindsTightest = 5;

// `; `near` is near` of the names that there are, or nothing: for complaints of a name that is not there.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted) : wanted_(wanted), least_(wanted.size() / 3 + 1) {}
  void offer(std::string_view name);
  std::string words() const;

 private:
  std::string_view wanted_;
  std::string_view nearest_;
  std::size_t least_;
};

// Bytes of a tile of a buffer; of tensor memory its columns. Copies are as far apart unless the text says otherwise.
std::int64_t tile_extent(const Buffer& buffer);

}  // namespace warpcc::sass
