#pragma once
// What is recorded beside the columns of a run for its animation, without any effect upon the run:
// nothing is watched for it, no row is added, and what evaluating leaves behind is undone. So its
// values come from evaluators of its own:
//
//   a relation that the run keeps up to date has its frozen truth, others are judged where they are
//     read: nobody watches them
//   a choice that the run has not made is made as the run would make it next, and forgotten
//   what has no value, for whatever reason, is absent

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/tick_evaluator.hpp"

namespace cradle::engine {

// What to record: a name and what it is worth.
struct RecordedColumn {
  std::string name;
  ExprId value;
};

class Sketch {
 public:
  // `kept`: is the truth of this relation, as it stands, that of the present?
  Sketch(Runtime& runtime, const Options& options, std::vector<RecordedColumn> columns,
         std::function<bool(RelationId)> kept);

  const std::vector<RecordedColumn>& columns() const { return columns_; }
  using Values = std::vector<std::optional<double>>;  // by column
  const Values& flowing(double t);
  const Values& arriving();
  const Values& inside(const Choices& choices);
  // Before a commit: what signals that are drawn read with pre, and nobody else does.
  void remember(const std::vector<PreId>& pres);

 private:
  template <class Evaluate, class Begin>
  const Values& evaluate(Evaluate&& evaluate, Begin&& begin);
  void save_slots();
  void restore_slots();

  Runtime& runtime_;
  std::vector<RecordedColumn> columns_;
  FlowEvaluator flow_, arrival_;
  Choices choices_;
  TickEvaluator tick_;
  Values values_;
  std::vector<std::pair<Slot*, Slot>> saved_;
};

}  // namespace cradle::engine
