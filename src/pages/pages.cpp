#include "pages/pages.hpp"

#include "base/assert.hpp"

namespace cradle::pages {
namespace {

// JSON may hold "</script>" in a string; "\u003c" is the same character to whoever parses it.
void append_json(std::string& out, std::string_view json) {
  for (char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

void append_text(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
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

std::string report_page(std::string_view title, std::string_view view_json) {
  const auto [head, rest] = split(report_template(), "@TITLE@");
  const auto [middle, tail] = split(rest, "@VIEW@");
  std::string out;
  out.reserve(head.size() + rest.size() + view_json.size() + view_json.size() / 50);
  out += head;
  append_text(out, title);
  out += middle;
  append_json(out, view_json);
  out += tail;
  return out;
}

}  // namespace cradle::pages
