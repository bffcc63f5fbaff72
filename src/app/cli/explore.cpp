#include "show/text/explore.hpp"

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/watch.hpp"

namespace cradle::cli {
namespace {

struct ExploreCommand {
  RunArguments run;
  ExploreOptions limits;
  bool json = false;
};

int explore_all(const ExploreCommand& arguments) {
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  if (!report_model(model)) return kModelAtFault;
  Options options = arguments.run.options_for(model);
  // No progress line: each run begins at 0 again. Ctrl-C ends with what has been found.
  Watch watch(std::nullopt);
  options.progress = [&watch](double t) { return watch.go_on(t); };
  const Exploration found = explore(model, options, arguments.limits);
  watch.stop();
  std::cout << (arguments.json ? text::exploration_json(model.name(), found)
                               : text::exploration_text(model.name(), found));
  if (!found.complete || found.answers() != found.outcomes.size()) return kEndedEarly;
  return found.violations.empty() ? kFine : kAssertionFails;
}

}  // namespace

void add_explore(CLI::App& program, int& status) {
  auto arguments = std::make_shared<ExploreCommand>();
  CLI::App* command = program.add_subcommand(
      "explore", "Find all outcomes of all choices that a model leaves open");
  arguments->run.add_to(*command);
  command
      ->add_option(
          "--max-runs", arguments->limits.max_runs,
          "How many runs to make, each from one open choice to the next (default: 1000000)")
      ->check(CLI::PositiveNumber)
      ->type_name("COUNT");
  command
      ->add_option("--merge-tolerance", arguments->limits.tolerance,
                   "Outcomes that differ by no more than this are one answer (default: 1e-9)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("NUMBER");
  command->add_flag("--json", arguments->json, "Print the tree as JSON");
  command->footer(
      "The first line says how many distinct right answers there are; --choose is not needed.\n\n"
      "Example:\n"
      "  cradle explore models/lee/simultaneous_masses.cradle --set first=0");
  command->callback([arguments, &status] { status = explore_all(*arguments); });
}

}  // namespace cradle::cli
