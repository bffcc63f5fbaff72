#pragma once
// What fixed expressions are worth, once the parameters have values. Operators are applied one by
// one, as folding would, so that a number does not depend on when it was computed.

#include <functional>
#include <vector>

#include "language/expr/pool.hpp"

namespace cradle::expr {

class Numbers {
 public:
  // Computes those that the pool has and this has not. `parameter`: the value of a leaf; it may ask
  // for what was made before the leaf.
  void complete(const Pool& pool, const std::function<double(const Node& leaf)>& parameter);

  // Of an expression that is fixed and has been computed.
  double of(const Pool& pool, ExprId id) const {
    const int32_t place = pool.fixed_place(id);
    return place < 0 ? pool.constant_value(id) : at(place);
  }
  // By its place in Pool::fixed().
  double at(int32_t place) const { return values_[static_cast<std::size_t>(place)]; }
  const double* data() const { return values_.data(); }

 private:
  std::vector<double> values_;
};

}  // namespace cradle::expr
