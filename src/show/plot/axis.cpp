#include "show/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cradle::plot {
namespace {

// The least of 1, 2, 5 times a power of ten that is no less.
double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

int exponent_for(double largest) {
  if (!(largest > 0)) return 0;
  const int digits = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  if (digits > -4 && digits < 5) return 0;
  return 3 * static_cast<int>(std::floor(digits / 3.0));
}

}  // namespace

Axis make_axis(double low, double high, int ticks) {
  Axis axis;
  if (!(high > low)) high = low + std::max(1.0, std::abs(low));
  axis.low = low;
  axis.high = high;
  double step = nice_step((high - low) / std::max(1, ticks));
  const auto first_index = [&] { return std::ceil(low / step - 1e-9); };
  // One tick alone tells no scale, and two not whether it is even.
  constexpr double kFewest = 3;
  for (int i = 0; i < 6 && std::floor(high / step + 1e-9) - first_index() + 1 < kFewest; ++i) {
    step = nice_step(step / 2.5);
  }
  axis.exponent = exponent_for(std::max(std::abs(low), std::abs(high)));
  const double unit = std::pow(10.0, axis.exponent);
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 15);
  const double first = first_index();
  constexpr int kMost = 200;
  for (int i = 0; i < kMost; ++i) {
    const double tick = (first + i) * step;
    if (tick > high + 1e-9 * step) break;
    axis.ticks.push_back(tick);
    const double shown = std::abs(tick) < 1e-9 * step ? 0.0 : tick / unit;
    axis.labels.push_back(fmt::format("{:.{}f}", shown, decimals));
  }
  return axis;
}

std::string power_of_ten(int exponent, bool utf8) {
  if (exponent == 0) return {};
  if (!utf8) return fmt::format("x1e{}", exponent);
  static const std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                      "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "×10⁻" : "×10";
  for (char c : fmt::format("{}", std::abs(exponent))) {
    text += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

}  // namespace cradle::plot
