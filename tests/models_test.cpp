// Every model under models/ does what its comment says: the numbers stand in tests/models/*.check.
//
//   model models/mosterman/cradle.cradle
//   run set J_break=0.95 until 2
//   at 1 eps 0 step 0 body1.p = -0.2 tol 1e-12      a recorded instant
//   at 1 eps 0 step 0 mode F13 = on
//   at 1 eps 0 step 0 kind pinnacle
//   sample 0.5 x1 = 0.5 tol 1e-9                    between events, on a grid
//   final x1 = 1.1 tol 1e-9
//   ending finished      events 2      diagnostic run.accumulation
//   energy residual < 1e-9              lost F13 = 0.81 tol 1e-12

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
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

// One run of a model and the checks on it.
class CheckedRun {
 public:
  CheckedRun(std::string where, const std::string& model, const std::vector<std::string>& words)
      : where_(std::move(where)) {
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      if (words[i] == "until") options_.until = std::stod(words[i + 1]);
      if (words[i] == "set") {
        const auto equals = words[i + 1].find('=');
        settings_.emplace_back(words[i + 1].substr(0, equals), words[i + 1].substr(equals + 1));
      }
    }
    path_ = std::string(CRADLE_ROOT) + "/" + model;
  }

  void add(std::vector<std::string> words, std::string line) {
    if (words[0] == "sample") samples_.insert(std::stod(words[1]));
    checks_.push_back({std::move(words), std::move(line)});
  }

  void run() {
    Model model = Model::load(path_, settings_);
    ASSERT_TRUE(model.ok()) << where_ << '\n' << model.diagnostics_text();
    Simulation simulation(model, options_);
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

  static std::optional<Number> read(const Trajectory& rows, std::size_t row, std::string name,
                                    bool& impulse) {
    std::optional<std::size_t> column = rows.find_column(name);
    if (!column && name.starts_with("impulse(")) {
      impulse = true;
      column = rows.find_column(name.substr(8, name.size() - 9));
    }
    if (!column) {
      ADD_FAILURE() << "no column " << name;
      return std::nullopt;
    }
    return rows.value(row, *column);
  }

  // NAME = VALUE tol TOL, from words[at].
  static void compare(const std::vector<std::string>& words, std::size_t at, const Trajectory& rows,
                      std::size_t row) {
    bool impulse = false;
    const std::optional<Number> value = read(rows, row, words[at], impulse);
    ASSERT_TRUE(value.has_value()) << "absent";
    const double tolerance = words.size() > at + 4 ? std::stod(words[at + 4]) : 1e-9;
    EXPECT_NEAR(impulse ? value->impulse : value->finite, std::stod(words[at + 2]), tolerance)
        << to_string(rows.instant(row));
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
    const std::optional<std::size_t> row =
        find(rows, std::stod(words[1]), std::stoi(words[3]), std::stoi(words[5]));
    ASSERT_TRUE(row.has_value()) << "there is no such instant";
    if (words[6] == "mode") {
      const auto automaton = rows.find_automaton(words[7]);
      ASSERT_TRUE(automaton.has_value());
      EXPECT_EQ(rows.mode(*row, *automaton), words[9]);
    } else if (words[6] == "kind") {
      EXPECT_EQ(to_string(rows.kind(*row)), words[7]);
    } else {
      compare(words, 6, rows, *row);
    }
  }

  void judge_sample(const std::vector<std::string>& words, const Model& model) {
    Options options = options_;
    options.every = std::stod(words[1]);
    Simulation simulation(model, options);
    simulation.run();
    const Trajectory& rows = simulation.trajectory();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.instant(i).t == options.every) return compare(words, 2, rows, i);
    }
    ADD_FAILURE() << "the grid point is not there";
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
      compare(words, 1, rows, rows.size() - 1);
    } else if (words[0] == "ending") {
      std::string wanted = words[1];
      for (std::size_t i = 2; i < words.size(); ++i) wanted += " " + words[i];
      std::string said;
      for (const Diagnostic& d : outcome.diagnostics) said += model.render(d);
      EXPECT_EQ(to_string(outcome.ending), wanted) << said;
    } else if (words[0] == "events") {
      EXPECT_EQ(simulation.statistics().events, std::stoll(words[1]));
    } else if (words[0] == "diagnostic") {
      bool found = false;
      for (const Diagnostic& d : outcome.diagnostics) found |= d.kind == words[1];
      EXPECT_TRUE(found);
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
  std::set<double> samples_;
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

class EveryModel : public testing::TestWithParam<fs::path> {};

// A model states its end and what to show, checks clean, is formatted, has its checks, and runs to
// the same bits twice.
TEST_P(EveryModel, KeepsTheRules) {
  Model model = Model::load(GetParam().string());
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  EXPECT_TRUE(model.until().has_value());
  for (const Diagnostic& d : model.check()) {
    EXPECT_NE(d.severity, Severity::Error) << model.render(d);
  }
  std::ifstream in(GetParam());
  std::stringstream text;
  text << in.rdbuf();
  std::string problems;
  EXPECT_EQ(format_source("model", text.str(), problems).value_or(""), text.str());
  const std::string checks =
      GetParam().parent_path().filename().string() + "_" + GetParam().stem().string() + ".check";
  EXPECT_TRUE(fs::exists(std::string(CRADLE_ROOT) + "/tests/models/" + checks)) << checks;

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
