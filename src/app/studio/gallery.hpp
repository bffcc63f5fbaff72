#pragma once
// The models of models/, as they were when the binary was built.

#include <string>
#include <utility>
#include <vector>

namespace cradle::studio {

// Name below models/ ("mosterman/cradle.cradle") and text, in order of name.
const std::vector<std::pair<std::string, std::string>>& embedded_models();

}  // namespace cradle::studio
