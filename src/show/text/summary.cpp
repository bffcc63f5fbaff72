#include "show/text/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/basics/assert.hpp"
#include "base/basics/bytes.hpp"
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

bool is_different(double a, double b) {
  return std::abs(a - b) > 1e-9 * std::max({1e-3, std::abs(a), std::abs(b)});
}

bool is_struck(const RowView& row) {
  return std::any_of(row.impulses.begin(), row.impulses.end(),
                     [](double impulse) { return impulse != 0; });
}

bool has_moved(const RowView& row, const RowView& before) {
  return !std::equal(row.states.begin(), row.states.end(), before.states.begin());
}

std::string abridged(std::vector<std::string> items) {
  const std::size_t all = items.size();
  if (all > kMaxChanges) items.resize(kMaxChanges);
  std::string text = fmt::format("{}", fmt::join(items, ", "));
  return all > kMaxChanges ? fmt::format("{}, … {} more", text, all - kMaxChanges) : text;
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

const std::string& SummaryRows::state(const RowView& row, std::size_t automaton) const {
  return layout_.states[automaton][static_cast<std::size_t>(row.states[automaton])];
}

// What changed between the last physical row and this one, the largest news first: moves of
// automata, impulses, values that jumped.
std::vector<std::string> SummaryRows::changes(const RowView& row, const RowView& above,
                                              const RowView& physical) const {
  std::vector<std::string> moves, impulses, jumps;
  for (std::size_t a = 0; a < layout_.automata.size(); ++a) {
    if (row.states[a] == above.states[a]) continue;
    moves.push_back(layout_.automata[a] + " " + state(row, a));
  }
  for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
    const std::string& name = layout_.columns[c];
    const auto now = row.value(c), before = physical.value(c);
    if (now && now->impulse != 0) {
      impulses.push_back("impulse(" + name + ") = " + short_number(now->impulse));
    }
    if (now && before && is_different(now->finite, before->finite)) {
      jumps.push_back(name + " " + short_number(before->finite) + " → " +
                      short_number(now->finite));
    }
  }
  moves.insert(moves.end(), impulses.begin(), impulses.end());
  moves.insert(moves.end(), jumps.begin(), jumps.end());
  return moves;
}

bool SummaryRows::differs(const RowView& row, const RowView& before) const {
  for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
    const auto now = row.value(c), then = before.value(c);
    if (now && then && is_different(now->finite, then->finite)) return true;
  }
  return false;
}

// Whether changes() has something to say.
bool SummaryRows::has_news(const RowView& row, const RowView& above,
                           const RowView& physical) const {
  return has_moved(row, above) || is_struck(row) || differs(row, physical);
}

bool SummaryRows::is_remarkable(const RowView& row) const {
  if (row.kind == RowKind::Mythical || row.kind == RowKind::Pinnacle) return true;
  if (row.kind != RowKind::Real) return false;
  const RowView physical = physical_.row();
  return is_struck(row) || (row.at.t == physical.at.t && differs(row, physical));
}

// Of a network of signals microsteps are many and mostly dull: one line for each real time at which
// something moved or jumped, from what stood before to what came of it.
void SummaryRows::look_at_time() {
  constexpr std::size_t kMost = 5;
  if (!first_.is_kept() || has_left_limits_) return;
  const RowView first = first_.row(), last = above_.row();
  if (!has_news(last, first, first)) return;
  if (++times_.all > kMost) return;
  times_.text +=
      fmt::format("{}  {}\n", short_instant(last.at), abridged(changes(last, first, first)));
  ++times_.shown;
}

// Where nothing that is shown has changed, there is nothing to remark. Words are made only of what
// is shown: a long run goes on without them.
void SummaryRows::remark(const RowView& row) {
  const RowView above = above_.row(), physical = physical_.row();
  if (!has_news(row, above, physical) || ++steps_.all > kMaxRemarkable) return;
  steps_.text += fmt::format("{}  {}: {}\n", short_instant(row.at), to_string(row.kind),
                             abridged(changes(row, above, physical)));
  ++steps_.shown;
}

void SummaryRows::remember_largest(const RowView& row) {
  largest_.resize(row.finite.size(), 0.0);
  if (row.kind == RowKind::Mythical) return;
  for (std::size_t c = 0; c < row.finite.size(); ++c) {
    largest_[c] = std::max(largest_[c], std::abs(row.finite[c]));
  }
}

// What is left of large numbers that cancel is rounding, and shown as 0.
double SummaryRows::without_rounding(double value, std::size_t column) const {
  constexpr double kRoundings = 32;
  const double largest = column < largest_.size() ? largest_[column] : 0;
  const double rounding = kRoundings * std::numeric_limits<double>::epsilon() * largest;
  return std::abs(value) <= rounding ? 0 : value;
}

void SummaryRows::take(std::span<const RowView> rows) {
  for (const RowView& row : rows) look(row);
}

void SummaryRows::look(const RowView& row) {
  has_left_limits_ |= row.kind == RowKind::Before;
  if (!above_.is_kept()) {
    above_.keep(row);
    physical_.keep(row);
    first_.keep(row);
  } else if (row.at.t != first_.row().at.t) {
    look_at_time();
    first_.keep(row);
  }
  remember_largest(row);
  if (is_remarkable(row)) remark(row);
  above_.keep(row);
  if (row.kind != RowKind::Mythical) physical_.keep(row);
}

std::string SummaryRows::save() const {
  std::string out;
  ByteWriter write(out);
  write(*this);
  return out;
}

void SummaryRows::load(std::string_view bytes) {
  SummaryRows out;
  ByteReader read(bytes);
  read(out);
  for (const KeptRow* kept : {&out.above_, &out.physical_, &out.first_}) {
    const RowView row = kept->row();
    const bool fits =
        row.finite.size() == row.impulses.size() && row.finite.size() == row.presence.size();
    if (!read.at_end() || !fits) throw std::runtime_error("the saved summary is damaged");
  }
  *this = std::move(out);
}

void SummaryRows::finish() { look_at_time(); }

std::string SummaryRows::remarkable_instants() const {
  // Without bond graphs there is no ε, and nothing before an instant but its microstep 0.
  const List& list = has_left_limits_ ? steps_ : times_;
  if (list.all == list.shown) return list.text;
  return list.text + fmt::format("… {} more\n", list.all - list.shown);
}

std::string SummaryRows::final_values() const {
  if (!above_.is_kept()) return {};
  const RowView row = above_.row();
  std::string text;
  std::size_t shown = 0;
  for (std::size_t a = 0; a < layout_.automata.size() && shown < kMaxFinalValues; ++a) {
    text += "  " + layout_.automata[a] + " " + state(row, a) + "\n";
    ++shown;
  }
  for (std::size_t c = 0; c < layout_.columns.size() && shown < kMaxFinalValues; ++c) {
    const auto value = row.value(c);
    const std::string nothing = row.presence[c] == Presence::Unknown ? " unknown" : " absent";
    const bool shared =
        std::binary_search(row.shared.begin(), row.shared.end(), static_cast<uint32_t>(c));
    const bool has_unit = value && c < layout_.units.size() && !layout_.units[c].empty();
    text += "  " + layout_.columns[c] +
            (value ? " = " + short_number(without_rounding(value->finite, c)) : nothing) +
            (has_unit ? " " + layout_.units[c] : "") + (value && shared ? " (shared)" : "") + "\n";
    ++shown;
  }
  const std::size_t all = layout_.automata.size() + layout_.columns.size();
  if (all > shown) text += fmt::format("  … {} more\n", all - shown);
  return text;
}

std::string describe(const RowCounts& counts) {
  const int64_t all = counts.events + counts.steps + counts.grid + counts.turns;
  return fmt::format(
      "{} rows: {} of events, {} of solver steps, {} between them, where a curve turns or bends{}",
      all, counts.events, counts.steps + counts.grid, counts.turns,
      counts.left_out ? "; there are more of these than were recorded" : "");
}

namespace {

// Times through which the run went along a border.
std::string slides(const Outcome& outcome) {
  constexpr std::size_t kMost = 10;
  std::string text;
  const std::size_t shown = std::min(kMost, outcome.slides.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const SlidAlong& slide = outcome.slides[i];
    text += fmt::format("along {} from {} to {}\n", slide.border, short_number(slide.begin),
                        short_number(slide.end));
  }
  const int64_t more = outcome.slide_count - static_cast<int64_t>(shown);
  if (more > 0) text += fmt::format("… {} more\n", more);
  return text;
}

// Violations themselves are diagnostics.
std::string assertions(const Outcome& outcome) {
  if (outcome.assertions == 0) return {};
  const auto violated = static_cast<int64_t>(outcome.violations.size());
  std::string text = "  " + count(outcome.assertions, "assertion", "assertions");
  return text + (violated == 0 ? outcome.finished() ? ": held throughout\n" : ": held so far\n"
                               : fmt::format(": {} violated\n", violated));
}

}  // namespace

std::string summary(const RunResult& run, const SummaryRows& rows) {
  std::string text = heading(run) + counts(run.statistics) + assertions(run.outcome);
  // Without elements there is no energy to speak of.
  if (run.audit && !run.audit->entries.empty())
    text += "\nenergy\n" + indent(audit_table(*run.audit));
  if (!run.outcome.slides.empty()) text += "\nsliding\n" + indent(slides(run.outcome));
  const std::string remarkable = rows.remarkable_instants();
  if (!remarkable.empty()) text += "\nremarkable\n" + indent(remarkable);
  const std::string values = rows.final_values();
  if (!values.empty()) text += "\nat the end\n" + values;
  return text;
}

}  // namespace cradle::text
