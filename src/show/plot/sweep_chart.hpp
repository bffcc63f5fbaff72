#pragma once
// A sweep as a picture.

#include <vector>

#include "cradle/chart.hpp"
#include "cradle/sweep.hpp"

namespace cradle::plot {

enum class SweepPicture { Response, Heat, Histogram, Family };
// What suits these variations: a histogram of what is drawn, a heat map of two grids, else curves.
SweepPicture picture_for(const SweepOptions& options);
// Throws std::invalid_argument if it cannot be drawn so.
std::vector<ChartPanel> sweep_chart(const Sweep& sweep, const SweepOptions& options,
                                    SweepPicture picture);

}  // namespace cradle::plot
