#pragma once
// The text of plots: one font, unless another is asked for.

#include <string>
#include <string_view>
#include <vector>

#include "show/svg/svg.hpp"

namespace cradle::plot {

using svg::escaped, svg::with_minus;

inline constexpr double kFont = 14;  // pixels

inline double text_width(std::string_view text, double font = kFont) {
  return svg::text_width(text, font);
}
inline std::string shortened(const std::string& text, double width, double font = kFont) {
  return svg::shortened(text, width, font);
}
inline std::string shortened_inside(const std::string& text, double width, double font = kFont) {
  return svg::shortened_inside(text, width, font);
}
inline std::vector<std::string> wrapped(const std::string& text, double width,
                                        double font = kFont) {
  return svg::wrapped(text, width, font);
}

}  // namespace cradle::plot
