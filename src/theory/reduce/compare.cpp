// Both models are walked side by side. Things with names are paired by the correspondence;
// integrals, memories and choices are paired when they are first met, and then have to agree in all
// that they are made of. A signal that only the second has stands for its value.

#include "theory/reduce/compare.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace cradle::reduce {

namespace {

using expr::Node;
using expr::Op;

class Comparison {
 public:
  Comparison(const model::Model& a, const model::Model& b, const Correspondence& same)
      : a_(a), b_(b), same_(same) {}

  std::string run() {
    pair_names();
    if (fault_.empty()) compare_regions();
    if (fault_.empty()) compare_structure();
    if (fault_.empty()) compare_signals();
    if (fault_.empty()) compare_automata();
    if (fault_.empty()) compare_rest();
    if (fault_.empty()) compare_assertions();
    if (fault_.empty()) compare_animation();
    while (fault_.empty() && !open_.empty()) {
      const auto [kind, index] = open_.back();
      open_.pop_back();
      compare_kept(kind, index);
    }
    if (fault_.empty()) compare_counts();
    return fault_;
  }

 private:
  enum class Kept { State, Memory, Choice };

  bool fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
    return false;
  }

  template <class IdType, class TableType>
  void pair(const std::vector<std::string>& names, const TableType& table,
            std::vector<IdType>& pairs) {
    std::unordered_map<std::string, IdType> found;
    for (std::size_t i = 0; i < table.size(); ++i) found.emplace(table[IdType(i)].name, IdType(i));
    for (const std::string& name : names) {
      auto place = found.find(name);
      if (place == found.end()) fail(name + " is missing");
      pairs.push_back(place == found.end() ? IdType() : place->second);
    }
  }

  void pair_names() {
    pair(same_.elements, b_.elements, elements_);
    pair(same_.junctions, b_.junctions, junctions_);
    pair(same_.automata, b_.automata, automata_);
    pair(same_.signals, b_.signals, signals_);
    bonds_.resize(a_.bonds.size());
    for (std::size_t i = 0; i < same_.bonds.size(); ++i) bonds_[at(same_.bonds[i])] = BondId(i);
    states_.resize(a_.states.size());
    memories_.resize(a_.memories.size());
    choices_.resize(a_.choices.size());
    own_signals_.assign(b_.signals.size(), true);
    for (SignalId id : signals_) {
      if (id.valid()) own_signals_[at(id)] = false;
    }
    if (b_.elements.size() != a_.elements.size()) fail("the elements are not the same");
    if (b_.junctions.size() != a_.junctions.size()) fail("the junctions are not the same");
    if (b_.bonds.size() != a_.bonds.size()) fail("the bonds are not the same");
    if (b_.automata.size() != a_.automata.size()) fail("the automata are not the same");
  }

  void compare_regions() {
    if (a_.regions.size() != b_.regions.size()) fail("the modes are not the same");
    for (std::size_t i = 0; i < a_.regions.size() && fault_.empty(); ++i) {
      const model::Region& region = a_.regions[RegionId(i)];
      RegionId partner;
      for (std::size_t k = 0; k < b_.regions.size(); ++k) {
        const model::Region& other = b_.regions[RegionId(k)];
        if (other.automaton == automata_[at(region.automaton)] && other.state == region.state) {
          partner = RegionId(k);
        }
      }
      if (!partner.valid()) fail("a mode of " + a_.automata[region.automaton].name);
      regions_.push_back(partner);
    }
  }
  RegionId partner(RegionId region) const {
    return region.valid() ? regions_[at(region)] : RegionId();
  }
  void same_region(RegionId a, RegionId b, const std::string& name) {
    if (partner(a) != b) fail(name + " is in another mode");
  }

  // ---- bond graph

  bool same_end(const model::End& a, const model::End& b) const {
    if (a.junction.valid()) return b.junction == junctions_[at(a.junction)];
    return b.element == elements_[at(a.element)] && a.port == b.port;
  }

  void compare_structure() {
    for (std::size_t i = 0; i < a_.bonds.size(); ++i) {
      const model::Bond &x = a_.bonds[BondId(i)], &y = b_.bonds[bonds_[i]];
      if (!same_end(x.from, y.from) || !same_end(x.to, y.to)) fail("the bond " + x.name);
    }
    for (std::size_t i = 0; i < a_.junctions.size() && fault_.empty(); ++i) {
      const model::Junction &x = a_.junctions[JunctionId(i)], &y = b_.junctions[junctions_[i]];
      bool same = x.kind == y.kind && x.bonds.size() == y.bonds.size() &&
                  x.automaton.valid() == y.automaton.valid();
      if (x.automaton.valid()) {
        same = same && x.inactive == y.inactive && automata_[at(x.automaton)] == y.automaton &&
               x.active == y.active;
      }
      if (!same) fail("the junction " + x.name);
      same_region(x.region, y.region, x.name);
    }
    for (std::size_t i = 0; i < a_.elements.size() && fault_.empty(); ++i) compare_element(i);
  }

  void compare_element(std::size_t i) {
    const model::Element &x = a_.elements[ElementId(i)], &y = b_.elements[elements_[i]];
    bool same = x.kind == y.kind && x.law_of_effort == y.law_of_effort && x.matrix == y.matrix &&
                x.states.size() == y.states.size() && x.laws.size() == y.laws.size() &&
                x.signal.valid() == y.signal.valid();
    for (std::size_t k = 0; same && k < x.laws.size(); ++k) same = alike(x.laws[k], y.laws[k]);
    if (same && x.signal.valid()) same = alike(x.signal, y.signal);
    for (std::size_t k = 0; same && k < x.states.size(); ++k) {
      same = meet(states_, x.states[k], y.states[k], Kept::State);
    }
    if (!same) fail("the element " + x.name);
    same_region(x.region, y.region, x.name);
  }

  // ---- expressions

  bool alike(ExprId x, ExprId y) {
    if (x.valid() != y.valid()) return false;
    if (!x.valid() || agreed_.contains({x, y})) return true;
    const bool same = compare(x, y);
    if (same) agreed_.insert({x, y});
    return same;
  }

  bool alike_all(const std::vector<ExprId>& x, const std::vector<ExprId>& y) {
    bool same = x.size() == y.size();
    for (std::size_t k = 0; same && k < x.size(); ++k) same = alike(x[k], y[k]);
    return same;
  }

  // If(a region is active, a signal of it, absent): the signal.
  std::optional<ExprId> looked_through(const expr::Pool& pool, const Node& node) const {
    if (node.op != Op::If || pool[node.c].op != Op::Absent) return std::nullopt;
    return pool[node.b].op == Op::Signal ? std::optional(node.b) : std::nullopt;
  }

  bool compare(ExprId x, ExprId y) {
    const Node m = a_.pool[x], n = b_.pool[y];
    if (n.op == Op::Signal) {
      const SignalId id(at(n.ref));
      if (m.op == Op::Signal && signals_[at(m.ref)] == id) return true;
      return stands_for_value(id) && alike(x, own_value(id));
    }
    // A signal is absent by itself where its own mode is not active.
    if (m.op == Op::Signal) {
      if (auto inside = looked_through(b_.pool, n)) return alike(x, *inside);
    }
    // What is defined as absent is nothing but that, wherever it is read.
    if (m.op == Op::Signal && n.op == Op::Absent) {
      return a_.pool[a_.signals[SignalId(at(m.ref))].value].op == Op::Absent;
    }
    if (m.op != n.op || (m.type != n.type && m.op != Op::Absent)) return false;
    const auto i = static_cast<std::size_t>(m.ref), k = static_cast<std::size_t>(n.ref);
    switch (m.op) {
      case Op::Constant:
        return std::bit_cast<uint64_t>(m.value) == std::bit_cast<uint64_t>(n.value) ||
               (std::isnan(m.value) && std::isnan(n.value));
      case Op::Parameter:
        return same_parameter(SlotId(i), SlotId(k));
      case Op::Local:
        return m.ref == n.ref;
      case Op::Effort:
      case Op::Flow:
        return bonds_[i] == BondId(k);
      case Op::State:
        return meet(states_, StateId(i), StateId(k), Kept::State);
      case Op::Signal:
        return false;
      case Op::InMode:
      case Op::Active:
        return automata_[i] == AutomatonId(k) && m.value == n.value;
      case Op::Pre:
        return alike(a_.pool.pres()[i], b_.pool.pres()[k]);
      case Op::Phase:
      case Op::Count: {
        const model::Clock &c = a_.clocks[ClockId(i)], &d = b_.clocks[ClockId(k)];
        return alike(c.offset, d.offset) && alike(c.period, d.period);
      }
      case Op::Input: {
        const model::Clock &c = a_.clocks[ClockId(i)], &d = b_.clocks[ClockId(k)];
        return m.value == n.value && signals_[at(c.input)] == d.input &&
               alike(c.initial, d.initial);
      }
      case Op::Memory:
        return meet(memories_, MemoryId(i), MemoryId(k), Kept::Memory);
      case Op::Output: {
        const model::Output &x = a_.outputs[OutputId(i)], &y = b_.outputs[OutputId(k)];
        return automata_[at(x.automaton)] == y.automaton && signals_[at(x.signal)] == y.signal;
      }
      case Op::Choice:
        return meet(choices_, ChoiceId(i), ChoiceId(k), Kept::Choice);
      default:
        return alike(m.a, n.a) && alike(m.b, n.b) && alike(m.c, n.c);
    }
  }

  bool same_parameter(SlotId x, SlotId y) {
    const model::Slot &a = a_.slots[x], &b = b_.slots[y];
    return same_.parameters[at(x)] == b.name && !b.given && alike(a.definition, b.definition);
  }

  // A signal is what it is defined as, where it is read; one of a mode only if nothing silences it
  // while its mode is active.
  bool stands_for_value(SignalId id) const {
    const model::Signal& signal = b_.signals[id];
    for (RegionId r = signal.region; r.valid(); r = b_.regions[r].parent) {
      const model::Region& region = b_.regions[r];
      for (const model::Transition& t : b_.automata[region.automaton].transitions) {
        if (t.preemptive && t.from == region.state) return false;
      }
    }
    const Op op = b_.pool[own_value(id)].op;
    return own_signals_[at(id)] || op == Op::State || op == Op::Memory || op == Op::Choice ||
           op == Op::Default;
  }
  ExprId own_value(SignalId id) const {
    const model::Signal& signal = b_.signals[id];
    const Node& node = b_.pool[signal.value];
    return signal.region.valid() && node.op == Op::When ? node.a : signal.value;
  }

  template <class IdType>
  bool meet(std::vector<IdType>& partners, IdType x, IdType y, Kept kind) {
    IdType& partner = partners[at(x)];
    if (partner.valid()) return partner == y;
    partner = y;
    open_.emplace_back(kind, at(x));
    return true;
  }

  void compare_kept(Kept kind, std::size_t i) {
    if (kind == Kept::State) {
      const model::State &x = a_.states[StateId(i)], &y = b_.states[states_[i]];
      bool same = x.element.valid() == y.element.valid() && x.port == y.port &&
                  x.initial_is_power == y.initial_is_power && alike(x.initial, y.initial) &&
                  alike(x.rate, y.rate) && alike(x.impulse, y.impulse);
      if (same && x.element.valid()) same = elements_[at(x.element)] == y.element;
      if (!same) fail("the integral " + x.name);
      same_region(x.region, y.region, x.name);
    } else if (kind == Kept::Memory) {
      const model::Memory &x = a_.memories[MemoryId(i)], &y = b_.memories[memories_[i]];
      const bool same = x.kind == y.kind && x.type == y.type && x.direction == y.direction &&
                        alike(x.offset, y.offset) && alike(x.period, y.period) &&
                        alike_all(x.values, y.values) && x.limit == y.limit &&
                        alike(x.input, y.input) && alike(x.initial, y.initial);
      if (!same) fail("the " + x.name);
      same_region(x.region, y.region, "the " + x.name);
    } else {
      const model::Choice &x = a_.choices[ChoiceId(i)], &y = b_.choices[choices_[i]];
      bool same = x.by_order == y.by_order && x.alternatives.size() == y.alternatives.size();
      for (std::size_t k = 0; same && k < x.alternatives.size(); ++k) {
        same = alike(x.alternatives[k], y.alternatives[k]);
      }
      if (!same) fail("the " + x.name);
    }
  }

  // ---- the rest

  void compare_signals() {
    for (std::size_t i = 0; i < a_.signals.size() && fault_.empty(); ++i) {
      const model::Signal &x = a_.signals[SignalId(i)], &y = b_.signals[signals_[i]];
      if (x.may_be_absent != y.may_be_absent || !alike(x.value, y.value)) {
        fail("the signal " + x.name);
      }
      same_region(x.region, y.region, x.name);
    }
  }

  void compare_automata() {
    for (std::size_t i = 0; i < a_.automata.size() && fault_.empty(); ++i) {
      const model::Automaton &x = a_.automata[AutomatonId(i)], &y = b_.automata[automata_[i]];
      bool same = x.states == y.states && x.active == y.active && x.initial == y.initial &&
                  x.modal == y.modal && x.final == y.final &&
                  x.transitions.size() == y.transitions.size();
      std::set<AutomatonId> above;
      for (AutomatonId other : x.yields_to) above.insert(automata_[at(other)]);
      same = same && above == std::set<AutomatonId>(y.yields_to.begin(), y.yields_to.end());
      for (std::size_t k = 0; same && k < x.transitions.size(); ++k) {
        same = alike(x.transitions[k], y.transitions[k]) &&
               put_out_alike(AutomatonId(i), automata_[i], static_cast<int>(k));
      }
      if (!same) fail("the automaton of " + x.name);
      same_region(x.region, y.region, x.name);
    }
  }

  bool alike(const model::Transition& x, const model::Transition& y) {
    bool same = x.from == y.from && x.to == y.to && x.physical == y.physical &&
                x.priority == y.priority && x.history == y.history && x.fallback == y.fallback &&
                x.preemptive == y.preemptive && x.immediate == y.immediate &&
                x.sets.size() == y.sets.size() && alike(x.guard, y.guard);
    for (std::size_t k = 0; same && k < x.sets.size(); ++k) {
      const model::SetAction &s = x.sets[k], &t = y.sets[k];
      same = s.state.valid() == t.state.valid() && alike(s.value, t.value);
      if (same && s.state.valid()) same = meet(states_, s.state, t.state, Kept::State);
      if (same && s.memory.valid()) same = meet(memories_, s.memory, t.memory, Kept::Memory);
    }
    return same;
  }

  bool put_out_alike(AutomatonId x, AutomatonId y, int transition) {
    const auto xs = a_.outputs_of(x, transition), ys = b_.outputs_of(y, transition);
    if (xs.size() != ys.size()) return false;
    for (const auto& [signal, value] : xs) {
      const SignalId other = signals_[at(signal)];
      const auto found = std::find_if(ys.begin(), ys.end(),
                                      [&](const auto& output) { return output.first == other; });
      if (found == ys.end() || !alike(value, found->second)) return false;
    }
    return true;
  }

  void compare_rest() {
    if (!alike(a_.until, b_.until)) fail("the end of the run");
    if (!alike(a_.max_step, b_.max_step)) fail("the longest step");
    if (a_.show.size() != b_.show.size()) fail("what is shown");
    for (std::size_t i = 0; i < a_.show.size() && fault_.empty(); ++i) {
      if (!alike(a_.show[i].value, b_.show[i].value)) fail("what is shown as " + a_.show[i].name);
    }
  }

  // In the same order in each region.
  void compare_assertions() {
    if (a_.assertions.size() != b_.assertions.size()) fail("what is asserted");
    std::map<RegionId, std::vector<const model::Assertion*>> others;
    for (const model::Assertion& y : b_.assertions) others[y.region].push_back(&y);
    std::map<RegionId, std::size_t> seen;
    for (const model::Assertion& x : a_.assertions) {
      const RegionId region = partner(x.region);
      const std::vector<const model::Assertion*>& there = others[region];
      const std::size_t i = seen[region]++;
      const bool same = i < there.size() && x.never == there[i]->never &&
                        x.message == there[i]->message && alike(x.condition, there[i]->condition);
      if (!same) fail("what is asserted: " + x.text);
    }
  }

  void compare_animation() {
    if (a_.animation.size() != b_.animation.size()) fail("what is drawn");
    // By name: shapes of modes may stand in another order.
    std::unordered_map<std::string, const model::Shape*> others;
    for (const model::Shape& shape : b_.animation) others.emplace(shape.name, &shape);
    for (const model::Shape& shape : a_.animation) {
      const auto name = same_.shapes.find(shape.name);
      const auto other = name == same_.shapes.end() ? others.end() : others.find(name->second);
      if (other == others.end() || !drawn_alike(shape, *other->second)) {
        fail("the drawing of " + shape.name);
      }
    }
  }

  bool drawn_alike(const model::Shape& x, const model::Shape& y) {
    bool same = x.kind == y.kind && x.fill == y.fill && x.label == y.label &&
                x.parts.size() == y.parts.size() && alike(x.when, y.when);
    for (std::size_t k = 0; same && k < x.parts.size(); ++k) {
      same = x.parts[k].role == y.parts[k].role && alike(x.parts[k].value, y.parts[k].value);
    }
    if (same) same_region(x.region, y.region, x.name);
    return same;
  }

  // What nothing reads is there as well: signals that only the second has name it.
  void compare_counts() {
    if (a_.states.size() != b_.states.size()) fail("the integrals are not the same");
    if (a_.memories.size() != b_.memories.size()) fail("the memories are not the same");
    if (a_.choices.size() != b_.choices.size()) fail("the choices are not the same");
  }

  const model::Model &a_, &b_;
  const Correspondence& same_;
  std::vector<ElementId> elements_;
  std::vector<JunctionId> junctions_;
  std::vector<AutomatonId> automata_;
  std::vector<SignalId> signals_;
  std::vector<RegionId> regions_;
  std::vector<BondId> bonds_;
  std::vector<StateId> states_;
  std::vector<MemoryId> memories_;
  std::vector<ChoiceId> choices_;
  std::vector<bool> own_signals_;  // of the second: only it has them
  std::set<std::pair<ExprId, ExprId>> agreed_;
  std::vector<std::pair<Kept, std::size_t>> open_;
  std::string fault_;
};

}  // namespace

std::string difference(const model::Model& a, const model::Model& b, const Correspondence& same) {
  return Comparison(a, b, same).run();
}

}  // namespace cradle::reduce
