// cradle import: a SPICE netlist as a model.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/terminal.hpp"
#include "cradle/cradle.hpp"
#include "cradle/spice.hpp"

namespace cradle::cli {
namespace {

struct ImportCommand {
  std::string file, output = "-";
};

// What is written is a model: should it not be one, that is told, and the text is there to be read.
int import_netlist(const ImportCommand& arguments) {
  const std::string text = read_text(arguments.file, kModelAtFault);
  const std::string name = arguments.file == "-" ? "circuit" : arguments.file;
  const SpiceImport found = import_spice(name, text);
  for (const Diagnostic& diagnostic : found.diagnostics) {
    std::cerr << for_terminal(render_text(diagnostic, found.sources));
  }
  if (!found.ok()) return kModelAtFault;
  std::string said;
  const std::string formatted = format_source(name, found.text, said).value_or(found.text);
  OutputFile out(arguments.output, {arguments.file});
  out.write(formatted);
  out.commit();
  const Model model =
      Model::load_text(arguments.output == "-" ? "<stdout>" : arguments.output, formatted);
  std::cerr << model.diagnostics_text();
  return model.ok() ? kFine : kModelAtFault;
}

}  // namespace

void add_import(CLI::App& program, int& status) {
  auto arguments = std::make_shared<ImportCommand>();
  CLI::App* command = program.add_subcommand("import", "Write a SPICE netlist as a model");
  command->add_option("file", arguments->file, "The netlist, such as circuit.cir; - is stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", arguments->output, "The model (default: stdout)")
      ->type_name("FILE");
  command->footer(
      "R, L, C, V, I (DC, SIN, PULSE, PWL, EXP), E, F, G, H, S, D, X; .subckt, .param, .model,\n"
      ".tran, .ic, .print; suffixes such as k, meg and u. Diodes and switches are ideal, with the\n"
      "threshold and resistances of their .model. What is left out or idealised is told, and what\n"
      "is not understood is an error at its line.\n"
      "\n"
      "Example:\n"
      "  cradle import circuit.cir -o circuit.cradle && cradle run circuit.cradle");
  command->callback([arguments, &status] { status = import_netlist(*arguments); });
}

}  // namespace cradle::cli
