#pragma once
// Reading SVG, for the tests.

#include <string>
#include <vector>

#include "show/text/table.hpp"

namespace cradle::plot {

inline int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// From the tag that holds this to its end.
inline std::string tag_with(const std::string& text, const std::string& part) {
  const auto at = text.find(part);
  if (at == std::string::npos) return {};
  const auto begin = text.rfind('<', at);
  return text.substr(begin, text.find('>', at) - begin + 1);
}

// Every tag that is opened is closed, in order; attributes are quoted.
inline bool well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const auto end = text.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (count(tag, "\"") % 2 != 0 || tag.find('<') != std::string::npos) return false;
    if (tag.ends_with('/')) continue;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

struct TextBox {
  std::string text;
  double left, top, right, bottom;
};

inline double attribute(const std::string& tag, const std::string& name) {
  const auto at = tag.find(" " + name + "=\"");
  return std::stod(tag.substr(at + name.size() + 3));
}

// Where a browser puts each text, by an average width of characters.
inline std::vector<TextBox> texts_of(const std::string& svg, double font = 14) {
  std::vector<TextBox> boxes;
  for (auto at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
    const auto end = svg.find('>', at);
    const std::string tag = svg.substr(at, end - at);
    std::string text = svg.substr(end + 1, svg.find('<', end) - end - 1);
    for (auto at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
      text.replace(at, text.find(';', at) - at + 1, "?");
    }
    const double size = tag.find("title") != std::string::npos ? 18 : font;
    const double width = 0.55 * size * text::display_width(text);
    const double x = attribute(tag, "x"), y = attribute(tag, "y");
    const double left = tag.find("right") != std::string::npos    ? x - width
                        : tag.find("middle") != std::string::npos ? x - width / 2
                                                                  : x;
    boxes.push_back({text, left, y - 0.75 * size, left + width, y});
  }
  return boxes;
}

// What meets or leaves the picture; nothing if all is well.
inline std::string overlaps_in(const std::vector<TextBox>& texts, double width) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextBox& a = texts[i];
    if (a.left < 0 || a.right > width) out += a.text + " leaves the picture\n";
    for (std::size_t k = 0; k < i; ++k) {
      const TextBox& b = texts[k];
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
        out += a.text + " over " + b.text + "\n";
      }
    }
  }
  return out;
}

}  // namespace cradle::plot
