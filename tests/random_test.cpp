// random(seed, e): numbers that depend on the seed and on how often the event was there.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "model_text.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

std::vector<double> drawn(const Simulation& run, const std::string& name) {
  std::vector<double> out;
  const Trajectory& rows = run.trajectory();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (const auto value = rows.value(row, *rows.find_column(name))) out.push_back(value->finite);
  }
  return out;
}

std::vector<double> drawn(const std::string& body, const Options& options = {}) {
  Simulation run(model_of(body), options);
  EXPECT_TRUE(run.run().finished());
  return drawn(run, "r");
}

TEST(Random, IsEvenlyDistributedAndIndependent) {
  const std::vector<double> r = drawn("r = random(7, clock(1))\nuntil 20000\nshow r");
  ASSERT_EQ(r.size(), 20001u);
  double sum = 0, square = 0, next = 0;
  std::vector<int> bins(10);
  for (std::size_t i = 0; i < r.size(); ++i) {
    ASSERT_GT(r[i], 0);
    ASSERT_LT(r[i], 1);
    ++bins[static_cast<std::size_t>(10 * r[i])];
    sum += r[i] - 0.5;
    square += (r[i] - 0.5) * (r[i] - 0.5);
    if (i > 0) next += (r[i] - 0.5) * (r[i - 1] - 0.5);
  }
  const auto n = static_cast<double>(r.size());
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(square / n, 1.0 / 12, 0.003);
  EXPECT_NEAR(next / n, 0, 5 / 12.0 / std::sqrt(n));
  for (const int count : bins) EXPECT_NEAR(count, n / 10, 5 * std::sqrt(n / 10));
}

TEST(Random, FollowsTheSeed) {
  std::set<double> first;
  for (const int seed : {-1, 0, 1, 2, 3, 1000000}) {
    const std::string text =
        "param s = " + std::to_string(seed) + "\nr = random(s, clock(1))\nuntil 3\nshow r";
    const std::vector<double> r = drawn(text);
    EXPECT_EQ(drawn(text), r);
    first.insert(r.begin(), r.end());
  }
  EXPECT_EQ(first.size(), 6u * 4u);
}

// Neither what else happens, nor how it is computed or recorded.
TEST(Random, DependsOnTheCountOfItsEventAlone) {
  const std::vector<double> r = drawn("r = random(7, clock(0.25))\nuntil 4\nshow r");
  const char* const kBusy = R"(
  r = random(7, clock(0.25))
  other = random(8, clock(0.1))
  more = clock(0.07)
  x = integral(hold(r, 0) - 0.5, 0)
  y = integral(-y * x, 1)
  until 4
  show r, x, other)";
  EXPECT_EQ(drawn(kBusy), r);
  for (const SolverKind solver : {SolverKind::Explicit, SolverKind::Stiff}) {
    Options options;
    options.solver = solver;
    options.every = 0.01;
    options.until = 3.9;
    const std::vector<double> part = drawn(kBusy, options);
    EXPECT_EQ(part, std::vector<double>(r.begin(), r.begin() + 16));
  }
  // The same count, at other times.
  EXPECT_EQ(drawn("r = random(7, rising(sin(2 * pi * time), 0.5))\nuntil 10\nshow r"),
            std::vector<double>(r.begin(), r.begin() + 10));
}

TEST(Random, IsSavedAndCopied) {
  const Model model = model_of("r = random(7, clock(0.25))\nuntil 4\nshow r");
  Simulation whole(model);
  whole.run();
  Simulation begun(model);
  begun.advance_to(1.6);
  Simulation copy = begun.clone();
  EXPECT_TRUE(copy.run().finished());
  EXPECT_EQ(drawn(copy, "r"), drawn(whole, "r"));
  Simulation loaded(model);
  loaded.load(begun.save());
  EXPECT_TRUE(loaded.run().finished());
  const std::vector<double> all = drawn(whole, "r"), rest = drawn(loaded, "r");
  ASSERT_GT(rest.size(), 5u);
  EXPECT_TRUE(std::equal(rest.rbegin(), rest.rend(), all.rbegin()));
}

TEST(Random, IsCheckedAndReducedAsRun) {
  const Model model = model_of(
      "r = random(7, clock(0.25))\nn = hold(r, 0)\nx = integral(n)\n"
      "until 4\nshow r, n, x");
  std::string csv;
  text::CsvWriter writer([&](std::string_view text) { csv += text; });
  Simulation run(model);
  EXPECT_TRUE(run.stream_to(writer).run().finished());
  EXPECT_TRUE(check_conformance(model, csv).ok());
  const Reduction reduction = model.reduce();
  ASSERT_TRUE(reduction.ok());
  Simulation again(Model::load_text("reduced.cradle", reduction.text));
  EXPECT_TRUE(again.run().finished());
  EXPECT_EQ(drawn(again, "r"), drawn(run, "r"));
}

}  // namespace
}  // namespace cradle
