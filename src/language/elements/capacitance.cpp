// Capacitance, law C, n ports: potential storage of displacement. The dual of inertia.
//
//   C(C) ≈ [ E′ = ∫ C(x) dx from q⁻ to q⁺,  p′ = 0 ] ≫ ( e = C(q) ) ▶ C(C)      with q̇ = f
//
// Jump, derived: e = C(q) is finite while q moves, so its integral over the jump is p′ = 0; q′ is
// left to the junctions. Energy: Ė = e·f = C(q)·q̇, integrated over the path of q.
// In a field every eᵢ = Cᵢ(q₁ … qₙ), and likewise each p′ᵢ = 0.
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include "language/elements/definitions.hpp"

namespace cradle::elements {
namespace {

std::vector<Relation> flow(int ports, bool) {
  std::vector<Relation> relations;
  relations.reserve(static_cast<std::size_t>(ports));
  for (int i = 0; i < ports; ++i) {
    relations.push_back({.left = {{Variable::Effort, i, {}}}, .right = Right::StateLaw, .port = i});
  }
  return relations;
}

}  // namespace

const Definition capacitance = {Kind::C,
                                "C",
                                "capacitance",
                                -1,
                                Storage::Displacement,
                                true,
                                false,
                                Definition::Causality::PrefersEffort,
                                flow};

}  // namespace cradle::elements
