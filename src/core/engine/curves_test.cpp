#include "core/engine/curves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace cradle::engine {
namespace {

class Functions : public Curves::Columns {
 public:
  explicit Functions(std::vector<std::function<double(double)>> list) : list_(std::move(list)) {}
  void look(double t, std::span<double> values) override {
    ++looks;
    for (std::size_t c = 0; c < list_.size(); ++c) values[c] = list_[c](t);
  }
  double at(std::size_t c, double t) const { return list_[c](t); }
  int looks = 0;

 private:
  std::vector<std::function<double(double)>> list_;
};

// The curve of a column at t, as whoever takes stretches sees it.
double read(const Curves& curves, std::size_t column, double t) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const StretchView stretch = curves.stretch(i);
    if (t < stretch.begin || t > stretch.end) continue;
    std::size_t first = 0;
    for (std::size_t c = 0; c < column; ++c)
      first += static_cast<std::size_t>(stretch.degrees[c] + 1);
    const auto size = static_cast<std::size_t>(stretch.degrees[column] + 1);
    if (size == 0) return NAN;
    return curve_at(stretch.coefficients.subspan(first, size), stretch.begin, stretch.end, t);
  }
  return NAN;
}

double worst(const Curves& curves, const Functions& functions, std::size_t column, double from,
             double to) {
  double worst = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double t = from + (to - from) * i / 1000;
    worst = std::max(worst, std::abs(read(curves, column, t) - functions.at(column, t)));
  }
  return worst;
}

TEST(Curves, WhatIsAPolynomialOfLowDegreeIsKeptAsThat) {
  Curves curves(3, 1e-9, 0);
  Functions functions({[](double t) { return 1 + t * t * (t - 2) * t; }, [](double) { return 5.0; },
                       [](double t) { return 3 * t - 1; }});
  curves.follow(1, 3, 3, functions);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves.stretch(0).degrees[0], 4);
  EXPECT_EQ(curves.stretch(0).degrees[1], 0);
  EXPECT_EQ(curves.stretch(0).degrees[2], 1);
  EXPECT_EQ(functions.looks, 7) << "no more than it takes";
  for (std::size_t c = 0; c < 3; ++c) EXPECT_LE(worst(curves, functions, c, 1, 3), 1e-7);
}

TEST(Curves, WhatIsFastIsCutUntilItIsFaithful) {
  Curves curves(1, 1e-9, 0);
  Functions functions({[](double t) { return std::sin(40 * t); }});
  curves.follow(0, 2, 2, functions);
  EXPECT_GT(curves.size(), 8u);
  EXPECT_LE(worst(curves, functions, 0, 0, 2), 3e-8);
}

TEST(Curves, AKinkAndALeapAreClosedInUpon) {
  Curves curves(2, 1e-9, 0);
  Functions functions(
      {[](double t) { return std::abs(t - 0.3); }, [](double t) { return t < 0.7 ? 1.0 : 2.0; }});
  curves.follow(0, 1, 1, functions);
  EXPECT_LE(worst(curves, functions, 0, 0, 1), 1e-8);
  EXPECT_EQ(read(curves, 1, 0.7 - 1e-9), 1);
  EXPECT_EQ(read(curves, 1, 0.7 + 1e-9), 2);
}

TEST(Curves, WhatHasNoValueHasNoCurve) {
  Curves curves(2, 1e-9, 0);
  Functions functions({[](double) { return NAN; }, [](double t) { return t; }});
  curves.follow(0, 1, 1, functions);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves.stretch(0).degrees[0], StretchView::kNoCurve);
  EXPECT_EQ(curves.stretch(0).degrees[1], 1);
  EXPECT_NEAR(read(curves, 1, 0.25), 0.25, 1e-12);
}

TEST(Curves, NoiseIsBoundedAndThenLeftAlone) {
  Curves curves(1, 1e-9, 0);
  uint64_t seed = 1;
  Functions functions({[&seed](double t) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return t + 1e-3 * static_cast<double>(seed >> 40) / static_cast<double>(1 << 24);
  }});
  for (int i = 0; i < 20; ++i) {
    curves.follow(i, i + 1, i + 1, functions);
    EXPECT_LE(curves.size(), 128u);
  }
  const int before = functions.looks;
  curves.follow(20, 21, 21, functions);
  EXPECT_LE(functions.looks - before, 16);
}

TEST(Curves, RowsStandWhereACurveTurns) {
  Curves curves(2, 1e-9, 0);
  Functions functions({[](double t) { return std::cos(3 * t); }, [](double t) { return t; }});
  curves.follow(0, 4, 4, functions);
  std::vector<double> times;
  curves.find_turns(1, times);
  for (int k = 1; k <= 3; ++k) {
    const double turn = k * M_PI / 3;
    const auto near = [turn](double t) { return std::abs(t - turn) < 1e-6; };
    EXPECT_TRUE(std::any_of(times.begin(), times.end(), near)) << turn;
  }
  EXPECT_FALSE(curves.has_left_out());
}

TEST(Curves, RowsStandCloseEnoughForStraightLines) {
  Curves curves(1, 1e-9, 0);
  Functions functions({[](double t) { return t * t; }});
  curves.follow(0, 1, 1, functions);
  std::vector<double> times;
  curves.find_turns(0, times);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  times.insert(times.begin(), 0);
  times.push_back(1);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double apart = times[i] - times[i - 1];
    EXPECT_LE(apart * apart / 4, 1.01e-3) << "the chord of a parabola";
  }
  curves.find_turns(0.3, times);
  EXPECT_LE(times.size(), 3u);
}

TEST(Curves, TooManyTurnsAreBoundedAndSaid) {
  Curves curves(1, 1e-9, 0);
  Functions functions({[](double t) { return std::sin(400 * t); }});
  curves.follow(0, 1, 1, functions);
  std::vector<double> times;
  curves.find_turns(0, times);
  EXPECT_LE(times.size(), 200u);
  EXPECT_TRUE(curves.has_left_out());
}

TEST(Curves, GoOnFromWhatTheyRemember) {
  Functions functions({[](double t) { return std::exp(t); }});
  Curves whole(1, 1e-9, 0), first(1, 1e-9, 0), second(1, 1e-9, 0);
  whole.follow(0, 1, 1, functions);
  first.follow(0, 1, 1, functions);
  second.remember(first.memory());
  whole.follow(1, 2, 2, functions);
  second.follow(1, 2, 2, functions);
  EXPECT_EQ(whole.memory(), second.memory());
  std::vector<double> a, b;
  whole.find_turns(0, a);
  second.find_turns(0, b);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace cradle::engine
