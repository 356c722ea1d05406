// Runs a decoded program on the machine: the clusters of a launch, their warps by name and as coloured in step, with
// every line checked against what it is held to.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/check.h"
#include "checker/coverage.h"
#include "checker/interp/cluster.h"
#include "checker/interp/code.h"
#include "checker/interp/held.h"
#include "checker/interp/launches.h"
#include "checker/interp/order_table.h"
#include "checker/interp/ordering.h"
#include "checker/interp/shares.h"
#include "checker/interp/verdicts.h"
#include "checker/machine/global_memory.h"
#include "checker/machine/place_history.h"
#include "checker/machine/schedule.h"
#include "checker/machine/tensor_core.h"
#include "checker/machine/warpgroup_core.h"
#include "checker/report/findings.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::checker {

// What coverage has seen.
struct Cover {
  std::vector<bool> runs;                              // instructions
  std::vector<Written> buffers;                        // by buffer; those of other memory are empty
  std::vector<std::uint64_t> reached;                  // how often each was stored to
  std::vector<std::vector<std::int64_t>> last_writer;  // by buffer and 64 elements: a cluster
  std::vector<bool> unknown[4];                        // registers of the warp that runs, by file and named slot
  std::vector<std::optional<std::int64_t>> answers;    // to the cluster's requests
  std::size_t answers_taken = 0;                       // by the warp
  bool inside = false;                                 // the cluster has stored to a buffer
  std::string outside;                                 // … its first box that lies outside
  std::uint32_t outside_line = 0;
  struct Flag {
    std::int64_t last_raiser = -1, first_waiter = -1;  // clusters
    std::uint32_t waits_line = 0;
  };
  std::map<std::pair<std::size_t, std::int64_t>, Flag> flags;           // by buffer and element
  std::map<std::pair<int, machine::Coordinates>, std::uint64_t> loads;  // of boxes, by map and start
};

class Interpreter {
 public:
  Interpreter(const sass::Program& program, const Options& options, Outcome& outcome, Findings& findings);

  // Runs the kernel once, clusters that wait for each other: those `chosen`, which are the whole grid if `all`. Answers
  // whether they came to an end.
  bool launch(std::vector<std::int64_t> chosen, bool all);
  // The same of one share of clusters that run apart.
  bool launch(const Shares& shares, std::size_t which);

  // Another launch follows on the same memory.
  void begin_launch();
  // So many launches, each of which begins as soon as all CTAs of the one before have let it, or have exited, and the
  // schedule has it so. `over` is told of each that has ended: whether all of it did, and how many clusters it had.
  bool launch_overlapping(LaunchPlan plan, int launches,
                          llvm::function_ref<void(int launch, bool ended, std::int64_t began)> over);

  // In place of a launch: what all shares together store (coverage.cpp).
  void cover(const Shares& shares, Cover& cover);

  const Code& code() const { return code_; }
  // The memory of one that has run other clusters of the same launch: what they have stored is stored here.
  void take_memory(const Interpreter& other) {
    take_order(other);
    for (std::size_t i = 0; i < globals_.size(); ++i) globals_[i].take(other.globals_[i]);
  }
  // How many clusters it has begun since this was asked last, those among them that were handed out to others.
  std::int64_t began() {
    return std::exchange(launches_.back()->started, 0) + std::exchange(launches_.back()->handed_out, 0);
  }

  std::vector<OrderedPair> ordered() const { return order_table_.pairs(); }
  std::vector<UnorderedPair> unordered() const;

  const std::vector<machine::GlobalBuffer>& globals() const {
    return globals_;
  }  // by buffer; those of other memory are empty

 private:
  enum class Next : std::uint8_t { on, jumped, blocked, exited };
  using Lanes = std::uint32_t[kLanes];

  // ---- launch.cpp: the clusters of a launch
  void start(Launch& launch, Launch::Start which);
  void place(Cluster& cluster, std::int64_t number) const;
  bool run_clusters(std::size_t room);
  bool start_next(std::size_t room);
  bool run_round(const Launch* of);
  bool lingers(const Cluster& cluster) const;
  void give_up_oldest();
  bool run_slice(std::uint64_t turns);
  void run_on(Warp& warp);
  bool run_unwaited();
  bool wake_all();
  void end(std::size_t resident);
  void shuffle(std::vector<std::int64_t>& clusters);
  void fill(Launch& launch);
  std::uint64_t random(std::uint64_t below);
  std::optional<std::int64_t> hand_out();

  // ---- launches.cpp: launches that overlap
  Launch* launch_number(int number) const;
  bool is_resident(const Launch& launch) const;
  bool lets_next_start(const Launch& launch) const;
  bool begin_overlapping();
  bool end_launches();

  // ---- coverage.cpp
  // What of its share is left.
  Share cover_cluster(std::int64_t number, const Share& share);
  void cover_warp(Warp& warp);
  void cover_step(const Instruction& instruction);
  bool is_unknown(const Slot& slot) const;
  bool is_answer(const Instruction& instruction) const;
  void next_answer(Lanes* words);
  void cover_range(std::size_t buffer, std::int64_t first, std::int64_t count, bool adds);
  void cover_box(const Instruction& instruction);
  void cover_load(const Instruction& instruction);
  void cover_lanes(const Instruction& instruction, const Argument& at);
  void note_flag(std::size_t buffer, std::int64_t first, std::int64_t end, bool raises);
  void tell_flags();
  void tell_loads();
  void tell_missing(std::size_t buffer);

  // ---- polls.cpp: flags in global memory
  bool polls_again(std::size_t buffer, std::int64_t first, std::int64_t last, std::uint32_t value, std::uint64_t seen);
  void written(std::size_t buffer, std::int64_t first, std::int64_t count);
  void keep_old_flag(std::size_t buffer, std::int64_t element);
  const std::uint32_t* old_flag(std::size_t buffer, std::int64_t element);
  void report_poll(Warp& warp, std::string& text, std::vector<std::string>& details);

  // ---- interpreter.cpp: a warp's turn
  void run_turn(Warp& warp, int instructions);
  Next step(const Instruction& instruction);
  // What a role's lines reach is for the warps and CTAs that the role is of; its first lines may still choose them.
  void check_section();
  void finish_cluster();
  Scope scope() const;
  Cta& cta() { return *running_->ctas[static_cast<std::size_t>(warp_->cta)]; }
  Cta& cta_of(int rank) { return *running_->ctas[static_cast<std::size_t>(rank)]; }
  const Cta& cta_of(int rank) const { return *running_->ctas[static_cast<std::size_t>(rank)]; }
  void tell_no_work();
  void tell_unread();

  // ---- effects.cpp: what a warp does beside computing
  void find_effects();
  std::uint64_t effect_of(const Instruction& instruction);
  std::uint64_t effect_of(const Instruction& instruction, const Argument& argument) const;
  void note_effect(const Instruction& instruction, std::uint64_t effect, Next next);
  std::uint32_t raw(Slot slot, int lane) const;
  std::uint64_t contents(Slot slot, int parts) const;

  // ---- registers.cpp
  std::uint32_t execution_mask(const Instruction& instruction);
  std::uint32_t scalar(const Argument& argument, int part = 0) {
    std::uint32_t value = unsigned_scalar(argument, part);
    return argument.negated ? 0 - value : value;
  }
  const std::uint32_t* lanes(const Argument& argument, Lanes& buffer, int part = 0);
  // Without the minus that may stand before them.
  std::uint32_t unsigned_scalar(const Argument& argument, int part = 0) {
    if (argument.kind == sass::Operand::Kind::immediate)
      return static_cast<std::uint32_t>(part == 0 ? argument.number : argument.number < 0 ? -1 : argument.number >> 32);
    if (argument.slot.constant) return 0;
    Slot slot = part_of(argument.slot, part);
    return slot.file == isa::File::r ? read_lanes(slot)[first_lane_] : read_uniform(slot);
  }
  const std::uint32_t* unsigned_lanes(const Argument& argument, Lanes& buffer, int part = 0);
  std::uint32_t predicate(const Argument& argument);
  std::uint32_t read_uniform(Slot slot) {
    std::uint32_t named = warp_->named.ur[static_cast<std::size_t>(slot.name)];
    bool same = slot.hardware < 0 || warp_->hardware.ur[static_cast<std::size_t>(slot.hardware)] == named;
    return same && is_written(slot) ? named : read_wrong_uniform(slot);
  }
  std::uint32_t read_wrong_uniform(Slot slot);
  const std::uint32_t* read_lanes(Slot slot);
  void write_lanes(Slot slot, const std::uint32_t* values, std::uint32_t mask);
  void write_uniform(Slot slot, std::uint32_t value);
  void write_predicate(Slot slot, std::uint32_t value, std::uint32_t mask);
  bool is_written(Slot slot) const {
    return (mask_ & ~warp_->written[static_cast<int>(slot.file)][static_cast<std::size_t>(slot.name)]) == 0;
  }
  bool check_written(Slot slot) { return is_written(slot) || report_unwritten(slot); }
  bool report_unwritten(Slot slot);
  void check_range(Slot slot, std::uint32_t value);
  void differs(Slot slot, std::uint32_t named, std::uint32_t hardware);
  std::string slot_name(Slot slot) const;
  std::string argument_name(const Instruction& instruction, std::size_t argument) const;

  // ---- arithmetic.cpp
  bool arithmetic(const Instruction& instruction);
  template <typename F>
  void compute(const Instruction& instruction, std::size_t first_source, int sources, F function);
  template <typename F>
  void float_extreme(const Instruction& instruction, F a, F b);
  void compare(const Instruction& instruction);
  void predicate_logic(const Instruction& instruction);
  void add(const Instruction& instruction);
  void wide(const Instruction& instruction);
  void special(const Instruction& instruction);
  void between_lanes(const Instruction& instruction);
  std::uint32_t constant_word(std::int64_t offset) const;

  // ---- access.cpp: memory by lanes
  bool memory_access(const Instruction& instruction);
  void shared_access(const Instruction& instruction, Cta& of);
  void cluster_access(const Instruction& instruction);
  enum class Plain : std::uint8_t { no, yes, dense };
  Plain plain_access(const Lanes& addresses, std::uint32_t bytes, bool store, Cta& of);
  bool may_access(std::uint32_t address, std::uint32_t bytes, bool store, Cta& of);
  void global_access(const Instruction& instruction);
  void note_element(const Instruction& instruction, std::size_t buffer, std::int64_t byte);
  void tensor_access(const Instruction& instruction);
  std::uint32_t shared_address(const Argument& argument, int lane);
  void shared_addresses(const Argument& argument, Lanes& addresses);
  bool touches_barrier(Cta& cta, std::uint32_t offset, std::uint32_t bytes);
  void before_global();
  bool keeps(const machine::GlobalBuffer& buffer) const;

  // ---- accesses.cpp: what the order of accesses is told
  struct LaneElements {
    std::int32_t buffer[kLanes];  // -1: none
    std::int64_t element[kLanes];
    std::int64_t count = 1;  // elements that a lane reaches
    bool old = false;        // what it loads is not what is there now
  };
  order::Actor actor(order::Epoch epoch, order::Use use, bool asynchronous, order::Space space) const;
  int range_footprint(std::uint32_t offset, std::uint32_t bytes);
  void reach_peer(const Cta& peer, int footprint);
  void access_shared(int rank, int footprint, order::Actor actor);
  void access_tensor(int rank, int footprint, order::Actor actor);
  void access_global(std::size_t buffer, const order::Box& box, order::Actor actor);
  void order_lanes(const Lanes& addresses, std::uint32_t bytes, bool store);
  void order_global_lanes(const Instruction& instruction, const LaneElements& at);
  void order_flags(const Instruction& instruction, const LaneElements& at);
  void order_commit(TensorWork& commit);
  void meet_barrier(order::Barrier& barrier);
  void order_tensor_access(std::uint32_t column, int columns, bool load);
  void order_free(std::uint32_t column, std::int64_t columns);
  int operand_footprint(std::uint64_t bits, const machine::OperandImage& image);
  void order_mma(const machine::TensorCore::Ready& ready, llvm::ArrayRef<int> ranks);
  void order_warpgroup_mma(const machine::WarpgroupCore::Ready& ready);
  void order_copy_in(CopyIn& copy);
  void order_copy_across(CopyIn& copy);
  void order_copy_out(const CopyOut& copy);
  void order_request(Request& request);
  order::Box box_of(const machine::TensorMap& map, const machine::Coordinates& start) const;
  void use_barrier(BarrierState& state, Cta& of, bool asynchronous);
  void leave_cta(Cta& gone);
  void leave_global();
  void bring_global(const GlobalOrder& from, std::uint32_t serials, std::uint32_t first, std::uint32_t end);
  void take_order(const Interpreter& other);
  void trace_span(std::int64_t cta, std::int32_t track, std::string name, std::uint64_t since);
  void trace_wait(const std::string& what);
  void between_launches(std::size_t buffer, const order::Box& box, const order::Actor& actor);
  bool knows_grid_before() const { return warp_->order.knows().seen.covers(running_->grid_before); }
  bool orders_nothing() const { return !orders_nothing_.empty() && orders_nothing_[line_]; }
  // The present line, where it is to be remembered what orders what.
  std::uint32_t provenance() const { return pairs_ ? line_ : order::Edge::kNone; }

  // ---- races.cpp
  void tell_conflicts(const order::Actor& actor, const std::string& place, int rank);
  void tell_clusters(const order::Entry& first, const order::Entry& then, const std::string& place);
  void tell_before(const order::Entry& first, const order::Entry& then, const std::string& place, bool then_is_present);
  std::uint32_t statement(std::uint32_t line) const;
  std::string line_text(std::uint32_t line) const;
  std::string who_text(const order::Entry& entry) const;
  const Warp* warp_of(std::uint32_t who) const;
  std::string forgotten(const order::Entry& first, const order::Actor& actor) const;
  std::string group_text(const order::Entry& mma) const;
  std::string present_text() const;
  Occurrence occurrence(const order::Entry& entry) const;
  void recollect();

  // ---- synchronise.cpp
  std::optional<Next> synchronise(const Instruction& instruction);
  Next barrier_test(const Instruction& instruction);
  void barrier_init(const Instruction& instruction);
  void barrier_arrive(const Instruction& instruction);
  Next named_barrier(const Instruction& instruction);
  void complete_named(std::uint32_t id, const std::vector<int>& waiting);
  void leave_named();
  Next wait_scoreboard(const Instruction& instruction);
  Next allocate(const Instruction& instruction);
  BarrierState* barrier_at(int rank, std::uint32_t offset, bool create);
  std::string barrier_name(const Cta& cta, std::uint32_t offset) const;
  void completed(Cta& cta, BarrierState& barrier);
  void signal(int rank, std::uint32_t offset, const order::Knowledge* knows, std::uint32_t ticket);
  void fence(const Instruction& instruction);
  void follow_cluster_barrier();
  std::optional<std::pair<int, std::uint32_t>> cluster_address(std::uint32_t address, bool may_be_remote,
                                                               const char* what);

  // ---- copies.cpp: the copy engine
  void copy_in(const Instruction& instruction);
  void copy_across(const Instruction& instruction);
  void land(CopyIn& copy);
  void land_across(CopyIn& copy);
  void land_at(const CopyIn& copy, const CopyIn::Target& target, std::int64_t bytes);
  void copy_out(const Instruction& instruction);
  bool run_stores(bool unwaited);
  void read_store(CopyOut copy);
  void write_store(const CopyOut& copy);
  void note_box(const machine::TensorMap& map, const machine::Coordinates& start, machine::PlaceHistory::Use use);
  void store_is_done(Warp& warp);
  void close_group();

  // ---- valid.cpp: operands that came from behind a buffer's valid extents
  void check_valid(llvm::ArrayRef<const machine::OperandImage*> operands, int rank, std::uint64_t accumulator,
                   bool accumulates);

  // ---- asynchronous.cpp: the tensor core, work that is handed out, and what is done next
  bool asynchronous(const Instruction& instruction);
  void mma(const Instruction& instruction);
  void commit(const Instruction& instruction);
  void request_work(const Instruction& instruction);
  void answer(Request& request);
  // One piece of the running cluster's asynchronous work. Stores that no warp waits for come if nothing else can.
  bool run_asynchronous(bool unwaited_stores = true);
  bool run_load(std::size_t which);
  bool run_queue(bool committed);
  bool run_request();
  void run_tensor(std::deque<TensorWork>& queue);

  // ---- warpgroup.cpp: Hopper's MMAs, and setmaxnreg
  std::optional<Next> warpgroup(const Instruction& instruction);
  bool step_together(const WarpgroupStep& step);
  void touch(Slot slot, const char* does);
  bool check_fenced(Slot first, int count, bool reads, bool is_a);
  bool check_accumulator(Slot first, int count, std::uint32_t accumulator);
  void warpgroup_mma(const Instruction& instruction);
  Next warpgroup_wait(const Instruction& instruction);
  void run_computing(std::deque<WarpgroupWork>& queue);
  void compute(const WarpgroupWork& work);
  bool run_a_group(bool all);
  Next change_registers(const Instruction& instruction);
  void tell_too_few(const Instruction& instruction);  // where more registers are live than the thread has
  void finish_warpgroups();

  // ---- derived.cpp: lines that give a value
  void check_derived(const Instruction& instruction);
  void check_values(const Instruction& instruction, std::uint32_t mask);
  bool check_value(const Instruction& instruction, const HeldCode& held, int lane, std::uint32_t got);
  bool descriptor_reaches(const HeldCode& held, const Place& place, std::uint32_t word, bool high, std::string& why);
  bool instruction_descriptor_fits(const HeldCode& held, std::uint32_t word, std::string& why);

  // ---- reach.cpp: lines that reach something
  void check_reach(const Instruction& instruction);
  void check_reached(const Instruction& instruction, std::uint32_t mask);
  void reach_load(const Instruction& instruction);
  void reach_copy_across(const Instruction& instruction);
  void reach_request(const Instruction& instruction);
  void reach_store(const Instruction& instruction);
  void reach_mma(const Instruction& instruction);
  void reach_commit(const Instruction& instruction);
  void reach_barrier(const Instruction& instruction, std::uint32_t mask);
  void reach_lanes(const Instruction& instruction, std::uint32_t mask);
  void reach_tensor(const Instruction& instruction);
  void reach_named_barrier(const Instruction& instruction);
  const ViewCode* reached(const Instruction& instruction, std::size_t index, const HeldCode*& held) const;
  bool box_fits(const HeldCode& held, const ViewCode& view, const Place& place, const machine::TensorMap& map,
                std::uint32_t start);
  bool coordinates_fit(const HeldCode& held, const ViewCode& view, const machine::TensorMap& map, int map_index,
                       const machine::Coordinates& start);
  bool operand_fits(const HeldCode& held, const ViewCode& view, const Place& place, std::uint64_t bits,
                    layout::Major major, int rows, const char* name);
  bool accumulator_fits(const HeldCode& held, const ViewCode& view, const Place& place,
                        const layout::InstructionDescriptor& instruction, bool pair, std::int64_t relative);
  bool barrier_fits(const HeldCode& held, const ViewCode& view, std::uint32_t address, int lane);
  std::int64_t pipe_bytes(const ViewCode& view, int rank) const;
  void wrong(const HeldCode& held, int lane, std::string text);
  // ---- reach_fragment.cpp
  void reach_warpgroup_mma(const Instruction& instruction);
  struct InFragment;  // an MMA's operand in registers
  bool fragment_fits(const HeldCode& held, const ViewCode& view, const InFragment& operand);
  // Whose descriptors the target's are.
  layout::TensorCore core() const {
    return program_.target == isa::Target::sm_90a ? layout::TensorCore::wgmma : layout::TensorCore::tcgen05;
  }
  // Runs a check, unless it has been passed with all that it depends on as it is now.
  template <typename F>
  void remembering(std::int32_t number, F check);
  Verdicts::Key gather(const CheckCode& check);
  std::uint32_t number_of_contents(const std::uint32_t* lanes);
  // Whether the image check with this key has been passed before; remembers it when `passed` is called.
  bool known(std::uint64_t key) const { return known_.count(key) > 0; }

  // ---- hang.cpp
  void report_hangs();
  void report_hang(Warp& warp, const std::string& others);
  std::string alike(const Warp& warp, std::vector<bool>& told);
  std::string where(const Warp& warp) const;
  std::string line_at(std::uint32_t line) const;
  std::string whereabouts(const Cta& of, const sass::Section* section) const;
  std::string outstanding(const Cta& of, const BarrierState& barrier) const;
  void tell_unheard(const Cta& cta, const BarrierState& barrier);
  void tell_untaken(const Cta& cta, int named_barrier);
  std::vector<std::string> exit_details(const Cta& gone, const BarrierState* barrier) const;
  std::vector<std::string> unheard_details(const Cta& cta, const BarrierState& barrier) const;
  std::string rounds_text(const Cta& cta, const BarrierState& barrier) const;
  std::string roles_at(int barrier, bool waiting) const;
  std::vector<std::string> barrier_details(const Cta& cta, const BarrierState& barrier) const;

  // ---- findings with the present place
  void report(Finding::Kind kind, std::string text, std::vector<std::string> details = {});
  std::string place_text(std::uint32_t address) const;
  std::string with_places(std::string text) const;
  void report_faults(machine::Faults& faults);
  void report_faults(machine::Faults& faults, const Begun& begun);
  void progress() { ++progress_; }

  const sass::Program& program_;
  const Options& options_;
  Outcome& outcome_;
  Findings& findings_;
  Code code_;
  std::vector<machine::GlobalBuffer> globals_;
  std::vector<std::uint64_t> global_base_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<Verdicts> verdicts_;      // by check
  std::uint32_t key_[kMostInputs + 5];  // of the check that runs
  struct Contents {
    std::uint32_t number = 0;  // 0: none
    std::uint32_t lanes[kLanes];
  };
  std::vector<Contents> contents_;  // registers' contents by hash: a number for what 32 lanes hold
  std::uint32_t last_contents_ = 0;
  std::vector<bool> not_held_told_;
  bool unread_told_ = false;

  Ordering ordering_;
  OrderTable order_table_;
  order::Pairs* pairs_ = nullptr;     // told of accesses that are ordered
  std::vector<bool> orders_nothing_;  // by line, where some do not
  std::vector<bool> recollects_;      // by line, where some of their executions are to be told
  // Where effects are noted: by slot, the predicates that waits test, the registers that loads of flags fill, and with
  // these those that are computed from them.
  std::vector<bool> tests_, flags_, of_flags_;

  machine::Schedule schedule_;
  machine::TensorCore tensor_core_;
  machine::WarpgroupCore warpgroup_core_;
  machine::Faults faults_;
  std::uint64_t random_ = 0;
  std::int32_t track_ = -1;  // of the trace, what works at present; -1: the warp

  // Launches: those under way, and the one before them, oldest first.
  std::deque<std::unique_ptr<Launch>> launches_;
  bool overlapping_ = false;  // the next may begin before one has ended
  int launches_left_ = 0;     // to begin
  llvm::function_ref<void(int, bool, std::int64_t)> launch_over_;
  std::vector<std::unique_ptr<Cluster>> resident_;
  Cover* cover_ = nullptr;
  const Shares* shares_ = nullptr;    // of each launch, where clusters run apart
  bool all_chosen_ = false;           // what is to start can be handed out
  std::vector<std::int64_t> chosen_;  // in order
  std::int64_t clusters_ = 0;         // of the grid
  struct Poll {
    Cluster* cluster;
    int warp;
    std::size_t buffer;
    std::int64_t first, last;  // elements
  };
  std::vector<Poll> polls_;              // of warps that sleep
  std::vector<std::uint64_t> executed_;  // by line, in the clusters that have ended
  std::uint64_t progress_ = 0;
  int warps_per_cta_ = 0;
  bool stopped_ = false;  // an instruction that the machine lacks, a trap

  // The instruction that runs.
  Cluster* running_ = nullptr;
  Warp* warp_ = nullptr;
  std::uint32_t line_ = 0;
  std::uint32_t mask_ = 0;
  int first_lane_ = 0;
};

template <typename F>
void Interpreter::remembering(std::int32_t number, F check) {
  const CheckCode& code = code_.checks[static_cast<std::size_t>(number)];
  outcome_.operands_checked += code.operands;
  if (!code.remembered) {
    check();
    return;
  }
  Verdicts& verdicts = verdicts_[static_cast<std::size_t>(number)];
  Verdicts::Key key = gather(code);
  if (verdicts.passed(key)) return;
  std::uint64_t wrong = outcome_.operands_wrong;
  check();
  if (outcome_.operands_wrong == wrong) verdicts.remember(key);
}

}  // namespace warpcc::checker
