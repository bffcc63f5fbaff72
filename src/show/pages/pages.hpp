#pragma once
// The pages that are built from web/ and embedded: each one HTML file without outside references.

#include <functional>
#include <iosfwd>
#include <string_view>

namespace cradle::pages {

// As bundled (generated/pages/embedded_pages.cpp).
std::string_view report_template();
std::string_view studio_template();

// The report with a run's data in its place: the JSON text of a view (web/src/data/view.ts), in
// which there must be no '<', because "</script>" would end it.
void write_report_page(std::string_view title, const std::function<void(std::ostream&)>& write_view,
                       std::ostream& out);

}  // namespace cradle::pages
