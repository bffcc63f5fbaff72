#include "core/engine/watcher.hpp"

#include <gtest/gtest.h>

#include "core/engine/faults.hpp"
#include "core/plan/testing.hpp"
#include "cradle/cradle.hpp"
#include "cradle/rows.hpp"

namespace cradle::engine {
namespace {

std::vector<double> event_times(const Model& model, double until) {
  Options options;
  options.until = until;
  Simulation simulation(model, options);
  simulation.run();
  EXPECT_EQ(simulation.outcome().ending, Ending::Finished);
  std::vector<double> out;
  const Trajectory& rows = simulation.trajectory();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Instant& at = rows.instant(row);
    if (at.step == 1 && at.eps == 0) out.push_back(at.t);
  }
  return out;
}

// What happens before the end does not depend on where it is.
TEST(Watcher, TheEndHasNoSay) {
  for (const char* file : {"circuits/rectifier", "circuits/bridge"}) {
    const Model model = Model::load(std::string(CRADLE_ROOT "/models/") + file + ".cradle");
    ASSERT_TRUE(model.ok());
    const std::vector<double> longest = event_times(model, 0.5);
    EXPECT_GT(longest.size(), 40u);
    for (const double until : {0.03, 0.1, 0.21}) {
      std::vector<double> expected;
      for (double t : longest) {
        if (t <= until) expected.push_back(t);
      }
      EXPECT_EQ(event_times(model, until), expected) << file << " until " << until;
    }
  }
}

// The words of what must never happen.
TEST(Watcher, SaysWhatWasMissed) {
  const auto plan = plan::testing::plan_of(
      "x = integral(1)  modal m { mode a {} mode b {} a -> b when x > 0.5 }");
  const Options options;
  State state(*plan, options);
  Runtime runtime(*plan, options, state);
  const RunFault fault = missed_event(runtime, ComparisonId(0), 0.25, 0.75, 0.25);
  EXPECT_EQ(fault.diagnostic.kind, "run.missed-event");
  EXPECT_NE(fault.diagnostic.message.find("0.5 < x"), std::string::npos)
      << fault.diagnostic.message;
  EXPECT_EQ(fault.ending, Ending::SolverFailure);
  EXPECT_EQ(oscillates(runtime, ComparisonId(0), 0.25, 1e-9).diagnostic.kind, "run.oscillates");
}

}  // namespace
}  // namespace cradle::engine
