#pragma once
// One instant, told: which automata moved and on what values, which relations determined the jump,
// which impulses acted, what energy went where. Includes no third-party header.
//
//   cradle::Explanation told = cradle::explain_instant(model, 1.0);
//   for (const cradle::ExplainedStep& step : told.steps)
//     std::cout << to_string(step.at) << ' ' << to_string(step.kind) << '\n';

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle {

// A name and what it is worth; nothing: it is absent.
using NamedValue = std::pair<std::string, std::optional<Number>>;

// What a guard rests on: a comparison, or a signal that is true or false.
struct ExplainedCondition {
  std::string text;                         // as it is written: abs(impulse(F23.e)) > J_break
  std::string numbers;                      // 0.6 > 0.5; empty where nothing is compared
  bool holds = false;                       //
  std::vector<NamedValue> values;           // what it reads
  std::vector<ExplainedCondition> because;  // of a signal: what its definition rests on
  // Of a guard on a junction (semantics, "How a mode is judged"): which part of the difference of
  // its sides decided, and what that part is worth.
  enum class By {
    Value,       // the difference itself
    Impulse,     // its impulse
    Strain,      // its part in 1/δ
    StrainNext,  // that is zero; a derivative of it is not
    Rate,        // all that is zero; the first derivative is not
    SecondRate,  // … the second derivative
    Nothing,     // all of these are zero
  } by = By::Value;
  double decisive = 0;       // left side − right side, in that part
  std::string decided = {};  // the same in words; empty where the numbers tell it
};

struct ExplainedMove {
  enum class Kind {
    Physical,   // after eps: judged on committed values
    Inference,  // judged on the values of the mode that it leaves, in no time
    Modal,      // of a modal model: judged on the values of the microstep before
  } kind = Kind::Inference;
  std::string automaton, from, to;
  std::string guard;  // as it is written; empty: `when true`
  Span place;         // of the guard
  std::vector<ExplainedCondition> conditions;
  std::vector<NamedValue> sets;  // what its actions set
  bool history = false;
};

struct ExplainedEvent {  // an operator that has something to say at this microstep
  std::string name;      // "delay in hit"
  std::optional<Number> value;
};

// A state that is not what it was on arrival at ⟨t + kε⟩.
struct ExplainedJump {
  std::string name;  // body1.p, x
  double before = 0, after = 0;
  enum class Cause { Relations, Impulse, Action } cause = Cause::Relations;
};

struct ExplainedImpulse {
  std::string bond;     // its label, or "v1 -> F13"
  double p = 0, q = 0;  // p′ and q′: the time integrals of effort and flow over the jump
};

// One of the relations that determined the jump, in the notation of HyPA (docs/hypa.md): x⁻ before,
// x⁺ after, x′ = x⁺ − x⁻.
struct ExplainedRelation {
  std::string text;     // body1.p′ + body2.p′ + body3.p′ = 0
  std::string numbers;  // -1.2 + 0.6 + 0.6 = 0
};

// As EnergyEntry: of a store the change of what it holds, of a source what it delivers, of a
// switch what it dissipates.
struct ExplainedEnergy {
  std::string name;
  EnergyEntry::Kind kind = EnergyEntry::Kind::Store;
  double amount = 0;
  double before = 0, after = 0;  // stores only
};

// What ideal connections would have to carry without limit: why a mode can be tried, and not be
// accepted.
struct ExplainedStrain {
  std::string text;  // closed junctions d2 and s would carry unlimited flow between src and gnd
  std::vector<std::pair<std::string, bool>> junctions;  // and whether they are active (closed)
  std::vector<std::string> ends;                        // the elements at odds
  bool effort = false, flow = false;                    // what is carried
  int order = 0;  // 0: now; 1, 2: the strain is zero, and this derivative of it is not
};

// A border that the run goes along from here, and why.
struct ExplainedSlide {
  std::string border;           // x = 0
  double above = 0, below = 0;  // how fast what is on the left moves on either side, less the right
  double share = 0;             // of the side above, in the mean that stays on the border
  // Modal models between two modes: their names, the mode above and the one below.
  struct Relay {
    std::string automaton, above, below;
  };
  std::vector<Relay> relays;
};

struct ExplainedStep {
  Instant at;
  std::size_t row = 0;  // of the trajectory of the run that was told
  RowKind kind = RowKind::Real;
  std::vector<ExplainedMove> moves;                        // that led into this mode
  std::vector<ExplainedEvent> events;                      // what operators say here
  std::vector<std::pair<std::string, std::string>> modes;  // automaton, state
  std::vector<NamedValue> values;                          // what is recorded
  std::vector<std::string> unknown;                        // of these: what has no value at all
  std::vector<ExplainedJump> jumps;                        // a mythical mode's are only tried
  std::vector<ExplainedImpulse> impulses;
  std::vector<ExplainedRelation> relations;
  std::size_t more_relations = 0;       // that are left out
  std::vector<ExplainedEnergy> energy;  // what went where as the jump was committed
  bool committed = false;               // x ← x⁺ was done here
  bool strained = false;
  std::vector<ExplainedStrain> strains;
  std::vector<ExplainedSlide> slides;
  // Moving together led back to a mode that had been tried: from here on, beginning with the mode
  // of arrival, one automaton moves at a time (pivoting).
  bool begins_over = false;
  std::vector<std::string> shared;  // columns that only the parasitics of junctions decide
};

struct ExplainedInstant {
  double t = 0;
  std::vector<std::string> causes;        // what brought the instant about
  std::vector<ExplainedStep> steps;       // the first is the left limit, in a bond graph
  std::vector<ExplainedMove> unfinished;  // moves into a mode that has no values: the run ended
  // Over all steps; balance: stored − delivered + dissipated, zero up to rounding.
  std::vector<ExplainedEnergy> energy;
  double stored_before = 0, stored_after = 0, balance = 0;
};

struct Explanation : ExplainedInstant {
  std::string model;
  double asked = 0;
  bool found = false;          // something happens at `asked`, or near it
  bool exact = false;          // at `asked`, up to rounding
  std::vector<double> events;  // not found: when something happens
  bool ended = false;          // the run ended at this instant, and not because it was finished
  Outcome outcome;             // of the run as far as it was needed
  std::optional<double> next;  // when the next event is
  double until = 0;            // the end of the run
  RowLayout layout;            // of what is recorded: units, all states of the automata
};

// Runs the model to the instant at `at`, or, if nothing happens there (up to 1e-9 of it), to the
// nearest one, if that is no further away than a hundredth of the run. The model must be ok().
// Throws std::invalid_argument if options.select names something that does not exist.
// `values`: numbers in place of the names of parameters in the relations of a jump.
Explanation explain_instant(const Model& model, double at, const Options& options = {},
                            bool values = false);

// The instants of a run that were written down as they happened (Options::tell_instants), in order;
// steps without modes and values, which stand in the trajectory. One with more steps than could be
// kept is left out.
std::size_t instants_told(const Simulation& run);
ExplainedInstant told_instant(const Simulation& run, std::size_t index);

}  // namespace cradle
