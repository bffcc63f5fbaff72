#include "app/cli/commands.hpp"

int main(int argc, char** argv) { return cradle::cli::run_program(argc, argv); }
