#include "cradle/instant.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cradle/setting.hpp"

namespace cradle {

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";  // its sign says nothing
  return fmt::format("{}", value == 0 ? 0.0 : value);
}

Setting::Setting(std::string name_, double number)
    : name(std::move(name_)), value(format_number(number)) {}

std::string to_string(const Instant& instant) {
  std::string shift;
  if (instant.eps < 0) shift = instant.eps == -1 ? " − ε" : fmt::format(" − {}ε", -instant.eps);
  if (instant.eps > 0) shift = instant.eps == 1 ? " + ε" : fmt::format(" + {}ε", instant.eps);
  return fmt::format("⟨{}{}, {}⟩", format_number(instant.t), shift, instant.step);
}

}  // namespace cradle
