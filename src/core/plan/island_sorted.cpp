// Islands in which only laws of R bend, and in which each of those laws follows from what is known
// before it: a resistor between two charged capacitors, a drag on a moving mass. With the laws as
// sources of what they give, M is constant, and each effort and flow is a short row:
//
//     argument_k = Σ row·b         b_k = law_k(argument_k)
//
// An order exists if no law stands in its own argument, directly or through others. Then nothing is
// iterated while time flows. What jumps is left to Newton's method.
//
// A large island has no rows: there the laws stand in one order with the nodes of its substitution.

#include <algorithm>
#include <cmath>

#include "core/plan/island.hpp"
#include "core/plan/right_side.hpp"

namespace cradle::plan {

namespace {

bool bends(const Equation& e) { return e.kind == Equation::Kind::Resistor && !e.linear; }

}  // namespace

void Island::put_in_order(const std::function<bool(JunctionId)>& is_active) {
  if (!modulated_.empty()) return;
  std::unique_ptr<Island> rows(new Island(*plan_, cells_, is_active, Laws::AsSources));
  if (!rows->direct_ || rows->fault_ || rows->strain_count() > 0) return;
  if (!rows->uses_rows() && rows->substitution() == nullptr) return;
  // What binds states does so whatever the laws are, and none of them has a part in it.
  if (rows->constraint_count() != deficiency_ || rows->laws_bind_) return;
  if (rows->uses_rows() ? !rows->find_order() : !rows->find_long_order()) return;
  in_order_ = std::move(rows);
}

void Island::find_laws_that_bind() {
  for (const linear::SparseVector& left : left_null()) {
    laws_bind_ |= std::any_of(left.indices.begin(), left.indices.end(),
                              [&](int row) { return bends(equations_[at(row)]); });
  }
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

// Depth first, with a path of its own, for chains are long. Items are nodes, and behind them laws.
class Island::Walk {
 public:
  explicit Walk(Island& island)
      : island_(island),
        nodes_(*island.substitution()),
        mark_(at(nodes_.size()) + island.size(), New) {}

  // False: a law stands in its own argument.
  bool visit(int start) {
    if (start < 0 || mark_[at(start)] != New) return true;
    open(start);
    while (!path_.empty()) {
      if (path_.back().next == path_.back().end) {
        close();
        continue;
      }
      const int item = needs_[path_.back().next++];
      if (mark_[at(item)] == Open) return false;
      if (mark_[at(item)] == New) open(item);
    }
    return true;
  }
  int law(int row) const { return nodes_.size() + row; }

 private:
  enum Mark : char { New, Open, Done };
  struct Stop {
    int item;
    std::size_t next, end;  // in needs_
  };

  void open(int item) {
    mark_[at(item)] = Open;
    const std::size_t begin = needs_.size();
    if (item >= nodes_.size()) {
      const int argument = island_.equations_[at(item - nodes_.size())].argument;
      if (island_.given_by(argument) < 0) need(nodes_.node_of[at(argument)]);
    } else {
      for (const auto& term : nodes_.terms_of(item)) need(term.node);
      const int row = nodes_.nodes[at(item)].row;
      const bool own = row >= 0 && at(row) < island_.size();
      if (own && bends(island_.equations_[at(row)])) need(law(row));
    }
    path_.push_back({item, begin, needs_.size()});
  }
  void need(int item) {
    if (item >= 0) needs_.push_back(item);
  }
  void close() {
    const int item = path_.back().item;
    mark_[at(item)] = Done;
    island_.order_.push_back(item < nodes_.size() ? -1 - item : item - nodes_.size());
    path_.pop_back();
    needs_.resize(path_.empty() ? 0 : path_.back().end);
  }

  Island& island_;
  const linear::Substitution& nodes_;
  std::vector<Mark> mark_;
  std::vector<Stop> path_;
  std::vector<int> needs_;
};

bool Island::find_long_order() {
  Walk walk(*this);
  for (int row = 0; row < static_cast<int>(size()); ++row) {
    if (bends(equations_[at(row)]) && !walk.visit(walk.law(row))) return false;
  }
  for (std::size_t v = 0; v < size(); ++v) {
    if (!walk.visit(substitution()->node_of[v])) return false;
  }
  return true;
}

void Island::compute_in_long_order(IslandInputs& inputs, std::vector<double>& b,
                                   std::span<const double> rates, std::span<double> y) const {
  thread_local std::vector<double> values;
  const linear::Substitution& nodes = *substitution();
  values.resize(at(nodes.size()));
  for (int item : order_) {
    if (item >= 0) {
      const Equation& equation = equations_[at(item)];
      const int given = given_by(equation.argument);
      const int node = nodes.node_of[at(equation.argument)];
      const double argument = given >= 0 ? b[at(given)] : node >= 0 ? values[at(node)] : 0;
      b[at(item)] = inputs.formula(equation.law, std::span<const double>(&argument, 1));
      continue;
    }
    const int node = -1 - item;
    const auto [row, factor, begin] = nodes.nodes[at(node)];
    double sum = 0;
    if (row >= 0) sum = factor * (at(row) < size() ? b[at(row)] : rates[at(row) - size()]);
    for (const auto& term : nodes.terms_of(node)) {
      sum += term.factor * values[at(term.node)];
    }
    values[at(node)] = sum;
  }
  for (std::size_t v = 0; v < size(); ++v) {
    const int node = nodes.node_of[v];
    y[v] = node < 0 ? 0 : values[at(node)];
  }
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
  if (!uses_rows()) {
    compute_in_long_order(inputs, b, rates, y);
    return std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
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
