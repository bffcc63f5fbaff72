#pragma once
// A model from what stands between its braces.

#include <gtest/gtest.h>

#include <string>

#include "cradle/cradle.hpp"

namespace cradle {

inline Model model_of(const std::string& body) {
  Model model = Model::load_text("test.cradle", "model Test {\n" + body + "\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

}  // namespace cradle
