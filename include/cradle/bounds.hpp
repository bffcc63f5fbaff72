#pragma once
// How large a model may become while it is built, so that a loop without end is told soon.

#include <cstdint>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"
#include "cradle/setting.hpp"

namespace cradle {

// Passing one is a diagnostic that names the option of the program. Model::load has these.
struct BuildBounds {
  int64_t parts = 5'000'000;   // elements, junctions, bonds, signals, instances
  int64_t terms = 40'000'000;  // of expressions
  int64_t work = 100'000'000;  // turns of loops, steps of computing; no memory
};

// As Model::load and Model::load_text.
Model load_within(const BuildBounds& bounds, const std::string& path,
                  const std::vector<Setting>& settings = {}, const std::string& root = {});
Model load_text_within(const BuildBounds& bounds, std::string name, std::string text,
                       const std::vector<Setting>& settings = {}, const std::string& root = {});

}  // namespace cradle
