#include "app/cli/execute.hpp"

#include <iostream>
#include <stdexcept>

#include "app/cli/arguments.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/terminal.hpp"

namespace cradle::cli {

bool report_model(const Model& model) {
  std::cerr << for_terminal(model.diagnostics_text());
  return model.ok();
}

namespace {

// What a name in --select can be wrong about is told as wrong usage.
template <class Work>
auto with_selection(Work&& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    throw Failure(kWrongUsage, std::string("--select: ") + error.what());
  }
}

}  // namespace

Simulation execute(const Model& model, Options options, const std::vector<RowSink*>& sinks,
                   Progress progress, Interludes* interludes, const std::string& begin) {
  Watch watch(options.until ? options.until : model.until(), progress);
  const Simulation* running = nullptr;
  options.progress = [&](double t) {  // not called after the end
    return watch.go_on(t, running == nullptr ? 0 : running->rows());
  };
  Simulation simulation = with_selection([&] { return Simulation(model, options); });
  for (RowSink* sink : sinks) {
    if (sink != nullptr) simulation.stream_to(*sink);
  }
  if (!begin.empty()) simulation.load(begin);
  running = &simulation;
  if (interludes != nullptr) {
    interludes->begin(simulation);
    while (simulation.run_until([interludes] { return interludes->is_due(); })) {
      interludes->pause(simulation);
    }
  } else {
    simulation.run();
  }
  const Outcome& outcome = simulation.outcome();
  watch.stop();
  for (const auto& diagnostic : outcome.diagnostics)
    std::cerr << for_terminal(model.render(diagnostic));
  if (outcome.ending == Ending::Cancelled) {
    std::cerr << "interrupted at " << to_string(outcome.at) << "; "
              << (interludes != nullptr ? interludes->how_to_go_on() : "what was computed is kept")
              << "\n";
  }
  return simulation;
}

Explanation explain(const Model& model, const std::string& at, Options options, bool values) {
  const std::optional<double> time = parse_number(at);
  if (!time) throw Failure(kWrongUsage, "--at: '" + at + "' is not a number");
  Watch watch(options.until ? options.until : model.until());
  options.progress = [&watch](double t) { return watch.go_on(t); };
  Explanation told = with_selection([&] { return explain_instant(model, *time, options, values); });
  watch.stop();
  for (const Diagnostic& diagnostic : told.outcome.diagnostics) {
    if (diagnostic.severity == Severity::Warning) std::cerr << model.render(diagnostic);
  }
  return told;
}

int status_of(const Outcome& outcome) {
  if (outcome.finished()) return outcome.violations.empty() ? kFine : kAssertionFails;
  // A model that cannot even begin has computed nothing.
  const bool began = outcome.at.t > 0 || outcome.at.eps > 0;
  return outcome.ending == Ending::ModelError && !began ? kModelAtFault : kEndedEarly;
}

}  // namespace cradle::cli
