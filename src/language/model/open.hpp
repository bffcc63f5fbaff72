#pragma once
// A model in which parameters are inputs, so that what it computes has derivatives by them: whoever
// makes a plan of it finds them among the leaves of its code, in laws, moduli and sources alike.

#include "language/model/binding.hpp"

namespace cradle::model {

// Every number that can be set without making another model becomes an input of its name, which
// begins with what is bound to it; what the text defines by others is computed from these. Whatever
// has to be fixed (initial values, clocks, the end) stays a number. It has no slots, and nothing to
// be shown or drawn.
Model open_parameters(const Model& model, const Binding& binding);

}  // namespace cradle::model
