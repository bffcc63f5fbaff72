// Relations: which there are, what may change while time flows, where a gap has kinks.

#include <algorithm>
#include <numbers>
#include <utility>

#include "core/plan/maker.hpp"

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
void Maker::find_continuous() {
  continuous_.assign(m_.signals.size(), 0);
  std::vector<std::vector<std::size_t>> readers(m_.signals.size());
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < m_.signals.size(); ++i) {
    for (ExprId leaf : m_.pool.leaves(m_.signals[SignalId(i)].value)) {
      if (m_.pool[leaf].op == Op::Signal) {
        readers[static_cast<std::size_t>(m_.pool[leaf].ref)].push_back(i);
      }
    }
    if (!is_continuous(m_.signals[SignalId(i)].value)) continue;
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

bool Maker::is_continuous(ExprId expr) const {
  std::vector<ExprId> work{expr};
  std::vector<ChoiceId> chosen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    for (ExprId leaf : m_.pool.leaves(e)) {
      const expr::Node& node = m_.pool[leaf];
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
          for (ExprId a : m_.choices[ChoiceId(ref)].alternatives) work.push_back(a);
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
void Maker::add_detectors() {
  const ExprId zero = m_.pool.constant(0);
  for (std::size_t i = 0; i < m_.memories.size(); ++i) {
    const model::Memory& memory = m_.memories[MemoryId(i)];
    if (memory.kind != model::Memory::Kind::Crossing) continue;
    using Direction = model::Memory::Direction;
    if (memory.direction != Direction::Falling) {
      out_.memories[MemoryId(i)].rising = add_detector(MemoryId(i), zero, memory.input);
    }
    if (memory.direction != Direction::Rising) {
      out_.memories[MemoryId(i)].falling = add_detector(MemoryId(i), memory.input, zero);
    }
  }
}

RelationId Maker::add_detector(MemoryId memory, ExprId left, ExprId right) {
  Relation relation;
  relation.expr = m_.pool.binary(Op::LessEqual, left, right);
  if (m_.pool.is_fixed(relation.expr)) return {};  // a constant crosses nothing
  relation.detector = memory;
  return out_.relations.add(std::move(relation));
}

// Relations in the order in which they are met, each once, through signals. No node is looked at
// twice.
class Maker::RelationFinder {
 public:
  explicit RelationFinder(Maker& maker) : maker_(maker), m_(maker.m_) {}

  void visit(ExprId root) {
    seen_.resize(m_.pool.size(), 0);
    definitions_.assign(1, root);
    while (!definitions_.empty()) {
      const ExprId definition = definitions_.back();
      definitions_.pop_back();
      look_at(definition);
    }
  }

 private:
  // One definition: its relations, and the signals that it reads, both in the order of the text.
  void look_at(ExprId root) {
    found_.clear();
    work_.assign(1, root);
    while (!work_.empty()) {
      const ExprId e = work_.back();
      work_.pop_back();
      if (!e.valid() || std::exchange(seen_[at(e)], 1)) continue;
      const expr::Node& node = m_.pool[e];
      if (node.op == Op::Signal || expr::is_relation(node.op)) found_.push_back(e);
      for (ExprId operand : {node.a, node.b, node.c}) work_.push_back(operand);
    }
    std::sort(found_.begin(), found_.end());
    for (ExprId e : found_) {
      const expr::Node& node = m_.pool[e];
      if (node.op == Op::Signal) {
        definitions_.push_back(m_.signals[SignalId(at(node.ref))].value);
      } else {
        add(e);
      }
    }
  }

  void add(ExprId r) {
    // A condition on the argument of a law is part of the law: it has no truth of its own.
    const std::vector<ExprId> leaves = m_.pool.leaves(r);
    const bool local = std::any_of(leaves.begin(), leaves.end(),
                                   [&](ExprId leaf) { return m_.pool[leaf].op == Op::Local; });
    // Truth values that are compared are logic, and follow from the relations inside.
    if (m_.pool[m_.pool[r].a].type == expr::Type::Boolean) return;
    // What only instants can change is computed where it is read, and needs no watching.
    if (local || !maker_.is_continuous(r)) return;
    Table<RelationId, Relation>& relations = maker_.out_.relations;
    if (!maker_.out_.relation_index.emplace(r, relations.next_id()).second) return;
    Relation relation;
    relation.expr = r;
    relations.add(std::move(relation));
  }

  Maker& maker_;
  const model::Model& m_;
  std::vector<char> seen_;  // by node
  std::vector<ExprId> definitions_, work_, found_;
};

// abs, min and max in what a solver integrates: which side they are on is a truth of its own, so
// that their kinks are located and the rates are smooth in between, as with `if`.
void Maker::find_sides(RelationFinder& finder) {
  std::vector<char> seen(m_.pool.size(), 0);
  auto walk = [&](std::vector<ExprId> open, auto&& look) {
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      if (!e.valid() || at(e) >= seen.size() || std::exchange(seen[at(e)], 1)) continue;
      const expr::Node node = m_.pool[e];
      if (expr::is_relation(node.op) || m_.pool.is_fixed(e)) continue;
      for (ExprId operand : {node.a, node.b, node.c}) open.push_back(operand);
      if (node.op == Op::Signal) open.push_back(m_.signals[SignalId(at(node.ref))].value);
      look(e, node);
    }
  };
  // What keeps an argument or a law in its range, as max does in sqrt(max(h, 0)), stays as it is:
  // a solver tries what lies behind the kink.
  std::vector<ExprId> ranges, rates;
  const std::size_t running = std::min(seen.size(), m_.drawing_begins);
  for (std::size_t i = 0; i < running; ++i) ranges.push_back(ranged(m_.pool[ExprId(i)]));
  for (const model::Element& element : m_.elements) {
    const bool source = elements::is_source(element.kind);
    for (ExprId root : roots_of(element)) (source ? rates : ranges).push_back(root);
  }
  for (const model::State& state : m_.states) rates.push_back(state.rate);
  walk(ranges, [](ExprId, const expr::Node&) {});
  walk(rates, [&](ExprId e, const expr::Node& node) {
    const ExprId side = side_of(m_.pool, node);
    if (!side.valid() || !expr::is_relation(m_.pool[side].op)) return;
    finder.visit(side);
    if (RelationId r = relation_of(side); r.valid()) out_.relation_index.emplace(e, r);
  });
}

// Every relation that a rate, a guard, or a signal below them reads.
void Maker::find_relations() {
  RelationFinder finder(*this);
  find_sides(finder);
  for (const model::Element& element : m_.elements) {
    for (ExprId root : roots_of(element)) finder.visit(root);
  }
  for (const model::State& state : m_.states) {
    finder.visit(state.rate);
    finder.visit(state.impulse);
  }
  for (const model::Automaton& automaton : m_.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      finder.visit(transition.guard);
      for (const model::SetAction& set : transition.sets) finder.visit(set.value);
    }
  }
  for (const model::Memory& memory : m_.memories) finder.visit(memory.input);
  for (const model::Choice& choice : m_.choices) {
    for (ExprId alternative : choice.alternatives) finder.visit(alternative);
  }
  for (const model::Signal& signal : m_.signals) finder.visit(signal.value);
  for (const model::Column& column : m_.show) finder.visit(column.value);
  add_detectors();
}

void Maker::complete_relations() {
  for (Relation& relation : out_.relations) {
    const expr::Node node = m_.pool[relation.expr];
    relation.strict = node.op == Op::Less;
    relation.watched = node.op == Op::Less || node.op == Op::LessEqual;
    const ExprId gap = m_.pool.binary(Op::Sub, node.b, node.a);
    // inf − inf and the like must not hide a relation to infinity: sides are compared as they are.
    relation.gap_expr = gap;
    relation.gap = formula(gap);
    relation.truth = formula(relation.expr);
    relation.reads = footprints_.of(relation.expr);
    if (relation.watched) relation.kinks = find_kinks(gap);
  }
}

// What changes its sign where this operation has a kink or leaps; invalid: it is smooth.
ExprId Maker::kink_of(const expr::Node& node) {
  expr::Pool& pool = m_.pool;
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
std::vector<Code> Maker::find_kinks(ExprId gap) {
  std::vector<Code> out;
  ++seen_mark_;
  seen_nodes_.resize(m_.pool.size(), 0);
  std::vector<std::pair<ExprId, bool>> work{{gap, false}};
  while (!work.empty()) {
    auto [e, operands_done] = work.back();
    work.pop_back();
    if (operands_done) {
      const ExprId kink = kink_of(expr::Node(m_.pool[e]));
      if (kink.valid()) out.push_back(formula(kink));
      continue;
    }
    if (!e.valid() || at(e) >= seen_nodes_.size() || seen_nodes_[at(e)] == seen_mark_) continue;
    seen_nodes_[at(e)] = seen_mark_;
    const expr::Node& node = m_.pool[e];
    if (expr::is_relation(node.op) || m_.pool.is_fixed(e)) continue;
    work.emplace_back(e, true);
    for (ExprId operand : {node.a, node.b, node.c}) work.emplace_back(operand, false);
    if (node.op == Op::Signal) {
      work.emplace_back(m_.signals[SignalId(static_cast<std::size_t>(node.ref))].value, false);
    }
  }
  return out;
}

RelationId Maker::relation_of(ExprId expr) const {
  auto it = out_.relation_index.find(expr);
  return it == out_.relation_index.end() ? RelationId() : it->second;
}

}  // namespace cradle::plan
