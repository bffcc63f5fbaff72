#include "core/explain/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "cradle/instant.hpp"

namespace cradle::explain {
namespace {

double rounded(double value) {
  if (!std::isfinite(value)) return value;
  return std::strtod(fmt::format("{:.5e}", value).c_str(), nullptr);
}

}  // namespace

std::string brief(double value, double scale) {
  constexpr double kRounding = 1e-12;
  return format_number(std::abs(value) <= kRounding * scale ? 0 : rounded(value));
}

std::string brief(const Number& number) {
  return to_string(Number(rounded(number.finite), rounded(number.impulse)));
}

std::string brief(const std::optional<Number>& number) {
  return number ? brief(*number) : "absent";
}

}  // namespace cradle::explain
