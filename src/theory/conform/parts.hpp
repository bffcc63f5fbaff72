#pragma once
// The processes of a model, taken apart into relations that can be looked at one by one.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "theory/hypa/compose.hpp"

namespace cradle::conform {

struct Item {
  ExprId holds;
  std::size_t index = 0;                                        // among all relations
  std::vector<std::pair<hypa::VariableId, hypa::Mark>> leaves;  // each once
  bool modes_only = false;                                      // speaks of modes and nothing else
  hypa::VariableId rate;                                        // ẋ = …: x
};
struct Choice {  // an alternative
  std::vector<Item> jump, flow;
};
struct Part {
  std::string name;
  hypa::Role role = hypa::Role::Physics;
  std::vector<Choice> choices;
  bool modal = false;  // of an automaton: of a modal model
};

struct Parts {
  std::vector<Part> parts;              // without the composition itself
  std::vector<std::string> relations;   // "body1: body1.f = body1.p", by Item::index
  std::set<hypa::VariableId> restarts;  // that some transition sets
};
Parts take_apart(const hypa::Composition& composition);

}  // namespace cradle::conform
