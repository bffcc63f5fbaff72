// cradle hypa: a model as processes of the hybrid process algebra.

#include "cradle/hypa.hpp"

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"

namespace cradle::cli {
namespace {

struct HypaCommand {
  ModelArguments model;
  HypaOptions options;
  bool latex = false, json = false;
};

int hypa_command(HypaCommand arguments) {
  using Format = HypaOptions::Format;
  if (arguments.latex) arguments.options.format = Format::Latex;
  if (arguments.json) arguments.options.format = Format::Json;
  if (arguments.options.explain) arguments.options.eliminate = true;
  const std::string& file = arguments.model.file;
  HypaResult result;
  if (file.ends_with(".hypa")) {
    result = processes_from_text(file, read_text(file, kModelAtFault), arguments.options);
  } else {
    const Model model = load_model(file, arguments.model.settings);
    if (!report_model(model)) return kModelAtFault;
    result = processes_of(model, arguments.options);
  }
  std::cerr << result.diagnostics;
  std::cout << result.text;
  return result.ok() ? kFine : kModelAtFault;
}

}  // namespace

void add_hypa(CLI::App& program, int& status) {
  auto arguments = std::make_shared<HypaCommand>();
  CLI::App* command = program.add_subcommand(
      "hypa", "Show the model as constitutive hybrid processes (HyPA), or their normal form");
  arguments->model.add_to(*command);
  command->add_flag("--eliminate", arguments->options.eliminate,
                    "The normal form: parallel composition eliminated, one alternative for each\n"
                    "combination of modes that can be reached; part by part where there are many");
  command->add_flag("--explain", arguments->options.explain,
                    "With --eliminate: which combinations were dropped or merged, and why");
  command->add_flag("--values", arguments->options.values,
                    "Numbers in place of parameters; what they are known by is eliminated, too");
  command->add_flag("--bonds", arguments->options.bonds, "Write the bonds' processes out");
  command
      ->add_option("--max-alternatives", arguments->options.max_alternatives,
                   "Multiply out at most this many combinations of modes (default: 256)")
      ->check(CLI::Range(1, 1000000000))
      ->type_name("COUNT");
  auto* latex = command->add_flag("--latex", arguments->latex, "As LaTeX");
  command->add_flag("--json", arguments->json, "As JSON")->excludes(latex);
  command->footer(
      "FILE may also hold processes in this notation; its name then ends in .hypa.\n"
      "docs/hypa.md explains how to read them.\n\n"
      "Examples:\n"
      "  cradle hypa models/mosterman/collision.cradle\n"
      "  cradle hypa models/mosterman/collision.cradle --eliminate\n"
      "  cradle hypa models/circuits/flyback.cradle --eliminate --explain");
  command->callback([arguments, &status] { status = hypa_command(*arguments); });
}

}  // namespace cradle::cli
