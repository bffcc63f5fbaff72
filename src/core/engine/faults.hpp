#pragma once
// What a run says when it cannot go on, or warns of: in the user's names, with the rule and a way
// out.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/choices.hpp"
#include "core/engine/instant_evaluator.hpp"
#include "core/engine/runtime.hpp"
#include "core/engine/zeno.hpp"

namespace cradle::engine {

// Arithmetic has failed, and in what, if that is no signal.
struct BlamedFault {
  plan::ArithmeticFault fault;
  Span span = {};
  std::string what = {};
};

// The last values of what keeps changing, by name.
using Pattern = std::vector<std::pair<std::string, std::vector<std::string>>>;

RunFault describe(const Runtime& runtime, const plan::IslandFault& fault);
RunFault describe(const Runtime& runtime, const LoopFault& fault, const InstantEvaluator& inside);
RunFault describe(const Runtime& runtime, const BlamedFault& fault);
RunFault describe(const Runtime& runtime, const OpenChoice& open);
RunFault mode_cycle(const Runtime& runtime, const Pile<Move>& trail, std::size_t from);
RunFault immediate_cycle(const Runtime& runtime, AutomatonId automaton, int state);
RunFault impulse_at_arrival(const Runtime& runtime, StateId integral);
RunFault impulse_on_resistor(const Runtime& runtime, const Slot& slot,
                             std::span<const double> weights, ElementId resistor, double p,
                             double q);
RunFault too_many_rows(const Runtime& runtime, std::size_t rows);
RunFault bound_reached(const Runtime& runtime, const char* option, int64_t limit, const char* what);
// The causal network never comes to rest at one real time.
RunFault chattering(const Runtime& runtime, const Pattern& pattern);
// A guard changes so often that looking for each change has no end.
RunFault oscillates(const Runtime& runtime, ComparisonId comparison, double t, double width);
// A truth has changed and nobody has noticed when: our mistake.
RunFault missed_event(const Runtime& runtime, ComparisonId comparison, double from, double to,
                      double gap);
// Borders that the run stands on, and the ways that lead from there: none, or more than one. Empty
// ways: what is slid along leaves the shares of the sides open.
RunFault no_way_along(const Runtime& runtime, double t);
RunFault no_one_way(const Runtime& runtime, std::span<const std::vector<Way>> ways);
// The solver stands at a leap.
RunFault crawling(const Runtime& runtime, const Cluster& cluster, const Pace& pace);
RunFault solver_failure(const Runtime& runtime, const Cluster& cluster, solve::StepResult result);
// An error or a warning, as the options have it.
Diagnostic accumulation(const Runtime& runtime, const Accumulation& found);
// Warnings.
Diagnostic energy_created(const Runtime& runtime, double amount,
                          const std::vector<JunctionId>& switched);
// The state that was given contradicts itself: the first jump makes it consistent, at a loss.
Diagnostic start_contradicts(const Runtime& runtime, const Slot& slot, double lost,
                             double magnitude);
// The books do not balance; most of it arose between these times.
Diagnostic energy_unaccounted(const Runtime& runtime, double amount, double begin, double end,
                              ElementId store);
// Arithmetic fails on an impulse in what only a column shows.
Diagnostic column_without_value(const Runtime& runtime, const BlamedFault& fault);
Diagnostic undefined(const Runtime& runtime, const std::string& name, const Instant& at);
Diagnostic thinned(double t);
// An assertion of the model, which did not hold, or could not be judged.
Diagnostic assertion_fails(const Runtime& runtime, std::size_t assertion,
                           const Violation& violation);

// "x = 0", of a comparison that stands for a border.
std::string border_text(const Runtime& runtime, ComparisonId border);
// Above the border, is what stands on the right of its text larger?
bool border_is_turned(const Runtime& runtime, ComparisonId border);
// Where something that an expression reads was declared.
Span place_of(const model::Model& model, ExprId expr);

}  // namespace cradle::engine
