// Exploration by copying states. A run goes on until nothing says how; there its state, as it was
// at the beginning of that microstep, is a node, from which each alternative is tried.
//
//   frontier ← the beginning
//   while frontier: of those that stand at the earliest instant, each goes on with its decisions
//     to an end:    an outcome, or one that is known already
//     to a choice:  a node, or one at the same place that is known already; else each alternative
//                   is one more decision to be tried
//
// Nodes are met in the order of time, so one that lies before all of the frontier is never met
// again, and its state is forgotten. Those of one instant are independent of each other: threads
// share them, and what they find is put together in the order of the frontier.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <thread>

#include "api/columns.hpp"
#include "api/implementation.hpp"
#include "base/basics/assert.hpp"
#include "core/engine/engine.hpp"

namespace cradle {

namespace {

using engine::State;

constexpr int kUnexplored = INT32_MIN;

// A way to go on: from a state, with the decisions of its microstep.
struct Task {
  std::shared_ptr<const State> from;  // null: from the beginning
  std::vector<int> decisions;         // of the microstep that it begins with
  std::vector<int> path;              // all of them, from the beginning
  int parent = -1, alternative = 0;
};

// Where a task has led.
struct Found {
  std::shared_ptr<const State> state;  // of a choice: at the beginning of its microstep
  std::vector<int> decisions;          // of a choice: in that microstep
  std::optional<engine::OpenChoice> open;
  Instant at;
  Outcome outcome;
  std::vector<std::optional<Number>> values;
};

// Goes on until the run ends or nothing says how.
Found follow(engine::Engine& engine, const Task& task) {
  Found found;
  if (task.from) engine.restore(*task.from, task.decisions);
  // A choice belongs to the microstep in which it is met; the decisions of the task to the one that
  // it begins with.
  auto before = std::make_shared<State>(engine.state());
  found.decisions = task.decisions;
  while (engine.go_on()) {
    if (!engine.state().instant.under_way) continue;
    *before = engine.state();
    found.decisions.clear();
  }
  found.outcome = engine.outcome();
  found.at = engine.outcome().at;
  found.open = engine.open_choice();
  if (found.open) {
    found.state = std::move(before);
  } else {
    found.state = std::make_shared<State>(engine.state());
    found.values = engine.values();
  }
  return found;
}

class Explorer {
 public:
  Explorer(const Model& model, Options options, const ExploreOptions& limits)
      : model_(api::model_for(model, options)),
        plan_(*model_->plan),
        options_(std::move(options)),
        limits_(limits) {
    columns_ = api::columns_for(plan_, options_);
    options_.choice = ChoicePolicy::All;
    options_.record = false;
    options_.audit = false;
  }

  Exploration explore() {
    frontier_[Instant{-HUGE_VAL, 0, 0}].push_back({});
    while (!frontier_.empty() && result_.complete) {
      const auto first = frontier_.begin();
      std::vector<Task> tasks = std::move(first->second);
      forget_before(first->first);
      frontier_.erase(first);
      if (result_.runs + std::ssize(tasks) > limits_.max_runs) {
        tasks.resize(
            static_cast<std::size_t>(std::max<int64_t>(0, limits_.max_runs - result_.runs)));
        result_.complete = false;
      }
      for (std::size_t done = 0; done < tasks.size(); done += kBatch) {
        const std::size_t end = std::min(tasks.size(), done + kBatch);
        const std::vector<Found> found = follow_all(std::span(tasks).subspan(done, end - done));
        for (std::size_t i = done; i < end; ++i) add(tasks[i], found[i - done]);
      }
    }
    spread_probability();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kBatch = 1024;  // whose results wait to be put together

  struct Node {
    int index;
    std::shared_ptr<const State> state;
    std::vector<int> decisions;
    engine::OpenChoice open;
  };

  std::vector<Found> follow_all(std::span<const Task> tasks) {
    std::vector<Found> found(tasks.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      engine::Engine engine(plan_, options_, columns_);
      const State fresh = engine.state();
      for (std::size_t i = next++; i < tasks.size(); i = next++) {
        if (!tasks[i].from) engine.restore(fresh);
        found[i] = follow(engine, tasks[i]);
      }
    };
    const std::size_t threads = std::min<std::size_t>(threads_wanted(), tasks.size());
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    others.clear();
    return found;
  }

  std::size_t threads_wanted() const {
    if (limits_.threads > 0) return static_cast<std::size_t>(limits_.threads);
    return std::max(1u, std::thread::hardware_concurrency());
  }

  void add(const Task& task, const Found& found) {
    ++result_.runs;
    for (const Violation& violation : found.outcome.violations) add_violation(violation);
    if (found.outcome.ending == Ending::Cancelled) result_.complete = false;
    bool is_new = false;
    const int node = found.open ? add_choice(found, is_new) : add_outcome(found, task.path);
    if (task.parent >= 0) {
      result_.choices[at(task.parent)].next[at(task.alternative)] = node;
    }
    if (!is_new) return;
    const auto count = static_cast<int>(result_.choices[at(node)].alternatives.size());
    for (int i = 0; i < count; ++i) {
      Task next{found.state, found.decisions, task.path, node, i};
      next.decisions.push_back(i);
      next.path.push_back(i);
      frontier_[found.at].push_back(std::move(next));
    }
  }

  void add_violation(const Violation& violation) {
    for (Violation& other : result_.violations) {
      const bool same = other.assertion == violation.assertion &&
                        other.inside == violation.inside && other.message == violation.message &&
                        other.undecided == violation.undecided;
      if (!same) continue;
      if (violation.at < other.at) other = violation;
      return;
    }
    result_.violations.push_back(violation);
  }

  void forget_before(const Instant& at) { known_.erase(known_.begin(), known_.lower_bound(at)); }

  int add_choice(const Found& found, bool& is_new) {
    std::vector<Node>& nodes = known_[found.at][found.state->hash()];
    for (const Node& node : nodes) {
      const bool same =
          node.decisions == found.decisions && node.open.choice == found.open->choice &&
          node.open.automaton == found.open->automaton && node.state->is_same_place(*found.state);
      if (!same) continue;
      ++result_.merged;
      return node.index;
    }
    is_new = true;
    const int index = static_cast<int>(result_.choices.size());
    nodes.push_back({index, found.state, found.decisions, *found.open});
    result_.choices.push_back(describe(found));
    return index;
  }

  ExploredChoice describe(const Found& found) const {
    const model::Model& m = plan_.model();
    const engine::OpenChoice& open = *found.open;
    ExploredChoice choice;
    choice.at = found.at;
    if (open.choice.valid()) {
      choice.name = m.choices[open.choice].name;
      for (int i : open.alternatives) choice.alternatives.push_back(std::to_string(i + 1));
    } else {
      const model::Automaton& automaton = m.automata[open.automaton];
      choice.name = automaton.name;
      for (int t : open.alternatives) {
        choice.alternatives.push_back(automaton.states[at(automaton.transitions[at(t)].to)]);
      }
    }
    choice.next.assign(choice.alternatives.size(), kUnexplored);
    return choice;
  }

  // The same answer, up to what rounding makes of different ways to it.
  bool is_same_answer(const State& a, const State& b) const {
    const auto near = [this](double x, double y) {
      const double scale = std::max({1.0, std::abs(x), std::abs(y)});
      return x == y || std::abs(x - y) <= limits_.tolerance * scale;
    };
    const auto alike = [&](const plan::Value& x, const plan::Value& y) {
      return x.status == y.status && near(x.finite, y.finite) && near(x.impulse, y.impulse);
    };
    return a.mode == b.mode && a.clock_count == b.clock_count && a.held == b.held &&
           near(a.now, b.now) && std::equal(a.x.begin(), a.x.end(), b.x.begin(), b.x.end(), near) &&
           std::equal(a.memory.begin(), a.memory.end(), b.memory.begin(), b.memory.end(), alike);
  }

  int add_outcome(const Found& found, const std::vector<int>& path) {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const bool same = result_.outcomes[i].outcome.ending == found.outcome.ending &&
                        is_same_answer(*ends_[i], *found.state);
      if (!same) continue;
      ++result_.merged;
      return -1 - static_cast<int>(i);
    }
    ExploredOutcome outcome;
    outcome.outcome = found.outcome;
    outcome.decisions = path;
    for (std::size_t c = 0; c < columns_.size() && c < found.values.size(); ++c) {
      outcome.values.emplace_back(columns_[c].name, found.values[c]);
    }
    const model::Model& m = plan_.model();
    for (std::size_t a = 0; a < m.automata.size(); ++a) {
      const model::Automaton& automaton = m.automata[AutomatonId(a)];
      outcome.modes.emplace_back(automaton.name, automaton.states[at(found.state->mode[a])]);
    }
    result_.outcomes.push_back(std::move(outcome));
    ends_.push_back(found.state);
    return -static_cast<int>(result_.outcomes.size());
  }

  // On the graph and not on its paths, of which there may be more than can be counted. A choice
  // leads only to later ones, or to later ones of its own microstep, which were found behind it.
  void spread_probability() {
    const auto arrive = [this](int node, double probability, double paths) {
      if (node == kUnexplored) return;
      if (node < 0) {
        result_.outcomes[at(-1 - node)].probability += probability;
        result_.outcomes[at(-1 - node)].paths += paths;
      } else {
        CRADLE_ASSERT(at(node) < order_.size(), "a node that was found");
        result_.choices[at(node)].probability += probability;
        order_[at(node)] += paths;
      }
    };
    if (result_.choices.empty()) {
      if (!result_.outcomes.empty()) arrive(-1, 1, 1);
      return;
    }
    order_.assign(result_.choices.size(), 0);
    arrive(0, 1, 1);
    std::vector<int> by_time(result_.choices.size());
    for (std::size_t i = 0; i < by_time.size(); ++i) by_time[i] = static_cast<int>(i);
    std::stable_sort(by_time.begin(), by_time.end(), [this](int a, int b) {
      return result_.choices[at(a)].at < result_.choices[at(b)].at;
    });
    for (int node : by_time) {
      const ExploredChoice& choice = result_.choices[at(node)];
      const double share = choice.probability / static_cast<double>(choice.next.size());
      for (int next : choice.next) arrive(next, share, order_[at(node)]);
    }
  }

  std::shared_ptr<const Model::Impl> model_;
  const plan::Plan& plan_;
  Options options_;
  ExploreOptions limits_;
  std::vector<engine::RecordedColumn> columns_;
  Exploration result_;
  std::map<Instant, std::vector<Task>> frontier_;                   // by where they stand
  std::map<Instant, std::map<uint64_t, std::vector<Node>>> known_;  // by instant and hash
  std::vector<std::shared_ptr<const State>> ends_;                  // of outcomes
  std::vector<double> order_;                                       // paths to each choice
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
