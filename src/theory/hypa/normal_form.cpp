#include "theory/hypa/normal_form.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "theory/hypa/linear_form.hpp"
#include "theory/hypa/print.hpp"
#include "theory/hypa/simplify.hpp"

namespace cradle::hypa {
namespace {

using expr::Op;

using Modes = std::map<VariableId, std::size_t>;

// The modes that a predicate fixes, for one mark.
Modes modes_of(const Vocabulary& v, const Predicate& predicate, Mark mark) {
  Modes out;
  for (const Relation& relation : predicate) {
    const expr::Node& node = v.pool[relation.holds];
    if (node.op != Op::Equal || !v.is_variable(node.a) || !v.pool.is_constant(node.b)) continue;
    const expr::Node& leaf = v.pool[node.a];
    if (Vocabulary::mark_of(leaf) != mark) continue;
    const VariableId id = Vocabulary::variable_of(leaf);
    if (v[id].quantity == Quantity::Mode) {
      out[id] = static_cast<std::size_t>(v.pool.constant_value(node.b));
    }
  }
  return out;
}

class Product {
 public:
  Product(Specification& specification, const NormalFormOptions& options)
      : v_(specification.vocabulary), specification_(specification), options_(options) {}

  NormalForm run(const std::string& name, const std::vector<std::string>& processes) {
    out_.name = name;
    std::vector<std::pair<int, std::vector<Alternative>>> parts;
    for (const std::string& process : processes) {
      const Process* found = specification_.find(process);
      auto split = found == nullptr ? std::nullopt : alternatives(found->body);
      if (!split) {
        out_.problem =
            "process " + process +
            (found == nullptr ? " is not defined" : " has not the form [P] ≫ (P) ▶ X ⊕ …");
        return std::move(out_);
      }
      for (const Alternative& a : *split) {
        if (a.next == process) continue;
        out_.problem = "process " + process + " goes on as " + a.next +
                       "; what can be composed has the form X ≈ [P] ≫ (P) ▶ X ⊕ …";
        return std::move(out_);
      }
      parts.emplace_back(rank(*found, split->size()), std::move(*split));
      order_.emplace(process, order_.size());
    }
    // Those that only fix modes come first: what contradicts them is dropped early.
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Alternative> all = {{{}, {}, name}};
    for (const auto& [order, part] : parts) {
      if (!multiply(all, part)) {
        out_.complete = false;
        out_.problem = "there are more than " + std::to_string(options_.max_alternatives) +
                       " combinations of modes";
        return std::move(out_);
      }
    }
    drop_unreachable(all);
    std::vector<std::string> contradictions;
    contradictions.reserve(all.size());
    for (Alternative& a : all) contradictions.push_back(reduce(a));
    settle(all, contradictions);
    for (Alternative& a : out_.alternatives) {
      for (Relation& r : a.flow) r.holds = as_written(r.holds);
    }
    return std::move(out_);
  }

 private:
  // As the seed writes its normal form: p₁ = m₁·f₁ and f₁ = f₂.
  ExprId as_written(ExprId relation) {
    const expr::Node node = v_.pool[relation];
    if (node.op != Op::Equal || !v_.is_variable(node.a)) return relation;
    if (v_.is_variable(node.b)) {
      const bool turned =
          is_power(node.a) && is_power(node.b) && v_.pool[node.b].ref < v_.pool[node.a].ref;
      return turned ? v_.equal(node.b, node.a) : relation;
    }
    const expr::Node right = v_.pool[node.b];
    const bool law = right.op == Op::Div && v_.is_variable(right.a) && v_.pool.is_fixed(right.b) &&
                     !v_.pool.is_constant(right.b);
    if (!law) return relation;
    return v_.equal(right.a, v_.pool.binary(Op::Mul, right.b, node.a));
  }
  bool is_power(ExprId leaf) const {
    const Quantity quantity = v_[Vocabulary::variable_of(v_.pool[leaf])].quantity;
    return Vocabulary::mark_of(v_.pool[leaf]) == Mark::Now &&
           (quantity == Quantity::Effort || quantity == Quantity::Flow);
  }

  // Automata, then what has modes, then the rest.
  static int rank(const Process& process, std::size_t alternatives) {
    if (process.role == Role::Automaton) return 0;
    return alternatives > 1 ? 1 : 2;
  }

  bool multiply(std::vector<Alternative>& all, const std::vector<Alternative>& part) {
    std::vector<Alternative> product;
    for (const Alternative& a : all) {
      for (const Alternative& b : part) {
        Alternative joined = a;
        joined.jump.insert(joined.jump.end(), b.jump.begin(), b.jump.end());
        joined.flow.insert(joined.flow.end(), b.flow.begin(), b.flow.end());
        if (part.size() > 1 && !consistent(joined)) continue;
        product.push_back(std::move(joined));
        if (product.size() > options_.max_alternatives) return false;
      }
    }
    all = std::move(product);
    return true;
  }

  // Modes only, which is cheap; the rest is seen when an alternative is tidied.
  bool consistent(const Alternative& a) {
    std::string reason;
    for (const bool flow : {false, true}) {
      const Predicate& predicate = flow ? a.flow : a.jump;
      Predicate about_modes;
      for (const Relation& r : predicate) {
        if (speaks_of_modes_only(r.holds)) about_modes.push_back(r);
      }
      if (tidy(v_, about_modes, reason)) continue;
      note(Outcome::Kind::Contradiction, flow ? "while time flows" : "across the jump", reason);
      return false;
    }
    return true;
  }

  bool speaks_of_modes_only(ExprId e) {
    auto [place, is_new] = modes_only_.try_emplace(e, false);
    if (!is_new) return place->second;
    bool only = true;
    for (ExprId leaf : v_.leaves(e)) {
      only = only && v_.is_variable(leaf) &&
             v_[Vocabulary::variable_of(v_.pool[leaf])].quantity == Quantity::Mode;
    }
    return modes_only_[e] = only;
  }

  void note(Outcome::Kind kind, const std::string& what, const std::string& reason) {
    for (Outcome& outcome : out_.outcomes) {
      if (outcome.kind == kind && outcome.what == what && outcome.reason == reason) {
        ++outcome.count;
        return;
      }
    }
    out_.outcomes.push_back({kind, what, reason, 1});
  }

  std::string title(const Alternative& a) const {
    const Modes before = modes_of(v_, a.jump, Mark::Before);
    const Modes now = modes_of(v_, a.flow, Mark::Now);
    std::string text;
    for (const auto& [id, to] : now) {
      if (!text.empty()) text += ", ";
      text += v_[id].name + " ";
      auto from = before.find(id);
      if (from != before.end() && from->second != to) text += v_[id].values[from->second] + " → ";
      text += v_[id].values[to];
    }
    return text;
  }

  void drop_unreachable(std::vector<Alternative>& all) {
    if (options_.start.empty()) return;
    std::vector<Modes> reached = {Modes(options_.start.begin(), options_.start.end())};
    std::vector<bool> alive(all.size(), false);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (!matches(modes_of(v_, all[j].jump, Mark::Before), reached[i])) continue;
        alive[j] = true;
        Modes next = reached[i];
        for (const auto& [id, value] : modes_of(v_, all[j].flow, Mark::Now)) next[id] = value;
        if (std::find(reached.begin(), reached.end(), next) == reached.end()) {
          reached.push_back(std::move(next));
        }
      }
    }
    std::vector<Alternative> kept;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (alive[j]) {
        kept.push_back(std::move(all[j]));
      } else {
        note(Outcome::Kind::Unreachable, title(all[j]),
             "no transitions lead from the start to the modes before it");
      }
    }
    all = std::move(kept);
  }
  static bool matches(const Modes& wanted, const Modes& there) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
      auto found = there.find(pair.first);
      return found == there.end() || found->second == pair.second;
    });
  }

  // Returns why the alternative contradicts itself; empty if it does not.
  std::string reduce(Alternative& a) {
    std::unordered_set<ExprId> unwanted;
    for (int32_t index : options_.internal) {
      const VariableId id(static_cast<std::size_t>(index));
      unwanted.insert(v_.leaf(id));
      unwanted.insert(v_.leaf(id, Mark::Change));
    }
    std::string reason;
    for (Predicate* predicate : {&a.jump, &a.flow}) {
      if (!tidy(v_, *predicate, reason)) return reason;
      eliminate(v_, *predicate, unwanted);
      if (!tidy(v_, *predicate, reason)) return reason;
    }
    // As the processes were named, with the modes at the end.
    auto place = [this](const Relation& r) {
      auto found = order_.find(r.from);
      return std::pair(speaks_of_modes_only(r.holds),
                       found == order_.end() ? order_.size() : found->second);
    };
    for (Predicate* predicate : {&a.jump, &a.flow}) {
      std::stable_sort(predicate->begin(), predicate->end(),
                       [&](const Relation& x, const Relation& y) { return place(x) < place(y); });
    }
    return {};
  }

  static bool same(const Predicate& a, const Predicate& b) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.begin(), a.end(), [&](const Relation& r) {
      return std::find(b.begin(), b.end(), r) != b.end();
    });
  }

  bool contains(const Alternative& larger, const Alternative& smaller) {
    if (!same(larger.flow, smaller.flow)) return false;
    return std::all_of(larger.jump.begin(), larger.jump.end(),
                       [&](const Relation& r) { return implies(v_, smaller.jump, r.holds); });
  }

  void settle(std::vector<Alternative>& all, const std::vector<std::string>& contradictions) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!contradictions[i].empty()) {
        note(Outcome::Kind::Contradiction, title(all[i]), contradictions[i]);
        continue;
      }
      keep(all[i]);
    }
    for (const Alternative& a : out_.alternatives) {
      out_.titles.push_back(title(a));
      out_.freedom.push_back(freedom(a));
    }
  }

  void keep(Alternative& a) {
    for (std::size_t i = 0; i < out_.alternatives.size(); ++i) {
      if (contains(out_.alternatives[i], a)) {
        note(Outcome::Kind::Merged, title(a),
             "alternative " + std::to_string(i + 1) + " allows this jump, too");
        return;
      }
    }
    for (std::size_t i = 0; i < out_.alternatives.size(); ++i) {
      if (!contains(a, out_.alternatives[i])) continue;
      note(Outcome::Kind::Merged, title(a),
           "it allows all of alternative " + std::to_string(i + 1) + ", and takes its place");
      out_.alternatives[i] = std::move(a);
      return;
    }
    out_.alternatives.push_back(std::move(a));
  }

  bool speaks_of_the_jump(ExprId e) const {
    const std::vector<ExprId>& leaves = v_.leaves(e);
    return std::any_of(leaves.begin(), leaves.end(), [this](ExprId leaf) {
      if (!v_.is_variable(leaf)) return false;
      const Mark mark = Vocabulary::mark_of(v_.pool[leaf]);
      return mark == Mark::After || mark == Mark::Change;
    });
  }

  // With numbers in place of parameters that are in no special relation to each other: what is
  // counted then holds for almost all of their values.
  ExprId in_general(ExprId e) {
    return v_.replace(e, [this](ExprId id) {
      const expr::Node& node = v_.pool[id];
      if (node.op != Op::Parameter) return ExprId();
      const double spread = (node.ref + 1) * std::numbers::phi;
      return v_.number(1 + spread - std::floor(spread));
    });
  }

  // Stored x′ that neither the jump nor what must hold afterwards determines.
  Freedom freedom(const Alternative& a) {
    Freedom out;
    if (options_.stored.empty()) return out;
    std::map<ExprId, int> column;
    std::vector<LinearForm> rows;
    for (VariableId id : options_.stored) column.emplace(v_.leaf(id, Mark::Change), out.unknowns++);
    // Known is what stood before the jump, the time, and what is given from outside.
    auto known = [&](ExprId atom) {
      const std::vector<ExprId>& leaves = v_.leaves(atom);
      return std::all_of(leaves.begin(), leaves.end(), [&](ExprId leaf) {
        if (!v_.is_variable(leaf)) return true;
        const expr::Node& node = v_.pool[leaf];
        return Vocabulary::mark_of(node) == Mark::Before ||
               options_.given.contains(Vocabulary::variable_of(node).index);
      });
    };
    auto add = [&](ExprId relation) {
      const expr::Node node = v_.pool[relation];
      if (node.op != Op::Equal || v_.pool[node.a].type != expr::Type::Number) return;
      LinearForm form = difference(v_.pool, v_.pool[in_general(relation)]);
      std::erase_if(form.terms, [&](const auto& term) { return known(term.first); });
      rows.push_back(form);
    };
    for (const Relation& r : a.jump) add(r.holds);
    for (const Relation& r : a.flow) add(v_.marked(r.holds, Mark::After));
    // x⁺ = x⁻ + x′, with x⁻ known.
    for (LinearForm& row : rows) {
      LinearForm written;
      for (const auto& [atom, factor] : row.terms) {
        ExprId as = atom;
        if (v_.is_variable(atom) && Vocabulary::mark_of(v_.pool[atom]) == Mark::After) {
          const ExprId change = v_.leaf(Vocabulary::variable_of(v_.pool[atom]), Mark::Change);
          if (column.contains(change)) as = change;
        }
        written.add(as, factor);
      }
      row = written;
    }
    std::map<ExprId, int> other;
    for (const LinearForm& row : rows) {
      for (const auto& [atom, factor] : row.terms) {
        if (!column.contains(atom)) other.emplace(atom, static_cast<int>(other.size()));
      }
    }
    const auto n = static_cast<Eigen::Index>(rows.size());
    const auto m = static_cast<Eigen::Index>(other.size());
    Eigen::MatrixXd rest = Eigen::MatrixXd::Zero(n, std::max<Eigen::Index>(m, 1));
    Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(n, m + out.unknowns);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (const auto& [atom, factor] : rows[static_cast<std::size_t>(i)].terms) {
        if (auto found = column.find(atom); found != column.end()) {
          whole(i, m + found->second) = factor;
        } else {
          rest(i, other[atom]) = whole(i, other[atom]) = factor;
        }
      }
    }
    auto rank = [](const Eigen::MatrixXd& matrix) {
      if (matrix.rows() == 0 || matrix.cols() == 0) return 0;
      return static_cast<int>(Eigen::FullPivLU<Eigen::MatrixXd>(matrix).rank());
    };
    // Rows that say something about x′ alone.
    out.free = out.unknowns - (rank(whole) - rank(rest));
    if (out.free > 0) {
      for (const Relation& r : a.jump) {
        const expr::Op op = v_.pool[r.holds].op;
        if ((op == Op::LessEqual || op == Op::Less) && speaks_of_the_jump(r.holds)) {
          out.bounds.push_back(to_string(v_, r.holds));
        }
      }
    }
    return out;
  }

  Vocabulary& v_;
  Specification& specification_;
  const NormalFormOptions& options_;
  NormalForm out_;
  std::map<std::string, std::size_t> order_;  // of the processes
  std::unordered_map<ExprId, bool> modes_only_;
};

}  // namespace

NormalForm normal_form(Specification& specification, const std::string& name,
                       const std::vector<std::string>& processes,
                       const NormalFormOptions& options) {
  return Product(specification, options).run(name, processes);
}

}  // namespace cradle::hypa
