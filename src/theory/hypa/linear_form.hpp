#pragma once
// Σ cᵢ·atomᵢ + constant, where an atom is a variable or whatever is not linear.

#include <map>

#include "theory/hypa/vocabulary.hpp"

namespace cradle::hypa {

struct LinearForm {
  std::map<ExprId, double> terms;  // none is 0
  double constant = 0;

  void add(ExprId atom, double factor);
  void add(const LinearForm& other, double factor);
  double factor(ExprId atom) const;
  bool is_constant() const { return terms.empty(); }
  bool is_finite() const;  // what overflowed says nothing
};

LinearForm linear_form(const expr::Pool& pool, ExprId e);

// Of a comparison of numbers (left − right); the comparison is form = 0, form ≤ 0 or form < 0.
LinearForm difference(const expr::Pool& pool, const expr::Node& relation);

ExprId to_expression(expr::Pool& pool, const LinearForm& form);
// form = 0, ≤ 0 or < 0, with what has a minus sign on the other side.
ExprId to_relation(expr::Pool& pool, const LinearForm& form, expr::Op op);

}  // namespace cradle::hypa
