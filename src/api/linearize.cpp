// Coordinates. Where stores depend on each other, x has to stay on a manifold. A jump of the mode
// is a projector P onto its tangent, along what impulses can do (Local::project), so tangents are
// the range of P. Of the states as many are chosen as it has dimensions, and the others follow: x =
// T z. Rates are tangent, so ż are the chosen rows of A T z.

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "api/columns.hpp"
#include "api/implementation.hpp"
#include "api/local.hpp"
#include "core/engine/engine.hpp"
#include "cradle/linear.hpp"

namespace cradle {

namespace {

using api::Local;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using engine::Engine;

Index eigen_index(std::size_t i) { return static_cast<Index>(i); }

// ---- DifferenceQuotients by differences ----

struct DifferenceQuotient {
  std::vector<double> value, error;
};

// Central differences over ever smaller steps; each component is taken where two neighbours agree
// best, and how well they do is its error.
DifferenceQuotient quotient_of(const std::function<bool(double, std::vector<double>&)>& evaluate,
                               double x, double scale) {
  constexpr int kSteps = 9;
  DifferenceQuotient out;
  std::vector<double> before, up, down;
  double step = 0.1 * scale;
  for (int k = 0; k < kSteps; ++k, step /= 10) {
    const double a = x + step, b = x - step;
    if (!evaluate(a, up) || !evaluate(b, down)) {
      before.clear();
      continue;
    }
    std::vector<double> now(up.size());
    for (std::size_t i = 0; i < up.size(); ++i) now[i] = (up[i] - down[i]) / (a - b);
    if (out.value.empty()) {
      out.value = now;
      out.error.assign(now.size(), std::numeric_limits<double>::infinity());
    }
    for (std::size_t i = 0; i < now.size() && !before.empty(); ++i) {
      const double rounding = std::numeric_limits<double>::epsilon() *
                              std::max(std::abs(up[i]), std::abs(down[i])) / step;
      const double error = std::abs(now[i] - before[i]) + rounding;
      if (!(error < out.error[i])) continue;
      out.error[i] = error;
      out.value[i] = std::abs(now[i]) <= 8 * error ? 0 : now[i];
    }
    before = std::move(now);
  }
  return out;
}

// ---- Coordinates ----

struct Coordinates {
  MatrixXd tangent;  // n × r: the identity in the rows of the chosen states
  std::vector<Index> chosen;
};

Coordinates coordinates_of(Local& local, const std::vector<double>& x,
                           const std::vector<double>& worth) {
  const std::size_t n = x.size();
  Coordinates out;
  if (!local.is_constrained()) {
    out.tangent = MatrixXd::Identity(eigen_index(n), eigen_index(n));
    for (std::size_t i = 0; i < n; ++i) out.chosen.push_back(eigen_index(i));
    return out;
  }
  if (const auto name = local.unknown_constraint()) {
    throw LinearFault("stores depend on each other by laws or moduli that vary (" + *name +
                      "); of such a mode there is no linearization yet");
  }
  MatrixXd projector(eigen_index(n), eigen_index(n));
  std::vector<double> moved = x;
  for (std::size_t j = 0; j < n; ++j) {
    const double scale = std::max(worth[j], std::abs(x[j]));
    const DifferenceQuotient column = quotient_of(
        [&](double value, std::vector<double>& to) {
          moved[j] = value;
          const bool fine = local.project(moved, to);
          moved[j] = x[j];
          return fine;
        },
        x[j], scale > 0 ? scale : 1);
    if (column.value.empty()) throw LinearFault("the constraints cannot be followed here");
    for (std::size_t i = 0; i < n; ++i) projector(eigen_index(i), eigen_index(j)) = column.value[i];
  }
  // In units of the states, or farads and metres would decide the rank.
  VectorXd unit(eigen_index(n));
  for (std::size_t i = 0; i < n; ++i) unit(eigen_index(i)) = worth[i] > 0 ? worth[i] : 1;
  const MatrixXd scaled = unit.cwiseInverse().asDiagonal() * projector * unit.asDiagonal();
  Eigen::ColPivHouseholderQR<MatrixXd> range(scaled);
  range.setThreshold(1e-9);
  const Index rank = range.rank();
  const MatrixXd basis = MatrixXd(range.householderQ()).leftCols(rank);
  Eigen::ColPivHouseholderQR<MatrixXd> choice(basis.transpose());
  for (Index k = 0; k < rank; ++k) out.chosen.push_back(choice.colsPermutation().indices()(k));
  std::sort(out.chosen.begin(), out.chosen.end());
  MatrixXd chosen(rank, rank);
  for (Index k = 0; k < rank; ++k)
    chosen.row(k) = basis.row(out.chosen[static_cast<std::size_t>(k)]);
  MatrixXd tangent = basis * chosen.inverse();
  for (Index i = 0; i < tangent.rows(); ++i) {
    for (Index k = 0; k < rank; ++k) {
      double& entry = tangent(i, k);
      if (std::abs(entry) < 1e-11) entry = 0;
      entry *= unit(i) / unit(out.chosen[static_cast<std::size_t>(k)]);
    }
  }
  for (Index k = 0; k < rank; ++k) {
    tangent.row(out.chosen[static_cast<std::size_t>(k)]).setZero();
    tangent(out.chosen[static_cast<std::size_t>(k)], k) = 1;
  }
  out.tangent = tangent;
  return out;
}

double state_scale(const std::vector<double>& x, const std::vector<double>& worth, std::size_t i) {
  const double scale = std::max(std::abs(x[i]), worth[i]);
  return scale > 0 && std::isfinite(scale) ? scale : 1;
}

// ∂f/∂x, from code where there is some.
MatrixXd rates_jacobian(Local& local, const std::vector<double>& x,
                        const std::vector<double>& worth, bool& from_code, double& uncertainty) {
  MatrixXd out;
  std::vector<char> known;
  local.jacobian(x, out, known);
  if (std::all_of(known.begin(), known.end(), [](char k) { return k != 0; })) return out;
  from_code = false;
  std::vector<double> moved = x;
  double largest = out.size() > 0 ? out.cwiseAbs().maxCoeff() : 0, worst = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const DifferenceQuotient column = quotient_of(
        [&](double value, std::vector<double>& to) {
          moved[j] = value;
          const bool fine = local.rates(moved, to);
          moved[j] = x[j];
          return fine;
        },
        x[j], state_scale(x, worth, j));
    if (column.value.empty()) throw LinearFault("the rates have no derivative here");
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (known[i]) continue;
      out(eigen_index(i), eigen_index(j)) = column.value[i];
      largest = std::max(largest, std::abs(column.value[i]));
      if (std::isfinite(column.error[i])) worst = std::max(worst, column.error[i]);
    }
  }
  if (largest > 0) uncertainty = std::max(uncertainty, worst / largest);
  return out;
}

// ---- Eigenvalues ----

// By powers of two, which round nothing (Parlett, Reinsch 1969): entries of one size.
VectorXd balance(MatrixXd& a) {
  VectorXd scale = VectorXd::Ones(a.rows());
  for (int pass = 0; pass < 100; ++pass) {
    bool changed = false;
    for (Index i = 0; i < a.rows(); ++i) {
      double row = a.row(i).cwiseAbs().sum() - std::abs(a(i, i));
      double column = a.col(i).cwiseAbs().sum() - std::abs(a(i, i));
      if (!(row > 0) || !(column > 0)) continue;
      double factor = 1;
      const double sum = row + column;
      while (column < row / 2) column *= 4, factor *= 2;
      while (column >= row * 2) column /= 4, factor /= 2;
      if ((row + column) / factor >= 0.95 * sum && factor == 1) continue;
      if (factor == 1) continue;
      changed = true;
      scale(i) *= factor;
      a.row(i) /= factor;
      a.col(i) *= factor;
    }
    if (!changed) break;
  }
  return scale;
}

void in_order(std::vector<std::complex<double>>& values) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    const double x = std::abs(a), y = std::abs(b);
    if (std::abs(x - y) > 1e-9 * std::max(x, y)) return x < y;
    return a.imag() > b.imag();
  });
}

std::vector<std::complex<double>> eigenvalues_of(MatrixXd a) {
  std::vector<std::complex<double>> out;
  if (a.rows() == 0) return out;
  balance(a);
  const Eigen::EigenSolver<MatrixXd> solver(a, false);
  for (Index i = 0; i < a.rows(); ++i) out.push_back(solver.eigenvalues()(i));
  in_order(out);
  return out;
}

// Of [A − sI, b; c, d]: those that are finite.
std::vector<std::complex<double>> zeros_of(MatrixXd a, VectorXd b, Eigen::RowVectorXd c, double d) {
  std::vector<std::complex<double>> out;
  const Index n = a.rows();
  if (n == 0 || (b.isZero(0) && d == 0) || (c.isZero(0) && d == 0)) return out;
  const VectorXd scale = balance(a);
  b = scale.cwiseInverse().asDiagonal() * b;
  c = c * scale.asDiagonal();
  if (d != 0) return eigenvalues_of(a - b * c / d);
  // Without a way through: each Markov parameter that is zero takes one off (Emami-Naeini, Van
  // Dooren 1982, for one input and output): the output's derivatives are outputs of the rest.
  const double size = std::max(a.norm(), 1e-300);
  Eigen::RowVectorXd row = c / std::max(c.norm(), 1e-300);
  const VectorXd column = b / std::max(b.norm(), 1e-300);
  MatrixXd rows(0, n);
  for (Index k = 0; k < n; ++k) {
    rows.conservativeResize(rows.rows() + 1, n);
    rows.row(rows.rows() - 1) = row / std::max(row.norm(), 1e-300);
    const double through = row.dot(column) / std::max(row.norm(), 1e-300);
    if (std::abs(through) > 1e-10) {
      // On the states that keep the output at zero, with the input that does so.
      const MatrixXd closed = a - column * (row * a) / row.dot(column);
      const Eigen::FullPivLU<MatrixXd> lu(rows);
      const MatrixXd kernel = lu.kernel();
      if (rows.rows() >= n) return out;
      const MatrixXd basis = Eigen::HouseholderQR<MatrixXd>(kernel).householderQ() *
                             MatrixXd::Identity(n, kernel.cols());
      return eigenvalues_of(basis.transpose() * closed * basis);
    }
    row = row * a / size;
    if (row.norm() < 1e-13) break;  // the input does not come to the output
  }
  return out;
}

Matrix as_matrix(const MatrixXd& m) {
  Matrix out{static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())};
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out.values.push_back(m(i, j));
  }
  return out;
}
MatrixXd as_eigen(const Matrix& m) {
  MatrixXd out(eigen_index(m.rows), eigen_index(m.columns));
  for (std::size_t i = 0; i < m.rows; ++i) {
    for (std::size_t j = 0; j < m.columns; ++j) out(eigen_index(i), eigen_index(j)) = m(i, j);
  }
  return out;
}

// ---- The run that leads there ----

// A state that has not begun, and stands at ⟨0 − ε⟩ with what it begins with.
engine::State state_before(const plan::Plan& plan, const Options& options,
                           const StartPoint& start) {
  engine::State out(plan, options);
  const model::Model& m = plan.model();
  for (const auto& [name, value] : start.values) {
    for (std::size_t s = 0; s < m.states.size(); ++s) {
      if (m.states[StateId(s)].name == name) out.x[s] = value;
    }
  }
  for (const auto& [name, state] : start.modes) {
    for (std::size_t a = 0; a < m.automata.size(); ++a) {
      const model::Automaton& automaton = m.automata[AutomatonId(a)];
      const auto found = std::find(automaton.states.begin(), automaton.states.end(), state);
      if (automaton.name != name || found == automaton.states.end()) continue;
      out.mode[a] = static_cast<int>(found - automaton.states.begin());
    }
  }
  out.arrival_mode = out.settled_mode = out.mode;
  out.at = {0, -1, 0};
  return out;
}

struct LinearRun {
  LinearRun(const Model& model, const Options& given)
      : impl(api::model_for(model, given)), options(given), plan(*impl->plan) {
    options.record = false;
    options.audit = false;
    columns = api::columns_for(plan, given);
  }

  // The state at t, begun at `start`, if that is one.
  engine::State state_at(double t, const std::shared_ptr<const StartPoint>& start) const {
    Options from = options;
    from.until = std::max(t, options.until.value_or(0)) + 1;
    Engine engine(plan, from, {});
    if (start) engine.restore(state_before(plan, from, *start));
    if (!engine.advance_to(t)) fail(engine.outcome());
    return engine.state();
  }
  [[noreturn]] static void fail(const Outcome& outcome) {
    std::string why = to_string(outcome.ending);
    for (const Diagnostic& d : outcome.diagnostics) {
      if (d.severity == Severity::Error) why = d.message;
    }
    throw LinearFault("the run does not come there: it ends at " + to_string(outcome.at) + ": " +
                      why);
  }

  const model::Model& model() const { return plan.model(); }
  std::string name(std::size_t state) const { return model().states[StateId(state)].name; }

  StartPoint point(const std::vector<double>& x, const std::vector<int>& modes) const {
    StartPoint out;
    for (std::size_t s = 0; s < x.size(); ++s) out.values.emplace_back(name(s), x[s]);
    for (std::size_t a = 0; a < modes.size(); ++a) {
      const model::Automaton& automaton = model().automata[AutomatonId(a)];
      out.modes.emplace_back(automaton.name, automaton.states[static_cast<std::size_t>(modes[a])]);
    }
    return out;
  }

  std::shared_ptr<const Model::Impl> impl;
  Options options;
  const plan::Plan& plan;
  std::vector<engine::RecordedColumn> columns;
};

// ---- Inputs ----

struct LinearInput {
  std::string name;
  std::optional<ClockId> clock;  // else it is a parameter
  double value = 0;
};

std::vector<LinearInput> linear_inputs_of(const LinearRun& run, const Model& model,
                                          const Local& local,
                                          const std::vector<std::string>& names) {
  std::vector<LinearInput> out;
  std::vector<std::string> known;
  for (const auto& [name, value] : model.inputs()) known.push_back(name);
  for (const auto& [name, value] : model.parameters()) known.push_back(name);
  for (const std::string& name : names) {
    LinearInput one;
    one.name = name;
    bool found = false;
    for (const auto& [input, start] : model.inputs()) {
      if (input != name) continue;
      one.clock = engine::find_input(run.model(), name);
      one.value = local.input(*one.clock);
      found = true;
    }
    for (const auto& [parameter, value] : model.parameters()) {
      if (found || parameter != name) continue;
      one.value = value;
      found = true;
    }
    if (!found) {
      const std::string near = suggest(name, known);
      throw std::invalid_argument(model.name() + " has no input or parameter '" + name + "'" +
                                  (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    out.push_back(std::move(one));
  }
  return out;
}

// Rates and outputs, and where the constraints would put x, at another value of the input.
bool with_input(const LinearRun& run, Local& local, const engine::State& state, double t,
                const LinearInput& input, double value, const std::vector<double>& x,
                std::vector<double>& out) {
  std::vector<double> rates, outputs, projected;
  const auto look = [&](Local& at) {
    return at.rates(x, rates) && at.outputs(x, run.columns, outputs) && at.project(x, projected);
  };
  bool fine = false;
  if (input.clock) {
    local.set_input(*input.clock, value);
    fine = look(local);
    local.set_input(*input.clock, input.value);
  } else {
    const auto plan = run.plan.with(input.name, value);
    if (plan == nullptr) {
      throw LinearFault("what the model is depends on " + input.name +
                        ": it cannot be an input of a linearization");
    }
    Local other(*plan, run.options, state, t);
    std::vector<engine::RecordedColumn> columns;
    Options select = run.options;
    columns = api::columns_for(*plan, select);
    fine =
        other.rates(x, rates) && other.outputs(x, columns, outputs) && other.project(x, projected);
  }
  out = std::move(rates);
  out.insert(out.end(), outputs.begin(), outputs.end());
  out.insert(out.end(), projected.begin(), projected.end());
  return fine;
}

}  // namespace

Linearization linearize(const Model& model, const Options& options,
                        const LinearizeOptions& wanted) {
  Options selected = options;
  if (!wanted.outputs.empty()) selected.select = wanted.outputs;
  const LinearRun run(model, selected);
  std::shared_ptr<const StartPoint> start;
  if (!wanted.at) start = std::make_shared<StartPoint>(steady_start(model, options));
  const double t = wanted.at.value_or(0);
  const engine::State state = run.state_at(t, start);
  Local local(run.plan, run.options, state, t);
  const std::vector<double> x = local.x();
  const std::vector<double>& worth = state.worth;
  Linearization out;
  out.at = t;
  for (std::size_t a = 0; a < state.mode.size(); ++a) {
    const model::Automaton& automaton = run.model().automata[AutomatonId(a)];
    out.modes.emplace_back(automaton.name,
                           automaton.states[static_cast<std::size_t>(state.mode[a])]);
  }
  std::vector<double> rates;
  if (!local.rates(x, rates)) throw LinearFault("the rates cannot be computed there");
  if (!local.outputs(x, run.columns, out.y)) {
    throw LinearFault("an output has no value there: it is absent or not finite");
  }
  const Coordinates z = coordinates_of(local, x, worth);
  const MatrixXd a = rates_jacobian(local, x, worth, out.from_code, out.uncertainty);
  const Index r = z.tangent.cols(), p = eigen_index(run.columns.size());
  const auto rows_of = [&](const MatrixXd& whole) {
    MatrixXd some(r, whole.cols());
    if (whole.cols() == 0) return some;  // without inputs there is no memory behind it
    for (Index k = 0; k < r; ++k) some.row(k) = whole.row(z.chosen[static_cast<std::size_t>(k)]);
    return some;
  };
  // C, along the tangent.
  MatrixXd c(p, r);
  double worst = 0, largest = 0;
  for (Index k = 0; k < r; ++k) {
    const auto own = static_cast<std::size_t>(z.chosen[static_cast<std::size_t>(k)]);
    const DifferenceQuotient column = quotient_of(
        [&](double value, std::vector<double>& to) {
          std::vector<double> moved = x;
          for (std::size_t i = 0; i < x.size(); ++i) {
            moved[i] += z.tangent(eigen_index(i), k) * (value - x[own]);
          }
          return local.outputs(moved, run.columns, to);
        },
        x[own], state_scale(x, worth, own));
    if (column.value.empty()) throw LinearFault("an output has no derivative there");
    for (Index i = 0; i < p; ++i) {
      c(i, k) = column.value[static_cast<std::size_t>(i)];
      largest = std::max(largest, std::abs(c(i, k)));
      if (std::isfinite(column.error[static_cast<std::size_t>(i)])) {
        worst = std::max(worst, column.error[static_cast<std::size_t>(i)]);
      }
    }
  }
  if (largest > 0) out.uncertainty = std::max(out.uncertainty, worst / largest);
  // B and D.
  const std::vector<LinearInput> inputs = linear_inputs_of(run, model, local, wanted.inputs);
  const Index m = eigen_index(inputs.size()), n = eigen_index(x.size());
  MatrixXd b(n, m), d(p, m);
  for (Index j = 0; j < m; ++j) {
    const LinearInput& input = inputs[static_cast<std::size_t>(j)];
    const DifferenceQuotient column = quotient_of(
        [&](double value, std::vector<double>& to) {
          return with_input(run, local, state, t, input, value, x, to);
        },
        input.value, input.value != 0 ? std::abs(input.value) : 1);
    if (column.value.empty()) throw LinearFault("there is no derivative by " + input.name);
    for (Index i = 0; i < n; ++i) b(i, j) = column.value[static_cast<std::size_t>(i)];
    for (Index i = 0; i < p; ++i) d(i, j) = column.value[static_cast<std::size_t>(n + i)];
    for (Index i = 0; i < n; ++i) {
      if (column.value[static_cast<std::size_t>(n + p + i)] == 0) continue;
      throw LinearFault(input.name + " sets " + run.name(static_cast<std::size_t>(i)) +
                        " directly: what flows would follow its rate, and there is no B for that; "
                        "put a resistor between them");
    }
    out.inputs.push_back(input.name);
    out.u.push_back(input.value);
  }
  for (const engine::RecordedColumn& column : run.columns) out.outputs.push_back(column.name);
  const MatrixXd reduced = rows_of(a * z.tangent), b_rows = rows_of(b);
  std::set<Index> chosen(z.chosen.begin(), z.chosen.end());
  for (Index i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(i);
    if (!chosen.contains(i)) {
      out.dependent.push_back(run.name(s));
      continue;
    }
    out.states.push_back(run.name(s));
    out.x.push_back(x[s]);
    out.rates.push_back(rates[s]);
  }
  out.A = as_matrix(reduced);
  out.B = as_matrix(b_rows);
  out.C = as_matrix(c);
  out.D = as_matrix(d);
  out.poles = eigenvalues_of(reduced);
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j < m; ++j) {
      out.zeros.push_back(zeros_of(reduced, b_rows.col(j), c.row(i), d(i, j)));
    }
  }
  return out;
}

std::complex<double> response(const Linearization& system, std::size_t output, std::size_t input,
                              std::complex<double> s) {
  MatrixXd a = as_eigen(system.A);
  const VectorXd scale = balance(a);
  const VectorXd b = scale.cwiseInverse().asDiagonal() * as_eigen(system.B).col(eigen_index(input));
  const Eigen::RowVectorXd c = as_eigen(system.C).row(eigen_index(output)) * scale.asDiagonal();
  const std::complex<double> through = system.D(output, input);
  if (a.rows() == 0) return through;
  const Eigen::MatrixXcd pencil =
      s * Eigen::MatrixXcd::Identity(a.rows(), a.rows()) - a.cast<std::complex<double>>();
  const Eigen::VectorXcd state = pencil.partialPivLu().solve(b.cast<std::complex<double>>());
  return (c.cast<std::complex<double>>() * state)(0) + through;
}

std::vector<std::vector<double>> step_response(const Linearization& system, std::size_t input,
                                               double step, std::size_t count) {
  MatrixXd a = as_eigen(system.A);
  const VectorXd scale = balance(a);
  const Index n = a.rows();
  // exp of [A b; 0 0] h, by scaling, a series and squaring.
  MatrixXd whole = MatrixXd::Zero(n + 1, n + 1);
  whole.topLeftCorner(n, n) = a * step;
  whole.topRightCorner(n, 1) =
      scale.cwiseInverse().asDiagonal() * as_eigen(system.B).col(eigen_index(input)) * step;
  int halvings = 0;
  for (double size = whole.cwiseAbs().rowwise().sum().maxCoeff(); size > 0.5 && halvings < 200;
       size /= 2) {
    ++halvings;
  }
  whole /= std::pow(2.0, halvings);
  MatrixXd power = MatrixXd::Identity(n + 1, n + 1), sum = power;
  for (int k = 1; k <= 18; ++k) {
    power = power * whole / k;
    sum += power;
  }
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  const MatrixXd c = as_eigen(system.C) * scale.asDiagonal();
  const VectorXd d = as_eigen(system.D).col(eigen_index(input));
  VectorXd state = VectorXd::Zero(n + 1);
  state(n) = 1;
  std::vector<std::vector<double>> out;
  for (std::size_t i = 0; i < count; ++i) {
    const VectorXd y = c * state.head(n) + d;
    out.emplace_back(y.data(), y.data() + y.size());
    state = sum * state;
  }
  return out;
}

// ---- Where it rests ----

namespace {

// States that no rate reads: a charge that is only counted. They need not rest.
std::vector<char> are_read(const MatrixXd& a) {
  std::vector<char> out;
  for (Index j = 0; j < a.cols(); ++j) out.push_back(a.col(j).isZero(0) ? 0 : 1);
  return out;
}

// Newton's method on ẋ = 0 within the mode; steps are halved until they lead downhill. False: it
// does not come to rest.
bool bring_to_rest(Local& local, std::vector<double>& x, std::vector<double> worth) {
  constexpr int kIterations = 80;
  std::vector<double> rates;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    if (!local.rates(x, rates)) return false;
    bool from_code = true;
    double uncertainty = 0;
    const MatrixXd a = rates_jacobian(local, x, worth, from_code, uncertainty);
    const std::vector<char> read = are_read(a);
    const Coordinates z = coordinates_of(local, x, worth);
    std::vector<Index> used;
    for (std::size_t k = 0; k < z.chosen.size(); ++k) {
      if (read[static_cast<std::size_t>(z.chosen[k])]) used.push_back(eigen_index(k));
    }
    const MatrixXd along = a * z.tangent;
    const Index size = eigen_index(used.size());
    MatrixXd slope(size, size);
    VectorXd left(size), unit(size), weight(size);
    for (Index k = 0; k < size; ++k) {
      const Index own = z.chosen[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])];
      left(k) = rates[static_cast<std::size_t>(own)];
      for (Index l = 0; l < size; ++l) slope(k, l) = along(own, used[static_cast<std::size_t>(l)]);
    }
    // A rate is measured in what is added up there.
    for (Index k = 0; k < size; ++k) {
      const auto own = static_cast<std::size_t>(
          z.chosen[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])]);
      unit(k) = state_scale(x, worth, own);
      double sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        sum += std::abs(a(eigen_index(own), eigen_index(j))) * state_scale(x, worth, j);
      }
      weight(k) = sum > 0 ? 1 / sum : 1;
    }
    const auto size_of = [&](const VectorXd& f) { return f.cwiseProduct(weight).norm(); };
    const double now = size_of(left);
    if (now < 1e-11) return true;
    const MatrixXd scaled = weight.asDiagonal() * slope * unit.asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(scaled);
    solver.setThreshold(1e-10);
    const VectorXd step = unit.asDiagonal() * solver.solve(VectorXd(-(weight.asDiagonal() * left)));
    double length = 1;
    bool better = false;
    for (int k = 0; k < 30 && !better; ++k, length /= 2) {
      std::vector<double> tried = x, next;
      for (Index l = 0; l < size; ++l) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          tried[i] +=
              length * step(l) * z.tangent(eigen_index(i), used[static_cast<std::size_t>(l)]);
        }
      }
      if (!local.rates(tried, next)) continue;
      VectorXd f(size);
      for (Index l = 0; l < size; ++l) {
        f(l) = next[static_cast<std::size_t>(
            z.chosen[static_cast<std::size_t>(used[static_cast<std::size_t>(l)])])];
      }
      if (!(size_of(f) < (1 - 0.1 * length) * now)) continue;
      better = true;
      x = tried;
      for (std::size_t i = 0; i < x.size(); ++i) worth[i] = std::max(worth[i], std::abs(x[i]));
    }
    if (!better) return now < 1e-8;
  }
  return false;
}

// Begun there, does the model stay? Where nothing pushes it away, it may not move.
void require_rest(const LinearRun& run, const std::shared_ptr<const StartPoint>& start,
                  const std::vector<double>& x, const std::vector<char>& read, bool stable) {
  const double end = run.options.until.value_or(run.plan.until().value_or(1));
  Options from = run.options;
  from.until = end + 1;
  Engine engine(run.plan, from, {});
  engine.restore(state_before(run.plan, from, *start));
  if (!engine.advance_to(end)) LinearRun::fail(engine.outcome());
  if (engine.statistics().events > 0) {
    throw LinearFault(
        "where its rates are zero the model does not stay: something switches later; "
        "give a time with --at, or a period");
  }
  if (!stable) return;
  Local local(run.plan, run.options, engine.state(), end);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scale = std::max(engine.state().worth[i], std::abs(x[i]));
    if (!read[i] || std::abs(local.x()[i] - x[i]) <= 1e-6 * scale + 1e-300) continue;
    throw LinearFault("the model does not rest: " + run.name(i) +
                      " moves, because something depends on time; give a time with --at, or a "
                      "period");
  }
}

}  // namespace

StartPoint steady_start(const Model& model, const Options& options) {
  const LinearRun run(model, options);
  const double end = options.until.value_or(run.plan.until().value_or(1));
  std::string why = "Newton's method does not settle on rates that are zero";
  for (const double begin : {0.0, end / 10, end}) {  // further on it may be nearer
    engine::State state = run.state_at(begin, nullptr);
    constexpr int kModes = 40;
    for (int attempt = 0; attempt < kModes; ++attempt) {
      Local local(run.plan, run.options, state, attempt == 0 ? begin : 0);
      std::vector<double> x = local.x();
      if (!bring_to_rest(local, x, state.worth)) break;
      const auto start = std::make_shared<StartPoint>(run.point(x, state.mode));
      const std::vector<int> modes = state.mode;
      state = run.state_at(0, start);
      Local there(run.plan, run.options, state, 0);
      bool same = state.mode == modes;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double scale = std::max(state.worth[i], std::abs(x[i]));
        same = same && std::abs(there.x()[i] - x[i]) <= 1e-9 * scale;
      }
      if (!same) {
        why = "the mode changes wherever its rates are zero";
        continue;
      }
      bool from_code = true;
      double uncertainty = 0;
      const MatrixXd a = rates_jacobian(there, there.x(), state.worth, from_code, uncertainty);
      const auto poles = eigenvalues_of(a);
      const bool stable = std::all_of(poles.begin(), poles.end(), [](const auto& pole) {
        return pole.real() <= 1e-9 * std::abs(pole);
      });
      require_rest(run, start, x, are_read(a), stable);
      return *start;
    }
  }
  throw LinearFault("no operating point is found: " + why);
}

// ---- Periods ----

namespace {

class Shooting {
 public:
  Shooting(const Model& model, const Options& options, double period)
      : run_(model, options), period_(period) {
    // Differences of runs are as good as the runs.
    run_.options.relative_tolerance = std::min(run_.options.relative_tolerance, 1e-11);
    run_.options.absolute_tolerance = std::min(run_.options.absolute_tolerance, 1e-17);
  }

  Periodic find() {
    constexpr int kBefore = 8, kIterations = 25;
    const double begin = kBefore * period_;
    engine::State state = run_.state_at(begin, nullptr);
    worth_ = state.worth;
    std::vector<double> x = Local(run_.plan, run_.options, state, begin).x();
    std::vector<int> modes = state.mode;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      std::vector<int> after = modes;
      const std::vector<double> y = map(x, after);
      const MatrixXd slope = monodromy(x, modes);
      find_free(slope);
      if (distance(x, y) < 1e-8 && after == modes) {
        require_cycle(x, modes);
        return result(x, modes, slope);
      }
      modes = after;
      step(x, y, slope);
    }
    throw LinearFault("no run is found that is the same again after " + format_number(period_));
  }

 private:
  std::vector<double> map(const std::vector<double>& x, std::vector<int>& modes) const {
    const auto start = std::make_shared<StartPoint>(run_.point(x, modes));
    const engine::State state = run_.state_at(period_, start);
    modes = state.mode;
    return Local(run_.plan, run_.options, state, period_).x();
  }

  // A period begins at 0 here: what drives the model has to be the same later on, too.
  void require_cycle(const std::vector<double>& x, const std::vector<int>& modes) const {
    constexpr int kPeriods = 4;
    const auto start = std::make_shared<StartPoint>(run_.point(x, modes));
    const double end = kPeriods * period_;
    const engine::State state = run_.state_at(end, start);
    if (distance(x, Local(run_.plan, run_.options, state, end).x()) < 1e-6) return;
    throw LinearFault("what drives the model is not the same again after " +
                      format_number(period_) + ": later periods differ from the first");
  }

  // By central differences: every run goes through its own events.
  MatrixXd monodromy(const std::vector<double>& x, const std::vector<int>& modes) const {
    MatrixXd out(eigen_index(x.size()), eigen_index(x.size()));
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double h = 1e-5 * state_scale(x, worth_, j);
      std::vector<double> up = x, down = x;
      up[j] += h;
      down[j] -= h;
      std::vector<int> ignored = modes;
      const std::vector<double> above = map(up, ignored);
      ignored = modes;
      const std::vector<double> below = map(down, ignored);
      for (std::size_t i = 0; i < x.size(); ++i) {
        out(eigen_index(i), eigen_index(j)) = (above[i] - below[i]) / (up[j] - down[j]);
      }
    }
    return out;
  }

  // What nobody reads, and only counts, need not return.
  void find_free(const MatrixXd& slope) {
    free_.assign(static_cast<std::size_t>(slope.cols()), 0);
    for (Index j = 0; j < slope.cols(); ++j) {
      VectorXd column = slope.col(j);
      column(j) -= 1;
      for (Index i = 0; i < column.size(); ++i) {
        column(i) *= state_scale(worth_, worth_, static_cast<std::size_t>(j)) /
                     state_scale(worth_, worth_, static_cast<std::size_t>(i));
      }
      free_[static_cast<std::size_t>(j)] = column.cwiseAbs().maxCoeff() < 1e-7 ? 1 : 0;
    }
  }

  double distance(const std::vector<double>& x, const std::vector<double>& y) const {
    double out = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!free_[i]) out = std::max(out, std::abs(y[i] - x[i]) / state_scale(x, worth_, i));
    }
    return out;
  }

  std::vector<Index> bound() const {
    std::vector<Index> out;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (!free_[i]) out.push_back(eigen_index(i));
    }
    return out;
  }

  void step(std::vector<double>& x, const std::vector<double>& y, const MatrixXd& slope) const {
    const std::vector<Index> kept = bound();
    const Index n = eigen_index(kept.size());
    if (n == 0) return;
    MatrixXd matrix(n, n);
    VectorXd left(n), unit(n);
    for (Index i = 0; i < n; ++i) {
      const auto own = static_cast<std::size_t>(kept[static_cast<std::size_t>(i)]);
      unit(i) = state_scale(x, worth_, own);
      left(i) = (y[own] - x[own]) / unit(i);
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const Index row = kept[static_cast<std::size_t>(i)],
                    column = kept[static_cast<std::size_t>(j)];
        matrix(i, j) = (slope(row, column) - (row == column ? 1 : 0)) * unit(j) / unit(i);
      }
    }
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(matrix);
    solver.setThreshold(1e-8);
    const VectorXd move = solver.solve(VectorXd(-left));
    for (Index i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])] += move(i) * unit(i);
    }
  }

  Periodic result(const std::vector<double>& x, const std::vector<int>& modes,
                  const MatrixXd& slope) const {
    Periodic out;
    out.start = run_.point(x, modes);
    const std::vector<Index> kept = bound();
    MatrixXd some(eigen_index(kept.size()), eigen_index(kept.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      out.states.push_back(run_.name(static_cast<std::size_t>(kept[i])));
      for (std::size_t j = 0; j < kept.size(); ++j) {
        some(eigen_index(i), eigen_index(j)) = slope(kept[i], kept[j]);
      }
    }
    out.monodromy = as_matrix(some);
    out.multipliers = eigenvalues_of(some);
    return out;
  }

  LinearRun run_;
  double period_;
  std::vector<double> worth_;
  std::vector<char> free_;
};

}  // namespace

std::string begin_at(const Model& model, const Options& options, const StartPoint& start) {
  const auto impl = api::model_for(model, options);
  Engine engine(*impl->plan, options, api::columns_for(*impl->plan, options),
                api::drawn_columns(*impl->plan, options));
  engine.restore(state_before(*impl->plan, options, start));
  return engine.save();
}

Periodic periodic_start(const Model& model, const Options& options, double period) {
  return Shooting(model, options, period).find();
}

}  // namespace cradle
