#pragma once
// The definitions, one per file of this room. Others reach them through element.hpp.

#include "language/elements/element.hpp"

namespace cradle::elements {

#define ELEMENT(name, definition) extern const Definition definition;
#include "language/elements/names.def"

}  // namespace cradle::elements
