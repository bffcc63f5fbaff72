#include "language/elements/junction.hpp"

namespace cradle::elements {

std::vector<Relation> active_junction(JunctionKind kind, const std::vector<bool>& inward) {
  std::vector<Relation> relations(inward.size());
  active_junction(
      kind, inward.size(), [&](std::size_t i) { return inward[i]; },
      [&](std::size_t row, Variable variable, std::size_t bond, double factor) {
        relations[row].left.push_back({variable, static_cast<int>(bond), {.factor = factor}});
      });
  return relations;
}

std::vector<Relation> inactive_junction(Inactive kind, std::size_t bonds) {
  std::vector<Relation> relations;
  for (std::size_t i = 0; i < bonds; ++i) {
    relations.push_back({.left = {{no_variable(kind), static_cast<int>(i), {}}}});
  }
  return relations;
}

}  // namespace cradle::elements
