#include "cradle/raster.hpp"

#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "cradle/draw.hpp"
#include "cradle/plot.hpp"
#include "show/text/sample.hpp"

namespace cradle {
namespace {

struct Pixels {
  int width = 0, height = 0;
  std::vector<uint32_t> colours;  // 0xrrggbb, row by row
  uint32_t at(int x, int y) const { return colours.at(static_cast<std::size_t>(y * width + x)); }
  int count(uint32_t colour) const {
    return static_cast<int>(std::count(colours.begin(), colours.end(), colour));
  }
};

// What a reader of the file would see.
Pixels decode(const std::string& png) {
  struct Rest {
    const char* data;
    std::size_t size;
  } rest{png.data(), png.size()};
  const auto read = [](void* from, unsigned char* to, unsigned int size) {
    Rest& rest = *static_cast<Rest*>(from);
    if (size > rest.size) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(to, rest.data, size);
    rest.data += size;
    rest.size -= size;
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(read, &rest);
  EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  Pixels out;
  out.width = cairo_image_surface_get_width(surface);
  out.height = cairo_image_surface_get_height(surface);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * cairo_image_surface_get_stride(surface) + 4 * x, 4);
      out.colours.push_back(pixel & 0xffffff);
    }
  }
  cairo_surface_destroy(surface);
  return out;
}

TEST(Raster, KnownPixels) {
  const std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\">"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
      "<rect x=\"10\" width=\"10\" height=\"5\" fill=\"#0072B2\"/></svg>";
  for (const int scale : {1, 3}) {
    const Pixels pixels = decode(svg_to_png(svg, scale));
    EXPECT_EQ(pixels.width, 20 * scale);
    EXPECT_EQ(pixels.height, 10 * scale);
    EXPECT_EQ(pixels.at(5 * scale, 2 * scale), 0xffffffu);
    EXPECT_EQ(pixels.at(15 * scale, 2 * scale), 0x0072b2u);
    EXPECT_EQ(pixels.at(15 * scale, 8 * scale), 0xffffffu);
    EXPECT_EQ(pixels.count(0x0072b2), 50 * scale * scale);
  }
}

// Ground, curves and text are there, in both themes; without one it is the light one.
TEST(Raster, APlotHasInk) {
  using Theme = PlotOptions::Theme;
  const auto pixels_of = [](Theme theme, double scale) {
    return decode(
        svg_to_png(plot_svg(text::table_2(), {.title = "Table 2", .theme = theme}), scale));
  };
  const Pixels light = pixels_of(Theme::Light, 1), dark = pixels_of(Theme::Dark, 1);
  EXPECT_EQ(light.width, 1280);
  EXPECT_EQ(light.height, 720);
  EXPECT_EQ(light.at(2, 2), 0xffffffu);
  EXPECT_EQ(dark.at(2, 2), 0x14171cu);
  EXPECT_GT(light.count(0x0072b2), 500);  // body1.p
  EXPECT_GT(dark.count(0x56b4e9), 500);
  EXPECT_GT(light.count(0x222222), 100);  // text
  EXPECT_GT(dark.count(0xe6e6e6), 100);
  EXPECT_EQ(pixels_of(Theme::Automatic, 1).colours, light.colours);
  EXPECT_EQ(pixels_of(Theme::Light, 1.5).width, 1920);
}

TEST(Raster, ABondGraphHasInk) {
  const Model model = Model::load(std::string(CRADLE_ROOT) + "/models/mosterman/cradle.cradle");
  const Pixels light = decode(svg_to_png(draw_svg(model)));
  const Pixels dark = decode(svg_to_png(draw_svg(model, {.mode = {}, .dark = true})));
  EXPECT_EQ(light.at(2, 2), 0xffffffu);
  EXPECT_GT(light.count(0), 500);
  EXPECT_EQ(dark.at(2, 2), 0x16181du);
  EXPECT_GT(dark.count(0xf2f2f2), 500);
}

std::string of_size(const std::string& width, const std::string& height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
         "\"/>";
}

TEST(Raster, WhatIsTooLargeIsRefused) {
  EXPECT_THROW(svg_to_png(of_size("40000", "10")), std::length_error);
  EXPECT_THROW(svg_to_png(of_size("20000", "20000")), std::length_error);
  EXPECT_THROW(svg_to_png(of_size("100", "100"), 1e9), std::length_error);
  EXPECT_THROW(svg_to_png(of_size("100", "100"), 1e308), std::length_error);
  EXPECT_EQ(decode(svg_to_png(of_size("32767", "1"))).width, 32767);
}

TEST(Raster, WhatIsNoPictureIsRefused) {
  EXPECT_THROW(svg_to_png(""), std::invalid_argument);
  EXPECT_THROW(svg_to_png("<svg"), std::invalid_argument);
  EXPECT_THROW(svg_to_png(of_size("0", "10")), std::invalid_argument);
  EXPECT_THROW(svg_to_png(of_size("10", "10"), 0), std::invalid_argument);
  EXPECT_THROW(svg_to_png(of_size("10", "10"), -1), std::invalid_argument);
}

}  // namespace
}  // namespace cradle
