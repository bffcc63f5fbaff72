#pragma once
// The commands. Each adds itself to the program and leaves its exit status behind; what they do is
// done by the library, what they print is made by src/show/text and src/plot.

#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace cradle::cli {

// The whole command line; returns the exit status.
int run_program(int argc, char** argv);

void add_new(CLI::App& program, int& status);
// `words`: of the command line, because a checkpoint knows what the run was started with.
void add_run(CLI::App& program, int& status, std::vector<std::string> words);
void add_plot(CLI::App& program, int& status);
// `words`: of the command line, because the page shows what made it.
void add_report(CLI::App& program, int& status, std::vector<std::string> words);
void add_instants(CLI::App& program, int& status);
void add_explain(CLI::App& program, int& status);
void add_explore(CLI::App& program, int& status);
void add_linearize(CLI::App& program, int& status);
void add_sweep(CLI::App& program, int& status);
void add_check(CLI::App& program, int& status);
void add_causality(CLI::App& program, int& status);
void add_draw(CLI::App& program, int& status);
void add_dump(CLI::App& program, int& status);
void add_hypa(CLI::App& program, int& status);
void add_conform(CLI::App& program, int& status);
void add_reduce(CLI::App& program, int& status);
void add_import(CLI::App& program, int& status);
void add_lib(CLI::App& program, int& status);
void add_fmt(CLI::App& program, int& status);
void add_studio(CLI::App& program, int& status);
void add_completion(CLI::App& program, int& status);
void add_docs(CLI::App& program, int& status);

}  // namespace cradle::cli
