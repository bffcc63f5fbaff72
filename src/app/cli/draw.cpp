// cradle draw: the bond graph and the automata as a picture.

#include "cradle/draw.hpp"

#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/picture_file.hpp"

namespace cradle::cli {
namespace {

struct DrawCommand {
  ModelArguments model;
  std::vector<std::string> mode;
  PictureArguments picture;
  bool dark = false, layered = false;
  int depth = 0;
};

int draw_command(const DrawCommand& arguments) {
  arguments.picture.is_png();  // refuses what does not go together
  const Model model = load_model(arguments.model.file, arguments.model.settings);
  if (!report_model(model)) return kModelAtFault;
  DrawOptions options;
  options.mode = parse_mode(model, arguments.mode);
  options.dark = arguments.dark;
  options.layered = arguments.layered || arguments.depth > 0;
  options.depth = arguments.depth;
  OutputFile file(arguments.picture.output, files_of(model));
  file.stream() << arguments.picture.bytes(draw_svg(model, options));
  file.commit();
  return kFine;
}

}  // namespace

void add_draw(CLI::App& program, int& status) {
  auto arguments = std::make_shared<DrawCommand>();
  CLI::App* command =
      program.add_subcommand("draw", "Draw the bond graph of one mode, automata and modal models");
  arguments->model.add_to(*command);
  arguments->picture.add_to(*command);
  command
      ->add_option("--mode", arguments->mode,
                   "In this mode; automata that are not named are as they start")
      ->allow_extra_args(false)
      ->type_name("A=STATE,B=STATE");
  command->add_flag("--dark", arguments->dark, "Light on dark");
  command->add_flag("--layered", arguments->layered,
                    "From left to right, with values, and signals as dashed arrows");
  command
      ->add_option("--depth", arguments->depth,
                   "Layered, with components as boxes: 1 for those of the model, 2 for those in "
                   "them as well")
      ->check(CLI::Range(1, 100))
      ->type_name("COUNT");
  command->footer(
      "Examples:\n"
      "  cradle draw models/mosterman/cradle.cradle -o cradle.svg\n"
      "  cradle draw models/mosterman/cradle.cradle -o cradle.svg --mode F13=on,F23=off --dark\n"
      "  cradle draw models/circuits/flyback.cradle -o flyback.png --scale 2\n"
      "  cradle draw models/circuits/buck.cradle -o buck.svg --depth 1");
  command->callback([arguments, &status] { status = draw_command(*arguments); });
}

}  // namespace cradle::cli
