// The only door to librsvg and cairo.

#include "cradle/raster.hpp"

#include <cairo.h>
#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "base/basics/leak_sanitizer.hpp"

#ifdef CRADLE_LEAK_SANITIZER
// fontconfig keeps to the end what it learns of fonts; pango asks it in a thread of its own, so
// that a scope around the call would not excuse it. Nothing else is excused.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
#endif

namespace cradle {
namespace {

constexpr double kMostPixels = 1e8;     // 400 MB
constexpr double kLongestSide = 32767;  // cairo's coordinates

struct Unref {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(GInputStream* stream) const { g_object_unref(stream); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Handle = std::unique_ptr<RsvgHandle, Unref>;
using Stream = std::unique_ptr<GInputStream, Unref>;
using Surface = std::unique_ptr<cairo_surface_t, Unref>;
using Context = std::unique_ptr<cairo_t, Unref>;

[[noreturn]] void fail(const char* what, GError* error) {
  std::string why = what;
  if (error != nullptr) why += std::string(": ") + error->message;
  g_clear_error(&error);
  throw std::invalid_argument(why);
}

// Without a base, nothing outside the text is read. Paths may be long.
Handle parse(std::string_view svg) {
  GError* error = nullptr;
  const Stream stream(
      g_memory_input_stream_new_from_data(svg.data(), static_cast<gssize>(svg.size()), nullptr));
  Handle handle(rsvg_handle_new_from_stream_sync(stream.get(), nullptr, RSVG_HANDLE_FLAG_UNLIMITED,
                                                 nullptr, &error));
  if (!handle) fail("this is no SVG", error);
  return handle;
}

// Ours are as large as their viewBox, and their CSS may leave the height to the page.
RsvgRectangle size_of(RsvgHandle* handle) {
  RsvgRectangle box{};
  gboolean has_box = FALSE;
  rsvg_handle_get_intrinsic_dimensions(handle, nullptr, nullptr, nullptr, nullptr, &has_box, &box);
  if (has_box) return {0, 0, box.width, box.height};
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &box.width, &box.height)) {
    throw std::invalid_argument("the picture does not say how large it is");
  }
  return {0, 0, box.width, box.height};
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
}

cairo_status_t append(void* text, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string svg_to_png(std::string_view svg, double scale) {
  if (!(scale > 0)) throw std::invalid_argument("the scale must be positive");
  const Handle handle = parse(svg);
  const RsvgRectangle size = size_of(handle.get());
  const double width = std::ceil(size.width * scale), height = std::ceil(size.height * scale);
  if (!(width >= 1 && height >= 1)) throw std::invalid_argument("the picture has no size");
  if (width > kLongestSide || height > kLongestSide || width * height > kMostPixels) {
    throw std::length_error(fmt::format("{:.0f}x{:.0f} pixels are too many", width, height));
  }
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                                   static_cast<int>(height)));
  check(cairo_surface_status(surface.get()));
  const Context context(cairo_create(surface.get()));
  const RsvgRectangle all{0, 0, width, height};
  GError* error = nullptr;
  if (!rsvg_handle_render_document(handle.get(), context.get(), &all, &error)) {
    fail("the picture cannot be drawn", error);
  }
  check(cairo_status(context.get()));
  std::string png;
  check(cairo_surface_write_to_png_stream(surface.get(), append, &png));
  return png;
}

}  // namespace cradle
