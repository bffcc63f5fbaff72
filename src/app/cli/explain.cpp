// cradle explain: one instant in words.

#include "show/text/explain.hpp"

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

struct ExplainCommand {
  RunArguments run;
  std::string at;
  bool json = false;
  bool values = false;
};

int explain_command(const ExplainCommand& arguments) {
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  if (!report_model(model)) return kModelAtFault;
  const Explanation told =
      explain(model, arguments.at, arguments.run.options_for(model), arguments.values);
  std::cout << (arguments.json ? text::explanation_json(told, model.sources())
                               : text::explanation_text(told, model.sources()));
  if (told.ended) return status_of(told.outcome);
  return told.found ? kFine : kWrongUsage;
}

}  // namespace

void add_explain(CLI::App& program, int& status) {
  auto arguments = std::make_shared<ExplainCommand>();
  CLI::App* command = program.add_subcommand(
      "explain", "Tell one instant in words: who moved and why, what jumped, what energy did");
  arguments->run.add_to(*command);
  command->add_option("--at", arguments->at, "The real time of the instant")
      ->required()
      ->type_name("T");
  command->add_flag("--json", arguments->json, "As JSON");
  command->add_flag("--values", arguments->values,
                    "Numbers in place of the names of parameters in the relations of a jump");
  command->footer(
      "Step by step ⟨t + kε, n⟩: the transitions with their guards and numbers, the relations "
      "that\n"
      "determined the jump (in the notation of `cradle hypa`: x⁻ before, x⁺ after, x′ = x⁺ − x⁻),\n"
      "impulses, what the mode was and why, and where energy went; why a mode could only be tried\n"
      "(strain), when inference pivots, which part of a guard decided on the border between two\n"
      "modes, and which values only parasitics decide (shared).\n"
      "If nothing happens at T (up to 1e-9 of it), the nearest instant is told if it is no "
      "further\n"
      "away than a hundredth of the run; otherwise the times are listed at which something "
      "does.\n\n"
      "Examples:\n"
      "  cradle explain models/mosterman/cradle.cradle --at 1\n"
      "  cradle explain models/mosterman/cradle.cradle --at 1 --set J_break=0.95\n"
      "  cradle explain models/circuits/flyback.cradle --at 3 --json");
  command->callback([arguments, &status] { status = explain_command(*arguments); });
}

}  // namespace cradle::cli
