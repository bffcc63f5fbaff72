#include "show/text/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/basics/assert.hpp"
#include "show/text/table.hpp"

namespace cradle::text {
namespace {

constexpr std::size_t kMaxAuditEntries = 12;
constexpr std::size_t kMaxRemarkable = 8;
constexpr std::size_t kMaxChanges = 4;  // named in one line
constexpr std::size_t kMaxFinalValues = 24;
constexpr int kEnergyDigits = 6;

std::string count(int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string indent(const std::string& text) {
  std::string indented = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    indented += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) indented += "  ";
  }
  return indented;
}

std::string heading(const RunResult& run) {
  if (run.outcome.finished()) {
    return fmt::format("{}: finished at {}\n", run.model, short_instant(run.outcome.at));
  }
  // With all digits, as the diagnostic has it.
  const std::string at = to_string(run.outcome.at);
  const std::string of = run.until ? " of " + short_number(*run.until) : "";
  return fmt::format("{}: ended early at {}{} ({})\n", run.model, at, of,
                     to_string(run.outcome.ending));
}

std::string counts(const Statistics& s) {
  std::string text = "  " + count(s.events, "event", "events") + ", " +
                     count(s.microsteps, "microstep", "microsteps") + ", " +
                     count(s.epsilon_steps, "ε-step", "ε-steps") + ", " +
                     count(s.jumps, "jump", "jumps") + "\n";
  text += "  " + count(s.modes_visited, "mode visited", "modes visited") +
          fmt::format("; left as mythical {}, as pinnacle {}\n", s.mythical, s.pinnacles);
  text += "  " + count(s.solver_steps, "solver step", "solver steps") +
          fmt::format(", {} rejected, {}\n", s.rejected_steps,
                      count(s.evaluations, "evaluation", "evaluations"));
  return text;
}

const char* role(EnergyEntry::Kind kind) {
  switch (kind) {
    case EnergyEntry::Kind::Store:
      return "stored";
    case EnergyEntry::Kind::Source:
      return "delivered";
    case EnergyEntry::Kind::Resistor:
      return "dissipated";
    case EnergyEntry::Kind::Switch:
      return "lost in switching";
  }
  CRADLE_ASSERT(false, "a kind of energy entry without a role");
  return "";
}

double magnitude(const EnergyEntry& entry) {
  return std::abs(entry.flowing) + std::abs(entry.jumping);
}

bool differs(double a, double b) {
  return std::abs(a - b) > 1e-9 * std::max({1e-3, std::abs(a), std::abs(b)});
}

// What changed between the last physical row and this one, the largest news first: moves of
// automata, impulses, values that jumped.
std::vector<std::string> changes(const Trajectory& trajectory, std::size_t row, std::size_t above,
                                 std::size_t physical) {
  std::vector<std::string> moves, impulses, jumps;
  for (std::size_t a = 0; a < trajectory.automata().size(); ++a) {
    if (trajectory.mode(row, a) == trajectory.mode(above, a)) continue;
    moves.push_back(trajectory.automata()[a] + " " + trajectory.mode(row, a));
  }
  for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
    const std::string& name = trajectory.columns()[c];
    const auto now = trajectory.value(row, c), before = trajectory.value(physical, c);
    if (now && now->impulse != 0) {
      impulses.push_back("impulse(" + name + ") = " + short_number(now->impulse));
    }
    if (now && before && differs(now->finite, before->finite)) {
      jumps.push_back(name + " " + short_number(before->finite) + " → " +
                      short_number(now->finite));
    }
  }
  moves.insert(moves.end(), impulses.begin(), impulses.end());
  moves.insert(moves.end(), jumps.begin(), jumps.end());
  return moves;
}

bool is_remarkable(const Trajectory& trajectory, std::size_t row, std::size_t physical) {
  const RowKind kind = trajectory.kind(row);
  if (kind == RowKind::Mythical || kind == RowKind::Pinnacle) return true;
  if (kind != RowKind::Real) return false;
  const bool same_time = trajectory.instant(row).t == trajectory.instant(physical).t;
  for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
    const auto now = trajectory.value(row, c), before = trajectory.value(physical, c);
    if (now && now->impulse != 0) return true;
    if (same_time && now && before && differs(now->finite, before->finite)) return true;
  }
  return false;
}

std::string abridged(std::vector<std::string> items) {
  const std::size_t all = items.size();
  if (all > kMaxChanges) items.resize(kMaxChanges);
  std::string text = fmt::format("{}", fmt::join(items, ", "));
  return all > kMaxChanges ? fmt::format("{}, … {} more", text, all - kMaxChanges) : text;
}

std::string final_values(const Trajectory& trajectory) {
  if (trajectory.size() == 0) return {};
  const std::size_t row = trajectory.size() - 1;
  std::string text;
  std::size_t shown = 0;
  for (std::size_t a = 0; a < trajectory.automata().size() && shown < kMaxFinalValues; ++a) {
    text += "  " + trajectory.automata()[a] + " " + trajectory.mode(row, a) + "\n";
    ++shown;
  }
  for (std::size_t c = 0; c < trajectory.columns().size() && shown < kMaxFinalValues; ++c) {
    const auto value = trajectory.value(row, c);
    const Number rounded = value.value_or(Number());
    const std::string nothing = trajectory.is_unknown(row, c) ? " unknown" : " absent";
    text += "  " + trajectory.columns()[c] +
            (value ? " = " + short_number(rounded.finite) : nothing) + "\n";
    ++shown;
  }
  const std::size_t all = trajectory.automata().size() + trajectory.columns().size();
  if (all > shown) text += fmt::format("  … {} more\n", all - shown);
  return text;
}

}  // namespace

std::string audit_table(const EnergyAudit& audit) {
  std::vector<EnergyEntry> entries;
  for (const auto& entry : audit.entries) {
    if (magnitude(entry) != 0) entries.push_back(entry);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const EnergyEntry& a, const EnergyEntry& b) {
    return magnitude(a) > magnitude(b);
  });
  const std::size_t all = entries.size();
  if (all > kMaxAuditEntries) entries.resize(kMaxAuditEntries);

  std::string text;
  if (!entries.empty()) {
    Table table;
    table.add_column("name", Table::Align::Left);
    table.add_column("energy", Table::Align::Left);
    for (const char* header : {"flowing", "jumping", "total"}) {
      table.add_column(header, Table::Align::Right);
    }
    for (const auto& e : entries) {
      table.add_row({e.name, role(e.kind), short_number(e.flowing, kEnergyDigits),
                     short_number(e.jumping, kEnergyDigits),
                     short_number(e.flowing + e.jumping, kEnergyDigits)});
    }
    text += table.text();
  }
  if (all > entries.size()) text += fmt::format("… {} more\n", all - entries.size());
  text += fmt::format(
      "stored {} → {}, delivered {}, dissipated {}, lost in switching {}, unaccounted {}\n",
      short_number(audit.stored_start, kEnergyDigits),
      short_number(audit.stored_end, kEnergyDigits), short_number(audit.delivered, kEnergyDigits),
      short_number(audit.dissipated, kEnergyDigits),
      short_number(audit.dissipated_by_switching, kEnergyDigits), short_number(audit.residual, 2));
  return text;
}

namespace {

// Of a network of signals microsteps are many and mostly dull: one line for each real time at which
// something moved or jumped, from what stood before to what came of it.
std::string remarkable_times(const Trajectory& trajectory) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::size_t all = 0;
  for (std::size_t first = 0; first < trajectory.size();) {
    std::size_t last = first;
    while (last + 1 < trajectory.size() &&
           trajectory.instant(last + 1).t == trajectory.instant(first).t) {
      ++last;
    }
    const std::vector<std::string> news = changes(trajectory, last, first, first);
    if (!news.empty() && ++all <= kMost) {
      text += fmt::format("{}  {}\n", short_instant(trajectory.instant(last)), abridged(news));
    }
    first = last + 1;
  }
  return all > kMost ? text + fmt::format("… {} more\n", all - kMost) : text;
}

bool has_left_limits(const Trajectory& trajectory) {
  for (std::size_t row = 0; row < trajectory.size(); ++row) {
    if (trajectory.kind(row) == RowKind::Before) return true;
  }
  return false;
}

}  // namespace

std::string remarkable_instants(const Trajectory& trajectory) {
  // Without bond graphs there is no ε, and nothing before an instant but its microstep 0.
  if (!has_left_limits(trajectory)) return remarkable_times(trajectory);
  std::string text;
  std::size_t shown = 0, all = 0, above = 0, physical = 0;
  for (std::size_t row = 0; row < trajectory.size(); ++row) {
    if (is_remarkable(trajectory, row, physical) && ++all <= kMaxRemarkable) {
      const std::string what = abridged(changes(trajectory, row, above, physical));
      text += fmt::format("{}  {}{}{}\n", short_instant(trajectory.instant(row)),
                          to_string(trajectory.kind(row)), what.empty() ? "" : ": ", what);
      ++shown;
    }
    above = row;
    if (trajectory.kind(row) != RowKind::Mythical) physical = row;
  }
  if (all > shown) text += fmt::format("… {} more\n", all - shown);
  return text;
}

std::string summary(const RunResult& run) {
  std::string text = heading(run) + counts(run.statistics);
  // Without elements there is no energy to speak of.
  if (run.audit && !run.audit->entries.empty())
    text += "\nenergy\n" + indent(audit_table(*run.audit));
  const std::string remarkable = remarkable_instants(run.trajectory);
  if (!remarkable.empty()) text += "\nremarkable\n" + indent(remarkable);
  const std::string values = final_values(run.trajectory);
  if (!values.empty()) text += "\nat the end\n" + values;
  return text;
}

}  // namespace cradle::text
