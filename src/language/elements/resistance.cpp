// Resistance, law R with x·R(x) ≥ 0: dissipation.
//
//   R(R) ≈ [ E′ = 0,  p′ = 0,  q′ = 0 ] ≫ ( e = R(f) ) ▶ R(R)
//
// Jump, as the paper assumes: what a resistance dissipates depends on the time that was abstracted
// away, so it takes no part in a jump: p′ = q′ = 0. Energy: Ė = e·f ≥ 0 leaves the system.
// The law may also be written the other way round, f = R(e).
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow(int, bool law_of_effort) {
  Variable result = law_of_effort ? Variable::Flow : Variable::Effort;
  Variable argument = law_of_effort ? Variable::Effort : Variable::Flow;
  return {{.left = {{result, 0, {}}}, .right = Right::PowerLaw, .argument = argument}};
}

}  // namespace

const Definition resistance = {
    Kind::R, "R", "resistance", 1, Storage::None, true, false, Definition::Causality::Either, flow};

}  // namespace cradle::elements
