#pragma once
// Bond causality of one mode, by SCAP (sequential causality assignment; Karnopp, Margolis,
// Rosenberg): for the modeller to see, and for diagnosis. The engine does not need it.
//
//   assign_causality(model, mode):
//     1. sources and inactive junctions set what they must; propagate through junctions, TF, GY
//     2. stores get their preferred (integral) causality one by one; propagate. A store that finds
//        the other causality already assigned is *dependent*
//     3. resistors that are left get an arbitrary causality, one by one; propagate: each choice is
//        an *algebraic loop* (the bonds it determined)
//     4. bonds that are left (loops of junctions, TF, GY) likewise
//   A choice in 2 to 4 that propagates into a contradiction is taken back and made the other way.
//   If neither way works, 2 to 4 begin anew with that bond first, a bounded number of times.
//   A conflict is a junction that two bonds (0: effort, 1: flow) determine, or none can.

#include <optional>
#include <string>
#include <vector>

#include "base/basics/ids.hpp"
#include "cradle/diagnostic.hpp"
#include "language/model/model.hpp"

namespace cradle::causality {

// One state per automaton, by AutomatonId.
using Mode = std::vector<int>;
Mode initial_mode(const model::Model& model);
bool is_active(const model::Model& model, const Mode& mode, JunctionId junction);
// "{F13 on, F23 off}"
std::string describe(const model::Model& model, const Mode& mode);

enum class Stroke {
  AtHead,  // the stroke is at the half-arrow's head: `from` sets the effort, `to` sets the flow
  AtTail,  // `to` sets the effort, `from` sets the flow
};

struct AlgebraicLoop {
  ElementId started_at;  // invalid: at a bond
  std::vector<BondId> bonds;
};

struct Conflict {
  enum class Kind {
    SetTwice,    // two bonds set the effort of an active 0-junction or the flow of a 1-junction
    NeverSet,    // no bond of an active junction can
    BothEnds,    // both ends of one bond set its effort, or its flow
    Through,     // both sides of a TF or GY demand what only one of them can have
    Unresolved,  // no source is at fault, but neither causality of a bond was found to work
  };
  Kind kind = Kind::SetTwice;
  elements::Variable variable = elements::Variable::Effort;  // what is set twice, or never
  JunctionId junction{};  // invalid: at an element (two sources on one bond, …)
  ElementId element{};
  std::vector<BondId> bonds{};  // that set it, or none
  // Where each of them got it from: the element at the start of the chain of propagation, one per
  // bond (NeverSet: per bond of the junction; BothEnds: for the tail, then for the head). An
  // invalid one started at the inactive junction that stands in its place in `inactive`.
  std::vector<ElementId> culprits{};
  std::vector<JunctionId> inactive{};
};

struct Assignment {
  Mode mode;
  std::vector<std::optional<Stroke>> strokes;  // by BondId; empty where a conflict left it open
  std::vector<ElementId> dependent;            // stores in derivative causality
  std::vector<AlgebraicLoop> loops;
  std::vector<Conflict> conflicts;  // at most kMaxConflicts
};

inline constexpr int kMaxConflicts = 64;

Assignment assign_causality(const model::Model& model, const Mode& mode);

// error[causality.conflict] as in the style guide; `modes`: how many of the modes tried have it.
Diagnostic describe_conflict(const model::Model& model, const Conflict& conflict,
                             const std::string& modes);

// The modes that combinations of automata can take, the initial one first, at most `limit`,
// breadth-first by number of automata that differ. States that no chain of transitions leads to are
// left out. `complete` tells whether that is all.
std::vector<Mode> enumerate_modes(const model::Model& model, int limit, bool& complete);

// Human text and JSON for `./cradle causality`.
std::string print_text(const model::Model& model, const std::vector<Assignment>& assignments,
                       bool complete);
std::string print_json(const model::Model& model, const std::vector<Assignment>& assignments,
                       bool complete);

}  // namespace cradle::causality
