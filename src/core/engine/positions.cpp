#include "core/engine/positions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/engine/jump_noise.hpp"
#include "core/plan/right_side.hpp"

namespace cradle::engine {

using expr::Op;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Gauss's rule over a step, on which c hardly bends.
constexpr std::array<double, 3> kPlaces = {0.1127016653792583, 0.5, 0.8872983346207417};
constexpr std::array<double, 3> kWeights = {5.0 / 18, 8.0 / 18, 5.0 / 18};

// Where the values of the last look begin in Course::seen: time, positions, and what has stayed of
// each constraint.
constexpr std::size_t kFirstPosition = 1;

}  // namespace

double Positions::worth(const Cluster& cluster, const std::vector<std::size_t>& position) const {
  return runtime_.state.worth[at(cluster.states[position[0]])];
}

// What integrates the flow (or effort) that this equation gives: integrals of it, and stores that
// it flows into.
int Positions::position_of(const Cluster& cluster, const Island& island, std::size_t first_state,
                           int equation, Binding& binding) const {
  const model::Model& m = plan_.model();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < island.states().size(); ++i) {
    const int rate = island.rate_variable(static_cast<int>(i));
    if (island.given_by(rate) == equation) found.push_back(first_state + i);
  }
  for (std::size_t i = 0; i < cluster.states.size(); ++i) {
    const model::State& state = m.states[cluster.states[i]];
    if (state.element.valid() || !state.rate.valid() || state.region.valid()) continue;
    ExprId rate = state.rate;
    while (m.pool[rate].op == Op::Signal) rate = m.signals[SignalId(at(m.pool[rate].ref))].value;
    const expr::Node& node = m.pool[rate];
    if (node.op != Op::Effort && node.op != Op::Flow) continue;
    const BondId bond(at(node.ref));
    const CellId cell = plan_.cell_of(bond);
    if (runtime_.slot_of_cell[at(cell)]->island.get() != &island) continue;
    const int variable =
        2 * (island.offset_of(cell) + plan_.index_in_cell(bond)) + (node.op == Op::Effort ? 0 : 1);
    if (island.given_by(variable) == equation) found.push_back(i);
  }
  if (found.empty()) return -1;
  binding.positions.push_back(std::move(found));
  return static_cast<int>(binding.positions.size()) - 1;
}

std::optional<Positions::Bound> Positions::bind(const Cluster& cluster, const Slot& slot,
                                                std::size_t first_state, Binding& binding) const {
  const Island& island = *slot.island;
  if (!may_bind(island)) return {};
  Bound out{&slot, first_state, {}, {}};
  for (const bool stores : {false, true}) {
    for (int e = 0; e < static_cast<int>(island.size()); ++e) {
      const plan::Equation& equation = island.equations()[at(e)];
      const bool is_store = equation.kind == plan::Equation::Kind::Store;
      if (equation.kind == plan::Equation::Kind::Resistor && !equation.linear) return {};
      if (equation.kind == plan::Equation::Kind::Structure || is_store != stores) continue;
      Row row{e};
      if (equation.kind == plan::Equation::Kind::Source) {
        row.is_known = equation.constant;
        row.rate = equation.offset;
      } else if (is_store && equation.linear && equation.offset == 0 && !equation.formula.valid()) {
        row.position = position_of(cluster, island, first_state, e, binding);
        row.is_known = row.position >= 0;
      }
      out.rows.push_back(row);
    }
  }
  return out;
}

std::optional<Eigen::MatrixXd> Positions::coefficients(const Cluster& cluster, double t,
                                                       std::span<const double> x,
                                                       const Bound& bound, const Binding& binding) {
  flow_.begin(t);
  for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster.states[i], x[i]);
  const std::vector<linear::SparseVector> left = bound.slot->island->left_null_at(flow_);
  const auto r = static_cast<Eigen::Index>(left.size());
  if (left.size() != bound.references.size()) return {};
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(r, static_cast<int>(bound.slot->island->size()));
  for (Eigen::Index k = 0; k < r; ++k) {
    const linear::SparseVector& l = left[at(static_cast<int>(k))];
    for (std::size_t i = 0; i < l.indices.size(); ++i) dense(k, l.indices[i]) = l.values[i];
  }
  Eigen::MatrixXd units(r, r);
  for (Eigen::Index k = 0; k < r; ++k) {
    units.col(k) = dense.col(bound.references[at(static_cast<int>(k))]);
  }
  constexpr double kApart = 1e-6;  // largest entries are 1
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(units);
  if (!(std::abs(solver.matrixLU().diagonal().cwiseAbs().minCoeff()) > kApart)) return {};
  dense = solver.solve(dense);
  const auto last = static_cast<Eigen::Index>(binding.positions.size());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(r, last + 1);
  const double nothing = 1e-12 * dense.cwiseAbs().maxCoeff();
  for (const Row& row : bound.rows) {
    if (dense.col(row.equation).cwiseAbs().maxCoeff() <= nothing) continue;
    if (!row.is_known) return {};
    if (row.position >= 0) {
      out.col(row.position) += dense.col(row.equation);
    } else {
      out.col(last) += row.rate * dense.col(row.equation);
    }
  }
  return out;
}

// ∂cᵢ/∂qⱼ = ∂cⱼ/∂qᵢ for every constraint; time does not move c.
bool Positions::is_gradient(const Cluster& cluster, double t, std::span<const double> x,
                            const Bound& bound, const Binding& binding) {
  const std::size_t n = binding.positions.size();
  double scale = 0;
  for (const auto& position : binding.positions) scale = std::max(scale, worth(cluster, position));
  if (!(scale > 0)) return false;
  std::vector<Eigen::MatrixXd> slopes;
  for (const auto& position : binding.positions) {
    const double own = worth(cluster, position);
    const double by = 1e-5 * (own > 0 ? own : scale);
    std::array<std::optional<Eigen::MatrixXd>, 2> sides;
    for (const int side : {0, 1}) {
      there_.assign(x.begin(), x.end());
      for (std::size_t component : position) there_[component] += side == 0 ? -by : by;
      sides[at(side)] = coefficients(cluster, t, there_, bound, binding);
      if (!sides[at(side)]) return false;
    }
    slopes.emplace_back((*sides[1] - *sides[0]) / (2 * by));
  }
  constexpr double kAlike = 1e-6;
  const auto r = static_cast<Eigen::Index>(bound.references.size());
  for (Eigen::Index k = 0; k < r; ++k) {
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double one = slopes[j](k, static_cast<int>(i)),
                     other = slopes[i](k, static_cast<int>(j));
        largest = std::max(largest, std::abs(one));
        apart = std::max(apart, std::abs(one - other));
      }
      apart = std::max(apart, std::abs(slopes[i](k, static_cast<int>(n))));
    }
    if (apart > kAlike * largest) return false;
  }
  return true;
}

// Do the moduli read positions alone, beside what only instants change? Where anything else moves
// them, Φ changes with it.
bool Positions::reads_only(const Cluster& cluster, const Bound& bound,
                           const Binding& binding) const {
  const model::Model& m = plan_.model();
  const auto is_position = [&](StateId id) {
    return std::any_of(binding.positions.begin(), binding.positions.end(), [&](const auto& alike) {
      return std::any_of(alike.begin(), alike.end(),
                         [&](std::size_t c) { return cluster.states[c] == id; });
    });
  };
  std::vector<ExprId> work, seen;
  for (const plan::Modulated& modulated : bound.slot->island->modulated()) {
    work.push_back(modulated.modulus);
  }
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (std::find(seen.begin(), seen.end(), e) != seen.end()) continue;
    seen.push_back(e);
    for (ExprId leaf : m.pool.leaves(e)) {
      const expr::Node& node = m.pool[leaf];
      const bool moves = node.op == Op::Time || node.op == Op::Effort || node.op == Op::Flow ||
                         node.op == Op::Phase;
      if (moves) return false;
      if (node.op == Op::State && !is_position(StateId(at(node.ref)))) return false;
      if (node.op == Op::Signal) work.push_back(m.signals[SignalId(at(node.ref))].value);
    }
  }
  return true;
}

// Sources before stores, then stores from each of them on.
bool Positions::find_references(const Cluster& cluster, double t, std::span<const double> x,
                                Bound& bound, const Binding& binding) {
  flow_.begin(t);
  for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster.states[i], x[i]);
  const std::vector<linear::SparseVector> left = bound.slot->island->left_null_at(flow_);
  const auto stores = std::find_if(bound.rows.begin(), bound.rows.end(),
                                   [](const Row& row) { return row.position >= 0; });
  for (std::ptrdiff_t turn = 0; turn <= bound.rows.end() - stores; ++turn) {
    std::vector<Row> order = bound.rows;
    const auto first = order.begin() + (stores - bound.rows.begin());
    if (turn > 0) std::rotate(first, first + (turn - 1), order.end());
    if (turn > 0) std::rotate(order.begin(), first, order.end());  // stores alone, then the others
    Eigen::MatrixXd rest(static_cast<int>(left.size()), static_cast<int>(order.size()));
    for (std::size_t k = 0; k < left.size(); ++k) {
      for (std::size_t j = 0; j < order.size(); ++j) {
        const auto& l = left[k].indices;
        const auto found = std::lower_bound(l.begin(), l.end(), order[j].equation);
        const bool is_there = found != l.end() && *found == order[j].equation;
        rest(static_cast<int>(k), static_cast<int>(j)) =
            is_there ? left[k].values[static_cast<std::size_t>(found - l.begin())] : 0;
      }
    }
    bound.references.clear();
    Eigen::Index done = 0;
    for (Eigen::Index j = 0; j < rest.cols() && done < rest.rows(); ++j) {
      Eigen::Index pivot = 0;
      constexpr double kLarge = 1e-3;
      if (rest.col(j).tail(rest.rows() - done).cwiseAbs().maxCoeff(&pivot) < kLarge) continue;
      rest.row(done).swap(rest.row(done + pivot));
      for (Eigen::Index k = done + 1; k < rest.rows(); ++k) {
        rest.row(k) -= rest(k, j) / rest(done, j) * rest.row(done);
      }
      bound.references.push_back(order[at(static_cast<int>(j))].equation);
      ++done;
    }
    if (done == rest.rows() && is_gradient(cluster, t, x, bound, binding)) return true;
  }
  return false;
}

const Positions::Binding& Positions::binding_of(const Cluster& cluster, double t,
                                                std::span<const double> x) {
  const auto [place, is_new] = bindings_.try_emplace(cluster.serial);
  Binding& out = place->second;
  if (!is_new) return out;
  std::size_t first_state = 0;
  for (const auto& slot : cluster.slots) {
    Binding with = out;
    std::optional<Bound> bound = bind(cluster, *slot, first_state, with);
    first_state += slot->island->states().size();
    if (!bound || !reads_only(cluster, *bound, with)) continue;
    if (!find_references(cluster, t, x, *bound, with)) continue;
    out = std::move(with);
    out.constraints += bound->references.size();
    out.islands.push_back(std::move(*bound));
  }
  return out;
}

bool Positions::project_stores(const Cluster& cluster, double t, std::span<double> x) {
  thread_local std::vector<double> b, none, y, magnitudes, noise;  // serve all islands
  const Options& options = runtime_.options;
  flow_.begin(t);
  for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster.states[i], x[i]);
  const plan::PlainTerms terms([&](StateId s) { return flow_.state(s); }, flow_);
  bool moved = false;
  std::size_t first = 0;
  for (const auto& slot : cluster.slots) {
    const Island& island = *slot->island;
    const std::span<double> own = x.subspan(first, island.states().size());
    first += own.size();
    if (!island.is_direct() || !island.is_constrained()) continue;
    b.assign(island.size(), 0.0);
    none.assign(island.size(), 0.0);
    y.assign(island.size(), 0.0);
    for (std::size_t i = 0; i < island.size(); ++i) {
      b[i] = plan::right_side(island.equations()[i], terms);
    }
    magnitudes.assign(island.size(), 0.0);
    noise.clear();
    island.jump(b, none, y, magnitudes);
    bool matters = false;
    for (std::size_t i = 0; i < own.size() && !matters; ++i) {
      const StateId id = island.states()[i];
      const std::size_t variable = at(island.rate_variable(static_cast<int>(i)));
      const double scale = std::max(std::abs(own[i]), runtime_.state.worth[at(id)]);
      const double tolerance = options.relative_tolerance * scale +
                               options.absolute_tolerance * plan_.tolerance_scale(id);
      if (!(std::abs(y[variable]) > tolerance)) continue;
      // What those around it may be off by can be more than what it has.
      if (noise.empty()) find_jump_noise(runtime_, island, b, magnitudes, noise);
      matters = std::abs(y[variable]) > tolerated(options, noise[variable]);
    }
    if (!matters) continue;
    moved = true;
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] += y[at(island.rate_variable(static_cast<int>(i)))];
    }
  }
  return moved;
}

void Positions::begin(const Cluster& cluster, double t, std::span<const double> x) {
  const Binding& binding = binding_of(cluster, t, x);
  std::vector<double>& seen = runtime_.course_of(cluster).seen;
  seen.clear();
  if (binding.islands.empty()) return;
  seen.push_back(t);
  for (const auto& position : binding.positions) seen.push_back(x[position[0]]);
  seen.resize(seen.size() + binding.constraints, 0.0);
}

bool Positions::project(const Cluster& cluster, double t, std::span<double> x) {
  const Binding& binding = binding_of(cluster, t, x);
  if (binding.islands.empty()) return false;
  std::vector<double>& seen = runtime_.course_of(cluster).seen;
  if (seen.size() != kFirstPosition + binding.positions.size() + binding.constraints) {
    begin(cluster, t, x);
    return false;
  }
  std::span<double> drift = std::span(seen).subspan(kFirstPosition + binding.positions.size());
  bool moved = false;
  for (const Bound& bound : binding.islands) {
    moved |= put_back(cluster, t, x, bound, binding, drift.first(bound.references.size()));
    drift = drift.subspan(bound.references.size());
  }
  seen[0] = t;
  for (std::size_t i = 0; i < binding.positions.size(); ++i) {
    seen[kFirstPosition + i] = x[binding.positions[i][0]];
  }
  return moved;
}

bool Positions::put_back(const Cluster& cluster, double t, std::span<double> x, const Bound& bound,
                         const Binding& binding, std::span<double> drift) {
  const Course& course = runtime_.course_of(cluster);
  const std::size_t n = binding.positions.size();
  Eigen::VectorXd way(static_cast<int>(n) + 1);
  for (std::size_t i = 0; i < n; ++i) {
    way(static_cast<int>(i)) = x[binding.positions[i][0]] - course.seen[kFirstPosition + i];
  }
  way(static_cast<int>(n)) = t - course.seen[0];
  std::vector<double> on_the_way(x.begin(), x.end());
  for (std::size_t g = 0; g < kPlaces.size(); ++g) {
    for (std::size_t i = 0; i < n; ++i) {
      const double back = (1 - kPlaces[g]) * way(static_cast<int>(i));
      for (std::size_t c : binding.positions[i]) on_the_way[c] = x[c] - back;
    }
    const auto c = coefficients(cluster, t, on_the_way, bound, binding);
    if (!c) return false;
    const Eigen::VectorXd part = *c * way;
    for (std::size_t k = 0; k < drift.size(); ++k) {
      drift[k] += kWeights[g] * part(static_cast<int>(k));
    }
  }
  const auto c = coefficients(cluster, t, x, bound, binding);
  if (!c) return false;
  const Eigen::MatrixXd along = c->leftCols(static_cast<int>(n));
  const Eigen::VectorXd missing =
      -Eigen::Map<const Eigen::VectorXd>(drift.data(), static_cast<int>(drift.size()));
  const Eigen::VectorXd change =
      along.transpose() * (along * along.transpose()).fullPivLu().solve(missing);
  // A solver of many steps loses its past when it is put somewhere else, so it is not for little.
  const double relative = course.motion.implicit ? runtime_.options.relative_tolerance : kEpsilon;
  bool matters = false;
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = worth(cluster, binding.positions[i]);
    const double by = std::abs(change(static_cast<int>(i)));
    constexpr double kMost = 1e-3;  // more is no drift
    if (!(by <= kMost * scale)) {
      std::fill(drift.begin(), drift.end(), 0.0);
      return false;
    }
    matters |= by > 4 * relative * scale;
  }
  if (!matters) return false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t component : binding.positions[i]) x[component] += change(static_cast<int>(i));
  }
  std::fill(drift.begin(), drift.end(), 0.0);
  bind_velocities(cluster, t, x, bound);
  return true;
}

void Positions::bind_velocities(const Cluster& cluster, double t, std::span<double> x,
                                const Bound& bound) {
  const Island& island = *bound.slot->island;
  flow_.begin(t);
  for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster.states[i], x[i]);
  const std::vector<double> none(island.size(), 0.0), y(island.size(), 0.0);
  std::vector<double> impulses(island.size(), 0.0), x_plus(island.states().size());
  if (island.solve_jump(flow_, none, y, impulses, x_plus)) return;  // the run itself will tell
  std::copy(x_plus.begin(), x_plus.end(),
            x.begin() + static_cast<std::ptrdiff_t>(bound.first_state));
}

}  // namespace cradle::engine
