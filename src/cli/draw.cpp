// cradle draw: the bond graph and the automata as a picture.

#include "cradle/draw.hpp"

#include <memory>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/output_file.hpp"

namespace cradle::cli {
namespace {

struct DrawCommand {
  ModelArguments model;
  std::vector<std::string> mode;
  std::string file;
  bool dark = false;
};

int draw_command(const DrawCommand& arguments) {
  if (arguments.file != "-" && !arguments.file.ends_with(".svg")) {
    throw Failure(kWrongUsage, "-o " + arguments.file +
                                   ": pictures are SVG; give a name that ends in .svg, or -");
  }
  const Model model = load_model(arguments.model.file, arguments.model.settings);
  if (!report_model(model)) return kModelAtFault;
  DrawOptions options;
  options.mode = parse_mode(model, arguments.mode);
  options.dark = arguments.dark;
  OutputFile file(arguments.file);
  file.stream() << draw_svg(model, options);
  file.commit();
  return kFine;
}

}  // namespace

void add_draw(CLI::App& program, int& status) {
  auto arguments = std::make_shared<DrawCommand>();
  CLI::App* command = program.add_subcommand(
      "draw", "Draw the bond graph of one mode, automata and modal models as SVG");
  arguments->model.add_to(*command);
  command->add_option("-o", arguments->file, "The picture; - is the standard output")
      ->required()
      ->type_name("FILE.svg");
  command
      ->add_option("--mode", arguments->mode,
                   "In this mode; automata that are not named are as they start")
      ->allow_extra_args(false)
      ->type_name("A=STATE,B=STATE");
  command->add_flag("--dark", arguments->dark, "Light on dark");
  command->footer(
      "Examples:\n"
      "  cradle draw models/mosterman/cradle.cradle -o cradle.svg\n"
      "  cradle draw models/mosterman/cradle.cradle -o cradle.svg --mode F13=on,F23=off --dark");
  command->callback([arguments, &status] { status = draw_command(*arguments); });
}

}  // namespace cradle::cli
