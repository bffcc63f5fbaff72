// Every name that can be read, for `--select`, suggestions and completion.

#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

using expr::Op;

class NameCollector {
 public:
  explicit NameCollector(Elaboration& e) : e_(e), pool_(e.model.pool) {}

  void collect() {
    for (const Scope& scope : e_.scopes) {
      region_ = scope.region;
      for (const auto& [key, entity] : scope.names) see(scope.prefix + key, entity);
    }
    // Integrals, also those of bonds that were made because something reads them.
    for (std::size_t i = 0; i < e_.model.states.size(); ++i) {
      StateId id(i);
      region_ = e_.model.states[id].region;
      add(e_.model.states[id].name, pool_.leaf(Op::State, id.index));
    }
  }

 private:
  void add(std::string name, ExprId value) {
    Op op = pool_[value].op;
    bool silent = op != Op::Signal && op != Op::InMode;  // signals are absent by themselves
    if (region_.valid() && silent) value = e_.seen_from_outside(region_, value);
    e_.model.readable.try_emplace(std::move(name), value);
  }

  void add_bond(const std::string& name, BondId bond) {
    if (!bond.valid()) return;
    ExprId effort = pool_.leaf(Op::Effort, bond.index), flow = pool_.leaf(Op::Flow, bond.index);
    add(name + ".e", effort);
    add(name + ".f", flow);
    const End& to = e_.model.bonds[bond].to;
    if (!to.element.valid() || e_.model.elements[to.element].states.empty()) {
      add_integral(name + ".p", bond, true);
      add_integral(name + ".q", bond, false);
      return;
    }
    const Element& element = e_.model.elements[to.element];
    bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
    StateId state = element.states[static_cast<std::size_t>(to.port)];
    add(name + (momentum ? ".p" : ".q"), pool_.leaf(Op::State, state.index));
    add_integral(name + (momentum ? ".q" : ".p"), bond, !momentum);
  }

  void add_integral(const std::string& name, BondId bond, bool momentum) {
    auto found = e_.implicit_integrals.find(rate_of_integral(e_, bond, momentum));
    if (found != e_.implicit_integrals.end()) {
      add(name, pool_.leaf(Op::State, found->second.index));
    }
  }

  void see_element(const std::string& name, std::size_t at) {
    const Element& element = e_.model.elements[ElementId(at)];
    if (elements::definition(element.kind).through) {
      add_bond(name + ".in", element.ports[0].bond);
      add_bond(name + ".out", element.ports[1].bond);
    } else if (e_.element_sources[at].matrix.empty()) {
      add_bond(name, element.ports[0].bond);
    } else {
      for (std::size_t port = 0; port < element.ports.size(); ++port) {
        add_bond(name + "[" + std::to_string(port + 1) + "]", element.ports[port].bond);
      }
    }
  }

  void see_junction(const std::string& name, const Junction& junction) {
    bool zero = junction.kind == Junction::Kind::Zero;
    bool kept =
        !junction.automaton.valid() || (junction.inactive == Junction::Inactive::Effort) == zero;
    if (kept && !junction.bonds.empty()) {
      BondId first = junction.bonds.front().bond;
      add(name + (zero ? ".e" : ".f"), pool_.leaf(zero ? Op::Effort : Op::Flow, first.index));
      add_integral(name + (zero ? ".p" : ".q"), first, zero);
    }
    if (!junction.automaton.valid()) return;
    int32_t automaton = junction.automaton.index;
    add(name + ".active", e_.active(junction));
    const auto& states = e_.model.automata[junction.automaton].states;
    for (std::size_t i = 0; i < states.size(); ++i) {
      add(name + "." + states[i], pool_.leaf(Op::InMode, automaton, static_cast<double>(i)));
    }
  }

  void see(const std::string& name, const Entity& entity) {
    auto at = static_cast<std::size_t>(entity.index);
    switch (entity.kind) {
      case EntityKind::Signal:
        add(name, pool_.leaf(Op::Signal, entity.index, 0, signal_type(e_, SignalId(at))));
        break;
      case EntityKind::Element:
        see_element(name, at);
        break;
      case EntityKind::Junction:
        see_junction(name, e_.model.junctions[JunctionId(at)]);
        break;
      case EntityKind::Label:
        add_bond(name, e_.wires[at].bond);
        break;
      case EntityKind::Port:
        add_bond(name, e_.wires[static_cast<std::size_t>(e_.ports[at].outside)].bond);
        break;
      case EntityKind::Mode:
        add(name, e_.active_mode(e_.scopes[at]));
        break;
      case EntityKind::Vector:
      case EntityKind::Modal:
      case EntityKind::Family:
      case EntityKind::Parameter:
      case EntityKind::Instance:
      case EntityKind::Faulty:
        break;
    }
  }

  Elaboration& e_;
  expr::Pool& pool_;
  RegionId region_;  // of what is being named
};

}  // namespace

void collect_readable_names(Elaboration& e) { NameCollector(e).collect(); }

}  // namespace cradle::model
