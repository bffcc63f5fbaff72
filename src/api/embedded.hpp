#pragma once
// The standard library of components, lib/std, as it was when the binary was built.

#include <string>
#include <utility>
#include <vector>

namespace cradle {

// Name as an import writes it ("std/electrical/diode.cradle") and text, in order of name.
const std::vector<std::pair<std::string, std::string>>& embedded_library();

}  // namespace cradle
