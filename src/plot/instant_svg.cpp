// The inside of an instant as SVG: hyperdense time runs to the right, a column for each step.
//
//   g.step      the head of a column: data-eps, data-step, data-kind
//   g.note      between two columns, who moved and why: data-number where notes stand in a list
//   g.state     an automaton in one step: data-automaton, data-state, data-eps, data-step,
//   data-kind g.value     a signal in one step: data-column, data-value, data-weight if there is an
//   impulse,
//               data-eps, data-step, data-kind; class absent or unknown where it has no value
//   path.join   from step to step; class tried to and from mythical ones
//   g.energy    one that gave or took: data-name, data-kind, data-amount
//   text.more   how many steps, automata, notes or energies are not shown
//
// Marks: before is a hollow diamond, mythical a hollow circle, pinnacle a solid circle, real a
// solid square, and where the run ends without a value a cross.
//
// Text never overlaps: columns are as wide as their numbers, and notes that do not fit between
// them stand in a list below, by number.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "cradle/plot.hpp"
#include "plot/axis.hpp"
#include "plot/instant.hpp"
#include "plot/palette.hpp"
#include "plot/svg_text.hpp"
#include "report/table.hpp"

namespace cradle::plot {
namespace {

class InstantSvg {
 public:
  InstantSvg(const Explanation& told, const PlotOptions& options)
      : told_(told), options_(options) {}

  std::string text() {
    lay_out_width();
    write_head();
    if (!parts_.steps.empty()) {
      write_columns();
      write_bands();
      write_panels();
    }
    if (listed_) write_list();
    write_energy();
    write_end();
    return whole();
  }

 private:
  static constexpr double kSmall = 12;    // pixels of text
  static constexpr double kRow = 16;      // of small text
  static constexpr double kMargin = 14;   // around the picture
  static constexpr double kCellRow = 22;  // a band
  static constexpr double kMark = 4.2;    // half its size
  static constexpr double kKey = 9;       // a colour before a number
  static constexpr int kMostDigits = 4;   // of a value

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void put(const std::string& classes, double x, double y, const std::string& text) {
    add("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", classes, x, y, escaped(text));
  }

  static std::string number(double value, int digits) {
    return with_minus(report::short_number(value, digits));
  }

  static double small_width(const std::string& text) { return text_width(text, kSmall); }

  // What can stand in a panel.
  static bool is_drawn(double value) { return std::abs(value) <= 1e300; }

  std::vector<std::string> labels_of(const Number& value, int digits) const {
    std::vector<std::string> out;
    if (value.finite != 0 || value.impulse == 0) out.push_back(number(value.finite, digits));
    if (value.impulse != 0) out.push_back(number(value.impulse, digits) + "ω");
    return out;
  }

  // The widest number in a column.
  double widest_label(int digits) const {
    double widest = 0;
    for (const ExplainedStep& step : told_.steps) {
      for (const auto& [name, value] : step.values) {
        if (!value) continue;
        for (const std::string& label : labels_of(*value, digits)) {
          widest = std::max(widest, small_width(label));
        }
      }
    }
    return widest;
  }

  // ---- Where things stand, from left to right.

  void lay_out_width() {
    width_ = std::max(240, options_.width);
    narrow_ = width_ < 700;
    right_ = width_ - kMargin;
    left_ = narrow_ ? kMargin : kMargin + 60;
    double beside = 2 * kMark + 14;  // of a number: its mark, and air
    const double least = std::clamp(widest_label(narrow_ ? 2 : 3) + beside, 58.0, 96.0);
    // With a margin as wide as it may become.
    const double room = narrow_ ? right_ - left_ : 0.78 * width_;
    parts_ = unfold(told_, static_cast<std::size_t>(room / least));
    if (!narrow_) left_ = margin_for_names();
    find_slots();
    for (const Panel& panel : parts_.picture.panels) {
      if (panel.curves.size() > 3) beside = 2 * kMark + 14 + kKey;
    }
    digits_ = kMostDigits;
    while (digits_ > 2 && widest_label(digits_) + beside > slot_) --digits_;
    beside_ = beside;
    spread_ = pitch(most_equal()) * static_cast<double>(most_equal() - 1);
    label_room_ = std::min(widest_label(digits_), slot_ - beside);
  }

  // Between marks side by side.
  double pitch(std::size_t count) const {
    return std::min(2 * kMark + 2.5, 0.35 * slot_ / static_cast<double>(count));
  }

  // Signals of a panel that have one value in a step.
  std::size_t most_equal() const {
    std::size_t most = 1;
    for (const Panel& panel : parts_.picture.panels) {
      for (std::size_t c = 0; c < columns(); ++c) {
        for (std::size_t a : panel.curves) {
          const auto value = parts_.rows.value(c, a);
          const auto equal = [&](std::size_t b) {
            const auto other = parts_.rows.value(c, b);
            return value && other && value->finite == other->finite;
          };
          most = std::max<std::size_t>(most, static_cast<std::size_t>(std::count_if(
                                                 panel.curves.begin(), panel.curves.end(), equal)));
        }
      }
    }
    return most;
  }

  double margin_for_names() const {
    double widest = 60;
    for (const std::string& name : parts_.rows.columns()) {
      widest = std::max(widest, small_width(name) + 26);
    }
    for (const BandRow& row : parts_.picture.bands) {
      widest = std::max(widest, small_width(row.automaton));
    }
    return std::ceil(kMargin + std::min(widest, 0.2 * width_) + 12);
  }

  // Notes stand between the columns if they fit there, else in a list.
  void find_slots() {
    const std::size_t columns = parts_.steps.size();
    slots_ = static_cast<double>(columns + (parts_.left_out > 0 ? 1 : 0));
    const auto leads_into = [&](std::size_t column) {
      return std::any_of(parts_.notes.begin(), parts_.notes.end(),
                         [&](const Note& note) { return note.column == column; });
    };
    // The first and last note have half a column each.
    const double before = leads_into(0) ? 0.5 : 0, behind = leads_into(columns) ? 0.5 : 0;
    slot_ = (right_ - left_) / std::max(1.0, slots_ + before + behind);
    begin_ = left_ + before * slot_;
    listed_ = !notes_fit();
    if (listed_) {
      slot_ = (right_ - left_) / std::max(1.0, slots_);
      begin_ = left_;
    }
    slot_ = std::min(slot_, 420.0);
  }

  bool notes_fit() const {
    constexpr std::size_t kMostLines = 7;
    return std::all_of(parts_.notes.begin(), parts_.notes.end(), [&](const Note& note) {
      for (const NoteItem& item : note.items) {
        // No word may be broken.
        for (const std::string& text : texts_of(item)) {
          if (text_width(longest_word(text), kSmall) > note_width()) return false;
        }
      }
      return lines_of(note).size() <= kMostLines;
    });
  }

  static std::string longest_word(const std::string& text) {
    std::string longest;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (end - at > longest.size()) longest = text.substr(at, end - at);
      at = end + 1;
    }
    return longest;
  }

  static std::vector<std::string> texts_of(const NoteItem& item) {
    std::vector<std::string> texts = {item.what};
    texts.insert(texts.end(), item.why.begin(), item.why.end());
    return texts;
  }

  double note_width() const { return slot_ - 16; }

  struct Line {
    std::string text;
    bool strong = false;
  };
  std::vector<Line> lines_of(const Note& note) const {
    std::vector<Line> lines;
    for (const NoteItem& item : note.items) {
      // Bold is wider.
      for (std::string& line : wrapped(item.what, note_width(), 1.1 * kSmall)) {
        lines.push_back({std::move(line), true});
      }
      for (const std::string& why : item.why) {
        for (std::string& line : reason_lines(why)) lines.push_back({std::move(line), false});
      }
    }
    return lines;
  }

  // "a > b: 1 > 0" with its numbers on a line of their own, if that takes no more lines.
  std::vector<std::string> reason_lines(const std::string& why) const {
    std::vector<std::string> plain = wrapped(why, note_width(), kSmall);
    const std::size_t colon = why.rfind(": ");
    if (colon == std::string::npos || plain.size() < 2) return plain;
    std::vector<std::string> broken = wrapped(why.substr(0, colon + 1), note_width(), kSmall);
    for (std::string& line : wrapped(why.substr(colon + 2), note_width(), kSmall)) {
      broken.push_back(std::move(line));
    }
    return broken.size() <= plain.size() ? broken : plain;
  }

  // The left edge of a column; of one past the last: its right edge.
  double edge(std::size_t column) const {
    const bool behind_gap = parts_.left_out > 0 && column >= parts_.left_out_before;
    return begin_ + slot_ * static_cast<double>(column + (behind_gap ? 1 : 0));
  }
  double gap_edge() const { return edge(parts_.left_out_before) - slot_; }
  double middle(std::size_t column) const { return edge(column) + slot_ / 2; }
  // Where values stand: in the middle, or further left if numbers need the room.
  double mark_x(std::size_t column) const {
    const double half = spread_ / 2;
    return edge(column) +
           std::max(half + kMark + 3, std::min(slot_ / 2, slot_ - half - beside_ - label_room_));
  }

  const ExplainedStep& step(std::size_t column) const { return told_.steps[parts_.steps[column]]; }
  std::size_t columns() const { return parts_.steps.size(); }

  std::string where(std::size_t column) const {
    const ExplainedStep& at = step(column);
    return fmt::format("data-eps=\"{}\" data-step=\"{}\" data-kind=\"{}\"", at.at.eps, at.at.step,
                       to_string(at.kind));
  }

  // ---- Title, reasons, kinds of marks.

  void put_wrapped(const std::string& classes, const std::string& text, std::size_t most_lines) {
    std::vector<std::string> lines = wrapped(text, width_ - 2 * kMargin, kSmall);
    if (lines.size() > most_lines) {
      lines.resize(most_lines);
      lines.back() = shortened(lines.back() + " ……", width_ - 2 * kMargin, kSmall);
    }
    for (const std::string& line : lines) {
      put(classes, kMargin, y_ + 12, line);
      y_ += kRow;
    }
  }

  void write_head() {
    const std::string name = options_.title.empty() ? told_.model : options_.title;
    const std::string when =
        "t = " + with_minus(report::short_number(told_.found ? told_.t : told_.asked));
    constexpr double kTitle = 18 * 1.1;  // bold
    const double room = width_ - 2 * kMargin - text_width(" at " + when, kTitle);
    title_ = room < text_width("abc…", kTitle) ? shortened(when, width_ - 2 * kMargin, kTitle)
                                               : shortened(name, room, kTitle) + " at " + when;
    y_ = 12;
    put("title", kMargin, y_ + 16, title_);
    y_ += 26;
    if (!told_.found) {
      put_wrapped("soft", "Nothing happens there or near it.", 1);
      return;
    }
    if (!told_.exact) {
      put_wrapped("soft",
                  "Nothing happens at " + format_number(told_.asked) +
                      "; this is the nearest instant at which something does.",
                  3);
    }
    if (!told_.causes.empty()) {
      std::string causes;
      for (const std::string& cause : told_.causes) causes += (causes.empty() ? "" : "; ") + cause;
      put_wrapped("soft", "Time stops here because " + causes + ".", 2);
    }
    y_ += 6;
  }

  static std::string mark_shape(RowKind kind, double x, double y, double r) {
    switch (kind) {
      case RowKind::Mythical:
      case RowKind::Pinnacle:
        return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>",
                           to_string(kind), x, y, r);
      case RowKind::Before:
        return fmt::format(
            "<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} "
            "{:.1f}z\""
            "/>",
            to_string(kind), x - 1.15 * r, y, 1.15 * r, -1.15 * r, 1.15 * r, 1.15 * r, -1.15 * r,
            1.15 * r);
      case RowKind::Nonconstructive:
      case RowKind::Undecided:
        return fmt::format(
            "<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}m0 {:.1f}l{:.1f} {:.1f}\"/>",
            to_string(kind), x - r, y - r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r);
      default:
        return fmt::format(
            "<rect class=\"mark {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
            "height=\"{:.1f}\"/>",
            to_string(kind), x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
    }
  }

  // ---- The heads of the columns and the notes between them.

  // t + kε
  static std::string epsilon_time(const std::string& t, int eps) {
    if (eps == 0) return t;
    const int count = std::abs(eps);
    return t + (eps < 0 ? " − " : " + ") + (count == 1 ? "" : std::to_string(count)) + "ε";
  }

  // With the number, if it fits into every column; else with t; else the microstep alone.
  std::string instant_label(std::size_t column) const {
    const Instant at = step(column).at;
    switch (label_form_) {
      case 0:
        return report::short_instant(at);
      case 1:
        return "⟨" + epsilon_time("t", at.eps) + ", " + std::to_string(at.step) + "⟩";
      default:
        return std::to_string(at.step);
    }
  }

  void choose_labels() {
    const auto fits = [&] {
      for (std::size_t c = 0; c < columns(); ++c) {
        if (text_width(instant_label(c), 1.1 * kSmall) > slot_ - 4) return false;
      }
      return true;
    };
    for (label_form_ = 0; label_form_ < 2 && !fits();) ++label_form_;
    kinds_fit_ = true;
    for (std::size_t c = 0; c < columns(); ++c) {
      if (small_width(to_string(step(c).kind)) + 14 > slot_ - 4) kinds_fit_ = false;
    }
  }

  // Which mark is what, where the columns are too narrow to say so.
  void write_legend() {
    std::vector<RowKind> kinds;
    for (std::size_t c = 0; c < columns(); ++c) {
      const RowKind kind = step(c).kind;
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    double x = kMargin;
    for (RowKind kind : kinds) {
      const std::string name = to_string(kind);
      if (x + 16 + small_width(name) > right_ && x > kMargin) {
        x = kMargin;
        y_ += kRow;
      }
      out_ += mark_shape(kind, x + 5, y_ + 8, kMark);
      put("soft", x + 14, y_ + 12, name);
      x += 30 + small_width(name);
    }
    y_ += kRow + 6;
  }

  void write_columns() {
    choose_labels();
    if (!kinds_fit_) write_legend();
    ground_at_ = out_.size();
    columns_top_ = y_;
    write_groups();
    for (std::size_t c = 0; c < columns(); ++c) {
      add("<g class=\"step\" {}>", where(c));
      put("middle strong", middle(c), y_ + 12, instant_label(c));
      const std::string kind = to_string(step(c).kind);
      const double half = kinds_fit_ ? (small_width(kind) + 14) / 2 : 5;
      out_ += mark_shape(step(c).kind, middle(c) - half + 5, y_ + kRow + 8, kMark);
      if (kinds_fit_) put("soft", middle(c) - half + 14, y_ + kRow + 12, kind);
      out_ += "</g>\n";
    }
    write_time_arrows(y_ + 8);
    y_ += 2 * kRow + 6;
    if (parts_.left_out > 0) write_gap();
    if (listed_) {
      write_badges();
    } else {
      write_notes();
    }
  }

  void write_gap() {
    const std::vector<std::string> lines =
        wrapped(fmt::format("… {} more steps", parts_.left_out), slot_ - 4, kSmall);
    double y = columns_top_ + kRow + 12;
    for (const std::string& line : lines) {
      put("middle soft more", gap_edge() + slot_ / 2, y, line);
      y += kRow - 2;
    }
    y_ = std::max(y_, y - 2);
  }

  // Columns of one ε-step stand on one ground, under its time.
  void write_groups() {
    for (std::size_t first = 0; first < columns();) {
      std::size_t last = first;
      while (last + 1 < columns() && step(last + 1).at.eps == step(first).at.eps) ++last;
      const double from = edge(first), to = edge(last) + slot_;
      if (step(first).at.eps % 2 != 0) shaded_.emplace_back(from, to);
      const std::string t = with_minus(report::short_number(told_.t));
      for (const std::string& label :
           {epsilon_time(t, step(first).at.eps), epsilon_time("t", step(first).at.eps)}) {
        if (small_width(label) > to - from - 8) continue;
        put("middle soft", (from + to) / 2, y_ + 12, label);
        break;
      }
      add("<path class=\"bracket\" d=\"M{:.1f} {:.1f}v-4H{:.1f}v4\"/>\n", from + 3, y_ + kRow + 5,
          to - 3);
      first = last + 1;
    }
    y_ += kRow + 8;
  }

  void write_time_arrows(double y) {
    for (std::size_t c = 1; c < columns(); ++c) {
      if (parts_.is_torn(c)) continue;
      const double from = middle(c - 1) + text_width(instant_label(c - 1), 1.1 * kSmall) / 2 + 8;
      const double to = middle(c) - text_width(instant_label(c), 1.1 * kSmall) / 2 - 8;
      if (to - from < 16) continue;
      add("<path class=\"bracket\" d=\"M{:.1f} {:.1f}H{:.1f}m-5 -3l5 3l-5 3\"/>\n", from, y, to);
    }
  }

  std::string full_text(const Note& note) const {
    std::string out;
    for (const NoteItem& item : note.items) {
      out += (out.empty() ? "" : "; ") + item.what;
      for (std::size_t i = 0; i < item.why.size(); ++i) {
        out += (i == 0 ? " (" : ", ") + item.why[i] + (i + 1 == item.why.size() ? ")" : "");
      }
    }
    return out;
  }

  void write_notes() {
    std::size_t most = 0;
    for (const Note& note : parts_.notes) most = std::max(most, lines_of(note).size());
    for (const Note& note : parts_.notes) {
      add("<g class=\"note\" data-into=\"{}\"><title>{}</title>\n", note.column,
          escaped(full_text(note)));
      double y = y_ + 12;
      for (const Line& line : lines_of(note)) {
        put(line.strong ? "middle strong" : "middle soft", edge(note.column), y, line.text);
        y += kRow;
      }
      out_ += "</g>\n";
    }
    if (most > 0) y_ += static_cast<double>(most) * kRow + 8;
  }

  void badge(double x, double y, std::size_t number) {
    add("<circle class=\"badge\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\"/>", x, y);
    put("middle inverse", x, y + 4, std::to_string(number));
  }

  void write_badges() {
    for (const Note& note : parts_.notes) {
      add("<g class=\"note\" data-into=\"{}\" data-number=\"{}\"><title>{}</title>", note.column,
          note.number, escaped(full_text(note)));
      badge(edge(note.column), y_ + 10, note.number);
      out_ += "</g>\n";
    }
    y_ += 26;
  }

  void write_list() {
    constexpr std::size_t kMostNotes = 10, kMostLines = 6;
    std::vector<const Note*> notes;  // by number
    for (const Note& note : parts_.notes) {
      if (note.number > notes.size()) notes.push_back(&note);
    }
    y_ += 4;
    const double at = kMargin + 28, room = right_ - at;
    for (std::size_t i = 0; i < notes.size() && i < kMostNotes; ++i) {
      badge(kMargin + 10, y_ + 9, notes[i]->number);
      std::vector<std::string> lines = wrapped(full_text(*notes[i]), room, kSmall);
      if (lines.size() > kMostLines) {
        lines.resize(kMostLines);
        lines.back() = shortened(lines.back() + " ……", room, kSmall);
      }
      for (const std::string& line : lines) {
        put("soft", at, y_ + 13, line);
        y_ += kRow;
      }
      y_ += 6;
    }
    if (notes.size() > kMostNotes) {
      put("soft more", at, y_ + 12, fmt::format("… {} more", notes.size() - kMostNotes));
      y_ += kRow + 6;
    }
  }

  // ---- Automata.

  std::size_t colour_of(const std::string& state) const {
    const auto& states = parts_.picture.states;
    const auto found = std::find(states.begin(), states.end(), state);
    return static_cast<std::size_t>(found - states.begin()) % kMaxCurvesPerPanel;
  }

  void write_bands() {
    for (const BandRow& row : parts_.picture.bands) {
      const std::size_t automaton = *parts_.rows.find_automaton(row.automaton);
      if (narrow_) {
        put("soft", kMargin, y_ + 12, shortened_inside(row.automaton, right_ - kMargin, kSmall));
        y_ += kRow;
      } else {
        put("right", left_ - 10, y_ + 14,
            shortened_inside(row.automaton, left_ - 10 - kMargin, kSmall));
      }
      for (std::size_t c = 0; c < columns(); ++c) write_cell(row.automaton, automaton, c);
      y_ += kCellRow;
    }
    if (parts_.picture.more_bands > 0) {
      put("soft more", left_, y_ + 12,
          fmt::format("… {} more automata", parts_.picture.more_bands));
      y_ += kRow;
    }
    if (!parts_.picture.bands.empty()) y_ += 8;
  }

  void write_cell(const std::string& name, std::size_t automaton, std::size_t column) {
    const std::string& state = parts_.rows.mode(column, automaton);
    const std::string kind = to_string(step(column).kind);
    add("<g class=\"state {} c{}\" data-automaton=\"{}\" data-state=\"{}\" {}>"
        "<title>{} {} at {} ({})</title>"
        "<rect class=\"cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"3\"/>",
        kind, colour_of(state), escaped(name), escaped(state), where(column), escaped(name),
        escaped(state), report::short_instant(step(column).at), kind, edge(column) + 3, y_ + 1,
        slot_ - 6, kCellRow - 4);
    put("middle", middle(column), y_ + 14, shortened(state, slot_ - 10, kSmall));
    out_ += "</g>\n";
  }

  // ---- Panels.

  struct Tag {  // a number beside its mark
    std::string text;
    double anchor = 0, y = 0;
    std::vector<std::size_t> curves;
  };
  struct Spot {             // a value in a panel
    std::size_t index = 0;  // of the curve in the panel
    Number value;
    double x = 0, y = 0;  // of its mark
    double tip = 0;       // of its arrow
  };

  double panel_least(const Panel& panel) const {
    std::size_t most = 0;
    for (std::size_t c = 0; c < columns(); ++c) {
      std::vector<std::string> distinct;  // with all digits: what looks equal may stand apart
      for (std::size_t k : panel.curves) {
        const auto value = parts_.rows.value(c, k);
        if (!value) continue;
        for (std::string& label : labels_of(*value, 17)) {
          if (std::find(distinct.begin(), distinct.end(), label) == distinct.end()) {
            distinct.push_back(std::move(label));
          }
        }
      }
      most = std::max(most, distinct.size());
    }
    const double names = narrow_ ? 0 : kRow * static_cast<double>(panel.curves.size());
    const double least = is_flat(panel) ? 44 : 64;
    return std::max({least, names + 8, (kRow - 1) * static_cast<double>(most) + 24});
  }

  // Nothing to see but that nothing changes.
  bool is_flat(const Panel& panel) const {
    return panel.largest_weight == 0 &&
           std::all_of(panel.curves.begin(), panel.curves.end(), [&](std::size_t c) {
             const Curve& curve = parts_.picture.curves[c];
             return curve.high - curve.low <= 1e-9 * std::max(curve.high, -curve.low);
           });
  }

  bool lacks_values(const Panel& panel) const {
    for (std::size_t c = 0; c < columns(); ++c) {
      for (std::size_t k : panel.curves) {
        const auto value = parts_.rows.value(c, k);
        if (!value || !is_drawn(value->finite)) return true;
      }
    }
    return false;
  }

  // Above the panel, as many to a line as fit; returns the number of lines.
  double name_lines(const Panel& panel, bool write) {
    double x = kMargin, lines = 1;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const std::string name =
          shortened_inside(parts_.rows.columns()[panel.curves[i]], right_ - kMargin - 24, kSmall);
      const double wide = 24 + small_width(name) + 12;
      if (x > kMargin && x + wide > right_) {
        x = kMargin;
        ++lines;
      }
      if (write) write_name(i, name, x, y_ + lines * kRow - 4);
      x += wide;
    }
    return lines;
  }

  void write_name(std::size_t index, const std::string& name, double x, double y) {
    add("<g class=\"name c{}\"><path class=\"swatch\" d=\"M{:.1f} {:.1f}h16\"/>", index, x, y - 4);
    put("", x + 22, y, name);
    out_ += "</g>\n";
  }

  void write_panels() {
    const std::vector<Panel>& panels = parts_.picture.panels;
    double fixed = y_ + height_of_rest(), least = 0;
    for (const Panel& panel : panels) {
      fixed +=
          10 + (narrow_ ? name_lines(panel, false) * kRow : 0) + (lacks_values(panel) ? kRow : 0);
      least += panel_least(panel);
    }
    // What is left of the height goes to those where something changes.
    const auto lively = std::count_if(panels.begin(), panels.end(),
                                      [&](const Panel& panel) { return !is_flat(panel); });
    const double spare = std::max(0.0, options_.height - fixed - least) /
                         std::max<double>(1, static_cast<double>(lively));
    for (std::size_t p = 0; p < panels.size(); ++p) {
      const double more = is_flat(panels[p]) ? 0 : std::min(spare, 0.45 * options_.height);
      write_panel(p, std::floor(panel_least(panels[p]) + more));
    }
    columns_bottom_ = y_;
  }

  void write_panel(std::size_t p, double tall) {
    const Panel& panel = parts_.picture.panels[p];
    if (narrow_) y_ += name_lines(panel, true) * kRow;
    const double top = y_, bottom = y_ + tall;
    add("<g class=\"panel\" data-panel=\"{}\">\n", p);
    add("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        edge(0), top, edge(columns()) - edge(0), tall);
    if (!narrow_) {
      const double count = static_cast<double>(panel.curves.size());
      double y = (top + bottom) / 2 - count * kRow / 2 + 12;
      for (std::size_t i = 0; i < panel.curves.size(); ++i, y += kRow) {
        write_name(
            i,
            shortened_inside(parts_.rows.columns()[panel.curves[i]], left_ - 36 - kMargin, kSmall),
            kMargin, y);
      }
    }
    const Axis axis = make_axis(panel.low, panel.high, 3);
    // Numbers stand above their marks, so the top keeps a line free.
    const auto y_of = [&](double value) {
      return bottom - 8 - axis.share(value) * (tall - kRow - 12);
    };
    if (axis.low <= 0 && axis.high >= 0) {
      add("<path class=\"zero\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", edge(0), y_of(0),
          edge(columns()));
    }
    std::vector<std::vector<Spot>> spots;  // by column
    for (std::size_t c = 0; c < columns(); ++c) spots.push_back(spots_of(panel, c, y_of));
    if (parts_.left_out > 0) {
      put("middle soft", gap_edge() + slot_ / 2, (top + bottom) / 2 + 4, "…");
    }
    for (std::size_t i = 0; i < panel.curves.size(); ++i) write_joins(panel, i, spots);
    for (std::size_t c = 0; c < columns(); ++c) {
      for (const Spot& spot : spots[c]) write_spot(panel, c, spot, y_of(0));
    }
    for (std::size_t c = 0; c < columns(); ++c) write_tags(c, spots[c], top, bottom);
    y_ = bottom;
    if (lacks_values(panel)) write_lacking(panel);
    out_ += "</g>\n";
    y_ += 10;
  }

  // Marks in one place stand side by side.
  template <class Y>
  std::vector<Spot> spots_of(const Panel& panel, std::size_t column, Y y_of) const {
    std::vector<Spot> spots;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const auto value = parts_.rows.value(column, panel.curves[i]);
      if (!value || !is_drawn(value->finite)) continue;
      Spot spot{i, *value, mark_x(column), y_of(value->finite), 0};
      if (value->impulse != 0 && std::isfinite(value->impulse)) {
        const double share = value->impulse / panel.largest_weight;
        const double zero = y_of(0);
        spot.tip = panel.weights_on_axis ? y_of(value->impulse)
                   : share > 0           ? zero - share * (zero - y_of(panel.high))
                                         : zero - share * (y_of(panel.low) - zero);
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
        spots[order[i]].x += pitch(end - begin) * (static_cast<double>(i - begin) - half);
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
    for (std::size_t c = 1; c < columns(); ++c) {
      const Spot* from = find_spot(spots[c - 1], index);
      const Spot* to = find_spot(spots[c], index);
      if (from == nullptr || to == nullptr || parts_.is_torn(c)) continue;
      const bool tried = step(c - 1).kind == RowKind::Mythical || step(c).kind == RowKind::Mythical;
      add("<path class=\"join c{}{}\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}\"/>\n", index,
          tried ? " tried" : "", from->x, from->y, edge(c) + aside, to->y, to->x);
    }
  }

  void write_spot(const Panel& panel, std::size_t column, const Spot& spot, double zero) {
    const std::string& name = parts_.rows.columns()[panel.curves[spot.index]];
    const std::string kind = to_string(step(column).kind);
    std::string weight;
    if (spot.value.impulse != 0) {
      weight = fmt::format(" data-weight=\"{}\"", format_number(spot.value.impulse));
    }
    add("<g class=\"value c{} {}\" data-column=\"{}\" data-value=\"{}\"{} {}>"
        "<title>{} = {} at {} ({})</title>",
        spot.index, kind, escaped(name), format_number(spot.value.finite), weight, where(column),
        escaped(name), to_string(spot.value), report::short_instant(step(column).at), kind);
    if (spot.tip != 0) {
      const double head = std::clamp(zero - spot.tip, -8.0, 8.0);
      add("<path class=\"arrow\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>"
          "<path class=\"arrow head\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z\"/>",
          spot.x, zero, spot.tip + head, spot.x, spot.tip, -head / 2, head, head);
    }
    out_ += mark_shape(step(column).kind, spot.x, spot.y, kMark) + "</g>\n";
  }

  // Numbers stand to the right of their marks, as near as others let them; one for all that is
  // equal.
  void write_tags(std::size_t column, const std::vector<Spot>& spots, double top, double bottom) {
    std::vector<Tag> tags;
    double right_most = mark_x(column);
    const auto tag = [&](const std::string& text, double y, std::size_t curve) {
      for (Tag& other : tags) {
        if (other.text != text || std::abs(other.anchor - y) >= 1) continue;
        other.curves.push_back(curve);
        return;
      }
      if (small_width(text) <= label_room_ + 1) tags.push_back({text, y, y - 3, {curve}});
    };
    for (const Spot& spot : spots) {
      right_most = std::max(right_most, spot.x);
      const std::vector<std::string> labels = labels_of(spot.value, digits_);
      if (spot.value.impulse == 0 || spot.value.finite != 0) {
        tag(labels.front(), spot.y, spot.index);
      }
      if (spot.value.impulse != 0) tag(labels.back(), spot.tip, spot.index);
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
    const double last = edge(column) + slot_ - 2 - small_width(tag.text);
    for (std::size_t i = 0; with_colours && i < tag.curves.size() && x + kKey - 1 <= last; ++i) {
      add("<circle class=\"key c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", tag.curves[i], x + 3,
          tag.y - 4);
      x += kKey - 1;
    }
    put("number", std::min(x, last), tag.y, tag.text);
  }

  // Under the panel: what has no value in a step.
  void write_lacking(const Panel& panel) {
    for (std::size_t c = 0; c < columns(); ++c) {
      std::size_t count = 0;
      std::string one, word;
      for (std::size_t k : panel.curves) {
        const auto value = parts_.rows.value(c, k);
        if (value && is_drawn(value->finite)) continue;
        const std::string& name = parts_.rows.columns()[k];
        word = value ? to_string(*value) : parts_.rows.is_unknown(c, k) ? "unknown" : "absent";
        add("<g class=\"value {}\" data-column=\"{}\" {}/>\n", value ? "huge" : word, escaped(name),
            where(c));
        one = name;
        ++count;
      }
      if (count == 0) continue;
      const std::string full = count == panel.curves.size() ? word
                               : count == 1                 ? one + " " + word
                                                            : fmt::format("{} {}", count, word);
      put("middle soft lacking", middle(c), y_ + 13,
          shortened(small_width(full) <= slot_ - 6 ? full : word, slot_ - 6, kSmall));
    }
    y_ += kRow;
  }

  // ---- Energy: who gave stands to the left, who took to the right.

  static constexpr std::size_t kMostEnergies = 12;

  struct Bar {
    const ExplainedEnergy* entry;
    double taken = 0;
    std::string text, detail;
  };

  std::vector<Bar> bars() const {
    std::vector<Bar> out;
    for (const ExplainedEnergy& entry : told_.energy) {
      Bar bar{&entry, entry.amount, {}, {}};
      const std::string amount = number(std::abs(entry.amount), kMostDigits);
      const bool negative = entry.amount < 0;
      switch (entry.kind) {
        case EnergyEntry::Kind::Store:
          bar.text = (negative ? "gives " : "takes ") + amount;
          bar.detail = number(entry.before, kMostDigits) + " → " + number(entry.after, kMostDigits);
          break;
        case EnergyEntry::Kind::Source:
          bar.taken = -entry.amount;
          bar.text = (negative ? "takes up " : "delivers ") + amount;
          break;
        default:
          bar.text = (negative ? "creates " : "dissipates ") + amount;
      }
      out.push_back(std::move(bar));
    }
    if (out.size() > kMostEnergies) {
      std::stable_sort(out.begin(), out.end(), [](const Bar& a, const Bar& b) {
        return std::abs(a.taken) > std::abs(b.taken);
      });
      out.resize(kMostEnergies);
    }
    return out;
  }

  std::string balance() const {
    double delivered = 0, lost = 0;
    for (const ExplainedEnergy& entry : told_.energy) {
      if (entry.kind == EnergyEntry::Kind::Source) delivered += entry.amount;
      if (entry.kind == EnergyEntry::Kind::Switch) lost += entry.amount;
    }
    const double scale = std::abs(told_.stored_before) + std::abs(delivered) + std::abs(lost);
    std::string out = fmt::format("Energy: stored {} → {}, delivered {}, dissipated {}",
                                  number(told_.stored_before, kMostDigits),
                                  number(told_.stored_after, kMostDigits),
                                  number(delivered, kMostDigits), number(lost, kMostDigits));
    if (std::abs(told_.balance) > 1e-9 * scale) {
      out += ", unaccounted " + number(told_.balance, kMostDigits);
    }
    return out;
  }

  // Of what stands below the panels.
  double height_of_rest() {
    const double y = y_;
    std::string kept;
    kept.swap(out_);
    if (listed_) write_list();
    write_energy();
    write_end();
    kept.swap(out_);
    const double height = y_ - y;
    y_ = y;
    return height;
  }

  void write_energy() {
    if (told_.energy.empty()) return;
    y_ += 6;
    put_wrapped("strong", balance(), 3);
    y_ += 2;
    const std::vector<Bar> all = bars();
    double text_room = 0, low = 0, high = 0;
    for (const Bar& bar : all) {
      text_room = std::max(text_room, small_width(sentence(bar)));
      low = std::min(low, bar.taken);
      high = std::max(high, bar.taken);
    }
    // Sentences take what they need, up to a part of the width; bars the rest.
    text_room = std::min(text_room, 0.55 * width_);
    const double from = std::max(left_, kMargin + text_room + 14);
    const double unit = high > low ? (right_ - from) / (high - low) : 0;
    const double zero = from - low * unit;
    const double top = y_;
    for (const Bar& bar : all) write_bar(bar, text_room, zero, unit);
    add("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", zero, top, y_);
    if (told_.energy.size() > all.size()) {
      put("soft more", kMargin, y_ + 12,
          fmt::format("… {} more", told_.energy.size() - all.size()));
      y_ += kRow;
    }
    y_ += 4;
  }

  std::string sentence(const Bar& bar) const {
    const std::string text = bar.entry->name + " " + bar.text;
    return bar.detail.empty() || narrow_ ? text : text + " (" + bar.detail + ")";
  }

  void write_bar(const Bar& bar, double text_room, double zero, double unit) {
    static constexpr const char* kKinds[] = {"store", "source", "resistor", "switch"};
    const auto kind = static_cast<std::size_t>(bar.entry->kind);
    const double end = zero + bar.taken * unit;
    add("<g class=\"energy c{}\" data-name=\"{}\" data-kind=\"{}\" data-amount=\"{}\">"
        "<title>{} {} {}</title>"
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        kind > 1 ? kind - 1 : kind, escaped(bar.entry->name), kKinds[kind],
        format_number(bar.entry->amount), escaped(bar.entry->name), bar.text, bar.detail,
        std::min(zero, end), y_ + 3, std::max(1.0, std::abs(end - zero)), kRow - 3);
    // Of a long name its beginning; the number stays.
    std::string text = sentence(bar);
    if (small_width(text) > text_room) {
      text = shortened_inside(bar.entry->name, text_room - small_width(" " + bar.text), kSmall) +
             " " + bar.text;
    }
    put("", kMargin, y_ + 13, text);
    out_ += "</g>\n";
    y_ += kRow + 3;
  }

  // ---- The whole.

  void write_end() {
    if (told_.ended) {
      std::string why = std::string("The run ends here (") + to_string(told_.outcome.ending) + ")";
      for (const Diagnostic& diagnostic : told_.outcome.diagnostics) {
        if (diagnostic.severity != Severity::Error) continue;
        why += ": " + diagnostic.message;
        break;
      }
      y_ += 4;
      put_wrapped("ended", why, 4);
    }
    y_ += 10;
  }

  static std::string theme(const Palette& palette) {
    std::string out = fmt::format(
        ".ground{{fill:{0}}}text{{fill:{1}}}.inverse{{fill:{0}}}.badge{{fill:{1}}}"
        ".frame,.zero{{stroke:{2}}}.bracket,.axis{{stroke:{1}}}"
        ".mark{{stroke:currentColor}}"
        ".mark.before,.mark.mythical{{fill:{0}}}.number{{stroke:{0}}}"
        ".step{{color:{1}}}.odd{{fill:{2}}}\n",
        palette.ground, palette.ink, palette.faint);
    for (std::size_t i = 0; i < palette.colours.size(); ++i) {
      out += fmt::format(".c{}{{color:{}}}", i, palette.colours[i]);
    }
    return out + "\n";
  }

  std::string style() const {
    std::string out = fmt::format(
        "<style>\n"
        "text{{font:{}px \"DejaVu Sans\",Verdana,system-ui,sans-serif}}\n"
        ".title{{font-size:18px;font-weight:bold}}.strong{{font-weight:bold}}\n"
        ".soft{{fill-opacity:.75}}.right{{text-anchor:end}}.middle{{text-anchor:middle}}\n"
        ".odd{{fill-opacity:.35}}.frame{{fill:none}}.zero{{stroke-dasharray:2 3}}\n"
        ".bracket,.axis{{fill:none;stroke-opacity:.55}}\n"
        ".mark{{fill:currentColor;stroke-width:1.8}}\n"
        ".join{{fill:none;stroke:currentColor;stroke-width:1.2}}.tried{{stroke-dasharray:3 3}}\n"
        ".arrow{{stroke:currentColor;stroke-width:2;fill:currentColor}}\n"
        ".mythical .arrow{{stroke-dasharray:4 2}}.mythical .head{{fill:none;stroke-dasharray:none}}"
        "\n"
        ".number{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}}\n"
        ".cell{{fill:currentColor;fill-opacity:.35;stroke:currentColor}}\n"
        ".pinnacle .cell{{fill-opacity:.6}}\n"
        ".mythical .cell{{fill:none;stroke-width:1.4;stroke-dasharray:4 3}}\n"
        ".swatch{{stroke:currentColor;stroke-width:4}}.bar,.key{{fill:currentColor}}\n"
        ".ended{{font-weight:bold}}\n",
        kSmall);
    out += theme(options_.theme == PlotOptions::Theme::Dark ? kDark : kLight);
    if (options_.theme == PlotOptions::Theme::Automatic) {
      out += "@media (prefers-color-scheme:dark){\n" + theme(kDark) + "}\n";
    }
    return out + "</style>\n";
  }

  std::string whole() {
    std::string grounds;
    for (const auto& [from, to] : shaded_) {
      grounds += fmt::format(
          "<rect class=\"odd\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
          from, columns_top_, to - from, columns_bottom_ - columns_top_);
    }
    out_.insert(ground_at_, grounds);
    const double height = std::max<double>(options_.height, std::ceil(y_));
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
               "width=\"{0:.0f}\" height=\"{1:.0f}\" style=\"max-width:100%;height:auto\" "
               "role=\"img\">\n<title>{2}</title>\n",
               width_, height, escaped(title_)) +
           style() + "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n" + out_ +
           "</svg>\n";
  }

  const Explanation& told_;
  const PlotOptions& options_;
  InstantPicture parts_;
  bool narrow_ = false;  // names stand above what they name, not beside it
  bool listed_ = false;  // notes stand in a list, not between the columns
  bool kinds_fit_ = true;
  int label_form_ = 0;
  int digits_ = kMostDigits;
  double width_ = 0, left_ = 0, right_ = 0;
  double begin_ = 0, slot_ = 0, slots_ = 0;  // of the columns
  double spread_ = 0;                        // of marks side by side
  double label_room_ = 0, beside_ = 0;       // of a number, and beside it
  double y_ = 0;                             // what stands above is written
  double columns_top_ = 0, columns_bottom_ = 0;
  std::vector<std::pair<double, double>> shaded_;  // columns of odd ε-steps, from and to
  std::size_t ground_at_ = 0;  // where in the text the grounds of the groups belong
  std::string title_, out_;
};

}  // namespace
}  // namespace cradle::plot

std::string cradle::instant_svg(const Explanation& told, const PlotOptions& options) {
  return plot::InstantSvg(told, options).text();
}
