#include "cradle/number.hpp"

#include <cmath>

#include "cradle/instant.hpp"

namespace cradle {

std::string to_string(const Number& number) {
  if (number.impulse == 0) return format_number(number.finite);
  if (number.finite == 0) return format_number(number.impulse) + "ω";
  return format_number(number.finite) + (number.impulse < 0 ? " - " : " + ") +
         format_number(std::abs(number.impulse)) + "ω";
}

}  // namespace cradle
