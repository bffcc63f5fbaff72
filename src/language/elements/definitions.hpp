#pragma once
// The definitions, one per file of this room. Others reach them through element.hpp.

#include "language/elements/element.hpp"

namespace cradle::elements {

extern const Definition inertia;
extern const Definition capacitance;
extern const Definition resistance;
extern const Definition effort_source;
extern const Definition flow_source;
extern const Definition transformer;
extern const Definition gyrator;

}  // namespace cradle::elements
