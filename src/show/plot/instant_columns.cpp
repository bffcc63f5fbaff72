// The heads of the columns of an instant, and the notes between them.

#include <algorithm>
#include <cmath>

#include "show/plot/instant_layout.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

class ColumnWriter {
 public:
  ColumnWriter(const InstantLayout& layout, Pen& pen) : l_(layout), pen_(pen) {}

  // Which mark is what, where the columns are too narrow to say so.
  void write_legend() {
    if (l_.kinds_fit()) return;
    std::vector<RowKind> kinds;
    bool strained = false;
    for (std::size_t c = 0; c < l_.columns(); ++c) {
      const RowKind kind = l_.step(c).kind;
      strained = strained || l_.step(c).strained;
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    double x = kMargin;
    for (RowKind kind : kinds) {
      const std::string name = to_string(kind);
      if (x + 16 + small_width(name) > l_.right && x > kMargin) {
        x = kMargin;
        pen_.y += kRow;
      }
      pen_.mark(kind, x + 5, pen_.y + 8);
      pen_.put("soft", x + 14, pen_.y + 12, name);
      x += 30 + small_width(name);
    }
    if (strained) pen_.put("soft", x, pen_.y + 12, "δ strained");
    pen_.y += kRow + 6;
  }

  void write_columns() {
    choose_labels();
    top_ = pen_.y;
    const bool kinds_fit = l_.kinds_fit();
    write_groups();
    for (std::size_t c = 0; c < l_.columns(); ++c) {
      pen_.add("<g class=\"step\" {}>", l_.where(c));
      pen_.put("middle strong", l_.middle(c), pen_.y + 12, instant_label(c));
      const std::string kind = l_.kind_of(c);
      const double half = kinds_fit ? (small_width(kind) + 14) / 2 : 5;
      pen_.mark(l_.step(c).kind, l_.middle(c) - half + 5, pen_.y + kRow + 8);
      if (kinds_fit) {
        pen_.put("soft", l_.middle(c) - half + 14, pen_.y + kRow + 12, kind);
      } else if (l_.step(c).strained) {
        pen_.put("soft", l_.middle(c) + 8, pen_.y + kRow + 12, "δ");
      }
      pen_.out += "</g>\n";
    }
    write_time_arrows(pen_.y + 8);
    pen_.y += 2 * kRow + 6;
    if (l_.parts.left_out > 0) write_gap();
    if (l_.listed) {
      write_badges();
    } else {
      write_notes();
    }
  }

  void write_list() {
    constexpr std::size_t kMostNotes = 10, kMostLines = 6;
    std::vector<const Note*> notes;  // by number
    for (const Note& note : l_.parts.notes) {
      if (note.number > notes.size()) notes.push_back(&note);
    }
    pen_.y += 4;
    const double at = kMargin + 28, room = l_.right - at;
    for (std::size_t i = 0; i < notes.size() && i < kMostNotes; ++i) {
      badge(kMargin + 10, pen_.y + 9, notes[i]->number);
      pen_.put_lines("soft", at, room, full_text(*notes[i]), kMostLines);
      pen_.y += 6;
    }
    if (notes.size() > kMostNotes) {
      pen_.put("soft more", at, pen_.y + 12, fmt::format("… {} more", notes.size() - kMostNotes));
      pen_.y += kRow + 6;
    }
  }

 private:
  // t + kε
  static std::string epsilon_time(const std::string& t, int eps) {
    if (eps == 0) return t;
    const int count = std::abs(eps);
    return t + (eps < 0 ? " − " : " + ") + (count == 1 ? "" : std::to_string(count)) + "ε";
  }

  // With the number, if it fits into every column; else with t; else the microstep alone.
  std::string instant_label(std::size_t column) const {
    const Instant at = l_.step(column).at;
    switch (label_form_) {
      case 0:
        return text::short_instant(at);
      case 1:
        return "⟨" + epsilon_time("t", at.eps) + ", " + std::to_string(at.step) + "⟩";
      default:
        return std::to_string(at.step);
    }
  }

  void choose_labels() {
    const auto fits = [&] {
      for (std::size_t c = 0; c < l_.columns(); ++c) {
        if (text_width(instant_label(c), kBold) > l_.slot - 4) return false;
      }
      return true;
    };
    for (label_form_ = 0; label_form_ < 2 && !fits();) ++label_form_;
  }

  void write_gap() {
    const std::vector<std::string> lines =
        wrapped(fmt::format("… {} more steps", l_.parts.left_out), l_.slot - 4, kSmall);
    double y = top_ + kRow + 12;
    for (const std::string& line : lines) {
      pen_.put("middle soft more", l_.middle_of_gap(), y, line);
      y += kRow - 2;
    }
    pen_.y = std::max(pen_.y, y - 2);
  }

  // Columns of one ε-step stand under its time.
  void write_groups() {
    for (std::size_t first = 0; first < l_.columns();) {
      const std::size_t last = l_.last_of_epsilon(first);
      const double from = l_.edge(first), to = l_.edge(last) + l_.slot;
      const std::string t = with_minus(text::short_number(l_.told.t));
      for (const std::string& label :
           {epsilon_time(t, l_.step(first).at.eps), epsilon_time("t", l_.step(first).at.eps)}) {
        if (small_width(label) > to - from - 8) continue;
        pen_.put("middle soft", (from + to) / 2, pen_.y + 12, label);
        break;
      }
      pen_.add("<path class=\"bracket\" d=\"M{:.1f} {:.1f}v-4H{:.1f}v4\"/>\n", from + 3,
               pen_.y + kRow + 5, to - 3);
      first = last + 1;
    }
    pen_.y += kRow + 8;
  }

  void write_time_arrows(double y) {
    for (std::size_t c = 1; c < l_.columns(); ++c) {
      if (l_.parts.is_torn(c)) continue;
      const double from = l_.middle(c - 1) + text_width(instant_label(c - 1), kBold) / 2 + 8;
      const double to = l_.middle(c) - text_width(instant_label(c), kBold) / 2 - 8;
      if (to - from < 16) continue;
      pen_.add("<path class=\"bracket\" d=\"M{:.1f} {:.1f}H{:.1f}m-5 -3l5 3l-5 3\"/>\n", from, y,
               to);
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
    for (const Note& note : l_.parts.notes) most = std::max(most, l_.lines_of(note).size());
    for (const Note& note : l_.parts.notes) {
      pen_.add("<g class=\"note\" data-into=\"{}\"><title>{}</title>\n", note.column,
               escaped(full_text(note)));
      double y = pen_.y + 12;
      for (const InstantLayout::Line& line : l_.lines_of(note)) {
        pen_.put(line.strong ? "middle strong" : "middle soft", l_.edge(note.column), y, line.text);
        y += kRow;
      }
      pen_.out += "</g>\n";
    }
    if (most > 0) pen_.y += static_cast<double>(most) * kRow + 8;
  }

  void badge(double x, double y, std::size_t number) {
    pen_.add("<circle class=\"badge\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\"/>", x, y);
    pen_.put("middle inverse", x, y + 4, std::to_string(number));
  }

  void write_badges() {
    for (const Note& note : l_.parts.notes) {
      pen_.add("<g class=\"note\" data-into=\"{}\" data-number=\"{}\"><title>{}</title>",
               note.column, note.number, escaped(full_text(note)));
      badge(l_.edge(note.column), pen_.y + 10, note.number);
      pen_.out += "</g>\n";
    }
    pen_.y += 26;
  }

  const InstantLayout& l_;
  Pen& pen_;
  double top_ = 0;
  int label_form_ = 0;  // see instant_label
};

}  // namespace

void write_legend(const InstantLayout& layout, Pen& pen) {
  ColumnWriter(layout, pen).write_legend();
}

void write_columns(const InstantLayout& layout, Pen& pen) {
  ColumnWriter(layout, pen).write_columns();
}

void write_note_list(const InstantLayout& layout, Pen& pen) {
  ColumnWriter(layout, pen).write_list();
}

}  // namespace cradle::plot
