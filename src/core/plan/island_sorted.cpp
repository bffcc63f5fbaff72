// Islands in which only laws of R bend, and in which each of those laws follows from what is known
// before it: a resistor between two charged capacitors, a drag on a moving mass. With the laws as
// sources of what they give, M is constant, and each effort and flow is a short row:
//
//     argument_k = Σ row·b         b_k = law_k(argument_k)
//
// An order exists if no law stands in its own argument, directly or through others. Then nothing is
// iterated while time flows. What jumps is left to Newton's method.

#include <algorithm>
#include <cmath>

#include "core/plan/island.hpp"
#include "core/plan/right_side.hpp"

namespace cradle::plan {

namespace {

bool bends(const Equation& e) { return e.kind == Equation::Kind::Resistor && !e.linear; }

}  // namespace

void Island::put_in_order(const std::function<bool(JunctionId)>& is_active) {
  if (!modulated_.empty() || bonds_.size() > kRowBonds) return;
  std::unique_ptr<Island> rows(new Island(*plan_, cells_, is_active, Laws::AsSources));
  if (!rows->uses_rows() || rows->fault_ || rows->strain_count() > 0) return;
  // What binds states does so whatever the laws are, and none of them has a part in it.
  if (rows->constraint_count() != deficiency_) return;
  for (int k = 0; k < rows->constraint_count(); ++k) {
    const auto& part = rows->constraint(k).indices;
    const auto is_law = [&](int row) { return bends(equations_[at(row)]); };
    if (std::any_of(part.begin(), part.end(), is_law)) return;
  }
  if (!rows->find_order()) return;
  in_order_ = std::move(rows);
}

// Of the laws, by what stands in their arguments.
bool Island::find_order() {
  enum : char { New, Open, Done };
  std::vector<char> mark(size(), New);
  const std::function<bool(int)> visit = [&](int law) {
    if (mark[at(law)] != New) return mark[at(law)] == Done;
    mark[at(law)] = Open;
    const int argument = equations_[at(law)].argument;
    if (const int given = given_by(argument); given < 0) {
      for (const LinearRow::Entry& entry : row(argument).b) {
        if (bends(equations_[at(entry.equation)]) && !visit(entry.equation)) return false;
      }
    }
    mark[at(law)] = Done;
    order_.push_back(law);
    return true;
  };
  for (int r = 0; r < static_cast<int>(size()); ++r) {
    if (bends(equations_[at(r)]) && !visit(r)) return false;
  }
  return true;
}

// False: something is not finite.
bool Island::solve_in_order(IslandInputs& inputs, std::span<double> y) const {
  thread_local std::vector<double> b, rates;  // serve all islands
  b.assign(size(), 0.0);
  rates.assign(size(), 0.0);
  const bool pieces = inputs.keeps_pieces();
  const PlainTerms terms([&](StateId s) { return inputs.state(s); }, inputs);
  for (std::size_t i = 0; i < size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind == Equation::Kind::Structure || bends(equation)) continue;
    b[i] = pieces && equation.piece.valid() ? inputs.formula(equation.piece)
                                            : plan::right_side(equation, terms);
    if (equation.rate.valid()) rates[i] = inputs.formula(equation.rate);
  }
  for (int law : order_) {
    const Equation& equation = equations_[at(law)];
    double argument = 0;
    if (const int given = given_by(equation.argument); given >= 0) {
      argument = b[at(given)];
    } else {
      const LinearRow& sum = row(equation.argument);
      for (const auto& entry : sum.b) argument += entry.coefficient * b[at(entry.equation)];
      for (const auto& entry : sum.b_rate)
        argument += entry.coefficient * rates[at(entry.equation)];
    }
    b[at(law)] = inputs.formula(equation.law, std::span<const double>(&argument, 1));
  }
  flow(b, rates, y);
  return std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace cradle::plan
