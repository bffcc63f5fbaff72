#pragma once
// The colours of curves. Those that are too near to the ground come last, or not at all.

#include <array>

#include "show/plot/picture.hpp"
#include "show/svg/svg.hpp"

namespace cradle::plot {

struct Palette {
  const char* ground;
  const char* ink;    // text
  const char* faint;  // grid
  std::array<const char*, kMaxCurvesPerPanel> colours;
};

inline constexpr Palette kLight = {
    "#ffffff",
    "#222222",
    "#dddddd",
    {svg::kBlue, svg::kVermilion, svg::kGreen, svg::kPurple, svg::kOrange, svg::kSky, "#000000"}};
inline constexpr Palette kDark = {
    "#14171c",
    "#e6e6e6",
    "#383d45",
    {svg::kSky, svg::kOrange, svg::kGreen, svg::kPurple, svg::kYellow, svg::kVermilion, "#ffffff"}};

}  // namespace cradle::plot
