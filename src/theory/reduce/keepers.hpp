#pragma once
// Where the operators that keep something are written: integral, fby, hold, delay, rising, clock,
// choose, …. Each is written once, for each call in a text makes a memory of its own: in place, if
// one expression reads it, otherwise as a signal of its own that all readers name.

#include <optional>
#include <vector>

#include "language/model/model.hpp"

namespace cradle::reduce {

struct Keeper {
  enum class Kind { None, Integral, Memory, Hold, Choice } kind = Kind::None;
  std::size_t index = 0;  // of the state, memory or choice
};

class Keepers {
 public:
  // Adds the nodes of those that nothing reads to the model's expressions.
  explicit Keepers(model::Model& model);

  // What stands at this node: its leaf or, for hold, Default(input, leaf).
  Keeper at_node(ExprId e) const;
  // All nodes of keepers, integrals first, then memories, then choices.
  const std::vector<ExprId>& nodes() const { return nodes_; }
  // It needs a name: not just one expression reads it, or a transition sets it.
  bool needs_name(ExprId e) const;
  RegionId region(ExprId e) const;
  ExprId node_of(StateId state) const { return integrals_[at(state)]; }
  ExprId node_of(MemoryId memory) const { return memories_[at(memory)]; }

  // A signal's value without the When of its mode.
  ExprId own_value(SignalId id) const;
  // While everything in the region is active. Invalid id in, true out.
  ExprId active(RegionId region) const { return region.valid() ? active_[at(region)] : always_; }
  // The alternative without the When of its mode.
  ExprId own_alternative(ChoiceId choice, std::size_t which) const;
  // If(the region of x is active, x, absent), as x is read from elsewhere: x.
  ExprId seen_from_outside(ExprId e) const;

 private:
  template <class Visit>
  void each_root(Visit visit) const;
  void find_nodes();
  void count_readers();

  const model::Model& model_;
  std::vector<ExprId> active_;  // by region
  ExprId always_;
  std::vector<ExprId> integrals_, memories_, choices_;  // by id: its node
  std::vector<ExprId> nodes_;
  std::vector<Keeper> keepers_;  // by node of the pool
  std::vector<int> readers_;     // by node, as often as it would be written; 2: or more
  std::vector<bool> set_;        // by node: a transition sets it
};

// The value of R name(value), I name(value) or C name(value), if the law has that form; a constant
// 1 is an invalid id.
struct PlainLaw {
  ExprId value;
};
std::optional<PlainLaw> plain_law(const model::Model& model, const model::Element& element);

}  // namespace cradle::reduce
