#pragma once
// A run as a picture: curves with jumps drawn as jumps, impulses as arrows with their weights,
// absent as a gap, modes as bands; and the inside of one instant, step by step. Includes no
// third-party header.
//
//   cradle::Simulation run(model, cradle::options_for_plot(model, {}));
//   run.run();
//   std::ofstream("plot.svg") << cradle::plot_svg(run.trajectory(), {.title = model.name()});

#include <string>

#include "cradle/cradle.hpp"
#include "cradle/explain.hpp"

namespace cradle {

struct PlotOptions {
  enum class Theme { Automatic, Light, Dark };  // Automatic: as the reader's screen prefers
  std::string title = {};
  std::string note = {};  // below the title: that a run ended early, and why
  Theme theme = Theme::Automatic;
  int width = 1280;
  int height = 720;  // more, if the panels need it
};

struct TextPlotOptions {
  int width = 80;      // columns of the terminal
  bool utf8 = true;    // false: ASCII only
  bool colour = true;  // ANSI colours, and signals of one quantity together
};

// One panel for each quantity (body1.p and body2.p share one), a shared time axis, one band for
// each automaton. Self-contained; Okabe and Ito's colours. The same trajectory gives the same text.
std::string plot_svg(const Trajectory& trajectory, const PlotOptions& options = {});
// The same in a terminal, in braille characters.
std::string plot_text(const Trajectory& trajectory, const TextPlotOptions& options = {});

// The inside of one instant: a column for each step ⟨t + kε, n⟩ with its values and states, between
// the columns who moved and on what numbers, below them where the energy went. src/plot/
// instant_svg.cpp says what can be found in the SVG.
std::string instant_svg(const Explanation& told, const PlotOptions& options = {});

// What a run should record to be drawn: the solver's steps, rows where a curve turns, and the
// curves between them.
Options options_for_plot(const Model& model, Options options);

}  // namespace cradle
