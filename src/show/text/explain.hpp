#pragma once
// One instant in words, and as JSON.

#include <string>

#include "cradle/explain.hpp"

namespace cradle::text {

// Lines of about 96 columns.
std::string explanation_text(const Explanation& told, const Sources& sources);
std::string explanation_json(const Explanation& told, const Sources& sources);

}  // namespace cradle::text
