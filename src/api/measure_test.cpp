#include "api/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <thread>

#include "cradle/sweep.hpp"

namespace cradle {
namespace {

constexpr double kPi = std::numbers::pi;

// A wave without stores, so that everything is known in closed form; and a step at t = 1.
constexpr const char* kWave = R"(model Wave {
  param a = 2, w = 3
  x = a * sin(w * time)
  high = time >= 1
  1 s initially off { off -> on when time >= 1 }
  C c1(1, q = 3), c2(2)
  0 n1, n2
  n1 -> c1
  n1 -> s -> n2
  n2 -> c2
  require a > 0, "a is positive"
  until 4
  show x, c1.q
})";

Model wave() { return Model::load_text("wave.cradle", kWave); }

std::vector<std::optional<double>> measured(const std::vector<std::string>& measures,
                                            std::string* why = nullptr, double every = 0) {
  SweepOptions wanted;
  wanted.variations = {parse_variation(wave(), "a=2")};
  wanted.measures = measures;
  Options options;
  options.every = every;
  const Sweep found = sweep(wave(), options, wanted);
  if (why != nullptr) *why = found.runs[0]->why;
  return found.runs[0]->measures;
}

TEST(Measure, IsExactOnCurves) {
  const auto m = measured({"peak(x)", "minimum(x)", "mean(x)", "rms(x)", "integral(x)", "range(x)",
                           "first(x > 1)", "duration(x > 1)", "count(x > 1)", "final(x)",
                           "last(x > 1)", "mean(x, 1, 2)"});
  const double w = 3, a = 2, end = 4, rise = std::asin(0.5) / w, period = 2 * kPi / w;
  EXPECT_NEAR(*m[0], 2, 1e-9);
  EXPECT_NEAR(*m[1], -2, 1e-9);
  EXPECT_NEAR(*m[2], a * (1 - std::cos(w * end)) / w / end, 1e-9);
  EXPECT_NEAR(*m[3], std::sqrt(a * a / 2 * (1 - std::sin(2 * w * end) / (2 * w * end))), 1e-9);
  EXPECT_NEAR(*m[4], a * (1 - std::cos(w * end)) / w, 1e-9);
  EXPECT_NEAR(*m[5], 4, 1e-9);
  EXPECT_NEAR(*m[6], rise, 1e-8);
  EXPECT_NEAR(*m[7], 2 * (kPi / w - 2 * rise), 1e-8);
  EXPECT_EQ(*m[8], 2);
  EXPECT_NEAR(*m[9], a * std::sin(w * end), 1e-9);
  EXPECT_NEAR(*m[10], period + kPi / w - rise, 1e-8);
  EXPECT_NEAR(*m[11], a * (std::cos(w) - std::cos(2 * w)) / w, 1e-9);
}

TEST(Measure, SeesJumpsFromBothSides) {
  const auto m =
      measured({"initial(c1.q)", "final(c1.q)", "peak(c1.q)", "minimum(c1.q)", "mean(c1.q)",
                "first(c1.q < 2)", "events()", "first_event()", "first(s.on)"});
  EXPECT_EQ(*m[0], 3);
  EXPECT_NEAR(*m[1], 1, 1e-12);
  EXPECT_EQ(*m[2], 3);
  EXPECT_NEAR(*m[3], 1, 1e-12);
  EXPECT_NEAR(*m[4], (3 + 3 * 1) / 4.0, 1e-9);
  EXPECT_EQ(*m[5], 1);
  EXPECT_EQ(*m[6], 1);
  EXPECT_EQ(*m[7], 1);
  EXPECT_EQ(*m[8], 1);
}

TEST(Measure, DoesNotDependOnRows) {
  const std::vector<std::string> measures = {"peak(x)", "rms(x)", "first(x > 1.9)"};
  const auto few = measured(measures), many = measured(measures, nullptr, 0.001);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_NEAR(*few[i], *many[i], 1e-9);
}

TEST(Measure, ComputesWithParametersAndNumbers) {
  const auto m = measured({"-peak(x) ^ 2 + a * (1 + w) / 2", "sqrt(abs(minimum(x)) * 8)"});
  EXPECT_NEAR(*m[0], -4 + 2 * 4 / 2.0, 1e-8);
  EXPECT_NEAR(*m[1], 4, 1e-8);
}

TEST(Measure, SaysWhatItLacks) {
  std::string why;
  const auto m = measured({"first(x > 5)", "peak(x, 3, 9)", "peak(x) / 0"}, &why);
  for (const auto& one : m) EXPECT_FALSE(one);
  EXPECT_EQ(why,
            "first(x > 5): it never holds; peak(x, 3, 9): the run ends at 4; peak(x) / 0 is not "
            "finite");
}

TEST(Measure, RefusesWhatIsNone) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      measured({text});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said("peek(x)"),
            "'peek(x)': there is no measure peek; did you mean peak? at 'peek(x)'");
  EXPECT_EQ(said("peak(x"), "'peak(x': expected ) at 'end'");
  EXPECT_EQ(said("peak()"), "'peak()': expected the name of a column at ')'");
  EXPECT_EQ(said("peak(y)"), "there is no signal 'y' in Wave");
  EXPECT_EQ(said("peak(x) 3"), "'peak(x) 3': there is more than one expression at '3'");
  EXPECT_EQ(said("peak(x, 3, 1)"),
            "'peak(x, 3, 1)': a window goes from an earlier to a later time at ')'");
  EXPECT_EQ(said("peak(x) * b"), "Wave has no parameter 'b' (there are a, w)");
  EXPECT_EQ(said("peak(c1)"), "peak(c1): c1 is no single column; name one of what it has");
}

TEST(Sweep, HasItsPointsInOrder) {
  SweepOptions wanted;
  wanted.variations = {parse_variation(wave(), "a=1..3:3"), parse_variation(wave(), "w=5,7")};
  const std::vector<std::vector<double>> expected = {{1, 5}, {1, 7}, {2, 5},
                                                     {2, 7}, {3, 5}, {3, 7}};
  EXPECT_EQ(sweep_points(wanted), expected);
  wanted.variations = {parse_variation(wave(), "a=1..100:3,log")};
  EXPECT_EQ(sweep_points(wanted), (std::vector<std::vector<double>>{{1}, {10}, {100}}));
}

// One in each of as many equal parts of what is likely.
TEST(Sweep, DrawsLatinHypercubes) {
  SweepOptions wanted;
  wanted.variations = {parse_variation(wave(), "a=uniform(0, 1)"),
                       parse_variation(wave(), "w=normal(3, 2)")};
  wanted.samples = 50;
  wanted.latin = true;
  std::vector<int> a(50), w(50);
  for (const auto& point : sweep_points(wanted)) {
    ++a.at(static_cast<std::size_t>(point[0] * 50));
    const double u = 0.5 * std::erfc(-(point[1] - 3) / 2 / std::numbers::sqrt2);
    ++w.at(static_cast<std::size_t>(u * 50));
  }
  EXPECT_EQ(a, std::vector<int>(50, 1));
  EXPECT_EQ(w, std::vector<int>(50, 1));
}

TEST(Sweep, DrawsFromWhatWasAskedFor) {
  SweepOptions wanted;
  wanted.variations = {parse_variation(wave(), "a=lognormal(2, 0.5)")};
  wanted.samples = 20000;
  double sum = 0, squares = 0;
  const auto points = sweep_points(wanted);
  for (const auto& point : points) {
    sum += std::log(point[0]);
    squares += std::log(point[0]) * std::log(point[0]);
  }
  const double n = static_cast<double>(points.size()), mean = sum / n;
  EXPECT_NEAR(mean, std::log(2), 0.02);
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean), 0.5, 0.02);
  EXPECT_EQ(points, sweep_points(wanted));
  wanted.seed = 1;
  EXPECT_NE(points, sweep_points(wanted));
}

// To the bit, for any number of threads; a run that fails is a row that says so.
TEST(Sweep, IsTheSameOnAnyNumberOfThreads) {
  SweepOptions wanted;
  wanted.variations = {parse_variation(wave(), "a=-1..6:8"), parse_variation(wave(), "w=1..9:5")};
  wanted.measures = {"rms(x)", "final(c1.q) * w"};
  wanted.threads = 1;
  const Sweep one = sweep(wave(), {}, wanted);
  EXPECT_EQ(one.runs[0]->ending, Ending::ModelError);
  EXPECT_EQ(one.runs[0]->why, "a is positive");
  EXPECT_FALSE(one.runs[0]->measures[0]);
  EXPECT_EQ(one.runs[39]->ending, Ending::Finished);
  for (int threads : {2, 3, 8}) {
    wanted.threads = threads;
    const Sweep other = sweep(wave(), {}, wanted);
    ASSERT_EQ(one.runs.size(), other.runs.size());
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
      EXPECT_EQ(one.runs[i]->measures, other.runs[i]->measures);
      EXPECT_EQ(one.runs[i]->why, other.runs[i]->why);
    }
  }
}

TEST(Sweep, KeepsWhatIsKnownAndStopsWhenAsked) {
  SweepOptions wanted;
  wanted.variations = {parse_variation(wave(), "a=1..6:6")};
  wanted.measures = {"peak(x)"};
  wanted.threads = 1;
  int done = 0;
  wanted.finished = [&](std::size_t, const SweepRun&) { ++done; };
  wanted.go_on = [&] { return done < 2; };
  const Sweep cut = sweep(wave(), {}, wanted);
  EXPECT_FALSE(cut.complete());
  EXPECT_TRUE(cut.runs[1]);
  EXPECT_FALSE(cut.runs[2]);
  wanted.go_on = nullptr;
  const Sweep rest = sweep(wave(), {}, wanted, cut.runs);
  EXPECT_EQ(done, 6);
  EXPECT_TRUE(rest.complete());
}

}  // namespace
}  // namespace cradle
