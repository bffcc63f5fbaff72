#include "theory/conform/sliding.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace cradle::conform {

using expr::Op;
using hypa::Mark;
using hypa::VariableId;
using hypa::Vocabulary;

namespace {

// Shares are found with numbers that are differences of recorded ones.
constexpr double kEdge = 1e-6;
constexpr unsigned kMostMet = 4;

}  // namespace

std::optional<std::size_t> mode_of(const Vocabulary& v, const std::vector<Item>& items,
                                   VariableId automaton, Mark mark) {
  for (const Item& r : items) {
    const expr::Node& node = v.pool[r.holds];
    if (node.op != Op::Equal || !v.is_variable(node.a) || !v.pool.is_constant(node.b)) continue;
    const expr::Node& leaf = v.pool[node.a];
    if (Vocabulary::variable_of(leaf) != automaton || Vocabulary::mark_of(leaf) != mark) continue;
    return static_cast<std::size_t>(v.pool.constant_value(node.b));
  }
  return std::nullopt;
}

// --- borders -------------------------------------------------------------------------------------

Borders::Borders(const Vocabulary& vocabulary, const std::vector<Part>& parts)
    : v_(vocabulary), parts_(parts) {
  for (const Part& part : parts_) {
    if (part.role == hypa::Role::Automaton && !part.modal) continue;
    for (const Choice& choice : part.choices) {
      for (const Item& r : choice.flow) {
        if (!r.modes_only) collect(r.holds);
      }
    }
  }
}

void Borders::collect(ExprId e) {
  const expr::Node& node = v_.pool[e];
  const auto operands = expr::arity(node.op);
  if (operands > 0) collect(node.a);
  if (operands > 1) collect(node.b);
  if (operands > 2) collect(node.c);
  if (node.op != Op::Less && node.op != Op::LessEqual) return;
  if (v_.pool[node.a].type != expr::Type::Number) return;
  auto border = std::find_if(borders_.begin(), borders_.end(), [&](const BorderLine& known) {
    return (known.a == node.a && known.b == node.b) || (known.a == node.b && known.b == node.a);
  });
  if (border == borders_.end()) border = borders_.insert(border, {node.a, node.b, {}});
  const std::pair<ExprId, bool> comparison(e, border->a == node.b);
  auto& all = border->comparisons;
  if (std::find(all.begin(), all.end(), comparison) == all.end()) all.push_back(comparison);
}

std::vector<std::size_t> Borders::met(const std::function<Value(ExprId)>& value,
                                      double tolerance) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < borders_.size(); ++i) {
    const Value a = value(borders_[i].a), b = value(borders_[i].b);
    if (!a.is_present() || !b.is_present() || !a.number.is_finite() || !b.number.is_finite()) {
      continue;
    }
    const double gap = std::abs(a.number.finite - b.number.finite);
    if (gap <= tolerance * (a.size + b.size)) out.push_back(i);
  }
  return out;
}

BorderSide Borders::truths(std::size_t border, bool above) const {
  BorderSide out;
  for (const auto& [comparison, says] : borders_[border].comparisons) {
    out.truths[comparison] = above ? says : !says;
  }
  return out;
}

// A relay: its mode may stay on one side of the border and not on the other, where another mode
// may stay that could not here, and it could go to that one and back.
BorderSide Borders::side(std::size_t border, bool above, const SideValue& value,
                         const ModeOf& mode) const {
  const BorderSide here = truths(border, above), there = truths(border, !above);
  BorderSide out = here;
  for (const Part& part : parts_) {
    if (part.role != hypa::Role::Automaton || !part.modal) continue;
    const VariableId id = part.choices[0].jump[0].leaves[0].first;
    const auto now = mode(id);
    if (!now) continue;
    // Whether a mode may stay on a side; nothing: it cannot be told.
    const auto may_stay = [&](std::size_t in, const BorderSide& on) -> std::optional<bool> {
      for (const Choice& choice : part.choices) {
        if (mode_of(v_, choice.jump, id, Mark::Before) != in ||
            mode_of(v_, choice.flow, id, Mark::Now) != in) {
          continue;
        }
        for (const Item& r : choice.flow) {
          if (r.modes_only) continue;
          const Value holds = value(r.holds, on);
          if (!holds.is_present()) return std::nullopt;
          if (holds.is_false()) return false;
        }
        return true;
      }
      return std::nullopt;
    };
    const auto goes = [&](std::size_t from, std::size_t to) {
      return std::any_of(part.choices.begin(), part.choices.end(), [&](const Choice& choice) {
        return mode_of(v_, choice.jump, id, Mark::Before) == from &&
               mode_of(v_, choice.flow, id, Mark::Now) == to;
      });
    };
    if (may_stay(*now, here) != false || may_stay(*now, there) != true) continue;
    for (std::size_t other = 0; other < v_[id].values.size(); ++other) {
      if (other == *now || !goes(*now, other) || !goes(other, *now)) continue;
      if (may_stay(other, here) == true && may_stay(other, there) == false) {
        out.modes[id] = static_cast<double>(other);
      }
    }
  }
  return out;
}

// --- ways ----------------------------------------------------------------------------------------

Value Slid::mean(const std::function<Value(const Seen&)>& value) const {
  const Value below = value(*sides[0]);
  if (below.is_unknown()) return below;
  Value out = below;
  for (std::size_t j = 0; j < along.size(); ++j) {
    const Value above = value(*sides[j + 1]);
    if (above.is_unknown()) return above;
    if (above.state != below.state) return Value::unknown();
    if (above.number == below.number) continue;
    const Number more = above.number - below.number;
    out.number = out.number + Number(shares[j] * more.finite, shares[j] * more.impulse);
    out.size += std::abs(shares[j]) * (above.size + below.size);
  }
  return out;
}

namespace {

enum class Way : char { Along, Above, Below };

// The shares of the sides above with which all gaps rest, and what that makes of the others.
std::optional<Slid> try_way(const std::vector<Way>& way, const Sights& sights) {
  Slid out;
  unsigned fixed = 0;
  for (std::size_t j = 0; j < way.size(); ++j) {
    if (way[j] == Way::Along) out.along.push_back(j);
    if (way[j] == Way::Above) fixed |= 1U << j;
  }
  const auto n = static_cast<Eigen::Index>(out.along.size());
  const Sight& below = sights(fixed);
  out.sides.push_back(&below.seen);
  Eigen::MatrixXd a(static_cast<Eigen::Index>(way.size()), n);
  Eigen::VectorXd q(static_cast<Eigen::Index>(way.size()));
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (!below.speeds[i]) return std::nullopt;
    q(static_cast<Eigen::Index>(i)) = *below.speeds[i];
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    const Sight& above = sights(fixed | 1U << out.along[static_cast<std::size_t>(j)]);
    out.sides.push_back(&above.seen);
    for (std::size_t i = 0; i < way.size(); ++i) {
      if (!above.speeds[i]) return std::nullopt;
      a(static_cast<Eigen::Index>(i), j) = *above.speeds[i] - *below.speeds[i];
    }
  }
  Eigen::MatrixXd along(n, n);
  Eigen::VectorXd rest(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(out.along[static_cast<std::size_t>(i)]);
    const double scale = a.row(row).cwiseAbs().maxCoeff();
    if (!(scale > 0) || !(a(row, i) < -kEdge * scale)) return std::nullopt;  // pushes back
    along.row(i) = a.row(row) / scale;
    rest(i) = -q(row) / scale;
  }
  Eigen::FullPivLU<Eigen::MatrixXd> lu(along);
  lu.setThreshold(kEdge);
  if (!lu.isInvertible()) return std::nullopt;
  const Eigen::VectorXd shares = lu.solve(rest);
  for (double share : shares) {
    if (!(share >= -kEdge && share <= 1 + kEdge)) return std::nullopt;
    out.shares.push_back(std::clamp(share, 0.0, 1.0));
  }
  const Eigen::VectorXd speed = q + a * shares;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (way[i] == Way::Along) continue;
    const auto row = static_cast<Eigen::Index>(i);
    const double noise = kEdge * (std::abs(q(row)) + a.row(row).cwiseAbs().sum());
    if (way[i] == Way::Above ? speed(row) < -noise : speed(row) > noise) out.lasts = false;
  }
  return out;
}

}  // namespace

std::vector<Slid> find_ways(std::size_t borders, const Sights& sights) {
  std::vector<Slid> out;
  if (borders == 0 || borders > kMostMet) return out;
  std::vector<Way> way(borders, Way::Along);
  for (bool more = true; more;) {
    if (std::find(way.begin(), way.end(), Way::Along) != way.end()) {
      if (auto slid = try_way(way, sights)) out.push_back(std::move(*slid));
    }
    std::size_t j = 0;
    while (j < borders && way[j] == Way::Below) way[j++] = Way::Along;
    more = j < borders;
    if (more) way[j] = way[j] == Way::Along ? Way::Above : Way::Below;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Slid& a, const Slid& b) { return a.along.size() > b.along.size(); });
  return out;
}

}  // namespace cradle::conform
