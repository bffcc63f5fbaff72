#include "app/cli/picture_file.hpp"

#include <stdexcept>

#include "app/cli/failure.hpp"
#include "cradle/raster.hpp"

namespace cradle::cli {

void PictureArguments::add_to(CLI::App& command) {
  command
      .add_option("-o,--output", output,
                  "The picture, a .svg or .png by the ending of its name; - is stdout")
      ->required()
      ->type_name("FILE");
  command.add_option("--format", format, "Of -o -: svg or png (default: svg)")
      ->check(CLI::IsMember({"svg", "png"}))
      ->type_name("FORMAT");
  command
      .add_option("--scale", scale, "Of a PNG: 2 for twice as many pixels each way (default: 1)")
      ->check(CLI::Range(0.1, 16.0))
      ->type_name("NUMBER");
}

bool PictureArguments::is_png() const {
  const bool svg = output.ends_with(".svg"), png = output.ends_with(".png");
  if (output != "-" && !svg && !png) {
    throw Failure(kWrongUsage,
                  "cannot write " + output + ": the name of a picture must end in .svg or .png");
  }
  if ((format == "svg" && png) || (format == "png" && svg)) {
    throw Failure(kWrongUsage,
                  "--format " + format + " and the ending of " + output + " contradict each other");
  }
  const bool pixels = png || format == "png";
  if (scale && !pixels) {
    throw Failure(kWrongUsage, "--scale is for PNG: an SVG is sharp at any size");
  }
  return pixels;
}

std::string PictureArguments::bytes(std::string svg) const {
  if (!is_png()) return svg;
  try {
    return svg_to_png(svg, scale.value_or(1));
  } catch (const std::length_error& error) {
    throw Failure(kWrongUsage, "cannot write " + output + " as PNG: " + error.what() +
                                   "; make it smaller (--size, --scale, --select), or write SVG");
  } catch (const std::exception& error) {
    throw Failure(kWrongUsage, "cannot write " + output + " as PNG: " + error.what());
  }
}

}  // namespace cradle::cli
