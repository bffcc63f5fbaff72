#pragma once
// Derivatives of an island's formulas by its own efforts and flows: see island_together.cpp.

#include <map>
#include <unordered_map>

#include "core/plan/island.hpp"

namespace cradle::plan {

class Island::Chain {
 public:
  using Gradient = std::map<int, double>;  // by variable

  Chain(const Island& island, IslandInputs& inputs) : island_(island), inputs_(inputs) {}
  Gradient of(ExprId expr, std::span<const double> locals = {});

 private:
  void add(ExprId expr, double factor, std::span<const double> locals, Gradient& out);
  const Gradient& of_signal(SignalId id);

  const Island& island_;
  IslandInputs& inputs_;
  std::unordered_map<SignalId, Gradient> signals_;
};

}  // namespace cradle::plan
