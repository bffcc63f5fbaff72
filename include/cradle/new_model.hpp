#pragma once
// A first model to start from: a commented text that runs at once and is in the one style.
// Includes no third-party header.

#include <optional>
#include <string>

namespace cradle {

enum class ModelTemplate {
  Bond,     // a ball on a pad of rubber: elements, junctions, bonds, an automaton
  Signals,  // a room with a thermostat: signals, an event, a modal model
};

// The text of a model of this name, which must be one of the language.
std::string new_model_text(const std::string& model_name, ModelTemplate kind = ModelTemplate::Bond);
// A model's name from that of its file, without folder and ending: two_balls and two-balls give
// TwoBalls. Nothing, if it is made of other things than letters, digits, - and _, or does not begin
// with a letter.
std::optional<std::string> model_name_for(const std::string& file_stem);

}  // namespace cradle
