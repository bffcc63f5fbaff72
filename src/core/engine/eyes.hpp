#pragma once
// What those have who only look on: evaluators of their own. Everything that they see follows from
// the state, so that it does not matter who else looks, or how often, and the run stays the same.
//
//   a comparison that the run keeps up to date has its frozen truth, others are judged where they
//   are
//     read: nobody watches them
//   Newton's method begins where the run would begin, and leaves that as it is
//   a choice that the run has not made is made as the run would make it next, and forgotten

#include <memory>
#include <vector>

#include "core/engine/choices.hpp"
#include "core/engine/flow_evaluator.hpp"
#include "core/engine/instant_evaluator.hpp"
#include "core/engine/judge.hpp"
#include "core/engine/watcher.hpp"

namespace cradle::engine {

class Eyes {
 public:
  Eyes(Runtime& runtime, const Watcher& watcher, const Choices& made);

  // Each begins anew, at the state as it stands.
  FlowEvaluator& flowing(double t);
  FlowEvaluator& arriving();
  InstantEvaluator& inside(InstantEvaluator::View view);
  // On what inside() looks at.
  Judge& judge();
  // After one of them has broken off.
  void abandon();

  // By pre: what the run does not keep of it.
  std::vector<double> pres;

 private:
  Runtime& runtime_;
  const Choices& made_;
  FlowEvaluator flow_, arrival_;
  Drawn drawn_;
  Choices choices_;
  InstantEvaluator inside_;
  std::unique_ptr<Judge> judge_;  // made when it is first needed
};

}  // namespace cradle::engine
