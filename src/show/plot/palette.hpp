#pragma once
// Colours that colour-blind people tell apart: Okabe and Ito, Color Universal Design (2008). Those
// that are too near to the ground come last, or not at all.

#include <array>

#include "show/plot/picture.hpp"

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
    {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}};
inline constexpr Palette kDark = {
    "#14171c",
    "#e6e6e6",
    "#383d45",
    {"#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#ffffff"}};

}  // namespace cradle::plot
