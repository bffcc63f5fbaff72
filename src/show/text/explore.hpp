#pragma once
// An exploration for people, as a tree, and for tools, as JSON.

#include <string>

#include "cradle/cradle.hpp"

namespace cradle::text {

std::string exploration_text(const std::string& model, const Exploration& exploration);
std::string exploration_json(const std::string& model, const Exploration& exploration);

}  // namespace cradle::text
