// Flow source, s with ∂s/∂p = 0. The dual of the effort source.
//
//   F(s) ≈ [ E′ = s·p′,  q′ = 0 ] ≫ ( f = s ) ▶ F(s)
//
// Jump, derived: the integral of s over the jump is q′ = 0, or the weight b of s = a + bω if the
// source itself carries an impulse. Energy: Ė = e·s, so E′ = s·p′.
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow_is_source(int, bool) {
  return {{.left = {{Variable::Flow, 0, {}}}, .right = Right::Source}};
}

}  // namespace

const Definition flow_source = {
    Kind::Sf,      "Sf",  "flow source", 1,
    Storage::None, false, false,         Definition::Causality::SetsFlow,
    flow_is_source};

}  // namespace cradle::elements
