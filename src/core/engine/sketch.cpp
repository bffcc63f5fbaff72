#include "core/engine/sketch.hpp"

#include <cmath>

#include "core/engine/attempt.hpp"

namespace cradle::engine {

Sketch::Sketch(Runtime& runtime, const Options& options, std::vector<RecordedColumn> columns,
               std::function<bool(RelationId)> kept)
    : runtime_(runtime),
      columns_(std::move(columns)),
      flow_(runtime, FlowEvaluator::View::Present),
      arrival_(runtime, FlowEvaluator::View::Arrival),
      choices_(options),
      tick_(runtime, arrival_, choices_) {
  flow_.judge_unless(kept);
  arrival_.judge_unless(std::move(kept));
}

// Newton's method starts where it last ended, so its islands get back what they had.
void Sketch::save_slots() {
  saved_.clear();
  const Slot* last = nullptr;
  for (const auto* slots : {&runtime_.slot_of_cell, &runtime_.arrival_slot_of_cell}) {
    for (Slot* slot : *slots) {
      if (slot == nullptr || slot == last || slot->island->is_direct()) continue;
      last = slot;
      saved_.emplace_back(slot, *slot);
    }
  }
}

// A slot that was saved twice is restored twice, to the same.
void Sketch::restore_slots() {
  for (auto& [slot, as_it_was] : saved_) *slot = as_it_was;
}

template <class Evaluate, class Begin>
const Sketch::Values& Sketch::evaluate(Evaluate&& evaluate, Begin&& begin) {
  values_.assign(columns_.size(), std::nullopt);
  save_slots();
  begin();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool known = attempt([&] { values_[c] = evaluate(columns_[c].value); });
    if (!known) begin();
    if (values_[c] && !std::isfinite(*values_[c])) values_[c].reset();
  }
  restore_slots();
  return values_;
}

const Sketch::Values& Sketch::flowing(double t) {
  return evaluate([&](ExprId e) { return flow_.optional(e); },
                  [&] {
                    flow_.abandon();
                    flow_.begin(t);
                  });
}

const Sketch::Values& Sketch::arriving() {
  return evaluate([&](ExprId e) { return arrival_.optional(e); },
                  [&] {
                    arrival_.abandon();
                    arrival_.begin(runtime_.now);
                  });
}

const Sketch::Values& Sketch::inside(const Choices& choices) {
  choices_ = choices;
  return evaluate(
      [&](ExprId e) {
        const plan::Value value = tick_.value(e);
        return value.is_present() ? std::optional(value.finite) : std::nullopt;
      },
      [&] {
        tick_.abandon();
        arrival_.abandon();
        arrival_.begin(runtime_.now);
        tick_.begin(TickEvaluator::View::Tried);
      });
}

void Sketch::remember(const std::vector<PreId>& pres) {
  if (pres.empty()) return;
  save_slots();
  for (PreId pre : pres) {
    arrival_.abandon();
    arrival_.begin(runtime_.now);
    double& kept = runtime_.pre_value[at(pre)] = kAbsent;
    attempt([&] {
      kept = arrival_.optional(runtime_.system.model().pool.pres()[at(pre)]).value_or(kAbsent);
    });
  }
  restore_slots();
}

}  // namespace cradle::engine
