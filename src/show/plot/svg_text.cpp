#include "show/plot/svg_text.hpp"

#include <algorithm>

#include "show/text/table.hpp"

namespace cradle::plot {
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

std::string with_minus(const std::string& label) {
  return label.starts_with('-') ? "−" + label.substr(1) : label;
}

double text_width(std::string_view text, double font) {
  return 0.62 * font * text::display_width(text);
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
    if (!line.empty() && text_width(line + " " + word, font) > width) end_line();
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

}  // namespace cradle::plot
