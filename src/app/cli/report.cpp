// cradle report: a run as one self-contained page.

#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/execute.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "cradle/view.hpp"

namespace cradle::cli {
namespace {

struct ReportCommand {
  RunArguments run;
  std::string page, json, progress;
};

// As a shell reads it back: bare where nothing in it means anything to a shell.
std::string quoted(const std::string& word) {
  const std::string bare =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%^";
  if (!word.empty() && word.find_first_not_of(bare) == std::string::npos) return word;
  std::string out = "'";
  for (char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// What makes this page again, by someone who has the file: without what only another program would
// say, and with a page to write.
std::string command_line(const std::vector<std::string>& words, const ReportCommand& arguments) {
  std::string out = "./cradle";
  bool skip = false;
  std::string before;
  for (const std::string& word : words) {
    const std::string last = std::exchange(before, word);
    if (std::exchange(skip, false)) continue;
    bool internal = false;
    for (const std::string option : {"--as", "--root", "--progress", "--json"}) {
      skip |= word == option;
      internal |= word == option || word.starts_with(option + "=");
    }
    if (internal) continue;
    const bool piped =
        word == "-" && last != "-o" && last != "--output" && !arguments.run.model.place.as.empty();
    out += " " + quoted(piped ? arguments.run.model.place.as : word);
  }
  return arguments.page.empty() ? out + " -o report.html" : out;
}

void check_outputs(const ReportCommand& arguments) {
  if (arguments.page.empty() && arguments.json.empty()) {
    throw Failure(kWrongUsage, "where to? give -o report.html, or --json FILE (- is stdout)");
  }
  if (is_same_output(arguments.page, arguments.json)) {
    throw Failure(kWrongUsage, "-o and --json name the same file");
  }
  if (!arguments.page.empty() && arguments.page != "-" && !arguments.page.ends_with(".html")) {
    throw Failure(kWrongUsage, "cannot write " + arguments.page +
                                   ": a report is a page, so the name must end in .html");
  }
}

Options options_of(const ReportCommand& arguments, const Model& model) {
  try {
    return options_for_view(model, arguments.run.options_for(model));
  } catch (const std::invalid_argument& error) {
    throw Failure(kWrongUsage, std::string("--select: ") + error.what());
  }
}

int report_run(const ReportCommand& arguments, const std::vector<std::string>& words) {
  check_outputs(arguments);
  const Model model =
      load_model(arguments.run.model.file, arguments.run.model.settings, arguments.run.model.place);
  if (!model.ok() && !arguments.json.empty()) {
    write_diagnostics_view(model, std::cout);
    return kModelAtFault;
  }
  if (!report_model(model)) return kModelAtFault;
  const Options options = options_of(arguments, model);
  // Opened before the run, so that a long one does not end in vain.
  const auto page = open_output(arguments.page, files_read(model, arguments.run));
  const auto json = open_output(arguments.json, files_read(model, arguments.run));
  const Simulation simulation =
      execute(model, options, {}, arguments.progress == "json" ? Progress::Json : Progress::Line);
  const ViewOptions view{.command = command_line(words, arguments)};
  if (page) {
    write_report(model, simulation, view, page->stream());
    page->commit();
  }
  if (json) {
    write_view(model, simulation, view, json->stream());
    json->stream() << '\n';
    json->commit();
  }
  return status_of(simulation.outcome());
}

}  // namespace

void add_report(CLI::App& program, int& status, std::vector<std::string> words) {
  auto arguments = std::make_shared<ReportCommand>();
  CLI::App* command =
      program.add_subcommand("report", "Run a model and write one page that shows all of it");
  arguments->run.add_to(*command);
  arguments->run.add_grid_to(*command);
  arguments->run.add_max_rows_to(*command);
  arguments->run.model.place.add_to(*command);
  command->add_option("-o,--output", arguments->page, "The page, an .html; - is stdout")
      ->type_name("FILE");
  command->add_option("--json", arguments->json, "What the page shows as JSON; - is stdout")
      ->type_name("FILE");
  command
      ->add_option("--progress", arguments->progress,
                   "json: say how far the run has come in lines of JSON on stderr")
      ->check(CLI::IsMember({"json"}))
      ->type_name("HOW")
      ->group("For programs that pass a text on");
  command->footer(
      "The page opens from disk, in any browser, without a network.\n"
      "\n"
      "Examples:\n"
      "  cradle report models/mosterman/cradle.cradle -o cradle.html\n"
      "  cradle report models/circuits/buck.cradle --until 1e-3 --select v,i -o buck.html");
  command->callback(
      [arguments, words = std::move(words), &status] { status = report_run(*arguments, words); });
}

}  // namespace cradle::cli
