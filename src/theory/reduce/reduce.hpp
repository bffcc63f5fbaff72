#pragma once
// Graph reduction: the classical equivalences of bond graphs, with what makes them valid for hybrid
// ones. Each rule eliminates variables that the relations of the remaining graph determine, while
// time flows, across jumps and in the books of energy; the proofs stand at the rules in reduce.cpp.
//
//   model::Model ─reduce→ model::Model with fewer bonds
//
// Cuijpers, Broenink, Mosterman: Constitutive Hybrid Processes, section 5, expects this of the
// existing rules "modulo elimination of variables associated with connections between junctions".

#include <memory>
#include <string>
#include <vector>

#include "language/model/model.hpp"

namespace cradle::reduce {

struct Step {
  std::string rule;  // "merge", "merge-controlled", "vanish", "combine", "unit", "empty"
  std::string what;  // in the user's names
  std::string why;   // the relations that allow it
};

struct Reduction {
  std::unique_ptr<model::Model> model;
  std::vector<Step> steps;
  std::vector<std::string> moved;  // names that can be read and are read elsewhere now; sorted
};

// Every name that could be read in the model can be read in the reduced one.
Reduction reduce(const model::Model& model);

}  // namespace cradle::reduce
