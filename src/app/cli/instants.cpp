// cradle instants: what happened inside each instant, as a table.

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "show/text/json.hpp"
#include "show/text/table.hpp"

namespace cradle::cli {
namespace {

struct InstantsCommand {
  RunArguments run;
  std::string at;
  bool json = false;
};

std::optional<double> asked_time(const std::string& at) {
  if (at.empty()) return std::nullopt;
  const auto time = parse_number(at);
  if (!time) throw Failure(kWrongUsage, "--at: '" + at + "' is not a number");
  return time;
}

// As the run goes, so that a long one needs no more memory than a short one.
int write_json(const Model& model, Options options, std::optional<double> at) {
  options.keep_trajectory = false;
  text::InstantsJsonWriter json(at, [](std::string_view text) { std::cout << text; });
  const Simulation simulation = execute(model, options, {&json});
  const std::string missing = json.what_is_missing();
  if (!missing.empty()) std::cerr << missing << '\n';
  return status_of(simulation.outcome());
}

int print_table(const Model& model, const Options& options, std::optional<double> at) {
  const Simulation simulation = execute(model, options);
  const Trajectory& trajectory = simulation.trajectory();
  const std::vector<std::size_t> rows = text::select_instants(trajectory, at);
  if (at && rows.empty()) {
    std::cerr << text::describe_missing_instant(trajectory, *at) << '\n';
  }
  if (!rows.empty()) std::cout << text::instants_table(trajectory, rows);
  return status_of(simulation.outcome());
}

int instants(const InstantsCommand& arguments) {
  const std::optional<double> at = asked_time(arguments.at);
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  if (!report_model(model)) return kModelAtFault;
  Options options = arguments.run.options_for(model);
  options.record_steps = options.record_curves = false;
  return arguments.json ? write_json(model, options, at) : print_table(model, options, at);
}

}  // namespace

void add_instants(CLI::App& program, int& status) {
  auto arguments = std::make_shared<InstantsCommand>();
  CLI::App* command = program.add_subcommand(
      "instants", "Show every instant at which something happened, microstep by microstep");
  arguments->run.add_to(*command);
  command->add_option("--at", arguments->at, "Only the instants at this real time")->type_name("T");
  command->add_flag("--json", arguments->json, "As a JSON array");
  command->footer(
      "The last column says what the mode was: mythical (left by inference, the physical state\n"
      "never took its values), pinnacle (the state jumped, and the mode is left after ε), real;\n"
      "before is the left limit of an event, start the initial instant. Strained: an ideal\n"
      "connection would have to carry something without limit, so the mode was only tried. "
      "Shared:\n"
      "a value that only the parasitics of ideal junctions decide.\n\n"
      "Examples:\n"
      "  cradle instants models/mosterman/cradle.cradle --set J_break=0.5\n"
      "  cradle instants models/circuits/flyback.cradle --at 1 --json");
  command->callback([arguments, &status] { status = instants(*arguments); });
}

}  // namespace cradle::cli
