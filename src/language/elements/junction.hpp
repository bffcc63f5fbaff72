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

#include "language/elements/element.hpp"

namespace cradle::elements {

enum class JunctionKind { Zero, One };
enum class Inactive { Effort, Flow };

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

// The relations of an active junction of n bonds, as rows of a matrix: emit(row, variable, bond,
// factor) for each entry. First that each bond but the first shares its variable with the first,
// then the sum. `inward(i)`: the half-arrow of bond i points to the junction.
template <class Inward, class Emit>
void active_junction(JunctionKind kind, std::size_t n, const Inward& inward, const Emit& emit) {
  const Variable shared = shared_variable(kind);
  for (std::size_t i = 1; i < n; ++i) {
    emit(i - 1, shared, i, 1.0);
    emit(i - 1, shared, std::size_t{0}, -1.0);
  }
  for (std::size_t i = 0; i < n; ++i) emit(n - 1, dual(shared), i, inward(i) ? 1.0 : -1.0);
}

// The same as relations.
std::vector<Relation> active_junction(JunctionKind kind, const std::vector<bool>& inward);
// One for each bond: no_variable(kind) is zero.
std::vector<Relation> inactive_junction(Inactive kind, std::size_t bonds);

}  // namespace cradle::elements
