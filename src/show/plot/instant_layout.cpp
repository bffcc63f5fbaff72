#include "show/plot/instant_layout.hpp"

#include <algorithm>
#include <cmath>

#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

std::string longest_word(const std::string& text) {
  std::string longest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end - at > longest.size()) longest = text.substr(at, end - at);
    at = end + 1;
  }
  return longest;
}

std::vector<std::string> texts_of(const NoteItem& item) {
  std::vector<std::string> texts = {item.what};
  texts.insert(texts.end(), item.why.begin(), item.why.end());
  return texts;
}

// Of the widest of its numbers.
double width_of(const std::optional<Number>& value, int digits) {
  double widest = 0;
  if (!value) return widest;
  for (const std::string& label : labels_of(*value, digits)) {
    widest = std::max(widest, small_width(label));
  }
  return widest;
}

}  // namespace

std::string short_value(double value, int digits) {
  return with_minus(text::short_number(value, digits));
}

std::vector<std::string> labels_of(const Number& value, int digits) {
  std::vector<std::string> out;
  if (value.finite != 0 || value.impulse == 0) out.push_back(short_value(value.finite, digits));
  if (value.impulse != 0) out.push_back(short_value(value.impulse, digits) + "ω");
  return out;
}

bool is_drawn(double value) { return std::abs(value) <= 1e300; }

void Pen::put(const std::string& classes, double x, double at_y, const std::string& text) {
  add("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", classes, x, at_y, escaped(text));
}

void Pen::put_lines(const std::string& classes, double x, double width, const std::string& text,
                    std::size_t most) {
  std::vector<std::string> lines = wrapped(text, width, kSmall);
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() = shortened(lines.back() + " ……", width, kSmall);
  }
  for (const std::string& line : lines) {
    put(classes, x, y + 12, line);
    y += kRow;
  }
}

void Pen::mark(RowKind kind, double x, double at_y) {
  constexpr double r = kMark;
  switch (kind) {
    case RowKind::Mythical:
    case RowKind::Pinnacle:
      add("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", to_string(kind),
          x, at_y, r);
      break;
    case RowKind::Before:
      add("<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} "
          "{:.1f}z\"/>",
          to_string(kind), x - 1.15 * r, at_y, 1.15 * r, -1.15 * r, 1.15 * r, 1.15 * r, -1.15 * r,
          1.15 * r);
      break;
    case RowKind::Nonconstructive:
    case RowKind::Undecided:
      add("<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}m0 {:.1f}l{:.1f} {:.1f}\"/>",
          to_string(kind), x - r, at_y - r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r);
      break;
    default:
      add("<rect class=\"mark {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/>",
          to_string(kind), x - 0.9 * r, at_y - 0.9 * r, 1.8 * r, 1.8 * r);
      break;
  }
}

InstantLayout::InstantLayout(const Explanation& told_, const PlotOptions& options_)
    : told(told_), options(options_) {
  width = std::max(240, options.width);
  narrow = width < 700;
  right = width - kMargin;
  left = kMargin;
  beside_ = 2 * kMark + 14;
  const double least = std::clamp(widest_label(narrow ? 2 : 3) + beside_, 58.0, 96.0);
  // With a margin as wide as it may become.
  const double room = narrow ? right - left : 0.78 * width;
  parts = unfold(told, static_cast<std::size_t>(room / least));
  if (!narrow) left = margin_for_names();
  find_slots();
  const bool crowded = std::any_of(parts.picture.panels.begin(), parts.picture.panels.end(),
                                   [](const Panel& panel) { return panel.curves.size() > 3; });
  if (crowded) beside_ += kKey;
  for (const Panel& panel : parts.picture.panels) {
    digits.push_back(digits_for(panel));
    label_room = std::max(label_room, widest_label(panel, digits.back()));
  }
  label_room = std::min(label_room, slot - beside_);
  const std::size_t side_by_side = most_equal();
  spread_ = pitch(side_by_side) * static_cast<double>(side_by_side - 1);
}

double InstantLayout::widest_label(int with_digits) const {
  double widest = 0;
  for (const ExplainedStep& step : told.steps) {
    for (const auto& [name, value] : step.values) {
      widest = std::max(widest, width_of(value, with_digits));
    }
  }
  return widest;
}

double InstantLayout::widest_label(const Panel& panel, int with_digits) const {
  double widest = 0;
  for (std::size_t c = 0; c < columns(); ++c) {
    for (std::size_t k : panel.curves) {
      widest = std::max(widest, width_of(parts.rows.value(c, k), with_digits));
    }
  }
  return widest;
}

// As many as fit; more than usual where values that stand apart would read the same.
int InstantLayout::digits_for(const Panel& panel) const {
  const auto fit = [&](int count) { return widest_label(panel, count) + beside_ <= slot; };
  int usual = kMostDigits;
  while (usual > 2 && !fit(usual)) --usual;
  constexpr int kEnough = 12;
  for (int more = usual; more <= kEnough && fit(more); ++more) {
    if (tells_apart(panel, more)) return more;
  }
  return usual;
}

bool InstantLayout::tells_apart(const Panel& panel, int with_digits) const {
  constexpr double kApart = 0.02;  // of the panel
  std::vector<double> values;
  for (std::size_t c = 0; c < columns(); ++c) {
    for (std::size_t k : panel.curves) {
      const auto value = parts.rows.value(c, k);
      if (value && is_drawn(value->finite)) values.push_back(value->finite);
    }
  }
  std::sort(values.begin(), values.end());
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] > kApart * (panel.high - panel.low) &&
        short_value(values[i], with_digits) == short_value(values[i - 1], with_digits)) {
      return false;
    }
  }
  return true;
}

double InstantLayout::pitch(std::size_t count) const {
  return std::min(2 * kMark + 2.5, 0.35 * slot / static_cast<double>(count));
}

// Signals of a panel that have one value in a step.
std::size_t InstantLayout::most_equal() const {
  std::size_t most = 1;
  for (const Panel& panel : parts.picture.panels) {
    for (std::size_t c = 0; c < columns(); ++c) {
      for (std::size_t a : panel.curves) {
        const auto value = parts.rows.value(c, a);
        const auto equal = [&](std::size_t b) {
          const auto other = parts.rows.value(c, b);
          return value && other && value->finite == other->finite;
        };
        most = std::max<std::size_t>(most, static_cast<std::size_t>(std::count_if(
                                               panel.curves.begin(), panel.curves.end(), equal)));
      }
    }
  }
  return most;
}

double InstantLayout::margin_for_names() const {
  double widest = 60;
  for (std::size_t c = 0; c < parts.rows.columns().size(); ++c) {
    widest = std::max(widest, small_width(parts.rows.layout().title(c)) + 26);
  }
  for (const BandRow& row : parts.picture.bands) {
    widest = std::max(widest, small_width(row.name));
  }
  return std::ceil(kMargin + std::min(widest, 0.2 * width) + 12);
}

// Notes stand between the columns if they fit there, else in a list.
void InstantLayout::find_slots() {
  const double slots = static_cast<double>(columns() + (parts.left_out > 0 ? 1 : 0));
  const auto leads_into = [&](std::size_t column) {
    return std::any_of(parts.notes.begin(), parts.notes.end(),
                       [&](const Note& note) { return note.column == column; });
  };
  // The first and last note have half a column each.
  const double before = leads_into(0) ? 0.5 : 0, behind = leads_into(columns()) ? 0.5 : 0;
  slot = (right - left) / std::max(1.0, slots + before + behind);
  begin_ = left + before * slot;
  listed = !notes_fit();
  if (listed) {
    slot = (right - left) / std::max(1.0, slots);
    begin_ = left;
  }
  slot = std::min(slot, 420.0);
}

bool InstantLayout::notes_fit() const {
  constexpr std::size_t kMostLines = 7;
  return std::all_of(parts.notes.begin(), parts.notes.end(), [&](const Note& note) {
    for (const NoteItem& item : note.items) {
      // No word may be broken.
      for (const std::string& text : texts_of(item)) {
        if (text_width(longest_word(text), kSmall) > note_width()) return false;
      }
    }
    return lines_of(note).size() <= kMostLines;
  });
}

std::vector<InstantLayout::Line> InstantLayout::lines_of(const Note& note) const {
  std::vector<Line> lines;
  for (const NoteItem& item : note.items) {
    // Bold is wider.
    for (std::string& line : wrapped(item.what, note_width(), kBold)) {
      lines.push_back({std::move(line), true});
    }
    for (const std::string& why : item.why) {
      for (std::string& line : reason_lines(why)) lines.push_back({std::move(line), false});
    }
  }
  return lines;
}

// "a > b: 1 > 0" with its numbers on a line of their own, if that takes no more lines.
std::vector<std::string> InstantLayout::reason_lines(const std::string& why) const {
  std::vector<std::string> plain = wrapped(why, note_width(), kSmall);
  const std::size_t colon = why.rfind(": ");
  if (colon == std::string::npos || plain.size() < 2) return plain;
  std::vector<std::string> broken = wrapped(why.substr(0, colon + 1), note_width(), kSmall);
  for (std::string& line : wrapped(why.substr(colon + 2), note_width(), kSmall)) {
    broken.push_back(std::move(line));
  }
  return broken.size() <= plain.size() ? broken : plain;
}

std::size_t InstantLayout::last_of_epsilon(std::size_t column) const {
  std::size_t last = column;
  while (last + 1 < columns() && step(last + 1).at.eps == step(column).at.eps) ++last;
  return last;
}

double InstantLayout::edge(std::size_t column) const {
  const bool behind_gap = parts.left_out > 0 && column >= parts.left_out_before;
  return begin_ + slot * static_cast<double>(column + (behind_gap ? 1 : 0));
}

double InstantLayout::mark_x(std::size_t column) const {
  const double half = spread_ / 2;
  return edge(column) +
         std::max(half + kMark + 3, std::min(slot / 2, slot - half - beside_ - label_room));
}

std::string InstantLayout::where(std::size_t column) const {
  const ExplainedStep& at = step(column);
  return fmt::format("data-eps=\"{}\" data-step=\"{}\" data-kind=\"{}\"", at.at.eps, at.at.step,
                     to_string(at.kind));
}

bool InstantLayout::kinds_fit() const {
  for (std::size_t c = 0; c < columns(); ++c) {
    if (small_width(kind_of(c)) + 18 > slot) return false;
  }
  return true;
}

std::string InstantLayout::kind_of(std::size_t column) const {
  return std::string(to_string(step(column).kind)) + (step(column).strained ? ", strained" : "");
}

}  // namespace cradle::plot
