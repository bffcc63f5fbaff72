// What `check` finds without running: causality conflicts, modes without, or with more than one,
// solution, and loops of signals, also through the bond graph as it begins. In the initial mode
// these are errors; in modes that switching may or may not reach they are warnings.

#include <algorithm>
#include <map>

#include "api/implementation.hpp"
#include "core/engine/engine.hpp"
#include "core/plan/continuity.hpp"
#include "core/plan/describe.hpp"
#include "core/plan/loops.hpp"
#include "theory/causality/causality.hpp"

namespace cradle {

namespace {

using plan::CellId;

// The islands of a mode, each as the list of its cells.
class IslandFinder {
 public:
  explicit IslandFinder(const plan::Plan& plan) : plan_(plan) {}

  template <class Visit>
  void each(const causality::Mode& mode, Visit&& visit) {
    const model::Model& m = plan_.model();
    std::vector<char> seen(plan_.cells().size(), 0);
    for (std::size_t start = 0; start < seen.size(); ++start) {
      if (seen[start] != 0) continue;
      std::vector<CellId> cells{CellId(start)};
      std::vector<int32_t> key{static_cast<int32_t>(start)};
      seen[start] = 1;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (JunctionId j : plan_.cells()[cells[i]].controlled) {
          const bool active = causality::is_active(m, mode, j);
          key.push_back(2 * j.index + (active ? 1 : 0));
          if (!active) continue;
          for (const model::BondEnd& end : m.junctions[j].bonds) {
            CellId next = plan_.cell_of(end.bond);
            char& mark = seen[static_cast<std::size_t>(next.index)];
            if (mark == 0) cells.push_back(next);
            mark = 1;
          }
        }
      }
      std::sort(cells.begin(), cells.end());
      visit(std::move(cells), std::move(key));
    }
  }

 private:
  const plan::Plan& plan_;
};

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
    if (!element.signal.valid() || m.pool.is_constant(element.signal)) continue;
    if (!begins_active(m, element.region)) continue;
    columns.push_back({element.name, element.signal,
                       std::make_shared<const plan::Formula>(plan.formula(element.signal))});
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
  std::map<std::vector<int32_t>, std::optional<plan::IslandFault>> known;
  IslandFinder finder(plan);
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
    const causality::Assignment assignment = causality::assign_causality(m, modes[i]);
    for (const causality::Conflict& conflict : assignment.conflicts) {
      Diagnostic d = causality::describe_conflict(m, conflict, "");
      note(d.kind + d.message, d);
    }
    if (!assignment.conflicts.empty()) continue;
    finder.each(modes[i], [&](std::vector<CellId> cells, std::vector<int32_t> key) {
      auto it = known.find(key);
      if (it == known.end()) {
        auto active = [&](JunctionId j) { return causality::is_active(m, modes[i], j); };
        plan::Island island(plan, std::move(cells), active);
        it = known.emplace(std::move(key), island.fault()).first;
      }
      if (!it->second) return;
      Diagnostic d = plan::describe(m, *it->second);
      std::string names;
      for (const Diagnostic::Note& n : d.notes) names += n.text;
      note(d.kind + names, d);
    });
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
