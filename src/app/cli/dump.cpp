// cradle dump: the stages between a model and its run.

#include "cradle/dump.hpp"

#include <iostream>
#include <map>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

const std::map<std::string, Stage>& stages() {
  static const std::map<std::string, Stage> all = {
      {"plan", Stage::Plan}, {"mode", Stage::Mode}, {"code", Stage::Code}};
  return all;
}

struct DumpCommand {
  std::string stage;
  ModelArguments model;
  std::vector<std::string> mode;
};

int dump_stage(const DumpCommand& arguments) {
  const Model model = load_model(arguments.model.file, arguments.model.settings);
  if (!report_model(model)) return kModelAtFault;
  const Stage stage = stages().at(arguments.stage);
  if (stage == Stage::Plan && !arguments.mode.empty()) {
    throw Failure(kWrongUsage, "the plan is the same in every mode: leave --mode out");
  }
  std::cout << stage_text(model, stage, parse_mode(model, arguments.mode));
  return kFine;
}

}  // namespace

void add_dump(CLI::App& program, int& status) {
  auto arguments = std::make_shared<DumpCommand>();
  CLI::App* command = program.add_subcommand(
      "dump", "Show what a run works with: the plan, the equations of a mode, its code");
  command->add_option("stage", arguments->stage, "plan, mode or code")
      ->required()
      ->check(CLI::IsMember({"plan", "mode", "code"}))
      ->type_name("STAGE");
  arguments->model.add_to(*command);
  command
      ->add_option("--mode", arguments->mode,
                   "The mode to show; automata that are not named are as they start")
      ->allow_extra_args(false)
      ->type_name("A=STATE,B=STATE");
  command->footer(
      "plan: parameters with their slots, cells, units, relations, and who reads what.\n"
      "mode: islands with their equations M y = b, constraints, and which stores depend.\n"
      "code: rates, gaps and guards as the instructions that are run.\n\n"
      "Examples:\n"
      "  cradle dump plan models/mosterman/cradle.cradle\n"
      "  cradle dump mode models/mosterman/cradle.cradle --mode F13=on\n"
      "  cradle dump code models/mosterman/cradle.cradle");
  command->callback([arguments, &status] { status = dump_stage(*arguments); });
}

}  // namespace cradle::cli
