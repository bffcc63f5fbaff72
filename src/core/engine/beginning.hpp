#pragma once
// How far a run has to go for a test that is about its rows one by one: long runs say the same
// again and again.

#include <optional>

#include "cradle/cradle.hpp"

namespace cradle {

// Until then there are about so many rows; or the model's own end, if it has fewer.
inline std::optional<double> beginning_of(const Model& model, std::size_t rows) {
  Options options;
  options.choice = ChoicePolicy::Random;
  Simulation run(model, options);
  for (std::size_t i = 0; i < rows && run.advance(); ++i) {
  }
  const Trajectory& seen = run.trajectory();
  const double t = seen.size() > 0 ? 0.999 * seen.instant(seen.size() - 1).t : 0;
  return t > 0 ? std::optional(std::min(t, model.until().value_or(t))) : model.until();
}

}  // namespace cradle
