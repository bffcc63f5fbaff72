#pragma once
// Axes with ticks at 1, 2 or 5 times a power of ten.

#include <string>
#include <vector>

namespace cradle::plot {

struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;        // from low to high
  std::vector<std::string> labels;  // of the ticks, divided by 10^exponent
  int exponent = 0;                 // a multiple of 3; 0 unless numbers are very large or small

  double share(double value) const { return (value - low) / (high - low); }  // 0 at low, 1 at high
};

// About as many ticks as asked for, and at least three.
Axis make_axis(double low, double high, int ticks);

// "×10⁻⁶", or "x1e-6" in ASCII; empty for 0.
std::string power_of_ten(int exponent, bool utf8);

}  // namespace cradle::plot
