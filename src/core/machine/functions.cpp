#include "core/machine/functions.hpp"

#include <cmath>

namespace cradle::machine {

using expr::Op;

namespace {

template <Op op>
double applied1(double a) {
  return expr::apply(op, a);
}
template <Op op>
double applied2(double a, double b) {
  return expr::apply(op, a, b);
}

// Of the library itself, without the detour: this is all that apply does there.
Function1 library1(Op op) {
  switch (op) {
    case Op::Exp:
      return std::exp;
    case Op::Log:
      return std::log;
    case Op::Log10:
      return std::log10;
    case Op::Sin:
      return std::sin;
    case Op::Cos:
      return std::cos;
    case Op::Tan:
      return std::tan;
    case Op::Asin:
      return std::asin;
    case Op::Acos:
      return std::acos;
    case Op::Atan:
      return std::atan;
    case Op::Sinh:
      return std::sinh;
    case Op::Cosh:
      return std::cosh;
    case Op::Tanh:
      return std::tanh;
    case Op::Floor:
      return std::floor;
    case Op::Ceil:
      return std::ceil;
    default:
      return nullptr;
  }
}

Function2 library2(Op op) {
  switch (op) {
    case Op::Pow:
      return std::pow;
    case Op::Atan2:
      return std::atan2;
    case Op::Hypot:
      return std::hypot;
    default:
      return nullptr;
  }
}

}  // namespace

Function1 function1_of(Op op) {
  if (expr::arity(op) != 1) return nullptr;
  if (const Function1 known = library1(op); known != nullptr) return known;
  switch (op) {
#define LEAF(Name, text)
#define OPERATOR(Name, text, arity, value, derivative) \
  case Op::Name:                                       \
    return applied1<Op::Name>;
#include "language/expr/operators.def"
    default:
      return nullptr;
  }
}

Function2 function2_of(Op op) {
  if (expr::arity(op) != 2) return nullptr;
  if (const Function2 known = library2(op); known != nullptr) return known;
  switch (op) {
#define LEAF(Name, text)
#define OPERATOR(Name, text, arity, value, derivative) \
  case Op::Name:                                       \
    return applied2<Op::Name>;
#include "language/expr/operators.def"
    default:
      return nullptr;
  }
}

}  // namespace cradle::machine
