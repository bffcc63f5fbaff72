// Textbook models that once went wrong, each with what is right (tests/cases/right.txt), in three
// units, with each solver, to three ends, with and without a grid, rows, an audit: all agree.
//
//   circuits/buck0 set duty=0.5 until 5e-3        a case: a file, and how it is run
//     final v = 6 u, coil.f = 2.85 u tol 1e-6     values of the last row
//     at 1.5 y = 1.5 u                            on the curve between rows
//     always load.e = right u tol 1e-6            in every row but mythical ones; or a number
//     always gap1 >= 0 u tol 1e-9
//     mode d.D = on                               at the end
//     events 200
//     present e at 0.27 1.69 tol 1e-4             the times at which it is there, and no others
//     delivered 9.998 u2                          by all sources
//     passive                                     no switch delivers energy
//     said energy.start                           a warning, or why the run has ended
//     quiet                                       nothing is said
//
// A model has a parameter u, its unit, and a value behind which u (u2) stands is in that unit (its
// square). Tolerances are relative, below 1 in the unit absolute. Further words of a case:
//
//   fails             the run does not end well; without it, it finishes
//   agree 1e-6        how well solvers and ends agree, as a part of the largest value in a column
//   without stiff     or units, ends, conform, explicit: not tried, for the reason in a comment
//   open all          does not hold yet, or with one of the solvers: open stiff, open explicit. The
//   test
//                     says when it does

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/basics/sanitized.hpp"
#include "core/engine/beginning.hpp"
#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "cradle/hypa.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

const std::string kFolder = std::string(CRADLE_ROOT) + "/tests/cases/";
using Words = std::vector<std::string>;

// A number and the power of the unit that it is in.
struct Quantity {
  double number = 0;
  int power = 0;
  double in(double unit) const { return number * std::pow(unit, power); }
};

struct Case {
  std::string file;
  std::string title;  // with its settings
  std::vector<Setting> settings;
  std::optional<Quantity> until;
  std::set<std::string> without;
  double agree = 1e-6;
  bool fails = false, has_unit = false;
  std::string open;  // "", "all", or a solver with which it does not hold yet
  std::vector<Words> checks;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.title; }

Words words_of(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  Words out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// words[at], and behind it perhaps the unit; moves `at` behind both. A comma ends a value.
Quantity quantity(const Words& words, std::size_t& at) {
  Quantity out;
  std::string word = words.at(at++);
  bool ends = word.ends_with(',');
  out.number = std::stod(word);
  if (ends || at >= words.size()) return out;
  word = words[at].substr(0, words[at].find(','));
  if (word != "u" && word != "u2") return out;
  out.power = word == "u" ? 1 : 2;
  ++at;
  return out;
}

Case read_case(const Words& words) {
  Case out;
  out.file = out.title = words[0];
  for (std::size_t i = 1; i < words.size();) {
    const std::string& word = words[i++];
    if (word == "set") {
      const auto equals = words.at(i).find('=');
      out.settings.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
      out.title += "_" + words[i++];
    } else if (word == "until") {
      out.title += "_until_" + words.at(i);
      out.until = quantity(words, i);
    } else if (word == "without") {
      out.without.insert(words.at(i++));
    } else if (word == "agree") {
      out.agree = std::stod(words.at(i++));
    } else if (word == "open") {
      out.open = words.at(i++);
    } else if (word == "fails") {
      out.fails = true;
    } else {
      ADD_FAILURE() << "not understood: " << word << " of " << out.file;
    }
  }
  std::ifstream in(kFolder + out.file + ".cradle");
  std::stringstream text;
  text << in.rdbuf();
  out.has_unit = text.str().find("param u = 1 ") != std::string::npos;
  return out;
}

std::vector<Case> all_cases() {
  std::ifstream in(kFolder + "right.txt");
  std::vector<Case> out;
  for (std::string line; std::getline(in, line);) {
    const Words words = words_of(line);
    if (words.empty()) continue;
    if (line[0] == ' ') {
      out.back().checks.push_back(words);
    } else {
      out.push_back(read_case(words));
    }
  }
  return out;
}

// A run that came to its end, one way or another.
struct Ran {
  Trajectory rows;
  Outcome outcome;
  Statistics statistics;
  EnergyAudit audit;
};

class Runner {
 public:
  Runner(const Case& c, double unit) : case_(c) {
    std::vector<Setting> settings = c.settings;
    if (c.has_unit && unit != 1) settings.emplace_back("u", unit);
    model_ = std::make_unique<Model>(Model::load(kFolder + c.file + ".cradle", settings));
    if (!model_->ok()) problem_ = model_->diagnostics_text();
    if (!problem_.empty()) return;
    const std::optional<double> own = model_->until();
    if (!c.until && !own) problem_ = "the case has no end";
    end_ = c.until ? c.until->in(unit) : own.value_or(0);
  }

  const std::string& problem() const { return problem_; }
  const Model& model() const { return *model_; }
  double end() const { return end_; }

  Ran run(Options options = {}) const {
    if (!options.until) options.until = end_;
    const auto patience = std::chrono::seconds(case_.open == "all" ? 2 : 240);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    options.progress = [deadline](double) { return std::chrono::steady_clock::now() < deadline; };
    Simulation simulation(*model_, options);
    simulation.run();
    return {simulation.trajectory(), simulation.outcome(), simulation.statistics(),
            simulation.audit()};
  }

  std::string ending(const Ran& ran) const {
    std::string out = to_string(ran.outcome.ending);
    for (const Diagnostic& d : ran.outcome.diagnostics) out += "\n" + model_->render(d);
    return out;
  }

 private:
  const Case& case_;
  std::unique_ptr<Model> model_;
  std::string problem_;
  double end_ = 0;
};

// What is wrong with a run.
class Judge {
 public:
  // `loose`: of a solver whose error adds up over a run.
  Judge(const Case& c, const Runner& runner, const Ran& ran, double unit, bool loose)
      : case_(c), runner_(runner), ran_(ran), rows_(ran.rows), unit_(unit), loose_(loose) {}

  std::vector<std::string> problems() {
    if (ran_.outcome.finished() == case_.fails) say("ends: " + runner_.ending(ran_));
    for (const Words& words : case_.checks) judge(words);
    return std::move(problems_);
  }

 private:
  void say(const std::string& problem) { problems_.push_back(problem); }

  double tolerance(const Words& words) const {
    const auto found = std::find(words.begin(), words.end(), "tol");
    const double tight = found == words.end() ? 1e-9 : std::stod(*(found + 1));
    return loose_ ? std::max(100 * tight, 1e-6) : tight;
  }
  std::optional<std::size_t> column(const std::string& name) {
    const auto found = rows_.find_column(name);
    if (!found) say("no column " + name);
    return found;
  }
  std::string at(std::size_t row) const { return to_string(rows_.instant(row)); }

  // Is x near what is wanted? `where` for the message.
  void near(const std::string& name, double x, const Quantity& wanted, double tol,
            const std::string& where) {
    const double scale = std::max(1.0, std::abs(wanted.number)) * std::pow(unit_, wanted.power);
    if (std::abs(x - wanted.in(unit_)) <= tol * scale) return;
    std::ostringstream text;
    text.precision(12);
    text << name << " = " << x << ", not " << wanted.in(unit_) << where;
    say(text.str());
  }

  void judge(const Words& words) {
    if (words[0] == "final") return judge_final(words);
    if (words[0] == "always") return judge_always(words);
    if (words[0] == "present") return judge_present(words);
    if (words[0] == "mode") {
      const auto automaton = rows_.find_automaton(words[1]);
      if (!automaton) return say("no automaton " + words[1]);
      const std::string& state = rows_.mode(rows_.size() - 1, *automaton);
      if (state != words[3]) say(words[1] + " is " + state);
    } else if (words[0] == "events") {
      const int64_t events = ran_.statistics.events;
      if (events != std::stoll(words[1])) say(std::to_string(events) + " events");
    } else if (words[0] == "delivered") {
      std::size_t i = 1;
      near("delivered", ran_.audit.delivered, quantity(words, i), tolerance(words), "");
    } else if (words[0] == "at") {
      std::size_t i = 1;
      const double t = quantity(words, i).in(unit_);
      const auto c = column(words[i]);
      i += 2;
      const auto value = c ? rows_.value_at(t, *c) : std::nullopt;
      if (!value) return say("no value at " + words[1]);
      near(words[i - 2], *value, quantity(words, i), tolerance(words), " at " + words[1]);
    } else if (words[0] == "passive") {
      for (const EnergyEntry& entry : ran_.audit.entries) {
        const double lost = entry.flowing + entry.jumping;
        const bool delivers = entry.kind == EnergyEntry::Kind::Switch &&
                              lost < -1e-9 * (std::abs(ran_.audit.delivered) + unit_ * unit_);
        if (delivers) say(entry.name + " delivers " + std::to_string(-lost));
      }
    } else if (words[0] == "quiet") {
      const auto& all = ran_.outcome.diagnostics;
      if (!all.empty()) say("something was said: " + all.front().kind);
    } else if (words[0] == "said") {
      const auto& all = ran_.outcome.diagnostics;
      const bool found = std::any_of(all.begin(), all.end(),
                                     [&](const Diagnostic& d) { return d.kind == words[1]; });
      if (!found) say("nothing was said of " + words[1]);
    } else {
      say("not understood: " + words[0]);
    }
  }

  void judge_final(const Words& words) {
    for (std::size_t i = 1; i + 2 < words.size() && words[i] != "tol";) {
      const std::string name = words[i];
      i += 2;
      const Quantity wanted = quantity(words, i);
      const auto c = column(name);
      if (!c || rows_.size() == 0) continue;
      const auto value = rows_.value(rows_.size() - 1, *c);
      if (!value) {
        say(name + " is absent");
      } else {
        near(name, value->finite, wanted, tolerance(words), " at the end");
      }
    }
  }

  void judge_always(const Words& words) {
    const auto c = column(words[1]);
    const auto other = rows_.find_column(words[3]);
    if (!c) return;
    for (std::size_t row = 0; row < rows_.size() && problems_.size() < 3; ++row) {
      const auto value = rows_.value(row, *c);
      if (!value || rows_.kind(row) == RowKind::Mythical) continue;
      std::size_t i = 3;
      Quantity wanted;
      if (other) {
        wanted.power = words.size() > 4 && words[4] == "u" ? 1 : 0;
        wanted.number =
            rows_.value(row, *other).value_or(Number{}).finite / std::pow(unit_, wanted.power);
      } else {
        wanted = quantity(words, i);
      }
      const bool bound = words[2] == ">=";
      if (bound && value->finite >= wanted.in(unit_)) continue;
      near(words[1], value->finite, wanted, tolerance(words), at(row));
    }
  }

  void judge_present(const Words& words) {
    const auto c = column(words[1]);
    std::vector<Quantity> wanted;
    for (std::size_t i = 3; i < words.size() && words[i] != "tol";) {
      wanted.push_back(quantity(words, i));
    }
    std::size_t found = 0;
    for (std::size_t row = 0; c && row < rows_.size(); ++row) {
      if (!rows_.value(row, *c)) continue;
      if (found >= wanted.size()) return say(words[1] + " is present" + at(row));
      near("time of " + words[1], rows_.instant(row).t, wanted[found++], tolerance(words), "");
    }
    if (found < wanted.size()) say(words[1] + " is present less often");
  }

  const Case& case_;
  const Runner& runner_;
  const Ran& ran_;
  const Trajectory& rows_;
  double unit_;
  bool loose_;
  std::vector<std::string> problems_;
};

// What depends on units depends on them with the solver that people use.
std::vector<double> units_of(const Case& c, SolverKind solver) {
  if (!c.has_unit || c.without.contains("units") || kSanitized) return {1};
  if (solver != SolverKind::Automatic && !std::getenv("CRADLE_NIGHTLY")) return {1e6};
  return {1, 1e-6, 1e6};
}

std::vector<std::pair<SolverKind, std::string>> solvers_of(const Case& c) {
  std::vector<std::pair<SolverKind, std::string>> out = {{SolverKind::Automatic, "automatic"}};
  if (kSanitized) return out;
  if (!c.without.contains("explicit")) out.emplace_back(SolverKind::Explicit, "explicit");
  if (!c.without.contains("stiff")) out.emplace_back(SolverKind::Stiff, "stiff");
  return out;
}

double largest(const Trajectory& rows, std::size_t column) {
  double out = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.kind(i) == RowKind::Mythical) continue;
    if (const auto value = rows.value(i, column)) out = std::max(out, std::abs(value->finite));
  }
  return out;
}

class Cases : public testing::TestWithParam<Case> {};

// In every unit with one solver, a grid among the rows.
std::vector<std::string> problems_of(const Case& c, SolverKind solver) {
  std::vector<std::string> out;
  for (const double unit : units_of(c, solver)) {
    const Runner runner(c, unit);
    if (!runner.problem().empty()) return {runner.problem()};
    Options options;
    options.solver = solver;
    options.every = runner.end() / 97;
    const Ran ran = runner.run(options);
    const bool loose = solver == SolverKind::Stiff;
    for (const std::string& problem : Judge(c, runner, ran, unit, loose).problems()) {
      std::ostringstream where;
      where << "u = " << unit << ": " << problem;
      out.push_back(where.str());
    }
  }
  return out;
}

TEST_P(Cases, AreRight) {
  const Case& c = GetParam();
  bool some = false;
  for (const auto& [solver, name] : solvers_of(c)) {
    SCOPED_TRACE(name);
    const std::vector<std::string> problems = problems_of(c, solver);
    some = some || !problems.empty();
    if (c.open == "all" && some) return;
    if (c.open == name) {
      EXPECT_FALSE(problems.empty()) << "holds now: take `open " << name << "` out of right.txt";
    } else if (c.open != "all") {
      for (const std::string& problem : problems) ADD_FAILURE() << problem;
    }
  }
  EXPECT_NE(c.open, "all") << "holds now: take `open all` out of right.txt";
}

// A run to an earlier end is the beginning of the whole one.
TEST_P(Cases, DoNotDependOnTheEnd) {
  if (kSanitized) GTEST_SKIP() << "the same code as above";
  const Case& c = GetParam();
  if (c.open == "all" || c.fails || c.without.contains("ends")) GTEST_SKIP();
  const Runner runner(c, 1);
  ASSERT_EQ(runner.problem(), "");
  const Ran whole = runner.run();
  double most = 0;
  for (std::size_t i = 0; i < whole.rows.columns().size(); ++i) {
    most = std::max(most, largest(whole.rows, i));
  }
  for (const double part : {0.377, 0.713}) {
    Options options;
    options.until = part * runner.end();
    const Ran ran = runner.run(options);
    ASSERT_TRUE(ran.outcome.finished()) << runner.ending(ran);
    for (std::size_t i = 0; i < whole.rows.columns().size(); ++i) {
      const auto there = whole.rows.value_at(*options.until, i);
      const auto here = ran.rows.value(ran.rows.size() - 1, i);
      ASSERT_EQ(there.has_value(), here.has_value()) << whole.rows.columns()[i];
      if (!here) continue;
      // What is noise beside the rest is not compared.
      const double size = std::max({largest(whole.rows, i), std::abs(*there), 1e-9 * most});
      EXPECT_NEAR(here->finite, *there, c.agree * size + Options().absolute_tolerance)
          << whole.rows.columns()[i] << " at " << *options.until;
    }
  }
}

// The last row of a run, and how it got there.
struct Trace {
  std::vector<std::optional<Number>> last;
  Statistics statistics;
  std::string ending;
};

Trace trace(const Runner& runner, const Options& options) {
  const Ran ran = runner.run(options);
  Trace out{{}, ran.statistics, runner.ending(ran)};
  for (std::size_t i = 0; ran.rows.size() > 0 && i < ran.rows.columns().size(); ++i) {
    out.last.push_back(ran.rows.value(ran.rows.size() - 1, i));
  }
  return out;
}

// To the bit, whether and how often anything is written down, and whether energy is audited.
TEST_P(Cases, DoNotDependOnWhoLooks) {
  if (kSanitized) GTEST_SKIP() << "the same code as above";
  const Case& c = GetParam();
  if (c.open == "all") GTEST_SKIP();
  const Runner runner(c, 1);
  ASSERT_EQ(runner.problem(), "");
  Options plain;
  const Trace first = trace(runner, plain);
  Options gridded, blind, deaf, all;
  gridded.every = runner.end() / 41;
  blind.audit = false;
  deaf.record = false;
  all.select_everything = true;
  const Trace grid = trace(runner, gridded), unaudited = trace(runner, blind);
  EXPECT_EQ(grid.last, first.last);
  EXPECT_EQ(unaudited.last, first.last);
  for (const Trace& other : {grid, unaudited, trace(runner, deaf), trace(runner, all)}) {
    EXPECT_EQ(other.statistics, first.statistics);
  }
  EXPECT_EQ(grid.ending, first.ending);
}

TEST_P(Cases, Conform) {
  const Case& c = GetParam();
  if (c.open == "all" || c.fails || c.without.contains("conform")) GTEST_SKIP();
  const Runner runner(c, 1);
  ASSERT_EQ(runner.problem(), "");
  Options options;
  options.select_everything = true;
  options.keep_trajectory = false;
  options.until = runner.end();
  if (kSanitized)
    options.until = std::min(*options.until, beginning_of(runner.model(), 300).value_or(HUGE_VAL));
  options.every = *options.until / 50;  // exact steps are long
  options.every_turn = true;
  std::string csv;
  text::CsvWriter writer([&](std::string_view text) { csv += text; });
  Simulation simulation(runner.model(), options);
  simulation.stream_to(writer).run();
  const Conformance result = check_conformance(runner.model(), csv);
  EXPECT_EQ(result.problem, "");
  EXPECT_GT(result.checks, 0u);
  for (std::size_t i = 0; i < std::min<std::size_t>(result.violations.size(), 3); ++i) {
    const ConformanceViolation& v = result.violations[i];
    ADD_FAILURE() << to_string(v.at) << " " << v.process << ": " << v.relation << ": " << v.detail;
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.title;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Cases, testing::ValuesIn(all_cases()), name_of);

// ---- cases that are no runs with a value
// ---------------------------------------------------------

Model load(const std::string& file, const std::vector<Setting>& settings = {}) {
  return Model::load(kFolder + file + ".cradle", settings);
}

double total_probability(const Exploration& tree) {
  double sum = 0;
  for (const ExploredOutcome& outcome : tree.outcomes) sum += outcome.probability;
  return sum;
}

TEST(OtherCases, EveryAnswerIsFound) {
  const Exploration tree = explore(load("engine/explore_wrong"), {});
  EXPECT_EQ(tree.answers(), 4u);
  EXPECT_NEAR(total_probability(tree), 1, 1e-12);
}

TEST(OtherCases, ProbabilitiesAddUp) {
  EXPECT_NEAR(total_probability(explore(load("engine/choices"), {})), 1, 1e-9);
  const Model merging = load("engine/choices", {{"K", 24}, {"merge", 1}});
  EXPECT_NEAR(total_probability(explore(merging, {})), 1, 1e-9);
  EXPECT_NEAR(total_probability(explore(load("faults/explore20"), {})), 1, 1e-9);
}

TEST(OtherCases, NamesThatCannotBe) {
  for (const auto& [file, kind] : {std::pair("faults/segv_check", "name.reserved"),
                                   std::pair("faults/segv_check2", "name.duplicate")}) {
    const Model model = load(file);
    ASSERT_FALSE(model.ok()) << file;
    EXPECT_EQ(model.diagnostics().front().kind, kind);
  }
}

TEST(OtherCases, ProcessesAreReadBack) {
  const HypaResult written = processes_of(load("faults/hypa_power"));
  ASSERT_TRUE(written.ok()) << written.diagnostics;
  const HypaResult again = processes_from_text("again", written.text);
  EXPECT_TRUE(again.ok()) << again.diagnostics;
  const Model without_value = load("faults/nan_hypa");
  if (without_value.ok()) processes_of(without_value, {.eliminate = true});
  EXPECT_FALSE(processes_from_text("bad", "X ≈ [true] ≫ (`x\xff` = 1) ▶ X\n").ok());
}

// Every file is a case, or is tried above.
TEST(OtherCases, NoFileIsLeftOut) {
  std::set<std::string> tried = {"circuits/parts",    "engine/explore_wrong", "engine/choices",
                                 "faults/explore20",  "faults/segv_check",    "faults/segv_check2",
                                 "faults/hypa_power", "faults/nan_hypa"};
  for (const Case& c : all_cases()) tried.insert(c.file);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() != ".cradle") continue;
    const std::string name =
        std::filesystem::relative(entry.path(), kFolder).replace_extension().string();
    EXPECT_TRUE(tried.contains(name)) << name;
  }
}

}  // namespace
}  // namespace cradle
