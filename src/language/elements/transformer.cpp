// Transformer, modulus n. Port 1 has its half-arrow pointing in, port 2 out.
//
//   TF(n) ≈ [ p′₁ = n·p′₂,  q′₂ = n·q′₁,  E′ = 0 ] ≫ ( e₁ = n·e₂,  f₂ = n·f₁ ) ▶ TF(n)
//
// Jump, derived: both relations integrated over the jump, with n as it stands there.
// Energy: e₁·f₁ = n·e₂·f₁ = e₂·f₂, so what comes in goes out.
// By the method of Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow(int, bool) {
  constexpr Coefficient minus_n = {.factor = -1, .modulus = true};
  return {{.left = {{Variable::Effort, 0, {}}, {Variable::Effort, 1, minus_n}}},
          {.left = {{Variable::Flow, 1, {}}, {Variable::Flow, 0, minus_n}}}};
}

}  // namespace

const Definition transformer = {Kind::TF,      "TF",  "transformer", 2,
                                Storage::None, false, true,          Definition::Causality::Same,
                                flow};

}  // namespace cradle::elements
