// A picture in a terminal: the same panels, jumps as broken lines, arrows of impulses with their
// weights, ○ mythical, ● pinnacle, bands with the states' names.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cradle/plot.hpp"
#include "show/plot/axis.hpp"
#include "show/plot/canvas.hpp"
#include "show/plot/picture.hpp"
#include "show/plot/thin.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

class TextPlot {
 public:
  TextPlot(const Trajectory& trajectory, const TextPlotOptions& options)
      : options_(options), picture_(draw(trajectory, options.colour)) {}

  std::string text() {
    lay_out();
    const Columns columns{picture_.from, picture_.to, 2 * width_};
    for (Curve& curve : picture_.curves) thin(curve, columns);
    for (const Panel& panel : picture_.panels) write_panel(panel);
    for (BandRow& row : picture_.truths) thin(row, columns);
    for (const BandRow& row : picture_.truths) write_truth(row);
    for (const BandRow& row : picture_.bands) write_bands(row);
    if (picture_.more_bands > 0) {
      write_line(
          fmt::format("{} {} more automata", options_.utf8 ? "…" : "...", picture_.more_bands));
    }
    write_time();
    return std::move(out_);
  }

 private:
  const char* either(const char* utf8, const char* ascii) const {
    return options_.utf8 ? utf8 : ascii;
  }

  void write_line(const std::string& line) {
    const auto end = line.find_last_not_of(' ');
    out_ += end == std::string::npos ? "" : line.substr(0, end + 1);
    out_ += '\n';
  }

  std::string right_aligned(const std::string& text, int width) const {
    const int blanks = std::max(0, width - text::display_width(text));
    return std::string(static_cast<std::size_t>(blanks), ' ') + text;
  }

  // As many characters as fit into this many columns.
  std::string cut(const std::string& text, int width) const {
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t next = at + 1;
      while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
      const std::string longer = kept + text.substr(at, next - at);
      if (text::display_width(longer) > width) break;
      kept = longer;
      at = next;
    }
    return kept;
  }

  std::string time_name() const {
    return picture_.time_unit.empty() ? "t" : "t [" + picture_.time_unit + "]";
  }

  void lay_out() {
    const std::size_t count = picture_.panels.size();
    rows_ = count <= 2 ? 10 : count <= 4 ? 7 : 5;
    for (const Panel& panel : picture_.panels) {
      axes_.push_back(make_axis(panel.low, panel.high, rows_ / 3));
      for (const auto& label : axes_.back().labels) {
        margin_ = std::max(margin_, static_cast<int>(label.size()));
      }
    }
    margin_ = std::max(margin_, text::display_width(time_name()));
    const int widest = std::max(8, options_.width / 5);
    for (const auto* rows : {&picture_.truths, &picture_.bands}) {
      for (const BandRow& row : *rows) {
        margin_ = std::max(margin_, std::min(widest, text::display_width(row.name)));
      }
    }
    for (const Panel& panel : picture_.panels) {
      weights_.push_back(make_axis(panel.weight_low, panel.weight_high, rows_ / 3));
      if (!panel.has_weights()) continue;
      for (const auto& label : weights_.back().labels) {
        right_ = std::max(right_, static_cast<int>(label.size()) + 2);
      }
    }
    width_ = std::max(16, options_.width - margin_ - 3 - right_);
    time_ = make_axis(picture_.from, picture_.to, std::clamp(width_ / 14, 2, 10));
  }

  // In dots of a canvas.
  double across(const Canvas& canvas, double t) const {
    return time_.share(t) * (canvas.dots_across() - 1);
  }
  static double down(const Canvas& canvas, const Axis& axis, double value) {
    return (1 - axis.share(value)) * (canvas.dots_down() - 1) + 0.5;
  }

  void draw_curve(Canvas& canvas, const Axis& axis, const Curve& curve, int colour) const {
    const auto x = [&](double t) { return across(canvas, t) + 0.5; };
    const auto y = [&](double value) { return down(canvas, axis, value); };
    for (const auto& piece : curve.pieces) {
      for (std::size_t i = 1; i < piece.size(); ++i) {
        canvas.line(x(piece[i - 1].t), y(piece[i - 1].y), x(piece[i].t), y(piece[i].y), colour);
      }
    }
    // What was tried only where it can be told apart, or where it is all there is.
    const bool few =
        curve.pieces.empty() || curve.marks.size() < static_cast<std::size_t>(width_) / 6;
    for (const Jump& jump : curve.jumps) {
      const double low = few ? jump.low : std::min(jump.from, jump.to);
      const double high = few ? jump.high : std::max(jump.from, jump.to);
      if (low == high) continue;
      canvas.broken_vertical(static_cast<int>(x(jump.t)), static_cast<int>(y(low)),
                             static_cast<int>(y(high)), colour);
    }
    const auto set = [&](const Mark& mark, const char* character) {
      canvas.glyph(canvas.column_of(static_cast<int>(x(mark.at.t))),
                   canvas.row_of(static_cast<int>(y(mark.y))), character, colour);
    };
    for (const Mark& mark : curve.marks) {
      if (!few) break;
      set(mark, mark.tried ? either("○", "o") : either("●", "@"));
    }
    for (const Mark& dot : curve.dots) set(dot, either("•", "."));
  }

  // From the row of zero, in the column of their time; lengths are shares of the axis of impulses.
  // Heads and numbers first: a stem that is longer goes behind them.
  void draw_arrows(Canvas& canvas, const Panel& panel, const Curve& curve, int colour,
                   bool heads) const {
    if (!panel.has_weights()) return;
    const auto row_of = [&](double weight) {
      const double share = (weight - panel.weight_low) / (panel.weight_high - panel.weight_low);
      const double dots = (1 - share) * (canvas.dots_down() - 1) + 0.5;
      return std::clamp(canvas.row_of(static_cast<int>(dots)), 0, canvas.rows() - 1);
    };
    const int base = row_of(0);
    for (const Arrow& arrow : curve.arrows) {
      const bool up = arrow.weight > 0;
      const int read = row_of(arrow.weight);
      const int tip = read != base ? read : std::clamp(base + (up ? -1 : 1), 0, canvas.rows() - 1);
      const std::string label = text::short_number(arrow.weight, 3);
      const int column =
          canvas.column_of(static_cast<int>(std::lround(across(canvas, arrow.at.t))));
      if (heads) {
        canvas.glyph(column, tip, up ? either("↑", "^") : either("↓", "v"), colour);
        write_weight(canvas, column, tip, label, colour);
        continue;
      }
      for (int row = std::min(tip, base) + (up ? 1 : 0); row < std::max(tip, base) + (up ? 1 : 0);
           ++row) {
        canvas.glyph(column, row, either("│", "|"), colour);
      }
    }
  }

  // Right of the arrow, or left of it.
  static void write_weight(Canvas& canvas, int column, int row, const std::string& label,
                           int colour) {
    const int length = static_cast<int>(label.size());
    for (int begin : {column + 1, column - length}) {
      if (begin < 0 || !canvas.is_free(begin, row, length)) continue;
      for (int i = 0; i < length; ++i) {
        canvas.glyph(begin + i, row, label.substr(static_cast<std::size_t>(i), 1), colour);
      }
      return;
    }
  }

  void write_panel(const Panel& panel) {
    const auto p = static_cast<std::size_t>(&panel - picture_.panels.data());
    const Axis& axis = axes_[p];
    Canvas canvas(width_, rows_, options_.utf8);
    write_names(panel, axis, weights_[p]);
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      draw_curve(canvas, axis, picture_.curves[panel.curves[i]], static_cast<int>(i));
    }
    for (const bool heads : {true, false}) {
      for (std::size_t i = 0; i < panel.curves.size(); ++i) {
        draw_arrows(canvas, panel, picture_.curves[panel.curves[i]], static_cast<int>(i), heads);
      }
    }
    const std::vector<std::string> labels = labels_of(canvas, axis);
    const std::vector<std::string> weights =
        panel.has_weights() ? labels_of(canvas, weights_[p])
                            : std::vector<std::string>(static_cast<std::size_t>(rows_));
    for (int row = 0; row < rows_; ++row) {
      const std::string& label = labels[static_cast<std::size_t>(row)];
      const std::string& weight = weights[static_cast<std::size_t>(row)];
      std::string line = canvas.text(row, options_.colour);
      if (!weight.empty()) {
        const int used = text::display_width(canvas.text(row, false));
        line += std::string(static_cast<std::size_t>(std::max(0, width_ - used)), ' ') +
                either("├ ", "+ ") + weight;
      }
      write_line(right_aligned(label, margin_) +
                 (label.empty() ? either(" │", " |") : either(" ┤", " +")) + line);
    }
  }

  // By row; of two in one row the higher.
  std::vector<std::string> labels_of(const Canvas& canvas, const Axis& axis) const {
    std::vector<std::string> out(static_cast<std::size_t>(rows_));
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
      const int row = canvas.row_of(static_cast<int>(down(canvas, axis, axis.ticks[i])));
      out[static_cast<std::size_t>(std::clamp(row, 0, rows_ - 1))] = axis.labels[i];
    }
    return out;
  }

  void write_names(const Panel& panel, const Axis& axis, const Axis& weights) {
    std::string line(static_cast<std::size_t>(margin_) + 2, ' ');
    int used = margin_ + 2;
    const std::string power = power_of_ten(axis.exponent, options_.utf8);
    if (!power.empty()) {
      line += power + "  ";
      used += text::display_width(power) + 2;
    }
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const std::string name = cut(picture_.curves[panel.curves[i]].title, width_);
      const int width = text::display_width(name) + 2;
      if (used + width > options_.width && used > margin_ + 2) {
        write_line(line);
        line.assign(static_cast<std::size_t>(margin_) + 2, ' ');
        used = margin_ + 2;
      }
      line += options_.colour ? ansi_colour(static_cast<int>(i)) + name + ansi_colour(-1) : name;
      line += "  ";
      used += width;
    }
    if (panel.has_weights()) {
      const std::string powers = power_of_ten(weights.exponent, options_.utf8);
      const std::string heading =
          either("↑ ", "^ ") + panel.weight_title + (powers.empty() ? "" : " " + powers);
      const int blanks = margin_ + 2 + width_ + right_ - used - text::display_width(heading);
      line += std::string(static_cast<std::size_t>(std::max(0, blanks)), ' ') + heading;
    }
    write_line(line);
  }

  int colour_of(const std::string& state) const {
    const auto found = std::find(picture_.states.begin(), picture_.states.end(), state);
    return static_cast<int>(found - picture_.states.begin());
  }

  // "▁▁▁▁▁█████▁▁▁": true is high; ╹ and ╵: true or false for an instant.
  void write_truth(const BandRow& row) {
    Canvas canvas(width_, 1, options_.utf8);
    const Columns columns{picture_.from, picture_.to, width_};
    for (const Visit& visit : row.visits) {
      canvas.glyph(columns.of(visit.at.t), 0,
                   visit.state == "true" ? either("╹", "!") : either("╵", "."), 0);
    }
    for (const Band& band : row.bands) {
      const int from = columns.of(band.from);
      const int to = band.to >= picture_.to ? width_ : columns.of(band.to);
      const bool high = band.count > 1 || band.state == "true";
      for (int column = from; column < std::max(to, from + 1); ++column) {
        canvas.glyph(column, 0, high ? either("█", "#") : either("▁", "_"), 0);
      }
    }
    write_line(right_aligned(cut(row.name, margin_), margin_) + either(" │", " |") +
               canvas.text(0, options_.colour));
  }

  // "off────┃on─────": what holds, and where it changes; ╋ a state that is left in no time.
  void write_bands(const BandRow& row) {
    Canvas canvas(width_, 1, options_.utf8);
    const Columns columns{picture_.from, picture_.to, width_};
    for (const Visit& visit : row.visits) {
      canvas.glyph(columns.of(visit.at.t), 0, either("╋", "#"), colour_of(visit.state));
    }
    for (const Band& band : row.bands) {
      const int from = columns.of(band.from), to = columns.of(band.to);
      if (from > 0) canvas.glyph(from, 0, either("┃", "|"), -1);
      if (to <= from) continue;
      const int colour = colour_of(band.state);
      const int begin = from > 0 ? from + 1 : 0;
      const int room = to - begin;
      if (text::display_width(band.state) == static_cast<int>(band.state.size()) &&
          static_cast<int>(band.state.size()) <= room) {
        for (std::size_t i = 0; i < band.state.size(); ++i) {
          canvas.glyph(begin + static_cast<int>(i), 0, band.state.substr(i, 1), colour);
        }
      }
      const int end = band.to >= picture_.to ? width_ : to;
      for (int column = begin; column < end; ++column) {
        canvas.glyph(column, 0, either("─", "-"), colour);
      }
    }
    write_line(right_aligned(cut(row.name, margin_), margin_) + either(" │", " |") +
               canvas.text(0, options_.colour));
  }

  void write_time() {
    Canvas axis(width_, 1, options_.utf8), labels(width_, 1, options_.utf8);
    int free_from = 0;
    for (std::size_t i = 0; i < time_.ticks.size(); ++i) {
      const int column = static_cast<int>(std::lround(time_.share(time_.ticks[i]) * (width_ - 1)));
      axis.glyph(column, 0, either("┴", "+"), -1);
      const int length = static_cast<int>(time_.labels[i].size());
      const int begin = std::clamp(column - length / 2, 0, width_ - length);
      if (begin < free_from) continue;
      for (int k = 0; k < length; ++k) {
        labels.glyph(begin + k, 0, time_.labels[i].substr(static_cast<std::size_t>(k), 1), -1);
      }
      free_from = begin + length + 2;
    }
    for (int column = 0; column < width_; ++column) axis.glyph(column, 0, either("─", "-"), -1);
    write_line(right_aligned("", margin_) + either(" └", " +") + axis.text(0, false));
    write_line(right_aligned(time_name(), margin_) + "  " + labels.text(0, false));
    if (time_.exponent != 0) {
      write_line(right_aligned("", margin_) + "  " + power_of_ten(time_.exponent, options_.utf8));
    }
  }

  const TextPlotOptions& options_;
  Picture picture_;
  std::vector<Axis> axes_, weights_;  // by panel
  Axis time_;
  int rows_ = 8, margin_ = 3, width_ = 60;
  int right_ = 0;  // of the canvas: numbers at the axes of impulses
  std::string out_;
};

}  // namespace
}  // namespace cradle::plot

std::string cradle::plot_text(const Trajectory& trajectory, const TextPlotOptions& options) {
  return plot::TextPlot(trajectory, options).text();
}
