#pragma once
// JSON that can stand in a page.

#include <string>

#include "show/text/json_parts.hpp"

namespace cradle::view {

// A '<' could end the script that holds the view; inside strings, where alone it can stand, this is
// the same character.
inline std::string text_of(const text::Json& json) {
  std::string out;
  for (char c : text::dump(json)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace cradle::view
