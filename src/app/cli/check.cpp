// cradle check: what is wrong with models, found without running them.

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/terminal.hpp"
#include "cradle/view.hpp"
#include "show/text/json.hpp"

namespace cradle::cli {
namespace {

struct CheckCommand {
  std::vector<std::string> files;
  SettingArguments settings;
  int max_modes = 256;
  bool json = false, names = false;
  PlaceArguments place;
};

std::string counted(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string verdict(std::size_t errors, std::size_t warnings) {
  std::string text = errors == 0 ? "ok" : counted(errors, "error");
  return warnings == 0 ? text : text + ", " + counted(warnings, "warning");
}

// All that an editor asks for at once.
int check_for_editor(const CheckCommand& arguments) {
  bool fine = true;
  const char* before = "[\n";
  for (const auto& file : arguments.files) {
    const Model model = load_model(file, arguments.settings, arguments.place);
    std::vector<Diagnostic> found = model.check(arguments.max_modes);
    // An editor sees from `until` that there is none, and offers to write one.
    std::erase_if(found, [](const Diagnostic& d) { return d.kind == "until.missing"; });
    fine &= model.ok() && std::none_of(found.begin(), found.end(), [](const Diagnostic& d) {
              return d.severity == Severity::Error;
            });
    std::cout << std::exchange(before, ",\n");
    write_check_view(model, found, std::cout);
  }
  std::cout << "\n]\n";
  return fine ? kFine : kModelAtFault;
}

int check(const CheckCommand& arguments) {
  if (arguments.names) return check_for_editor(arguments);
  std::vector<text::CheckedFile> checked;
  for (const auto& file : arguments.files) {
    const Model model = load_model(file, arguments.settings, arguments.place);
    const std::vector<Diagnostic> found = model.check(arguments.max_modes);
    const auto errors =
        static_cast<std::size_t>(std::count_if(found.begin(), found.end(), [](const Diagnostic& d) {
          return d.severity == Severity::Error;
        }));
    const bool ok = model.ok() && errors == 0;
    checked.push_back({file, ok, render_json(found, model.sources())});
    if (arguments.json) continue;
    for (const auto& diagnostic : found) std::cerr << for_terminal(model.render(diagnostic));
    std::cerr << std::flush;
    std::cout << printable(file) << ": " << verdict(errors, found.size() - errors) << std::endl;
  }
  if (arguments.json) text::write_checks_json(checked, std::cout);
  const bool fine = std::all_of(checked.begin(), checked.end(),
                                [](const text::CheckedFile& file) { return file.ok; });
  return fine ? kFine : kModelAtFault;
}

}  // namespace

void add_check(CLI::App& program, int& status) {
  auto arguments = std::make_shared<CheckCommand>();
  CLI::App* command = program.add_subcommand("check", "Check models without running them");
  command->add_option("files", arguments->files, "The models; - is the standard input")
      ->required()
      ->type_name("FILE");
  arguments->settings.add_to(*command);
  command
      ->add_option("--max-modes", arguments->max_modes,
                   "Look at this many modes at most (default: 256)")
      ->check(CLI::Range(1, 1000000000))
      ->type_name("COUNT");
  CLI::Option* json = command->add_flag("--json", arguments->json,
                                        "As a JSON array of {\"file\", \"ok\", \"diagnostics\"}");
  command
      ->add_flag("--names", arguments->names,
                 "With --json: also what an editor wants to know: \"model\", \"names\" that can be "
                 "read, \"parameters\", \"until\"")
      ->needs(json);
  arguments->place.add_to(*command);
  add_build_bounds(*command);
  command->footer(
      "Examples:\n"
      "  cradle check models/circuits/*.cradle\n"
      "  cradle check models/circuits/diode_ladder.cradle --set N=100 --json");
  command->callback([arguments, &status] { status = check(*arguments); });
}

}  // namespace cradle::cli
