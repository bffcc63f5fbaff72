#pragma once
// Whether two flat models are the same, up to names and to signals that only the second has.

#include <string>
#include <unordered_map>
#include <vector>

#include "language/model/model.hpp"

namespace cradle::reduce {

// What things of the first are called in the second, by id; bonds of the first in the second's
// order.
struct Correspondence {
  std::vector<std::string> elements, junctions, automata, signals, parameters;
  std::vector<BondId> bonds;
  std::unordered_map<std::string, std::string> shapes;  // by name
};

// What differs, in the names of the first; empty if nothing does.
std::string difference(const model::Model& a, const model::Model& b, const Correspondence& same);

}  // namespace cradle::reduce
