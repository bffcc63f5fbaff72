// cradle reduce: the model with fewer bonds, and by which rules.

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "show/text/json.hpp"
#include "show/text/table.hpp"

namespace cradle::cli {
namespace {

struct ReduceCommand {
  ModelArguments model;
  std::string output = "-";
  bool values = false;
  bool explain = false;
  bool json = false;
};

int reduce_model(const ReduceCommand& arguments) {
  const Model model = load_model(arguments.model.file, arguments.model.settings);
  if (!report_model(model)) return kModelAtFault;
  const Reduction reduction = model.reduce(arguments.values);
  for (const Diagnostic& diagnostic : reduction.diagnostics) std::cerr << model.render(diagnostic);
  if (!reduction.ok()) return kModelAtFault;
  OutputFile out(arguments.output, files_of(model));
  if (arguments.explain) {
    out.stream() << text::reduction_table(reduction.steps);
  } else if (arguments.json) {
    text::write_reduction_json(model.name(), reduction, out.stream());
  } else {
    out.stream() << reduction.text;
  }
  out.commit();
  return kFine;
}

}  // namespace

void add_reduce(CLI::App& program, int& status) {
  auto arguments = std::make_shared<ReduceCommand>();
  CLI::App* command = program.add_subcommand(
      "reduce", "Print an equal model with fewer bonds, and which rule was used where");
  arguments->model.add_to(*command);
  command->add_option("-o,--output", arguments->output, "Write it here; - is the standard output")
      ->type_name("FILE");
  command->add_flag("--values", arguments->values,
                    "Numbers in place of parameters; rules may use what they are");
  auto* explain = command->add_flag("--explain", arguments->explain,
                                    "Only what was done, by which rule and why, as a table");
  command->add_flag("--json", arguments->json, "As JSON: steps, names and the text")
      ->excludes(explain);
  command->footer(
      "Junctions of one kind merge, junctions of two bonds vanish, TF and GY in series combine.\n"
      "The text is a model of its own, without components and loops. Parameters keep their names,\n"
      "but for those by whose number it is decided what the model is.\n\n"
      "Examples:\n"
      "  cradle reduce models/circuits/rectifier.cradle --explain\n"
      "  cradle reduce models/mechanics/motor.cradle --set gear=1 --values -o motor.cradle");
  command->callback([arguments, &status] { status = reduce_model(*arguments); });
}

}  // namespace cradle::cli
