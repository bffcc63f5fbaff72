#pragma once
// What the terminal can show.

#include <string>

#include "cradle/plot.hpp"

namespace cradle::cli {

// The width of the terminal (or COLUMNS, or 80), whether the locale is UTF-8, and colours if the
// standard output is a terminal and NO_COLOR is not set.
TextPlotOptions terminal_options();

// Diagnostics as they are rendered, in colours if the standard error is a terminal that takes them.
std::string for_terminal(const std::string& diagnostics);

}  // namespace cradle::cli
