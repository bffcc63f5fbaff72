// cradle linearize: a model near a point of a run, or around a cycle.

#include <iostream>
#include <memory>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/picture_file.hpp"
#include "app/cli/watch.hpp"
#include "cradle/linear.hpp"
#include "show/plot/linear_chart.hpp"
#include "show/text/linear.hpp"

namespace cradle::cli {
namespace {

using plot::LinearPicture;

struct LinearizeCommand {
  RunArguments run;
  std::string at = "steady";
  std::vector<std::string> inputs, outputs;
  std::string bode, nyquist, step, poles, csv, json;
  std::optional<double> periodic;
  bool dark = false;
};

void draw(const LinearizeCommand& arguments, const Model& model, const Linearization& found,
          const std::string& file, LinearPicture kind, const std::vector<std::string>& inputs) {
  if (file.empty()) return;
  PictureArguments picture;
  picture.output = file;
  PlotOptions plot;
  if (picture.is_png()) plot.theme = PlotOptions::Theme::Light;
  if (arguments.dark) plot.theme = PlotOptions::Theme::Dark;
  plot.title = model.name();
  OutputFile out(file, inputs);
  out.stream() << picture.bytes(chart_svg(plot::linear_chart(found, kind), plot));
  out.commit();
}

void write(const std::string& file, const std::string& text,
           const std::vector<std::string>& inputs) {
  if (file.empty()) return;
  OutputFile out(file, inputs);
  out.write(text);
  out.commit();
}

std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const std::string& list : lists) {
    for (std::string& name : split_list(list)) out.push_back(std::move(name));
  }
  return out;
}

int around_cycle(const LinearizeCommand& arguments, const Model& model, const Options& options) {
  if (!arguments.bode.empty() || !arguments.nyquist.empty() || !arguments.step.empty() ||
      !arguments.poles.empty() || !arguments.csv.empty()) {
    throw Failure(kWrongUsage, "--periodic gives multipliers; pictures and --csv are of a point");
  }
  const Periodic found = periodic_start(model, options, *arguments.periodic);
  write(arguments.json, text::periodic_json(model.name(), *arguments.periodic, found),
        files_read(model, arguments.run));
  if (arguments.json != "-") {
    std::cout << text::periodic_text(model.name(), *arguments.periodic, found);
  }
  return kFine;
}

int linearize_model(const LinearizeCommand& arguments) {
  const Model model = load_model(arguments.run.model.file, arguments.run.model.settings);
  if (!report_model(model)) return kModelAtFault;
  RunArguments run = arguments.run;
  LinearizeOptions wanted;
  wanted.inputs = names_in(arguments.inputs);
  wanted.outputs = names_in(arguments.outputs);
  if (arguments.at != "steady") {
    wanted.at = parse_number(arguments.at);
    if (!wanted.at || *wanted.at < 0) {
      throw Failure(kWrongUsage, "--at takes a time or steady, not '" + arguments.at + "'");
    }
    if (!run.options.until && !model.until()) run.options.until = *wanted.at;
  }
  Options options = run.options_for(model);
  Watch watch(std::nullopt);
  options.progress = [](double) { return !Watch::is_asked_to_end(); };
  if (arguments.periodic) return around_cycle(arguments, model, options);
  const Linearization found = linearize(model, options, wanted);
  const std::vector<std::string> inputs = files_read(model, arguments.run);
  const bool needs_inputs = !arguments.bode.empty() || !arguments.nyquist.empty() ||
                            !arguments.step.empty() || !arguments.csv.empty();
  if (needs_inputs && found.inputs.empty()) {
    throw Failure(kWrongUsage, "a response needs --inputs: inputs or parameters of the model");
  }
  draw(arguments, model, found, arguments.bode, LinearPicture::Bode, inputs);
  draw(arguments, model, found, arguments.nyquist, LinearPicture::Nyquist, inputs);
  draw(arguments, model, found, arguments.step, LinearPicture::Step, inputs);
  draw(arguments, model, found, arguments.poles, LinearPicture::Poles, inputs);
  write(arguments.csv,
        arguments.csv.empty() ? "" : text::response_csv(found, text::frequencies_of(found)),
        inputs);
  write(arguments.json, text::linear_json(model.name(), found), inputs);
  if (arguments.json != "-" && arguments.csv != "-") {
    std::cout << text::linear_text(model.name(), found);
  }
  return kFine;
}

}  // namespace

void add_linearize(CLI::App& program, int& status) {
  auto arguments = std::make_shared<LinearizeCommand>();
  CLI::App* command = program.add_subcommand(
      "linearize", "A, B, C, D, poles and zeros of a model near a point; Floquet multipliers");
  arguments->run.add_to(*command);
  command
      ->add_option(
          "--at", arguments->at,
          "Where: a time of the run, or steady, where all rates are zero (default: steady)")
      ->type_name("T");
  command
      ->add_option("--inputs", arguments->inputs,
                   "Inputs of the model, or parameters, such as that of a source")
      ->allow_extra_args(false)
      ->type_name("A,B");
  command->add_option("--outputs", arguments->outputs, "Columns (default: what the model shows)")
      ->allow_extra_args(false)
      ->type_name("A,B.C");
  command
      ->add_option("--periodic", arguments->periodic,
                   "Instead: the cycle of this period, and its Floquet multipliers")
      ->check(CLI::PositiveNumber)
      ->type_name("PERIOD");
  const std::string group = "Pictures and files";
  const auto file = [&](const char* name, std::string& value, const char* what) {
    command->add_option(name, value, what)->type_name("FILE")->group(group);
  };
  file("--bode", arguments->bode, "Magnitude and phase over frequency, .svg or .png");
  file("--nyquist", arguments->nyquist, "The response in the complex plane");
  file("--step", arguments->step, "The response to a unit step of each input");
  file("--poles", arguments->poles, "Poles and zeros in the complex plane");
  file("--csv", arguments->csv, "The frequency response as CSV; - is stdout");
  file("--json", arguments->json, "All of it as JSON; - is stdout");
  command->add_flag("--dark", arguments->dark, "Pictures on dark ground")->group(group);
  command->footer(
      "Derivatives of rates by states come from the code of the mode where there is some, all\n"
      "others from differences that are taken where they agree best. Time and modes are held. Of\n"
      "stores that depend on each other only as many are states as are independent.\n"
      "\n"
      "Examples:\n"
      "  cradle linearize models/mechanics/motor.cradle --at 1 --inputs u --bode bode.svg\n"
      "  cradle linearize FILE --at 0.2 --inputs u --outputs v,i --json -\n"
      "  cradle linearize FILE --periodic 1e-5");
  command->callback([arguments, &status] {
    try {
      status = linearize_model(*arguments);
    } catch (const LinearFault& fault) {
      throw Failure(kEndedEarly, fault.what());
    } catch (const std::invalid_argument& error) {
      throw Failure(kWrongUsage, error.what());
    }
  });
}

}  // namespace cradle::cli
