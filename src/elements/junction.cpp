#include "elements/junction.hpp"

namespace cradle::elements {

std::vector<Relation> active_junction(JunctionKind kind, const std::vector<bool>& inward) {
  const Variable shared = shared_variable(kind);
  std::vector<Relation> relations(1);
  for (std::size_t i = 0; i < inward.size(); ++i) {
    const int port = static_cast<int>(i);
    relations[0].left.push_back({dual(shared), port, {.factor = inward[i] ? 1.0 : -1.0}});
    if (i > 0) {
      relations.push_back({.left = {{shared, port, {}}, {shared, 0, {.factor = -1}}}});
    }
  }
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
