#pragma once
// Loops of signals that need each other's present values, whatever the values are.

#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/model/model.hpp"

namespace cradle::plan {

// Signals whose present value an expression needs in any case, ascending.
std::vector<SignalId> strictly_needed(const model::Model& model, ExprId root);

// Each loop once, as its signals in order. Only operators that need all their operands count: a
// branch of a conditional may never be looked at, and pre and integrals need nothing now.
std::vector<std::vector<SignalId>> find_signal_loops(const model::Model& model);

// Signals that read each other in a circle in any way, ascending. An integral is on a circle
// through its impulse only.
std::vector<SignalId> find_circles(const model::Model& model);

// One loop among signals of which each needs another, as its signals in order.
std::vector<SignalId> order_loop(const model::Model& model, const std::vector<SignalId>& unknown);

// error[constructive.loop]; `when` is " at ⟨0, 0⟩" or empty.
Diagnostic describe_loop(const model::Model& model, const std::vector<SignalId>& signals,
                         const std::string& when);

}  // namespace cradle::plan
