#pragma once
// The derivative of every operator, once, for whatever it is built of: expressions in a pool, or
// the code of a mode. A derivative that is zero by structure is an invalid term, so nothing is ever
// multiplied by it.
//
// Builder: a type Term with valid(), and constant(value), unary(op, a), binary(op, a, b),
// conditional(condition, a, b), when(a, condition).

#include <numbers>

#include "language/expr/pool.hpp"

// An operator without a derivative does not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

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
    const Term y = node.y;
    switch (node.op) {
      case Op::Neg:
        return neg(da);
      case Op::Add:
        return add(da, db);
      case Op::Sub:
        return sub(da, db);
      case Op::Mul:
        return add(mul(da, node.b), mul(node.a, db));
      case Op::Div:
        return div(sub(da, mul(y, db)), node.b);
      case Op::Pow:
        return power(node, da, db);
      case Op::Abs:
        return choose(less(node.a, constant(0)), neg(da), da);
      case Op::Min:
        return choose(less(node.b, node.a), db, da);
      case Op::Max:
        return choose(less(node.a, node.b), db, da);
      case Op::Mod:
        return sub(da, mul(builder_.unary(Op::Floor, div(node.a, node.b)), db));
      case Op::Atan2:
        return div(sub(mul(da, node.b), mul(node.a, db)), add(square(node.a), square(node.b)));
      case Op::Hypot:
        return div(add(mul(node.a, da), mul(node.b, db)), y);
      case Op::FiniteOf:
        return da;
      case Op::If:
        return choose(node.a, db, dc);
      case Op::Default:
        return choose(builder_.unary(Op::IsPresent, node.a), da, db);
      case Op::When:
        return builder_.when(da, node.b);
      case Op::Sqrt:
      case Op::Exp:
      case Op::Log:
      case Op::Log10:
      case Op::Sin:
      case Op::Cos:
      case Op::Tan:
      case Op::Asin:
      case Op::Acos:
      case Op::Atan:
      case Op::Sinh:
      case Op::Cosh:
      case Op::Tanh:
        return function(node, da);
      // Steps and booleans.
      case Op::Floor:
      case Op::Ceil:
      case Op::Sign:
      case Op::ImpulseOf:
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal:
      case Op::NotEqual:
      case Op::And:
      case Op::Or:
      case Op::Not:
      case Op::IsPresent:
      // Leaves have no operands; an integral is never differentiated.
      case Op::Constant:
      case Op::Parameter:
      case Op::Input:
      case Op::Omega:
      case Op::Time:
      case Op::Local:
      case Op::Effort:
      case Op::Flow:
      case Op::State:
      case Op::Signal:
      case Op::InMode:
      case Op::Active:
      case Op::Pre:
      case Op::Phase:
      case Op::Count:
      case Op::Absent:
      case Op::Memory:
      case Op::Choice:
      case Op::Output:
      case Op::Variable:
      case Op::Integral:
        return {};
    }
    return {};
  }

  Term sum(Term a, Term b) { return add(a, b); }

 private:
  // Functions of one argument, by the chain rule.
  Term function(const Node& node, Term da) {
    const Term y = node.y, a = node.a, one = constant(1);
    switch (node.op) {
      case Op::Sqrt:
        return div(da, mul(constant(2), y));
      case Op::Exp:
        return mul(y, da);
      case Op::Log:
        return div(da, a);
      case Op::Log10:
        return div(da, mul(constant(std::numbers::ln10), a));
      case Op::Sin:
        return mul(builder_.unary(Op::Cos, a), da);
      case Op::Cos:
        return neg(mul(builder_.unary(Op::Sin, a), da));
      case Op::Tan:
        return mul(add(one, square(y)), da);
      case Op::Asin:
        return div(da, builder_.unary(Op::Sqrt, sub(one, square(a))));
      case Op::Acos:
        return neg(div(da, builder_.unary(Op::Sqrt, sub(one, square(a)))));
      case Op::Atan:
        return div(da, add(one, square(a)));
      case Op::Sinh:
        return mul(builder_.unary(Op::Cosh, a), da);
      case Op::Cosh:
        return mul(builder_.unary(Op::Sinh, a), da);
      case Op::Tanh:
        return mul(sub(one, square(y)), da);
      default:
        return {};
    }
  }

  // b·a^(b−1)·da + a^b·log(a)·db
  Term power(const Node& node, Term da, Term db) {
    const Term y = node.y, a = node.a, b = node.b;
    Term by_base, by_exponent;
    if (da.valid()) {
      Term lower = builder_.binary(Op::Pow, a, sub(b, constant(1)));
      by_base = mul(mul(b, lower), da);
    }
    if (db.valid()) by_exponent = mul(mul(y, builder_.unary(Op::Log, a)), db);
    return add(by_base, by_exponent);
  }

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

#pragma GCC diagnostic pop
