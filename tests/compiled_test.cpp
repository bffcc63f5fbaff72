// Machine code (src/core/plan/compiled.hpp) against the interpreter: every model of the tree, run
// with machine code from the first evaluation on and without any, gives the same rows to the bit,
// with each solver. Where the build or the processor has no machine code the two are one.

#include <gtest/gtest.h>

#include <filesystem>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> models() {
  // One is about a guard that turns too often to be looked at, and takes its time to say so.
  const std::string slow = "02b_mod_missed.cradle";
  std::vector<std::string> out;
  for (const char* folder : {"/models", "/bench/models", "/tests/cases"}) {
    for (const auto& entry : fs::recursive_directory_iterator(CRADLE_ROOT + std::string(folder))) {
      if (entry.path().extension() == ".cradle" && entry.path().filename() != slow) {
        out.push_back(entry.path().string());
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct Ran {
  uint64_t rows = 0;
  Ending ending = Ending::Finished;
  int64_t steps = 0, evaluations = 0;
  bool operator==(const Ran&) const = default;
};

Ran run(const Model& model, SolverKind solver, CodeKind code) {
  Options options;
  options.choice = ChoicePolicy::Order;
  options.max_events = 30;
  options.max_steps = 200;
  options.audit = false;
  options.solver = solver;
  options.code = code;
  Simulation simulation(model, options);
  const Ending ending = simulation.run().ending;
  const Statistics& counts = simulation.statistics();
  return {simulation.trajectory().hash(), ending, counts.solver_steps, counts.evaluations};
}

TEST(MachineCode, GivesWhatTheInterpreterGives) {
  int count = 0;
  for (const std::string& path : models()) {
    const Model model = Model::load(path);
    if (!model.ok() || !model.until()) continue;
    for (const SolverKind solver :
         {SolverKind::Automatic, SolverKind::Explicit, SolverKind::Stiff}) {
      EXPECT_EQ(run(model, solver, CodeKind::Machine), run(model, solver, CodeKind::Interpreted))
          << path;
    }
    ++count;
  }
  EXPECT_GT(count, 100);
}

// What becomes hot on the way goes on as it was.
TEST(MachineCode, TakesOverInTheMiddleOfARun) {
  const Model model = Model::load(CRADLE_ROOT "/bench/models/vdp.cradle");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(run(model, SolverKind::Automatic, CodeKind::Automatic),
            run(model, SolverKind::Automatic, CodeKind::Interpreted));
}

}  // namespace
}  // namespace cradle
