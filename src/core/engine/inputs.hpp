#pragma once
// What is set from outside (model::Clock with an input): when it is set next, and to what.

#include <string>
#include <vector>

#include "core/engine/state.hpp"

namespace cradle::engine {

// Throws std::invalid_argument if the model has no input of this name.
ClockId find_input(const model::Model& model, const std::string& name);

class Inputs {
 public:
  // Throws std::invalid_argument if a signal has no input, or is not a finite value at each of
  // ascending times.
  Inputs(const model::Model& model, const std::vector<InputSignal>& signals, State& state);

  bool is_input(ClockId clock) const { return model_.clocks[clock].input.valid(); }
  // The time at which it is set next; HUGE_VAL: never.
  double due(ClockId input) const;
  // What it is from t on.
  void take(ClockId input, double t);
  // From outside, where the run stands.
  void set(ClockId input, double value);

 private:
  const model::Model& model_;
  State& state_;
  std::vector<const InputSignal*> signals_;  // by clock; null: none
};

}  // namespace cradle::engine
