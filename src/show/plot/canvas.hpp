#pragma once
// Dots in the cells of a terminal: 2 × 4 to a cell as a braille character, or one as an asterisk.

#include <cstdint>
#include <string>
#include <vector>

namespace cradle::plot {

class Canvas {
 public:
  Canvas(int columns, int rows, bool utf8);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  int dots_across() const { return columns_ * across_; }
  int dots_down() const { return rows_ * down_; }

  void dot(int x, int y, int colour);  // from the left, from the top; outside: nothing
  void line(double x0, double y0, double x1, double y1, int colour);
  void broken_vertical(int x, int y0, int y1, int colour);  // every other dot
  // One character in a cell, over whatever dots it has. False: the cell has one already.
  bool glyph(int column, int row, const std::string& character, int colour);
  bool is_free(int column, int row, int length) const;  // of characters

  int column_of(int x) const { return x / across_; }
  int row_of(int y) const { return y / down_; }

  // One line of text, with ANSI colours on request, without trailing blanks.
  std::string text(int row, bool colour) const;

 private:
  struct Cell {
    uint8_t dots = 0;
    int colour = -1;
    std::string character;
  };
  const Cell& cell(int column, int row) const;
  Cell& cell(int column, int row);
  std::string character_of(const Cell& cell) const;

  int columns_, rows_;
  bool utf8_;
  int across_, down_;
  std::vector<Cell> cells_;
};

// ANSI escape for a colour of the palette; −1 ends it.
std::string ansi_colour(int colour);

}  // namespace cradle::plot
