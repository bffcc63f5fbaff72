#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cradle/cradle.hpp"

namespace cradle::cli {

int run_program(int argc, char** argv) {
  int status = kFine;
  CLI::App program(
      "Cradle: hybrid bond graphs, causal signals and modal models in hyperdense time.", "cradle");
  program.set_version_flag("--version", std::string("cradle ") + cradle::version());
  program.require_subcommand(1);
  program.footer(
      "Exit status: 0 fine, 1 the model is at fault, 2 wrong usage, 3 the run ended early\n"
      "(what was computed is written).\n\n"
      "Try: cradle run models/mosterman/cradle.cradle\n"
      "     cradle instants models/mosterman/cradle.cradle --set J_break=0.95\n"
      "     cradle run --help");
  add_new(program, status);
  add_run(program, status);
  add_plot(program, status);
  add_instants(program, status);
  add_explain(program, status);
  add_explore(program, status);
  add_check(program, status);
  add_causality(program, status);
  add_draw(program, status);
  add_hypa(program, status);
  add_conform(program, status);
  add_reduce(program, status);
  add_fmt(program, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kFine : kWrongUsage;
  } catch (const Failure& failure) {
    std::cerr << "error: " << failure.what() << '\n';
    return failure.status;
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
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
