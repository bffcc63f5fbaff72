#include "language/model/binding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cradle::model {

bool Decision::holds(double now) const {
  const bool same = std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(now);
  // What is not finite, or zero, is one of its kind.
  if (same || !std::isfinite(now) || !std::isfinite(value)) return same;
  switch (kind) {
    case Kind::Finite:
      return true;
    case Kind::Zero:
      return value != 0 && now != 0;
    case Kind::Sign:
      return value != 0 && now != 0 && (value < 0) == (now < 0);
    case Kind::Exactly:
    case Kind::Asked:
      break;
  }
  return false;
}

Binding::Binding(const Model& model) {
  for (const Slot& slot : model.slots) given_.push_back(slot.given);
  compute(model);
}

void Binding::compute(const Model& model) {
  numbers_.complete(model.pool, [&](const expr::Node& leaf) {
    const auto slot = static_cast<std::size_t>(leaf.ref);
    return given_[slot] ? *given_[slot]
                        : numbers_.of(model.pool, model.slots[SlotId(slot)].definition);
  });
}

std::optional<Binding> Binding::with(const Model& model, const std::string& name,
                                     double value) const {
  const std::optional<SlotId> slot = model.slot_of(name);
  if (!slot || !std::isfinite(value)) return std::nullopt;
  const bool boolean = model.pool[model.slots[*slot].leaf].type == expr::Type::Boolean;
  if (boolean && value != 0 && value != 1) return std::nullopt;
  Binding made;
  made.given_ = given_;
  made.given_[static_cast<std::size_t>(slot->index)] = value;
  made.compute(model);
  for (const Slot& other : model.slots) {
    if (!std::isfinite(made.number(model, other.leaf))) return std::nullopt;
  }
  for (const Decision& decision : model.decisions) {
    if (!decision.holds(made.number(model, decision.of))) return std::nullopt;
  }
  return made;
}

Model with_given(const Model& model, const Binding& binding) {
  Model out = model;
  for (std::size_t i = 0; i < out.slots.size(); ++i) {
    Slot& slot = out.slots[SlotId(i)];
    slot.given = binding.is_given(SlotId(i)) ? std::optional(binding.number(model, slot.leaf))
                                             : std::nullopt;
  }
  return out;
}

double Binding::parameter(const Model& model, std::size_t index) const {
  const Parameter& parameter = model.parameters[index];
  return parameter.slot.valid() ? number(model, model.slots[parameter.slot].leaf) : parameter.value;
}

}  // namespace cradle::model
