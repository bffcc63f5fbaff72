// The automata of an instant: a row of cells for each.

#include <algorithm>

#include "show/plot/instant_layout.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

class CellWriter {
 public:
  CellWriter(const InstantLayout& layout, Pen& pen) : l_(layout), pen_(pen) {}

  void write_bands() {
    for (const BandRow& row : l_.parts.picture.bands) {
      const std::size_t automaton = *l_.parts.rows.find_automaton(row.name);
      write_name(row.name);
      for (std::size_t c = 0; c < l_.columns(); ++c) write_cell(row.name, automaton, c);
      pen_.y += kCellRow;
    }
    if (l_.parts.picture.more_bands > 0) {
      pen_.put("soft more", l_.left, pen_.y + 12,
               fmt::format("… {} more automata", l_.parts.picture.more_bands));
      pen_.y += kRow;
    }
    for (const BandRow& row : l_.parts.picture.truths) {
      const std::size_t signal = *l_.parts.rows.find_column(row.name);
      write_name(row.name);
      for (std::size_t c = 0; c < l_.columns(); ++c) write_truth(row.name, signal, c);
      pen_.y += kCellRow;
    }
    if (!l_.parts.picture.bands.empty() || !l_.parts.picture.truths.empty()) pen_.y += 8;
  }

 private:
  static constexpr double kCellRow = 22;

  void write_name(const std::string& name) {
    if (l_.narrow) {
      pen_.put("soft", kMargin, pen_.y + 12, shortened_inside(name, l_.right - kMargin, kSmall));
      pen_.y += kRow;
    } else {
      pen_.put("right", l_.left - 10, pen_.y + 14,
               shortened_inside(name, l_.left - 10 - kMargin, kSmall));
    }
  }

  // A signal that is true or false, or an event: absent where nothing is said.
  void write_truth(const std::string& name, std::size_t signal, std::size_t column) {
    const auto value = l_.parts.rows.value(column, signal);
    const std::string kind = to_string(l_.step(column).kind);
    const bool unknown = l_.parts.rows.is_unknown(column, signal);
    const bool holds = value && value->finite != 0;
    const char* text = unknown ? "unknown" : !value ? "absent" : holds ? "true" : "false";
    const char* look = value ? (holds ? "holds" : "fails") : text;
    pen_.add(
        "<g class=\"value truth {} {} c0\" data-column=\"{}\" data-value=\"{}\" {}>"
        "<title>{} is {} at {} ({})</title>",
        kind, look, escaped(name), value ? format_number(value->finite) : "", l_.where(column),
        escaped(name), text, text::short_instant(l_.step(column).at), kind);
    if (value) {
      pen_.add(
          "<rect class=\"cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
          l_.edge(column) + 3, pen_.y + 1, l_.slot - 6, kCellRow - 4);
    }
    pen_.put(value ? "middle" : "middle soft", l_.middle(column), pen_.y + 14, text);
    pen_.out += "</g>\n";
  }

  std::size_t colour_of(const std::string& state) const {
    const auto& states = l_.parts.picture.states;
    const auto found = std::find(states.begin(), states.end(), state);
    return static_cast<std::size_t>(found - states.begin()) % kMaxCurvesPerPanel;
  }

  void write_cell(const std::string& name, std::size_t automaton, std::size_t column) {
    const std::string& state = l_.parts.rows.mode(column, automaton);
    const std::string kind = to_string(l_.step(column).kind);
    pen_.add(
        "<g class=\"state {} c{}\" data-automaton=\"{}\" data-state=\"{}\" {}>"
        "<title>{} {} at {} ({})</title>"
        "<rect class=\"cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"3\"/>",
        kind, colour_of(state), escaped(name), escaped(state), l_.where(column), escaped(name),
        escaped(state), text::short_instant(l_.step(column).at), kind, l_.edge(column) + 3,
        pen_.y + 1, l_.slot - 6, kCellRow - 4);
    pen_.put("middle", l_.middle(column), pen_.y + 14, shortened(state, l_.slot - 10, kSmall));
    pen_.out += "</g>\n";
  }

  const InstantLayout& l_;
  Pen& pen_;
};

}  // namespace

void write_bands(const InstantLayout& layout, Pen& pen) { CellWriter(layout, pen).write_bands(); }

}  // namespace cradle::plot
