#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"
#include "language/expr/pool.hpp"

namespace cradle::expr {
namespace {

// Smaller or larger of two, NaN if either is.
double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }
double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }

double sign(double a) {
  if (a > 0) return 1;
  return a < 0 ? -1 : a;
}

double floored_mod(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace

double apply(Op op, double a, double b, double c) {
  switch (op) {
#define LEAF(Name, text) case Op::Name:
#define OPERATOR(Name, text, arity, value, derivative)
#include "language/expr/operators.def"
    CRADLE_ASSERT(false, "a leaf is not an operator");
    break;
#define LEAF(Name, text)
#define OPERATOR(Name, text, arity, value, derivative) \
  case Op::Name:                                       \
    return value;
#include "language/expr/operators.def"
  }
  return 0;
}

}  // namespace cradle::expr
