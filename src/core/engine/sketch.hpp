#pragma once
// What is recorded beside the columns of a run for its animation. What has no value, for whatever
// reason, is absent.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/eyes.hpp"

namespace cradle::engine {

// What to record: a name and what it is worth. The formula is the column's own: a plan has those of
// the model itself.
struct RecordedColumn {
  std::string name;
  ExprId value;  // what it reads; invalid: nothing
  std::shared_ptr<const plan::Code> formula;
  bool impulsive = false;  // it may carry an impulse
};

class Sketch {
 public:
  Sketch(Eyes& eyes, std::vector<RecordedColumn> columns)
      : eyes_(eyes), columns_(std::move(columns)) {}

  const std::vector<RecordedColumn>& columns() const { return columns_; }
  using Values = std::vector<std::optional<double>>;  // by column
  const Values& flowing(double t);
  const Values& arriving();
  const Values& inside();

 private:
  template <class Begin, class Evaluate>
  const Values& evaluate(Begin&& begin, Evaluate&& evaluate);

  Eyes& eyes_;
  std::vector<RecordedColumn> columns_;
  Values values_;
};

}  // namespace cradle::engine
