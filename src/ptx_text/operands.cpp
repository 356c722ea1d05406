// PTX ISA, "Instruction Operands".
#include <algorithm>
#include <utility>

#include "ptx_text/parser.h"

namespace warpcc::ptx_text {

namespace {

constexpr Message<std::string> kNoOperand{"ptx-no-operand", "an operand is wanted; this is `{}`"};
constexpr Message<std::string> kNoNumber{"ptx-no-number", "a number is wanted; this is `{}`"};
constexpr Message<std::string> kNoSpecial{"ptx-no-special",
                                          "`{}` is no register that is declared, and no special register"};
constexpr Message<> kTooDeep{"ptx-too-deep", "operands more than 8 deep are not taken"};

constexpr std::pair<std::string_view, SpecialRegister> kSpecial[] = {
    {"%tid", SpecialRegister::tid},
    {"%ntid", SpecialRegister::ntid},
    {"%ctaid", SpecialRegister::ctaid},
    {"%nctaid", SpecialRegister::nctaid},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid},
    {"%clusterid", SpecialRegister::clusterid},
    {"%nclusterid", SpecialRegister::nclusterid},
    {"%cluster_ctaid", SpecialRegister::cluster_ctaid},
    {"%cluster_nctaid", SpecialRegister::cluster_nctaid},
    {"%cluster_ctarank", SpecialRegister::cluster_ctarank},
    {"%cluster_nctarank", SpecialRegister::cluster_nctarank},
    {"%is_explicit_cluster", SpecialRegister::is_explicit_cluster},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%clock", SpecialRegister::clock},
    {"%clock_hi", SpecialRegister::clock_hi},
    {"%clock64", SpecialRegister::clock64},
    {"%globaltimer", SpecialRegister::globaltimer},
    {"%globaltimer_lo", SpecialRegister::globaltimer_lo},
    {"%globaltimer_hi", SpecialRegister::globaltimer_hi},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    {"%total_smem_size", SpecialRegister::total_smem_size},
    {"%aggr_smem_size", SpecialRegister::aggr_smem_size},
    {"%envreg0", SpecialRegister::environment},
    {"%envreg1", SpecialRegister::environment_1},
    {"%envreg2", SpecialRegister::environment_2},
    {"%reserved_smem_offset_begin", SpecialRegister::reserved_smem_offset},
    {"%reserved_smem_offset_end", SpecialRegister::reserved_smem_offset_end},
    {"%reserved_smem_offset_cap", SpecialRegister::reserved_smem_offset_cap},
    {"%reserved_smem_offset_0", SpecialRegister::reserved_smem_offset_0},
    {"%reserved_smem_offset_1", SpecialRegister::reserved_smem_offset_1},
};

}  // namespace

std::string_view name(SpecialRegister reg) {
  for (const auto& [word, each] : kSpecial) {
    if (each == reg) return word;
  }
  return "%?";
}

bool Parser::number(std::int64_t& value) {
  bool negative = tokens_.eat('-');
  if (tokens_.peek().kind != Token::Kind::integer)
    return complain(here(), kNoNumber, shortened(tokens_.text(tokens_.peek())));
  std::uint64_t bits = static_cast<std::uint64_t>(tokens_.take().value);
  value = static_cast<std::int64_t>(negative ? 0 - bits : bits);
  return true;
}

bool Parser::parts_of(Operand& operand, std::vector<Operand> parts) {
  operand.index = static_cast<std::uint32_t>(function_->parts.size());
  operand.count = static_cast<std::uint32_t>(parts.size());
  function_->parts.insert(function_->parts.end(), parts.begin(), parts.end());
  return true;
}

bool Parser::operand(Operand& operand, int depth) {
  if (depth > 8) return complain(here(), kTooDeep);
  if (tokens_.eat('[')) return address_operand(operand, depth);
  if (tokens_.eat('{')) {
    operand.kind = Operand::Kind::list;
    return list_operand(operand, '}', depth);
  }
  if (tokens_.eat('(')) {
    operand.kind = Operand::Kind::list;
    return list_operand(operand, ')', depth);
  }
  bool minus = tokens_.eat('-');
  if (minus || tokens_.eat('!')) operand.negated = true;
  switch (tokens_.peek().kind) {
    case Token::Kind::integer:
      operand.kind = Operand::Kind::integer;
      operand.value = tokens_.take().value;
      if (operand.negated) operand.value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(operand.value));
      operand.negated = false;
      return true;
    case Token::Kind::real: {
      Token token = tokens_.take();
      operand.kind = Operand::Kind::real;
      operand.value = token.value;
      operand.wide = token.wide;
      if (operand.negated)
        operand.value ^= static_cast<std::int64_t>(token.wide ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31);
      operand.negated = false;
      return true;
    }
    case Token::Kind::name:
      break;
    default:
      return complain(here(), kNoOperand, shortened(tokens_.text(tokens_.peek())));
  }
  if (!name_operand(operand)) return false;
  if (operand.kind == Operand::Kind::variable && (tokens_.at('+') || tokens_.at('-'))) {
    bool negative = tokens_.at('-');
    tokens_.take();
    std::int64_t offset = 0;
    if (!number(offset)) return false;
    operand.value = negative ? -offset : offset;
  }
  if (tokens_.eat('|')) {
    Operand second;
    if (!this->operand(second, depth + 1)) return false;
    Operand both;
    both.kind = Operand::Kind::pair;
    parts_of(both, {operand, second});
    operand = both;
  }
  return true;
}

bool Parser::name_operand(Operand& operand) {
  Token token = tokens_.take();
  std::string_view text = tokens_.text(token);
  if (text == "_") {
    operand.kind = Operand::Kind::sink;
    return true;
  }
  if (std::optional<std::uint32_t> slot = scopes_.find_register(text)) {
    operand.kind = Operand::Kind::reg;
    operand.index = *slot;
    return true;
  }
  if (vector_operand(operand, text)) return true;
  if (text[0] == '%') {
    for (const auto& [word, special] : kSpecial) {
      if (text != word) continue;
      operand.kind = Operand::Kind::special;
      operand.index = static_cast<std::uint32_t>(special);
      const Token& next = tokens_.peek();
      if (next.kind == Token::Kind::directive && !next.apart) {
        std::string_view part = tokens_.text(next);
        if (part == ".x" || part == ".y" || part == ".z") {
          operand.part = static_cast<std::uint8_t>(part[1] - 'x');
          tokens_.take();
        }
      }
      return true;
    }
    if (!scopes_.find_variable(text)) return complain(tokens_.range(token), kNoSpecial, shortened(text));
  }
  if (std::optional<std::uint32_t> variable = scopes_.find_variable(text)) {
    operand.kind = Operand::Kind::variable;
    operand.own = true;
    operand.index = *variable;
    return true;
  }
  if (auto found = globals_.find(text); found != globals_.end()) {
    operand.kind = Operand::Kind::variable;
    operand.index = found->second;
    return true;
  }
  if (auto found = functions_.find(text); found != functions_.end()) {
    operand.kind = Operand::Kind::function;
    operand.index = found->second;
    return true;
  }
  operand.kind = Operand::Kind::label;
  operand.index = static_cast<std::uint32_t>(unresolved_.size());
  unresolved_.push_back({scopes_.here(), ~0u, text, tokens_.range(token)});
  return true;
}

// A register of a vector, `d.x`, or all of them, `d`.
bool Parser::vector_operand(Operand& operand, std::string_view name) {
  auto find = [&](char part) { return scopes_.find_register(std::string(name) + '.' + part); };
  if (!find(kParts[0])) return false;
  const Token& next = tokens_.peek();
  std::string_view word = tokens_.text(next);
  if (next.kind == Token::Kind::directive && !next.apart && word.size() == 2) {
    std::size_t part = std::min(kParts.find(word[1]), std::string_view("rgba").find(word[1]));
    std::optional<std::uint32_t> slot = part < kParts.size() ? find(kParts[part]) : std::nullopt;
    if (!slot) return false;
    tokens_.take();
    operand.kind = Operand::Kind::reg;
    operand.index = *slot;
    return true;
  }
  operand.kind = Operand::Kind::list;
  std::vector<Operand> parts;
  for (char part : kParts) {
    std::optional<std::uint32_t> slot = find(part);
    if (!slot) break;
    parts.emplace_back();
    parts.back().kind = Operand::Kind::reg;
    parts.back().index = *slot;
  }
  return parts_of(operand, std::move(parts));
}

bool Parser::address_operand(Operand& operand, int depth) {
  Operand base;
  if (!this->operand(base, depth + 1)) return false;
  std::vector<Operand> parts;
  if (tokens_.at('+') || tokens_.at('-')) {
    bool negative = tokens_.at('-');
    tokens_.take();
    std::int64_t offset = 0;
    if (!number(offset)) return false;  // `[%r1+-8]`
    operand.value = negative ? -offset : offset;
  }
  parts.push_back(base);
  operand.kind = Operand::Kind::address;
  while (tokens_.eat(',')) {
    operand.kind = Operand::Kind::tensor;
    Operand coordinates;
    if (!this->operand(coordinates, depth + 1)) return false;
    parts.push_back(coordinates);
  }
  if (!tokens_.eat(']')) return wanted("`]`");
  return parts_of(operand, std::move(parts));
}

bool Parser::list_operand(Operand& operand, char close, int depth) {
  std::vector<Operand> parts;
  while (!tokens_.eat(close)) {
    Operand part;
    if (!this->operand(part, depth + 1)) return false;
    parts.push_back(part);
    if (!tokens_.eat(',') && !tokens_.at(close)) return wanted("`,` or the end of the list");
  }
  return parts_of(operand, std::move(parts));
}

}  // namespace warpcc::ptx_text
