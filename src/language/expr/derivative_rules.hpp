#pragma once
// The derivative of every operator, as operators.def has it, for whatever it is built of:
// expressions in a pool, or the code of a mode. A derivative that is zero by structure is an
// invalid term, so nothing is ever multiplied by it.
//
// Builder: a type Term with valid(), and constant(value), unary(op, a), binary(op, a, b),
// conditional(condition, a, b), when(a, condition).

#include <numbers>

#include "language/expr/pool.hpp"

namespace cradle::expr {

template <class Builder>
class DerivativeRules {
 public:
  using Term = typename Builder::Term;
  explicit DerivativeRules(Builder builder) : builder_(builder) {}

  struct Node {
    Op op;
    Term y;        // what it is worth
    Term a, b, c;  // its operands
  };
  // da, db, dc: derivatives of its operands.
  Term operator()(const Node& node, Term da, Term db, Term dc) {
    if (!da.valid() && !db.valid() && !dc.valid()) return {};
    [[maybe_unused]] const auto [op, y, a, b, c] = node;
    switch (op) {
#define LEAF(Name, text) \
  case Op::Name:         \
    return {};
#define OPERATOR(Name, text, arity, value, derivative) \
  case Op::Name:                                       \
    return derivative;
#include "language/expr/operators.def"
    }
    return {};
  }

  Term sum(Term a, Term b) { return add(a, b); }

 private:
  // b·a^(b−1)·da + a^b·log(a)·db
  Term power(Term y, Term a, Term b, Term da, Term db) {
    Term by_base, by_exponent;
    if (da.valid()) {
      Term lower = builder_.binary(Op::Pow, a, sub(b, constant(1)));
      by_base = mul(mul(b, lower), da);
    }
    if (db.valid()) by_exponent = mul(mul(y, builder_.unary(Op::Log, a)), db);
    return add(by_base, by_exponent);
  }

  static Term zero() { return {}; }
  Term of(Op op, Term a) { return builder_.unary(op, a); }
  Term constant(double value) { return builder_.constant(value); }
  Term less(Term a, Term b) { return builder_.binary(Op::Less, a, b); }
  Term square(Term a) { return mul(a, a); }
  Term neg(Term a) { return a.valid() ? builder_.unary(Op::Neg, a) : a; }
  Term add(Term a, Term b) {
    if (!a.valid()) return b;
    return b.valid() ? builder_.binary(Op::Add, a, b) : a;
  }
  Term sub(Term a, Term b) {
    if (!b.valid()) return a;
    return a.valid() ? builder_.binary(Op::Sub, a, b) : neg(b);
  }
  Term mul(Term a, Term b) {
    return a.valid() && b.valid() ? builder_.binary(Op::Mul, a, b) : Term();
  }
  Term div(Term a, Term b) { return a.valid() ? builder_.binary(Op::Div, a, b) : a; }
  Term choose(Term condition, Term then, Term otherwise) {
    if (then == otherwise) return then;
    auto some = [this](Term id) { return id.valid() ? id : constant(0); };
    return builder_.conditional(condition, some(then), some(otherwise));
  }

  Builder builder_;
};

}  // namespace cradle::expr
