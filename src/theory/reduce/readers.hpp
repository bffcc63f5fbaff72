#pragma once
// Which efforts and flows a model reads, and which of them it compares.

#include <unordered_set>

#include "language/model/model.hpp"

namespace cradle::reduce {

class Readers {
 public:
  explicit Readers(const model::Model& model);

  // Some expression, or some name that can be read, has this leaf in it.
  bool is_read(ExprId leaf) const { return read_.contains(leaf); }
  // It reaches a comparison, a crossing detector or floor, so that an error of rounding can tip it.
  bool is_compared(ExprId leaf) const { return compared_.contains(leaf); }
  // From now on `by` is read where `leaf` was.
  void replace(ExprId leaf, ExprId by);

 private:
  const model::Model& model_;
  std::unordered_set<ExprId> read_, compared_;
};

}  // namespace cradle::reduce
