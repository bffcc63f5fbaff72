// Gyrator, modulus r. Port 1 has its half-arrow pointing in, port 2 out.
//
//   GY(r) ≈ [ p′₁ = r·q′₂,  p′₂ = r·q′₁,  E′ = 0 ] ≫ ( e₁ = r·f₂,  e₂ = r·f₁ ) ▶ GY(r)
//
// Jump, derived: both relations integrated over the jump, with r as it stands there.
// Energy: e₁·f₁ = r·f₂·f₁ = e₂·f₂, so what comes in goes out.
// By the method of Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow(int, bool) {
  constexpr Coefficient minus_r = {.factor = -1, .modulus = true};
  return {{.left = {{Variable::Effort, 0, {}}, {Variable::Flow, 1, minus_r}}},
          {.left = {{Variable::Effort, 1, {}}, {Variable::Flow, 0, minus_r}}}};
}

}  // namespace

const Definition gyrator = {
    Kind::GY, "GY", "gyrator", 2, Storage::None, false, true, Definition::Causality::Crossed, flow};

}  // namespace cradle::elements
