#include "language/model/dimensions.hpp"

namespace cradle::model {

using units::Fraction;

Powers Powers::times(const Powers& other, Fraction power) const {
  Powers out = *this;
  out.known = known.times(other.known, power);
  for (const auto& [id, own] : other.unknown) {
    Fraction& sum = out.unknown[id];
    sum = sum + own * power;
    if (sum.is_zero()) out.unknown.erase(id);
  }
  return out;
}

int Dimensions::add() {
  unknowns_.emplace_back();
  return static_cast<int>(unknowns_.size()) - 1;
}

// What an unknown is equal to has none in it that were found before, but perhaps some that were
// found since: each turn puts those in, and there are fewer left to find.
Powers Dimensions::settled(const Powers& powers) const {
  Powers out = powers;
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& [id, power] : out.unknown) {
      const std::optional<Powers>& value = unknowns_[static_cast<std::size_t>(id)].value;
      if (!value) continue;
      const int found = id;
      const Fraction by = power;
      out.unknown.erase(found);
      out = out.times(*value, by);
      changed = true;
      break;
    }
  }
  return out;
}

bool Dimensions::equate(const Powers& a, const Powers& b, Span because) {
  const Powers rest = settled(a.times(b, -1));
  if (rest.unknown.empty()) return rest.known.is_pure();
  // The last that was met: those that were there before keep their names in messages.
  const auto [id, power] = *rest.unknown.rbegin();
  Powers others = rest;
  others.unknown.erase(id);
  unknowns_[static_cast<std::size_t>(id)] = {others.to(Fraction(-1) / power), because};
  return true;
}

Span Dimensions::found_at(const Powers& powers) const {
  for (const auto& [id, power] : powers.unknown) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(id)];
    if (!unknown.value) continue;
    if (unknown.because.known()) return unknown.because;
  }
  return {};
}

}  // namespace cradle::model
