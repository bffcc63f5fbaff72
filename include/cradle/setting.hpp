#pragma once
// A value for a parameter, as `--set name=value` gives it.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cradle {

// A file of values, as `--params file` names it.
struct SettingsFile {
  std::string name;
  std::string text;
};

struct Setting {
  std::string name;  // dotted: "J_break", "d1.v_on", "ball[3].mass"
  // An expression over constants, in the language: "0.5", "2 * pi", "true", "[1, 2, 3]".
  std::string value;
  // Where the value stands, so that what there is to say of it points there; null: in no file.
  std::shared_ptr<const SettingsFile> file;
  int32_t begin = 0;  // in the text of the file

  Setting(std::string name_, double number);
  Setting(std::string name_, std::string_view text) : name(std::move(name_)), value(text) {}
  bool operator==(const Setting&) const = default;
};

}  // namespace cradle
