#include "core/machine/allocation.hpp"

#include "base/basics/ids.hpp"

namespace cradle::machine {

Uses::Uses(const Recipe& recipe)
    : next_(3 * recipe.steps.size(), never), first_(recipe.homes.size(), never) {
  std::vector<int32_t> seen(recipe.homes.size(), never);
  for (std::size_t i = recipe.steps.size(); i-- > 0;) {
    const Step& step = recipe.steps[i];
    first_[at(step.target)] = seen[at(step.target)];
    const int32_t operands[] = {step.a, step.b, step.c};
    for (std::size_t k = 0; k < 3; ++k) {
      if (operands[k] >= 0) next_[3 * i + k] = seen[at(operands[k])];
    }
    for (const int32_t number : operands) {
      if (number >= 0) seen[at(number)] = static_cast<int32_t>(i);
    }
  }
}

int Allocation::free_register() const {
  for (int place = 0; place < registers; ++place) {
    if (held_[at(place)] == none) return place;
  }
  return none;
}

int Allocation::latest() const {
  int out = 0;
  for (int place = 1; place < registers; ++place) {
    if (next_[at(place)] > next_[at(out)]) out = place;
  }
  return out;
}

void Allocation::hold(int place, int32_t number, int32_t next_use) {
  held_[at(place)] = number;
  next_[at(place)] = next_use;
  register_of_[at(number)] = place;
}

void Allocation::release(int place) {
  int32_t& held = held_[at(place)];
  if (held != none) register_of_[at(held)] = none;
  held = none;
}

void Allocation::read(int32_t number, int32_t next_use) {
  const int place = register_of_[at(number)];
  if (place == none) return;
  next_[at(place)] = next_use;
  if (next_use == Uses::never) release(place);
}

void Allocation::release_all() {
  for (int place = 0; place < registers; ++place) release(place);
}

}  // namespace cradle::machine
