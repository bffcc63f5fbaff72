#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/terminal.hpp"
#include "cradle/cradle.hpp"

namespace cradle::cli {
namespace {

// A word that is no command is named; the parser would only say that one is missing.
void require_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    names.push_back(command->get_name());
  }
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  const std::string near = suggest(argv[1], names);
  throw Failure(kWrongUsage, "there is no command '" + std::string(argv[1]) + "'" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?") +
                                 " (cradle --help lists them)");
}

// An option that nobody knows, with the one that was meant.
void require_known_options(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    for (const std::string& word : command->remaining()) {
      if (!word.starts_with("-")) continue;
      const std::string given = word.substr(0, word.find('='));
      const std::string near = suggest(given, names);
      throw Failure(kWrongUsage, "cradle " + command->get_name() + " has no option " + given +
                                     (near.empty() ? "" : "; did you mean " + near + "?") +
                                     " (cradle " + command->get_name() + " --help lists them)");
    }
  }
}

// Where the standard streams are closed, the next files that are opened would take their place, and
// messages would end up in them. What should be read or written there fails instead; messages go
// nowhere.
void occupy_standard_streams() {
  const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest that is free: this one, since those below are taken.
    if (::open("/dev/null", modes[stream]) != stream) std::_Exit(kWrongUsage);
  }
}

void parse(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    require_known_options(program);
    throw;
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  occupy_standard_streams();
  int status = kFine;
  CLI::App program(
      "Cradle: hybrid bond graphs, causal signals and modal models in hyperdense time.", "cradle");
  program.set_version_flag("--version", std::string("cradle ") + cradle::version());
  program.require_subcommand(1);
  program.footer(
      "Exit status: 0 fine, 1 the model is at fault, 2 wrong usage, 3 the run ended early\n"
      "(what was computed is written), 4 an assertion of the model does not hold.\n\n"
      "Try: cradle run models/mosterman/cradle.cradle\n"
      "     cradle instants models/mosterman/cradle.cradle --set J_break=0.95\n"
      "     cradle run --help");
  add_new(program, status);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  add_run(program, status, words);
  add_plot(program, status);
  add_report(program, status, words);
  add_instants(program, status);
  add_explain(program, status);
  add_explore(program, status);
  add_sweep(program, status);
  add_linearize(program, status);
  add_check(program, status);
  add_causality(program, status);
  add_draw(program, status);
  add_dump(program, status);
  add_hypa(program, status);
  add_conform(program, status);
  add_reduce(program, status);
  add_fmt(program, status);
  add_import(program, status);
  add_lib(program, status);
  add_studio(program, status);
  add_docs(program, status);
  add_completion(program, status);
  // A file that grows too long is told as any that cannot be written.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    require_command(program, argc, argv);
    if (argc < 2) {
      std::cout << program.help();
      return kWrongUsage;
    }
    parse(program, argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kFine : kWrongUsage;
  } catch (const Failure& failure) {
    std::cerr << for_terminal("error: " + printable(failure.what()) + "\n");
    return failure.status;
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
    return kEndedEarly;
  } catch (const std::exception& error) {  // of a library, for a reason that is not ours to know
    std::cerr << "error: " << printable(error.what()) << '\n';
    return kEndedEarly;
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "error: cannot write to the standard output\n";
    return kWrongUsage;
  }
  return status;
}

}  // namespace cradle::cli
