#pragma once
// How bonds, junctions and conflicts are called in messages and listings.

#include <string>

#include "theory/causality/causality.hpp"

namespace cradle::causality {

std::string end_name(const model::Model& model, const model::End& end);  // "v1", "coil[2]"
std::string bond_ends(const model::Model& model, BondId id);             // "v1 -> F13"
std::string junction_name(const model::Model& model, JunctionId id);     // "0-junction n1"
const char* variable_name(elements::Variable variable);                  // "effort", "flow"
std::string summary(const model::Model& model, const Conflict& conflict);

}  // namespace cradle::causality
