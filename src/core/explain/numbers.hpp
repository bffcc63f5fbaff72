#pragma once
// Numbers for sentences: six digits.

#include <optional>
#include <string>

#include "cradle/number.hpp"

namespace cradle::explain {

// What is smaller than rounding in numbers as large as `scale` is 0.
std::string brief(double value, double scale = 0);
std::string brief(const Number& number);
std::string brief(const std::optional<Number>& number);  // nothing: "absent"

}  // namespace cradle::explain
