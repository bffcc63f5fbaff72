#include "theory/hypa/linear_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cradle::hypa {

using expr::Op;

namespace {
// What sums of a few rounded products leave of zero.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
}  // namespace

void LinearForm::add(ExprId atom, double factor) {
  if (factor == 0) return;
  auto [place, is_new] = terms.try_emplace(atom, factor);
  if (is_new) return;
  const double sum = place->second + factor;
  if (std::abs(sum) <= kRounding * std::abs(factor)) {
    terms.erase(place);
  } else {
    place->second = sum;
  }
}

void LinearForm::add(const LinearForm& other, double factor) {
  for (const auto& [atom, c] : other.terms) add(atom, c * factor);
  const double more = other.constant * factor, sum = constant + more;
  constant = std::abs(sum) <= kRounding * std::abs(more) ? 0 : sum;
}

bool LinearForm::is_finite() const {
  return std::isfinite(constant) && std::all_of(terms.begin(), terms.end(), [](const auto& term) {
           return std::isfinite(term.second);
         });
}

double LinearForm::factor(ExprId atom) const {
  auto found = terms.find(atom);
  return found == terms.end() ? 0 : found->second;
}

LinearForm linear_form(const expr::Pool& pool, ExprId e) {
  LinearForm out;
  std::vector<std::pair<ExprId, double>> open = {{e, 1}};
  while (!open.empty()) {
    const auto [id, factor] = open.back();
    open.pop_back();
    const expr::Node& node = pool[id];
    switch (node.op) {
      case Op::Constant:
        // What is not finite is no number to reckon with; it stands as it is written.
        if (std::isfinite(factor * node.value)) {
          out.constant += factor * node.value;
        } else {
          out.add(id, factor);
        }
        break;
      case Op::Neg:
        open.emplace_back(node.a, -factor);
        break;
      case Op::Add:
      case Op::Sub:
        open.emplace_back(node.a, factor);
        open.emplace_back(node.b, node.op == Op::Add ? factor : -factor);
        break;
      case Op::Mul:
        if (pool.is_constant(node.a)) {
          open.emplace_back(node.b, factor * pool.constant_value(node.a));
        } else if (pool.is_constant(node.b)) {
          open.emplace_back(node.a, factor * pool.constant_value(node.b));
        } else {
          out.add(id, factor);
        }
        break;
      case Op::Div:
        if (pool.is_constant(node.b) && pool.constant_value(node.b) != 0) {
          open.emplace_back(node.a, factor / pool.constant_value(node.b));
        } else {
          out.add(id, factor);
        }
        break;
      default:
        out.add(id, factor);
    }
  }
  return out;
}

LinearForm difference(const expr::Pool& pool, const expr::Node& relation) {
  LinearForm form = linear_form(pool, relation.a);
  form.add(linear_form(pool, relation.b), -1);
  return form;
}

namespace {

// The terms of one sign, with their absolute values; invalid if there are none.
ExprId half(expr::Pool& pool, const LinearForm& form, double sign) {
  ExprId sum;
  auto add = [&](ExprId term) { sum = sum.valid() ? pool.binary(Op::Add, sum, term) : term; };
  for (const auto& [atom, factor] : form.terms) {
    if (factor * sign <= 0) continue;
    const double size = std::abs(factor), inverse = 1 / size;
    // x / 3 reads better than 0.3333333333333333·x.
    if (size < 1 && inverse == std::round(inverse)) {
      add(pool.binary(Op::Div, atom, pool.constant(inverse)));
    } else {
      add(pool.binary(Op::Mul, pool.constant(size), atom));
    }
  }
  if (form.constant * sign > 0) add(pool.constant(std::abs(form.constant)));
  return sum;
}

}  // namespace

ExprId to_expression(expr::Pool& pool, const LinearForm& form) {
  const ExprId plus = half(pool, form, 1), minus = half(pool, form, -1);
  if (!minus.valid()) return plus.valid() ? plus : pool.constant(0);
  return plus.valid() ? pool.binary(Op::Sub, plus, minus) : pool.unary(Op::Neg, minus);
}

ExprId to_relation(expr::Pool& pool, const LinearForm& given, Op op) {
  // All factors of one size: divide by it.
  LinearForm form = given;
  double size = 0;
  bool one_size = !form.terms.empty();
  for (const auto& [atom, factor] : form.terms) {
    if (size == 0) size = std::abs(factor);
    one_size = one_size && std::abs(std::abs(factor) - size) <= kRounding * size;
  }
  if (one_size) {
    for (auto& [atom, factor] : form.terms) factor = factor < 0 ? -1 : 1;
    form.constant /= size;
  }
  // Where all terms have one sign the number stands alone on the right.
  const auto positive = [](const auto& term) { return term.second > 0; };
  const bool all = std::all_of(form.terms.begin(), form.terms.end(), positive);
  const bool none = std::none_of(form.terms.begin(), form.terms.end(), positive);
  if (op == Op::Equal && none && !form.terms.empty() && form.is_finite()) {
    LinearForm turned;
    turned.add(form, -1);
    return to_relation(pool, turned, op);
  }
  if (all && !form.terms.empty()) {
    const double number = form.constant == 0 ? 0 : -form.constant;
    form.constant = 0;
    return pool.binary(op, half(pool, form, 1), pool.constant(number));
  }
  ExprId left = half(pool, form, 1), right = half(pool, form, -1);
  const ExprId zero = pool.constant(0);
  return pool.binary(op, left.valid() ? left : zero, right.valid() ? right : zero);
}

}  // namespace cradle::hypa
