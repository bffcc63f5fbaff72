#include "theory/reduce/keepers.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::reduce {

using expr::Node;
using expr::Op;

std::optional<PlainLaw> plain_law(const model::Model& model, const model::Element& element) {
  const expr::Pool& pool = model.pool;
  if (element.laws.size() != 1 || element.law_of_effort || !element.matrix.empty()) return {};
  const Node& law = pool[element.laws[0]];
  auto is_argument = [&](ExprId e) { return e.valid() && pool[e].op == Op::Local; };
  if (law.op == Op::Local) return PlainLaw{};
  const bool store = !element.states.empty();
  if (law.op != (store ? Op::Div : Op::Mul)) return {};
  const ExprId value = store ? law.b : law.a;
  if (!is_argument(store ? law.a : law.b)) return {};
  for (ExprId leaf : pool.leaves(value)) {
    if (is_argument(leaf)) return {};
  }
  if (pool.is_constant(value)) {
    const double number = pool.constant_value(value);
    if (!std::isfinite(number) || (store && number <= 0)) return {};
  }
  return PlainLaw{value};
}

Keepers::Keepers(model::Model& model) : model_(model), always_(model.pool.boolean(true)) {
  expr::Pool& pool = model.pool;
  for (std::size_t i = 0; i < model.regions.size(); ++i) {
    ExprId all = always_;
    for (RegionId r(i); r.valid(); r = model.regions[r].parent) {
      const model::Region& around = model.regions[r];
      ExprId in_mode = pool.leaf(Op::InMode, around.automaton.index, around.state);
      all = pool.binary(Op::And, in_mode, all);
    }
    active_.push_back(all);
  }
  for (std::size_t i = 0; i < model.states.size(); ++i) {
    const bool stored = model.states[StateId(i)].element.valid();
    integrals_.push_back(stored ? ExprId() : pool.leaf(Op::State, static_cast<int32_t>(i)));
  }
  for (std::size_t i = 0; i < model.memories.size(); ++i) {
    const expr::Type type = model.memories[MemoryId(i)].type;
    memories_.push_back(pool.leaf(Op::Memory, static_cast<int32_t>(i), 0, type));
  }
  for (std::size_t i = 0; i < model.choices.size(); ++i) {
    choices_.push_back(pool.leaf(Op::Choice, static_cast<int32_t>(i)));
  }
  find_nodes();
  count_readers();
}

// Everything that is written, and how often: a law in which no memory may stand counts twice.
template <class Visit>
void Keepers::each_root(Visit visit) const {
  const model::Model& m = model_;
  for (std::size_t i = 0; i < m.signals.size(); ++i) {
    if (!m.signals[SignalId(i)].gathers.valid()) visit(own_value(SignalId(i)), 1);
  }
  for (const model::Element& element : m.elements) {
    if (element.signal.valid()) visit(element.signal, 1);
    if (!element.matrix.empty()) continue;
    const auto plain = plain_law(m, element);
    if (plain && plain->value.valid()) visit(plain->value, 1);
    if (plain) continue;
    for (ExprId law : element.laws) visit(law, 2);
  }
  for (const model::State& state : m.states) {
    if (state.rate.valid()) visit(state.rate, 1);
    if (state.impulse.valid()) visit(state.impulse, 1);
  }
  for (const model::Memory& memory : m.memories) {
    if (memory.input.valid()) visit(memory.input, 1);
  }
  for (std::size_t i = 0; i < m.choices.size(); ++i) {
    for (std::size_t k = 0; k < m.choices[ChoiceId(i)].alternatives.size(); ++k) {
      visit(own_alternative(ChoiceId(i), k), 1);
    }
  }
  for (const model::Automaton& automaton : m.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      visit(transition.guard, 1);
      for (const model::SetAction& set : transition.sets) visit(set.value, 1);
    }
  }
  for (const model::Output& output : m.outputs) {
    for (const model::Output::Part& part : output.parts) visit(part.value, 1);
  }
  for (const model::Column& column : m.show) visit(column.value, 1);
  for (const model::Shape& shape : m.animation) {
    for (const model::Shape::Part& part : shape.parts) visit(part.value, 1);
    if (shape.when.valid()) visit(shape.when, 1);
  }
  for (const model::Assertion& assertion : m.assertions) visit(assertion.condition, 1);
}

// A memory of kind Last is a hold if all that reads it is Default(its input, itself).
void Keepers::find_nodes() {
  const expr::Pool& pool = model_.pool;
  std::vector<bool> used(pool.size(), false);
  std::vector<int> reads(model_.memories.size(), 0);
  std::vector<ExprId> holds(model_.memories.size());
  auto is_memory = [&](ExprId e) { return e.valid() && pool[e].op == Op::Memory; };
  each_root([&](ExprId root, int) {
    used[at(root)] = true;
    if (is_memory(root)) ++reads[at(pool[root].ref)];
  });
  for (std::size_t i = pool.size(); i-- > 0;) {
    if (!used[i]) continue;
    const Node& node = pool[ExprId(i)];
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (!operand.valid()) continue;
      used[at(operand)] = true;
      if (!is_memory(operand)) continue;
      const auto memory = at(pool[operand].ref);
      ++reads[memory];
      const model::Memory& kept = model_.memories[MemoryId(memory)];
      const bool hold = node.op == Op::Default && operand == node.b && node.a == kept.input &&
                        kept.kind == model::Memory::Kind::Last;
      if (hold) holds[memory] = ExprId(i);
    }
    if (node.op == Op::Pre) {
      const ExprId inner = pool.pres()[at(node.ref)];
      used[at(inner)] = true;
      if (is_memory(inner)) ++reads[at(pool[inner].ref)];
    }
  }
  keepers_.assign(pool.size(), {});
  for (std::size_t i = 0; i < integrals_.size(); ++i) {
    if (!integrals_[i].valid()) continue;
    keepers_[at(integrals_[i])] = {Keeper::Kind::Integral, i};
    nodes_.push_back(integrals_[i]);
  }
  for (std::size_t i = 0; i < memories_.size(); ++i) {
    const bool hold = holds[i].valid() && reads[i] == 1;
    if (hold) memories_[i] = holds[i];
    keepers_[at(memories_[i])] = {hold ? Keeper::Kind::Hold : Keeper::Kind::Memory, i};
    nodes_.push_back(memories_[i]);
  }
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    keepers_[at(choices_[i])] = {Keeper::Kind::Choice, i};
    nodes_.push_back(choices_[i]);
  }
}

void Keepers::count_readers() {
  const expr::Pool& pool = model_.pool;
  readers_.assign(pool.size(), 0);
  set_.assign(pool.size(), false);
  auto add = [&](ExprId e, int times) {
    if (e.valid()) readers_[at(e)] = std::min(2, readers_[at(e)] + times);
  };
  each_root(add);
  for (std::size_t i = pool.size(); i-- > 0;) {
    const ExprId e(i);
    if (readers_[i] == 0 || at_node(e).kind != Keeper::Kind::None) continue;
    if (ExprId inside = seen_from_outside(e); inside.valid()) {
      add(inside, readers_[i]);
      continue;
    }
    const Node& node = pool[e];
    for (ExprId operand : {node.a, node.b, node.c}) add(operand, readers_[i]);
    if (node.op == Op::Pre) add(pool.pres()[at(node.ref)], readers_[i]);
  }
  for (const model::Automaton& automaton : model_.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      for (const model::SetAction& set : transition.sets) {
        const ExprId node =
            set.state.valid() ? integrals_[at(set.state)] : memories_[at(set.memory)];
        if (node.valid()) set_[at(node)] = true;
      }
    }
  }
}

Keeper Keepers::at_node(ExprId e) const {
  return at(e) < keepers_.size() ? keepers_[at(e)] : Keeper{};
}

bool Keepers::needs_name(ExprId e) const { return readers_[at(e)] != 1 || set_[at(e)]; }

RegionId Keepers::region(ExprId e) const {
  const Keeper keeper = at_node(e);
  switch (keeper.kind) {
    case Keeper::Kind::Integral:
      return model_.states[StateId(keeper.index)].region;
    case Keeper::Kind::Memory:
    case Keeper::Kind::Hold:
      return model_.memories[MemoryId(keeper.index)].region;
    case Keeper::Kind::Choice: {
      const Node& first = model_.pool[model_.choices[ChoiceId(keeper.index)].alternatives.front()];
      for (std::size_t r = 0; r < active_.size(); ++r) {
        if (first.op == Op::When && first.b == active_[r]) return RegionId(r);
      }
      break;
    }
    case Keeper::Kind::None:
      break;
  }
  return {};
}

ExprId Keepers::own_value(SignalId id) const {
  const model::Signal& signal = model_.signals[id];
  const Node& node = model_.pool[signal.value];
  return signal.region.valid() && node.op == Op::When ? node.a : signal.value;
}

ExprId Keepers::own_alternative(ChoiceId choice, std::size_t which) const {
  const ExprId written = model_.choices[choice].alternatives[which];
  const Node& node = model_.pool[written];
  if (node.op != Op::When) return written;
  const bool wrapped = std::find(active_.begin(), active_.end(), node.b) != active_.end();
  return wrapped ? node.a : written;
}

ExprId Keepers::seen_from_outside(ExprId e) const {
  const expr::Pool& pool = model_.pool;
  const Node& node = pool[e];
  if (active_.empty() || node.op != Op::If || pool[node.c].op != Op::Absent) return {};
  const Node& inside = pool[node.b];
  RegionId region;
  switch (inside.op) {
    case Op::Effort:
    case Op::Flow: {
      const model::End& to = model_.bonds[BondId(at(inside.ref))].to;
      region = to.junction.valid() ? model_.junctions[to.junction].region
                                   : model_.elements[to.element].region;
      break;
    }
    case Op::State:
      region = model_.states[StateId(at(inside.ref))].region;
      break;
    case Op::Signal:
      region = model_.signals[SignalId(at(inside.ref))].region;
      break;
    case Op::InMode:
    case Op::Active:
      region = model_.automata[AutomatonId(at(inside.ref))].region;
      break;
    default:
      return {};
  }
  return region.valid() && node.a == active_[at(region)] ? node.b : ExprId();
}

}  // namespace cradle::reduce
