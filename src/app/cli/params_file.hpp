#pragma once
// --params FILE: values of parameters, as JSON or as lines of name: value.

#include <string>
#include <vector>

#include "cradle/setting.hpp"

namespace cradle::cli {

// One setting for each value, in the order of the text. What stands within the value of another
// name has both names: {"d1": {"v_on": 0.7}} sets d1.v_on, and {"ball": [{"mass": 1}]} sets
// ball[1].mass. Texts are expressions of the language: "10 mH". Throws Failure that names the line.
//
// It reads JSON and of YAML what lists of values need: names with values, deeper ones indented
// below their name, lists behind dashes, comments, and JSON's brackets.
std::vector<Setting> parse_params(const std::string& file, const std::string& text);
std::vector<Setting> read_params(const std::string& file);

}  // namespace cradle::cli
