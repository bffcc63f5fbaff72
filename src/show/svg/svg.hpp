#pragma once
// What every picture needs to write SVG: text that is safe and no wider than the room there is for
// it, short numbers, colours.

#include <string>
#include <string_view>
#include <vector>

namespace cradle::svg {

std::string escaped(std::string_view text);
std::string number(double value);  // "12", "12.5"
// U+2212 is as wide as a digit.
std::string with_minus(const std::string& label);

// In pixels: a careful estimate for sans-serif fonts, so that what is placed by it does not
// overlap.
double text_width(std::string_view text, double font, bool bold = false);
// Cut with … if it is wider.
std::string shortened(const std::string& text, double width, double font);
// The same in the middle: names differ at both ends.
std::string shortened_inside(const std::string& text, double width, double font);
// In lines, broken at blanks and, where a word is wider than a line, inside it.
std::vector<std::string> wrapped(const std::string& text, double width, double font);

// So many characters at most.
std::string first_characters(std::string_view text, std::size_t count);

// Colours that colour-blind people tell apart: Okabe and Ito, Color Universal Design (2008).
inline constexpr const char *kBlue = "#0072b2", *kSky = "#56b4e9", *kGreen = "#009e73",
                            *kOrange = "#e69f00", *kVermilion = "#d55e00", *kPurple = "#cc79a7",
                            *kYellow = "#f0e442";

}  // namespace cradle::svg
