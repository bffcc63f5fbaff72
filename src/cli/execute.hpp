#pragma once
// One run from the command line: diagnostics, Ctrl-C, progress, exit status.

#include "cli/watch.hpp"
#include "cradle/cradle.hpp"

namespace cradle::cli {

// Prints what is wrong with the model to stderr; false if it cannot be run.
bool report_model(const Model& model);

// Runs to the end or to Ctrl-C, and prints to stderr why it ended early.
Simulation execute(const Model& model, Options options, Progress progress = Progress::Line);

int status_of(const Outcome& outcome);

}  // namespace cradle::cli
