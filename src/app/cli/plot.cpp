// cradle plot: a run as a picture.

#include "cradle/plot.hpp"

#include <charconv>
#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/picture_file.hpp"
#include "show/text/explain.hpp"

namespace cradle::cli {
namespace {

struct PlotCommand {
  RunArguments run;
  PictureArguments picture;
  std::string size, at;
  bool dark = false, light = false;
};

// "1280x720"
void parse_size(const std::string& text, PlotOptions& plot) {
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, plot.width);
  bool good = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  if (good) {
    const auto height = std::from_chars(width.ptr + 1, end, plot.height);
    good = height.ec == std::errc() && height.ptr == end;
  }
  const auto sensible = [](int pixels) { return pixels >= 240 && pixels <= 20000; };
  if (!good || !sensible(plot.width) || !sensible(plot.height)) {
    throw Failure(kWrongUsage,
                  "--size takes WIDTHxHEIGHT from 240x240 to 20000x20000, not '" + text + "'");
  }
}

PlotOptions options_of(const PlotCommand& arguments) {
  PlotOptions plot;
  if (arguments.picture.is_png()) plot.theme = PlotOptions::Theme::Light;
  if (!arguments.size.empty()) parse_size(arguments.size, plot);
  if (arguments.dark) plot.theme = PlotOptions::Theme::Dark;
  if (arguments.light) plot.theme = PlotOptions::Theme::Light;
  return plot;
}

// The inside of one instant. What there is to say goes to stderr, since the picture may go to
// stdout.
int plot_instant(const PlotCommand& arguments, const Model& model, const PlotOptions& plot) {
  OutputFile out(arguments.picture.output, files_read(model, arguments.run));
  const Explanation told = explain(model, arguments.at, arguments.run.options_for(model));
  if (!told.found) {
    std::cerr << text::explanation_text(told, model.sources());
    return kWrongUsage;
  }
  if (!told.exact) {
    std::cerr << "nothing happens at " << format_number(told.asked)
              << "; the nearest instant at which something does is drawn, " << format_number(told.t)
              << "\n";
  }
  if (told.ended) {
    for (const Diagnostic& diagnostic : told.outcome.diagnostics) {
      if (diagnostic.severity == Severity::Error) std::cerr << model.render(diagnostic);
    }
  }
  out.stream() << arguments.picture.bytes(instant_svg(told, plot));
  out.commit();
  return told.ended ? status_of(told.outcome) : kFine;
}

int plot_run(const PlotCommand& arguments) {
  PlotOptions plot = options_of(arguments);
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  if (!report_model(model)) return kModelAtFault;
  plot.title = model.name();
  if (!arguments.at.empty()) return plot_instant(arguments, model, plot);
  const Options options = options_for_plot(model, arguments.run.options_for(model));
  OutputFile out(arguments.picture.output, files_read(model, arguments.run));
  const Simulation simulation = execute(model, options);
  const Outcome& outcome = simulation.outcome();
  if (!outcome.finished()) {
    plot.note =
        std::string("ends early: ") + to_string(outcome.ending) + " at " + to_string(outcome.at);
  }
  out.stream() << arguments.picture.bytes(plot_svg(simulation.trajectory(), plot));
  out.commit();
  return status_of(simulation.outcome());
}

}  // namespace

void add_plot(CLI::App& program, int& status) {
  auto arguments = std::make_shared<PlotCommand>();
  CLI::App* command = program.add_subcommand("plot", "Run a model and draw it");
  arguments->run.add_to(*command);
  arguments->picture.add_to(*command);
  command
      ->add_option("--at", arguments->at,
                   "Draw the inside of the instant at this time instead of the run")
      ->type_name("T");
  command->add_option("--size", arguments->size, "In pixels (default: 1280x720)")->type_name("WxH");
  auto* dark =
      command->add_flag("--dark", arguments->dark,
                        "On dark ground (default: as the reader's screen prefers; a PNG is light)");
  command->add_flag("--light", arguments->light, "On light ground")->excludes(dark);
  command->footer(
      "Jumps are dashed, impulses are arrows with their weights, absent is a gap, modes are "
      "bands.\n"
      "With --at the horizontal axis is hyperdense time ⟨t + kε, n⟩: hollow circles are mythical,\n"
      "solid ones pinnacles; between the steps stand the guards with their numbers, below them\n"
      "what gave and took energy. What T means is as for `cradle explain`.\n"
      "\n"
      "Examples:\n"
      "  cradle plot models/mosterman/cradle.cradle -o cradle.svg\n"
      "  cradle plot models/mosterman/cradle.cradle --at 1 -o instant.png --scale 2\n"
      "  cradle plot models/circuits/buck.cradle --until 1e-3 --select v,i -o buck.svg --dark\n"
      "  cradle plot models/circuits/flyback.cradle --size 390x700 -o phone.svg");
  command->callback([arguments, &status] { status = plot_run(*arguments); });
}

}  // namespace cradle::cli
