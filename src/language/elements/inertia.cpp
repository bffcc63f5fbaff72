// Inertia (inductance), law I, n ports: kinetic storage of momentum.
//
//   I(I) ≈ [ E′ = ∫ I(x) dx from p⁻ to p⁺,  q′ = 0 ] ≫ ( f = I(p) ) ▶ I(I)      with ṗ = e
//
// Jump, derived: f = I(p) is finite while p moves, so its integral over the jump is q′ = 0; p′ is
// left to the junctions. Energy: Ė = e·f = ṗ·I(p), integrated over the path of p.
// In a field every fᵢ = Iᵢ(p₁ … pₙ), and likewise each q′ᵢ = 0.
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow(int ports, bool) {
  std::vector<Relation> relations;
  relations.reserve(static_cast<std::size_t>(ports));
  for (int i = 0; i < ports; ++i) {
    relations.push_back({.left = {{Variable::Flow, i, {}}}, .right = Right::StateLaw, .port = i});
  }
  return relations;
}

}  // namespace

const Definition inertia = {
    Kind::I, "I", "inertia", -1, Storage::Momentum, true, false, Definition::Causality::PrefersFlow,
    flow};

}  // namespace cradle::elements
