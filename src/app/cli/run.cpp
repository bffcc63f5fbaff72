// cradle run: the whole trajectory into files, or a summary for a person.

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/terminal.hpp"
#include "cradle/plot.hpp"
#include "show/text/csv.hpp"
#include "show/text/json.hpp"
#include "show/text/summary.hpp"

namespace cradle::cli {
namespace {

struct RunCommand {
  RunArguments run;
  std::string csv, json;
  bool plot = false;
};

std::vector<Diagnostic> all_diagnostics(const Model& model, const Outcome& outcome) {
  std::vector<Diagnostic> all = model.diagnostics();
  all.insert(all.end(), outcome.diagnostics.begin(), outcome.diagnostics.end());
  return all;
}

text::Bytes bytes_to(OutputFile& file) {
  return [&file](std::string_view text) { file.stream() << text; };
}

template <class Sink>
RowSink* address(std::optional<Sink>& sink) {
  return sink ? &*sink : nullptr;
}

int run(const RunCommand& arguments) {
  if (!arguments.csv.empty() && arguments.csv == arguments.json) {
    throw Failure(kWrongUsage, "--csv and --json name the same file");
  }
  if (arguments.plot && (arguments.csv == "-" || arguments.json == "-")) {
    throw Failure(kWrongUsage, "--plot draws on the standard output; write the run to a file");
  }
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  if (!report_model(model)) return kModelAtFault;
  Options options = arguments.run.options_for(model);
  // Opened before the run, so that a long one does not end in vain.
  const auto csv = open_output(arguments.csv);
  const auto json = open_output(arguments.json);
  const bool to_file = csv || json;
  options.record_steps = to_file;
  // Files have the rows that were asked for, and no others.
  if (arguments.plot && !to_file) options = options_for_plot(model, options);
  options.keep_trajectory = arguments.plot;

  const std::optional<double> until = options.until ? options.until : model.until();
  std::optional<text::CsvWriter> csv_rows;
  std::optional<text::RunJsonWriter> json_rows;
  std::optional<text::SummaryRows> told;
  if (csv) csv_rows.emplace(bytes_to(*csv));
  if (json) json_rows.emplace(model.name(), until, bytes_to(*json));
  if (!to_file) told.emplace();
  const Simulation simulation =
      execute(model, options, {address(csv_rows), address(json_rows), address(told)});

  const text::RunResult result{
      model.name(),
      until,
      simulation.outcome(),
      options.audit ? std::optional(simulation.audit()) : std::nullopt,
      simulation.statistics(),
  };
  if (csv) csv->commit();
  if (json) {
    json_rows->complete(result,
                        render_json(all_diagnostics(model, result.outcome), model.sources()));
    json->commit();
  }
  if (arguments.plot) std::cout << plot_text(simulation.trajectory(), terminal_options());
  if (arguments.plot && told) std::cout << '\n';
  if (told) std::cout << text::summary(result, *told);
  return status_of(result.outcome);
}

}  // namespace

void add_run(CLI::App& program, int& status) {
  auto arguments = std::make_shared<RunCommand>();
  CLI::App* command = program.add_subcommand("run", "Run a model; print a summary or write files");
  arguments->run.add_to(*command);
  command->add_option("--csv", arguments->csv, "Write every recorded instant as CSV; - is stdout")
      ->type_name("FILE");
  command->add_option("--json", arguments->json, "Write the run as JSON; - is stdout")
      ->type_name("FILE");
  command->add_flag("--plot", arguments->plot, "Draw the trajectories in the terminal");
  arguments->run.add_grid_to(*command);
  command->footer(
      "Examples:\n"
      "  cradle run models/mosterman/cradle.cradle\n"
      "  cradle run models/circuits/flyback.cradle --plot\n"
      "  cradle run models/circuits/flyback.cradle --until 2 --csv out.csv --every 0.01\n"
      "  cradle run models/mosterman/cradle.cradle --set J_break=0.95 --select body1.p,F23.e "
      "--json -");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace cradle::cli
