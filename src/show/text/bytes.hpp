#pragma once
// Where text goes as it is made, piece by piece; and numbers in it.

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

namespace cradle::text {

using Bytes = std::function<void(std::string_view)>;

// The shortest decimal that reads back as the same double, as format_number makes it.
inline void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";  // its sign says nothing
  } else {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value == 0 ? 0.0 : value);
  }
}

inline void append_integer(std::string& text, int64_t value) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
}

}  // namespace cradle::text
