// Energy in an instant: who gave stands to the left, who took to the right.

#include <algorithm>
#include <cmath>

#include "show/plot/instant_layout.hpp"

namespace cradle::plot {
namespace {

class EnergyWriter {
 public:
  EnergyWriter(const InstantLayout& layout, Pen& pen) : l_(layout), pen_(pen) {}

  void write_energy() {
    if (l_.told.energy.empty()) return;
    pen_.y += 6;
    pen_.put_lines("strong", kMargin, l_.width - 2 * kMargin, balance(), 3);
    pen_.y += 2;
    const std::vector<Bar> all = bars();
    double text_room = 0, low = 0, high = 0;
    for (const Bar& bar : all) {
      text_room = std::max(text_room, small_width(sentence(bar)));
      low = std::min(low, bar.taken);
      high = std::max(high, bar.taken);
    }
    // Sentences take what they need, up to a part of the width; bars the rest.
    text_room = std::min(text_room, 0.55 * l_.width);
    const double from = std::max(l_.left, kMargin + text_room + 14);
    const double unit = high > low ? (l_.right - from) / (high - low) : 0;
    const double zero = from - low * unit;
    const double top = pen_.y;
    for (const Bar& bar : all) write_bar(bar, text_room, zero, unit);
    pen_.add("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", zero, top, pen_.y);
    if (l_.told.energy.size() > all.size()) {
      pen_.put("soft more", kMargin, pen_.y + 12,
               fmt::format("… {} more", l_.told.energy.size() - all.size()));
      pen_.y += kRow;
    }
    pen_.y += 4;
  }

 private:
  static constexpr std::size_t kMostEnergies = 12;

  struct Bar {
    const ExplainedEnergy* entry;
    double taken = 0;
    std::string text, detail;
  };

  std::vector<Bar> bars() const {
    std::vector<Bar> out;
    for (const ExplainedEnergy& entry : l_.told.energy) {
      Bar bar{&entry, entry.amount, {}, {}};
      const std::string amount = short_value(std::abs(entry.amount), kMostDigits);
      const bool negative = entry.amount < 0;
      switch (entry.kind) {
        case EnergyEntry::Kind::Store:
          bar.text = (negative ? "gives " : "takes ") + amount;
          bar.detail = short_value(entry.before, kMostDigits) + " → " +
                       short_value(entry.after, kMostDigits);
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
    for (const ExplainedEnergy& entry : l_.told.energy) {
      if (entry.kind == EnergyEntry::Kind::Source) delivered += entry.amount;
      if (entry.kind == EnergyEntry::Kind::Switch) lost += entry.amount;
    }
    const double scale = std::abs(l_.told.stored_before) + std::abs(delivered) + std::abs(lost);
    std::string out =
        fmt::format("Energy: stored {} → {}, delivered {}, dissipated {}",
                    short_value(l_.told.stored_before, kMostDigits),
                    short_value(l_.told.stored_after, kMostDigits),
                    short_value(delivered, kMostDigits), short_value(lost, kMostDigits));
    if (std::abs(l_.told.balance) > 1e-9 * scale) {
      out += ", unaccounted " + short_value(l_.told.balance, kMostDigits);
    }
    return out;
  }

  std::string sentence(const Bar& bar) const {
    const std::string text = bar.entry->name + " " + bar.text;
    return bar.detail.empty() || l_.narrow ? text : text + " (" + bar.detail + ")";
  }

  void write_bar(const Bar& bar, double text_room, double zero, double unit) {
    static constexpr const char* kKinds[] = {"store", "source", "resistor", "switch"};
    const auto kind = static_cast<std::size_t>(bar.entry->kind);
    const double end = zero + bar.taken * unit;
    pen_.add(
        "<g class=\"energy c{}\" data-name=\"{}\" data-kind=\"{}\" data-amount=\"{}\">"
        "<title>{} {} {}</title>"
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        kind > 1 ? kind - 1 : kind, escaped(bar.entry->name), kKinds[kind],
        format_number(bar.entry->amount), escaped(bar.entry->name), bar.text, bar.detail,
        std::min(zero, end), pen_.y + 3, std::max(1.0, std::abs(end - zero)), kRow - 3);
    // Of a long name its beginning; the number stays.
    std::string text = sentence(bar);
    if (small_width(text) > text_room) {
      text = shortened_inside(bar.entry->name, text_room - small_width(" " + bar.text), kSmall) +
             " " + bar.text;
    }
    pen_.put("", kMargin, pen_.y + 13, text);
    pen_.out += "</g>\n";
    pen_.y += kRow + 3;
  }

  const InstantLayout& l_;
  Pen& pen_;
};

}  // namespace

void write_energy(const InstantLayout& layout, Pen& pen) {
  EnergyWriter(layout, pen).write_energy();
}

}  // namespace cradle::plot
