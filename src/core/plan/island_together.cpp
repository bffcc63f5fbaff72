// What an island reads of itself (semantics, section 6.3). Laws, sources and moduli may read its
// efforts and flows, directly or through signals that are plain functions of them:
//
//   F(y) = M(y) y − b(x, y) = 0        J = ∂F/∂y
//   ℓ (N L y + ḃ − Ṁ y) = 0 for each left null vector ℓ of J, with ḃ and Ṁ at held y
//
// The second line is F differentiated by time: ℓ J ẏ = 0, so only what changes beside y is left.
//
// Where M is constant and nothing depends on itself in the end, there is an order in which all can
// be computed on demand, and the island stays direct.

#include "core/plan/island_together.hpp"

#include <algorithm>

namespace cradle::plan {

using expr::Op;

int Island::variable_of(const expr::Node& power) const {
  const BondId bond(at(power.ref));
  if (!contains(bond)) return -1;
  const int place = offset_of(plan_->cell_of(bond)) + plan_->index_in_cell(bond);
  return 2 * place + (power.op == Op::Effort ? 0 : 1);
}

namespace {

// Every effort and flow that an expression reads, also through signals, once.
template <class Visit>
void each_power(const Plan& plan, ExprId expr, Visit&& visit) {
  std::vector<ExprId> work{expr}, seen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    for (const Partial& partial : plan.partials_of(e)) {
      if (std::find(seen.begin(), seen.end(), partial.leaf) != seen.end()) continue;
      seen.push_back(partial.leaf);
      const expr::Node& node = plan.model().pool[partial.leaf];
      if (node.op == Op::Signal) {
        work.push_back(plan.model().signals[SignalId(at(node.ref))].value);
      } else {
        visit(node);
      }
    }
  }
}

}  // namespace

void Island::add_own_variables(ExprId expr, std::vector<int>& out) const {
  each_power(*plan_, expr, [&](const expr::Node& power) {
    const int variable = variable_of(power);
    if (variable >= 0) out.push_back(variable);
  });
}

bool Island::reads_others(ExprId expr) const {
  bool found = false;
  each_power(*plan_, expr, [&](const expr::Node& power) { found |= variable_of(power) < 0; });
  return found;
}

// All that has to be known to compute the right side of an equation, beside states.
std::vector<ExprId> Island::expressions_of(const Equation& equation) const {
  std::vector<ExprId> out;
  if (equation.formula.valid()) out.push_back(equation.formula);
  if (!equation.linear) out.push_back(equation.law);
  return out;
}

bool Island::is_given_by_store(int variable) const {
  const int given = given_by(variable);
  if (given < 0) return false;
  const Equation& equation = equations_[at(given)];
  return equation.kind == Equation::Kind::Store &&
         (equation.linear ? !equation.formula.valid() : plan_->partials_of(equation.law).empty());
}

bool Island::awaits(ExprId expr) const {
  std::vector<int> own;
  add_own_variables(expr, own);
  return std::any_of(own.begin(), own.end(), [this](int v) { return given_by(v) < 0; });
}

bool Island::awaits(const Equation& equation) const {
  const bool bends = equation.kind == Equation::Kind::Resistor && !equation.linear;
  if (bends && given_by(equation.argument) < 0) return true;
  const std::vector<ExprId> read = expressions_of(equation);
  return std::any_of(read.begin(), read.end(), [this](ExprId e) { return awaits(e); });
}

namespace {

// Whether a leaf of a formula, or of the signals that it reads and that are looked into, is such.
template <class LooksInto, class IsSuch>
bool reads(const model::Model& m, ExprId expr, LooksInto&& looks_into, IsSuch&& is_such) {
  std::vector<ExprId> work{expr}, seen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    for (ExprId leaf : m.pool.leaves(e)) {
      const expr::Node& node = m.pool[leaf];
      if (is_such(node)) return true;
      if (node.op != Op::Signal || !looks_into(SignalId(at(node.ref)))) continue;
      if (std::find(seen.begin(), seen.end(), leaf) != seen.end()) continue;
      seen.push_back(leaf);
      work.push_back(m.signals[SignalId(at(node.ref))].value);
    }
  }
  return false;
}

}  // namespace

// Stores of its own that a formula reads while a jump is being found.
bool Island::reads_own_states(ExprId expr) const {
  return reads(
      plan_->model(), expr, [this](SignalId s) { return plan_->reads_bonds(s); },
      [this](const expr::Node& node) {
        return node.op == Op::State && local_states_.find(StateId(at(node.ref))) >= 0;
      });
}

// Stores of any island, or efforts and flows, which follow from them.
bool Island::reads_stores(ExprId expr) const {
  const model::Model& m = plan_->model();
  return reads(
      m, expr, [](SignalId) { return true; },
      [&m](const expr::Node& node) {
        return node.op == Op::Effort || node.op == Op::Flow ||
               (node.op == Op::State && m.states[StateId(at(node.ref))].element.valid());
      });
}

bool Island::reads_itself() const {
  std::vector<int> variables;
  const auto look = [&](ExprId expr) {
    if (!expr.valid() || plan_->partials_of(expr).empty()) return;
    add_own_variables(expr, variables);
  };
  // A rate may read what the law of a store gives: that is known before it.
  std::vector<int> in_rates;
  const auto look_at_rate = [&](ExprId expr) {
    const Rate& rate = plan_->rate_of(expr);
    if (!rate.expr || plan_->partials_of(*rate.expr).empty()) return;
    in_rates.clear();
    add_own_variables(*rate.expr, in_rates);
    for (int v : in_rates) {
      if (!is_given_by_store(v)) variables.push_back(v);
    }
  };
  for (const Modulated& m : modulated_) {
    look(m.modulus);
    look_at_rate(m.modulus);
    if (reads_own_states(m.modulus)) return true;
  }
  for (const Equation& equation : equations_) {
    for (ExprId expr : expressions_of(equation)) {
      look(expr);
      if (!equation.constant && reads_own_states(expr)) return true;
    }
    const bool has_rate = equation.formula.valid() && equation.kind != Equation::Kind::Resistor;
    if (has_rate) look_at_rate(equation.formula);
    if (equation.kind == Equation::Kind::Store && !equation.linear) look_at_rate(equation.law);
    if (!variables.empty()) return true;
  }
  return !variables.empty();
}

namespace {

// needs[i]: what i needs to be known first.
bool has_circle(const std::vector<std::vector<int>>& needs) {
  enum class Mark : char { New, Open, Done };
  std::vector<Mark> marks(needs.size(), Mark::New);
  std::vector<std::pair<int, std::size_t>> path;  // node, next need to look at
  for (std::size_t start = 0; start < needs.size(); ++start) {
    if (marks[start] != Mark::New) continue;
    path.emplace_back(static_cast<int>(start), 0);
    marks[start] = Mark::Open;
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == needs[at(node)].size()) {
        marks[at(node)] = Mark::Done;
        path.pop_back();
        continue;
      }
      const int needed = needs[at(node)][next++];
      if (marks[at(needed)] == Mark::Open) return true;
      if (marks[at(needed)] == Mark::Done) continue;
      marks[at(needed)] = Mark::Open;
      path.emplace_back(needed, 0);
    }
  }
  return false;
}

}  // namespace

// Of a direct island: does anything that is computed on demand need itself? What needs what:
// right sides (0 … n), rates of right sides (n … 2n), and violations of constraints (2n …).
bool Island::depends_on_itself() const {
  const int n = static_cast<int>(size());
  const bool whole = !uses_rows();
  std::vector<std::vector<int>> needs(at(2 * n + constraints_));
  bool at_once = false;  // needs all there is to know
  const auto need = [&](int node, int variable) {
    auto& list = needs[at(node)];
    const int given = given_by(variable);
    if (given >= 0) list.push_back(given);
    at_once |= whole && (given < 0 || constraints_ > 0);
    if (whole) return;
    for (int k : releasing(variable)) list.push_back(2 * n + k);
    if (given >= 0) return;
    for (const LinearRow::Entry& entry : row(variable).b) list.push_back(entry.equation);
    for (const LinearRow::Entry& entry : row(variable).b_rate) list.push_back(n + entry.equation);
  };
  std::vector<int> variables;
  for (int e = 0; e < n; ++e) {
    const Equation& equation = equations_[at(e)];
    variables.clear();
    const std::vector<ExprId> expressions = expressions_of(equation);
    for (ExprId expr : expressions) add_own_variables(expr, variables);
    for (int v : variables) need(e, v);
    at_once |= constraints_ > 0 && std::any_of(expressions.begin(), expressions.end(),
                                               [&](ExprId e) { return reads_own_states(e); });
    for (int k = 0; k < constraints_ && !whole && !variables.empty(); ++k) {
      const std::vector<int>& rows = constraint(k).indices;
      if (!std::binary_search(rows.begin(), rows.end(), e)) continue;
      for (int v : variables) need(2 * n + k, v);
    }
    for (std::size_t i = 0; i < equation.states.size() && !whole; ++i) {  // x⁺ of it
      for (int k : releasing(rate_variable(local_state(equation.states[i])))) {
        needs[at(e)].push_back(2 * n + k);
      }
    }
    variables.clear();
    if (equation.rate.valid()) add_own_variables(equation.rate, variables);
    for (int v : variables) need(n + e, v);
  }
  return at_once || has_circle(needs);
}

// The island is solved together with all that reads it.
void Island::couple() {
  direct_ = false;
  coupled_ = true;
  fault_ = {};
  constant_ = false;
  constraints_ = 0;
  lu_ = {};
  saddle_ = {};
  nulls_ = {};
  c_ = {};
  strain_ = {};
  neighbours_.clear();
  releasing_.clear();
  release_.resize(0, 0);
  rows_.resize(0);
  reads_itself_.assign(size(), 0);
  std::vector<int> variables;
  for (std::size_t row = 0; row < size(); ++row) {
    variables.clear();
    bool states = false;
    for (ExprId expr : expressions_of(equations_[row])) {
      add_own_variables(expr, variables);
      states |= reads_own_states(expr);
    }
    reads_itself_[row] = states || !variables.empty();
  }
  for (int& given : given_by_) {
    if (given >= 0 && reads_itself_[at(given)]) given = -1;
  }
  for (const Modulated& m : modulated_) {
    variables.clear();
    add_own_variables(m.modulus, variables);
    if (!variables.empty() || reads_own_states(m.modulus)) reads_itself_[at(m.row)] = 1;
  }
}

// Of moduli, of sources, and of laws that bend at held states. What has none is a fault if it binds
// states (Newton::find_missing_rate). Where something is read of other islands, their efforts and
// flows would have to be differentiated too: then the whole rate is needed, of what reads nothing
// of this island.
void Island::find_held_rates() {
  const auto find = [&](ExprId expr) -> const Rate& {
    std::vector<int> own;
    add_own_variables(expr, own);
    return own.empty() ? plan_->rate_of(expr) : plan_->held_rate_of(expr);
  };
  const auto mixes = [&](ExprId expr) {
    std::vector<int> own;
    add_own_variables(expr, own);
    return !own.empty() && reads_others(expr);
  };
  constexpr const char* kMixed = "efforts or flows of its own island and of another one";
  for (Modulated& m : modulated_) {
    const Rate& rate = find(m.modulus);
    m.rate = {};
    if (!rate.expr || mixes(m.modulus)) {
      without_rate_.emplace_back(m.row, rate.expr ? kMixed : rate.obstacle);
    } else {
      m.rate = *rate.expr;
    }
  }
  for (std::size_t row = 0; row < size(); ++row) {
    const Equation& equation = equations_[row];
    const bool bends = equation.kind == Equation::Kind::Store && !equation.linear;
    const ExprId varies = bends ? equation.law : equation.formula;
    if (!varies.valid() || equation.kind == Equation::Kind::Resistor) continue;
    const Rate& rate = find(varies);
    if (!rate.expr || mixes(varies)) {
      without_rate_.emplace_back(static_cast<int>(row), rate.expr ? kMixed : rate.obstacle);
    } else if (*rate.expr != equation.rate) {
      own_.push_back(equation);
      own_.back().rate = *rate.expr;
      equations_.replace(row, own_.back());
    }
  }
}

const Island::Chain::Gradient& Island::Chain::of_signal(SignalId id) {
  const auto [place, is_new] = signals_.try_emplace(id);
  if (!is_new) return place->second;  // also what stands in a circle: as much as is known
  Gradient found;
  add(island_.plan_->model().signals[id].value, 1, {}, found);
  return signals_[id] = std::move(found);
}

void Island::Chain::add(ExprId expr, double factor, std::span<const double> locals, Gradient& out) {
  const Plan& plan = *island_.plan_;
  for (const Partial& partial : plan.partials_of(expr)) {
    if (!partial.slope.valid()) continue;
    const expr::Node& node = plan.model().pool[partial.leaf];
    const int variable = node.op == Op::Signal ? -1 : island_.variable_of(node);
    if (node.op != Op::Signal && variable < 0) continue;
    const double slope = factor * (locals.empty() ? inputs_.formula(partial.slope)
                                                  : inputs_.formula(partial.slope, locals));
    if (slope == 0) continue;
    if (variable >= 0) {
      out[variable] += slope;
    } else {
      for (const auto& [v, d] : of_signal(SignalId(at(node.ref)))) out[v] += slope * d;
    }
  }
}

Island::Chain::Gradient Island::Chain::of(ExprId expr, std::span<const double> locals) {
  Gradient out;
  add(expr, 1, locals, out);
  return out;
}

// −∂b/∂y and (∂M/∂y) y, beside the slopes of resistors by their own argument.
void Island::add_couplings(Chain& chain, std::span<const double> x, std::span<const double> y,
                           std::vector<linear::Triplet>& entries) const {
  const auto add = [&](int row, const Chain::Gradient& gradient, double factor) {
    for (const auto& [v, d] : gradient) {
      if (factor * d != 0) entries.push_back({row, v, factor * d});
    }
  };
  for (const Modulated& m : modulated_) {
    if (plan_->partials_of(m.modulus).empty()) continue;
    add(m.row, chain.of(m.modulus, {}), m.factor * y[at(m.column)]);
  }
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    const int row = static_cast<int>(i);
    if (equation.formula.valid() && (equation.linear || equation.kind == Equation::Kind::Source)) {
      add(row, chain.of(equation.formula, {}), -1);
    }
    if (equation.linear || plan_->partials_of(equation.law).empty()) continue;
    if (equation.kind == Equation::Kind::Store) {
      add(row, chain.of(equation.law, locals_of(equation, x)), -1);
    } else {
      add(row, chain.of(equation.law, std::span<const double>(&y[at(equation.argument)], 1)), -1);
    }
  }
}

}  // namespace cradle::plan
