#include "show/pages/pages.hpp"

#include <ostream>

#include "base/basics/assert.hpp"
#include "cradle/view.hpp"

namespace cradle {
namespace pages {
namespace {

void write_text(std::string_view text, std::ostream& out) {
  for (char c : text) {
    if (c == '<') {
      out << "&lt;";
    } else if (c == '&') {
      out << "&amp;";
    } else {
      out << c;
    }
  }
}

// Up to the mark, and behind it.
std::pair<std::string_view, std::string_view> split(std::string_view text, std::string_view mark) {
  const std::size_t place = text.find(mark);
  CRADLE_ASSERT(place != std::string_view::npos, "the page has no place for its data");
  return {text.substr(0, place), text.substr(place + mark.size())};
}

}  // namespace

void write_report_page(std::string_view title, const std::function<void(std::ostream&)>& write_view,
                       std::ostream& out) {
  const auto [head, rest] = split(report_template(), "@TITLE@");
  const auto [middle, tail] = split(rest, "@VIEW@");
  out << head;
  write_text(title, out);
  out << middle;
  write_view(out);
  out << tail;
}

}  // namespace pages

void write_report(const Model& model, const Simulation& run, const ViewOptions& options,
                  std::ostream& out) {
  pages::write_report_page(
      model.name(), [&](std::ostream& page) { write_view(model, run, options, page); }, out);
}

}  // namespace cradle
