#pragma once
// --input NAME=FILE: what an input of a model is over time.

#include <string>
#include <utility>

#include "cradle/cradle.hpp"

namespace cradle::cli {

// The name and the file; throws Failure if it is not NAME=FILE.
std::pair<std::string, std::string> parse_input(const std::string& argument);

// Lines of time,value in ascending order of time. A first line without numbers, empty lines and
// those that begin with # do not count. Throws Failure that names the line.
InputSignal parse_samples(const std::string& name, const std::string& file,
                          const std::string& text);
InputSignal read_input(const std::string& name, const std::string& file);

}  // namespace cradle::cli
