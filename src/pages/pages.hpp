#pragma once
// The pages that are built from web/ and embedded: each one HTML file without outside references.

#include <string>
#include <string_view>

namespace cradle::pages {

// As bundled (generated/pages/embedded_pages.cpp).
std::string_view report_template();
std::string_view studio_template();

// The report with a run's data, the JSON text of a view (web/src/data/view.ts), in its place.
std::string report_page(std::string_view title, std::string_view view_json);

}  // namespace cradle::pages
