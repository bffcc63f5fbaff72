// Searches with an enclosure of the gap: none is missed, none is invented.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

#include "base/basics/sanitized.hpp"
#include "core/solve/crossing.hpp"

namespace cradle::solve {
namespace {

using expr::Op;

Jet time_on(double a, double b, Gap::Where where) {
  Jet t;
  const double middle = 0.5 * a + 0.5 * b;
  t.c[0] = where == Gap::Where::Whole ? Interval{a, b}
           : a == b                   ? Interval::at(a)
                                      : widened(middle, middle);
  t.c[1] = 0.5 * (Interval::at(b) - Interval::at(a));
  t.degree = a == b ? 0 : 1;
  return t;
}

// Σ amplitude · sin(frequency · t + phase) + offset
class Waves : public Gap {
 public:
  struct Wave {
    double amplitude, frequency, phase;
  };
  Waves(std::vector<Wave> waves, double offset) : waves_(std::move(waves)), offset_(offset) {}
  double operator()(double t) override {
    double sum = offset_;
    for (const Wave& w : waves_) sum += w.amplitude * std::sin(w.frequency * t + w.phase);
    return sum;
  }
  bool expand(double a, double b, Where where, Jet& out) override {
    ++expansions;
    Jet sum = Jet::constant(offset_), wave;
    const Jet t = time_on(a, b, where);
    for (const Wave& w : waves_) {
      multiply_add(Jet::constant(w.frequency), t, Jet::constant(w.phase), wave);
      apply(Op::Sin, wave, wave);
      multiply_add(Jet::constant(w.amplitude), wave, sum, sum);
    }
    out = sum;
    return true;
  }
  int64_t expansions = 0;

 private:
  std::vector<Wave> waves_;
  double offset_;
};

// How much is tried: nightly runs set CRADLE_NIGHTLY.
int64_t scaled(int64_t quick, int64_t nightly) {
  if (kSanitized) return quick / 10;
  return std::getenv("CRADLE_NIGHTLY") != nullptr ? nightly : quick;
}

// All changes on (a, b], each on its far side.
std::vector<double> all_changes(Gap& gap, bool strict, double a, double b) {
  std::vector<double> out;
  bool truth = holds(gap(a), strict);
  for (double t = a; t < b;) {
    const auto found = first_change(gap, strict, truth, t, b);
    if (!found) break;
    EXPECT_GT(*found, t);
    EXPECT_NE(holds(gap(*found), strict), truth) << "invented at " << *found;
    truth = !truth;
    out.push_back(t = *found);
  }
  return out;
}

TEST(Proof, RandomWavesAgainstASampler) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::size_t total = 0;
  const int64_t trials = scaled(60, 2000);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const double fastest = std::pow(10, 0.25 + 2 * std::abs(uniform(random)));  // of some 600
    std::vector<Waves::Wave> waves;
    for (int k = 0; k < 1 + trial % 4; ++k) {
      waves.push_back({uniform(random), fastest * uniform(random), 3 * uniform(random)});
    }
    Waves gap(waves, 0.5 * uniform(random));
    const bool strict = trial % 2 == 0;
    const double a = 3 * uniform(random), b = a + 6;
    const std::vector<double> found = all_changes(gap, strict, a, b);
    total += found.size();
    // Between two points of a fine grid at which the truths differ there is an odd number of them.
    const int steps = static_cast<int>(4000 * (1 + fastest / 10));
    std::size_t next = 0;
    bool truth = holds(gap(a), strict);
    for (int k = 1; k <= steps; ++k) {
      const double t = k == steps ? b : a + (b - a) * k / steps;
      const bool now = holds(gap(t), strict);
      std::size_t between = 0;
      for (; next < found.size() && found[next] <= t; ++next) ++between;
      // A crossing that rounding places on either side of t.
      const bool close = std::abs(gap(t)) < 1e-12;
      ASSERT_TRUE((between % 2 == 1) == (now != truth) || close) << "at " << t;
      truth = now;
    }
  }
  EXPECT_GT(total, static_cast<std::size_t>(trials));
}

TEST(Proof, TenThousandRootsInOneStep) {
  const std::size_t roots = kSanitized ? 1000 : 10000;
  const double frequency = std::numbers::pi * static_cast<double>(roots);
  Waves gap({{1, frequency, 0.3}}, 0.25);
  const std::vector<double> found = all_changes(gap, true, 0, 1);
  EXPECT_EQ(found.size(), roots);
  EXPECT_LT(gap.expansions, 60 * static_cast<int64_t>(roots));
}

// Time alone: what is found first is on the far side, however long nothing happens before, and
// however many periods there are.
TEST(Proof, OfTimeAlone) {
  const double frequency = 50, level = 0.6;
  Waves gap({{5, 2 * std::numbers::pi * frequency, 0}}, -level);
  Stride stride{1, 64};
  bool truth = false;
  double t = 0;
  const int64_t periods = scaled(20000, 1000000);
  const double angle = std::asin(level / 5) / (2 * std::numbers::pi);
  for (int64_t change = 0; change < 2 * periods;) {
    const Sought sought = seek(gap, true, truth, t, 1e300, stride);
    ASSERT_GT(sought.change.value_or(sought.clear_to), t);
    t = sought.change.value_or(sought.clear_to);
    if (!sought.change) continue;
    const double expected =
        (static_cast<double>(change / 2) + (truth ? 0.5 - angle : angle)) / frequency;
    ASSERT_NEAR(t, expected, 1e-14 * (1 + expected));
    truth = !truth;
    ++change;
  }
  EXPECT_LT(gap.expansions, 2 * periods * 60);
}

// The end of the run has no say: what is searched may be as long as it likes.
TEST(Proof, HoweverLongTheWindow) {
  class Line : public Gap {
   public:
    double operator()(double t) override { return t - 1; }
    bool expand(double a, double b, Where where, Jet& out) override {
      apply(Op::Sub, time_on(a, b, where), Jet::constant(1), out);
      return true;
    }
  } line;
  for (const double end : {2.0, 1e6, 1e20, 1e50, 1e300}) {
    EXPECT_EQ(first_change(line, false, false, 0, end), 1.0) << end;
  }
  Waves wave({{1, 1, 0}}, -0.999);
  for (const double end : {2.0, 1e3, 1e20, 1e50}) {
    EXPECT_NEAR(first_change(wave, true, false, 0, end).value_or(-1), std::asin(0.999), 1e-13);
  }
}

// What comes to the level within rounding and goes back has not reached it.
TEST(Proof, TouchesAreNotReached) {
  Waves touch({{1, 7, 0}}, -1);
  EXPECT_TRUE(all_changes(touch, true, 0, 10).empty());
  EXPECT_TRUE(all_changes(touch, false, 0.1, 10).empty());
  Waves miss({{1, 7, 0}}, -1 - 1e-12), hit({{1, 7, 0}}, -1 + 1e-12);
  EXPECT_TRUE(all_changes(miss, true, 0, 10).empty());
  EXPECT_EQ(all_changes(hit, true, 0, 2).size(), 4u);
}

// sin(7t)² − level, written so that no enclosure of the whole is tight.
TEST(Proof, CostFollowsTheNearRoots) {
  class Square : public Gap {
   public:
    double operator()(double t) override { return std::pow(std::sin(7 * t), 2) - 1.5; }
    bool expand(double a, double b, Where where, Jet& out) override {
      ++expansions;
      Jet s;
      apply(Op::Mul, Jet::constant(7), time_on(a, b, where), s);
      apply(Op::Sin, s, s);
      const Jet other = s;
      apply(Op::Mul, s, other, s);
      apply(Op::Sub, s, Jet::constant(1.5), out);
      return true;
    }
    int expansions = 0;
  } square;
  EXPECT_EQ(first_change(square, true, false, 0, 1e6), std::nullopt);
  EXPECT_LT(square.expansions, 10);
}

TEST(Proof, LeapsAndKinks) {
  class Saw : public Gap {
   public:
    double operator()(double t) override { return expr::apply(Op::Mod, 10 * t, 1) - 0.5; }
    bool expand(double a, double b, Where where, Jet& out) override {
      Jet x;
      apply(Op::Mul, Jet::constant(10), time_on(a, b, where), x);
      apply(Op::Mod, x, Jet::constant(1), x);
      apply(Op::Sub, x, Jet::constant(0.5), out);
      return true;
    }
  } saw;
  const std::vector<double> found = all_changes(saw, false, 0.01, 100.01);
  ASSERT_EQ(found.size(), 2000u);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k], 0.05 * static_cast<double>(k + 1), 1e-13) << k;
  }
}

// The bound on pieces is told, and never passed over in silence.
TEST(Proof, TooManyPiecesAreTold) {
  Waves slow({{1, 1e12, 0}, {-1, 1e12, 1e-9}}, 1e-3);
  EXPECT_THROW(first_change(slow, true, true, 0, 1e3, 2000), OscillatesTooFast);
}

// The net: what an enclosure has passed over by mistake is noticed where the search has ended.
TEST(Proof, TheNetCatchesWhatAnEnclosureHides) {
  class Liar : public Gap {
   public:
    double operator()(double t) override { return 0.5 - t; }
    bool expand(double, double, Where, Jet& out) override {
      out = Jet::constant(1);  // "positive everywhere"
      return true;
    }
  } liar;
  EXPECT_EQ(first_change(liar, true, true, 0, 1), std::nullopt);
  EXPECT_TRUE(is_clearly_other(liar, true, true, 1));
  EXPECT_FALSE(is_clearly_other(liar, true, true, 0.25));
  Waves touch({{1, 7, 0}}, -1);
  EXPECT_FALSE(is_clearly_other(touch, false, false, std::numbers::pi / 14));
}

}  // namespace
}  // namespace cradle::solve
