#include <algorithm>
#include <cmath>
#include <filesystem>

#include "show/text/explain.hpp"
#include "show/text/table.hpp"

namespace cradle::text {
namespace {

constexpr int kWidth = 96;
constexpr int kDigits = 6;
constexpr std::size_t kMostValues = 24;  // in one list
constexpr std::size_t kMostSteps = 32;
constexpr std::size_t kMostModes = 12;
constexpr std::size_t kMostEvents = 24;  // of which times are listed

std::string digits(double value) { return short_number(value, kDigits); }

std::string digits(const std::optional<Number>& value) {
  if (!value) return "absent";
  const auto rounded = [](double x) { return std::stod(short_number(x, kDigits)); };
  if (!std::isfinite(value->finite) || !std::isfinite(value->impulse)) return to_string(*value);
  return to_string(Number(rounded(value->finite), rounded(value->impulse)));
}

// A short item stays on one line: its blanks become something else until the line is written.
constexpr char kHardBlank = '\x01';
std::string together(std::string item) {
  constexpr int kShort = 40;
  if (display_width(item) <= kShort) std::replace(item.begin(), item.end(), ' ', kHardBlank);
  return item;
}

std::string listed(const std::vector<std::string>& items, const char* separator = ", ",
                   std::size_t most = kMostValues) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == most) return out + separator + "… " + std::to_string(items.size() - most) + " more";
    if (i > 0) out += separator;
    out += together(items[i]);
  }
  return out;
}

class Teller {
 public:
  Teller(const Explanation& told, const Sources& sources) : told_(told), sources_(sources) {}

  std::string text() {
    if (!told_.found) {
      nothing();
      return text_;
    }
    title();
    const std::size_t count = told_.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (count <= kMostSteps || i < kMostSteps / 2 || i + kMostSteps / 4 >= count) {
        step(i);
      } else if (i == kMostSteps / 2) {
        blank();
        put(0, "… " + std::to_string(count - kMostSteps / 2 - kMostSteps / 4) + " steps more …");
      }
    }
    if (told_.ended) {
      ending();
    } else {
      energy();
      future();
    }
    return text_;
  }

 private:
  // Words, broken into lines; those that follow stand `hang` further to the right.
  void put(int indent, const std::string& words, int hang = 0) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    int width = indent;
    bool first = true;
    std::size_t at = 0;
    while (at < words.size()) {
      std::size_t end = words.find(' ', at);
      if (end == std::string::npos) end = words.size();
      const std::string word = words.substr(at, end - at);
      at = end + 1;
      const int needed = display_width(word) + (first ? 0 : 1);
      if (!first && width + needed > kWidth) {
        add(line);
        line.assign(static_cast<std::size_t>(indent) + static_cast<std::size_t>(hang), ' ');
        width = indent + hang;
        first = true;
      }
      if (!first) line += ' ';
      line += word;
      width += display_width(word) + (first ? 0 : 1);
      first = false;
    }
    add(line);
  }
  void add(std::string line) {
    std::replace(line.begin(), line.end(), kHardBlank, ' ');
    text_ += line + "\n";
  }
  void blank() { text_ += "\n"; }

  // Two columns, where they fit.
  void pairs(int indent, const std::vector<std::pair<std::string, std::string>>& rows) {
    int left = 0;
    constexpr int kMostLeft = 52;
    for (const auto& [a, b] : rows) {
      if (display_width(a) <= kMostLeft) left = std::max(left, display_width(a));
    }
    for (const auto& [a, b] : rows) {
      const int width = display_width(a);
      if (b.empty() || width > left || indent + left + 3 + display_width(b) > kWidth) {
        put(indent, a, 4);
        if (!b.empty()) put(indent + 4, b, 4);
        continue;
      }
      text_.append(static_cast<std::size_t>(indent), ' ').append(a);
      text_.append(static_cast<std::size_t>(left - width) + 3, ' ').append(b).append("\n");
    }
  }

  void nothing() {
    put(0, told_.model + ": nothing happens at " + format_number(told_.asked) + " or near it");
    if (told_.events.empty()) {
      put(0, "Nothing happens in the whole run.");
      return;
    }
    std::vector<std::string> times;
    // Those around it.
    auto behind = std::upper_bound(told_.events.begin(), told_.events.end(), told_.asked);
    const auto index = static_cast<std::size_t>(behind - told_.events.begin());
    const std::size_t from = index > kMostEvents / 2 ? index - kMostEvents / 2 : 0;
    if (from > 0) times.emplace_back("…");
    for (std::size_t i = from; i < told_.events.size() && i < from + kMostEvents; ++i) {
      const std::string time = short_number(told_.events[i]);
      if (times.empty() || times.back() != time) times.push_back(time);
    }
    if (from + kMostEvents < told_.events.size()) times.emplace_back("…");
    put(0, "Something happens at " + listed(times, ", ", times.size()) + ".", 2);
    if (told_.outcome.ending == Ending::Running) put(0, "What comes later was not looked for.");
  }

  void title() {
    std::size_t moves = 0, told = 0;
    std::vector<std::string> first;
    for (const ExplainedStep& step : told_.steps) {
      for (const ExplainedMove& move : step.moves) {
        ++moves;
        if (++told <= 6) first.push_back(move.automaton + " " + move.from + " → " + move.to);
      }
    }
    if (!told_.exact) {
      put(0, "Nothing happens at " + format_number(told_.asked) +
                 "; this is the nearest instant at which something does.");
      blank();
    }
    std::string what = listed(first);
    if (moves > first.size()) what += ", … " + std::to_string(moves - first.size()) + " more";
    put(0, told_.model + " at t = " + short_number(told_.t) + (what.empty() ? "" : ": " + what), 2);
    if (!told_.causes.empty()) {
      put(0, "Time stops here because " + listed(told_.causes, "; ", 6) + ".", 2);
    }
  }

  std::string modes_of(const ExplainedStep& step, const ExplainedStep* above) const {
    std::vector<std::string> parts;
    const bool all = step.modes.size() <= kMostModes || above == nullptr;
    for (std::size_t a = 0; a < step.modes.size(); ++a) {
      const auto& [automaton, state] = step.modes[a];
      if (!all && above->modes[a].second == state) continue;
      parts.push_back(automaton + " ");
      parts.back() += state;
    }
    return listed(parts, ", ", kMostModes);
  }

  void step(std::size_t i) {
    const ExplainedStep& step = told_.steps[i];
    const ExplainedStep* above = i == 0 ? nullptr : &told_.steps[i - 1];
    blank();
    const std::string modes = modes_of(step, above);
    put(0,
        short_instant(step.at) + "  " + to_string(step.kind) + (step.strained ? ", strained" : "") +
            (modes.empty() ? "" : ": " + modes),
        2);
    if (above == nullptr || step.kind == RowKind::Before) {
      values(step, nullptr);
      if (step.kind == RowKind::Before) return;
    }
    if (step.begins_over) {
      put(2,
          "Moving together came back to a mode that had been tried from this state. So inference "
          "begins over, from the mode of arrival, and pivots: one automaton moves at a time, the "
          "first by declaration that is enabled.",
          2);
    }
    for (const ExplainedMove& move : step.moves) tell(move, above);
    for (const ExplainedStrain& strain : step.strains) put(2, "Strain: " + strain.text + ".", 2);
    events(step);
    jumps(step);
    relations(step);
    impulses(step);
    if (above != nullptr) values(step, above);
    for (const ExplainedSlide& slide : step.slides) tell(slide);
    why(i);
  }

  void tell(const ExplainedSlide& slide) {
    std::string text = "Sliding along " + slide.border + ": above it the left side gains " +
                       digits(slide.above) + " a second on the right one, below it " +
                       digits(slide.below) + ", so that both sides push back";
    for (const ExplainedSlide::Relay& relay : slide.relays) {
      text += "; " + relay.automaton + " is between " + relay.above + " and " + relay.below;
    }
    put(2,
        text + ". The run goes on along it, with the mean of " + digits(slide.share) +
            " of the side above and " + digits(1 - slide.share) + " of the side below.",
        2);
  }

  // What is recorded; behind the first step only what differs from the step above.
  void values(const ExplainedStep& step, const ExplainedStep* above) {
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < step.values.size(); ++c) {
      const std::string& name = step.values[c].first;
      const std::optional<Number>& value = step.values[c].second;
      const bool unknown =
          std::find(step.unknown.begin(), step.unknown.end(), name) != step.unknown.end();
      if (unknown) continue;
      if (above != nullptr && above->values[c].second == value) continue;
      const bool told = std::any_of(step.jumps.begin(), step.jumps.end(),
                                    [&](const auto& jump) { return jump.name == name; });
      if (above != nullptr && told) continue;
      const bool shared =
          std::find(step.shared.begin(), step.shared.end(), name) != step.shared.end();
      parts.push_back(name + " = " + digits(value) + (shared ? " (shared)" : ""));
    }
    if (!parts.empty()) put(2, (above == nullptr ? "" : "Values: ") + listed(parts), 2);
  }

  std::string place(const ExplainedMove& move) const {
    if (!move.place.known()) return {};
    const std::string name =
        std::filesystem::path(sources_.file(move.place.file).name).filename().string();
    return name + ":" + std::to_string(sources_.position(move.place.file, move.place.begin).line);
  }

  void tell(const ExplainedMove& move, const ExplainedStep* above) {
    const std::string from = place(move);
    std::string text = move.automaton + " goes " + move.from + " → " + move.to +
                       (from.empty() ? "" : " (" + from + ")");
    const std::string then =
        above == nullptr ? "before" : "at " + together(short_instant(above->at));
    switch (move.kind) {
      case ExplainedMove::Kind::Physical:
        text += " by a physical transition, judged on what stood " + then;
        break;
      case ExplainedMove::Kind::Inference:
        text += " by inference, judged on what was tried " + then;
        break;
      case ExplainedMove::Kind::Modal:
        text += ", judged on the values " + then;
        break;
    }
    put(2, text + ":", 4);
    if (move.conditions.empty()) put(6, move.guard.empty() ? "always" : "when " + move.guard, 4);
    const bool single = move.conditions.size() == 1 && move.conditions[0].text == move.guard;
    if (!move.conditions.empty() && !single && !move.guard.empty()) put(6, move.guard, 4);
    for (const ExplainedCondition& condition : move.conditions) tell(condition, single ? 6 : 8);
    if (!move.sets.empty()) {
      std::vector<std::string> parts;
      for (const auto& [name, value] : move.sets) parts.push_back(name + " = " + digits(value));
      put(6, "It sets " + listed(parts) + ".", 4);
    }
    if (move.history) put(6, "By history: the mode goes on where it was left.");
  }

  void tell(const ExplainedCondition& condition, int indent) {
    std::string text = condition.text;
    text += condition.numbers.empty() ? "" : ": " + condition.numbers;
    const bool plain = condition.numbers.empty();
    if (plain) {
      text += condition.holds ? ": true" : ": false";
    } else if (!condition.decided.empty()) {
      text += "; " + condition.decided + (condition.holds ? "" : ", so it is false");
    } else if (!condition.holds) {
      text += ", which is false";
    }
    std::vector<std::string> parts;
    for (const auto& [name, value] : condition.values) {
      // What a number says already is not said again.
      const std::string written = digits(value);
      const bool said =
          !plain && (" " + condition.numbers + " ").find(" " + written + " ") != std::string::npos;
      if (said || (plain && name == condition.text)) continue;
      parts.push_back(name + " = ");
      parts.back() += written;
    }
    if (plain && (!condition.because.empty() || condition.text.starts_with("not "))) parts.clear();
    if (!parts.empty()) text += ", with " + listed(parts, ", ", 8);
    if (!condition.because.empty()) text += ", because";
    put(indent, text, 4);
    for (const ExplainedCondition& reason : condition.because) tell(reason, indent + 2);
  }

  void events(const ExplainedStep& step) {
    std::vector<std::string> parts;
    for (const ExplainedEvent& event : step.events) {
      parts.push_back(event.name + " says " + digits(event.value));
    }
    if (!parts.empty()) put(2, "Events: " + listed(parts, ", ", 12), 2);
  }

  void jumps(const ExplainedStep& step) {
    std::vector<std::string> bonds, actions;
    for (const ExplainedJump& jump : step.jumps) {
      const bool action = jump.cause == ExplainedJump::Cause::Action;
      (action ? actions : bonds)
          .push_back(jump.name + " " + digits(jump.before) + " → " + digits(jump.after));
    }
    if (!bonds.empty()) {
      put(2, (step.committed ? "The state jumps: " : "The state would jump: ") + listed(bonds), 2);
    }
    if (!actions.empty()) put(2, "The new mode begins with " + listed(actions), 2);
  }

  void relations(const ExplainedStep& step) {
    if (step.relations.empty()) return;
    put(2, "The jump is determined by");
    std::vector<std::pair<std::string, std::string>> rows;
    for (const ExplainedRelation& relation : step.relations) {
      rows.emplace_back(relation.text, relation.numbers == relation.text ? "" : relation.numbers);
    }
    pairs(6, rows);
    if (step.more_relations > 0) {
      put(6, "… " + std::to_string(step.more_relations) + " more");
    }
  }

  void impulses(const ExplainedStep& step) {
    std::vector<std::string> parts;
    for (const ExplainedImpulse& impulse : step.impulses) {
      std::string text = impulse.bond;
      if (impulse.p != 0) text += " p′ = " + digits(impulse.p);
      if (impulse.q != 0) text += " q′ = " + digits(impulse.q);
      parts.push_back(text);
    }
    if (!parts.empty()) put(2, "Impulses: " + listed(parts, ", ", 12), 2);
  }

  std::string speakers(std::size_t i) const {
    std::vector<std::string> parts;
    if (i + 1 < told_.steps.size()) {
      for (const ExplainedEvent& event : told_.steps[i + 1].events) parts.push_back(event.name);
    }
    if (parts.empty()) return "logic goes on";
    return listed(parts, ", ", 6) + (parts.size() == 1 ? " speaks" : " speak");
  }

  // What the mode was, and why.
  void why(std::size_t i) {
    const ExplainedStep& step = told_.steps[i];
    const bool last = i + 1 == told_.steps.size();
    const std::vector<ExplainedMove>& moves = last ? told_.unfinished : told_.steps[i + 1].moves;
    std::vector<std::string> leaving;
    leaving.reserve(moves.size());
    for (const ExplainedMove& move : moves) leaving.push_back(move.automaton);
    const std::string who = listed(leaving, ", ", 6);
    const bool inference = !moves.empty() && moves[0].kind == ExplainedMove::Kind::Inference;
    switch (step.kind) {
      case RowKind::Mythical:
        if (inference) {
          put(2,
              "Mythical: " + who + " leave" + (leaving.size() == 1 ? "s" : "") +
                  " it by inference, in no time" +
                  (step.jumps.empty() ? "." : ", so the state never took these values."),
              2);
        } else if (!last && told_.steps[i + 1].begins_over) {
          put(2, "Mythical: to move on together would lead back to a mode that has been tried.");
        } else if (!last && told_.steps[i + 1].slides.size() > step.slides.size()) {
          put(2, "Mythical: neither side of the border that it has come to can be kept.");
        } else if (!leaving.empty()) {
          put(2,
              "Mythical: " + who + " move" + (leaving.size() == 1 ? "s" : "") +
                  " on, and no state has changed.",
              2);
        } else {
          put(2, "Mythical: no state has changed, and " + speakers(i) + " at the next microstep.",
              2);
        }
        break;
      case RowKind::Pinnacle:
        if (leaving.empty()) {
          put(2, "Pinnacle: a state has jumped, and " + speakers(i) + " at the next microstep.", 2);
        } else {
          put(2,
              "Pinnacle: the state has jumped, and " + who + " leave" +
                  (leaving.size() == 1 ? "s" : "") +
                  (moves[0].kind == ExplainedMove::Kind::Physical ? " the mode after ε."
                                                                  : " the mode."),
              2);
        }
        break;
      case RowKind::Real:
        if (last && !told_.ended) {
          put(2, "Real: nothing more is enabled, and time goes on.");
        } else if (!last) {
          put(2, step.jumps.empty() ? "Real: ε passes without a jump."
                                    : "Real: the state has jumped, so ε passes.");
        }
        break;
      case RowKind::Nonconstructive:
        put(2, "Nonconstructive: " + listed(step.unknown) + " stay" +
                   (step.unknown.size() == 1 ? "s" : "") + " unknown.");
        break;
      default:
        break;
    }
  }

  void energy() {
    if (told_.energy.empty()) {
      if (told_.stored_before != 0) {
        blank();
        put(0, "energy: none changed hands; " + digits(told_.stored_before) + " is stored.");
      }
      return;
    }
    blank();
    put(0, "energy");
    std::vector<std::pair<std::string, std::string>> rows;
    double delivered = 0, lost = 0;
    for (const ExplainedEnergy& entry : told_.energy) {
      switch (entry.kind) {
        case EnergyEntry::Kind::Store:
          rows.emplace_back(entry.name + " " + (entry.amount < 0 ? "gives " : "takes ") +
                                digits(std::abs(entry.amount)),
                            digits(entry.before) + " → " + digits(entry.after));
          break;
        case EnergyEntry::Kind::Source:
          delivered += entry.amount;
          rows.emplace_back(entry.name + (entry.amount < 0 ? " takes up " : " delivers ") +
                                digits(std::abs(entry.amount)),
                            "");
          break;
        default:
          lost += entry.amount;
          rows.emplace_back(entry.name + (entry.amount < 0 ? " creates " : " dissipates ") +
                                digits(std::abs(entry.amount)),
                            "");
          break;
      }
    }
    const std::size_t all = rows.size();
    if (all > kMostValues) rows.resize(kMostValues);
    pairs(2, rows);
    if (all > rows.size()) put(2, "… " + std::to_string(all - rows.size()) + " more");
    const double scale = std::abs(told_.stored_before) + std::abs(delivered) + std::abs(lost);
    const bool even = std::abs(told_.balance) <= 1e-9 * scale;
    put(2,
        "In all: stored " + digits(told_.stored_before) + " → " + digits(told_.stored_after) +
            ", delivered " + digits(delivered) + ", dissipated " + digits(lost) + "; " +
            (even ? "the books balance." : "unaccounted " + digits(told_.balance) + "."),
        2);
  }

  void future() {
    if (told_.steps.empty()) return;
    ExplainedStep last = told_.steps.back();
    std::string along;
    for (const ExplainedSlide& slide : last.slides) {
      along += (along.empty() ? " along " : " and ") + slide.border;
      for (const ExplainedSlide::Relay& relay : slide.relays) {
        std::erase_if(last.modes, [&](const auto& mode) { return mode.first == relay.automaton; });
      }
    }
    const std::string modes = modes_of(last, nullptr);
    const bool finished = told_.t >= told_.until;
    std::string text = "Time goes on" + along + (modes.empty() ? "" : " in " + modes);
    if (finished) {
      text = "The run ends here";
    } else if (told_.next) {
      text += ", until " + short_number(*told_.next) + ", when something happens again";
    } else if (told_.outcome.ending == Ending::Finished) {
      text += ", until the end of the run at " + short_number(told_.until);
    }
    blank();
    put(0, text + ".", 2);
  }

  void ending() {
    if (!told_.unfinished.empty()) {
      blank();
      const ExplainedStep* above = told_.steps.empty() ? nullptr : &told_.steps.back();
      for (const ExplainedMove& move : told_.unfinished) tell(move, above);
    }
    blank();
    put(0, std::string("The run ends here (") + to_string(told_.outcome.ending) + "):");
    for (const Diagnostic& diagnostic : told_.outcome.diagnostics) {
      text_ += render_text(diagnostic, sources_);
    }
  }

  const Explanation& told_;
  const Sources& sources_;
  std::string text_;
};

}  // namespace

std::string explanation_text(const Explanation& told, const Sources& sources) {
  return Teller(told, sources).text();
}

}  // namespace cradle::text
