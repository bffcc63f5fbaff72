// A parameter that is set is as good as one that was loaded, to the bit, and costs next to nothing
// where no structure depends on it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "api/implementation.hpp"
#include "cradle/cradle.hpp"

namespace cradle {
namespace {

std::vector<std::string> models() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CRADLE_ROOT "/models")) {
    if (entry.path().extension() == ".cradle") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct Result {
  uint64_t hash = 0;
  int64_t steps = 0, events = 0;
  std::string text;
  bool operator==(const Result&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Result& r) {
  return out << r.hash << ", " << r.steps << " steps, " << r.events << " events, " << r.text;
}

Result result_of(const Model& model) {
  Options options;
  options.choice = ChoicePolicy::Order;
  options.until = model.until() ? *model.until() / 4 : 1;
  Simulation run(model, options);
  run.run();
  std::string text;
  for (const Diagnostic& d : run.outcome().diagnostics) text += model.render(d);
  return {run.trajectory().hash(), run.statistics().solver_steps, run.statistics().events, text};
}

bool shares(const Model& a, const Model& b) {
  return a.impl().plan->shared_model() == b.impl().plan->shared_model();
}

class EveryModelIsSet : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryModelIsSet, testing::ValuesIn(models()),
                         [](const auto& info) {
                           const std::filesystem::path path = info.param;
                           return path.parent_path().filename().string() + "_" +
                                  path.stem().string();
                         });

// Every parameter in turn, on a model that has been set before.
TEST_P(EveryModelIsSet, AsIfItHadBeenLoaded) {
  Model set = Model::load(GetParam());
  ASSERT_TRUE(set.ok());
  std::vector<Setting> settings;
  const auto parameters = set.parameters();
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < parameters.size(); i += 1 + parameters.size() / kMost) {
    const auto& [name, value] = parameters[i];
    const bool whole = value == std::floor(value);
    const Setting setting(name, value == 0 ? 0.125 : value * (whole ? 2 : 1.25));
    const Model before = set;
    set.set(setting);
    settings.push_back(setting);
    const Model loaded = Model::load(GetParam(), settings);
    ASSERT_EQ(set.ok(), loaded.ok()) << name;
    EXPECT_EQ(set.diagnostics_text(), loaded.diagnostics_text());
    if (!set.ok()) {
      settings.pop_back();
      set = before;
      continue;
    }
    EXPECT_EQ(set.parameters(), loaded.parameters());
    EXPECT_EQ(set.until(), loaded.until());
    EXPECT_EQ(result_of(set), result_of(loaded)) << name << " = " << setting.value;
  }
}

constexpr const char* kText = R"(
component Mass {
  param m = 1
  param start = 0
  port p
  I body(m, p = start)
  p -> body
}
model Two {
  param m1 = 1
  param m2 = 2 * m1
  param n = 2
  param e = 0.5
  param period = 0.25
  param k0 = 0
  require e <= 1
  Mass a(m = m1, start = 1)
  Mass b(m = m2)
  for i in 1..n {
    1 v[i]
    Se s[i] = k0 * i
    s[i] -> v[i]
  }
  v[1] -> a.p
  v[2] -> b.p
  x = hold(sample(a.body.f, clock(period)), e)
  until 2 * e
}
)";

Model two(const std::vector<Setting>& settings = {}) {
  Model model = Model::load_text("two.cradle", kText, settings);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

TEST(Set, WhatIsNoStructureIsBound) {
  for (const char* name : {"m1", "m2", "e", "period", "a.m", "b.start"}) {
    Model model = two();
    const Model before = model;
    model.set(name, 0.75);
    EXPECT_TRUE(shares(model, before)) << name;
    EXPECT_EQ(result_of(model), result_of(two({{name, 0.75}}))) << name;
  }
}

// A value that was taken from another parameter follows it until it is given itself.
TEST(Set, ParametersFollowEachOther) {
  Model model = two();
  auto value = [&](const std::string& name) {
    for (const auto& [other, number] : model.parameters()) {
      if (other == name) return number;
    }
    return -1.0;
  };
  model.set("m1", 3);
  EXPECT_EQ(value("m2"), 6);
  EXPECT_EQ(value("b.m"), 6);
  model.set("b.m", 5);
  model.set("m1", 4);
  EXPECT_EQ(value("m2"), 8);
  EXPECT_EQ(value("b.m"), 5);
  EXPECT_EQ(model.until(), 1);
  model.set("e", 0.25);
  EXPECT_EQ(model.until(), 0.5);
}

TEST(Set, StructureIsBuiltAnew) {
  Model model = two();
  const Model before = model;
  model.set("k0", 1);  // was zero, which takes terms away
  EXPECT_FALSE(shares(model, before));
  const Model pushed = model;
  model.set("k0", -2);
  EXPECT_TRUE(shares(model, pushed));
  EXPECT_EQ(result_of(model), result_of(two({{"k0", -2.0}})));
}

TEST(Set, WhatIsWrongIsSaidAsEver) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{
           {"e", 2}, {"m1", 0}, {"m2", -1}, {"period", 0}, {"period", -1}, {"e", -1}, {"n", 1.5}}) {
    Model model = two();
    model.set(name, value);
    const Model loaded = Model::load_text("two.cradle", kText, {{name, value}});
    EXPECT_FALSE(model.ok()) << name << " = " << value;
    EXPECT_EQ(model.diagnostics_text(), loaded.diagnostics_text());
  }
}

TEST(Set, ThreadsWithValuesOfTheirOwn) {
  const Model model = two();
  constexpr int kThreads = 8;
  std::vector<Result> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Model own = model;
      own.set("m1", 1 + 0.1 * i);
      results[static_cast<std::size_t>(i)] = result_of(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(results[static_cast<std::size_t>(i)], result_of(two({{"m1", 1 + 0.1 * i}})));
  }
}

}  // namespace
}  // namespace cradle
