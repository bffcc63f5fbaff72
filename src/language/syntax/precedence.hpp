#pragma once
// How tightly operators bind, for the parser and the printer alike: from the loosest to the
// tightest if, or, and, not, comparisons (which do not chain), + -, * /, unary -, ^ (to the right,
// and tighter than a minus on its left), and what needs no parentheses.

#include "language/syntax/tree.hpp"

namespace cradle::syntax {

inline constexpr int kNotPrecedence = 3;
inline constexpr int kComparisonPrecedence = 4;
inline constexpr int kMinusPrecedence = 7;
inline constexpr int kPowerPrecedence = 8;
inline constexpr int kPrimaryPrecedence = 9;

constexpr int precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return 1;
    case BinaryOp::And:
      return 2;
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return 5;
    case BinaryOp::Mul:
    case BinaryOp::Div:
      return 6;
    case BinaryOp::Pow:
      return kPowerPrecedence;
    default:
      return kComparisonPrecedence;
  }
}

}  // namespace cradle::syntax
