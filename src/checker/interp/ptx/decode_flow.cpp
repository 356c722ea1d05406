// PTX ISA: control flow, what lanes do together, barriers and fences.
#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

bool Decoder::control(Code& code) {
  std::string_view first = words()[0];
  if (first == "bra") {
    code.op = Op::bra;
    if (operands() != 1 || operand(0).kind != Operand::Kind::label) return false;
    code.target = first_ + operand(0).index;
    return true;
  }
  if (first == "brx") {
    code.op = Op::bra_table;
    if (operands() != 2 || operand(1).kind != Operand::Kind::table) return false;
    code.target = first_table_ + operand(1).index;
    return scalar(operand(0));
  }
  if (first == "ret") {
    leave(code);
    return true;
  }
  if (first == "exit") {
    code.op = Op::ret;
    return true;
  }
  if (first == "trap" || first == "brkpt") {
    code.op = Op::trap;
    return true;
  }
  if (first == "nanosleep" || first == "pragma") return true;
  if (first == "activemask") {
    code.op = Op::activemask;
    return scalars();
  }
  if (first == "call") return call(code);
  if (first == "vote") {
    code.op = Op::vote;
    code.extra = has("ballot") ? 3 : has("all") ? 0 : has("any") ? 1 : 2;
    return operands() >= 2 && scalars();
  }
  code.op = Op::shfl;
  code.extra = has("up") ? 0 : has("down") ? 1 : has("bfly") ? 2 : 3;
  if (operands() < 4) return false;
  if (operand(0).kind == Operand::Kind::pair) {
    if (!list(operand(0))) return false;
  } else if (!scalar(operand(0)) || !none()) {
    return false;
  }
  return scalars(1);
}

// What is passed to a function, or comes from it.
bool Decoder::passed(const Operand& operand) {
  if (operand.kind != Operand::Kind::variable || !operand.own || !is_frame_variable(operand)) return scalar(operand);
  Arg arg;
  arg.kind = Arg::Kind::frame;
  arg.value = own_[operand.index];
  return add(arg);
}

// The address of the function, where a register holds it; results; arguments. The kinds of both are the callee's.
bool Decoder::call(Code& code) {
  code.op = Op::call_own;
  std::size_t at = 0;
  const bool results = operands() > 0 && operand(0).kind == Operand::Kind::list;
  if (results) ++at;
  if (operands() <= at) return false;
  const Operand& callee = operand(at);
  if (callee.kind == Operand::Kind::function) {
    code.function = callee.index;
    if (!module_.function(callee.index).defined) code.op = Op::call;
    none();
  } else if (callee.kind != Operand::Kind::reg || !scalar(callee)) {
    return false;
  }
  auto all = [&](const Operand& list) {
    for (std::size_t i = 0; i < list.count; ++i) {
      if (!passed(part(list, i))) return false;
    }
    return true;
  };
  code.extra = results ? static_cast<std::int32_t>(operand(0).count) : 0;
  if (results && !all(operand(0))) return false;
  return operands() <= at + 1 || operand(at + 1).kind != Operand::Kind::list || all(operand(at + 1));
}

bool Decoder::synchronisation(Code& code) {
  std::string_view first = words()[0];
  if (first == "fence" || first == "membar") {
    code.op = Op::fence;
    // 0 a fence of memory, 1 of the async proxy, 2 of fresh barriers, 3 of the proxy of maps, 4 of another one
    bool async = has("async") || has("async::generic");
    bool maps = has("tensormap::generic");
    code.extra = has("proxy") ? (async ? 1 : maps ? 3 : 4) : has("mbarrier_init") ? 2 : 0;
    code.acquire = has("acquire");
    code.release = has("release");
    code.where = has("global") ? Where::global : has("shared::cta") ? Where::shared : Where::generic;
    code.cluster = has("cluster") || has("shared::cluster");
    // fence.proxy.tensormap's acquire: [map]
    return operands() == 0 || memory(operand(0));
  }
  if (first == "griddepcontrol") {
    code.op = has("wait") ? Op::grid_wait : Op::grid_launch;
    return true;
  }
  if (first == "elect") {
    code.op = Op::elect;
    return operands() == 2 && operand(0).kind == Operand::Kind::pair && scalars();
  }
  if (first == "mapa") {
    code.op = Op::mapa;
    code.where = has("shared::cluster") ? Where::shared : Where::generic;
    return operands() == 3 && scalars();
  }
  if (first == "getctarank") {
    code.op = Op::cta_rank;
    return operands() == 2 && scalars();
  }
  if (starts("barrier.cluster")) {
    code.op = has("arrive") ? Op::cluster_arrive : Op::cluster_wait;
    code.relaxed = has("relaxed");
    return true;
  }
  if (first == "bar" || first == "barrier") {
    if (has("warp")) {
      code.op = Op::warp_sync;
      return scalars();
    }
    if (has("red")) {
      // barrier, threads, result, whether a thread says yes
      code.op = Op::bar_sync;
      code.extra = has("popc") ? 1 : has("and") ? 2 : 3;
      if (operands() < 3 || !scalar(operand(1))) return false;
      if (operands() > 3 ? !scalar(operand(2)) : !none()) return false;
      return scalar(operand(0)) && scalar(operand(operands() - 1));
    }
    known_ = has("sync") || has("arrive");
    code.op = has("arrive") ? Op::bar_arrive : Op::bar_sync;
    if (!known_ || !scalars()) return false;
    if (operands() < 2) none();
    return true;
  }
  if (has("init")) {
    code.op = Op::mbar_init;
    return operands() == 2 && memory(operand(0)) && scalar(operand(1));
  }
  if (has("inval")) {
    code.op = Op::mbar_inval;
    return memory(operand(0));
  }
  code.cluster = has("shared::cluster");
  code.relaxed = has("relaxed");
  if (has("test_wait") || has("try_wait")) {
    // done, [barrier], parity or state
    code.op = Op::mbar_test;
    code.uniform = has("try_wait");
    code.extra = has("parity");
    return operands() >= 3 && scalar(operand(0)) && memory(operand(1)) && scalar(operand(2));
  }
  if (is(1, "expect_tx") || is(1, "complete_tx")) {
    // [barrier], nothing, bytes
    code.op = Op::mbar_expect;
    code.add = is(1, "complete_tx");
    return operands() == 2 && memory(operand(0)) && scalar(operand(1));
  }
  if (is(1, "arrive") || is(1, "arrive_drop")) {
    // [barrier], state, count or bytes
    code.op = Op::mbar_arrive;
    code.extra = has("expect_tx") ? 1 : 0;
    code.at_read = is(1, "arrive_drop");
    code.no_complete = has("noComplete");
    std::size_t at = operands() > 0 && operand(0).kind == Operand::Kind::address ? 0 : 1;
    if (operands() <= at || !memory(operand(at))) return false;
    if (at == 1 ? !scalar(operand(0)) : !none()) return false;
    return operands() > at + 1 ? scalar(operand(at + 1)) : none();
  }
  known_ = false;
  return false;
}

}  // namespace warpcc::checker::ptx
