#include "theory/hypa/simplify.hpp"

#include <algorithm>
#include <cmath>

#include "theory/hypa/linear_form.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

using expr::Node;
using expr::Op;

bool compares_numbers(const expr::Pool& pool, ExprId relation) {
  const Node& node = pool[relation];
  return (node.op == Op::Equal || node.op == Op::LessEqual || node.op == Op::Less) &&
         pool[node.a].type == expr::Type::Number && pool[node.b].type == expr::Type::Number;
}

bool is_mode(const Vocabulary& v, ExprId e) {
  return v.is_variable(e) && v[Vocabulary::variable_of(v.pool[e])].quantity == Quantity::Mode;
}

// x = constant with x a variable: what x is; for x′ = 0 also that x⁺ is x⁻.
struct Value {
  ExprId leaf;
  double value = 0;
};
bool gives_value(const Vocabulary& v, ExprId relation, Value& out) {
  const Node& node = v.pool[relation];
  if (node.op != Op::Equal || !v.is_variable(node.a) || !v.pool.is_constant(node.b)) return false;
  out = {node.a, v.pool.constant_value(node.b)};
  return true;
}

ExprId with_value(Vocabulary& v, ExprId e, const Value& known) {
  const Node leaf = v.pool[known.leaf];
  const bool still = Vocabulary::mark_of(leaf) == Mark::Change && known.value == 0;
  const VariableId id = Vocabulary::variable_of(leaf);
  const ExprId after = still ? v.leaf(id, Mark::After) : ExprId();
  if (!v.reads(e, known.leaf) && !(still && v.reads(e, after))) return e;
  return v.replace(e, [&](ExprId node) {
    if (node == known.leaf) return v.number(known.value);
    if (still && node == after) return v.leaf(id, Mark::Before);
    return ExprId();
  });
}

// One comparison in its normal form, if it is linear and so can be said more simply.
ExprId normal(Vocabulary& v, ExprId relation) {
  if (!compares_numbers(v.pool, relation)) return relation;
  const Node node = v.pool[relation];
  if (is_mode(v, node.a) || is_mode(v, node.b)) return relation;
  const LinearForm form = difference(v.pool, node);
  if (!form.is_finite()) return relation;
  if (form.is_constant()) {
    const double d = form.constant;
    const bool holds = node.op == Op::Equal ? d == 0 : node.op == Op::Less ? d < 0 : d <= 0;
    return v.pool.boolean(holds);
  }
  return to_relation(v.pool, form, node.op);
}

// Should it be rewritten? x = law stays as the modeller knows it.
bool is_defining(const Vocabulary& v, ExprId relation) {
  const Node& node = v.pool[relation];
  return node.op == Op::Equal && v.is_variable(node.a);
}

}  // namespace

bool tidy(Vocabulary& v, Predicate& predicate, std::string& reason) {
  // Conjunctions fall into their parts.
  for (std::size_t i = 0; i < predicate.size(); ++i) {
    const Node node = v.pool[predicate[i].holds];
    if (node.op != Op::And) continue;
    Relation second = {node.b, predicate[i].from};
    predicate[i].holds = node.a;
    predicate.insert(predicate.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(second));
    --i;
  }
  // Known values go everywhere else, until nothing new is known.
  std::unordered_set<ExprId> used;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < predicate.size() && !changed; ++i) {
      Relation& known = predicate[i];
      if (const ExprId simpler = normal(v, known.holds);
          !is_defining(v, known.holds) || v.pool.is_constant(simpler)) {
        known.holds = simpler;
      }
      Value value;
      if (!gives_value(v, known.holds, value) || used.contains(value.leaf)) continue;
      used.insert(value.leaf);
      for (std::size_t j = 0; j < predicate.size(); ++j) {
        if (j == i) continue;
        const ExprId now = with_value(v, predicate[j].holds, value);
        if (now == predicate[j].holds) continue;
        const ExprId simpler = normal(v, now);
        if (simpler == v.pool.boolean(false)) {
          const auto said = [&v](const Relation& r) {
            return to_string(v, r.holds) + (r.from.empty() ? "" : " (" + r.from + ")");
          };
          reason = said(predicate[j]) + " against " + said(known);
          return false;
        }
        predicate[j].holds = simpler;
        changed = true;
      }
    }
  }
  std::unordered_set<ExprId> said;
  for (const Relation& relation : predicate) {
    if (relation.holds != v.pool.boolean(false)) continue;
    reason = "a relation of " + relation.from + " is false";
    return false;
  }
  std::erase_if(predicate, [&](const Relation& r) {
    return r.holds == v.pool.boolean(true) || !said.insert(r.holds).second;
  });
  return true;
}

namespace {

// Solves an equation for the leaf and puts the solution into all others.
bool solve_for(Vocabulary& v, Predicate& predicate, ExprId leaf) {
  std::size_t best = predicate.size();
  std::size_t best_size = 0;
  for (std::size_t i = 0; i < predicate.size(); ++i) {
    const Node node = v.pool[predicate[i].holds];
    if (node.op != Op::Equal || !compares_numbers(v.pool, predicate[i].holds)) continue;
    const LinearForm form = difference(v.pool, node);
    if (form.factor(leaf) == 0) continue;
    bool elsewhere = false;  // inside an atom, too
    for (const auto& [atom, factor] : form.terms) {
      elsewhere = elsewhere || (atom != leaf && v.reads(atom, leaf));
    }
    if (elsewhere) continue;
    if (best == predicate.size() || form.terms.size() < best_size) {
      best = i;
      best_size = form.terms.size();
    }
  }
  if (best == predicate.size()) return false;
  LinearForm rest = difference(v.pool, v.pool[predicate[best].holds]);
  const double factor = rest.factor(leaf);
  rest.terms.erase(leaf);
  LinearForm solution;
  solution.add(rest, -1 / factor);
  const ExprId value = to_expression(v.pool, solution);
  predicate.erase(predicate.begin() + static_cast<std::ptrdiff_t>(best));
  for (Relation& relation : predicate) {
    if (!v.reads(relation.holds, leaf)) continue;
    const ExprId now =
        v.replace(relation.holds, [&](ExprId id) { return id == leaf ? value : ExprId(); });
    if (now != relation.holds) relation.holds = normal(v, now);
  }
  return true;
}

// Fourier and Motzkin: what is below x is below what is above x.
bool bound_away(Vocabulary& v, Predicate& predicate, ExprId leaf) {
  std::vector<std::size_t> above, below;
  for (std::size_t i = 0; i < predicate.size(); ++i) {
    if (!v.reads(predicate[i].holds, leaf)) continue;
    const Node node = v.pool[predicate[i].holds];
    if (node.op != Op::LessEqual || !compares_numbers(v.pool, predicate[i].holds)) return false;
    const LinearForm form = difference(v.pool, node);
    for (const auto& [atom, factor] : form.terms) {
      if (atom != leaf && v.reads(atom, leaf)) return false;
    }
    (form.factor(leaf) > 0 ? above : below).push_back(i);
  }
  if (above.size() * below.size() > above.size() + below.size() + 4) return false;
  Predicate out;
  for (std::size_t i : above) {
    for (std::size_t j : below) {
      LinearForm form = difference(v.pool, v.pool[predicate[i].holds]);
      const double a = form.factor(leaf);
      const LinearForm other = difference(v.pool, v.pool[predicate[j].holds]);
      form.add(other, a / -other.factor(leaf));
      std::string from = predicate[i].from;
      if (predicate[j].from != from) from += ", " + predicate[j].from;
      out.push_back({to_relation(v.pool, form, Op::LessEqual), std::move(from)});
    }
  }
  for (std::size_t i = 0; i < predicate.size(); ++i) {
    if (!v.reads(predicate[i].holds, leaf)) out.push_back(std::move(predicate[i]));
  }
  predicate = std::move(out);
  return true;
}

}  // namespace

void eliminate(Vocabulary& v, Predicate& predicate, const std::unordered_set<ExprId>& unwanted) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<ExprId> present;
    for (const Relation& relation : predicate) {
      for (ExprId leaf : v.leaves(relation.holds)) {
        if (unwanted.contains(leaf)) present.push_back(leaf);
      }
    }
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    for (ExprId leaf : present) {
      if (solve_for(v, predicate, leaf) || bound_away(v, predicate, leaf)) {
        changed = true;
        break;
      }
    }
  }
}

namespace {

// Equations as rows in echelon form, so that a form can be reduced by them.
class Echelon {
 public:
  explicit Echelon(Vocabulary& v) : v_(v) {}

  void add(LinearForm form) {
    reduce(form);
    if (form.is_constant()) return;
    rows_.push_back({form.terms.begin()->first, form});
  }
  void reduce(LinearForm& form) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [pivot, row] : rows_) {
        const double factor = form.factor(pivot);
        if (factor == 0) continue;
        form.add(row, -factor / row.factor(pivot));
        form.terms.erase(pivot);
        changed = true;
      }
    }
  }
  // x⁺ − x⁻ − x′ = 0 for every variable that is written in more than one of these ways.
  void link(const std::vector<ExprId>& leaves) {
    std::map<VariableId, int> marks;
    for (ExprId leaf : leaves) {
      if (!v_.is_variable(leaf)) continue;
      const Mark mark = Vocabulary::mark_of(v_.pool[leaf]);
      if (mark == Mark::After || mark == Mark::Change)
        ++marks[Vocabulary::variable_of(v_.pool[leaf])];
    }
    for (const auto& [id, count] : marks) {
      LinearForm form;
      form.add(v_.leaf(id, Mark::After), 1);
      form.add(v_.leaf(id, Mark::Before), -1);
      form.add(v_.leaf(id, Mark::Change), -1);
      add(form);
    }
  }

 private:
  Vocabulary& v_;
  std::vector<std::pair<ExprId, LinearForm>> rows_;
};

}  // namespace

bool implies(Vocabulary& v, const Predicate& predicate, ExprId relation) {
  if (relation == v.pool.boolean(true)) return true;
  for (const Relation& known : predicate) {
    if (known.holds == relation) return true;
  }
  // What the predicate knows of single values decides more than linear forms can see.
  ExprId simpler = relation;
  for (const Relation& known : predicate) {
    Value value;
    if (gives_value(v, known.holds, value)) simpler = with_value(v, simpler, value);
  }
  simpler = normal(v, simpler);
  if (simpler == v.pool.boolean(true)) return true;
  for (const Relation& known : predicate) {
    if (known.holds == simpler) return true;
  }
  if (!compares_numbers(v.pool, simpler) || is_mode(v, v.pool[simpler].a)) return false;
  std::vector<ExprId> leaves = v.leaves(simpler);
  for (const Relation& known : predicate) {
    const std::vector<ExprId>& more = v.leaves(known.holds);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  Echelon echelon(v);
  echelon.link(leaves);
  for (const Relation& known : predicate) {
    const Node node = v.pool[known.holds];
    if (node.op == Op::Equal && compares_numbers(v.pool, known.holds) && !is_mode(v, node.a)) {
      echelon.add(difference(v.pool, node));
    }
  }
  const Node node = v.pool[simpler];
  LinearForm form = difference(v.pool, node);
  echelon.reduce(form);
  auto settled = [&] {
    if (!form.is_constant()) return false;
    const double d = form.constant;
    return node.op == Op::Equal ? d == 0 : node.op == Op::Less ? d < 0 : d <= 0;
  };
  if (settled()) return true;
  if (node.op == Op::Equal) return false;
  // Take away what is known to be ≤ 0, as often as it fits.
  for (const Relation& known : predicate) {
    const Node other = v.pool[known.holds];
    if (other.op != Op::LessEqual || !compares_numbers(v.pool, known.holds)) continue;
    LinearForm bound = difference(v.pool, other);
    echelon.reduce(bound);
    double fits = INFINITY;
    for (const auto& [atom, factor] : bound.terms)
      fits = std::min(fits, form.factor(atom) / factor);
    if (!bound.is_constant() && fits > 0 && std::isfinite(fits)) form.add(bound, -fits);
  }
  return settled();
}

}  // namespace cradle::hypa
