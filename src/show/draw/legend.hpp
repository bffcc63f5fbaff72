#pragma once
// What the signs in a picture mean, below it, in as many rows as it takes.

#include <string>
#include <vector>

#include "show/draw/layout.hpp"

namespace cradle::draw {

enum class Sign {
  HalfArrow,
  CausalStroke,
  Dependent,
  Inactive,
  Loop,
  Conflict,
  Present,
  Infinitesimal,
  Signal
};

double legend_height(const std::vector<Sign>& signs, double width);
// Adds it to the SVG; `corner` is the upper left one.
void draw_legend(const std::vector<Sign>& signs, Point corner, double width, std::string& svg);

}  // namespace cradle::draw
