#pragma once
// Our SVG as pixels. Includes no third-party header.

#include <string>
#include <string_view>

namespace cradle {

// A picture made by plot_svg, instant_svg or draw_svg as PNG, `scale` times as large. There is no
// reader's screen to ask, so colours that depend on one are the light ones. Throws
// std::length_error if it would be wider or higher than 32767 pixels or have more than 100 million,
// std::invalid_argument if the text is no SVG or the scale is not positive.
std::string svg_to_png(std::string_view svg, double scale = 1);

}  // namespace cradle
