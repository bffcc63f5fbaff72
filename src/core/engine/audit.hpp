#pragma once
// The energy audit (semantics, section 9): every jump and every real interval.
//
//   store:      E′ = ∫ law from x⁻ to x⁺
//   source:     the work e·f over an interval; across a jump s·q′ (Se), s·p′ (Sf)
//   resistor:   e·f over an interval; nothing across a jump
//   modulation: a law that changes with a signal does work on its store: what the store has gained
//               beyond what came through its bonds. That is work of the signal
//   switching:  what the stores lose in a jump beyond the work of sources, booked to the junctions
//               that switched, by what each took: Σ± ½(e⁻ + e⁺) q′ + ½(f⁻ + f⁺) p′ over their
//               bonds. An impact law (a source at the junction that reads `pre`, as a restitution
//               does) is a part of the switch, and has no work of its own
//
// Over real intervals the books are judged: what stores gain is what bonds bring them. What is left
// over is compared with what the tolerance explains.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/engine/eyes.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

// What is measured in a cluster, whenever it is in force: made once, and kept with it.
struct Metering {
  // The power of one bond of an element, into it or, of a source, along the bond.
  struct Bond {
    ElementId element;
    Slot* slot = nullptr;
    int effort = 0;  // among the slot's variables; the flow is the next one
    double sign = 1;
  };
  // A store of which effort or flow is factor · x + offset.
  struct LinearStore {
    ElementId element;
    std::size_t component;  // of x in the cluster
    double factor, offset;
  };
  std::vector<Bond> bonds;
  std::vector<LinearStore> linear;
  std::vector<ElementId> bent;     // the other stores
  std::unique_ptr<FlowCode> code;  // of effort and flow of each bond; null where there is none
  bool counted = false;

  std::size_t bytes() const {
    return sizeof *this + bonds.capacity() * sizeof(Bond) +
           linear.capacity() * sizeof(LinearStore) + bent.capacity() * sizeof(ElementId) +
           (code ? code->bytes() : 0);
  }
};

class Audit {
 public:
  // What has been written down so far: a value.
  struct Books {
    std::vector<double> work_flowing, work_jumping;              // by element
    std::vector<double> modulation_flowing, modulation_jumping;  // by element: on it
    std::vector<double> turnover;                                // by element: ∫ |e·f|
    std::vector<double> energy;         // by element: of a modulated store, when last looked at
    std::vector<double> energy_start;   // by element: of a modulated store
    std::vector<double> store_jumping;  // by element
    std::vector<double> switch_loss;    // by junction
    std::vector<double> x_start;
    std::vector<double> seen;  // by unit: up to here
    double by_actions = 0;
    double unbooked = 0;     // lost in jumps without a junction that switched
    double unaccounted = 0;  // over real intervals
    double explained = 0;    // of that, by tolerances
    double worst = 0, worst_begin = 0, worst_end = 0;  // where the most of it arose
    int32_t worst_store = -1;                          // element that changed most there
    bool operator==(const Books&) const = default;
  };
  // What a jump has done.
  struct Jump {
    double lost = 0;       // by the stores, beyond the work of sources; negative: gained
    double magnitude = 0;  // of the energies that were compared
    double rounding = 0;   // what rounding of states may have made of them
    bool is_lost() const { return lost > kClear * magnitude; }
    bool is_created() const { return lost < -kClear * magnitude - rounding - 1e-300; }
    static constexpr double kClear = 1e-9;  // beyond rounding
  };
  struct Discrepancy {
    double amount = 0, explained = 0;
    double begin = 0, end = 0;  // where the most of it arose
    ElementId store;            // that changed most there; may be invalid
  };

  Audit(Runtime& runtime, Eyes& eyes);

  void begin();
  // A cluster has evolved to t with dense output: adds the work and dissipation since the last
  // call.
  void evolved(Cluster& cluster, double t);
  // A slot jumps, before x is committed. `switched`: junctions that changed their activity at this
  // ε-step.
  Jump jumped(Slot& slot, const std::vector<JunctionId>& switched);
  // An action of a transition, or the new start of a mode, gives a store another content.
  void assigned(StateId state, double value);
  // An instant is over: laws may have changed with their signals.
  void settled();
  EnergyAudit result();
  // More than tolerances explain.
  std::optional<Discrepancy> discrepancy() const;
  const Books& books() const { return books_; }
  void remember(const Books& books) { books_ = books; }
  // What a store holds at present, more than when it is empty.
  double stored(ElementId id);

 private:
  struct Meter {
    const Metering::Bond* bond = nullptr;
    int place = 0;  // among those of the cluster
    double work = 0, turnover = 0;
  };
  struct Panel {
    double begin = 0, end = 0;
  };

  bool is_modulated(ElementId id) const { return !modulators_[at(id)].empty(); }
  int variable_of(const Slot& slot, BondId bond) const;
  std::unique_ptr<Metering> meter(const Cluster& cluster);
  void add_bonds(Metering& metering, Slot& slot, ElementId id) const;
  void add_store(Metering& metering, const Slot& slot, ElementId id) const;
  void read_meters(Cluster& cluster);
  void read_powers(double t, std::span<double> powers);
  void integrate(double from, double to, int panels);
  bool add_panel(const Panel& panel, bool at_any_rate);
  double evolved_stores(const Cluster& cluster, double from, double t, double& explained);
  double evolved_store(ElementId id, double from, double t, double& explained);
  double stored(ElementId id, double t);
  double energy_of_rounding(const model::Element& element, const std::vector<double>& at_states);
  double stored_change(const model::Element& element, const std::vector<double>& from,
                       const std::vector<double>& to, double t);
  double bond_energy(Slot& slot, BondId bond, const std::vector<double>& impulses,
                     InstantEvaluator& inside, FlowEvaluator& arrival);
  bool is_impact(ElementId id, const std::vector<JunctionId>& switched) const;
  double work_of(Slot& slot, const model::Element& source, const std::vector<double>& impulses,
                 InstantEvaluator& inside, FlowEvaluator& arrival);
  double taken_by(JunctionId junction, Slot& slot, const std::vector<double>& impulses,
                  const std::vector<JunctionId>& switched, InstantEvaluator& inside,
                  FlowEvaluator& arrival, bool& here);
  void book_loss(double lost);

  Runtime& runtime_;
  Eyes& eyes_;
  Books books_;
  std::vector<std::string> modulators_;  // by element: what its law reads; empty: nothing
  std::vector<ElementId> modulated_;
  std::vector<char> reads_pre_;  // by element: a source
  // Scratch.
  std::vector<Meter> meters_;
  const Cluster* measured_ = nullptr;  // whose they are
  bool by_code_ = false;
  std::vector<double> x_, x_from_, variables_;
  std::vector<double> powers_;  // node by node
  std::vector<Panel> panels_;
  double turnover_ = 0;  // of all meters, so far
  std::vector<double> from_, to_;
  ElementId changed_most_;
  std::vector<std::pair<JunctionId, double>> shares_;
};

}  // namespace cradle::engine
