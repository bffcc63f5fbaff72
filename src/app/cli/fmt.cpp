// cradle fmt: models in the one style.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"
#include "cradle/cradle.hpp"

namespace cradle::cli {
namespace {

struct FmtCommand {
  std::vector<std::string> files;
  bool write = false;
  bool check = false;
};

int format_one(const FmtCommand& arguments, const std::string& file) {
  const std::string text = read_text(file, kModelAtFault);
  std::string diagnostics;
  const auto formatted = format_source(file == "-" ? "<stdin>" : file, text, diagnostics);
  std::cerr << diagnostics;
  if (!formatted) return kModelAtFault;
  if (arguments.check) {
    if (*formatted == text) return kFine;
    std::cout << printable(file) << '\n';
    return kModelAtFault;
  }
  if (!arguments.write || file == "-") {
    // A file gets every byte; a terminal would obey some of them.
    std::cout << (isatty(STDOUT_FILENO) != 0 ? printable(*formatted) : *formatted);
  } else if (*formatted != text) {
    OutputFile out(file, {});  // to overwrite what was read is what it is for
    out.stream() << *formatted;
    out.commit();
  }
  return kFine;
}

}  // namespace

void add_fmt(CLI::App& program, int& status) {
  auto arguments = std::make_shared<FmtCommand>();
  CLI::App* command = program.add_subcommand("fmt", "Print models in the one style");
  command->add_option("files", arguments->files, "The models; - is the standard input")
      ->required()
      ->type_name("FILE");
  auto* write = command->add_flag("--write", arguments->write, "Rewrite the files in place");
  command
      ->add_flag("--check", arguments->check,
                 "Change nothing; name the files that are not in the style, and end with 1")
      ->excludes(write);
  command->footer(
      "Examples:\n"
      "  cradle fmt model.cradle\n"
      "  cradle fmt --write models/*/*.cradle\n"
      "  cradle fmt --check models/*/*.cradle");
  command->callback([arguments, &status] {
    for (const auto& file : arguments->files) {
      try {
        status = std::max(status, format_one(*arguments, file));
      } catch (const Failure& failure) {  // work on the other files goes on
        std::cerr << "error: " << printable(failure.what()) << '\n';
        status = std::max(status, failure.status);
      }
    }
  });
}

}  // namespace cradle::cli
