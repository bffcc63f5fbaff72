#pragma once
// Text in SVG: safe, and no wider than the room there is for it.

#include <string>
#include <string_view>
#include <vector>

namespace cradle::plot {

inline constexpr double kFont = 14;  // pixels

std::string escaped(std::string_view text);
// U+2212 is as wide as a digit.
std::string with_minus(const std::string& label);

// An estimate that is wider than most text.
double text_width(std::string_view text, double font = kFont);
// Cut with … if it is wider.
std::string shortened(const std::string& text, double width, double font = kFont);
// The same in the middle: names differ at both ends.
std::string shortened_inside(const std::string& text, double width, double font = kFont);
// In lines, broken at blanks and, where a word is wider than a line, inside it.
std::vector<std::string> wrapped(const std::string& text, double width, double font = kFont);

}  // namespace cradle::plot
