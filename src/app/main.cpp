#include <cstdio>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"

int main(int argc, char** argv) {
  try {
    return cradle::cli::run_program(argc, argv);
  } catch (...) {  // before the arguments are read, or while something is said
    std::fputs("error: the program could not go on\n", stderr);
    return cradle::cli::kEndedEarly;
  }
}
