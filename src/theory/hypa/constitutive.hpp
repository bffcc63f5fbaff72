#pragma once
// The constitutive process of every element, junction and bond:
//
//   X ≈ [jump] ≫ (flow) ▶ X        with ⊕ between the modes of a controlled junction
//
// from the definitions in src/language/elements, which the engine compiles too. What holds across a
// jump is derived by integration, dual forms by duality: nothing is typed in twice. Cuijpers,
// Broenink, Mosterman: Constitutive Hybrid Processes, section 3.

#include <span>
#include <string>

#include "language/elements/junction.hpp"
#include "theory/hypa/term.hpp"

namespace cradle::hypa {

struct ElementParts {
  std::string name;
  const elements::Definition* definition = nullptr;
  std::vector<BondVariables> ports;
  std::vector<ExprId> laws;  // by port, over Local(port) …; of R: over Local(0)
  bool law_of_effort = false;
  ExprId signal;  // source or modulus
};
Process element_process(Vocabulary& v, const ElementParts& parts);

struct JunctionPort {
  BondVariables bond;
  bool inward = true;
};
struct JunctionParts {
  std::string name;
  elements::JunctionKind kind;
  std::vector<JunctionPort> bonds;
  elements::Inactive inactive = elements::Inactive::Effort;
  // Of a controlled junction: when it is active, and when not. Invalid: an ordinary junction.
  ExprId act, inact;
};
Process junction_process(Vocabulary& v, const JunctionParts& parts);

// B ≈ [true] ≫ (Ė = e·f, ṗ = e, q̇ = f) ▶ B
Process bond_process(Vocabulary& v, const std::string& name, const BondVariables& bond);

}  // namespace cradle::hypa
