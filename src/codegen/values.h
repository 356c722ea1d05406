// Derived values: each made in one place, once for all operands that share it, where its binding time says
// (language.md, section 13, rules 1 to 4).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/address.h"
#include "codegen/declare.h"
#include "codegen/emit.h"
#include "codegen/names.h"
#include "llvm/ADT/ArrayRef.h"
#include "support/diagnostics.h"

namespace warpcc::codegen {

// What an operand needs: a number, or the address or descriptor of a view.
struct Quantity {
  enum class Kind : std::uint8_t { number, shared, descriptor, tensor };
  Kind kind = Kind::number;
  Form number;                  // of a number
  Reference view;               // of the others
  std::int64_t low_fields = 0;  // descriptor: what its low word has beside the address
  std::string name;             // of the value that it becomes
};

// A register and a constant to be added to it; without a register the constant alone.
struct Derived {
  std::optional<Reg> reg;
  std::int64_t offset = 0;
};

// A loop whose counter is in sight.
struct OpenLoop {
  kernel::CounterId counter = kernel::CounterId::none;
  Reg reg;  // the counter's
  Place before = Place::none, steps = Place::none;
  Form begin;
  std::int64_t step = 1;
};

class Values {
 public:
  Values(const kernel::Kernel& kernel, const Memory& memory, const Declared& declared, sass::Program& program,
         Emit& emit, Names& names, Diagnostics& diagnostics)
      : kernel_(kernel),
        memory_(memory),
        declared_(declared),
        program_(program),
        emit_(emit),
        names_(names),
        diagnostics_(diagnostics),
        addresses_(kernel, memory) {}

  // ---- Where the code stands

  // The code of a section begins. `first_warp` .. `end_warp`: the warps that run it; `warp` counts from `first_warp`.
  void enter_section(int first_warp, int end_warp, std::vector<kernel::Pin> at, Place head);
  // A block of `start` or `finish` that some warps run alone: what is fixed is made at its head.
  void enter_block(Place head) { heads_.push_back(head); }
  void leave_block() { heads_.pop_back(); }
  Place head() const { return heads_.back(); }
  // Where tensor memory's base may be loaded: after the meeting.
  void meeting_at(Place place) { meeting_ = place; }

  void open_loop(OpenLoop loop) { loops_.push_back(std::move(loop)); }
  void close_loop() { loops_.pop_back(); }

  // The symbol has a new value from this place on.
  void written(Symbol symbol, Place place) { where_[symbol] = place; }
  std::map<Symbol, Place> known() const { return where_; }
  void known(std::map<Symbol, Place> where) { where_ = std::move(where); }
  // What the statement at hand is, for complaints.
  void at_statement(SourceRange where) { statement_ = where; }

  // ---- Registers

  Reg reg(const kernel::RegisterOperand& operand) { return part(reg(operand.id), operand.part); }
  Reg reg(kernel::RegisterId id);
  // The registers of an end's ring: made where the role's code begins.
  struct Ring {
    Reg position, parity, stays, stays_lane;
    Reg last;  // the position of the stage that is held on
  };
  Ring& ring(kernel::EndId id);
  Reg warp_index();          // of the CTA's warps
  Reg fixed(Symbol symbol);  // lane, warp, an axis …
  Reg elected();             // the predicate of the elected lane
  Reg tensor_base(const std::string& name);
  Reg window();               // rank << 24: what a shared address has beside its offset
  std::optional<Reg> rank();  // of the CTA in its cluster; none without a cluster

  // ---- Forms and held expressions

  // An index under what is known of this section: pinned axes, a single warp.
  Form form(const kernel::Index& index) const;
  const std::vector<kernel::Pin>& pins() const { return pins_; }
  const Addresses& addresses() const { return addresses_; }
  sass::Expr expr(const Form& form);
  sass::View view(const Reference& reference);
  sass::Held held(const Quantity& quantity);
  sass::Held number(const Form& form);
  // What a line of the program reaches: a view, or several in the order of the statement.
  static sass::Held reach(sass::View view);
  std::vector<sass::Held> reach(llvm::ArrayRef<Reference> references);

  // ---- Derived values

  Derived derive(const Quantity& quantity);
  // The value with its constant in one register, uniform or a lane's.
  Reg derive_whole(const Quantity& quantity);
  // The same in a lane's register.
  Reg derive_lane(const Quantity& quantity);
  // The address of an element of a swizzled tile in shared memory: a lane's register, and an offset in bytes.
  Derived derive_swizzled(const Reference& reference, const std::string& name);
  // The address of an element in global memory: a pair of a lane's registers, and an offset in bytes.
  Derived derive_global(const Reference& reference);
  // A lane's predicate that changes with a form alone, made where that is known: `make` writes its line there.
  template <typename Make>
  Reg fact_of(const Form& form, const std::string& key, std::string_view name, Make make) {
    Place place = place_of(form);
    Reg predicate = named(key, name, kLanePredicate);
    if (!is_made(key, place)) {
      made_[key] = {predicate, place};
      make(place, predicate);
    }
    return predicate;
  }
  // Sets one register of an instruction's group: where the value is known if `hoist`, else at `here`.
  void set(Reg component, const Quantity& quantity, Place here, bool hoist);
  // Whether a form may change with a ring or a counter.
  static bool changes_in_loops(const Form& form);
  Form form(const Quantity& quantity);

  // A value made once a head from nothing but constants and fixed indices; `make` writes its lines into the head.
  template <typename Make>
  Reg once(const std::string& key, Make make) {
    if (auto made = made_at_head(key)) return *made;
    Place head = heads_.back();
    Reg reg = make(head);
    made_[key] = {reg, head};
    return reg;
  }
  // A value by key: the same register wherever the key is made again in this section.
  Reg named(const std::string& key, std::string_view name, const ValueKind& kind, bool fixed_index = false);

 private:
  struct Made {
    Reg reg;
    Place place = Place::none;
  };
  struct Part {
    Symbol symbol;
    std::int64_t factor = 1;
  };

  std::optional<Reg> made_at_head(const std::string& key) const;
  // Whether the value of this key is there already, at a place that holds.
  bool is_made(const std::string& key, Place place) const;
  Reg pointer(kernel::BufferId buffer);
  sass::Held global_held(const Reference& reference);
  Place place_of(Symbol symbol) const;
  Place place_of(const Form& form) const;
  bool is_lane(Symbol symbol) const;
  Reg source(Symbol symbol);
  const OpenLoop* loop_of(Symbol symbol) const;

  Quantity bare(const Quantity& quantity) const;
  Quantity only(const Quantity& quantity, const std::vector<Symbol>& symbols) const;
  std::string key_of(const Quantity& quantity, const Form& form) const;

  // The value of a quantity; into `target`, with `offset` added, if one is given.
  std::optional<Reg> make(const Quantity& quantity, std::optional<Reg> target, std::int64_t offset);
  std::optional<Reg> make_uniform(const Quantity& quantity, const Form& form, std::optional<Reg> target,
                                  std::int64_t offset);
  Reg make_lane(const Quantity& quantity, const Form& form, std::optional<Reg> target, std::int64_t offset);
  std::optional<Reg> base(const Quantity& quantity);
  Reg in_other_cta(const Quantity& quantity);
  Reg induction(const Quantity& quantity, std::optional<Reg> from, const std::vector<Symbol>& before, Symbol counter,
                std::int64_t factor);
  void sum(Place place, Reg d, std::optional<Reg> from, std::int64_t constant, std::vector<Part> parts,
           const Quantity& quantity, std::vector<Symbol> before, std::int64_t offset);
  Reg divided(const kernel::Divided& divided, Symbol symbol);
  Reg axis(Symbol symbol);

  const kernel::Kernel& kernel_;
  const Memory& memory_;
  const Declared& declared_;
  sass::Program& program_;
  Emit& emit_;
  Names& names_;
  Diagnostics& diagnostics_;
  Addresses addresses_;

  std::vector<kernel::Pin> pins_;
  int first_warp_ = 0, warps_ = 1;
  std::vector<Place> heads_;
  Place meeting_ = Place::none;
  std::vector<OpenLoop> loops_;
  std::map<Symbol, Place> where_;
  SourceRange statement_{};

  std::unordered_map<std::string, Made> made_;
  std::unordered_map<std::string, Reg> named_;
  std::map<kernel::EndId, Ring> rings_;
  std::map<kernel::RegisterId, Reg> registers_;  // of this section
  std::optional<Reg> warp_index_;                // made in .start, for all
};

}  // namespace warpcc::codegen
