#include "core/engine/state.hpp"

#include <gtest/gtest.h>

#include "base/basics/sanitized.hpp"
#include "core/engine/beginning.hpp"
#include "core/engine/models.hpp"
#include "cradle/cradle.hpp"
#include "cradle/rows.hpp"

namespace cradle {
namespace {

// Rows as text, from the one with this number on.
std::string rows_from(const Trajectory& rows, std::size_t first) {
  std::string out;
  for (std::size_t row = first; row < rows.size(); ++row) {
    out += to_string(rows.instant(row)) + " " + to_string(rows.kind(row));
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      const auto value = rows.value(row, c);
      out += value ? " " + to_string(*value) : " -";
    }
    for (std::size_t a = 0; a < rows.automata().size(); ++a) out += " " + rows.mode(row, a);
    out += "\n";
  }
  return out;
}

Options options_for(const Model& model, std::size_t rows = kSanitized ? 200 : 1000) {
  Options options;
  options.until = beginning_of(model, rows);
  options.choice = ChoicePolicy::Random;
  return options;
}

class EveryModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(models_that_differ()),
                         [](const auto& info) { return name_of_model(info.param); });

// Saved after some rows and loaded into a new run, it goes on to the bit.
TEST_P(EveryModel, GoesOnFromWhatWasSaved) {
  const Model model = Model::load(GetParam());
  ASSERT_TRUE(model.ok());
  for (const SolverKind solver : {SolverKind::Automatic, SolverKind::Stiff}) {
    Options options = options_for(model, kSanitized ? 60 : 1000);
    options.solver = solver;
    Simulation whole(model, options);
    whole.run();
    const std::size_t count = whole.trajectory().size();
    for (const std::size_t cut : {std::size_t{1}, count / 3, 2 * count / 3}) {
      if (kSanitized && cut != count / 3) continue;
      Simulation first(model, options);
      for (std::size_t i = 0; i < cut && first.advance(); ++i) {
      }
      const std::size_t handed = first.rows();
      const std::string bytes = first.save();
      Simulation second(model, options);
      second.load(bytes);
      EXPECT_EQ(second.save(), bytes);
      second.run();
      EXPECT_EQ(rows_from(second.trajectory(), 0), rows_from(whole.trajectory(), handed));
      EXPECT_EQ(second.audit().residual, whole.audit().residual);
      EXPECT_EQ(second.statistics().solver_steps, whole.statistics().solver_steps);
      EXPECT_EQ(second.outcome().ending, whole.outcome().ending);
    }
  }
}

// Both go on on their own, the same way.
TEST_P(EveryModel, IsClonedAndBothGoOn) {
  const Model model = Model::load(GetParam());
  Options options = options_for(model);
  Simulation one(model, options);
  for (int i = 0; i < 20 && one.advance(); ++i) {
  }
  Simulation two = one.clone();
  two.run();
  one.run();
  EXPECT_EQ(rows_from(one.trajectory(), 0), rows_from(two.trajectory(), 0));
}

// Where a run is looked at does not change it.
TEST_P(EveryModel, DoesNotDependOnWhereItIsLookedAt) {
  const Model model = Model::load(GetParam());
  Options options = options_for(model);
  options.record_steps = false;
  const double end = options.until.value_or(1);
  Simulation whole(model, options);
  whole.run();
  Simulation parts(model, options);
  for (const double part : {0.1, 0.35, 0.7}) {
    if (!parts.advance_to(part * end)) break;
  }
  parts.run();
  EXPECT_EQ(parts.statistics(), whole.statistics());
  EXPECT_EQ(parts.outcome().at, whole.outcome().at);
}

// Rows that both have are the same, whoever else looks on.
TEST_P(EveryModel, DoesNotDependOnWhoLooksOn) {
  const Model model = Model::load(GetParam());
  Options plain = options_for(model);
  plain.record_steps = false;
  Options curious = plain;
  curious.select_everything = true;
  curious.record_animation = true;
  curious.tell_instants = 1000;
  curious.record_bonds = 10000;
  curious.record_steps = true;
  curious.every = plain.until.value_or(1) / 37;
  Options blind = plain;
  blind.record = false;
  blind.audit = false;
  Statistics statistics[3];
  int i = 0;
  for (const Options& options : {plain, curious, blind}) {
    Simulation run(model, options);
    run.run();
    statistics[i++] = run.statistics();
  }
  EXPECT_EQ(statistics[0], statistics[1]);
  EXPECT_EQ(statistics[0], statistics[2]);
}

TEST(SavedRuns, ThatDoNotFitAreRefused) {
  const std::string file = CRADLE_ROOT "/models/mosterman/cradle.cradle";
  const Model model = Model::load(file);
  Simulation run(model);
  run.advance_to(1.2);
  const std::string bytes = run.save();
  Simulation other(Model::load(file, {{"J_break", 0.95}}));
  EXPECT_THROW(other.load(bytes), std::runtime_error);
  Simulation same(model);
  EXPECT_THROW(same.load("nonsense"), std::runtime_error);
  EXPECT_THROW(same.load(bytes.substr(0, bytes.size() / 2)), std::runtime_error);
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_THROW(same.load(damaged), std::runtime_error);
  same.load(bytes);
  EXPECT_EQ(same.save(), bytes);
}

}  // namespace
}  // namespace cradle
