// Comparisons: which there are, what may change while time flows, where a gap has kinks.

#include <algorithm>
#include <map>
#include <numbers>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/plan/maker.hpp"

namespace cradle::plan {

using expr::Op;

bool reads_local(const expr::Pool& pool, ExprId e) {
  const std::vector<ExprId> leaves = pool.leaves(e);
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](ExprId leaf) { return pool[leaf].op == Op::Local; });
}

namespace {

// What is true on one side of the kink of abs, min and max; invalid: it has none.
ExprId side_of(expr::Pool& pool, const expr::Node& node) {
  if (node.op == Op::Abs) return pool.binary(Op::LessEqual, pool.constant(0), node.a);
  if (node.op == Op::Min || node.op == Op::Max) return pool.binary(Op::LessEqual, node.a, node.b);
  return {};
}

// Does a law bend or leap where its argument passes a point?
bool has_kinks(expr::Pool& pool, ExprId law) {
  for (ExprId e : pool.below(law)) {
    const expr::Node node = pool[e];
    const bool kink = expr::is_comparison(node.op) || side_of(pool, node).valid();
    if (kink && reads_local(pool, e)) return true;
  }
  return false;
}

// Does it read the argument of a law through steps? These are not located, so nothing made of them
// is.
bool reads_steps(const expr::Pool& pool, ExprId e) {
  const std::vector<ExprId> below = pool.below(e);
  return std::any_of(below.begin(), below.end(), [&](ExprId n) {
    const Op op = pool[n].op;
    const bool steps = op == Op::Sign || op == Op::Floor || op == Op::Ceil || op == Op::Mod;
    return steps && reads_local(pool, n);
  });
}

std::optional<double> known_number(const expr::Pool& pool, ExprId e) {
  return pool.is_constant(e) ? std::optional(pool[e].value) : std::nullopt;
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

// A crossing is a comparison that becomes true. Detectors have comparisons of their own, because
// they are judged with a margin.
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

ComparisonId Maker::add_detector(MemoryId memory, ExprId left, ExprId right) {
  Comparison comparison;
  comparison.expr = m_.pool.binary(Op::LessEqual, left, right);
  if (m_.pool.is_fixed(comparison.expr)) return {};  // a constant crosses nothing
  comparison.detector = memory;
  return out_.comparisons.add(std::move(comparison));
}

// Comparisons in the order in which they are met, each once, through signals. No node is looked at
// twice.
class Maker::ComparisonFinder {
 public:
  explicit ComparisonFinder(Maker& maker) : maker_(maker), m_(maker.m_) {}

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
  // One definition: its comparisons, and the signals that it reads, both in the order of the text.
  void look_at(ExprId root) {
    found_.clear();
    work_.assign(1, root);
    while (!work_.empty()) {
      const ExprId e = work_.back();
      work_.pop_back();
      if (!e.valid() || std::exchange(seen_[at(e)], 1)) continue;
      const expr::Node& node = m_.pool[e];
      if (node.op == Op::Signal || expr::is_comparison(node.op)) found_.push_back(e);
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
    const bool local = reads_local(m_.pool, r);
    // Truth values that are compared are logic, and follow from the comparisons inside.
    if (m_.pool[m_.pool[r].a].type == expr::Type::Boolean) return;
    // What only instants can change is computed where it is read, and needs no watching.
    if (local || !maker_.is_continuous(r)) return;
    Table<ComparisonId, Comparison>& comparisons = maker_.out_.comparisons;
    if (!maker_.out_.comparison_index.emplace(r, comparisons.next_id()).second) return;
    Comparison comparison;
    comparison.expr = r;
    comparisons.add(std::move(comparison));
  }

  Maker& maker_;
  const model::Model& m_;
  std::vector<char> seen_;  // by node
  std::vector<ExprId> definitions_, work_, found_;
};

// Laws of stores that have kinks, over their states: there a condition is a comparison like any
// other, so that the piece of the law that is in force is frozen while time flows, and where it
// ends is located. Inside an instant, where states jump, laws are read as they stand.
void Maker::find_pieces() {
  for (const model::Element& element : m_.elements) {
    if (element.states.empty()) continue;
    std::vector<ExprId> states;
    for (StateId s : element.states) states.push_back(m_.pool.leaf(Op::State, s.index));
    for (ExprId law : element.laws) {
      if (!has_kinks(m_.pool, law)) continue;
      pieces_[{law, element.states[0]}] = m_.pool.substitute(law, states);
    }
  }
}

ExprId Maker::flowing(ExprId law, const std::vector<StateId>& states) const {
  if (states.empty()) return law;
  const auto found = pieces_.find({law, states[0]});
  return found == pieces_.end() ? law : found->second;
}

// Laws of resistors that have kinks: while time flows, a condition on the argument is one of the
// effort or flow itself, with a truth that is frozen and watched. What is computed of it stays over
// the argument. In Newton's method and in an instant the law is read as it stands.
void Maker::find_power_pieces() {
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (!elements::is_dissipative(element.kind) || element.laws.size() != 1) continue;
    if (element.ports.size() != 1) continue;
    const ExprId lifted = out_.power_laws[ElementId(i)];
    const ExprId law = lifted.valid() ? lifted : element.laws[0];
    if (!has_kinks(m_.pool, law)) continue;
    const Op op = element.law_of_effort ? Op::Effort : Op::Flow;
    const ExprId piece = lift_kinks(law, m_.pool.leaf(op, element.ports[0].bond.index));
    if (piece != law) power_pieces_[ElementId(i)] = piece;
  }
}

// But for what keeps an operand in its range: a solver tries what lies behind the kink.
ExprId Maker::lift_kinks(ExprId law, ExprId argument) {
  expr::Pool& pool = m_.pool;
  const std::vector<ExprId> below = pool.below(law);
  std::unordered_set<ExprId> kept;
  for (ExprId e : below) {
    const ExprId inside = ranged(expr::Node(pool[e]));
    if (!inside.valid()) continue;
    for (ExprId n : pool.below(inside)) kept.insert(n);
  }
  std::unordered_map<ExprId, ExprId> made;
  const auto lifted = [&](ExprId e) {
    return pool.map_leaves(
        e, [](ExprId leaf) { return leaf; }, made);
  };
  for (ExprId e : below) {  // operands first
    const expr::Node node = pool[e];
    if (kept.contains(e) || !reads_local(pool, e) || reads_steps(pool, e)) continue;
    if (node.op == Op::Less || node.op == Op::LessEqual) {
      made[e] = pool.substitute(e, {argument});
      continue;
    }
    const ExprId side = side_of(pool, node);
    if (!side.valid()) continue;
    const ExprId holds = pool.substitute(side, {argument}), a = lifted(node.a);
    if (node.op == Op::Abs) {
      made[e] = pool.conditional(holds, a, pool.unary(Op::Neg, a));
    } else {
      const ExprId b = lifted(node.b);
      made[e] = node.op == Op::Min ? pool.conditional(holds, a, b) : pool.conditional(holds, b, a);
    }
  }
  return lifted(law);
}

ExprId Maker::flowing(ElementId resistor) const {
  const auto found = power_pieces_.find(resistor);
  return found == power_pieces_.end() ? ExprId() : found->second;
}

// abs, min and max in what a solver integrates: which side they are on is a truth of its own, so
// that their kinks are located and the rates are smooth in between, as with `if`.
void Maker::find_sides(ComparisonFinder& finder) {
  std::vector<char> seen(m_.pool.size(), 0);
  auto walk = [&](std::vector<ExprId> open, auto&& look) {
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      if (!e.valid() || at(e) >= seen.size() || std::exchange(seen[at(e)], 1)) continue;
      const expr::Node node = m_.pool[e];
      if (expr::is_comparison(node.op) || m_.pool.is_fixed(e)) continue;
      for (ExprId operand : {node.a, node.b, node.c}) open.push_back(operand);
      if (node.op == Op::Signal) open.push_back(m_.signals[SignalId(at(node.ref))].value);
      look(e, node);
    }
  };
  // What keeps an operand in its range, as max does in sqrt(max(h, 0)), stays as it is: a solver
  // tries what lies behind the kink.
  std::vector<ExprId> ranges, rates;
  const std::size_t running = std::min(seen.size(), m_.drawing_begins);
  for (std::size_t i = 0; i < running; ++i) ranges.push_back(ranged(m_.pool[ExprId(i)]));
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    for (ExprId root : roots_of(ElementId(i))) rates.push_back(root);
  }
  for (const model::State& state : m_.states) rates.push_back(state.rate);
  walk(ranges, [](ExprId, const expr::Node&) {});
  walk(rates, [&](ExprId e, const expr::Node& node) {
    const ExprId side = side_of(m_.pool, node);
    if (!side.valid() || !expr::is_comparison(m_.pool[side].op)) return;
    finder.visit(side);
    if (ComparisonId r = comparison_of(side); r.valid()) out_.comparison_index.emplace(e, r);
  });
}

// Every comparison that a rate, a guard, or a signal below them reads. Last those that only
// assertions read, so that the others are the same without them.
void Maker::find_comparisons() {
  find_pieces();
  find_power_pieces();
  ComparisonFinder finder(*this);
  find_sides(finder);
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    for (ExprId root : roots_of(ElementId(i))) finder.visit(root);
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
  for (const model::Assertion& assertion : m_.assertions) finder.visit(assertion.holds);
}

void Maker::complete_comparisons() {
  for (Comparison& comparison : out_.comparisons) {
    const expr::Node node = m_.pool[comparison.expr];
    comparison.strict = node.op == Op::Less;
    comparison.watched = node.op == Op::Less || node.op == Op::LessEqual;
    const ExprId gap = m_.pool.binary(Op::Sub, node.b, node.a);
    // inf − inf and the like must not hide a comparison to infinity: sides are compared as they
    // are.
    comparison.gap_expr = gap;
    comparison.gap = formula(gap);
    comparison.truth = formula(comparison.expr);
    comparison.reads = footprints_.of(comparison.expr);
    if (comparison.watched) comparison.kinks = find_kinks(gap);
  }
  find_borders();
}

// Where a resistor's law leaps, as sign(f) does at 0, a comparison of its argument is one of the
// effort or flow itself: it has a truth, which is frozen while time flows, and the run can rest on
// it. Where the branches meet, as in `if f > 0 then f else 10 * f`, the law stays as it is.
void Maker::lift_leaps() {
  out_.power_laws.resize(m_.elements.size());
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (!elements::is_dissipative(element.kind) || element.laws.size() != 1) continue;
    if (element.ports.size() != 1) continue;
    const Op op = element.law_of_effort ? Op::Effort : Op::Flow;
    const ExprId argument = m_.pool.leaf(op, element.ports[0].bond.index);
    std::unordered_map<ExprId, ExprId> lifted;
    for (ExprId e : m_.pool.below(element.laws[0])) {
      const expr::Node node = m_.pool[e];
      if (node.op == Op::If && leaps(element.laws[0], e)) {
        lifted.emplace(node.a, m_.pool.substitute(node.a, {argument}));
      }
    }
    if (lifted.empty()) continue;
    out_.power_laws[ElementId(i)] = m_.pool.map_leaves(
        element.laws[0], [](ExprId leaf) { return leaf; }, lifted);
  }
}

// Does a law leap where its argument passes what it is compared with in this conditional? Either
// the law differs there by the branch that is taken, or the branches are steps.
bool Maker::leaps(ExprId law, ExprId conditional) {
  const expr::Node node = m_.pool[conditional], comparison = m_.pool[node.a];
  if (comparison.op != Op::Less && comparison.op != Op::LessEqual) return false;
  const bool left = reads_argument(comparison.a), right = reads_argument(comparison.b);
  if (left == right) return false;
  const ExprId side = left ? comparison.a : comparison.b,
               limit = left ? comparison.b : comparison.a;
  const ExprId border = border_of(side, limit);
  if (!border.valid()) return is_step(node);
  const auto taken = [&](ExprId branch) {
    std::unordered_map<ExprId, ExprId> chosen{{conditional, branch}};
    const ExprId whole = m_.pool.map_leaves(
        law, [](ExprId leaf) { return leaf; }, chosen);
    return m_.pool.substitute(whole, {border});
  };
  const ExprId one = taken(node.b), other = taken(node.c);
  return one != other && !(agree(one, other, 0.7390851332) && agree(one, other, 0.2419113145));
}

// Are the two the same if whatever they read is some number or other? `seed`: between 0 and 1.
bool Maker::agree(ExprId one, ExprId other, double seed) {
  const auto generic = [&](ExprId leaf) {
    if (m_.pool.is_constant(leaf)) return leaf;
    const double share = (static_cast<double>(leaf.index) + 1) * 0.6180339887498949 + seed;
    return m_.pool.constant(0.5 + share - std::floor(share));
  };
  const auto a = known_number(m_.pool, m_.pool.map_leaves(one, generic));
  const auto b = known_number(m_.pool, m_.pool.map_leaves(other, generic));
  constexpr double kSame = 1e-12;
  return a && b && std::abs(*a - *b) <= kSame * (std::abs(*a) + std::abs(*b));
}

// The argument of a law at which this side comes to this limit; invalid: nobody knows.
ExprId Maker::border_of(ExprId side, ExprId limit) {
  if (m_.pool[side].op == Op::Local) return limit;
  const ExprId zero = m_.pool.constant(0);
  const std::optional<double> there = known_number(m_.pool, m_.pool.substitute(side, {zero}));
  const std::optional<double> wanted = known_number(m_.pool, limit);
  return there && wanted && *there == *wanted ? zero : ExprId();
}

// Other constants on either side.
bool Maker::is_step(const expr::Node& conditional) const {
  std::vector<ExprId> steps;
  std::vector<ExprId> work{conditional.b, conditional.c};
  while (!work.empty()) {
    const expr::Node node = m_.pool[work.back()];
    if (node.op != Op::If) steps.push_back(work.back());
    work.pop_back();
    if (node.op == Op::If) work.insert(work.end(), {node.b, node.c});
  }
  return std::none_of(steps.begin(), steps.end(), [&](ExprId e) { return reads_argument(e); }) &&
         std::any_of(steps.begin(), steps.end(), [&](ExprId e) { return e != steps[0]; });
}

bool Maker::reads_argument(ExprId e) const {
  const std::vector<ExprId> leaves = m_.pool.leaves(e);
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](ExprId leaf) { return m_.pool[leaf].op == Op::Local; });
}

// Those that compare the same two things, whichever stands on the left.
void Maker::find_borders() {
  std::map<std::pair<ExprId, ExprId>, ComparisonId> borders;
  for (std::size_t i = 0; i < out_.comparisons.size(); ++i) {
    Comparison& comparison = out_.comparisons[ComparisonId(i)];
    comparison.border = ComparisonId(i);
    if (!comparison.watched || comparison.detector.valid()) continue;
    const expr::Node node = m_.pool[comparison.expr];
    const bool swapped = node.b < node.a;
    const auto key = swapped ? std::pair(node.b, node.a) : std::pair(node.a, node.b);
    comparison.border = borders.try_emplace(key, ComparisonId(i)).first->second;
    Comparison& border = out_.comparisons[comparison.border];
    border.twins.push_back(ComparisonId(i));
    comparison.opposite = m_.pool[border.expr].a != node.a;
  }
}

// Where a run may go on along a border: rates switch there, by a truth or by a mode of a modal
// model, and move the gap.
void Maker::find_sliding() {
  for (Comparison& border : out_.comparisons) {
    std::vector<UnitId> switched;
    for (ComparisonId twin : border.twins) {
      const Comparison& comparison = out_.comparisons[twin];
      switched.insert(switched.end(), comparison.used_by.begin(), comparison.used_by.end());
      for (const auto& [automaton, transition] : comparison.guards) {
        if (!m_.automata[automaton].modal) continue;
        const std::vector<UnitId>& units = out_.automata[automaton].modulates;
        switched.insert(switched.end(), units.begin(), units.end());
      }
    }
    const bool moves = std::any_of(switched.begin(), switched.end(), [&](UnitId unit) {
      return std::binary_search(border.units.begin(), border.units.end(), unit);
    });
    if (!moves) continue;
    const Rate rate = written_out(border_rates_.of(border.gap_expr));
    if (rate.expr) border.gap_rate = *rate.expr;
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
// comparison inside is frozen while time flows, and it is watched itself.
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
    if (expr::is_comparison(node.op) || m_.pool.is_fixed(e)) continue;
    work.emplace_back(e, true);
    for (ExprId operand : {node.a, node.b, node.c}) work.emplace_back(operand, false);
    if (node.op == Op::Signal) {
      work.emplace_back(m_.signals[SignalId(static_cast<std::size_t>(node.ref))].value, false);
    }
  }
  return out;
}

ComparisonId Maker::comparison_of(ExprId expr) const {
  auto it = out_.comparison_index.find(expr);
  return it == out_.comparison_index.end() ? ComparisonId() : it->second;
}

}  // namespace cradle::plan
