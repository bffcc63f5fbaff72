#pragma once
// Where a picture goes and as what: SVG or PNG.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace cradle::cli {

struct PictureArguments {
  std::string output;
  std::string format;
  std::optional<double> scale;

  void add_to(CLI::App& command);
  // By the ending of the name, or by --format for the standard output. Throws Failure if the
  // arguments do not go together.
  bool is_png() const;
  // The bytes of the file. Throws Failure if the picture is too large for pixels.
  std::string bytes(std::string svg) const;
};

}  // namespace cradle::cli
