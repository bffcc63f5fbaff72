#pragma once
// One run from the command line: diagnostics, Ctrl-C, progress, exit status.

#include <string>
#include <vector>

#include "app/cli/watch.hpp"
#include "cradle/cradle.hpp"
#include "cradle/explain.hpp"

namespace cradle::cli {

// Prints what is wrong with the model to stderr; false if it cannot be run.
bool report_model(const Model& model);

// What a command does while a run goes on.
class Interludes {
 public:
  virtual ~Interludes() = default;
  virtual void begin(Simulation& simulation) = 0;  // before the first step
  virtual bool is_due() = 0;                       // asked often, between instants
  virtual void pause(const Simulation& simulation) = 0;
  virtual std::string how_to_go_on() const = 0;  // said if the run is interrupted
};

// Runs to the end or to Ctrl-C, and prints to stderr why it ended early. Sinks take the rows as the
// run goes; those that are null take none. `begin`: a state to begin with (begin_at).
Simulation execute(const Model& model, Options options, const std::vector<RowSink*>& sinks = {},
                   Progress progress = Progress::Line, Interludes* interludes = nullptr,
                   const std::string& begin = {});

// Explains the instant at the time that --at names, and prints warnings to stderr. Throws Failure
// if that is no number.
Explanation explain(const Model& model, const std::string& at, Options options,
                    bool values = false);

int status_of(const Outcome& outcome);

}  // namespace cradle::cli
