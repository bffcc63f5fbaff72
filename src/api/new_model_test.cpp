#include "cradle/new_model.hpp"

#include <gtest/gtest.h>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

TEST(NewModel, RunsAtOnceAndIsInTheStyle) {
  for (const ModelTemplate kind : {ModelTemplate::Bond, ModelTemplate::Signals}) {
    for (const std::string name : {"M", "ARatherLongNameForAModelThatSomebodyMightStillWant"}) {
      const std::string text = new_model_text(name, kind);
      std::string diagnostics;
      EXPECT_EQ(format_source("new.cradle", text, diagnostics), text) << diagnostics;
      const Model model = Model::load_text("new.cradle", text);
      ASSERT_TRUE(model.ok()) << model.diagnostics_text();
      EXPECT_EQ(model.name(), name);
      EXPECT_TRUE(model.check().empty());
      EXPECT_FALSE(model.animation().empty());
      EXPECT_FALSE(model.parameters().empty());
      EXPECT_FALSE(model.automata().empty());
      Simulation run(model);
      EXPECT_TRUE(run.run().finished());
      EXPECT_GT(run.statistics().events, 3);
    }
  }
}

TEST(NewModel, IsNamedAfterItsFile) {
  EXPECT_EQ(model_name_for("ball"), "Ball");
  EXPECT_EQ(model_name_for("two_balls"), "TwoBalls");
  EXPECT_EQ(model_name_for("two-balls-2"), "TwoBalls2");
  EXPECT_EQ(model_name_for("_private"), "Private");
  EXPECT_EQ(model_name_for("RLC"), "RLC");
  EXPECT_EQ(model_name_for("se"), "SeModel");
  for (const std::string bad : {"", "-", "3balls", "two balls", "a.b", "a/b", "a\nb", "a//b"}) {
    EXPECT_EQ(model_name_for(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace cradle
