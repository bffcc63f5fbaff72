#pragma once
// Junctions, defined once, as elements are: by relations over their bonds while time flows.
//
//   0: equal e, Σ± f = 0        inactive, kind E: all e = 0
//   1: the dual of 0            inactive, kind F: its dual
//
// ± is + where the half-arrow points to the junction. What holds across a jump follows by
// integration, as for elements (jump.hpp).
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include <vector>

#include "elements/element.hpp"

namespace cradle::elements {

enum class JunctionKind { Zero, One };
enum class Inactive { Effort, Flow };

// First the sum, then for each bond but the first that it shares its variable with the first.
std::vector<Relation> active_junction(JunctionKind kind, const std::vector<bool>& inward);
// One for each bond.
std::vector<Relation> inactive_junction(Inactive kind, std::size_t bonds);

// What all bonds of a junction have in common, and what is summed.
inline Variable shared_variable(JunctionKind kind) {
  return kind == JunctionKind::Zero ? Variable::Effort : Variable::Flow;
}
inline Variable dual(Variable v) {
  return v == Variable::Effort ? Variable::Flow : Variable::Effort;
}
inline Variable no_variable(Inactive kind) {
  return kind == Inactive::Effort ? Variable::Effort : Variable::Flow;
}

}  // namespace cradle::elements
