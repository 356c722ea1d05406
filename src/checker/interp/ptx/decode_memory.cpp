// PTX ISA: loads, stores, atomics; asynchronous copies; cluster launch control.
#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

namespace {

// Of atomics and reductions, by number.
constexpr std::pair<std::string_view, int> kOperations[] = {{"add", 0}, {"min", 1}, {"max", 2},  {"and", 3},
                                                            {"or", 4},  {"xor", 5}, {"exch", 6}, {"cas", 7},
                                                            {"inc", 8}, {"dec", 9}};

}  // namespace

// [a], values, [mbarrier]: at another CTA of the cluster, whose mbarrier is told of the bytes.
bool Decoder::remote_access(Code& code) {
  code.op = words()[0] == "st" ? Op::st_async : Op::red_async;
  code.where = Where::shared;
  code.extra = -1;
  for (const auto& [word, number] : kOperations) {
    if (has(word)) code.extra = number;
  }
  if (operands() != 3) return false;
  code.vector = static_cast<std::uint8_t>(width(operand(1)));
  return memory(operand(0)) && memory(operand(2)) && list(operand(1));
}

bool Decoder::memory_access(Code& code) {
  std::string_view first = words()[0];
  if (first == "cvta") {
    code.op = Op::cvta;
    code.relaxed = has("to");
    code.where = has("shared") || has("shared::cta") || has("shared::cluster") ? Where::shared
                 : has("local")                                                ? Where::local
                 : has("param") || has("param::entry")                         ? Where::param
                                                                               : Where::global;
    return operands() == 2 && scalars();
  }
  std::optional<Num> type = last_type();
  known_ = type.has_value();
  if (!known_) return false;
  code.type = *type;
  code.where = has("global")                                                   ? Where::global
               : has("shared") || has("shared::cta") || has("shared::cluster") ? Where::shared
               : has("local")                                                  ? Where::local
               : has("param") || has("param::entry") || has("param::func")     ? Where::param
               : has("const")                                                  ? Where::constant
                                                                               : Where::generic;
  code.cluster = has("shared::cluster");
  code.acquire = has("acquire") || has("acq_rel");
  code.release = has("release") || has("acq_rel");
  code.relaxed = has("relaxed") || has("volatile");
  if (has("async") && (first == "st" || first == "red")) return remote_access(code);
  bool load = first == "ld" || first == "ldu";
  if (load || first == "st") {
    code.op = load ? Op::ld : Op::st;
    code.at_read = has("nc");
    if (operands() < 2) return false;
    const Operand& value = operand(load ? 0 : 1);
    const Operand& place = operand(load ? 1 : 0);
    code.vector = static_cast<std::uint8_t>(width(value));
    if (place.kind != Operand::Kind::address) return false;
    if (code.where == Where::param && is_frame(place)) code.where = Where::frame;
    return memory(place) && list(value);
  }
  // d, [a], b[, c]; red has no d.
  code.op = first == "atom" ? Op::atom : Op::red;
  code.extra = -1;
  for (const auto& [word, number] : kOperations) {
    if (has(word)) code.extra = number;
  }
  known_ = code.extra >= 0;
  std::size_t at = first == "atom" ? 1 : 0;
  if (!known_ || operands() < at + 2) return false;
  code.vector = static_cast<std::uint8_t>(width(operand(at + 1)));
  if (!memory(operand(at))) return false;
  if (first == "atom" && !list(operand(0))) return false;
  if (first == "red" && code.vector == 1 && !none()) return false;
  if (first == "red" && code.vector > 1) {
    for (int i = 0; i < code.vector; ++i) none();
  }
  for (std::size_t i = at + 1; i < operands(); ++i) {
    if (!list(operand(i))) return false;
  }
  return true;
}

// [shared], map, [barrier], mask, coordinates …, offsets of pixels …; a store: [shared], map, coordinates …
bool Decoder::tensor_copy(Code& code, bool load) {
  code.op = load ? Op::tensor_load : Op::tensor_store;
  code.add = has("reduce");
  known_ = !code.add;
  for (const auto& [word, number] : kOperations) {
    if (!code.add || !has(word)) continue;
    code.vector = static_cast<std::uint8_t>(number);
    known_ = word != "exch" && word != "cas";
  }
  for (std::string_view word : words())
    known_ = known_ && word.substr(0, 9) != "im2col::w" && word != "im2col_no_offs::w";
  const bool apart = has("tile::gather4") || has("tile::scatter4"), pixels = has("im2col") || has("im2col_no_offs");
  code.extra = static_cast<int>(apart ? BoxMode::rows_apart : pixels ? BoxMode::pixels : BoxMode::tile);
  if (!known_) return false;
  code.dimensions = 0;
  for (std::string_view word : words()) {
    if (word.size() == 2 && word[1] == 'd' && word[0] >= '1' && word[0] <= '5')
      code.dimensions = static_cast<std::uint8_t>(word[0] - '0');
  }
  code.multicast = has("multicast::cluster");
  code.pair = has("cta_group::2");
  code.cluster = has("shared::cluster");
  const Operand& tensor = operand(load ? 1 : 0);
  const Operand& shared = operand(load ? 0 : 1);
  if (tensor.kind != Operand::Kind::tensor || tensor.count < 2) return false;
  if (!memory(shared) || !scalar(part(tensor, 0))) return false;
  if (load) {
    if (operands() < 3 || !memory(operand(2))) return false;
    std::size_t next = pixels ? 4 : 3;  // after the offsets
    if (code.multicast) {
      if (operands() <= next || !scalar(operand(next++))) return false;
    } else {
      none();
    }
  }
  const Operand& coordinates = part(tensor, 1);
  // Of four rows: the column, then theirs.
  if (apart && code.dimensions != 2) return false;
  if (apart) code.dimensions = 5;
  if (width(coordinates) != code.dimensions || !list(coordinates)) return false;
  if (!pixels || !load) return true;
  return code.dimensions >= 3 && operands() > 3 && width(operand(3)) == code.dimensions - 2 && list(operand(3));
}

// PTX ISA, tensormap.replace, tensormap.cp_fenceproxy.
bool Decoder::change_of_map(Code& code) {
  if (is(1, "cp_fenceproxy")) {
    code.op = Op::map_copy;
    code.release = true;
    code.extra = 3;  // as the fence that it is too
    return operands() == 3 && memory(operand(0)) && memory(operand(1));
  }
  static constexpr std::string_view kFields[] = {
      "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
      "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
      "fill_mode"};
  code.op = Op::map_replace;
  code.extra = -1;
  for (int i = 0; i < 11; ++i) {
    if (has(kFields[i])) code.extra = i;
  }
  known_ = is(1, "replace") && code.extra >= 0;
  if (!known_ || operands() < 2 || !memory(operand(0))) return false;
  code.where = has("shared::cta") ? Where::shared : has("global") ? Where::global : Where::generic;
  if (operands() > 2 ? !scalar(operand(1)) : !integer(0)) return false;
  return scalar(operand(operands() - 1));
}

bool Decoder::copies(Code& code) {
  std::string_view first = words()[0];
  if (first == "tensormap") return change_of_map(code);
  if (first == "prefetch" || first == "applypriority" || starts("cp.async.bulk.prefetch")) return true;
  if (first == "discard") {
    code.op = Op::discard;
    code.where = has("global") ? Where::global : Where::generic;
    return operands() == 2 && memory(operand(0));
  }
  if (first == "createpolicy") {
    // A policy is a number that nobody looks at.
    code.op = Op::mov;
    code.type = Num::b64;
    return scalar(operand(0)) && integer(0);
  }
  if (first == "ldmatrix" || first == "stmatrix") {
    code.op = first == "ldmatrix" ? Op::ldmatrix : Op::stmatrix;
    code.extra = has("x4") ? 4 : has("x2") ? 2 : 1;
    code.add = has("trans");
    known_ = has("b16");
    const Operand& place = operand(first == "ldmatrix" ? 1 : 0);
    return known_ && operands() == 2 && memory(place) && list(operand(first == "ldmatrix" ? 0 : 1));
  }
  if (first == "clusterlaunchcontrol") {
    if (has("try_cancel")) {
      code.op = Op::clc_try;
      code.multicast = has("multicast::cluster::all");
      return operands() == 2 && memory(operand(0)) && memory(operand(1));
    }
    if (has("is_canceled")) {
      code.op = Op::clc_canceled;
      return operands() == 2 && scalars();
    }
    code.op = Op::clc_ctaid;
    code.extra = has("v4") ? -1 : has("get_first_ctaid::y") ? 1 : has("get_first_ctaid::z") ? 2 : 0;
    return operands() == 2 && scalars();
  }
  if (starts("cp.async.bulk.tensor") || starts("cp.reduce.async.bulk.tensor")) {
    bool load = operand(0).kind == Operand::Kind::address;
    return tensor_copy(code, load);
  }
  if (starts("cp.async.bulk.commit_group")) {
    code.op = Op::bulk_commit;
    return true;
  }
  if (starts("cp.async.bulk.wait_group")) {
    code.op = Op::bulk_wait;
    code.at_read = has("read");
    return scalars();
  }
  if (starts("cp.async.bulk") || starts("cp.reduce.async.bulk")) {
    // [to], [from], bytes, [barrier]; a store: [to], [from], bytes
    const std::size_t to = has("reduce") ? 4 : 3;
    const bool into_shared = is(to, "shared::cluster") || is(to, "shared::cta");
    code.op = into_shared ? Op::bulk_load : Op::bulk_store;
    code.cluster = is(to, "shared::cluster");
    code.add = has("reduce");
    code.multicast = has("multicast::cluster");
    code.extra = -1;
    if (code.add) {
      for (const auto& [word, number] : kOperations) {
        if (has(word)) code.extra = number;
      }
      std::optional<Num> type = last_type();
      code.type = type.value_or(Num::b32);
      known_ = type && code.extra >= 0 && !(into_shared && (code.multicast || has("global")));
    }
    if (!known_ || operands() < 3 || !memory(operand(0)) || !memory(operand(1)) || !scalar(operand(2))) return false;
    code.where = has("global") ? Where::global : Where::shared;
    if (!into_shared) return true;
    if (operands() < 4 || !memory(operand(3))) return false;
    return code.multicast ? operands() >= 5 && scalar(operand(4)) : none();
  }
  if (starts("cp.async.commit_group")) {
    code.op = Op::copy_async_commit;
    return true;
  }
  if (starts("cp.async.wait")) {
    code.op = Op::copy_async_wait;
    code.extra = starts("cp.async.wait_all");
    return code.extra ? none() : scalars();
  }
  if (starts("cp.async.mbarrier")) {
    code.op = Op::copy_async_arrive;
    code.extra = has("noinc");
    return memory(operand(0));
  }
  if (starts("cp.async.c")) {
    // [to], [from], bytes, bytes that come or a predicate that none do, policy
    code.op = Op::copy_async;
    if (operands() < 3 || !memory(operand(0)) || !memory(operand(1)) || !scalar(operand(2))) return false;
    return operands() > (has("L2::cache_hint") ? 4u : 3u) ? scalar(operand(3)) : none();
  }
  known_ = false;
  return false;
}

}  // namespace warpcc::checker::ptx
