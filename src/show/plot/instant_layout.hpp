#pragma once
// Where the parts of an instant stand from left to right, and a pen that writes them from top to
// bottom. instant_svg.cpp says what there is.

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cradle/plot.hpp"
#include "show/plot/instant.hpp"
#include "show/plot/lettering.hpp"

namespace cradle::plot {

inline constexpr double kSmall = 12;           // pixels of text
inline constexpr double kBold = 1.1 * kSmall;  // which is wider
inline constexpr double kRow = 16;             // of small text
inline constexpr double kMargin = 14;          // around the picture
inline constexpr double kMark = 4.2;           // half its size
inline constexpr double kKey = 9;              // a colour before a number
inline constexpr int kMostDigits = 4;          // of a value

inline double small_width(const std::string& text) { return text_width(text, kSmall); }
std::string short_value(double value, int digits);
// The numbers that stand for a value: its finite part, and the weight of its impulse with ω.
std::vector<std::string> labels_of(const Number& value, int digits);
// What can stand in a panel.
bool is_drawn(double value);

struct Pen {
  std::string out;
  double y = 0;  // what stands above is written

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
  }
  void put(const std::string& classes, double x, double at_y, const std::string& text);
  // Small text in lines, the last of which ends in … if there are more; moves on by them.
  void put_lines(const std::string& classes, double x, double width, const std::string& text,
                 std::size_t most);
  void mark(RowKind kind, double x, double at_y);
};

struct InstantLayout {
  InstantLayout(const Explanation& told, const PlotOptions& options);

  const Explanation& told;
  const PlotOptions& options;
  InstantPicture parts;
  bool narrow = false;                    // names stand above what they name, not beside it
  bool listed = false;                    // notes stand in a list, not between the columns
  std::vector<int> digits;                // of the values, by panel
  double width = 0, left = 0, right = 0;  // left and right: of the columns
  double slot = 0;                        // the width of a column
  double label_room = 0;                  // of a number

  std::size_t columns() const { return parts.steps.size(); }
  const ExplainedStep& step(std::size_t column) const { return told.steps[parts.steps[column]]; }
  // data-eps, data-step and data-kind of a column.
  std::string where(std::size_t column) const;

  // The last column of the ε-step that this column belongs to.
  std::size_t last_of_epsilon(std::size_t column) const;

  // The left edge of a column; of one past the last: its right edge.
  double edge(std::size_t column) const;
  double middle(std::size_t column) const { return edge(column) + slot / 2; }
  double middle_of_gap() const { return edge(parts.left_out_before) - slot / 2; }
  // Where values stand: in the middle, or further left if numbers need the room.
  double mark_x(std::size_t column) const;
  // The heads of the columns can say what kind of mode each step is in.
  // mythical, strained
  std::string kind_of(std::size_t column) const;
  bool kinds_fit() const;
  // Between marks side by side.
  double pitch(std::size_t count) const;

  struct Line {
    std::string text;
    bool strong = false;
  };
  // Of a note that stands between two columns.
  std::vector<Line> lines_of(const Note& note) const;

 private:
  double widest_label(int with_digits) const;
  double widest_label(const Panel& panel, int with_digits) const;
  int digits_for(const Panel& panel) const;
  bool tells_apart(const Panel& panel, int with_digits) const;
  double margin_for_names() const;
  void find_slots();
  bool notes_fit() const;
  double note_width() const { return slot - 16; }
  std::vector<std::string> reason_lines(const std::string& why) const;
  std::size_t most_equal() const;

  double begin_ = 0;   // of the first column
  double beside_ = 0;  // a number: its mark, and air
  double spread_ = 0;  // of marks side by side
};

// Each goes on at the pen's y and leaves it below what it has written.
void write_legend(const InstantLayout& layout, Pen& pen);   // of marks, if heads cannot say it
void write_columns(const InstantLayout& layout, Pen& pen);  // heads, and notes between them
void write_note_list(const InstantLayout& layout, Pen& pen);
void write_bands(const InstantLayout& layout, Pen& pen);
// `below`: the height of what stands under the panels.
void write_panels(const InstantLayout& layout, double below, Pen& pen);
void write_energy(const InstantLayout& layout, Pen& pen);

}  // namespace cradle::plot
