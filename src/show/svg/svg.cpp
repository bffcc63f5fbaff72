#include "show/svg/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show/text/table.hpp"

namespace cradle::svg {
namespace {

// As many characters as fit into the width, at least one.
std::string beginning(std::string_view text, double width, double font) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    const std::string longer = kept + std::string(text.substr(at, next - at));
    if (at > 0 && text_width(longer, font) > width) break;
    kept = longer;
    at = next;
  }
  return kept;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        // XML has no control characters but blanks; a comment inside a guard may have others.
        safe += static_cast<unsigned char>(c) < ' ' && c != '\n' ? ' ' : c;
    }
  }
  return safe;
}

std::string number(double value) {
  const double tenths = std::round(value * 10);
  if (tenths == 0) return "0";
  std::string out = fmt::format("{:.1f}", tenths / 10);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string with_minus(const std::string& label) {
  return label.starts_with('-') ? "−" + label.substr(1) : label;
}

double text_width(std::string_view text, double font, bool bold) {
  constexpr double kNarrow = 0.42, kWide = 0.95, kCapital = 0.74, kUsual = 0.645;
  double units = 0, letters = 0;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0x80) != 0) continue;
    const bool narrow = std::string_view("ijlrtfI.,:;|()[] '").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMW%@<>=+").find(c) != std::string_view::npos;
    units += narrow ? kNarrow : wide ? kWide : (c >= 'A' && c <= 'Z') ? kCapital : kUsual;
    ++letters;
  }
  // Of others: as many columns as a terminal has for them.
  units += kUsual * (text::display_width(text) - letters);
  return units * font * (bold ? 1.1 : 1);
}

std::string shortened(const std::string& text, double width, double font) {
  if (text_width(text, font) <= width) return text;
  return beginning(text, width - text_width("…", font), font) + "…";
}

std::string shortened_inside(const std::string& text, double width, double font) {
  if (text_width(text, font) <= width) return text;
  const std::string head = beginning(text, 0.55 * (width - text_width("…", font)), font);
  std::size_t tail = head.size();
  const auto is_inside = [&](std::size_t at) {  // a character of several bytes
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  const std::string begun = head + "…";
  while (tail < text.size() &&
         (is_inside(tail) || text_width(begun + text.substr(tail), font) > width)) {
    ++tail;
  }
  return begun + text.substr(tail);
}

std::vector<std::string> wrapped(const std::string& text, double width, double font) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && text_width(fmt::format("{} {}", line, word), font) > width) end_line();
    while (text_width(word, font) > width) {
      const std::string part = beginning(word, width, font);
      if (part.size() == word.size()) break;
      lines.push_back(part);
      word = word.substr(part.size());
    }
    line += (line.empty() ? "" : " ") + word;
  }
  end_line();
  return lines;
}

std::string first_characters(std::string_view text, std::size_t most) {
  std::size_t count = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (count + 1 == most) cut = i;
    if (++count > most) return std::string(text.substr(0, cut)) + "…";
  }
  return std::string(text);
}

}  // namespace cradle::svg
