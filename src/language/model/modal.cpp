// Modal models. Each is an automaton whose states are modes, and each mode is a region with what
// stands in it. Lee, Constructive models of discrete and continuous physical phenomena, section 6.
//
//   y of mode m     y = When(expr, m is active, and no preemptive guard of m holds)
//   ball.y          If(in m1, y of m1, If(in m2, y of m2, … absent))
//   output y = v    Default(Output(v, the transition is being taken), the above)
//
// Guards and the values of actions are read in the mode that is left. A mode that was entered in
// the same reaction has not spoken yet: there its own values are absent (`entering`).

#include "language/model/modal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "language/model/expressions.hpp"
#include "language/model/structure.hpp"

namespace cradle::model {

using expr::Op;

namespace {

// ---- declare -----------------------------------------------------------------------------------

class ModalDeclarer {
 public:
  ModalDeclarer(Elaboration& e, const Place& place, const syntax::Modal& syntax)
      : e_(e), place_(place), syntax_(syntax), name_(syntax.name.name) {}

  void declare(const std::vector<int64_t>& indices) {
    auto id = static_cast<int32_t>(e_.scopes.size());
    if (!e_.declare(place_, name_.text, indices, name_.span, EntityKind::Modal, id)) return;
    source_.syntax = &syntax_;
    std::string full_name = e_.full_name(*place_.scope, name_.text, indices);
    Scope& scope = open_scope(*place_.scope, full_name + ".", &syntax_);
    source_.place = {&scope, place_.turn};
    open_instance(e_, id);
    source_.automaton = e_.model.automata.next_id();
    declare_automaton(full_name);
    auto index = e_.modals.size();
    e_.modals.push_back(source_);
    declare_modes(scope);
    e_.modals[index] = source_;
    merge(scope);
  }

 private:
  void report(Diagnostic diagnostic) { e_.report.add(std::move(diagnostic), place_); }

  Scope& open_scope(Scope& outer, std::string prefix, const void* syntax) {
    Scope& scope = e_.scopes.emplace_back();
    scope.component = outer.component->file->inner_of.at(syntax);
    scope.parent = scope.outer = &outer;
    scope.prefix = std::move(prefix);
    scope.depth = outer.depth;
    scope.region = outer.region;
    scope.modal = static_cast<int>(outer.is_modal() ? outer.modal : e_.modals.size());
    e_.instance_sources.push_back({place_, nullptr});
    return scope;
  }

  void declare_automaton(const std::string& full_name) {
    Automaton automaton;
    automaton.name = full_name;
    automaton.span = name_.span;
    automaton.modal = true;
    automaton.region = place_.scope->region;
    for (const syntax::ItemPtr& item : syntax_.body) {
      auto* mode = std::get_if<syntax::Mode>(&item->node);
      if (mode == nullptr || !is_new(*mode)) continue;
      modes_.push_back(mode);
      automaton.states.push_back(mode->name.text);
      automaton.active.push_back(true);
      automaton.final.push_back(mode->is_final);
    }
    if (modes_.empty()) {
      report(Diagnostic("modal.empty", name_.text + " has no modes")
                 .at(name_.span)
                 .rule("a modal model is always in one of its modes")
                 .help("write mode name { … } in it"));
    }
    if (!syntax_.initial.text.empty()) {
      automaton.initial = std::max(find_mode(e_, place_, automaton, syntax_.initial), 0);
    }
    e_.model.automata.add(std::move(automaton));
  }

  bool is_new(const syntax::Mode& mode) {
    for (const syntax::Mode* other : modes_) {
      if (other->name.text != mode.name.text) continue;
      report(Diagnostic("name.duplicate",
                        "mode " + mode.name.text + " of " + name_.text + " is declared twice")
                 .at(mode.name.span, "here")
                 .at(other->name.span, "and here")
                 .help("rename one of them"));
      return false;
    }
    if (modes_.size() < kMaxStates) return true;
    source_.faulty = true;
    if (std::exchange(too_many_, true)) return false;
    report(Diagnostic("limit.states", name_.text + " has too many modes")
               .at(mode.name.span, "one too many")
               .rule("an automaton has at most " + std::to_string(kMaxStates) + " states")
               .help("split it into several modal models, or nest them"));
    return false;
  }

  static std::vector<Span> items_of(const syntax::Mode& mode) {
    std::vector<Span> out;
    for (const syntax::ItemPtr& item : mode.body) {
      const bool elsewhere = std::holds_alternative<syntax::Modal>(item->node) ||
                             std::holds_alternative<syntax::Assertion>(item->node) ||
                             std::holds_alternative<syntax::Animate>(item->node);
      if (!elsewhere) out.push_back(item->span);
    }
    return out;
  }

  void declare_modes(Scope& modal) {
    // A mode whose name cannot be declared has its place nevertheless: states, scopes and regions
    // are found by the same index.
    for (std::size_t state = 0; state < modes_.size(); ++state) {
      const syntax::Mode& mode = *modes_[state];
      auto id = static_cast<int32_t>(e_.scopes.size());
      Place inside{&modal, place_.turn};
      if (!e_.declare(inside, mode.name.text, {}, mode.name.span, EntityKind::Mode, id)) {
        source_.faulty = true;
      }
      Scope& scope = open_scope(modal, modal.prefix + mode.name.text + ".", &mode);
      scope.state = static_cast<int>(state);
      scope.region = e_.model.regions.add(
          {source_.automaton, scope.state, place_.scope->region, items_of(mode)});
      source_.modes.push_back(&scope);
      source_.regions.push_back(scope.region);
    }
    // Behind all modes, so that no name of a mode is missing while one is being read.
    for (Scope* scope : source_.modes) declare_items(e_, *scope, place_.turn);
  }

  // ---- names that are seen from outside

  void merge(Scope& modal) {
    for (Scope* mode : source_.modes) {
      for (const OwnSignal& own : mode->own) {
        MergedSignal* merged = merged_signal(modal, own.base, own.indices, own.span);
        if (merged != nullptr) merged->parts.emplace_back(mode->state, own.signal);
      }
    }
    for (const syntax::ItemPtr& item : syntax_.body) {
      auto* transition = std::get_if<syntax::Transition>(&item->node);
      if (transition != nullptr) note_transition(modal, *transition);
    }
  }

  MergedSignal* merged_signal(Scope& modal, const std::string& base,
                              const std::vector<int64_t>& indices, Span span) {
    std::string key = indexed_name(base, indices);
    auto found = merged_.find(key);
    if (found != merged_.end()) return found->second;
    MergedSignal& merged = e_.merged.emplace_back();
    merged.modal = modal.modal;
    SignalSource source;
    source.place = {&modal, place_.turn};
    source.merged = &merged;
    bool fine = declare_signal(e_, source.place, {base, span}, indices, source);
    merged_.emplace(key, fine ? &merged : nullptr);
    return fine ? &merged : nullptr;
  }

  // Outputs are noted now, because they declare names; guards are read when all names are known.
  void note_transition(Scope& modal, const syntax::Transition& transition) {
    const Automaton& automaton = e_.model.automata[source_.automaton];
    int from = find_mode(e_, place_, automaton, transition.from);
    int to = find_mode(e_, place_, automaton, transition.to);
    ModalSource& source = e_.modals[static_cast<std::size_t>(modal.modal)];
    if (from < 0 || to < 0 || !transition.guard || !may_leave(automaton, from, transition)) {
      source.faulty = true;
      return;
    }
    source.written.push_back(&transition);
    Place place{source_.modes[static_cast<std::size_t>(from)], place_.turn};
    for (const syntax::ItemPtr& item : transition.actions) {
      const auto& action = std::get<syntax::Action>(item->node);
      if (action.kind != syntax::Action::Kind::Output || !action.value) continue;
      note_output(modal, action, {source.written.size() - 1, action.value.get(), place});
    }
  }

  bool may_leave(const Automaton& automaton, int from, const syntax::Transition& transition) {
    if (!automaton.final[static_cast<std::size_t>(from)]) return true;
    report(Diagnostic("modal.final", transition.from.text + " is final, but a transition leaves it")
               .at(transition.from.span, "leaves it")
               .at(modes_[static_cast<std::size_t>(from)]->name.span, "final")
               .rule("in a final mode nothing moves any more")
               .help("remove the transition, or the word final"));
    return false;
  }

  void note_output(Scope& modal, const syntax::Action& action, const MergedSignal::Output& output) {
    const syntax::Path::Segment& segment = action.target.segments.front();
    std::vector<int64_t> indices;
    Context context(output.place);
    context.known = Context::Known::Parameters;
    if (action.target.segments.size() > 1) {
      report(Diagnostic("modal.output", "an output has a plain name")
                 .at(action.target.span)
                 .rule("a transition puts out signals of its own modal model"));
      return;
    }
    if (!evaluate_indices(e_, context, segment, indices)) return;
    MergedSignal* merged = merged_signal(modal, segment.name.text, indices, segment.name.span);
    if (merged != nullptr) merged->outputs.push_back(output);
  }

  Elaboration& e_;
  Place place_;
  const syntax::Modal& syntax_;
  const syntax::Name& name_;
  ModalSource source_;
  std::vector<const syntax::Mode*> modes_;  // by state
  NameMap<MergedSignal*> merged_;
  bool too_many_ = false;  // modes; it has been said

 public:
  // −1, with a diagnostic, if there is no such mode.
  static int find_mode(Elaboration& e, const Place& place, const Automaton& automaton,
                       const syntax::Name& name) {
    const std::vector<std::string>& modes = automaton.states;
    auto found = std::find(modes.begin(), modes.end(), name.text);
    if (found != modes.end()) return static_cast<int>(found - modes.begin());
    if (modes.empty()) return -1;
    std::string known;
    for (const std::string& mode : modes) known += (known.empty() ? "" : ", ") + mode;
    Diagnostic diagnostic("name.unknown-mode", automaton.name + " has no mode " + name.text);
    diagnostic.at(name.span).note("known", known);
    std::string near = did_you_mean(name.text, modes);
    diagnostic.help(near.empty() ? "write mode " + name.text + " { … }" : near);
    e.report.add(std::move(diagnostic), place);
    return -1;
  }
};

}  // namespace

void declare_modal(Elaboration& e, const Place& place, const syntax::Modal& syntax,
                   const std::vector<int64_t>& indices) {
  ModalDeclarer(e, place, syntax).declare(indices);
}

// ---- define ------------------------------------------------------------------------------------

namespace {

// Whether `other` is taken rather than this one if both are enabled.
bool comes_before(const Transition& other, const Transition& transition) {
  if (transition.fallback != other.fallback) return transition.fallback;
  return other.priority.value_or(HUGE_VAL) < transition.priority.value_or(HUGE_VAL);
}

// The transition is taken: its guard holds, and none that comes before it does.
ExprId taken(Elaboration& e, const Automaton& automaton, const Transition& transition) {
  expr::Pool& pool = e.model.pool;
  ExprId no = pool.boolean(false);
  ExprId all = pool.fallback(transition.guard, no);
  for (const Transition& other : automaton.transitions) {
    if (other.from != transition.from || !comes_before(other, transition)) continue;
    all = pool.binary(Op::And, all, pool.unary(Op::Not, pool.fallback(other.guard, no)));
  }
  return all;
}

RegionId region_of(const ModalSource& source, int state) {
  return source.regions[static_cast<std::size_t>(state)];
}

// Where the thing lives that a leaf reads.
RegionId home_of(const Elaboration& e, const expr::Node& leaf) {
  const Model& m = e.model;
  auto ref = static_cast<std::size_t>(leaf.ref);
  switch (leaf.op) {
    case Op::Signal:
      return e.signal_sources[ref].place.scope->region;
    case Op::State:
      return m.states[StateId(ref)].region;
    case Op::Memory:
      return m.memories[MemoryId(ref)].region;
    case Op::InMode:
    case Op::Active:
      return m.automata[AutomatonId(ref)].region;
    case Op::Effort:
    case Op::Flow: {
      const End& to = m.bonds[BondId(ref)].to;
      return to.element.valid() ? m.elements[to.element].region : m.junctions[to.junction].region;
    }
    default:
      return {};
  }
}

// The expression while the region has only just been entered: what lives there says nothing yet.
ExprId silenced(Elaboration& e, ExprId expr, RegionId region) {
  expr::Pool& pool = e.model.pool;
  return pool.map_leaves(expr, [&](ExprId leaf) {
    const expr::Node node = pool[leaf];
    RegionId home = home_of(e, node);
    if (!home.valid() || !e.lies_in(home, region)) return leaf;
    return pool.leaf(Op::Absent, -1, 0, node.type);
  });
}

class GuardReader {
 public:
  GuardReader(Elaboration& e, const ModalSource& source)
      : e_(e), source_(source), automaton_(e.model.automata[source.automaton]) {}

  void read() {
    for (const syntax::Transition* written : source_.written) add(*written);
    for (std::size_t i = 0; i < automaton_.transitions.size(); ++i) {
      if (automaton_.transitions[i].preemptive) preempt(i);
    }
    warn_of_modes_never_entered();
  }

 private:
  Place place_of(int state) const {
    return {source_.modes[static_cast<std::size_t>(state)], source_.place.turn};
  }

  int state(const syntax::Name& name) const {
    const std::vector<std::string>& states = automaton_.states;
    return static_cast<int>(std::find(states.begin(), states.end(), name.text) - states.begin());
  }

  void add(const syntax::Transition& syntax) {
    Transition transition;
    transition.from = state(syntax.from);
    transition.to = state(syntax.to);
    transition.span = syntax.span;
    transition.guard_span = syntax.guard->span;
    transition.history = syntax.history;
    transition.fallback = syntax.fallback;
    transition.preemptive = syntax.preemptive;
    transition.immediate = syntax.immediate;
    Owner owner{&automaton_.name, automaton_.span};
    Context context(place_of(transition.from));
    context.owner = &owner;
    transition.guard = guard(context, *syntax.guard);
    if (transition.immediate) {
      transition.entering = silenced(e_, transition.guard, region_of(source_, transition.from));
    }
    if (syntax.priority) {
      transition.priority =
          constant_number(e_, context, *syntax.priority, "the priority of a transition");
    }
    automaton_.transitions.push_back(std::move(transition));
  }

  // A guard that is at fault has been reported; it stands as false, so that places stay the same.
  ExprId guard(const Context& context, const syntax::Expr& expr) {
    ExprId guard = evaluate_boolean(e_, context, expr, "the guard of " + automaton_.name);
    return guard.valid() ? guard : e_.model.pool.boolean(false);
  }

  void preempt(std::size_t index) {
    const Transition& transition = automaton_.transitions[index];
    RegionId region = source_.regions[static_cast<std::size_t>(transition.from)];
    expr::Pool& pool = e_.model.pool;
    for (ExprId leaf : pool.leaves(transition.guard)) {
      if (pool[leaf].op == Op::Signal && reads_own(pool[leaf].ref, region)) {
        report_own(transition, pool[leaf].ref);
      }
    }
    ExprId holds = taken(e_, automaton_, transition);
    ExprId& left = e_.preempted[static_cast<std::size_t>(region.index)];
    left = left.valid() ? pool.binary(Op::Or, left, holds) : holds;
  }

  bool reads_own(int32_t signal, RegionId region) const {
    const SignalSource& source = e_.signal_sources[static_cast<std::size_t>(signal)];
    return e_.lies_in(source.place.scope->region, region);
  }

  void report_own(const Transition& transition, int32_t signal) {
    const Signal& own = e_.model.signals[SignalId(static_cast<std::size_t>(signal))];
    const std::string& mode = automaton_.states[static_cast<std::size_t>(transition.from)];
    e_.report.add(
        Diagnostic("modal.preemptive",
                   "this guard silences " + own.name + ", which it needs to be judged")
            .at(transition.guard_span, "reads " + own.name)
            .at(own.span, "defined in mode " + mode)
            .rule("a preemptive transition is judged before its mode says anything")
            .help("remove preemptive, or let the guard read what stands outside the mode"),
        place_of(transition.from));
  }

  void warn_of_modes_never_entered() {
    if (source_.faulty) return;
    std::vector<bool> reached(automaton_.states.size(), false);
    std::vector<int> open = {automaton_.initial};
    while (!open.empty()) {
      int from = open.back();
      open.pop_back();
      if (static_cast<std::size_t>(from) >= reached.size()) break;
      if (reached[static_cast<std::size_t>(from)]) continue;
      reached[static_cast<std::size_t>(from)] = true;
      for (const Transition& transition : automaton_.transitions) {
        if (transition.from == from) open.push_back(transition.to);
      }
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (!reached[i]) warn_of(i);
    }
  }

  void warn_of(std::size_t state) {
    const std::string& mode = automaton_.states[state];
    const Entity* entity = source_.place.scope->find(mode);
    e_.report.add(Diagnostic("modal.never-entered", "mode " + mode + " is never entered")
                      .warning()
                      .at(entity->span)
                      .help("add a transition that leads to it, or remove it"),
                  {source_.place.scope->outer, source_.place.turn});
  }

  Elaboration& e_;
  const ModalSource& source_;
  Automaton& automaton_;
};

class ActionReader {
 public:
  ActionReader(Elaboration& e, const ModalSource& source)
      : e_(e), source_(source), automaton_(e.model.automata[source.automaton]) {}

  void read() {
    for (std::size_t i = 0; i < source_.written.size(); ++i) {
      for (const syntax::ItemPtr& item : source_.written[i]->actions) {
        const auto& action = std::get<syntax::Action>(item->node);
        if (action.kind != syntax::Action::Kind::Set || !action.value) continue;
        set(automaton_.transitions[i], action, item->span);
      }
    }
  }

 private:
  Place place_of(int state) const {
    return {source_.modes[static_cast<std::size_t>(state)], source_.place.turn};
  }

  void set(Transition& transition, const syntax::Action& action, Span span) {
    std::vector<SetAction> sets;
    auto kind = Value::Kind::Number;
    if (!find_state(place_of(transition.to), action.target, sets, kind)) return;
    for (const SetAction& other : transition.sets) {
      if (other.state != sets[0].state || other.memory != sets[0].memory) continue;
      e_.report.add(
          Diagnostic("modal.set", e_.report.source_text(action.target.span) + " is set twice")
              .at(span, "here")
              .at(other.span, "and here")
              .help("remove one of them"),
          place_of(transition.from));
      return;
    }
    Owner owner{&automaton_.name, span};
    Context context(place_of(transition.from));
    context.owner = &owner;
    std::string user = "set " + e_.report.source_text(action.target.span);
    Value value = evaluate(e_, context, *action.value);
    std::vector<Value> like(sets.size(), Value::of(kind, 0)), items = {value};
    if (sets.size() > 1) {
      std::vector<Span> spans = {action.value->span, action.target.span};
      if (!have_one_shape(e_, context, {value, Elaboration::list(like)}, spans, user)) return;
      items = *value.items;
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      sets[i].span = span;
      sets[i].value = expect(e_, context, items[i], kind, action.value->span, user);
      if (!sets[i].value.valid()) continue;
      if (transition.immediate) {
        sets[i].entering = silenced(e_, sets[i].value, region_of(source_, transition.from));
      }
      transition.sets.push_back(sets[i]);
    }
  }

  bool find_state(const Place& destination, const syntax::Path& path, std::vector<SetAction>& sets,
                  Value::Kind& kind) {
    Context context(destination);
    context.known = Context::Known::Constants;
    context.what = "an index";
    Target target;
    if (!resolve(e_, context, path, target)) return false;
    if (e_.lies_in(target.scope->region, destination.scope->region)) {
      if (keeps(path, target, sets, kind)) return true;
    }
    if (set_at_fault(target)) return false;
    report_no_state(destination, path, target);
    return false;
  }

  bool keeps(const syntax::Path& path, const Target& target, std::vector<SetAction>& sets,
             Value::Kind& kind) {
    auto at = static_cast<std::size_t>(target.entity->index);
    bool vector = target.entity->kind == EntityKind::Vector;
    bool signal = vector || target.entity->kind == EntityKind::Signal;
    if (signal && target.next == path.segments.size()) {
      const SignalSource& source = e_.signal_sources[at];
      if (!vector && source.size > 0) return false;  // a vector is set as a whole
      for (StateId state : source.states) sets.push_back({state, {}, {}, {}});
      for (MemoryId memory : source.memories) sets.push_back({{}, memory, {}, {}});
      if (signal_type(e_, SignalId(at)) == expr::Type::Boolean) kind = Value::Kind::Boolean;
    } else if (target.entity->kind == EntityKind::Element &&
               target.next + 1 == path.segments.size()) {
      const Element& element = e_.model.elements[ElementId(at)];
      auto port = target.indices.empty() ? 0 : static_cast<std::size_t>(target.indices[0] - 1);
      if (port >= element.states.size()) return false;
      const std::string& stored = e_.model.states[element.states[port]].name;
      if (!stored.ends_with("." + path.segments.back().name.text)) return false;
      sets.push_back({element.states[port], {}, {}, {}});
    }
    return !sets.empty();
  }

  // A signal whose definition was at fault keeps nothing; that has been reported.
  bool set_at_fault(const Target& target) const {
    bool signal =
        target.entity->kind == EntityKind::Signal || target.entity->kind == EntityKind::Vector;
    if (!signal) return false;
    auto at = static_cast<std::size_t>(target.entity->index);
    return !e_.model.signals[SignalId(at)].value.valid();
  }

  bool is_part_of_vector(const Target& target) const {
    if (target.entity->kind != EntityKind::Signal) return false;
    const SignalSource& source = e_.signal_sources[static_cast<std::size_t>(target.entity->index)];
    return source.is_item || source.size > 0;
  }

  void report_no_state(const Place& destination, const syntax::Path& path, const Target& target) {
    const std::string& mode = automaton_.states[static_cast<std::size_t>(destination.scope->state)];
    bool foreign = !e_.lies_in(target.scope->region, destination.scope->region);
    std::string name = e_.report.source_text(path.span);
    if (is_part_of_vector(target)) {
      name = path.segments.back().name.text;
      e_.report.add(Diagnostic("modal.set", "only a part of " + name + " is set")
                        .at(path.span)
                        .rule("a vector is set as a whole")
                        .help("write set " + name + " = [ … ]"),
                    place_of(destination.scope->state));
      return;
    }
    e_.report.add(
        Diagnostic("modal.set", foreign ? name + " does not belong to mode " + mode
                                        : name + " keeps nothing that could be set")
            .at(path.span, "set here")
            .at(target.entity->span, foreign ? "declared outside" : "declared here")
            .rule("set gives a new value to an integral, fby, hold or store of the mode that is "
                  "entered")
            .help(foreign ? "define it in mode " + mode
                          : "write " + name + " = integral(…, start) or hold(…, start) there"),
        place_of(destination.scope->state));
  }

  Elaboration& e_;
  const ModalSource& source_;
  Automaton& automaton_;
};

}  // namespace

void define_guards_of_modes(Elaboration& e) {
  e.preempted.assign(e.model.regions.size(), ExprId());
  for (const ModalSource& source : e.modals) {
    if (!e.stopped) GuardReader(e, source).read();
  }
}

void define_actions_of_modes(Elaboration& e) {
  for (const ModalSource& source : e.modals) {
    if (!e.stopped) ActionReader(e, source).read();
  }
}

namespace {

// The signal itself, or one item of a vector.
SignalId item_of(const Elaboration& e, SignalId id, std::size_t item) {
  const SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  return source.size > 0 ? source.items[item] : id;
}

}  // namespace

std::vector<ExprId> merged_values(Elaboration& e, SignalId id) {
  const SignalSource& whole = e.signal_sources[static_cast<std::size_t>(id.index)];
  const MergedSignal& merged = *whole.merged;
  const ModalSource& source = e.modals[static_cast<std::size_t>(merged.modal)];
  const Automaton& automaton = e.model.automata[source.automaton];
  const std::string name = whole.scope->prefix + whole.key;
  expr::Pool& pool = e.model.pool;
  auto in_mode = [&](int state) { return pool.leaf(Op::InMode, source.automaton.index, state); };
  std::vector<ExprId> values(std::max<std::size_t>(whole.size, 1),
                             pool.leaf(Op::Absent, -1, 0, signal_type(e, id)));
  for (auto part = merged.parts.rbegin(); part != merged.parts.rend(); ++part) {
    Span span = e.model.signals[part->second].span;
    std::vector<ExprId> own =
        nodes_of(e, Context(source.place), id, e.signal(part->second), span, "signal " + name);
    if (own.empty()) return {};
    for (std::size_t i = 0; i < own.size(); ++i) {
      values[i] = pool.conditional(in_mode(part->first), own[i], values[i]);
      e.model.signals[item_of(e, part->second, i)].shown_by = item_of(e, id, i);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    e.model.signals[item_of(e, id, i)].gathers = source.automaton;
  }
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    outputs.push_back({source.automaton, item_of(e, id, i), {}});
  }
  for (const MergedSignal::Output& output : merged.outputs) {
    const Transition& transition = automaton.transitions[output.transition];
    Owner owner{&name, transition.span};
    Context context(output.place);
    context.owner = &owner;
    std::vector<ExprId> given = nodes_of(e, context, id, evaluate(e, context, *output.value),
                                         output.value->span, "output " + name);
    if (given.empty()) return {};
    for (std::size_t i = 0; i < given.size(); ++i) {
      ExprId entering;
      if (transition.immediate) {
        entering = silenced(e, given[i], region_of(source, transition.from));
      }
      outputs[i].parts.push_back({static_cast<int>(output.transition), given[i], entering});
    }
  }
  if (merged.outputs.empty()) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    OutputId said = e.model.outputs.add(std::move(outputs[i]));
    values[i] =
        pool.fallback(pool.leaf(Op::Output, said.index, 0, pool[values[i]].type), values[i]);
  }
  return values;
}

}  // namespace cradle::model
