#pragma once
// Loops of signals that need each other's present values, whatever the values are.

#include <vector>

#include "cradle/diagnostic.hpp"
#include "model/model.hpp"

namespace cradle::compile {

// Each loop once, as its signals in order. Only operators that need all their operands count: a
// branch of a conditional may never be looked at, and pre and integrals need nothing now.
std::vector<std::vector<SignalId>> find_signal_loops(const model::Model& model);

// error[constructive.loop]; `when` is " at ⟨0, 0⟩" or empty.
Diagnostic describe_loop(const model::Model& model, const std::vector<SignalId>& signals,
                         const std::string& when);

}  // namespace cradle::compile
