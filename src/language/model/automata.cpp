// Automata of controlled junctions: states when they are declared, guards when everything is, and
// the order in which automata move.

#include <algorithm>
#include <cmath>
#include <utility>

#include "language/model/expressions.hpp"
#include "language/model/structure.hpp"

namespace cradle::model {

namespace {

int find_state(const Automaton& automaton, std::string_view name) {
  auto place = std::find(automaton.states.begin(), automaton.states.end(), name);
  return place == automaton.states.end() ? -1 : static_cast<int>(place - automaton.states.begin());
}

// −1, with a diagnostic, if there is no such state.
int known_state(Elaboration& e, const Place& place, const Automaton& automaton,
                const syntax::Name& name) {
  const int state = find_state(automaton, name.text);
  if (state >= 0 || name.text.empty()) return state;
  std::string known;
  for (const std::string& other : automaton.states) known += (known.empty() ? "" : ", ") + other;
  Diagnostic diagnostic("name.unknown-state", automaton.name + " has no state " + name.text);
  diagnostic.at(name.span).note("known", known);
  const std::string near = did_you_mean(name.text, automaton.states);
  diagnostic.help(near.empty() ? "declare it: active " + name.text + " or inactive " + name.text
                               : near);
  e.report.add(std::move(diagnostic), place);
  return -1;
}

class AutomatonReader {
 public:
  AutomatonReader(Elaboration& e, const Place& place, const syntax::Junction& syntax,
                  Automaton& automaton)
      : e_(e), place_(place), body_(syntax.automaton), automaton_(automaton) {}

  void states() {
    if (body_.active.empty() && body_.inactive.empty()) {
      automaton_.states = {"on", "off"};
      automaton_.active = {true, false};
    }
    for (const syntax::Name& name : body_.active) add_state(name, true);
    for (const syntax::Name& name : body_.inactive) add_state(name, false);
    choose_initial();
  }

  void transitions() {
    Owner owner{&automaton_.name, automaton_.span};
    Context context(place_);
    context.owner = &owner;
    for (const syntax::Transition& syntax : body_.transitions) transition(context, syntax);
  }

 private:
  void add_state(const syntax::Name& name, bool active) {
    for (const char* taken : {"e", "f", "p", "q", "active", "inactive"}) {
      if (name.text != taken) continue;
      e_.report.add(Diagnostic("name.reserved", name.text + " cannot be the name of a state")
                        .at(name.span)
                        .rule("J.e, J.f, J.p, J.q and J.active are read off the junction")
                        .help("choose another name"),
                    place_);
      return;
    }
    if (find_state(automaton_, name.text) >= 0) {
      e_.report.add(Diagnostic("name.duplicate", "state " + name.text + " of " + automaton_.name +
                                                     " is declared twice")
                        .at(name.span, "again"),
                    place_);
      return;
    }
    if (automaton_.states.size() >= kMaxStates) {
      if (std::exchange(too_many_, true)) return;
      e_.report.add(Diagnostic("limit.states", automaton_.name + " has too many states")
                        .at(name.span, "one too many")
                        .rule("an automaton has at most " + std::to_string(kMaxStates) + " states"),
                    place_);
      return;
    }
    automaton_.states.push_back(name.text);
    automaton_.active.push_back(active);
  }

  void choose_initial() {
    if (!body_.initial.text.empty()) {
      automaton_.initial = std::max(known_state(body_.initial), 0);
      return;
    }
    int on = find_state(automaton_, "on");
    auto first_active = std::find(automaton_.active.begin(), automaton_.active.end(), true);
    if (on >= 0) {
      automaton_.initial = on;
    } else if (first_active != automaton_.active.end()) {
      automaton_.initial = static_cast<int>(first_active - automaton_.active.begin());
    }
  }

  int known_state(const syntax::Name& name) {
    return model::known_state(e_, place_, automaton_, name);
  }

  void transition(const Context& context, const syntax::Transition& syntax) {
    Transition transition;
    transition.from = known_state(syntax.from);
    transition.to = known_state(syntax.to);
    transition.physical = syntax.physical;
    transition.span = syntax.span;
    if (syntax.guard) {
      transition.guard_span = syntax.guard->span;
      transition.guard =
          evaluate_boolean(e_, context, *syntax.guard, "the guard of " + automaton_.name);
    }
    if (syntax.priority) {
      transition.priority =
          constant_number(e_, context, *syntax.priority, "the priority of a transition");
    }
    if (transition.from < 0 || transition.to < 0 || !transition.guard.valid()) return;
    automaton_.transitions.push_back(transition);
  }

  Elaboration& e_;
  Place place_;
  const syntax::AutomatonBody& body_;
  Automaton& automaton_;
  bool too_many_ = false;  // states; it has been said
};

}  // namespace

AutomatonId declare_automaton(Elaboration& e, const Place& place, const syntax::Junction& syntax,
                              const std::string& name, JunctionId junction) {
  Automaton automaton;
  automaton.name = name;
  automaton.span = syntax.name.name.span;
  automaton.junction = junction;
  automaton.region = place.scope->region;
  AutomatonReader(e, place, syntax, automaton).states();
  return e.model.automata.add(std::move(automaton));
}

namespace {

// Junctions that have the automaton of another.
class FollowerReader {
 public:
  explicit FollowerReader(Elaboration& e) : e_(e) {
    for (std::size_t i = 0; i < e.followers.size(); ++i) {
      follower_.emplace(e.followers[i].junction, i);
    }
  }

  void read() {
    for (const Follower& follower : e_.followers) leader_.push_back(find_leader(follower));
    for (std::size_t i = 0; i < e_.followers.size(); ++i) {
      const JunctionId first = first_of(i);
      if (first.valid()) follow(e_.followers[i], first);
    }
  }

 private:
  JunctionId find_leader(const Follower& follower) {
    Context context(follower.place);
    context.known = Context::Known::Constants;
    context.what = "an index";
    const syntax::Path& path = follower.syntax->follows;
    Target target;
    if (!resolve(e_, context, path, target)) return {};
    const bool junction =
        target.entity->kind == EntityKind::Junction && target.next == path.segments.size();
    const JunctionId id(static_cast<std::size_t>(junction ? target.entity->index : 0));
    if (junction && (e_.model.junctions[id].automaton.valid() || follower_.contains(id))) return id;
    e_.report.add(
        Diagnostic("follow.not-controlled",
                   e_.report.source_text(path.span) + " has no automaton to be followed")
            .at(path.span, describe(e_, *target.entity))
            .rule("a junction follows a controlled junction: one with initially or a body")
            .help("write the automaton there, as 1 name initially off { … }"),
        follower.place);
    return {};
  }

  // At the end of a chain of followers; invalid: there is none, which is said.
  JunctionId first_of(std::size_t follower) {
    JunctionId id = leader_[follower];
    for (std::size_t steps = 0; id.valid(); ++steps) {
      const auto next = follower_.find(id);
      if (next == follower_.end()) return id;
      if (steps > e_.followers.size()) {
        const Follower& here = e_.followers[follower];
        const std::string& name = e_.model.junctions[here.junction].name;
        e_.report.add(Diagnostic("follow.cycle", name + " follows itself")
                          .at(here.syntax->follows.span, "leads back to it")
                          .rule("one junction has the automaton that others follow")
                          .help("write the automaton into one of them"),
                      here.place);
        return {};
      }
      id = leader_[next->second];
    }
    return id;
  }

  void follow(const Follower& follower, JunctionId first) {
    Junction& junction = e_.model.junctions[follower.junction];
    const Junction& leader = e_.model.junctions[first];
    if (junction.region != leader.region) {
      e_.report.add(Diagnostic("follow.mode", junction.name + " and " + leader.name +
                                                  " do not stand in the same mode")
                        .at(follower.syntax->follows.span)
                        .rule("junctions with one automaton stand in the same mode, or in none"),
                    follower.place);
      return;
    }
    junction.automaton = leader.automaton;
    Automaton& automaton = e_.model.automata[leader.automaton];
    automaton.followers.push_back(follower.junction);
    junction.active = active_states(follower, automaton);
  }

  // As in the automaton, unless its own body says so.
  std::vector<bool> active_states(const Follower& follower, const Automaton& automaton) {
    const syntax::AutomatonBody& body = follower.syntax->automaton;
    const std::string& name = e_.model.junctions[follower.junction].name;
    if (!body.transitions.empty()) {
      e_.report.add(Diagnostic("follow.transition", name + " has no transitions of its own")
                        .at(body.transitions.front().span)
                        .rule("its states are those of " + automaton.name + ", which moves")
                        .help("write the transition into " + automaton.name +
                              "; here only active and inactive"),
                    follower.place);
    }
    if (body.active.empty() && body.inactive.empty()) return automaton.active;
    constexpr int kOpen = -1;
    std::vector<int> said(automaton.states.size(), kOpen);
    for (const bool active : {true, false}) {
      for (const syntax::Name& state : active ? body.active : body.inactive) {
        const int i = known_state(e_, follower.place, automaton, state);
        if (i < 0) continue;
        int& here = said[static_cast<std::size_t>(i)];
        if (here != kOpen) {
          e_.report.add(Diagnostic("name.duplicate", "state " + state.text + " is listed twice")
                            .at(state.span, "again"),
                        follower.place);
        }
        here = active ? 1 : 0;
      }
    }
    // One list says all.
    const bool rest = body.active.empty();
    if (!body.active.empty() && !body.inactive.empty()) require_all(follower, automaton, said);
    std::vector<bool> out(said.size());
    std::transform(said.begin(), said.end(), out.begin(),
                   [&](int each) { return each == kOpen ? rest : each == 1; });
    return out;
  }

  void require_all(const Follower& follower, const Automaton& automaton,
                   const std::vector<int>& said) {
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (said[i] >= 0) continue;
      e_.report.add(Diagnostic("follow.state", "nothing is said of the state " +
                                                   automaton.states[i] + " of " + automaton.name)
                        .at(follower.syntax->name.name.span)
                        .rule("with both lists each state stands in one of them")
                        .help("list it behind active or inactive, or leave one list out"),
                    follower.place);
    }
  }

  Elaboration& e_;
  std::unordered_map<JunctionId, std::size_t> follower_;
  std::vector<JunctionId> leader_;  // by follower
};

}  // namespace

void follow_automata(Elaboration& e) {
  if (!e.stopped) FollowerReader(e).read();
}

void define_automata(Elaboration& e) {
  for (Automaton& automaton : e.model.automata) {
    if (e.stopped) return;
    if (automaton.modal) continue;
    const JunctionSource& source =
        e.junction_sources[static_cast<std::size_t>(automaton.junction.index)];
    AutomatonReader(e, source.place, *source.syntax, automaton).transitions();
  }
}

namespace {

// The automaton that a path names; an invalid id, with a diagnostic, if it names none.
AutomatonId find_automaton(Elaboration& e, const Context& context, const syntax::Path& path) {
  Target target;
  if (!resolve(e, context, path, target)) return {};
  AutomatonId automaton;
  auto at = static_cast<std::size_t>(target.entity->index);
  bool whole = target.next == path.segments.size();
  if (target.entity->kind == EntityKind::Junction && whole) {
    automaton = e.model.junctions[JunctionId(at)].automaton;
  } else if (target.entity->kind == EntityKind::Modal && whole) {
    automaton = e.modals[static_cast<std::size_t>(e.scopes[at].modal)].automaton;
  }
  if (automaton.valid()) return automaton;
  e.report.add(
      Diagnostic("priority.not-controlled",
                 e.report.source_text(path.span) + " is no controlled junction or modal model")
          .at(path.span)
          .rule("priority orders automata, and controlled junctions and modal models have them"),
      context.place);
  return {};
}

struct Precedence {
  AutomatonId automaton;
  Span span;
};

void read_priority(Elaboration& e, const Deferred& deferred,
                   std::vector<std::vector<Precedence>>& yields) {
  const auto& priority = std::get<syntax::Priority>(deferred.item->node);
  Context context(deferred.place);
  context.known = Context::Known::Constants;
  context.what = "an index";
  AutomatonId before;
  for (const syntax::Path& path : priority.order) {
    AutomatonId automaton = find_automaton(e, context, path);
    if (before.valid() && automaton.valid()) {
      yields[static_cast<std::size_t>(automaton.index)].push_back({before, path.span});
    }
    before = automaton;
  }
}

// Depth-first search for a cycle, on an explicit stack.
bool report_priority_cycle(Elaboration& e, const std::vector<std::vector<Precedence>>& yields) {
  enum class Mark : char { New, Open, Done };
  std::vector<Mark> marks(yields.size(), Mark::New);
  struct Frame {
    std::size_t automaton;
    std::size_t next = 0;
  };
  for (std::size_t root = 0; root < yields.size(); ++root) {
    if (marks[root] != Mark::New) continue;
    std::vector<Frame> stack = {{root}};
    marks[root] = Mark::Open;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == yields[frame.automaton].size()) {
        marks[frame.automaton] = Mark::Done;
        stack.pop_back();
        continue;
      }
      const Precedence& precedence = yields[frame.automaton][frame.next++];
      auto above = static_cast<std::size_t>(precedence.automaton.index);
      if (marks[above] == Mark::Open) {
        const std::string& name = e.model.automata[precedence.automaton].name;
        std::string cycle = name;
        bool on_cycle = false;
        for (const Frame& open : stack) {
          if (on_cycle) cycle.insert(0, e.model.automata[AutomatonId(open.automaton)].name + " > ");
          on_cycle = on_cycle || open.automaton == above;
        }
        cycle.insert(0, name + " > ");
        e.report.add(Diagnostic("priority.cycle", name + " comes before itself")
                         .at(precedence.span, "this closes the cycle")
                         .note("cycle", cycle));
        return true;
      }
      if (marks[above] == Mark::New) {
        marks[above] = Mark::Open;
        stack.push_back({above});
      }
    }
  }
  return false;
}

// Everything above one automaton, also through others: A > B > C lets C wait for A.
void close_priorities(Elaboration& e, const std::vector<std::vector<Precedence>>& yields) {
  std::size_t pairs = 0;
  std::vector<std::size_t> reached(yields.size(), yields.size());
  for (std::size_t i = 0; i < yields.size(); ++i) {
    std::vector<AutomatonId>& above = e.model.automata[AutomatonId(i)].yields_to;
    auto reach = [&](std::size_t from) {
      for (const Precedence& precedence : yields[from]) {
        auto to = static_cast<std::size_t>(precedence.automaton.index);
        if (std::exchange(reached[to], i) != i) above.push_back(precedence.automaton);
      }
    };
    reach(i);
    for (std::size_t k = 0; k < above.size() && pairs + k < kMaxPriorities; ++k) {
      reach(static_cast<std::size_t>(above[k].index));
    }
    pairs += above.size();
    if (pairs < kMaxPriorities) continue;
    e.stop(Diagnostic("limit.size", "priority orders too many pairs of automata")
               .rule("at most " + std::to_string(kMaxPriorities) + " pairs are ordered"),
           {});
    return;
  }
}

}  // namespace

void define_priorities(Elaboration& e) {
  if (e.priorities.empty()) return;
  std::vector<std::vector<Precedence>> yields(e.model.automata.size());
  for (const Deferred& deferred : e.priorities) read_priority(e, deferred, yields);
  if (!report_priority_cycle(e, yields)) close_priorities(e, yields);
}

}  // namespace cradle::model
