#pragma once
// The energy audit (semantics, section 9): every jump and every real interval.
//
//   store:     E′ = ∫ law from x⁻ to x⁺
//   source:    the work e·f over an interval; across a jump s·q′ (Se), s·p′ (Sf)
//   resistor:  e·f over an interval; nothing across a jump
//   switching: what the stores lose in a jump beyond the work of sources, booked to the junctions
//              that switched: Σ± ½(e⁻ + e⁺) q′ + ½(f⁻ + f⁺) p′ over their bonds

#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"
#include "core/engine/tick_evaluator.hpp"

namespace cradle::engine {

class Audit {
 public:
  Audit(Runtime& runtime, FlowEvaluator& flow, FlowEvaluator& arrival, TickEvaluator& tick);

  void begin();
  // A cluster has evolved to t with dense output: adds the work and dissipation since the last
  // call.
  void evolved(Cluster& cluster, double t);
  // A slot jumps, before x is committed. `switched`: junctions that changed their activity at this
  // ε-step. Returns the energy that came from nowhere, or 0.
  double jumped(Slot& slot, const std::vector<JunctionId>& switched);
  // An action of a transition, or the new start of a mode, gives a store another content.
  void assigned(StateId state, double value);
  EnergyAudit result();
  // What a store holds at present, more than when it is empty.
  double stored(ElementId id);

 private:
  double stored_change(const model::Element& element, const std::vector<double>& from,
                       const std::vector<double>& to);
  double bond_energy(Slot& slot, BondId bond, const std::vector<double>& impulses);

  Runtime& runtime_;
  FlowEvaluator& flow_;
  FlowEvaluator& arrival_;
  TickEvaluator& tick_;
  std::vector<double> work_flowing_, work_jumping_;  // by element
  std::vector<double> store_jumping_;                // by element
  std::vector<double> switch_loss_;                  // by junction
  std::vector<double> x_start_;
  double by_actions_ = 0;
  double unbooked_ = 0;  // lost in jumps without a junction that switched
};

}  // namespace cradle::engine
