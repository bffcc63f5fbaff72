// Islands that are solved as a whole, as series. Of those with constant matrices derivatives are
// solved for like values. Of those that Newton's method solves, 0 = f(y, x, t) = b − M y is
// differentiated: with J = −∂f/∂y at the solution, and r the k-th derivative of f along what is
// known of y so far (its own k-th derivative taken as zero),
//
//     J y⁽ᵏ⁾ = r
//
// Where J is singular, stores depend on each other, and constraints decide about some variables
// (those in which a right null vector has a part). Of the others the first derivative is known:
// the rates of all stores are.
//
// Rounding follows the same way: what was added up to r, and what Newton's method has left of f.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/judge.hpp"

namespace cradle::engine {

using expr::Op;
using plan::Coefficient;
using plan::Equation;
using plan::Series;

// A variable as far as it is known while derivatives are being found.
Series Judge::so_far(const Whole& whole, int local) {
  Series out;
  for (std::size_t k = 0; k < whole.orders; ++k) {
    const double value = whole.y[k][at(local)];
    const bool known = k < whole.worths.size();
    out.finite[k] = {value, std::max(std::abs(value), known ? whole.worths[k][at(local)] : 0.0)};
  }
  return out;
}

Series Judge::whole(Slot& slot, int local) {
  const Whole& known = solve_whole(slot);
  if (known.busy) return so_far(known, local);
  Series out{plan::Value(inside_.variable(slot, local))};
  const std::size_t kind = at(local % 2);
  // Efforts that are rounding of impulses of flow have no other measure.
  out.impulse.worth = std::max(
      {out.impulse.worth, known.impulse[kind], known.rounded * slot.island->unit_of(local)});
  // What is worth something there is worth as much as the largest of its kind.
  out.finite[0].worth = std::max(out.finite[0].worth, known.worth[0][kind]);
  for (std::size_t k = 1; k <= at(order_) && k < known.orders; ++k) {
    out.finite[k] = {known.y[k][at(local)], known.worth[k][kind]};
  }
  if (known.has_tangent && !known.open[at(local)]) {
    out.finite[0].worth = std::max(out.finite[0].worth, worth_of(known, local, 0));
    for (std::size_t k = 1; k <= at(order_) && k < known.orders; ++k) {
      out.finite[k].worth = worth_of(known, local, k);
    }
  }
  if (probing_ || inside_.view() == InstantEvaluator::View::Tried) add_strain(slot, local, out);
  return out;
}

// Where laws bend, small changes of b can be large ones of y.
double Judge::worth_of(const Whole& known, int local, std::size_t k) {
  const std::size_t n = known.island->size();
  thread_local std::vector<double> unit, row;  // serve all islands
  unit.assign(n, 0.0);
  row.assign(n, 0.0);
  unit[at(local)] = 1;
  known.tangent.solve_transposed(unit, row);
  double left_over = 0, worth = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (row[i] == 0) continue;
    left_over += row[i] * known.left_over[i];
    worth += std::abs(row[i]) * known.sides[k][i].worth;
  }
  return k == 0 ? worth + std::abs(left_over) / Coefficient{0, 1}.noise() : worth;
}

// A derivative is no better known than what it is made of: where a law is steep, what is rounding
// in a flow can be more than all that flows into a store.
void Judge::find_worths(Whole& whole, std::size_t k) {
  constexpr std::size_t kFew = 256;  // each variable takes one solution
  const std::size_t n = whole.island->size();
  if (!whole.has_tangent || n > kFew || whole.worths.size() != k) return;
  whole.worths.emplace_back(n, 0.0);
  for (std::size_t v = 0; v < n; ++v) {
    if (!whole.open[v]) whole.worths[k][v] = worth_of(whole, static_cast<int>(v), k);
  }
}

// b of an equation along what is known of y.
Series Judge::side(const Whole& whole, const Equation& equation) {
  if (equation.kind == Equation::Kind::Structure) return Series();
  if (equation.kind != Equation::Kind::Resistor || equation.linear) return right_side(equation);
  const Series argument = so_far(whole, equation.argument);
  const auto saved = std::exchange(locals_, std::span<const Series>(&argument, 1));
  ++depth_;
  const Series out = run(runtime_.system.formula(equation.law));
  --depth_;
  locals_ = saved;
  return out;
}

// r of one order, by row.
void Judge::find_sides(Whole& whole, std::size_t k) {
  const plan::Island& island = *whole.island;
  AtOrder at_order(*this, static_cast<int>(k));
  // What is computed on the way lacks a derivative, and must not be kept.
  const uint64_t stamp = std::exchange(stamp_, runtime_.next_stamp());
  whole.busy = true;
  std::vector<Coefficient>& sides = whole.sides[k];
  sides.assign(island.size(), {});
  for (std::size_t i = 0; i < island.size(); ++i) {
    sides[i] = side(whole, island.equations()[i]).finite[k];
  }
  for (const plan::Modulated& m : island.modulated()) {
    ++depth_;
    const Series modulus = run(runtime_.system.formula(m.modulus));
    --depth_;
    if (!modulus.is_present()) continue;
    const Coefficient term = plan::evaluate(Op::Mul, modulus, so_far(whole, m.column)).finite[k];
    sides[at(m.row)].value -= m.factor * term.value;
    sides[at(m.row)].worth += std::abs(m.factor) * term.worth;
  }
  whole.busy = false;
  stamp_ = stamp;
  // A law that is infinitely steep just here says nothing.
  for (Coefficient& c : sides) {
    if (!std::isfinite(c.value)) c = {0, std::numeric_limits<double>::infinity()};
  }
}

void Judge::follow_tangent(Slot& slot, Whole& whole) {
  const std::size_t n = whole.island->size();
  if (whole.sides[0].empty()) {
    whole.has_tangent = inside_.factor_tangent(slot, whole.tangent, whole.left_over);
    find_open(whole);
    find_sides(whole, 0);
    find_worths(whole, 0);
  }
  const std::size_t most = !whole.has_tangent ? 1 : whole.tangent.deficiency() > 0 ? 2 : kOrders;
  while (whole.orders <= at(order_) && whole.orders < most) {
    const std::size_t k = whole.orders;
    find_sides(whole, k);
    thread_local std::vector<double> right;
    right.clear();
    for (const Coefficient& c : whole.sides[k]) right.push_back(c.value);
    whole.y[k].assign(n, 0.0);
    whole.tangent.solve(right, whole.y[k]);
    const double unknown = std::numeric_limits<double>::infinity();
    whole.worth[k] = {unknown, unknown};  // of those that are open
    ++whole.orders;
    find_worths(whole, k);
  }
}

// Variables about which constraints decide.
void Judge::find_open(Whole& whole) {
  whole.open.assign(whole.island->size(), 0);
  if (!whole.has_tangent || whole.tangent.deficiency() == 0) return;
  for (const linear::SparseVector& z : whole.tangent.find_right_null()) {
    for (int v : z.indices) whole.open[at(v)] = 1;
  }
}

void Judge::solve_next(Whole& whole) {
  const plan::Island& island = *whole.island;
  const std::size_t k = whole.orders;
  AtOrder at_order(*this, static_cast<int>(k));
  std::vector<double> b(island.size(), 0.0), rates(island.size(), 0.0);
  for (std::size_t i = 0; i < island.size(); ++i) {
    const Equation& equation = island.equations()[i];
    if (equation.kind == Equation::Kind::Structure) continue;
    b[i] = right_side(equation).finite[k].value;
    if (!equation.rate.valid()) continue;
    ++depth_;
    rates[i] = run(runtime_.system.formula(equation.rate)).finite[k].value;
    --depth_;
  }
  whole.y[k].resize(island.size());
  island.flow(b, rates, whole.y[k]);
  whole.worth[k] = {0, 0};
  for (std::size_t v = 0; v < island.size(); ++v) {
    whole.worth[k][v % 2] = std::max(whole.worth[k][v % 2], std::abs(whole.y[k][v]));
  }
  ++whole.orders;
}

// Values and derivatives up to the order that is asked for. They belong to one evaluation of the
// instant evaluator, whoever asks.
const Judge::Whole& Judge::solve_whole(Slot& slot) {
  const plan::Island& island = *slot.island;
  std::unique_ptr<Whole>& place = wholes_[at(slot.home())];
  if (!place) place = std::make_unique<Whole>();
  Whole& whole = *place;
  if (whole.busy) return whole;
  if (whole.stamp != inside_.stamp() || whole.island != &island || whole.pinnacle != pinnacle_) {
    whole.stamp = inside_.stamp();
    whole.island = &island;
    whole.pinnacle = pinnacle_;
    whole.orders = 1;
    whole.impulse = {0, 0};
    whole.rounded = 0;
    whole.worth[0] = {0, 0};
    whole.y[0].resize(island.size());
    for (std::size_t v = 0; v < island.size(); ++v) {
      const Number number = inside_.variable(slot, static_cast<int>(v));
      whole.y[0][v] = number.finite;
      whole.worth[0][v % 2] = std::max(whole.worth[0][v % 2], std::abs(number.finite));
      whole.impulse[v % 2] = std::max(whole.impulse[v % 2], std::abs(number.impulse));
      const double unit = island.unit_of(static_cast<int>(v));
      if (unit > 0) whole.rounded = std::max(whole.rounded, std::abs(number.impulse) / unit);
    }
    whole.has_tangent = false;
    whole.sides[0].clear();
    whole.worths.clear();
  }
  if (!island.is_direct()) {
    follow_tangent(slot, whole);
  } else {
    while (whole.orders <= at(order_)) solve_next(whole);
  }
  return whole;
}

}  // namespace cradle::engine
