// Sequential causality assignment (Karnopp, Margolis, Rosenberg: System Dynamics, ch. 5), with a
// worklist. A node (element or junction) *demands* a causality of a bond; a demand that meets an
// open bond settles it, and the nodes at both of its ends look what follows from that:
//
//   0-junction   determined by the one bond that brings its effort: it sets the effort of the
//   others 1-junction   determined by the one bond that brings its flow: it sets the flow of the
//   others
//                either way, when one bond is left open and none determines it, that one must
//   TF           sets the effort of one of its bonds
//   GY           sets the effort of both of its bonds, or the flow of both
//
// Every junction looks through its bonds at most twice, so the cost is linear in the size of the
// graph, but for choices that are taken back.

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "theory/causality/causality.hpp"

namespace cradle::causality {
namespace {

using elements::Variable;
using Preference = elements::Definition::Causality;

constexpr int kMaxRestarts = 8;

enum class Side { Tail, Head };  // the end of a bond, by its half-arrow

Side side_of(const model::BondEnd& end) { return end.inward ? Side::Head : Side::Tail; }
Side opposite(Side side) { return side == Side::Tail ? Side::Head : Side::Tail; }

// The stroke for which this side sets the effort, or (else) the flow.
Stroke stroke_for(Side side, bool sets_effort) {
  return (side == Side::Tail) == sets_effort ? Stroke::AtHead : Stroke::AtTail;
}

// Why a node demands what it demands; followed back to the start, it gives the culprit.
struct Cause {
  ElementId element{};    // of its own accord
  JunctionId inactive{};  // likewise
  BondId bond{};          // because this bond was settled
  JunctionId last_of{};   // because no other bond of this junction determines it
};

class Scap {
 public:
  Scap(const model::Model& model, const Mode& mode) : model_(model) {
    result_.mode = mode;
    result_.strokes.resize(model.bonds.size());
    causes_.resize(model.bonds.size());
    given_up_.resize(model.bonds.size(), false);
    undo_budget_ = 50 * (model.bonds.size() + 100);
    for (std::size_t i = 0; i < model.junctions.size(); ++i) {
      JunctionId id(i);
      junctions_.push_back({.active = is_active(model, mode, id),
                            .open = static_cast<int>(model.junctions[id].bonds.size())});
    }
  }

  Assignment run() {
    settle_sources();
    settle_inactive_junctions();
    settle_single_bonds();
    settle_choices();
    find_dependent_stores();
    return std::move(result_);
  }

 private:
  struct JunctionState {
    bool active = true;
    int open = 0;           // ends that are not settled
    int determining = 0;    // settled ends that bring the junction its effort (0) or flow (1)
    bool expanded = false;  // its other bonds have been settled from the determining one
    bool broken = false;    // has a conflict, and demands nothing more
  };

  // ---- The steps of SCAP ----

  void settle_sources() {
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      const model::Element& element = model_.elements[ElementId(i)];
      Preference preference = elements::definition(element.kind).causality;
      if (preference != Preference::SetsEffort && preference != Preference::SetsFlow) continue;
      for (const model::BondEnd& end : element.ports) {
        demand(end, preference == Preference::SetsEffort, {.element = ElementId(i)});
        propagate();
      }
    }
  }

  void settle_inactive_junctions() {
    for (std::size_t i = 0; i < junctions_.size(); ++i) {
      if (junctions_[i].active) continue;
      const model::Junction& junction = model_.junctions[JunctionId(i)];
      bool sets_effort = junction.inactive == model::Junction::Inactive::Effort;
      for (const model::BondEnd& end : junction.bonds) {
        demand(end, sets_effort, {.inactive = JunctionId(i)});
        propagate();
      }
    }
  }

  void settle_single_bonds() {
    for (std::size_t i = 0; i < junctions_.size(); ++i) {
      if (model_.junctions[JunctionId(i)].bonds.size() != 1) continue;
      infer_at_junction(JunctionId(i));
      propagate();
    }
  }

  // Steps 2 to 4. Earlier choices can leave a bond without any that works (in loops of junctions);
  // then all choices are made anew, with the bonds that failed first.
  void settle_choices() {
    const Assignment forced = result_;
    const std::vector<JunctionState> forced_junctions = junctions_;
    for (int attempt = 0;; ++attempt) {
      for (std::size_t i = 0; i < urgent_.size(); ++i) settle_urgent(urgent_[i]);
      settle_stores();
      settle_resistors();
      settle_rest();
      if (failed_bonds_.empty() || attempt == kMaxRestarts) return;
      urgent_.insert(urgent_.begin(), failed_bonds_.begin(), failed_bonds_.end());
      failed_bonds_.clear();
      result_ = forced;
      junctions_ = forced_junctions;
      given_up_.assign(given_up_.size(), false);
    }
  }

  // As its element would choose, if there is one that has a choice.
  void settle_urgent(BondId bond) {
    if (settled(bond)) return;
    for (Side side : {Side::Tail, Side::Head}) {
      ElementId id = node(bond, side).element;
      if (!id.valid()) continue;
      const model::Element& element = model_.elements[id];
      Preference preference = elements::definition(element.kind).causality;
      if (preference == Preference::Same || preference == Preference::Crossed) continue;
      bool resistor = preference == Preference::Either;
      bool effort = resistor ? !element.law_of_effort : preference == Preference::PrefersEffort;
      choose({bond, side == Side::Head}, effort, {.element = id});
      if (resistor) add_loop(id);
      return;
    }
    choose({bond, false}, true, {});
    add_loop(ElementId());
  }

  void settle_stores() {
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      const model::Element& element = model_.elements[ElementId(i)];
      Preference preference = elements::definition(element.kind).causality;
      if (preference != Preference::PrefersEffort && preference != Preference::PrefersFlow)
        continue;
      for (const model::BondEnd& end : element.ports) {
        if (settled(end.bond)) continue;
        choose(end, preference == Preference::PrefersEffort, {.element = ElementId(i)});
      }
    }
  }

  void settle_resistors() {
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      const model::Element& element = model_.elements[ElementId(i)];
      if (elements::definition(element.kind).causality != Preference::Either) continue;
      for (const model::BondEnd& end : element.ports) {
        if (settled(end.bond)) continue;
        // The law as it was written: e = law(f) sets the effort.
        choose(end, !element.law_of_effort, {.element = ElementId(i)});
        add_loop(ElementId(i));
      }
    }
  }

  void settle_rest() {
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
      if (settled(BondId(i))) continue;
      choose({BondId(i), false}, true, {});
      add_loop(ElementId());
    }
  }

  void find_dependent_stores() {
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      const model::Element& element = model_.elements[ElementId(i)];
      const elements::Definition& definition = elements::definition(element.kind);
      if (definition.storage == elements::Storage::None) continue;
      bool prefers_effort = definition.causality == Preference::PrefersEffort;
      for (const model::BondEnd& end : element.ports) {
        if (!settled(end.bond) || sets_effort(end) == prefers_effort) continue;
        result_.dependent.push_back(ElementId(i));
        break;
      }
    }
  }

  void add_loop(ElementId started_at) {
    if (!trail_.empty()) result_.loops.push_back({started_at, trail_});
  }

  // ---- Choices, which can be taken back ----

  // Leaves in trail_ what followed from the choice; nothing if neither causality works.
  void choose(const model::BondEnd& end, bool sets_effort, const Cause& cause) {
    trail_.clear();
    if (given_up_[at(end.bond)]) return;
    choosing_ = true;
    bool works = undo_budget_ > 0 &&
                 (try_choice(end, sets_effort, cause) || try_choice(end, !sets_effort, cause));
    choosing_ = failed_ = false;
    if (works) return;
    given_up_[at(end.bond)] = true;
    failed_bonds_.push_back(end.bond);
    add_unresolved(end.bond, cause.element);
  }

  bool try_choice(const model::BondEnd& end, bool sets_effort, const Cause& cause) {
    failed_ = false;
    expanded_trail_.clear();
    demand(end, sets_effort, cause);
    propagate();
    if (!failed_) return true;
    for (BondId bond : trail_) {
      count_ends(bond, -1);
      result_.strokes[at(bond)].reset();
    }
    for (JunctionId junction : expanded_trail_) junctions_[at(junction)].expanded = false;
    undo_budget_ -= std::min(undo_budget_, trail_.size());
    trail_.clear();
    return false;
  }

  // All of them together make one conflict.
  void add_unresolved(BondId bond, ElementId element) {
    if (result_.conflicts.empty() || result_.conflicts.back().kind != Conflict::Kind::Unresolved) {
      report({.kind = Conflict::Kind::Unresolved, .element = element});
    }
    Conflict& last = result_.conflicts.back();
    if (last.kind == Conflict::Kind::Unresolved) last.bonds.push_back(bond);
  }

  // ---- Demands and what follows from them ----

  bool settled(BondId bond) const { return result_.strokes[at(bond)].has_value(); }

  bool sets_effort(const model::BondEnd& end) const {
    return *result_.strokes[at(end.bond)] == stroke_for(side_of(end), true);
  }

  bool determines(const model::Junction& junction, const model::BondEnd& end) const {
    return sets_effort(end) == (junction.kind == model::Junction::Kind::One);
  }

  // `end` is the demanding node's own end of the bond.
  void demand(const model::BondEnd& end, bool sets_effort, const Cause& cause) {
    Stroke wanted = stroke_for(side_of(end), sets_effort);
    std::optional<Stroke>& stroke = result_.strokes[at(end.bond)];
    if (stroke == wanted) return;
    if (stroke.has_value()) {
      contradiction(end, sets_effort, cause);
      return;
    }
    stroke = wanted;
    causes_[at(end.bond)] = cause;
    count_ends(end.bond, +1);
    queue_.push_back(end.bond);
    if (choosing_) trail_.push_back(end.bond);
  }

  const model::End& node(BondId bond, Side side) const {
    const model::Bond& b = model_.bonds[bond];
    return side == Side::Tail ? b.from : b.to;
  }

  void count_ends(BondId bond, int sign) {
    for (Side side : {Side::Tail, Side::Head}) {
      JunctionId id = node(bond, side).junction;
      if (!id.valid()) continue;
      JunctionState& state = junctions_[at(id)];
      state.open -= sign;
      if (determines(model_.junctions[id], {bond, side == Side::Head})) state.determining += sign;
    }
  }

  void propagate() {
    for (std::size_t i = 0; i < queue_.size() && !failed_; ++i) {
      BondId bond = queue_[i];
      for (Side side : {Side::Tail, Side::Head}) {
        const model::End& end = node(bond, side);
        if (end.junction.valid()) infer_at_junction(end.junction);
        if (end.element.valid()) infer_at_element(end.element, end.port, bond);
      }
    }
    queue_.clear();
  }

  void infer_at_junction(JunctionId id) {
    JunctionState& state = junctions_[at(id)];
    const model::Junction& junction = model_.junctions[id];
    if (!state.active || state.broken || failed_ || junction.bonds.empty()) return;
    if (state.determining > 1) {
      set_twice(id, {}, {});
    } else if (state.determining == 1) {
      if (!state.expanded) expand(id);
    } else if (state.open == 1) {
      for (const model::BondEnd& end : junction.bonds) {
        if (settled(end.bond)) continue;
        demand(end, junction.kind == model::Junction::Kind::One, {.last_of = id});
        return;
      }
    } else if (state.open == 0) {
      never_set(id, {}, {});
    }
  }

  void expand(JunctionId id) {
    const model::Junction& junction = model_.junctions[id];
    junctions_[at(id)].expanded = true;
    if (choosing_) expanded_trail_.push_back(id);
    std::size_t by = 0;
    while (!settled(junction.bonds[by].bond) || !determines(junction, junction.bonds[by])) ++by;
    for (std::size_t i = 0; i < junction.bonds.size(); ++i) {
      if (i == by) continue;
      demand(junction.bonds[i], junction.kind == model::Junction::Kind::Zero,
             {.bond = junction.bonds[by].bond});
    }
  }

  void infer_at_element(ElementId id, int port, BondId bond) {
    const model::Element& element = model_.elements[id];
    Preference preference = elements::definition(element.kind).causality;
    if (preference != Preference::Same && preference != Preference::Crossed) return;
    if (element.ports.size() != 2) return;
    bool sets = sets_effort(element.ports[static_cast<std::size_t>(port)]);
    demand(element.ports[static_cast<std::size_t>(1 - port)],
           preference == Preference::Same ? !sets : sets, {.bond = bond});
  }

  // ---- Contradictions ----

  struct Origin {
    ElementId element;
    JunctionId junction;
  };

  // Causes point to bonds that were settled before, so this ends within as many steps as there are
  // bonds.
  Origin origin(Cause cause) const {
    for (std::size_t steps = 0; steps <= model_.bonds.size(); ++steps) {
      if (cause.bond.valid()) {
        cause = causes_[at(cause.bond)];
      } else if (cause.last_of.valid()) {
        const auto& bonds = model_.junctions[cause.last_of].bonds;
        if (bonds.size() < 2) return {{}, cause.last_of};
        cause = causes_[at(first_settled_before(bonds, cause.last_of))];
      } else {
        return {cause.element, cause.inactive};
      }
    }
    return {};
  }

  // Any bond of the junction but the one that it settled itself as its last.
  BondId first_settled_before(const std::vector<model::BondEnd>& bonds, JunctionId last_of) const {
    for (const model::BondEnd& end : bonds) {
      if (settled(end.bond) && causes_[at(end.bond)].last_of != last_of) return end.bond;
    }
    return bonds.front().bond;
  }

  // A contradiction within a choice is no conflict, but a reason to take it back.
  bool give_up_choice() {
    failed_ = choosing_;
    return choosing_;
  }

  void contradiction(const model::BondEnd& end, bool wants_effort, const Cause& cause) {
    if (give_up_choice()) return;
    // A junction at either end tells more than an element; first the one that settled the bond.
    for (Side side : {opposite(side_of(end)), side_of(end)}) {
      JunctionId id = node(end.bond, side).junction;
      if (!id.valid() || !junctions_[at(id)].active) continue;
      bool is_new = side == side_of(end);
      // What the node at the other end demands, seen from here.
      bool would_determine =
          determines(model_.junctions[id], {end.bond, side == Side::Head}) == is_new;
      const Cause& others = is_new ? causes_[at(end.bond)] : cause;
      if (would_determine) {
        set_twice(id, end.bond, others);
      } else {
        never_set(id, end.bond, others);
      }
      return;
    }
    at_elements(end, wants_effort, cause);
  }

  void at_elements(const model::BondEnd& end, bool wants_effort, const Cause& cause) {
    Conflict conflict{.kind = Conflict::Kind::BothEnds,
                      .variable = wants_effort ? Variable::Effort : Variable::Flow,
                      .bonds = {end.bond}};
    std::array<Cause, 2> causes = {causes_[at(end.bond)], cause};
    if (side_of(end) == Side::Tail) std::swap(causes[0], causes[1]);
    for (Side side : {Side::Tail, Side::Head}) {
      const model::End& there = node(end.bond, side);
      if (there.junction.valid()) conflict.junction = there.junction;
      if (!there.element.valid()) continue;
      conflict.element = there.element;
      if (!elements::definition(model_.elements[there.element].kind).through) continue;
      through(conflict, there, end.bond, causes[side == Side::Tail ? 1 : 0]);
      return;
    }
    add_culprit(conflict, causes[0]);
    add_culprit(conflict, causes[1]);
    report(std::move(conflict));
  }

  // `outside`: why the node at the other end of the bond demands the opposite.
  void through(Conflict& conflict, const model::End& at_element, BondId bond,
               const Cause& outside) {
    const model::Element& element = model_.elements[at_element.element];
    conflict.kind = Conflict::Kind::Through;
    conflict.bonds.clear();
    for (std::size_t i = 0; i < element.ports.size(); ++i) {
      BondId port_bond = element.ports[i].bond;
      // The variable is told as it stands on the first port; a gyrator swaps the two.
      bool swap = i == 1 && port_bond == bond &&
                  elements::definition(element.kind).causality == Preference::Crossed;
      if (swap) {
        conflict.variable =
            conflict.variable == Variable::Effort ? Variable::Flow : Variable::Effort;
      }
      conflict.bonds.push_back(port_bond);
      add_culprit(conflict, port_bond == bond ? outside : causes_[at(port_bond)]);
    }
    report(std::move(conflict));
  }

  // `bond`, if any, would determine the junction for `cause`, against what has been settled.
  void set_twice(JunctionId id, BondId bond, const Cause& cause) {
    if (give_up_choice() || junctions_[at(id)].broken) return;
    Conflict conflict = at_junction(id, Conflict::Kind::SetTwice);
    const model::Junction& junction = model_.junctions[id];
    for (const model::BondEnd& end : junction.bonds) {
      bool contested = end.bond == bond;
      if (!contested && (!settled(end.bond) || !determines(junction, end))) continue;
      conflict.bonds.push_back(end.bond);
      add_culprit(conflict, contested ? cause : causes_[at(end.bond)]);
    }
    report_at(id, std::move(conflict));
  }

  void never_set(JunctionId id, BondId bond, const Cause& cause) {
    if (give_up_choice() || junctions_[at(id)].broken) return;
    Conflict conflict = at_junction(id, Conflict::Kind::NeverSet);
    for (const model::BondEnd& end : model_.junctions[id].bonds) {
      add_culprit(conflict, end.bond == bond ? cause : causes_[at(end.bond)]);
    }
    report_at(id, std::move(conflict));
  }

  Conflict at_junction(JunctionId id, Conflict::Kind kind) const {
    bool zero = model_.junctions[id].kind == model::Junction::Kind::Zero;
    return {.kind = kind, .variable = zero ? Variable::Effort : Variable::Flow, .junction = id};
  }

  void add_culprit(Conflict& conflict, const Cause& cause) const {
    if (result_.conflicts.size() >= kMaxConflicts) return;  // it will not be reported
    Origin start = origin(cause);
    conflict.culprits.push_back(start.element);
    conflict.inactive.push_back(start.junction);
  }

  void report_at(JunctionId id, Conflict conflict) {
    junctions_[at(id)].broken = true;
    report(std::move(conflict));
  }

  void report(Conflict conflict) {
    if (result_.conflicts.size() < kMaxConflicts) result_.conflicts.push_back(std::move(conflict));
  }

  const model::Model& model_;
  Assignment result_;
  std::vector<JunctionState> junctions_;  // by JunctionId
  std::vector<Cause> causes_;             // by BondId
  std::vector<BondId> queue_;             // settled, and not yet looked at
  bool choosing_ = false;
  bool failed_ = false;        // the present choice met a contradiction
  std::vector<BondId> trail_;  // what the present choice has settled
  std::vector<JunctionId> expanded_trail_;
  std::vector<BondId> urgent_;        // to be chosen before all others
  std::vector<BondId> failed_bonds_;  // for which neither causality works
  std::vector<bool> given_up_;        // by BondId: neither causality works
  std::size_t undo_budget_ = 0;       // bonds that may still be taken back
};

}  // namespace

Assignment assign_causality(const model::Model& model, const Mode& mode) {
  return Scap(model, mode).run();
}

}  // namespace cradle::causality
