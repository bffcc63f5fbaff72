// Newton's cradle, instant by instant: load, set, advance, look.
//
//   step_by_step models/mosterman/cradle.cradle

#include <cradle/cradle.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: step_by_step FILE\n");
    return 2;
  }
  cradle::Model model = cradle::Model::load(argv[1]);
  model.set("J_break", 0.5);
  if (!model.ok()) {
    std::fputs(model.diagnostics_text().c_str(), stderr);
    return 1;
  }

  cradle::Options options;
  options.until = 2;
  options.record_steps = false;
  cradle::Simulation run(model, options);
  while (run.advance()) {
    if (run.kind() == cradle::RowKind::Evolving) continue;
    std::printf("%s F13 %s, F23 %s:", to_string(run.now()).c_str(), run.mode("F13").c_str(),
                run.mode("F23").c_str());
    for (const char* name : {"body1.p", "body2.p", "body3.p"}) {
      const auto momentum = run.value(name);
      std::printf(" %.6g", momentum ? momentum->finite : 0.0);
    }
    std::printf(" %s\n", to_string(run.kind()));
  }
  if (!run.outcome().finished()) {
    std::printf("ended early: %s\n", to_string(run.outcome().ending));
    return 3;
  }
  return 0;
}
