#include "show/plot/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cradle::plot {

Canvas::Canvas(int columns, int rows, bool utf8)
    : columns_(columns),
      rows_(rows),
      utf8_(utf8),
      across_(utf8 ? 2 : 1),
      down_(utf8 ? 4 : 1),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

const Canvas::Cell& Canvas::cell(int column, int row) const {
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                static_cast<std::size_t>(column)];
}

Canvas::Cell& Canvas::cell(int column, int row) {
  return const_cast<Cell&>(std::as_const(*this).cell(column, row));
}

void Canvas::dot(int x, int y, int colour) {
  if (x < 0 || y < 0 || x >= dots_across() || y >= dots_down()) return;
  // Unicode numbers the dots of a braille cell down the left side, down the right, then the last
  // row.
  static constexpr std::array<std::array<uint8_t, 2>, 4> kBits = {
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  Cell& at = cell(column_of(x), row_of(y));
  at.dots |= kBits[static_cast<std::size_t>(y % down_)][static_cast<std::size_t>(x % across_)];
  at.colour = colour;
}

void Canvas::line(double x0, double y0, double x1, double y1, int colour) {
  const double length = std::max(std::abs(x1 - x0), std::abs(y1 - y0));
  const int steps = std::max(1, static_cast<int>(std::ceil(length)));
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    dot(static_cast<int>(x0 + share * (x1 - x0)), static_cast<int>(y0 + share * (y1 - y0)), colour);
  }
}

void Canvas::broken_vertical(int x, int y0, int y1, int colour) {
  for (int y = std::min(y0, y1); y <= std::max(y0, y1); ++y) {
    if (!utf8_) {
      if (x >= 0 && x < columns_ && y >= 0 && y < rows_ && cell(x, y).dots == 0) {
        glyph(x, y, ":", colour);
      }
    } else if (y % 2 == 0) {
      dot(x, y, colour);
    }
  }
}

bool Canvas::glyph(int column, int row, const std::string& character, int colour) {
  if (column < 0 || row < 0 || column >= columns_ || row >= rows_) return false;
  Cell& at = cell(column, row);
  if (!at.character.empty() && at.character != ":") return false;
  at.character = character;
  at.colour = colour;
  return true;
}

bool Canvas::is_free(int column, int row, int length) const {
  if (column < 0 || row < 0 || row >= rows_ || column + length > columns_) return false;
  for (int i = 0; i < length; ++i) {
    if (!cell(column + i, row).character.empty()) return false;
  }
  return true;
}

std::string Canvas::character_of(const Cell& cell) const {
  if (!cell.character.empty()) return cell.character;
  if (cell.dots == 0) return " ";
  if (!utf8_) return "*";
  std::string braille = "\xE2\xA0\x80";  // U+2800
  braille[1] = static_cast<char>(0xA0 + (cell.dots >> 6));
  braille[2] = static_cast<char>(0x80 + (cell.dots & 0x3F));
  return braille;
}

std::string Canvas::text(int row, bool colour) const {
  int end = columns_;
  while (end > 0 && character_of(cell(end - 1, row)) == " ") --end;
  std::string line;
  int present = -1;
  for (int column = 0; column < end; ++column) {
    const Cell& at = cell(column, row);
    const int wanted = character_of(at) == " " ? -1 : at.colour;
    if (colour && wanted != present) {
      if (present >= 0) line += ansi_colour(-1);
      if (wanted >= 0) line += ansi_colour(wanted);
      present = wanted;
    }
    line += character_of(at);
  }
  if (colour && present >= 0) line += ansi_colour(-1);
  return line;
}

// The nearest of the 256 colours to those of Okabe and Ito that show on dark and on light ground.
std::string ansi_colour(int colour) {
  static const std::array<const char*, 7> kColours = {"32", "166", "36", "175", "178", "74", "244"};
  if (colour < 0) return "\033[0m";
  return std::string("\033[38;5;") + kColours[static_cast<std::size_t>(colour) % kColours.size()] +
         "m";
}

}  // namespace cradle::plot
