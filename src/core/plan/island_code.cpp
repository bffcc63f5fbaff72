#include "core/plan/island_code.hpp"

#include <algorithm>

namespace cradle::plan {

using expr::Op;

IslandCode::IslandCode(const Plan& plan, const Island& island, ModeWriter& code)
    : plan_(plan),
      island_(island),
      code_(code),
      equations_(code, island.is_constrained()),
      zero_(code.number(0)) {
  add_equations();
  equations_.run();
  const auto& redundant = equations_.redundant();
  open_ = equations_.free_columns(static_cast<int>(island.size()));
  if (std::ssize(redundant) != island.deficiency() || open_.size() != redundant.size()) {
    throw NotExpressible{};
  }
  for (const auto& row : redundant) {
    if (row.reads_symbols) throw NotExpressible{};
  }
  also_sound(equations_.sound());
}

void IslandCode::also_sound(int32_t sound) {
  if (sound < 0) return;
  sound_ = sound_ < 0 ? sound : code_.apply(Op::And, sound_, sound);
}

int IslandCode::add_symbol(int row, int modulated) {
  symbols_.push_back({row, modulated});
  return Elimination::symbol(static_cast<int>(symbols_.size()) - 1);
}

void IslandCode::add_equations() {
  for (std::size_t row = 0; row < island_.size(); ++row) equations_.add_row();
  for (const linear::Triplet& t : island_.matrix()) {
    equations_.add(t.row, t.column, equations_.number(t.value));
  }
  const auto& modulated = island_.modulated();
  for (std::size_t i = 0; i < modulated.size(); ++i) {
    const Modulated& m = modulated[i];
    const Coefficient factor = equations_.number(m.factor);
    if (island_.awaits(m.modulus)) {
      equations_.add(m.row, add_symbol(m.row, static_cast<int>(i)), factor);
    } else {
      const Coefficient modulus = equations_.varying(code_.expression(m.modulus));
      equations_.add(m.row, m.column, equations_.times(factor, modulus));
    }
  }
  for (int row = 0; row < static_cast<int>(island_.size()); ++row) {
    const Equation& equation = island_.equations()[at(row)];
    if (equation.kind == Equation::Kind::Structure) continue;
    if (is_ready(equation)) {
      const Coefficient slope = equations_.varying(code_.expression(equation.piece_slopes[0]));
      equations_.add(row, equation.argument, equations_.times(equations_.number(-1), slope));
      equations_.add_right(row, code_.resistor(equation, zero_));
    } else if (island_.awaits(equation)) {
      equations_.add(row, add_symbol(row, -1), equations_.number(-1));
    } else {
      equations_.add_right(row, code_.right_side(island_, row));
    }
  }
}

// A resistor whose law is a straight line at any moment, known before the island is solved.
bool IslandCode::is_ready(const Equation& equation) const {
  return equation.affine && !island_.awaits(equation.law);
}

int32_t IslandCode::variable(int local) {
  const Affine& solution = equations_.solution(local);
  int32_t sum = solution.known;
  for (const auto& [part, a] : solution.parts) sum = equations_.add_to(sum, a, resolve(part));
  return sum < 0 ? zero_ : sum;
}

int32_t IslandCode::resolve(int part) {
  if (part < 0) return symbol(-1 - part);
  if (open_value_.empty()) solve_open();
  return open_value_.at(part);
}

int32_t IslandCode::symbol(int k) {
  if (symbols_[at(k)].value >= 0) return symbols_[at(k)].value;
  if (std::exchange(symbols_[at(k)].busy, true)) throw NotExpressible{};
  const int row = symbols_[at(k)].row, i = symbols_[at(k)].modulated;
  int32_t value = -1;
  if (i < 0) {
    value = code_.right_side(island_, row);
  } else {
    const Modulated& m = island_.modulated()[at(i)];
    value = code_.apply(Op::Mul, code_.expression(m.modulus), variable(m.column));
  }
  return symbols_[at(k)].value = value;
}

// What a row adds to the constraint: ℓ (N L y + ḃ − Ṁ y).
void IslandCode::add_rates(int row, const Coefficient& left, std::map<int, Coefficient>& on,
                           int32_t& right) {
  const auto add = [&](int column, const Coefficient& a) {
    const Coefficient term = equations_.times(left, a);
    const auto [place, is_new] = on.try_emplace(column, term);
    if (!is_new) place->second = equations_.plus(place->second, term);
  };
  const auto rate_of = [&](ExprId expr) {
    const Rate& rate = plan_.rate_of(expr);
    if (!rate.expr) throw NotExpressible{};
    return *rate.expr;
  };
  const Equation& equation = island_.equations()[at(row)];
  if (equation.kind == Equation::Kind::Store) {
    for (std::size_t j = 0; j < equation.states.size(); ++j) {
      const int column = island_.rate_variable(island_.local_state(equation.states[j]));
      if (equation.linear) {
        add(column, equations_.number(equation.coefficients[j]));
      } else if (equation.piece.valid()) {
        add(column, equations_.varying(code_.expression(equation.piece_slopes[j])));
      } else {
        add(column, equations_.varying(code_.law(equation.slopes[j], equation)));
      }
    }
  }
  if (equation.kind == Equation::Kind::Store && !equation.linear) {
    if (const ExprId rate = rate_of(equation.law); rate.valid()) {
      right = equations_.add_to(right, left, code_.law(rate, equation));
    }
  }
  if (equation.kind == Equation::Kind::Resistor && (!equation.linear || equation.formula.valid())) {
    throw NotExpressible{};
  }
  if (equation.formula.valid() && !equation.constant) {
    if (const ExprId rate = rate_of(equation.formula); rate.valid()) {
      right = equations_.add_to(right, left, code_.expression(rate));
    }
  }
  for (const Modulated& m : island_.modulated()) {
    if (m.row != row) continue;
    const ExprId rate = rate_of(m.modulus);
    if (!rate.valid()) continue;
    const Coefficient change = equations_.varying(code_.expression(rate));
    add(m.column, equations_.times(equations_.number(-m.factor), change));
  }
}

void IslandCode::solve_open() {
  if (std::exchange(solving_open_, true)) throw NotExpressible{};
  Elimination constraints(code_, false);
  for (const auto& redundant : equations_.redundant()) {
    std::map<int, Coefficient> on;  // columns of y
    int32_t right = -1;
    for (const auto& [row, left] : redundant.left) add_rates(row, left, on, right);
    const int row = constraints.add_row();
    for (const auto& [column, a] : on) {
      const Affine& y = equations_.solution(column);
      right = equations_.add_to(right, a, y.known);
      for (const auto& [part, b] : y.parts) {
        if (part < 0) {
          right = equations_.add_to(right, equations_.times(a, b), resolve(part));
          continue;
        }
        const auto place = std::find(open_.begin(), open_.end(), part) - open_.begin();
        constraints.add(row, static_cast<int>(place), equations_.times(a, b));
      }
    }
    if (right >= 0) constraints.add_right(row, code_.apply(Op::Neg, right));
  }
  constraints.run();
  if (!constraints.free_columns(static_cast<int>(open_.size())).empty()) throw NotExpressible{};
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const int32_t known = constraints.solution(static_cast<int>(i)).known;
    open_value_[open_[i]] = known < 0 ? zero_ : known;
  }
  also_sound(constraints.sound());
}

}  // namespace cradle::plan
