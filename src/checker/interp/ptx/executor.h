// Runs a launch of a PTX kernel on the machine. Lanes of a warp run together while they are together; those behind run
// first, so that they meet again (PTX ISA promises no order; this one brings every kernel on that can come on).
// Asynchronous work is done as late as its ordering allows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/device.h"
#include "checker/interp/ptx/code.h"
#include "checker/interp/ptx/order.h"
#include "checker/interp/ptx/state.h"
#include "checker/machine/fault.h"
#include "checker/machine/schedule.h"

namespace warpcc::checker::ptx {

class Executor {
 public:
  Executor(DeviceMemory& memory, const FunctionCode& code, const PtxLaunch& launch, const Options& options,
           Outcome& outcome, int sms);
  void run();

 private:
  enum class Next : std::uint8_t { on, jumped, blocked };
  using Lanes32 = std::uint32_t[kLanes];
  using Lanes64 = std::uint64_t[kLanes];

  // ---- launch.cpp: clusters, turns, the end
  void start(std::uint64_t number);
  bool run_warp(Warp& warp);
  void watch(Warp& warp);
  bool all_wait() const;
  void report_bytes(const Cta& cta, std::uint32_t offset, const machine::MBarrier& barrier);
  void report_hang();
  void report_hang(Warp& warp, const Group& group);
  void report_parted(const Warp& warp, const Group& group);
  void tell_left_out();
  void finish(Cluster& cluster);

  // ---- schedule.cpp: who goes on, and when asynchronous work is done
  bool run_cluster(Cluster& cluster);
  bool run_asynchronous(Cluster& cluster);
  bool run_load(Cluster& cluster);
  bool run_store(Cluster& cluster);
  std::uint64_t random(std::uint64_t below);

  // ---- control.cpp: a warp's groups of lanes
  bool ready(Warp& warp, Group& group);
  Next step(const Code& code);
  Next control(const Code& code);
  void branch(std::uint32_t target, std::uint32_t taken);
  void leave(std::uint32_t lanes);
  void merge(Warp& warp);
  // Whether all lanes of `members` that live are here; blocks the group otherwise.
  bool together(std::uint32_t members);
  Next by_members(const Arg& members, const std::function<void()>& work);
  void tell_outside(std::uint32_t members);
  void tell_source(int lane, int from, std::uint32_t members);
  void elect(const Code& code);
  void between_lanes(const Code& code);
  void scatter(const std::uint32_t* to);

  // ---- calls.cpp: functions of the module
  void call(const Code& code);
  Next call_own(const Code& code);
  Next leave_function();
  void hand_over(const Arg& from, const Arg& to, std::int64_t bytes);
  std::uint8_t* frame(int lane, std::int64_t at);
  // Text of the program's, for a report.
  std::string string(std::uint64_t address);

  // ---- registers.cpp
  std::uint32_t guard(const Code& code, std::uint32_t mask);
  void read32(const Arg& arg, std::uint32_t* lanes);
  void read64(const Arg& arg, std::uint64_t* lanes);
  void write32(const Arg& arg, const std::uint32_t* lanes);
  void write64(const Arg& arg, const std::uint64_t* lanes);
  void write_predicate(const Arg& arg, std::uint32_t bits);
  std::uint32_t predicate(const Arg& arg);
  std::uint64_t scalar(const Arg& arg);  // of the first lane that runs
  // What MMAs read: a register that no lane of the warp has written.
  bool unwritten(const Arg& arg);
  void need_written(const Code& code, std::size_t first, std::size_t count, const char* what);
  // An operand of what a warp does as one.
  void need_same(const Arg& arg, const char* what, const char* chapter);
  std::uint64_t special(std::uint32_t reg, std::uint32_t part, int lane);
  std::uint32_t* place32(const Arg& arg);
  std::uint64_t* place64(const Arg& arg);
  const Arg& arg(const Code& code, std::size_t i) const { return code_.args[code.first + i]; }

  // ---- arithmetic.cpp, convert.cpp
  bool arithmetic(const Code& code);
  bool rare_arithmetic(const Code& code);
  bool wide_arithmetic(const Code& code);
  void real_arithmetic(const Code& code, int sources);
  void convert(const Code& code);
  void compare(const Code& code);
  void select(const Code& code);
  void tell(const Code& code, std::uint32_t first, std::uint32_t second);
  void move(const Code& code);
  bool common_arithmetic(const Code& code);
  template <typename U>
  bool common_of(const Code& code);
  template <typename U>
  const U* lanes_of(const Arg& arg, U* buffer);
  template <typename U, typename F>
  void compute(const Code& code, int sources, F function);

  // ---- warp.cpp
  Next of_a_warp(const Code& code);
  void reduce(const Code& code);
  void match(const Code& code);
  void move_matrix(const Code& code);

  // ---- matrices.cpp
  void multiply_matrices(const Code& code);
  template <typename T>
  void multiply_matrices_of(const Code& code);
  void spread_rows(const Code& code, std::size_t first, float* rows, int pitch);

  // ---- fragments.cpp
  void move_fragment(const Code& code);
  void multiply_fragments(const Code& code);

  // ---- memory.cpp
  void memory_access(const Code& code);
  void load(const Code& code);
  bool places(const Code& code, const std::uint64_t* at, std::int64_t bytes, std::uint8_t** data);
  void store(const Code& code);
  void atomic(const Code& code);
  void matrices(const Code& code);
  void copy_async(const Code& code);
  void discard(const Code& code);
  void access_remotely(const Code& code);
  void addresses(const Code& code, std::size_t first, std::uint64_t* lanes);
  void note_lanes(const Code& code, const std::uint64_t* at, std::int64_t bytes, machine::PlaceHistory::Use use);
  bool changes_nothing(const Code& code);
  // `bytes` bytes at a lane's address; null, and a finding, where nothing is there.
  struct Place {
    std::uint8_t* data = nullptr;
    Cta* shared = nullptr;
    std::uint32_t offset = 0;
    DeviceMemory::Allocation* global = nullptr;
  };
  Place place(Where where, std::uint64_t address, std::int64_t bytes, int lane, bool write);
  void wrote(const Place& place, std::int64_t bytes);
  std::pair<int, std::uint32_t> shared_place(std::uint64_t address) const;  // CTA and offset; -1: none
  std::pair<int, std::uint32_t> barrier_place(const Code& code, std::size_t first, int lane);

  // ---- places.cpp: where what an instruction names may lie
  void need_aligned(std::uint64_t address, std::int64_t bytes, const char* how);
  void need_no_barrier(int rank, std::uint32_t offset, std::int64_t bytes, const char* how);
  void need_box_place(const TensorMapFields& map, const BoxStart& start, std::uint32_t shared);
  void need_own(const Code& code, int rank);
  void need_together(int rank, int barrier_rank, std::uint32_t barrier, const char* chapter);
  void need_reducible(const TensorMapFields& map, int operation);

  // ---- barriers.cpp
  Next synchronise(const Code& code);
  Next named_barrier(const Code& code);
  bool come_apart(const Code& code, std::uint32_t number);
  void complete_named(std::uint32_t number, const std::vector<int>& waiting);
  int threads_left() const;
  void leave_named();
  void tell_reduced(const Code& code);
  Next test(const Code& code);
  void arrive(const Code& code);
  void signal(int cta, std::uint32_t offset);
  void note_signal(int cta, std::uint32_t offset);
  void tell_signals(const Group& group, std::vector<std::string>& details) const;
  void land(int cta, std::uint32_t offset, std::int64_t bytes);
  machine::MBarrier* barrier(int cta, std::uint32_t offset, const char* how);
  std::string barrier_name(int cta, std::uint32_t offset) const;

  // ---- copies.cpp
  Next copies(const Code& code);
  std::uint32_t of_cluster(std::uint64_t mask);
  void tensor_load(const Code& code, int lane);
  void tensor_store(const Code& code, int lane);
  void bulk(const Code& code, int lane);
  void begin_store(Store store, int lane);
  void finish_load(const Load& load);
  void read_store(Store& store);
  void write_store(const Store& store);
  void move_box(const TensorMapFields& map, const BoxStart& start, std::uint32_t shared, Cta& cta, bool load,
                int operation);

  // ---- tensor_maps.cpp
  const TensorMapFields* tensor_map(std::uint64_t address, BoxMode mode);
  std::string wrong_with(const TensorMapFields& map) const;
  void replace_in_map(const Code& code);
  Next copy_map(const Code& code);
  void order_map_written(std::uint64_t address, Scope released);
  void order_maps_released(Scope scope);
  void tell_unreleased_map(std::uint64_t address, const LaunchOrder::Changed& changed);
  void order_map_fenced(std::uint64_t address);
  void order_map_used(std::uint64_t address);
  void order_map_read(std::uint64_t address, order::Epoch epoch);
  void tell_unfenced_map(std::uint64_t address);

  // ---- tensor.cpp
  Next tensor(const Code& code);
  Next allocate(const Code& code);
  void tell_allocation(std::int64_t columns, const Cta* peer);
  void tensor_registers(const Code& code);
  bool take_ctas(const Code& code, TensorWork& work);
  void multiply(const Code& code, int lane);
  void collect(const Code& code, std::uint64_t operand);
  void copy_to_tensor(const Code& code, int lane);
  void shift_tensor(const Code& code, int lane);
  void commit(const Code& code, int lane);
  bool run_tensor(Cluster& cluster);
  bool do_tensor(const TensorWork& work);
  void fence_queue();
  void run_fenced();
  std::vector<machine::TensorCoreSide> sides(const llvm::SmallVector<int, 2>& ctas);

  // ---- warpgroup.cpp
  Next warpgroup(const Code& code);
  void step_together(const Code& code, const WarpgroupStep& step);
  void finish_groups(Warp& warp, int left);
  Next warpgroup_meets(bool fence);
  int registers_at_start() const;
  Next trade_registers(const Code& code);

  // ---- order.cpp, order_flags.cpp: what the order of accesses is told. Nothing, where `ordering_` is not there.
  std::uint32_t order_mask() const;
  void meet_lanes();
  order::Actor actor(order::Epoch epoch, order::Use use, bool asynchronous, order::Space space) const;
  void note_elected();
  order::Epoch lanes_epoch();
  order::Epoch signal_epoch();
  // `rank`: whose shared memory it is.
  order::Why order_between(const order::Entry& first, const order::Actor& now, int rank = -1) const;
  void access_shared(int rank, std::uint32_t offset, std::uint32_t bytes, order::Actor actor);
  void order_after_grids(const DeviceMemory::Allocation& of, bool reads);
  void order_constant(const std::uint64_t* addresses);
  void access_global(std::uint64_t address, std::int64_t bytes, order::Step& step);
  void access_box(const TensorMapFields* map, int rank, std::uint32_t shared, std::int64_t bytes,
                  const order::Actor& actor);
  void access_tensor_map(const TensorMapFields* map, const BoxStart& start, std::uint64_t address, std::int64_t bytes,
                         const order::Actor& actor);
  void access_tensor(int rank, std::uint32_t lanes, std::uint32_t column, std::uint32_t columns,
                     const order::Actor& actor);
  void access_columns(int rank, std::uint32_t address, std::uint32_t columns, const order::Actor& actor);
  void access_operand(int rank, const machine::OperandImage& image, const order::Actor& actor);
  void order_lanes(Where where, const std::uint64_t* addresses, std::int64_t bytes, order::Use use,
                   bool constant = false);
  void order_lanes_as(Where where, const std::uint64_t* addresses, std::int64_t bytes, order::Use use,
                      order::Epoch epoch, bool constant = false);
  bool saw_last(std::uint64_t word) const;
  // … the access that writes it, if any.
  order::Epoch order_flags(const Code& code, const std::uint64_t* addresses, bool reads, FlagWrite writes);
  void order_flag_write(const Code& code, const std::uint64_t* addresses, std::int64_t bytes, bool reads,
                        FlagWrite writes, order::Use use);
  order::Knowledge& relaxed();
  void publish(Scope scope);
  bool any_narrow() const;
  bool any_relaxed() const;
  order::Clock published_widely() const;
  void tell_narrow(const Flag& flag, const Code& code, std::uint64_t word, order::Epoch written, FlagWrite writes);
  void fence_of_cta();
  void acquire_told(Scope scope);
  void order_fence(const Code& code);
  BarrierOrder& order_of(int rank, std::uint32_t offset);
  void order_init(int rank, std::uint32_t offset);
  void note_peer(BarrierOrder& of, bool reaches);
  void note_use(int rank, std::uint32_t offset);
  void order_invalidated(int rank, std::uint32_t offset);
  void reach_peer(int rank, std::uint32_t offset, std::uint32_t bytes);
  void use_barrier(int rank, std::uint32_t offset, bool asynchronous);
  void order_arrive(const Code& code, int rank, std::uint32_t offset, bool tells);
  void order_completed(int rank, std::uint32_t offset, bool completed);
  void order_waited(const Code& code, int rank, std::uint32_t offset);
  void order_named_arrive(std::uint32_t number, bool sync);
  void order_named_completed(std::uint32_t number);
  void order_named_waited(Warp& warp, std::uint32_t number);
  void order_cluster_arrive(const Code& code);
  void follow_cluster_barrier();
  void order_cluster_waited();
  void order_warp_sync();
  void order_grid_wait();
  void order_load(Load& load);
  void order_landed(const Load::Target& target);
  void order_store(const Store& store, int lane);
  void order_stores_done(bool written, std::uint64_t newest);
  void order_copy_async(const std::uint64_t* to, const std::uint64_t* from, std::int64_t bytes, std::uint32_t reading);
  void order_copies_closed();
  void order_copies_done(std::uint32_t newest, bool all);
  void order_copies_arrive(int rank, std::uint32_t offset);
  void order_remote(const Place& to, std::int64_t bytes, int rank, std::uint32_t barrier, bool adds);
  void order_request(std::uint32_t answer, std::uint32_t barrier, int rank, bool refused);
  void order_tensor_registers(bool load, std::uint32_t first_lanes, std::uint32_t lanes, std::uint32_t column,
                              std::uint32_t columns);
  void touch_loading(const Code& code);
  void tensor_loads_done(std::uint32_t time);
  void order_tensor_wait(bool load);
  void order_tensor_fence(bool after);
  order::Epoch queue_epoch(int lane);
  order::Epoch work_epoch(int lane);
  void order_mma(const machine::TensorCore::Ready& ready, const llvm::SmallVector<int, 2>& ctas, int lane);
  void order_tensor_copy(const machine::TensorCore::ReadyCopy& ready, const llvm::SmallVector<int, 2>& ctas, int lane);
  void order_tensor_shift(const machine::TensorCore::Shift& shift, const llvm::SmallVector<int, 2>& ctas, int lane);
  void order_commit(TensorWork& commit, int lane);
  void order_committed(const TensorWork& commit, std::size_t which);
  void order_allocated(std::uint32_t word, bool pair);
  void order_free(std::uint32_t column, std::uint32_t columns, bool pair);
  order::Agent& warpgroup_agent();
  void compute_registers(const Code& code, const machine::WarpgroupCore::Ready& ready);
  void order_wgmma(const Code& code, const machine::WarpgroupCore::Ready& ready);
  void touch_computed(const Code& code);
  void order_warpgroup_met(bool arrives);
  void order_warpgroup_complete();
  void order_wgmma_closed();
  void order_wgmma_done(std::uint32_t newest);
  void order_begin(Cluster& cluster);
  void order_end_of_warp();
  void leave_cta(int rank);

  // ---- races.cpp: what is said of it
  std::string shared_name(int rank, std::uint32_t offset, std::uint32_t bytes) const;
  std::string tensor_name(int rank, std::uint32_t column, std::uint32_t columns) const;
  std::string global_name(std::uint64_t address);
  std::string line_text(std::uint32_t line) const;
  std::string place_text(std::uint32_t line) const;
  std::string who_text(const order::Entry& entry) const;
  void tell_missed(int rank, std::uint32_t offset);
  void tell_overrun(const Warp& warp, const Group& group, std::int64_t phase, std::vector<std::string>& details) const;
  void tell_race(std::string text, std::vector<std::string> details, int kind);
  bool harmless(const order::Entry& first, const order::Entry& now);
  void tell_conflicts(const order::Actor& actor, const std::string& place);

  // ---- findings
  void add_finding(Finding::Kind kind, std::string text, std::vector<std::string> details);
  void report(Finding::Kind kind, std::string text, std::vector<std::string> details = {});
  void report_faults();
  void tell_early_reads();
  std::string where(const Warp& warp) const;
  int first_lane() const;
  Cta& cta() { return *cluster_->ctas[static_cast<std::size_t>(warp_->cta)]; }

  DeviceMemory& memory_;
  const FunctionCode& code_;
  const PtxLaunch& launch_;
  const Options& options_;
  Outcome& outcome_;
  int sms_;
  std::vector<std::uint8_t> params_;
  std::map<std::pair<std::array<std::uint8_t, 128>, BoxMode>, TensorMapFields> maps_;
  std::optional<bool> of_pairs_;  // the tensor core's instructions so far
  // Tensor memory that was read before anything had written it. Compilers that take a loop apart read so, and throw
  // away what they have read (Triton); where the program hangs it is more likely a wait that is missing, and is told.
  std::map<std::uint32_t, std::string> early_reads_;  // by line
  std::vector<std::unique_ptr<Cluster>> resident_;
  std::uint64_t next_cluster_ = 0, clusters_ = 0;
  std::uint64_t progress_ = 0;
  bool stopped_ = false;
  machine::Schedule schedule_;
  std::uint64_t random_ = 1;
  int turn_ = 0;           // instructions of a warp's turn
  bool watching_ = false;  // nothing has moved for a while
  bool patient_ = true;    // tests that fail wait; once nothing else moves they answer
  std::unique_ptr<LaunchOrder> ordering_;
  bool narrow_ = false;   // some fence or release is of the cluster's scope
  bool relaxes_ = false;  // some arrival at an mbarrier, or wait for one, is relaxed
  machine::TensorCore tensor_core_;
  machine::WarpgroupCore warpgroup_core_;
  machine::Faults faults_;
  std::map<std::pair<Finding::Kind, std::uint32_t>, std::pair<std::size_t, std::uint64_t>> told_;
  std::set<std::pair<std::uint32_t, std::string>> hangs_told_;  // by line and state

  // What runs.
  Cluster* cluster_ = nullptr;
  Warp* warp_ = nullptr;
  Group* group_ = nullptr;
  std::uint32_t line_ = 0, mask_ = 0;
};

}  // namespace warpcc::checker::ptx
