#pragma once
// The parts that a drawn graph is made of, and how they look.

#include <string>
#include <string_view>
#include <vector>

#include "show/draw/draw.hpp"
#include "show/draw/layout.hpp"
#include "show/svg/svg.hpp"

namespace cradle::draw {

inline constexpr double kTextSize = 13, kSmallSize = 11;

using svg::escaped, svg::number, svg::text_width;

std::string pair(Point p);  // "12,30.5"

// M a C b c d …
std::string curve_path(const std::vector<Point>& curve);
// A filled triangle whose tip is at the end of the curve.
std::string arrow_head(const std::vector<Point>& curve);
std::string text_at(Point centre, double size, std::string_view css_class, std::string_view text);
std::string rounded_box(Point centre, Size size, double radius, std::string_view css_class);

// Colours of Okabe and Ito, which colour-blind people tell apart; none carries a meaning alone.
std::string style_sheet(Colours colours);

}  // namespace cradle::draw
