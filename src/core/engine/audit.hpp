#pragma once
// The energy audit (semantics, section 9): every jump and every real interval.
//
//   store:     E′ = ∫ law from x⁻ to x⁺
//   source:    the work e·f over an interval; across a jump s·q′ (Se), s·p′ (Sf)
//   resistor:  e·f over an interval; nothing across a jump
//   switching: what the stores lose in a jump beyond the work of sources, booked to the junctions
//              that switched: Σ± ½(e⁻ + e⁺) q′ + ½(f⁻ + f⁺) p′ over their bonds

#include <vector>

#include "core/engine/eyes.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

class Audit {
 public:
  // What has been written down so far: a value.
  struct Books {
    std::vector<double> work_flowing, work_jumping;  // by element
    std::vector<double> store_jumping;               // by element
    std::vector<double> switch_loss;                 // by junction
    std::vector<double> x_start;
    std::vector<double> seen;  // by unit: up to here
    double by_actions = 0;
    double unbooked = 0;  // lost in jumps without a junction that switched
    bool operator==(const Books&) const = default;
  };

  Audit(Runtime& runtime, Eyes& eyes);

  void begin();
  // A cluster has evolved to t with dense output: adds the work and dissipation since the last
  // call.
  void evolved(const Cluster& cluster, double t);
  // A slot jumps, before x is committed. `switched`: junctions that changed their activity at this
  // ε-step. Returns the energy that came from nowhere, or 0.
  double jumped(Slot& slot, const std::vector<JunctionId>& switched);
  // An action of a transition, or the new start of a mode, gives a store another content.
  void assigned(StateId state, double value);
  EnergyAudit result();
  const Books& books() const { return books_; }
  void remember(const Books& books) { books_ = books; }
  // What a store holds at present, more than when it is empty.
  double stored(ElementId id);

 private:
  double stored_change(const model::Element& element, const std::vector<double>& from,
                       const std::vector<double>& to);
  double bond_energy(Slot& slot, BondId bond, const std::vector<double>& impulses,
                     TickEvaluator& tick, FlowEvaluator& arrival);

  Runtime& runtime_;
  Eyes& eyes_;
  Books books_;
};

}  // namespace cradle::engine
