// cradle conform: does a recorded run obey the model's processes?

#include "cradle/conform.hpp"

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "show/text/conform.hpp"

namespace cradle::cli {
namespace {

struct ConformCommand {
  ModelArguments model;
  std::string run;
  double tolerance = 1e-6;
  std::size_t show = 20;
  bool json = false;
};

int conform_command(const ConformCommand& arguments) {
  const Model model = load_model(arguments.model.file, arguments.model.settings);
  if (!report_model(model)) return kModelAtFault;
  const Conformance result = check_conformance(
      model, read_text(arguments.run, kWrongUsage, kMaxRunBytes), arguments.tolerance);
  if (!result.problem.empty()) {
    throw Failure(kWrongUsage, arguments.run + ": " + result.problem);
  }
  if (arguments.json) {
    text::write_conformance_json(result, std::cout);
  } else {
    text::write_conformance(result, arguments.show, std::cout);
  }
  return result.ok() ? kFine : kModelAtFault;
}

}  // namespace

void add_conform(CLI::App& program, int& status) {
  auto arguments = std::make_shared<ConformCommand>();
  CLI::App* command = program.add_subcommand(
      "conform", "Check a recorded run against the model's processes, without simulating");
  arguments->model.add_to(*command);
  command->add_option("run", arguments->run, "What run --csv or run --json wrote")
      ->required()
      ->type_name("RUN");
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "Relative to the numbers that a relation adds up (default: 1e-6)")
      ->check(CLI::Range(1e-15, 1.0))
      ->type_name("NUMBER");
  command->add_option("--show", arguments->show, "List at most this many (default: 20)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("COUNT");
  command->add_flag("--json", arguments->json, "As JSON");
  command->footer(
      "Ends with 0 if the run conforms, with 1 if it does not.\n"
      "Record everything to check everything: cradle run FILE --all --csv run.csv\n\n"
      "Examples:\n"
      "  cradle run models/mosterman/cradle.cradle --all --csv run.csv\n"
      "  cradle conform models/mosterman/cradle.cradle run.csv\n"
      "  cradle conform models/mosterman/cradle.cradle run.csv --set restitution=0.7");
  command->callback([arguments, &status] { status = conform_command(*arguments); });
}

}  // namespace cradle::cli
