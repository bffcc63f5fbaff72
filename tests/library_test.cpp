// The parts of the standard library against closed forms: each model of tests/library holds parts
// beside signals wrong_…, by how much they differ from what a textbook says. They are to be zero,
// with each solver, wherever nothing happens: at events values of two sides stand beside each
// other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cradle/cradle.hpp"
#include "cradle/parts.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;
const std::string kFolder = std::string(CRADLE_ROOT) + "/tests/library";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> model_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) out.push_back(entry.path().stem());
  std::sort(out.begin(), out.end());
  return out;
}

// A row whose neighbours are at other times.
bool is_quiet(const Trajectory& rows, std::size_t row, double near) {
  const double t = rows.instant(row).t;
  const bool before = row == 0 || t - rows.instant(row - 1).t > near;
  return before && (row + 1 == rows.size() || rows.instant(row + 1).t - t > near);
}

struct Worst {
  double value = 0, time = 0;
  int rows = 0;
};

Worst worst_of(const Trajectory& rows, std::size_t column, double until) {
  Worst out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!is_quiet(rows, row, 1e-9 * until)) continue;
    ++out.rows;
    const auto number = rows.value(row, column);
    const double value = number ? std::abs(number->finite) : std::nan("");
    // What has no value is wrong, too.
    if (!(value <= out.value)) {
      out.value = value;
      out.time = rows.instant(row).t;
    }
  }
  return out;
}

class Library : public ::testing::TestWithParam<std::string> {};

TEST_P(Library, IsWhatTheTextbookSays) {
  const Model model = Model::load(kFolder + "/" + GetParam() + ".cradle");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  ASSERT_TRUE(model.until());
  const double until = *model.until();
  Options options;
  options.every = until / 219;  // falls on no event
  Simulation simulation(model, options);
  simulation.run();
  ASSERT_TRUE(simulation.outcome().finished());
  const Trajectory& rows = simulation.trajectory();
  int signals = 0;
  for (std::size_t column = 0; column < rows.columns().size(); ++column) {
    if (!rows.columns()[column].starts_with("wrong_")) continue;
    ++signals;
    const Worst worst = worst_of(rows, column, until);
    EXPECT_GT(worst.rows, 100) << rows.columns()[column];
    EXPECT_LE(worst.value, 1e-5) << rows.columns()[column] << " at " << worst.time;
  }
  EXPECT_GT(signals, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Library, ::testing::ValuesIn(model_names()),
                         [](const auto& tested) { return tested.param; });

// Every part of the library stands in one of these models, or in another test that names it.
TEST(LibraryParts, AreAllTested) {
  std::string texts = text_of(std::string(CRADLE_ROOT) + "/src/language/model/std_test.cpp");
  texts += text_of(std::string(CRADLE_ROOT) + "/models/lee/three_balls.cradle");
  for (const std::string& name : model_names()) texts += text_of(kFolder + "/" + name + ".cradle");
  for (const LibraryPart& part : library_parts()) {
    const bool named = texts.find(" " + part.name + " ") != std::string::npos ||
                       texts.find(" " + part.name + "(") != std::string::npos ||
                       texts.find("\"" + part.name + " ") != std::string::npos;
    EXPECT_TRUE(named) << part.name << " of " << part.file;
  }
}

TEST(LibraryParts, AreFoundByTheirOldNames) {
  for (const char* name :
       {"ball", "contact", "diode", "stiction", "switch", "thyristor", "valve"}) {
    const std::string import = "import \"std/" + std::string(name) + ".cradle\"\n";
    const Model model = Model::load_text("m.cradle", import + "model M { x = time until 1 }");
    EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  }
}

}  // namespace
}  // namespace cradle
