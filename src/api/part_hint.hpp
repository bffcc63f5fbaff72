#pragma once
// What the standard library has for the name of a part that nobody has defined.

#include <string>

namespace cradle {

// A way out, to be said behind an error; empty if the library has nothing like it.
std::string part_hint(const std::string& name);

}  // namespace cradle
