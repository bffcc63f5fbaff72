#include "cradle/plot.hpp"

namespace cradle {

Options options_for_plot(const Model& model, Options options) {
  constexpr double kPoints = 4000;
  constexpr int64_t kMostNumbers = 20'000'000;
  const double until = options.until ? *options.until : model.until().value_or(0);
  options.record = true;
  options.record_steps = true;
  if (options.room_for_steps <= 0) options.room_for_steps = kMostNumbers;
  if (options.every <= 0 && until > 0) options.every = until / kPoints;
  return options;
}

}  // namespace cradle
