// The values of an instant: marks with numbers, and arrows for impulses.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "show/plot/axis.hpp"
#include "show/plot/instant_layout.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

class PanelWriter {
 public:
  PanelWriter(const InstantLayout& layout, Pen& pen) : l_(layout), pen_(pen) {}

  void write_panels(double below) {
    const std::vector<Panel>& panels = l_.parts.picture.panels;
    double fixed = pen_.y + below, least = 0;
    for (const Panel& panel : panels) {
      fixed +=
          10 + (l_.narrow ? name_lines(panel, false) * kRow : 0) + (lacks_values(panel) ? kRow : 0);
      least += panel_least(panel);
    }
    // What is left of the height goes to those where something changes.
    const auto lively = std::count_if(panels.begin(), panels.end(),
                                      [&](const Panel& panel) { return !is_flat(panel); });
    const double spare = std::max(0.0, l_.options.height - fixed - least) /
                         std::max<double>(1, static_cast<double>(lively));
    for (std::size_t p = 0; p < panels.size(); ++p) {
      const double more = is_flat(panels[p]) ? 0 : std::min(spare, 0.45 * l_.options.height);
      write_panel(p, std::floor(panel_least(panels[p]) + more));
    }
  }

 private:
  struct Tag {  // a number beside its mark
    std::string text;
    double anchor = 0, y = 0;
    std::vector<std::size_t> curves;
  };
  struct Spot {             // a value in a panel
    std::size_t index = 0;  // of the curve in the panel
    Number value;
    double x = 0, y = 0;  // of its mark
    double tip = 0;       // of its arrow, if it has one
    bool shared = false;  // only parasitics decide it
  };

  double panel_least(const Panel& panel) const {
    std::size_t most = 0;
    for (std::size_t c = 0; c < l_.columns(); ++c) {
      std::vector<std::string> distinct;  // with all digits: what looks equal may stand apart
      for (std::size_t k : panel.curves) {
        const auto value = l_.parts.rows.value(c, k);
        if (!value) continue;
        for (std::string& label : labels_of(*value, 17)) {
          if (std::find(distinct.begin(), distinct.end(), label) == distinct.end()) {
            distinct.push_back(std::move(label));
          }
        }
      }
      most = std::max(most, distinct.size());
    }
    const double names = l_.narrow ? 0 : kRow * static_cast<double>(panel.curves.size());
    const double least = is_flat(panel) ? 44 : l_.narrow ? 100 : 72;
    return std::max({least, names + 8, (kRow - 1) * static_cast<double>(most) + 24});
  }

  // Nothing to see but that nothing changes.
  bool is_flat(const Panel& panel) const {
    return !panel.has_weights() &&
           std::all_of(panel.curves.begin(), panel.curves.end(), [&](std::size_t c) {
             const Curve& curve = l_.parts.picture.curves[c];
             return curve.high - curve.low <= 1e-9 * std::max(curve.high, -curve.low);
           });
  }

  bool lacks_values(const Panel& panel) const {
    for (std::size_t c = 0; c < l_.columns(); ++c) {
      for (std::size_t k : panel.curves) {
        const auto value = l_.parts.rows.value(c, k);
        if (!value || !is_drawn(value->finite)) return true;
      }
    }
    return false;
  }

  // Above the panel, as many to a line as fit; returns the number of lines.
  double name_lines(const Panel& panel, bool write) {
    double x = kMargin, lines = 1;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const std::string name = shortened_inside(l_.parts.rows.layout().title(panel.curves[i]),
                                                l_.right - kMargin - 24, kSmall);
      const double wide = 24 + small_width(name) + 12;
      if (x > kMargin && x + wide > l_.right) {
        x = kMargin;
        ++lines;
      }
      if (write) write_name(i, name, x, pen_.y + lines * kRow - 4);
      x += wide;
    }
    return lines;
  }

  void write_name(std::size_t index, const std::string& name, double x, double y) {
    pen_.add("<g class=\"name c{}\"><path class=\"swatch\" d=\"M{:.1f} {:.1f}h16\"/>", index, x,
             y - 4);
    pen_.put("", x + 22, y, name);
    pen_.out += "</g>\n";
  }

  void write_panel(std::size_t p, double tall) {
    const Panel& panel = l_.parts.picture.panels[p];
    if (l_.narrow) pen_.y += name_lines(panel, true) * kRow;
    const double top = pen_.y, bottom = pen_.y + tall;
    pen_.add("<g class=\"panel\" data-panel=\"{}\">\n", p);
    pen_.add(
        "<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        l_.edge(0), top, l_.edge(l_.columns()) - l_.edge(0), tall);
    if (!l_.narrow) {
      const double count = static_cast<double>(panel.curves.size());
      double y = (top + bottom) / 2 - count * kRow / 2 + 12;
      for (std::size_t i = 0; i < panel.curves.size(); ++i, y += kRow) {
        write_name(i,
                   shortened_inside(l_.parts.rows.layout().title(panel.curves[i]),
                                    l_.left - 36 - kMargin, kSmall),
                   kMargin, y);
      }
    }
    const Axis axis = make_axis(panel.low, panel.high, 3);
    // Numbers stand above their marks, so the top keeps a line free.
    const auto y_of = [&](double value) {
      return bottom - 8 - axis.share(value) * (tall - kRow - 12);
    };
    if (axis.low <= 0 && axis.high >= 0) {
      pen_.add("<path class=\"zero\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", l_.edge(0), y_of(0),
               l_.edge(l_.columns()));
    }
    std::vector<std::vector<Spot>> spots;  // by column
    for (std::size_t c = 0; c < l_.columns(); ++c) spots.push_back(spots_of(panel, c, y_of));
    if (l_.parts.left_out > 0) {
      pen_.put("middle soft", l_.middle_of_gap(), (top + bottom) / 2 + 4, "…");
    }
    for (std::size_t i = 0; i < panel.curves.size(); ++i) write_joins(panel, i, spots);
    for (std::size_t c = 0; c < l_.columns(); ++c) {
      for (const Spot& spot : spots[c]) write_spot(panel, c, spot, y_of(0));
    }
    for (std::size_t c = 0; c < l_.columns(); ++c)
      write_tags(c, spots[c], l_.digits[p], top, bottom);
    pen_.y = bottom;
    if (lacks_values(panel)) write_lacking(panel);
    pen_.out += "</g>\n";
    pen_.y += 10;
  }

  // Marks in one place stand side by side.
  template <class Y>
  std::vector<Spot> spots_of(const Panel& panel, std::size_t column, Y y_of) const {
    std::vector<Spot> spots;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const auto value = l_.parts.rows.value(column, panel.curves[i]);
      if (!value || !is_drawn(value->finite)) continue;
      Spot spot{i, *value, l_.mark_x(column), y_of(value->finite), 0};
      const std::vector<std::string>& shared = l_.step(column).shared;
      const std::string& name = l_.parts.rows.columns()[panel.curves[i]];
      spot.shared = std::find(shared.begin(), shared.end(), name) != shared.end();
      if (value->impulse != 0 && std::isfinite(value->impulse)) {
        // On the axis of impulses, whose zero is that of the values.
        spot.tip = y_of(value->impulse * (panel.high - panel.low) /
                        (panel.weight_high - panel.weight_low));
      }
      spots.push_back(spot);
    }
    std::vector<std::size_t> order(spots.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return spots[a].y < spots[b].y; });
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin + 1;
      while (end < order.size() && spots[order[end]].y - spots[order[end - 1]].y < 2 * kMark) ++end;
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                order.begin() + static_cast<std::ptrdiff_t>(end));
      const double half = static_cast<double>(end - begin - 1) / 2;
      for (std::size_t i = begin; i < end; ++i) {
        spots[order[i]].x += l_.pitch(end - begin) * (static_cast<double>(i - begin) - half);
      }
      begin = end;
    }
    return spots;
  }

  static const Spot* find_spot(const std::vector<Spot>& spots, std::size_t index) {
    for (const Spot& spot : spots) {
      if (spot.index == index) return &spot;
    }
    return nullptr;
  }

  void write_joins(const Panel& panel, std::size_t index,
                   const std::vector<std::vector<Spot>>& spots) {
    const double aside =
        3 * (static_cast<double>(index) - (static_cast<double>(panel.curves.size()) - 1) / 2);
    for (std::size_t c = 1; c < l_.columns(); ++c) {
      const Spot* from = find_spot(spots[c - 1], index);
      const Spot* to = find_spot(spots[c], index);
      if (from == nullptr || to == nullptr || l_.parts.is_torn(c)) continue;
      const bool tried =
          l_.step(c - 1).kind == RowKind::Mythical || l_.step(c).kind == RowKind::Mythical;
      pen_.add("<path class=\"join c{}{}\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}\"/>\n", index,
               tried ? " tried" : "", from->x, from->y, l_.edge(c) + aside, to->y, to->x);
    }
  }

  void write_spot(const Panel& panel, std::size_t column, const Spot& spot, double zero) {
    const std::string& name = l_.parts.rows.columns()[panel.curves[spot.index]];
    const std::string kind = to_string(l_.step(column).kind);
    std::string weight;
    if (spot.value.impulse != 0) {
      weight = fmt::format(" data-weight=\"{}\"", format_number(spot.value.impulse));
    }
    pen_.add(
        "<g class=\"value c{} {}\" data-column=\"{}\" data-value=\"{}\"{} {}>"
        "<title>{} = {} at {} ({})</title>",
        spot.index, kind, escaped(name), format_number(spot.value.finite), weight, l_.where(column),
        escaped(name), to_string(spot.value), text::short_instant(l_.step(column).at), kind);
    if (spot.tip != 0) {
      const double head = std::clamp(zero - spot.tip, -8.0, 8.0);
      pen_.add(
          "<path class=\"arrow\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>"
          "<path class=\"arrow head\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z\"/>",
          spot.x, zero, spot.tip + head, spot.x, spot.tip, -head / 2, head, head);
    }
    pen_.mark(l_.step(column).kind, spot.x, spot.y);
    pen_.out += "</g>\n";
  }

  // Numbers stand to the right of their marks, as near as others let them; one for all that is
  // equal.
  void write_tags(std::size_t column, const std::vector<Spot>& spots, int digits, double top,
                  double bottom) {
    std::vector<Tag> tags;
    double right_most = l_.mark_x(column);
    const auto tag = [&](const std::string& text, double y, std::size_t curve, bool fits = false) {
      for (Tag& other : tags) {
        if (other.text != text || std::abs(other.anchor - y) >= 1) continue;
        other.curves.push_back(curve);
        return;
      }
      if (fits || small_width(text) <= l_.label_room + 1) tags.push_back({text, y, y - 3, {curve}});
    };
    for (const Spot& spot : spots) {
      right_most = std::max(right_most, spot.x);
      const std::vector<std::string> labels = labels_of(spot.value, digits);
      if (spot.value.impulse == 0 || spot.value.finite != 0) {
        const std::string marked = labels.front() + " shared";
        const bool fits = small_width(marked) <= l_.slot / 2 - kMark - 7;
        tag(spot.shared && fits ? marked : labels.front(), spot.y, spot.index, fits);
      }
      if (spot.tip != 0) tag(labels.back(), spot.tip, spot.index);
    }
    std::stable_sort(tags.begin(), tags.end(),
                     [](const Tag& a, const Tag& b) { return a.anchor < b.anchor; });
    double free = top + kSmall;
    for (Tag& each : tags) {
      each.y = std::max(each.y, free);
      free = each.y + kRow - 2;
    }
    free = bottom - 4;
    for (auto each = tags.rbegin(); each != tags.rend(); ++each) {
      each->y = std::min(each->y, free);
      free = each->y - kRow + 2;
    }
    const bool moved = std::any_of(tags.begin(), tags.end(), [](const Tag& each) {
      return std::abs(each.y - (each.anchor - 3)) > 5;
    });
    for (const Tag& each : tags) write_tag(each, column, right_most + kMark + 5, moved);
  }

  // Where numbers had to leave their marks, colours say whose they are.
  void write_tag(const Tag& tag, std::size_t column, double x, bool with_colours) {
    const double last = l_.edge(column) + l_.slot - 2 - small_width(tag.text);
    for (std::size_t i = 0; with_colours && i < tag.curves.size() && x + kKey - 1 <= last; ++i) {
      pen_.add("<circle class=\"key c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", tag.curves[i],
               x + 3, tag.y - 4);
      x += kKey - 1;
    }
    pen_.put("number", std::min(x, last), tag.y, tag.text);
  }

  // Under the panel: what has no value in a step.
  void write_lacking(const Panel& panel) {
    for (std::size_t c = 0; c < l_.columns(); ++c) {
      std::size_t count = 0;
      std::string one, word;
      for (std::size_t k : panel.curves) {
        const auto value = l_.parts.rows.value(c, k);
        if (value && is_drawn(value->finite)) continue;
        const std::string& name = l_.parts.rows.columns()[k];
        word = value ? to_string(*value) : l_.parts.rows.is_unknown(c, k) ? "unknown" : "absent";
        pen_.add("<g class=\"value {}\" data-column=\"{}\" {}/>\n", value ? "huge" : word,
                 escaped(name), l_.where(c));
        one = name;
        ++count;
      }
      if (count == 0) continue;
      const std::string full = count == panel.curves.size() ? word
                               : count == 1                 ? fmt::format("{} {}", one, word)
                                                            : fmt::format("{} {}", count, word);
      pen_.put("middle soft lacking", l_.middle(c), pen_.y + 13,
               shortened(small_width(full) <= l_.slot - 6 ? full : word, l_.slot - 6, kSmall));
    }
    pen_.y += kRow;
  }

  const InstantLayout& l_;
  Pen& pen_;
};

}  // namespace

void write_panels(const InstantLayout& layout, double below, Pen& pen) {
  PanelWriter(layout, pen).write_panels(below);
}

}  // namespace cradle::plot
