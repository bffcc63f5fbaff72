// cradle causality: strokes, dependent stores and algebraic loops, mode by mode.

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

struct CausalityCommand {
  ModelArguments model;
  std::vector<std::string> mode;
  int max_modes = 64;
  bool json = false;
};

int causality(const CausalityCommand& arguments) {
  const Model model = load_model(arguments.model.file, arguments.model.settings);
  if (!report_model(model)) return kModelAtFault;
  const ModeSelection mode = parse_mode(model, arguments.mode);
  const ModeSelection* chosen = arguments.mode.empty() ? nullptr : &mode;
  std::cout << (arguments.json ? model.causality_json(chosen, arguments.max_modes)
                               : model.causality_text(chosen, arguments.max_modes));
  return kFine;
}

}  // namespace

void add_causality(CLI::App& program, int& status) {
  auto arguments = std::make_shared<CausalityCommand>();
  CLI::App* command = program.add_subcommand(
      "causality", "Show strokes, dependent stores and algebraic loops of each mode");
  arguments->model.add_to(*command);
  command
      ->add_option("--mode", arguments->mode,
                   "Only this mode; automata that are not named are as they start")
      ->allow_extra_args(false)
      ->type_name("A=STATE,B=STATE");
  command
      ->add_option("--max-modes", arguments->max_modes,
                   "Look at this many modes at most (default: 64)")
      ->check(CLI::Range(1, 1000000000))
      ->type_name("COUNT");
  command->add_flag("--json", arguments->json, "As JSON");
  command->footer(
      "Examples:\n"
      "  cradle causality models/mosterman/cradle.cradle\n"
      "  cradle causality models/mosterman/cradle.cradle --mode F13=on,F23=off");
  command->callback([arguments, &status] { status = causality(*arguments); });
}

}  // namespace cradle::cli
