// Whatever is destroyed, changed, copied or moved first: a simulation keeps what it needs.

#include <gtest/gtest.h>

#include <memory>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

constexpr const char* kText = R"(import "std/mechanical/contact.cradle"
model Bounces {
  param e = 0.8
  I ball(1)
  Se weight = -9.8
  Sf floor = 0
  1 v
  weight -> v -> ball
  y = integral(v.f, 1)
  Contact contact(e, gap = y)
  floor -> contact.a
  contact.b -> v
  until 1.5
}
)";

Model load(double e = 0.8) {
  Model model = Model::load_text("bounces.cradle", kText, {{"e", e}});
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

uint64_t hash_of(const Model& model) {
  Simulation run(model);
  EXPECT_TRUE(run.run().finished());
  return run.trajectory().hash();
}

TEST(Lifetime, AModelMayBeATemporary) {
  Simulation run(Model::load_text("bounces.cradle", kText));
  EXPECT_TRUE(run.run().finished());
  EXPECT_EQ(run.trajectory().hash(), hash_of(load()));
}

TEST(Lifetime, AModelMayBeSetBesideARunThatGoesOn) {
  Model model = load();
  Simulation run(model);
  ASSERT_TRUE(run.advance());
  ASSERT_TRUE(run.advance());
  model.set("e", 0.6);
  while (run.advance()) {
  }
  EXPECT_TRUE(run.outcome().finished());
  EXPECT_EQ(run.trajectory().hash(), hash_of(load())) << "it keeps the value it began with";
  EXPECT_EQ(hash_of(model), hash_of(load(0.6)));
}

TEST(Lifetime, AModelMayGoBeforeItsRun) {
  auto model = std::make_unique<Model>(load());
  Options options;
  options.tell_instants = 100;
  options.record_animation = true;
  Simulation run(*model, options);
  run.advance();
  model.reset();
  run.run();
  EXPECT_TRUE(run.outcome().finished());
  EXPECT_GT(run.statistics().events, 1);
}

TEST(Lifetime, ARunMayBeMoved) {
  auto first = std::make_unique<Simulation>(load());
  first->advance();
  Simulation second = std::move(*first);
  first.reset();
  EXPECT_TRUE(second.run().finished());
  EXPECT_EQ(second.trajectory().hash(), hash_of(load()));
}

TEST(Lifetime, CopiesShareAndAreSetOneByOne) {
  const Model model = load();
  Model copy = model;
  EXPECT_EQ(&copy.impl(), &model.impl()) << "a copy costs nothing";
  copy.set("e", 0.6);
  EXPECT_EQ(hash_of(model), hash_of(load()));
  EXPECT_EQ(hash_of(copy), hash_of(load(0.6)));
  copy = model;
  EXPECT_EQ(hash_of(copy), hash_of(model));
}

TEST(Lifetime, ASettingThatFailsLeavesRunsAndCopiesAlone) {
  Model model = load();
  const Model copy = model;
  Simulation run(model);
  run.advance();
  model.set("nothing", 1);
  EXPECT_FALSE(model.ok());
  EXPECT_FALSE(model.diagnostics_text().empty());
  EXPECT_TRUE(run.run().finished());
  EXPECT_TRUE(copy.ok());
  EXPECT_EQ(hash_of(copy), run.trajectory().hash());
}

TEST(Lifetime, TwoRunsOfOneModelGoTheirOwnWays) {
  const Model model = load();
  Simulation one(model);
  Options other;
  other.until = 0.7;
  other.select = {"impulse(ball.e)", "v.f", "e"};
  Simulation two(model, other);
  for (bool going = true; going;) {
    const bool first = one.advance(), second = two.advance();
    going = first || second;
  }
  EXPECT_EQ(one.trajectory().hash(), hash_of(model));
  Simulation again(model, other);
  again.run();
  EXPECT_EQ(two.trajectory().hash(), again.trajectory().hash());
  EXPECT_EQ(two.value("e"), Number(0.8));
}

}  // namespace
}  // namespace cradle
