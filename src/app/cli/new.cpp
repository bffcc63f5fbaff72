// cradle new: a commented first model.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "cradle/new_model.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;

struct NewCommand {
  std::string name;
  std::string kind = "bond";
};

int write_new_model(const NewCommand& arguments) {
  fs::path file(arguments.name);
  if (file.extension() != ".cradle") file += ".cradle";
  const std::string stem = file.stem().string();
  const auto model = model_name_for(stem);
  if (!model || arguments.name.ends_with('/')) {
    throw Failure(kWrongUsage,
                  "'" + arguments.name +
                      "' is no name for a model: it begins with a letter, and letters, "
                      "digits, - and _ follow");
  }
  const fs::path folder = file.parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    throw Failure(kWrongUsage, "there is no folder " + folder.string());
  }
  if (fs::exists(fs::symlink_status(file, error))) {
    throw Failure(kWrongUsage, file.string() + " is there already, and is not overwritten");
  }
  OutputFile out(file.string(), {});
  out.stream() << new_model_text(
      *model, arguments.kind == "bond" ? ModelTemplate::Bond : ModelTemplate::Signals);
  out.commit();
  const std::string path = file.string();
  const std::pair<std::string, std::string> next[] = {
      {"run " + path + " --plot", "what happens, drawn in the terminal"},
      {"report " + path + " -o report.html", "all of it in one page, for any browser"},
      {"instants " + path, "what happened inside each instant"},
      {"draw " + path + " -o graph.svg", "a picture of the model"},
      {"check " + path, "what is wrong, when you have changed it"}};
  std::cout << "wrote " << printable(path) << ": model " << *model << "\n\n";
  const std::size_t width = next[1].first.size() + 4;
  for (const auto& [command, what] : next) {
    std::cout << "  cradle " << command << std::string(width - command.size(), ' ') << what << '\n';
  }
  std::cout << "\nThe language is in docs/language.md; more models are in models/.\n";
  return kFine;
}

}  // namespace

void add_new(CLI::App& program, int& status) {
  auto arguments = std::make_shared<NewCommand>();
  CLI::App* command = program.add_subcommand("new", "Write a commented first model to start from");
  command
      ->add_option("name", arguments->name,
                   "What to call it; NAME.cradle is written, and never overwritten")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("--template", arguments->kind,
                   "bond: a hybrid bond graph (default); signals: equations and a modal model")
      ->check(CLI::IsMember({"bond", "signals"}))
      ->type_name("KIND");
  command->footer(
      "Examples:\n"
      "  cradle new ball\n"
      "  cradle new parts/two_balls.cradle      model TwoBalls, in a folder that is there\n"
      "  cradle new thermostat --template signals");
  command->callback([arguments, &status] { status = write_new_model(*arguments); });
}

}  // namespace cradle::cli
