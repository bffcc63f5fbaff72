#include "core/engine/eyes.hpp"

namespace cradle::engine {

Eyes::Eyes(Runtime& runtime, const Watcher& watcher, const Choices& made)
    : pres(runtime.state.pre_value.size(), 0.0),
      runtime_(runtime),
      made_(made),
      flow_(runtime, FlowEvaluator::View::Present, FlowEvaluator::Who::Onlooker),
      arrival_(runtime, FlowEvaluator::View::Arrival, FlowEvaluator::Who::Onlooker),
      choices_(runtime.options, drawn_),
      inside_(runtime, arrival_, choices_, FlowEvaluator::Who::Onlooker) {
  const auto kept = [&watcher](ComparisonId r) {
    return watcher.is_live(r) && !watcher.is_private(r);
  };
  for (FlowEvaluator* evaluator : {&flow_, &arrival_}) {
    evaluator->judge_unless(kept);
    evaluator->read_pres_from(pres);
  }
}

FlowEvaluator& Eyes::flowing(double t) {
  flow_.begin(t);
  return flow_;
}

FlowEvaluator& Eyes::arriving() {
  arrival_.begin(runtime_.state.now);
  return arrival_;
}

InstantEvaluator& Eyes::inside(InstantEvaluator::View view) {
  arriving();
  choices_.look_at(made_);
  inside_.begin(view);
  return inside_;
}

Judge& Eyes::judge() {
  if (!judge_) judge_ = std::make_unique<Judge>(runtime_, inside_);
  return *judge_;
}

void Eyes::abandon() {
  if (judge_) judge_->abandon();
  flow_.abandon();
  arrival_.abandon();
  inside_.abandon();
}

}  // namespace cradle::engine
