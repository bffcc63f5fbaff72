// Effort source, s with ∂s/∂q = 0.
//
//   E(s) ≈ [ E′ = s·q′,  p′ = 0 ] ≫ ( e = s ) ▶ E(s)
//
// Jump, derived: the integral of s over the jump is p′ = 0, or the weight b of s = a + bω if the
// source itself carries an impulse. Energy: Ė = s·f, so E′ = s·q′.
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow(int, bool) {
  return {{.left = {{Variable::Effort, 0, {}}}, .right = Right::Source}};
}

}  // namespace

const Definition effort_source = {
    Kind::Se,      "Se",  "effort source", 1,
    Storage::None, false, false,           Definition::Causality::SetsEffort,
    flow};

}  // namespace cradle::elements
