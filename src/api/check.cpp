// What `check` finds without running: causality conflicts, modes without, or with more than one,
// solution, and loops of signals, also through the bond graph as it begins. In the initial mode
// these are errors; in modes that switching may or may not reach they are warnings.

#include <algorithm>
#include <map>

#include "api/implementation.hpp"
#include "core/engine/engine.hpp"
#include "core/plan/continuity.hpp"
#include "core/plan/describe.hpp"
#include "core/plan/islands.hpp"
#include "core/plan/loops.hpp"
#include "core/plan/mode_cache.hpp"
#include "theory/causality/causality.hpp"

namespace cradle {

namespace {

using plan::CellId;
using plan::UnitId;

struct Finding {
  Diagnostic diagnostic;
  int modes = 0;
  bool initial = false;
  std::string example;
};

bool begins_active(const model::Model& m, RegionId region) {
  for (; region.valid(); region = m.regions[region].parent) {
    if (m.automata[m.regions[region].automaton].initial != m.regions[region].state) return false;
  }
  return true;
}

// A source that needs what it determines itself: found by asking for all sources at ⟨0, 0⟩.
std::optional<Diagnostic> find_source_loop(const plan::Plan& plan) {
  const model::Model& m = plan.model();
  std::vector<engine::RecordedColumn> columns;
  for (const model::Element& element : m.elements) {
    if (!element.signal.valid() || m.pool.is_fixed(element.signal)) continue;
    if (!begins_active(m, element.region)) continue;
    columns.push_back({element.name, element.signal,
                       std::make_shared<const plan::Code>(plan.formula(element.signal))});
  }
  if (columns.empty()) return std::nullopt;
  Options options;
  options.until = 1;
  options.audit = false;
  options.choice = ChoicePolicy::Order;
  engine::Engine engine(plan, options, std::move(columns));
  engine.advance();
  for (const Diagnostic& d : engine.outcome().diagnostics) {
    if (d.kind == "constructive.loop") return d;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> check_modes(const plan::Plan& plan, int max_modes) {
  const model::Model& m = plan.model();
  // A large model is looked at in fewer modes: the work is bounded, and the text says so.
  constexpr std::size_t kLarge = 200000;
  const std::size_t affordable = kLarge / (m.bonds.size() + 1) + 1;
  bool complete = false;
  const std::vector<causality::Mode> modes = causality::enumerate_modes(
      m, static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(max_modes), affordable)),
      complete);
  std::map<std::string, Finding> findings;
  constexpr std::size_t kBytes = 64u << 20;  // of islands that are kept
  for (std::size_t i = 0; i < modes.size(); ++i) {
    auto note = [&](const std::string& key, const Diagnostic& diagnostic) {
      auto [it, fresh] = findings.try_emplace(key);
      if (fresh) {
        it->second.diagnostic = diagnostic;
        it->second.initial = i == 0;
        it->second.example = causality::describe(m, modes[i]);
      }
      ++it->second.modes;
    };
    const plan::IsActive is_active = [&](JunctionId j) {
      return causality::is_active(m, modes[i], j);
    };
    std::vector<UnitId> units;
    for (std::size_t u = 0; u < plan.units().size(); ++u) units.push_back(UnitId(u));
    const auto islands = plan::find_islands(
        plan, is_active,
        [&](std::vector<CellId> cells) {
          return plan.modes().find(std::move(cells), is_active, kBytes);
        },
        units);
    for (const auto& island : islands) {
      if (!island->fault()) continue;
      // Where SCAP sees a conflict, it tells more: who sets what twice.
      const causality::Assignment assignment = causality::assign_causality(m, modes[i]);
      for (const causality::Conflict& conflict : assignment.conflicts) {
        Diagnostic d = causality::describe_conflict(m, conflict, "");
        note(d.kind + d.message, d);
      }
      if (!assignment.conflicts.empty()) break;
      Diagnostic d = plan::describe(m, *island->fault());
      std::string names;
      for (const Diagnostic::Note& n : d.notes) names += n.text;
      note(d.kind + names, d);
    }
  }
  std::vector<Diagnostic> out;
  for (const std::vector<SignalId>& loop : plan::find_signal_loops(m)) {
    out.push_back(plan::describe_loop(m, loop, ""));
  }
  if (out.empty() && findings.empty()) {
    if (auto loop = find_source_loop(plan)) out.push_back(std::move(*loop));
  }
  for (Diagnostic& d : plan::find_discontinuities(m)) out.push_back(std::move(d));
  for (auto& [key, finding] : findings) {
    Diagnostic& d = finding.diagnostic;
    if (!finding.initial) d.warning();
    std::erase_if(d.notes, [](const Diagnostic::Note& n) { return n.key == "modes"; });
    if (!m.automata.empty()) {
      d.notes.insert(
          d.notes.begin(),
          {"modes", std::to_string(finding.modes) + " of " + std::to_string(modes.size()) +
                        (complete ? "" : " that were tried") + ", as " + finding.example});
    }
    out.push_back(std::move(d));
  }
  std::stable_partition(out.begin(), out.end(),
                        [](const Diagnostic& d) { return d.severity == Severity::Error; });
  return out;
}

}  // namespace cradle
