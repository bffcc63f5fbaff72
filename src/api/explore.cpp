// Exploration by telling runs again: a run is determined by the decisions made in it, so each
// alternative of each open choice is one more run from the beginning with one more decision.
//
//   open ← [no decisions]
//   while open: run with these decisions to the end, or to the first choice beyond them
//     an end:    an outcome, or one that is known already
//     a choice:  a node, or one with an equal state that is known already; else each alternative is
//                one more decision to be tried

#include <algorithm>
#include <cmath>
#include <deque>

#include "api/columns.hpp"
#include "api/implementation.hpp"
#include "base/basics/kept_row.hpp"
#include "core/engine/engine.hpp"

namespace cradle {

namespace {

// How a run ends.
class LastRow : public RowSink {
 public:
  void begin(const RowLayout&) override {}
  void take(std::span<const RowView> rows) override { last.keep(rows.back()); }
  KeptRow last;
};

class Explorer {
 public:
  Explorer(const Model& model, Options options, const ExploreOptions& limits)
      : extended_(api::with_integrals(model.impl(), options)),
        system_(extended_ ? *extended_->system : *model.impl().system),
        options_(std::move(options)),
        limits_(limits) {
    columns_ = api::columns_for(system_.model(), options_);
    options_.choice = ChoicePolicy::All;
    options_.record = true;
    options_.record_steps = false;
  }

  Exploration explore() {
    std::deque<Task> open{{{}, -1, 0}};
    while (!open.empty()) {
      if (result_.runs >= limits_.max_runs || cancelled_) {
        result_.complete = false;
        break;
      }
      Task task = std::move(open.front());
      open.pop_front();
      const int node = run(task.decisions);
      if (task.parent >= 0) {
        result_.choices[static_cast<std::size_t>(task.parent)]
            .next[static_cast<std::size_t>(task.alternative)] = node;
      }
      if (node < 0 || !is_new_) continue;
      const auto count = result_.choices[static_cast<std::size_t>(node)].alternatives.size();
      for (std::size_t i = 0; i < count; ++i) {
        Task next{task.decisions, node, static_cast<int>(i)};
        next.decisions.push_back(static_cast<int>(i));
        open.push_back(std::move(next));
      }
    }
    spread_probability();
    return std::move(result_);
  }

 private:
  struct Task {
    std::vector<int> decisions;
    int parent, alternative;
  };
  static constexpr int kUnexplored = INT32_MIN;

  // The node or outcome at which a run with these decisions ends.
  int run(const std::vector<int>& decisions) {
    ++result_.runs;
    options_.decisions = decisions;
    engine::Engine engine(system_, options_, columns_);
    LastRow rows;
    engine.stream_to(rows);
    engine.run();
    cancelled_ |= engine.outcome().ending == Ending::Cancelled;
    if (engine.open_choice()) return add_choice(engine, *engine.open_choice());
    return add_outcome(engine, rows.last, decisions);
  }

  bool equal(const std::vector<double>& a, const std::vector<double>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](double x, double y) {
      const double scale = std::max({1.0, std::abs(x), std::abs(y)});
      return x == y || std::abs(x - y) <= limits_.tolerance * scale;
    });
  }

  int add_choice(const engine::Engine& engine, const engine::OpenChoice& open) {
    std::vector<double> state = engine.state();
    const Instant at = engine.outcome().at;
    state.push_back(at.t);
    state.push_back(open.choice.index);
    state.push_back(open.automaton.index);
    for (std::size_t i = 0; i < choice_states_.size(); ++i) {
      if (!equal(choice_states_[i], state)) continue;
      ++result_.merged;
      is_new_ = false;
      return static_cast<int>(i);
    }
    const model::Model& m = system_.model();
    ExploredChoice choice;
    choice.at = at;
    if (open.choice.valid()) {
      choice.name = m.choices[open.choice].name;
      for (int i : open.alternatives) choice.alternatives.push_back(std::to_string(i + 1));
    } else {
      const model::Automaton& automaton = m.automata[open.automaton];
      choice.name = automaton.name;
      for (int t : open.alternatives) {
        const int to = automaton.transitions[static_cast<std::size_t>(t)].to;
        choice.alternatives.push_back(automaton.states[static_cast<std::size_t>(to)]);
      }
    }
    choice.next.assign(choice.alternatives.size(), kUnexplored);
    result_.choices.push_back(std::move(choice));
    choice_states_.push_back(std::move(state));
    is_new_ = true;
    return static_cast<int>(choice_states_.size()) - 1;
  }

  static void add_values(const RowLayout& layout, const RowView& row, ExploredOutcome& out) {
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
      out.values.emplace_back(layout.columns[c], row.value(c));
    }
    for (std::size_t a = 0; a < layout.automata.size(); ++a) {
      const auto state = static_cast<std::size_t>(row.states[a]);
      out.modes.emplace_back(layout.automata[a], layout.states[a][state]);
    }
  }

  int add_outcome(const engine::Engine& engine, const KeptRow& last,
                  const std::vector<int>& decisions) {
    std::vector<double> state = engine.state();
    state.push_back(engine.outcome().at.t);
    state.push_back(static_cast<double>(engine.outcome().ending));
    for (std::size_t i = 0; i < outcome_states_.size(); ++i) {
      if (!equal(outcome_states_[i], state)) continue;
      ++result_.merged;
      return -1 - static_cast<int>(i);
    }
    ExploredOutcome outcome;
    outcome.outcome = engine.outcome();
    outcome.decisions = decisions;
    if (last.is_kept()) add_values(engine.layout(), last.row(), outcome);
    result_.outcomes.push_back(std::move(outcome));
    outcome_states_.push_back(std::move(state));
    return -static_cast<int>(result_.outcomes.size());
  }

  // Nodes were found in the order of their decisions, but an equal state may be met again deeper
  // than it was found first: paths are followed, not nodes.
  void spread_probability() {
    struct Visit {
      int node;
      double probability;
    };
    if (result_.choices.empty()) {
      if (!result_.outcomes.empty()) {
        result_.outcomes[0].probability = 1;
        result_.outcomes[0].paths = 1;
      }
      return;
    }
    constexpr int64_t kMostVisits = 1000000;
    int64_t visits = 0;
    std::vector<Visit> work{{0, 1}};
    while (!work.empty()) {
      const Visit visit = work.back();
      work.pop_back();
      if (visit.node == kUnexplored) continue;
      if (visit.node < 0) {
        ExploredOutcome& outcome = result_.outcomes[static_cast<std::size_t>(-1 - visit.node)];
        outcome.probability += visit.probability;
        ++outcome.paths;
        continue;
      }
      if (++visits > kMostVisits) {
        result_.complete = false;
        return;
      }
      ExploredChoice& choice = result_.choices[static_cast<std::size_t>(visit.node)];
      choice.probability += visit.probability;
      const double share = visit.probability / static_cast<double>(choice.next.size());
      for (int next : choice.next) work.push_back({next, share});
    }
  }

  std::unique_ptr<Model::Impl> extended_;
  const plan::Plan& system_;
  Options options_;
  ExploreOptions limits_;
  std::vector<engine::RecordedColumn> columns_;
  Exploration result_;
  std::vector<std::vector<double>> choice_states_, outcome_states_;
  bool is_new_ = false;
  bool cancelled_ = false;
};

}  // namespace

std::size_t Exploration::answers() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(),
                    [](const ExploredOutcome& o) { return o.outcome.finished(); }));
}

Exploration explore(const Model& model, Options options, const ExploreOptions& limits) {
  return Explorer(model, std::move(options), limits).explore();
}

}  // namespace cradle
