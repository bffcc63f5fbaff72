#include <cmath>

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

double apply_function(Op op, double a, double b) {
  switch (op) {
    case Op::Pow:
      return std::pow(a, b);
    case Op::Abs:
      return std::fabs(a);
    case Op::Min:
      return smaller(a, b);
    case Op::Max:
      return larger(a, b);
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Log10:
      return std::log10(a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Asin:
      return std::asin(a);
    case Op::Acos:
      return std::acos(a);
    case Op::Atan:
      return std::atan(a);
    case Op::Atan2:
      return std::atan2(a, b);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Mod:
      return floored_mod(a, b);
    case Op::Sign:
      return sign(a);
    case Op::Hypot:
      return std::hypot(a, b);
    default:
      CRADLE_ASSERT(false, "a leaf is not an operator");
  }
  return 0;
}

}  // namespace

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::Neg:
      return -a;
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::ImpulseOf:
      return 0;
    case Op::FiniteOf:
      return a;
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Equal:
      return a == b;
    case Op::NotEqual:
      return a != b;
    case Op::And:
      return a != 0 && b != 0;
    case Op::Or:
      return a != 0 || b != 0;
    case Op::Not:
      return a == 0;
    case Op::If:
      return a != 0 ? b : c;
    default:
      return apply_function(op, a, b);
  }
}

}  // namespace cradle::expr
