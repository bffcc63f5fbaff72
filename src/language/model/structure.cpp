// declare: components are expanded level by level, loops unrolled, conditions decided, and every
// thing gets its name. Bonds and expressions are only noted, with the place where they stand.

#include "language/model/structure.hpp"

#include <algorithm>

#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

// Only equations can be switched on and off by an event.
bool can_be_enabled(const syntax::Item& item) {
  return std::holds_alternative<syntax::SignalDefinition>(item.node) ||
         std::holds_alternative<syntax::WhenItem>(item.node) ||
         std::holds_alternative<syntax::For>(item.node) ||
         std::holds_alternative<syntax::IfItem>(item.node);
}

class Unroller {
 public:
  Unroller(Elaboration& e, Scope& scope) : e_(e), scope_(scope) {}

  void items(const std::vector<syntax::ItemPtr>& list, const Turn* turn, bool top) {
    for (const syntax::ItemPtr& item : list) {
      if (e_.stopped) return;
      place_ = {&scope_, turn};
      top_ = top;
      item_ = item.get();
      if (enabled_ != nullptr && !can_be_enabled(*item)) {
        misplaced("this", "when holds equations, and further when, for and if");
        continue;
      }
      std::visit([this](const auto& node) { see(node); }, item->node);
    }
  }

  // As if it were written.
  template <class Node>
  void see_made(const Node& node, const Place& place, Span span) {
    place_ = place;
    made_.span = span;
    item_ = &made_;
    see(node);
  }

 private:
  bool is_model() const {
    return scope_.component->definition->is_model && scope_.outer == nullptr;
  }
  Context structure() const {
    Context context(place_);
    context.known = Context::Known::Parameters;
    return context;
  }
  void misplaced(const std::string& what, const std::string& where) {
    e_.report.add(
        Diagnostic("item.misplaced", what + " cannot stand here").at(item_->span).rule(where),
        place_);
  }
  // What is left out would be missed elsewhere, and things bonded to it look unconnected.
  void leave_out() {
    scope_.incomplete = true;
    e_.wires_failed = true;
  }
  void defer(std::vector<Deferred>& list) { list.push_back({place_, item_}); }

  // Parameters and ports were declared with their instance.
  void see(const syntax::Param& param) {
    if (!top_) {
      misplaced("parameter " + param.name.text,
                "parameters stand at the top of a definition or modal model, outside for, if and "
                "mode");
    }
  }
  void see(const syntax::Port& port) {
    const bool block = scope_.component->definition->is_block;
    if (top_ && block && port.kind == syntax::Port::Kind::Power) {
      e_.report.add(Diagnostic("block.port", "port " + port.name.text + " stands in a block")
                        .at(port.name.span, "a power port")
                        .rule("a block has inputs and outputs; power ports belong to components")
                        .help("write component " + scope_.component->definition->name.text),
                    place_);
    } else if (!top_ || (is_model() && port.kind != syntax::Port::Kind::Input)) {
      using Kind = syntax::Port::Kind;
      const char* word = port.kind == Kind::Power   ? "port "
                         : port.kind == Kind::Input ? "input "
                                                    : "output ";
      misplaced(word + port.name.text,
                "ports, inputs and outputs stand at the top of a component or block, outside for "
                "and if; a model has inputs alone");
    }
  }
  void see(const syntax::Require& require) { check_require(e_, place_, require); }
  void see(const syntax::Assertion& assertion) {
    if (e_.room_for_things(item_->span, place_)) e_.assertions.push_back({place_, &assertion});
  }
  void see(const syntax::Function&) {}  // read where it is called

  void see(const syntax::Declaration& declaration) {
    if (declaration.name.name.text.empty() || !e_.room_for_things(item_->span, place_)) return;
    std::vector<int64_t> indices;
    if (!evaluate_indices(e_, structure(), declaration.name, indices)) return leave_out();
    if (declaration.is_placed()) e_.placed.push_back({place_, &declaration, indices, item_});
    if (const auto* definition = elements::find(declaration.type.text)) {
      declare_element(declaration, *definition, indices);
    } else {
      declare_instance(declaration, indices);
    }
  }

  void declare_element(const syntax::Declaration& declaration,
                       const elements::Definition& definition,
                       const std::vector<int64_t>& indices) {
    ElementId id = e_.model.elements.next_id();
    const syntax::Name& name = declaration.name.name;
    if (!e_.declare(place_, name.text, indices, name.span, EntityKind::Element, id.index)) return;
    Element element;
    element.kind = definition.kind;
    element.name = e_.full_name(scope_, name.text, indices);
    element.span = name.span;
    element.region = scope_.region;
    ElementSource source{place_, &declaration, {}, false};
    source.bad =
        !read_matrix(e_, structure(), declaration, definition, element.name, source.matrix);
    std::size_t ports = definition.through ? 2 : std::max<std::size_t>(source.matrix.size(), 1);
    element.ports.resize(ports);
    if (definition.storage != elements::Storage::None) {
      declare_states(element, id, definition.storage, !source.matrix.empty());
    }
    e_.model.elements.add(std::move(element));
    e_.element_sources.push_back(std::move(source));
  }

  void declare_states(Element& element, ElementId id, elements::Storage storage, bool field) {
    const char* variable = storage == elements::Storage::Momentum ? ".p" : ".q";
    for (std::size_t port = 0; port < element.ports.size(); ++port) {
      State state;
      state.name = element.name + (field ? "[" + std::to_string(port + 1) + "]" : "") + variable;
      state.span = element.span;
      state.element = id;
      state.region = scope_.region;
      state.port = static_cast<int>(port);
      element.states.push_back(e_.model.states.add(std::move(state)));
    }
  }

  void declare_instance(const syntax::Declaration& declaration,
                        const std::vector<int64_t>& indices) {
    const auto& visible = scope_.component->file->visible;
    auto found = visible.find(declaration.type.text);
    if (found == visible.end()) {
      report_unknown_component(declaration.type);
      const syntax::Name& name = declaration.name.name;
      e_.declare(place_, name.text, indices, name.span, EntityKind::Faulty, -1);
      return;
    }
    const syntax::Name& name = declaration.name.name;
    auto id = static_cast<int32_t>(e_.scopes.size());
    if (scope_.depth >= kMaxComponentDepth) {
      return e_.stop_recursion(declaration.type.span, place_);
    }
    if (!e_.declare(place_, name.text, indices, name.span, EntityKind::Instance, id)) return;
    Scope& child = e_.scopes.emplace_back();
    child.component = found->second;
    child.parent = &scope_;
    child.region = scope_.region;
    child.prefix = e_.full_name(scope_, name.text, indices) + ".";
    child.depth = scope_.depth + 1;
    e_.instance_sources.push_back({place_, &declaration});
    open_instance(e_, id);
  }

  void report_unknown_component(const syntax::Name& type) {
    if (e_.report.said("name.unknown-component", type.span)) return;
    std::vector<std::string> candidates;
    for (const auto& [name, component] : scope_.component->file->visible) {
      candidates.emplace_back(name);
    }
    for (const elements::Definition* definition : elements::all()) {
      candidates.emplace_back(definition->name);
    }
    std::sort(candidates.begin(), candidates.end());
    Diagnostic diagnostic("name.unknown-component",
                          "there is no element or component " + type.text);
    diagnostic.at(type.span);
    std::string near = did_you_mean(type.text, candidates);
    // One letter is near to every other: R is no guess for L.
    if ((near.empty() || type.text.size() == 1) && e_.part_hint) near = e_.part_hint(type.text);
    diagnostic.help(near.empty() ? "define it, or import the file that does" : near);
    e_.report.add(std::move(diagnostic), place_);
  }

  void see(const syntax::Junction& syntax) {
    const syntax::Name& name = syntax.name.name;
    if (name.text.empty() || !e_.room_for_things(item_->span, place_)) return;
    std::vector<int64_t> indices;
    if (!evaluate_indices(e_, structure(), syntax.name, indices)) return leave_out();
    JunctionId id = e_.model.junctions.next_id();
    if (!e_.declare(place_, name.text, indices, name.span, EntityKind::Junction, id.index)) return;
    Junction junction;
    bool zero = syntax.kind == syntax::Junction::Kind::Zero;
    bool effort = syntax.inactive == syntax::Junction::Inactive::Effort ||
                  (syntax.inactive == syntax::Junction::Inactive::Unstated && zero);
    junction.kind = zero ? Junction::Kind::Zero : Junction::Kind::One;
    junction.inactive = effort ? Junction::Inactive::Effort : Junction::Inactive::Flow;
    junction.name = e_.full_name(scope_, name.text, indices);
    junction.span = name.span;
    junction.region = scope_.region;
    if (syntax.controlled) {
      junction.automaton = declare_automaton(e_, place_, syntax, junction.name, id);
      junction.active = e_.model.automata[junction.automaton].active;
    }
    if (syntax.is_follower()) e_.followers.push_back({place_, &syntax, id});
    e_.model.junctions.add(std::move(junction));
    e_.junction_sources.push_back({place_, &syntax});
  }

  void label(const syntax::BondChain& chain, Wire& wire) {
    std::vector<int64_t> indices;
    const syntax::Name& name = chain.label;
    if (name.text.empty()) return;
    if (!evaluate_indices(e_, structure(), name.text, chain.label_indices, indices)) {
      return leave_out();
    }
    auto index = static_cast<int32_t>(e_.wires.size());
    if (!e_.declare(place_, name.text, indices, name.span, EntityKind::Label, index)) return;
    wire.label = e_.full_name(scope_, name.text, indices);
  }

  void see(const syntax::BondChain& chain) {
    for (std::size_t i = 0; i + 1 < chain.ends.size(); ++i) {
      if (!e_.room_for_things(item_->span, place_)) return;
      Wire wire;
      wire.place = place_;
      wire.from_path = &chain.ends[i];
      wire.to_path = &chain.ends[i + 1];
      wire.span = {item_->span.file, wire.from_path->span.begin, wire.to_path->span.end};
      label(chain, wire);
      e_.wires.push_back(std::move(wire));
    }
  }

  void see(const syntax::SignalDefinition& signal) {
    if (!signal.value || !e_.room_for_things(item_->span, place_)) return;
    std::vector<int64_t> indices;
    if (!evaluate_indices(e_, structure(), signal.name, indices)) return leave_out();
    SignalSource source;
    source.place = place_;
    source.value = signal.value.get();
    source.enabled = enabled_;
    declare_signal(e_, place_, signal.name.name, indices, source);
  }

  void see(const syntax::For& loop) {
    if (!loop.from || !loop.to) return;
    auto from = constant_integer(e_, structure(), *loop.from, "the bound of a loop");
    auto to = constant_integer(e_, structure(), *loop.to, "the bound of a loop");
    if (!from || !to) return leave_out();
    const Turn* outer = place_.turn;
    Place here = place_;
    LoopMark mark(e_, item_->span);
    for (int64_t i = *from; i <= *to; ++i) {
      if (!e_.spend(1, loop.variable.span, here)) return;
      e_.turns.push_back({outer, loop.variable.text, i});
      items(loop.body, &e_.turns.back(), false);
    }
  }

  void see(const syntax::IfItem& choice) {
    if (!choice.condition) return;
    auto holds = constant_boolean(e_, structure(), *choice.condition, "the condition of an if");
    if (!holds) return leave_out();
    items(*holds ? choice.then : choice.otherwise, place_.turn, false);
  }

  void see(const syntax::WhenItem& item) {
    if (!item.condition) return;
    Enabling* outer = enabled_;
    e_.enablings.push_back({outer, place_, item.condition.get(), {}});
    enabled_ = &e_.enablings.back();
    items(item.body, place_.turn, false);
    enabled_ = outer;
  }

  void see(const syntax::Modal& modal) {
    if (modal.name.name.text.empty() || !e_.room_for_things(item_->span, place_)) return;
    std::vector<int64_t> indices;
    if (!evaluate_indices(e_, structure(), modal.name, indices)) return;
    declare_modal(e_, place_, modal, indices);
  }
  // The parser lets these stand in modal models only, which read them themselves.
  void see(const syntax::Mode&) {}
  void see(const syntax::Transition&) {}
  void see(const syntax::Action&) {}

  void see(const syntax::Until&) {
    if (!is_model()) return misplaced("until", "the end of a run is stated in a model");
    defer(e_.untils);
  }
  void see(const syntax::Show&) {
    if (!is_model()) return misplaced("show", "what a run shows is stated in a model");
    defer(e_.shows);
  }
  void see(const syntax::Animate& animate) { items(animate.body, place_.turn, false); }
  void see(const syntax::Shape& shape) {
    if (shape.name.name.text.empty() || !e_.room_for_things(item_->span, place_)) return;
    std::vector<int64_t> indices;
    if (!evaluate_indices(e_, structure(), shape.name, indices)) return;
    if (!e_.declare_shape(place_, shape, indices)) return;
    e_.shapes.push_back({place_, &shape, e_.full_name(scope_, shape.name.name.text, indices)});
  }
  void see(const syntax::Priority&) {
    if (scope_.outer != nullptr) return misplaced("priority", "priority stands outside modes");
    defer(e_.priorities);
  }

  Elaboration& e_;
  Scope& scope_;
  Place place_;
  const syntax::Item* item_ = nullptr;
  syntax::Item made_;
  bool top_ = true;
  Enabling* enabled_ = nullptr;
};

}  // namespace

bool declare_signal(Elaboration& e, const Place& place, const syntax::Name& name,
                    const std::vector<int64_t>& indices, const SignalSource& source) {
  if (name.text.empty()) return false;
  SignalId id = e.model.signals.next_id();
  if (!e.declare(place, name.text, indices, name.span, EntityKind::Signal, id.index)) return false;
  if (place.scope->is_mode()) place.scope->own.push_back({name.text, indices, id, name.span});
  e.model.signals.add({e.full_name(*place.scope, name.text, indices), name.span, ExprId(), false,
                       place.scope->region});
  e.signal_sources.push_back(source);
  e.signal_sources.back().scope = place.scope;
  e.signal_sources.back().key = indexed_name(name.text, indices);
  return true;
}

void declare_items(Elaboration& e, Scope& scope, const Turn* turn) {
  Unroller(e, scope).items(*scope.component->items, turn, false);
}

void declare_made(Elaboration& e, const Place& place, const syntax::Junction& junction, Span span) {
  Unroller(e, *place.scope).see_made(junction, place, span);
}
void declare_made(Elaboration& e, const Place& place, const syntax::Declaration& element,
                  Span span) {
  Unroller(e, *place.scope).see_made(element, place, span);
}
void declare_made(Elaboration& e, const Place& place, const syntax::BondChain& bonds, Span span) {
  Unroller(e, *place.scope).see_made(bonds, place, span);
}

void declare_everything(Elaboration& e, const Component& model) {
  Scope& top = e.scopes.emplace_back();
  top.component = &model;
  e.instance_sources.push_back({});
  open_instance(e, 0);
  // Instances that are declared on the way queue up behind.
  for (std::size_t i = 0; i < e.scopes.size() && !e.stopped; ++i) {
    Scope& scope = e.scopes[i];
    if (scope.outer == nullptr) Unroller(e, scope).items(*scope.component->items, nullptr, true);
  }
  if (!e.stopped) place_parts(e);
}

}  // namespace cradle::model
