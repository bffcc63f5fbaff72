#pragma once
// b of an equation M y = b, in one place: while time flows, inside an instant, in Newton's method,
// as a series, and as code. `Terms` says what it is computed with:
//
//   number(offset)               a sum that begins with a constant
//   formula(expr)                what varies with signals; what is absent is worth nothing
//   law(equation)                a law that is not linear, of its own arguments
//   add(sum, coefficient, state) a term of a linear store
//   add(sum, term)

#include "core/plan/block.hpp"

namespace cradle::plan {

template <class Terms>
auto right_side(const Equation& equation, Terms&& terms) {
  switch (equation.kind) {
    case Equation::Kind::Source:
      if (!equation.constant) return terms.formula(equation.formula);
      break;
    case Equation::Kind::Store:
    case Equation::Kind::Resistor: {
      if (!equation.linear) return terms.law(equation);
      auto sum = terms.number(equation.offset);
      for (std::size_t j = 0; j < equation.states.size(); ++j) {
        sum = terms.add(sum, equation.coefficients[j], equation.states[j]);
      }
      return equation.formula.valid() ? terms.add(sum, terms.formula(equation.formula)) : sum;
    }
    case Equation::Kind::Structure:
      break;
  }
  return terms.number(equation.offset);
}

// On plain numbers. `State`: what a state is worth; `Inputs`: formula(expr), and formula(expr,
// locals) of a law.
template <class State, class Inputs>
class PlainTerms {
 public:
  PlainTerms(State state, Inputs& inputs) : state_(state), inputs_(inputs) {}
  static double number(double offset) { return offset; }
  double formula(ExprId expr) const { return inputs_.formula(expr); }
  double law(const Equation& equation) const {
    // Fields are small; a law of one argument is the rule.
    double few[8];
    std::vector<double> many;
    double* out = few;
    const std::size_t count = equation.states.size();
    if (count > std::size(few)) {
      many.resize(count);
      out = many.data();
    }
    for (std::size_t j = 0; j < count; ++j) out[j] = state_(equation.states[j]);
    return inputs_.formula(equation.law, std::span<const double>(out, count));
  }
  double add(double sum, double coefficient, StateId state) const {
    return sum + coefficient * state_(state);
  }
  static double add(double sum, double term) { return sum + term; }

 private:
  State state_;
  Inputs& inputs_;
};

}  // namespace cradle::plan
