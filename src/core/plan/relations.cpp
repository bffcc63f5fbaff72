// Relations: which there are, what may change while time flows, where a gap has kinks.

#include <algorithm>
#include <numbers>
#include <utility>

#include "core/plan/system.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

// What is true on one side of the kink of abs, min and max; invalid: it has none.
ExprId side_of(expr::Pool& pool, const expr::Node& node) {
  if (node.op == Op::Abs) return pool.binary(Op::LessEqual, pool.constant(0), node.a);
  if (node.op == Op::Min || node.op == Op::Max) return pool.binary(Op::LessEqual, node.a, node.b);
  return {};
}

// An operand that has to stay in a range; invalid: any number will do.
ExprId ranged(const expr::Node& node) {
  switch (node.op) {
    case Op::Sqrt:
    case Op::Log:
    case Op::Log10:
    case Op::Asin:
    case Op::Acos:
    case Op::Pow:
      return node.a;
    case Op::Div:
    case Op::Mod:
      return node.b;
    default:
      return {};
  }
}

}  // namespace

// Which signals may change while time flows: those that read time, a state, an effort, a flow or a
// clock, and those that read such signals.
void Plan::find_continuous() {
  const model::Model& m = *model_;
  continuous_.assign(m.signals.size(), 0);
  std::vector<std::vector<std::size_t>> readers(m.signals.size());
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < m.signals.size(); ++i) {
    for (ExprId leaf : m.pool.leaves(m.signals[SignalId(i)].value)) {
      if (m.pool[leaf].op == Op::Signal) {
        readers[static_cast<std::size_t>(m.pool[leaf].ref)].push_back(i);
      }
    }
    if (!is_continuous(m.signals[SignalId(i)].value)) continue;
    continuous_[i] = 1;
    work.push_back(i);
  }
  while (!work.empty()) {
    const std::size_t i = work.back();
    work.pop_back();
    for (std::size_t reader : readers[i]) {
      if (continuous_[reader]) continue;
      continuous_[reader] = 1;
      work.push_back(reader);
    }
  }
}

bool Plan::is_continuous(ExprId expr) const {
  const model::Model& m = *model_;
  std::vector<ExprId> work{expr};
  std::vector<ChoiceId> chosen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    for (ExprId leaf : m.pool.leaves(e)) {
      const expr::Node& node = m.pool[leaf];
      const auto ref = static_cast<std::size_t>(node.ref);
      switch (node.op) {
        case Op::InMode:
        case Op::Active:
        case Op::Memory:
        case Op::Omega:
        case Op::Absent:
        case Op::Output:
          break;
        case Op::Choice:
          if (std::find(chosen.begin(), chosen.end(), ChoiceId(ref)) != chosen.end()) break;
          chosen.push_back(ChoiceId(ref));
          for (ExprId a : m.choices[ChoiceId(ref)].alternatives) work.push_back(a);
          break;
        case Op::Signal:
          if (continuous_[ref]) return true;
          break;
        default:
          return true;
      }
    }
  }
  return false;
}

// A crossing is a relation that becomes true. Detectors have relations of their own, because they
// are judged with a margin.
void Plan::add_detectors() {
  const model::Model& m = *model_;
  const ExprId zero = m.pool.constant(0);
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const model::Memory& memory = m.memories[MemoryId(i)];
    if (memory.kind != model::Memory::Kind::Crossing) continue;
    using Direction = model::Memory::Direction;
    if (memory.direction != Direction::Falling) {
      memories_[MemoryId(i)].rising = add_detector(MemoryId(i), zero, memory.input);
    }
    if (memory.direction != Direction::Rising) {
      memories_[MemoryId(i)].falling = add_detector(MemoryId(i), memory.input, zero);
    }
  }
}

RelationId Plan::add_detector(MemoryId memory, ExprId left, ExprId right) {
  Relation relation;
  relation.expr = model_->pool.binary(Op::LessEqual, left, right);
  if (!expr::is_relation(model_->pool[relation.expr].op)) return {};  // a constant crosses nothing
  relation.detector = memory;
  return relations_.add(std::move(relation));
}

// Every relation that a rate, a guard, or a signal below them reads.
void Plan::find_relations() {
  const model::Model& m = *model_;
  std::vector<ExprId> found;
  std::vector<char> seen_signal(m.signals.size(), 0);
  std::vector<ExprId> work;
  auto visit = [&](ExprId root) {
    work.push_back(root);
    while (!work.empty()) {
      ExprId e = work.back();
      work.pop_back();
      for (ExprId r : m.pool.relations(e)) {
        // A condition on the argument of a law is part of the law: it has no truth of its own.
        const std::vector<ExprId> leaves = m.pool.leaves(r);
        const bool local = std::any_of(leaves.begin(), leaves.end(),
                                       [&](ExprId leaf) { return m.pool[leaf].op == Op::Local; });
        // What only instants can change is computed where it is read, and needs no watching.
        if (local || !is_continuous(r)) continue;
        if (relation_index_.emplace(r, relations_.next_id()).second) {
          Relation relation;
          relation.expr = r;
          relations_.add(std::move(relation));
        }
      }
      for (ExprId leaf : m.pool.leaves(e)) {
        const expr::Node& node = m.pool[leaf];
        if (node.op == Op::Signal && seen_signal[static_cast<std::size_t>(node.ref)] == 0) {
          seen_signal[static_cast<std::size_t>(node.ref)] = 1;
          work.push_back(m.signals[SignalId(static_cast<std::size_t>(node.ref))].value);
        }
      }
    }
  };
  // abs, min and max in what a solver integrates: which side they are on is a truth of its own, so
  // that their kinks are located and the rates are smooth in between, as with `if`.
  std::vector<char> seen(m.pool.size(), 0);
  auto walk = [&](std::vector<ExprId> open, auto&& look) {
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      if (!e.valid() || at(e) >= seen.size() || std::exchange(seen[at(e)], 1)) continue;
      const expr::Node node = m.pool[e];
      if (expr::is_relation(node.op)) continue;
      for (ExprId operand : {node.a, node.b, node.c}) open.push_back(operand);
      if (node.op == Op::Signal) {
        open.push_back(m.signals[SignalId(static_cast<std::size_t>(node.ref))].value);
      }
      look(e, node);
    }
  };
  // What keeps an argument or a law in its range, as max does in sqrt(max(h, 0)), stays as it is:
  // a solver tries what lies behind the kink.
  std::vector<ExprId> ranges, rates;
  const std::size_t running = std::min(seen.size(), m.drawing_begins);
  for (std::size_t i = 0; i < running; ++i) ranges.push_back(ranged(m.pool[ExprId(i)]));
  for (const model::Element& element : m.elements) {
    const bool source = elements::is_source(element.kind);
    for (ExprId root : roots_of(element)) (source ? rates : ranges).push_back(root);
  }
  for (const model::State& state : m.states) rates.push_back(state.rate);
  walk(ranges, [](ExprId, const expr::Node&) {});
  walk(rates, [&](ExprId e, const expr::Node& node) {
    const ExprId side = side_of(m.pool, node);
    if (!side.valid() || !expr::is_relation(m.pool[side].op)) return;
    visit(side);
    if (RelationId r = relation_of(side); r.valid()) relation_index_.emplace(e, r);
  });
  for (const model::Element& element : m.elements) {
    for (ExprId root : roots_of(element)) visit(root);
  }
  for (const model::State& state : m.states) {
    if (state.rate.valid()) visit(state.rate);
    if (state.impulse.valid()) visit(state.impulse);
  }
  for (const model::Automaton& automaton : m.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      visit(transition.guard);
      for (const model::SetAction& set : transition.sets) visit(set.value);
    }
  }
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    if (m.memories[MemoryId(i)].input.valid()) visit(m.memories[MemoryId(i)].input);
  }
  for (const model::Choice& choice : m.choices) {
    for (ExprId alternative : choice.alternatives) visit(alternative);
  }
  for (const model::Signal& signal : m.signals) visit(signal.value);
  for (const model::Column& column : m.show) visit(column.value);
  add_detectors();

  for (std::size_t i = 0; i < relations_.size(); ++i) {
    Relation& relation = relations_[RelationId(i)];
    const expr::Node node = m.pool[relation.expr];
    relation.strict = node.op == Op::Less;
    relation.watched = node.op == Op::Less || node.op == Op::LessEqual;
    ExprId gap = m.pool.binary(Op::Sub, node.b, node.a);
    // inf − inf and the like must not hide a relation to infinity: sides are compared as they are.
    relation.gap_expr = gap;
    relation.gap = formula(gap).flow;
    relation.truth = formula(relation.expr).tick;
    relation.reads = footprint(relation.expr, true);
    if (relation.watched) relation.kinks = find_kinks(gap);
  }
}

// What changes its sign where this operation has a kink or leaps; invalid: it is smooth.
ExprId Plan::kink_of(const expr::Node& node) const {
  expr::Pool& pool = model_->pool;
  // Leaps at all integers, where its sine half-waves meet.
  auto at_integers = [&](ExprId x) {
    return pool.unary(Op::Sin, pool.binary(Op::Mul, pool.constant(std::numbers::pi), x));
  };
  switch (node.op) {
    case Op::Abs:
    case Op::Sign:
      return node.a;
    case Op::Min:
    case Op::Max:
      return pool.binary(Op::Sub, node.a, node.b);
    case Op::Floor:
    case Op::Ceil:
      return at_integers(node.a);
    case Op::Mod:
      return at_integers(pool.binary(Op::Div, node.a, node.b));
    default:
      return {};
  }
}

// In depth-first order, operands before what is made of them, through signals. The truth of a
// relation inside is frozen while time flows, and it is watched itself.
std::vector<Program> Plan::find_kinks(ExprId gap) const {
  const model::Model& m = *model_;
  std::vector<Program> out;
  ++seen_mark_;
  seen_nodes_.resize(m.pool.size(), 0);
  std::vector<std::pair<ExprId, bool>> work{{gap, false}};
  while (!work.empty()) {
    auto [e, operands_done] = work.back();
    work.pop_back();
    if (operands_done) {
      const ExprId kink = kink_of(expr::Node(m.pool[e]));
      if (kink.valid()) out.push_back(formula(kink).flow);
      continue;
    }
    if (!e.valid() || at(e) >= seen_nodes_.size() || seen_nodes_[at(e)] == seen_mark_) continue;
    seen_nodes_[at(e)] = seen_mark_;
    const expr::Node& node = m.pool[e];
    if (expr::is_relation(node.op)) continue;
    work.emplace_back(e, true);
    for (ExprId operand : {node.a, node.b, node.c}) work.emplace_back(operand, false);
    if (node.op == Op::Signal) {
      work.emplace_back(m.signals[SignalId(static_cast<std::size_t>(node.ref))].value, false);
    }
  }
  return out;
}

RelationId Plan::relation_of(ExprId expr) const {
  auto it = relation_index_.find(expr);
  return it == relation_index_.end() ? RelationId() : it->second;
}

}  // namespace cradle::plan
