#pragma once
// Parts of modal models that the definition of signals needs.

#include "language/model/elaboration.hpp"

namespace cradle::model {

// What a modal model says under a name that its modes define: the active mode's signal, or what a
// transition puts out at the instant at which it is taken.
// Item by item, if it is a vector; empty if something is wrong.
std::vector<ExprId> merged_values(Elaboration& e, SignalId signal);

}  // namespace cradle::model
