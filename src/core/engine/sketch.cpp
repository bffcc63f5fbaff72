#include "core/engine/sketch.hpp"

#include <cmath>

#include "core/engine/attempt.hpp"

namespace cradle::engine {

// `begin` gives an evaluator that stands at the row's instant.
template <class Begin, class Evaluate>
const Sketch::Values& Sketch::evaluate(Begin&& begin, Evaluate&& evaluate) {
  values_.assign(columns_.size(), std::nullopt);
  auto* evaluator = &begin();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool known = attempt([&] { values_[c] = evaluate(*evaluator, *columns_[c].formula); });
    if (!known) {
      eyes_.abandon();
      evaluator = &begin();
    }
    if (values_[c] && !std::isfinite(*values_[c])) values_[c].reset();
  }
  return values_;
}

const Sketch::Values& Sketch::flowing(double t) {
  return evaluate([&]() -> FlowEvaluator& { return eyes_.flowing(t); },
                  [](FlowEvaluator& flow, const plan::Code& f) { return flow.optional(f); });
}

const Sketch::Values& Sketch::arriving() {
  return evaluate([&]() -> FlowEvaluator& { return eyes_.arriving(); },
                  [](FlowEvaluator& arrival, const plan::Code& f) { return arrival.optional(f); });
}

const Sketch::Values& Sketch::inside() {
  return evaluate(
      [&]() -> InstantEvaluator& { return eyes_.inside(InstantEvaluator::View::Tried); },
      [](InstantEvaluator& inside, const plan::Code& formula) {
        const plan::Value value = inside.value(formula);
        return value.is_present() ? std::optional(value.finite) : std::nullopt;
      });
}

}  // namespace cradle::engine
