#include "cradle/plot.hpp"

namespace cradle {

Options options_for_plot(const Model&, Options options) {
  constexpr int64_t kMostNumbers = 20'000'000;
  options.record = true;
  options.record_steps = true;
  if (options.room_for_steps <= 0) options.room_for_steps = kMostNumbers;
  options.every_turn = options.record_curves = true;
  return options;
}

}  // namespace cradle
