#include "core/engine/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cradle/diagnostic.hpp"

namespace cradle::engine {
namespace {

void require_order(const InputSignal& signal) {
  const auto& [name, times, values, between] = signal;
  const auto finite = [](double x) { return std::isfinite(x); };
  if (times.size() != values.size()) {
    throw std::invalid_argument("input " + name + " has not one value for each time");
  }
  if (!std::all_of(times.begin(), times.end(), finite) ||
      !std::all_of(values.begin(), values.end(), finite)) {
    throw std::invalid_argument("input " + name + " has a time or value that is not finite");
  }
  if (!std::is_sorted(times.begin(), times.end())) {
    throw std::invalid_argument("the times of input " + name + " do not ascend");
  }
}

// From the last value that has been taken to the next one.
double slope_of(const InputSignal& signal, std::size_t taken) {
  const bool moves = signal.between == InputSignal::Between::Linear && taken < signal.times.size();
  if (!moves) return 0;
  const double slope = (signal.values[taken] - signal.values[taken - 1]) /
                       (signal.times[taken] - signal.times[taken - 1]);
  return std::isfinite(slope) ? slope : 0;  // so steep that it is a leap at the next time
}

}  // namespace

ClockId find_input(const model::Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < model.clocks.size(); ++c) {
    const SignalId input = model.clocks[ClockId(c)].input;
    if (!input.valid()) continue;
    if (model.signals[input].name == name) return ClockId(c);
    names.push_back(model.signals[input].name);
  }
  const std::string near = suggest(name, names);
  throw std::invalid_argument("there is no input '" + name + "'" +
                              (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Inputs::Inputs(const model::Model& model, const std::vector<InputSignal>& signals, State& state)
    : model_(model), state_(state), signals_(model.clocks.size(), nullptr) {
  for (const InputSignal& signal : signals) {
    const InputSignal*& place = signals_[at(find_input(model, signal.name))];
    if (place != nullptr) {
      throw std::invalid_argument("input " + signal.name + " is given twice");
    }
    require_order(signal);
    place = &signal;
  }
}

// clock_count is how many of its values have been taken.
double Inputs::due(ClockId input) const {
  if (state_.set_to[at(input)]) return std::max(state_.now, state_.reached);
  const InputSignal* signal = signals_[at(input)];
  const auto taken = static_cast<std::size_t>(state_.clock_count[at(input)]);
  return signal != nullptr && taken < signal->times.size() ? signal->times[taken] : HUGE_VAL;
}

void Inputs::take(ClockId input, double t) {
  Held& held = state_.held[at(input)];
  std::optional<double>& set_to = state_.set_to[at(input)];
  if (const InputSignal* signal = signals_[at(input)]) {
    auto taken = static_cast<std::size_t>(state_.clock_count[at(input)]);
    const std::size_t before = taken;
    while (taken < signal->times.size() && signal->times[taken] <= t) ++taken;
    state_.clock_count[at(input)] = static_cast<int64_t>(taken);
    if (taken > before) {
      held = {signal->values[taken - 1], slope_of(*signal, taken), signal->times[taken - 1]};
    }
  }
  if (set_to) held = {*set_to, 0, t};
  set_to.reset();
}

void Inputs::set(ClockId input, double value) {
  if (state_.started) {
    state_.set_to[at(input)] = value;
  } else {
    state_.held[at(input)] = {value, 0, 0};
  }
}

}  // namespace cradle::engine
