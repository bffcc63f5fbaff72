#pragma once
// A run as a page knows it: rows, events with what happened inside them, the bond graph in every
// mode, energy, sources. web/src/data/view.ts is the format. Includes no third-party header.
//
//   cradle::Simulation run(model, cradle::options_for_view(model, {}));
//   run.run();
//   std::ofstream page("report.html");
//   cradle::write_report(model, run, {.command = "./cradle report ball.cradle"}, page);

#include <iosfwd>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle {

struct ViewOptions {
  std::string command = {};  // what makes this page again
};

// What a run should record to be looked at: as for a plot, and no more than a page can hold (unless
// options.max_rows says how much that is).
// Throws std::invalid_argument if options.select names something that does not exist.
Options options_for_view(const Model& model, Options options);

// The view as JSON, in one line; it has no '<', so that it can stand in a page.
void write_view(const Model& model, const Simulation& run, const ViewOptions& options,
                std::ostream& out);
// The same in a self-contained HTML page.
void write_report(const Model& model, const Simulation& run, const ViewOptions& options,
                  std::ostream& out);
// {"diagnostics": […]}: of a model that cannot run.
void write_diagnostics_view(const Model& model, std::ostream& out);
// `found`: what check() said. What an editor wants to know of a model: {"file", "ok", "model",
// "diagnostics", "names", "parameters", "until"}, the last four as in web/src/data/api.ts.
void write_check_view(const Model& model, const std::vector<Diagnostic>& found, std::ostream& out);

}  // namespace cradle
