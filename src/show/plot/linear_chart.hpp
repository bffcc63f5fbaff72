#pragma once
// A linearization as pictures.

#include <vector>

#include "cradle/chart.hpp"
#include "cradle/linear.hpp"

namespace cradle::plot {

enum class LinearPicture { Bode, Nyquist, Step, Poles };
std::vector<ChartPanel> linear_chart(const Linearization& system, LinearPicture picture);

}  // namespace cradle::plot
