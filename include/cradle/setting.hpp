#pragma once
// A value for a parameter, as `--set name=value` gives it.

#include <string>
#include <string_view>

namespace cradle {

struct Setting {
  std::string name;  // dotted: "J_break", "d1.v_on", "ball[3].mass"
  // An expression over constants, in the language: "0.5", "2 * pi", "true", "[1, 2, 3]".
  std::string value;

  Setting(std::string name_, double number);
  Setting(std::string name_, std::string_view text) : name(std::move(name_)), value(text) {}
  bool operator==(const Setting&) const = default;
};

}  // namespace cradle
