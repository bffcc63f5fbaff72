#include "show/plot/instant.hpp"

#include <algorithm>
#include <numeric>

#include "base/basics/row_buffer.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

constexpr int kNoteDigits = 6;

std::string number_text(const std::optional<Number>& value) {
  if (!value) return "absent";
  std::string out;
  if (value->finite != 0 || value->impulse == 0) {
    out = text::short_number(value->finite, kNoteDigits);
  }
  if (value->impulse != 0) {
    out += (out.empty() ? "" : " + ") + text::short_number(value->impulse, kNoteDigits) + "ω";
  }
  return out;
}

void add_reasons(const std::vector<ExplainedCondition>& conditions, int depth,
                 std::vector<std::string>& out) {
  constexpr int kDeepest = 2;  // definitions of signals that are followed
  for (const ExplainedCondition& condition : conditions) {
    if (!condition.holds || condition.text == "true") continue;
    if (condition.numbers.empty() && !condition.because.empty() && depth < kDeepest) {
      add_reasons(condition.because, depth + 1, out);
    } else {
      out.push_back(condition.text + (condition.numbers.empty() ? "" : ": " + condition.numbers) +
                    (condition.decided.empty() ? "" : "; " + condition.decided));
    }
  }
}

NoteItem item_of(const ExplainedMove& move) {
  NoteItem item{move.automaton + ": " + move.from + " → " + move.to, {}};
  add_reasons(move.conditions, 0, item.why);
  if (item.why.empty() && !move.guard.empty() && move.guard != "true") {
    item.why.push_back(move.guard);
  }
  for (const auto& [name, value] : move.sets) {
    item.why.push_back("sets " + name + " = " + number_text(value));
  }
  return item;
}

Note note_of(std::size_t column, const std::vector<ExplainedMove>& moves,
             const std::vector<ExplainedEvent>& events) {
  Note note{column, {}, 0};
  for (const ExplainedMove& move : moves) note.items.push_back(item_of(move));
  for (const ExplainedEvent& event : events) {
    note.items.push_back({event.name, {"says " + number_text(event.value)}});
  }
  return note;
}

// The beginning and, a third of it, the end.
void choose_steps(std::size_t count, std::size_t most, InstantPicture& out) {
  const std::size_t shown = count <= most ? count : most - 1;  // one is for what is left out
  const std::size_t first = count <= most ? count : shown - shown / 3;
  for (std::size_t i = 0; i < shown; ++i) {
    out.steps.push_back(i < first ? i : count - shown + i);
  }
  out.left_out = count - shown;
  out.left_out_before = first;
}

// Where there are too many to draw them all, those that move come first.
std::vector<std::size_t> automata_in_order(const Explanation& told,
                                           const std::vector<std::size_t>& steps) {
  const auto& first = told.steps[steps[0]].modes;
  std::vector<std::size_t> order(first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMaxBands) return order;
  std::stable_partition(order.begin(), order.end(), [&](std::size_t a) {
    return std::any_of(steps.begin(), steps.end(), [&](std::size_t s) {
      return told.steps[s].modes[a].second != first[a].second;
    });
  });
  return order;
}

Trajectory rows_of(const Explanation& told, const std::vector<std::size_t>& steps) {
  if (steps.empty()) return {};
  std::vector<std::string> columns, automata;
  for (const auto& [name, value] : told.steps[steps[0]].values) columns.push_back(name);
  const std::vector<std::size_t> order = automata_in_order(told, steps);
  for (std::size_t a : order) automata.push_back(told.steps[steps[0]].modes[a].first);
  std::vector<std::vector<std::string>> states(automata.size());
  // All states that there are, so that each has its colour, whether it is visited here or not.
  for (std::size_t a = 0; a < automata.size(); ++a) {
    const auto& known = told.layout.automata;
    const auto found = std::find(known.begin(), known.end(), automata[a]);
    if (found != known.end())
      states[a] = told.layout.states[static_cast<std::size_t>(found - known.begin())];
  }
  const auto index_of = [&](std::size_t a, const std::string& state) {
    const auto found = std::find(states[a].begin(), states[a].end(), state);
    const auto index = static_cast<int32_t>(found - states[a].begin());
    if (found == states[a].end()) states[a].push_back(state);
    return index;
  };
  for (std::size_t s : steps) {
    for (std::size_t a = 0; a < automata.size(); ++a)
      index_of(a, told.steps[s].modes[order[a]].second);
  }
  RowLayout layout{.columns = columns, .automata = automata, .states = states};
  if (told.layout.columns == columns) {
    layout.units = told.layout.units;
    layout.truths = told.layout.truths;
  }
  RowBuffer rows(std::move(layout));
  for (std::size_t s : steps) {
    const ExplainedStep& step = told.steps[s];
    const std::size_t row = rows.add_row(step.at, step.kind);
    for (std::size_t a = 0; a < automata.size(); ++a) {
      rows.set_state(row, a, index_of(a, step.modes[order[a]].second));
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      rows.set_value(row, c, step.values[c].second);
      const auto& unknown = step.unknown;
      if (std::find(unknown.begin(), unknown.end(), columns[c]) != unknown.end()) {
        rows.set_unknown(row, c);
      }
    }
  }
  return to_trajectory(rows);
}

}  // namespace

InstantPicture unfold(const Explanation& told, std::size_t most_columns) {
  InstantPicture out;
  choose_steps(told.steps.size(), std::max<std::size_t>(most_columns, 3), out);
  out.rows = rows_of(told, out.steps);
  out.picture = draw(out.rows, true);
  // In the order of the model and not of this picture.
  if (!told.layout.states.empty()) out.picture.states = told.layout.state_names();
  for (std::size_t column = 0; column < out.steps.size(); ++column) {
    const ExplainedStep& step = told.steps[out.steps[column]];
    Note& note = out.notes.emplace_back(note_of(column, step.moves, step.events));
    if (step.begins_over) {
      note.items.insert(note.items.begin(),
                        {"begins over", {"moving together came round: one automaton at a time"}});
    }
  }
  out.notes.push_back(note_of(out.steps.size(), told.unfinished, {}));
  std::erase_if(out.notes, [](const Note& note) { return note.items.empty(); });
  std::size_t next = 1;
  for (std::size_t i = 0; i < out.notes.size(); ++i) {
    const auto same =
        std::find_if(out.notes.begin(), out.notes.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const Note& other) { return other.items == out.notes[i].items; });
    const bool is_new = static_cast<std::size_t>(same - out.notes.begin()) == i;
    out.notes[i].number = is_new ? next++ : same->number;
  }
  return out;
}

}  // namespace cradle::plot
