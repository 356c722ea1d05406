// The lifts that are code: one function a family of opcodes. families.cpp says which opcode goes to which.
#pragma once

#include "ptx/lifter.h"

namespace warpcc::ptx {

// arithmetic.cpp
bool lift_parity(Lifter& l);  // false: the line is none of a parity's
void lift_add(Lifter& l);
void lift_add64(Lifter& l);
void lift_multiply_wide(Lifter& l);
void lift_logic(Lifter& l);
void lift_lea(Lifter& l);
void lift_sign_extend(Lifter& l);
void lift_minimum(Lifter& l);
void lift_compare(Lifter& l);
void lift_compare_float(Lifter& l);
void lift_minimum_float(Lifter& l);
void lift_predicate_logic(Lifter& l);
void lift_elect(Lifter& l);
void lift_vote(Lifter& l);
void lift_shuffle(Lifter& l);
void lift_sum_of_lanes(Lifter& l);
void lift_pack(Lifter& l);

// memory.cpp
void lift_shared_load(Lifter& l);
void lift_shared_store(Lifter& l);
void lift_cluster_load(Lifter& l);
void lift_cluster_store(Lifter& l);
void lift_global_load(Lifter& l);
void lift_global_store(Lifter& l);
void lift_global_add(Lifter& l);
void lift_parameter_load(Lifter& l);
void lift_memory_barrier(Lifter& l);
void lift_proxy_fence(Lifter& l);

// barriers.cpp
void lift_mbarrier(Lifter& l);
void lift_sleep(Lifter& l);
void lift_cta_barrier(Lifter& l);
void lift_cluster_arrive(Lifter& l);
void lift_cluster_wait(Lifter& l);
void lift_scoreboard(Lifter& l);
void lift_initialised(Lifter& l);
void lift_branch(Lifter& l);

// tensor.cpp
void lift_tensor_copy(Lifter& l);
void lift_cluster_copy(Lifter& l);
void lift_map_prefetch(Lifter& l);
void lift_cancel(Lifter& l);
void lift_mma(Lifter& l);
void lift_commit(Lifter& l);
void lift_tensor_load(Lifter& l);
void lift_tensor_store(Lifter& l);
void lift_allocation(Lifter& l);
void lift_relinquish(Lifter& l);

// warpgroup.cpp
void lift_warpgroup_mma(Lifter& l);
void lift_warpgroup(Lifter& l);
void lift_take_registers(Lifter& l);

}  // namespace warpcc::ptx
