// Every model under models/ does what its comment says: the numbers stand in tests/models/*.check.
//
//   model models/mosterman/cradle.cradle
//   check constructive.loop                         `check` finds this error, and no other
//   finds relation.equality says x == 1             `check` finds this, an error or a warning
//   run set J_break=0.95 until 2                    one run; all that follows is about it
//     further words of a run: zeno report, choose order, choose random, seed 3, decide 1
//     (the alternatives to choose, from 0), microsteps 50 (the bound), select a,b
//
//   at 1 eps 0 step 0 body1.p = -0.2 tol 1e-12      a recorded instant; eps 0 may be left out
//   at 4 step 1 left.v = 1, right.v = -2/3, hit absent tol 1e-12
//   at 1 eps 0 step 0 mode F13 = on                 also among values, with commas
//   at 1 eps 0 step 0 kind pinnacle
//   at 4 step 2 last                                no microstep follows at this time
//   at 2.356194490192345 step 0 time tol 1e-12      an instant that near is there
//   sample 0.5 x1 = 0.5 tol 1e-9                    between events, on a grid
//   final x1 = 1.1, v absent tol 1e-9
//   always momentum = 1 tol 1e-12                   in every row in which it is present
//
//   ending finished      events 2      energy residual < 1e-9      lost F13 = 0.09 tol 1e-12
//   ended 12.857142857 tol 1e-6                     the time of the last instant
//   diagnostic run.accumulation                     it said so
//   diagnostic constructive.loop says loop: y → x → y
//   limit 12.857142857 tol 1e-6                     the time at which events are said to accumulate
//   statistics solver_steps < 100                   events, microsteps, solver_steps, jumps
//   fewer solver_steps 100 models/lee/pushing.cradle    at least 100 times fewer than that model
//
// Without tol it is 1e-9.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string joined(const std::vector<std::string>& words, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < words.size(); ++i) out += (i > from ? " " : "") + words[i];
  return out;
}

// A decimal, or a fraction of two.
double number(const std::string& word) {
  const auto slash = word.find('/');
  if (slash == std::string::npos) return std::stod(word);
  return std::stod(word.substr(0, slash)) / std::stod(word.substr(slash + 1));
}

int64_t statistic(const Statistics& statistics, const std::string& name) {
  if (name == "events") return statistics.events;
  if (name == "microsteps") return statistics.microsteps;
  if (name == "solver_steps") return statistics.solver_steps;
  if (name == "jumps") return statistics.jumps;
  ADD_FAILURE() << "no statistic " << name;
  return 0;
}

// A run that hangs is cancelled, so that the other checks are still judged.
Options with_deadline(Options options) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(240);
  options.progress = [deadline](double) { return std::chrono::steady_clock::now() < deadline; };
  return options;
}

// NAME = VALUE, NAME absent, mode AUTOMATON = STATE, … tol TOL, from words[at].
struct Wanted {
  struct Item {
    std::string name;
    std::optional<double> value;  // nullopt: absent
    std::string state = {};       // of an automaton
  };
  std::vector<Item> items;
  double tolerance = 1e-9;

  Wanted(std::vector<std::string> words, std::size_t at) {
    const std::size_t size = words.size();
    if (size > 2 && words[size - 2] == "tol") {
      tolerance = number(words[size - 1]);
      words.resize(size - 2);
    }
    for (std::string& word : words) {
      if (word.ends_with(',')) word.pop_back();
    }
    while (at + 1 < words.size()) {
      const bool mode = words[at] == "mode", absent = words[at + 1] == "absent";
      const std::size_t next = at + (mode ? 4 : absent ? 2 : 3);
      if (next > words.size()) break;
      if (mode) {
        items.push_back({words[at + 1], std::nullopt, words[at + 3]});
      } else {
        items.push_back({words[at], absent ? std::nullopt : std::optional(number(words[at + 2]))});
      }
      at = next;
    }
    EXPECT_TRUE(!items.empty() && at == words.size()) << "not understood";
  }
};

// One run of a model and the checks on it.
class CheckedRun {
 public:
  CheckedRun(std::string where, const std::string& model, const std::vector<std::string>& words)
      : where_(std::move(where)) {
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) set_option(words[i], words[i + 1]);
    path_ = std::string(CRADLE_ROOT) + "/" + model;
  }

  void add(std::vector<std::string> words, std::string line) {
    checks_.push_back({std::move(words), std::move(line)});
  }

  void run() {
    Model model = Model::load(path_, settings_);
    ASSERT_TRUE(model.ok()) << where_ << '\n' << model.diagnostics_text();
    Simulation simulation(model, with_deadline(options_));
    simulation.run();
    for (const Check& check : checks_) {
      SCOPED_TRACE(where_ + ": " + check.line);
      judge(check.words, model, simulation);
    }
  }

 private:
  struct Check {
    std::vector<std::string> words;
    std::string line;
  };

  void set_option(const std::string& name, const std::string& value) {
    if (name == "until") {
      options_.until = number(value);
    } else if (name == "set") {
      const auto equals = value.find('=');
      settings_.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else if (name == "zeno") {
      options_.zeno = value == "report" ? ZenoPolicy::Report : ZenoPolicy::Stop;
    } else if (name == "choose") {
      options_.choice = value == "order" ? ChoicePolicy::Order : ChoicePolicy::Random;
    } else if (name == "seed") {
      options_.seed = std::stoull(value);
    } else if (name == "decide") {
      options_.decisions.push_back(std::stoi(value));
    } else if (name == "microsteps") {
      options_.max_microsteps = std::stoll(value);
    } else if (name == "select") {
      std::istringstream in(value);
      for (std::string item; std::getline(in, item, ',');) options_.select.push_back(item);
    } else {
      ADD_FAILURE() << where_ << ": a run has no " << name;
    }
  }

  static void compare(const Wanted& wanted, const Trajectory& rows, std::size_t row) {
    for (const auto& [name, value, state] : wanted.items) {
      if (!state.empty()) {
        const auto automaton = rows.find_automaton(name);
        ASSERT_TRUE(automaton.has_value()) << "no automaton " << name;
        EXPECT_EQ(rows.mode(row, *automaton), state) << name << to_string(rows.instant(row));
        continue;
      }
      bool impulse = false;
      std::optional<std::size_t> column = rows.find_column(name);
      if (!column && name.starts_with("impulse(")) {
        impulse = true;
        column = rows.find_column(name.substr(8, name.size() - 9));
      }
      ASSERT_TRUE(column.has_value()) << "no column " << name;
      const std::optional<Number> found = rows.value(row, *column);
      ASSERT_EQ(found.has_value(), value.has_value())
          << name << (found ? " is present" : " is absent") << to_string(rows.instant(row));
      if (!found) continue;
      EXPECT_NEAR(impulse ? found->impulse : found->finite, *value, wanted.tolerance)
          << name << to_string(rows.instant(row));
    }
  }

  static std::optional<std::size_t> find(const Trajectory& rows, double t, int eps, int step) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Instant at = rows.instant(i);
      if (at.eps != eps || at.step != step || rows.kind(i) == RowKind::Evolving) continue;
      if (std::abs(at.t - t) > 1e-7 * std::max(1.0, std::abs(t))) continue;
      if (!best || std::abs(at.t - t) < std::abs(rows.instant(*best).t - t)) best = i;
    }
    return best;
  }

  void judge_instant(const std::vector<std::string>& words, const Trajectory& rows) {
    const double t = number(words[1]);
    const bool with_eps = words[2] == "eps";
    const std::size_t at = with_eps ? 6 : 4;  // behind the instant
    ASSERT_GT(words.size(), at) << "not understood";
    const std::optional<std::size_t> row =
        find(rows, t, with_eps ? std::stoi(words[3]) : 0, std::stoi(words[at - 1]));
    ASSERT_TRUE(row.has_value()) << "there is no such instant";
    if (words[at] == "kind") {
      EXPECT_EQ(to_string(rows.kind(*row)), words[at + 1]);
    } else if (words[at] == "last") {
      EXPECT_TRUE(*row + 1 == rows.size() || rows.instant(*row + 1).t > rows.instant(*row).t);
    } else if (words[at] == "time") {
      EXPECT_NEAR(rows.instant(*row).t, t, number(words[at + 2]));
    } else {
      compare(Wanted(words, at), rows, *row);
    }
  }

  void judge_sample(const std::vector<std::string>& words, const Model& model) {
    Options options = with_deadline(options_);
    options.every = number(words[1]);
    Simulation simulation(model, options);
    simulation.run();
    const Trajectory& rows = simulation.trajectory();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.instant(i).t == options.every) return compare(Wanted(words, 2), rows, i);
    }
    ADD_FAILURE() << "the grid point is not there";
  }

  static void judge_always(const Wanted& wanted, const Trajectory& rows) {
    ASSERT_EQ(wanted.items.size(), 1u);
    const auto column = rows.find_column(wanted.items[0].name);
    ASSERT_TRUE(column.has_value()) << "no column " << wanted.items[0].name;
    std::size_t present = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows.value(i, *column)) continue;
      ++present;
      compare(wanted, rows, i);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(present, 0u);
  }

  // The number behind "t = " in the message of an accumulation.
  static void judge_limit(const std::vector<std::string>& words, const Outcome& outcome) {
    for (const Diagnostic& d : outcome.diagnostics) {
      const auto at = d.message.find("t = ");
      if (d.kind != "run.accumulation" || at == std::string::npos) continue;
      EXPECT_NEAR(std::stod(d.message.substr(at + 4)), number(words[1]), number(words[3]));
      return;
    }
    ADD_FAILURE() << "no accumulation was reported";
  }

  static void judge_diagnostic(const std::vector<std::string>& words, const Model& model,
                               const Outcome& outcome) {
    const std::string text = words.size() > 3 && words[2] == "says" ? joined(words, 3) : "";
    bool found = false;
    std::string said;
    for (const Diagnostic& d : outcome.diagnostics) {
      const std::string rendered = model.render(d);
      found |= d.kind == words[1] && rendered.find(text) != std::string::npos;
      said += rendered;
    }
    EXPECT_TRUE(found) << said;
  }

  void judge(const std::vector<std::string>& words, const Model& model, Simulation& simulation) {
    const Trajectory& rows = simulation.trajectory();
    const Outcome& outcome = simulation.outcome();
    if (words[0] == "at") {
      judge_instant(words, rows);
    } else if (words[0] == "sample") {
      judge_sample(words, model);
    } else if (words[0] == "final") {
      ASSERT_GT(rows.size(), 0u);
      compare(Wanted(words, 1), rows, rows.size() - 1);
    } else if (words[0] == "always") {
      judge_always(Wanted(words, 1), rows);
    } else if (words[0] == "ending") {
      std::string said;
      for (const Diagnostic& d : outcome.diagnostics) said += model.render(d);
      EXPECT_EQ(to_string(outcome.ending), joined(words, 1)) << said;
    } else if (words[0] == "ended") {
      EXPECT_NEAR(outcome.at.t, number(words[1]), number(words[3]));
    } else if (words[0] == "events") {
      EXPECT_EQ(simulation.statistics().events, std::stoll(words[1]));
    } else if (words[0] == "diagnostic") {
      judge_diagnostic(words, model, outcome);
    } else if (words[0] == "limit") {
      judge_limit(words, outcome);
    } else if (words[0] == "statistics") {
      EXPECT_LT(statistic(simulation.statistics(), words[1]), std::stoll(words[3]));
    } else if (words[0] == "fewer") {
      Model other = Model::load(std::string(CRADLE_ROOT) + "/" + words[3]);
      ASSERT_TRUE(other.ok()) << other.diagnostics_text();
      Simulation long_one(other);
      long_one.run();
      EXPECT_LE(std::stoll(words[2]) * statistic(simulation.statistics(), words[1]),
                statistic(long_one.statistics(), words[1]));
    } else if (words[0] == "energy") {
      EXPECT_LT(std::abs(simulation.audit().residual), std::stod(words[3]));
    } else if (words[0] == "lost") {
      double lost = 0;
      for (const EnergyEntry& entry : simulation.audit().entries) {
        if (entry.name == words[1] && entry.kind == EnergyEntry::Kind::Switch) lost = entry.jumping;
      }
      EXPECT_NEAR(lost, std::stod(words[3]), std::stod(words[5]));
    } else {
      ADD_FAILURE() << "unknown check";
    }
  }

  std::string where_, path_;
  std::vector<Setting> settings_;
  Options options_;
  std::vector<Check> checks_;
};

std::vector<fs::path> files_under(const char* folder, const char* extension) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(CRADLE_ROOT) + folder)) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void found_by_check(const std::string& file, const std::vector<std::string>& words,
                    const std::string& where) {
  const Model model = Model::load(std::string(CRADLE_ROOT) + "/" + file);
  ASSERT_TRUE(model.ok()) << where << model.diagnostics_text();
  const std::string text = words.size() > 3 ? joined(words, 3) : "";
  std::string all;
  bool found = false;
  for (const Diagnostic& d : model.check()) {
    all += model.render(d);
    found |= d.kind == words[1] && model.render(d).find(text) != std::string::npos;
  }
  EXPECT_TRUE(found) << where << ": " << joined(words, 0) << "\n" << all;
}

class ModelChecks : public testing::TestWithParam<fs::path> {};

TEST_P(ModelChecks, Hold) {
  std::ifstream in(GetParam());
  std::string model;
  std::vector<CheckedRun> runs;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    const std::string where = GetParam().filename().string() + ":" + std::to_string(number);
    if (words[0] == "model") {
      model = words[1];
    } else if (words[0] == "check") {
      continue;  // see KeepsTheRules
    } else if (words[0] == "finds") {
      found_by_check(model, words, where);
    } else if (words[0] == "run") {
      runs.emplace_back(where, model, words);
    } else {
      ASSERT_FALSE(runs.empty()) << where;
      runs.back().add(std::move(words), line);
    }
  }
  ASSERT_FALSE(runs.empty());
  for (CheckedRun& run : runs) run.run();
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.parent_path().stem().string() + "_" + info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, ModelChecks,
                         testing::ValuesIn(files_under("/tests/models", ".check")), test_name);

// The error that `check` is to find in a model, by its line in the file of checks; "" for none.
std::string fault_to_find(const std::string& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words[0] == "check") return words[1];
  }
  return "";
}

class EveryModel : public testing::TestWithParam<fs::path> {};

// A model states its end and what to show, checks clean or is at fault as its checks say, is
// formatted, has its checks, and runs to the same bits twice.
TEST_P(EveryModel, KeepsTheRules) {
  Model model = Model::load(GetParam().string());
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  EXPECT_TRUE(model.until().has_value());
  const std::string checks = std::string(CRADLE_ROOT) + "/tests/models/" +
                             GetParam().parent_path().filename().string() + "_" +
                             GetParam().stem().string() + ".check";
  EXPECT_TRUE(fs::exists(checks)) << checks;
  const std::string fault = fault_to_find(checks);
  int found = 0;
  for (const Diagnostic& d : model.check()) {
    if (d.severity != Severity::Error) continue;
    EXPECT_EQ(d.kind, fault) << model.render(d);
    ++found;
  }
  EXPECT_EQ(found, fault.empty() ? 0 : 1);
  std::ifstream in(GetParam());
  std::stringstream text;
  text << in.rdbuf();
  std::string problems;
  EXPECT_EQ(format_source("model", text.str(), problems).value_or(""), text.str());

  uint64_t hashes[2];
  for (uint64_t& hash : hashes) {
    Simulation simulation(model);
    simulation.run();
    hash = simulation.trajectory().hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

// A grid adds rows and changes none.
TEST_P(EveryModel, GridChangesNothing) {
  Model model = Model::load(GetParam().string());
  ASSERT_TRUE(model.ok());
  Simulation plain(model);
  plain.run();
  Options options;
  options.every = *model.until() / 37;
  Simulation gridded(model, options);
  gridded.run();
  const Trajectory &a = plain.trajectory(), &b = gridded.trajectory();
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && b.instant(j) < a.instant(i)) ++j;
    ASSERT_LT(j, b.size());
    ASSERT_EQ(b.instant(j), a.instant(i));
    for (std::size_t c = 0; c < a.columns().size(); ++c) {
      ASSERT_EQ(a.value(i, c), b.value(j, c)) << a.columns()[c] << to_string(a.instant(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryModel, testing::ValuesIn(files_under("/models", ".cradle")),
                         test_name);

}  // namespace
}  // namespace cradle
