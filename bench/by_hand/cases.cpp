// Programs of ../by_hand.hpp as commands, beside whole runs of the models: cases NAME NUMBER…
//
//   ball UNTIL       bounces without loss, with adaptive steps of Dormand and Prince
//   balls N          elastic balls on a line, until all have met
//   ladder N         diodes that come on one after the other
//   buck UNTIL       a converter with its controller

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../by_hand.hpp"

namespace {

using State = std::array<double, 2>;  // height and speed

// Steps as long as the tolerance allows; the bounce is found on the interpolant of the step.
class Ball {
 public:
  long run(double until) {
    long bounces = 0;
    while (t_ < until) {
      const double h = std::min(h_, until - t_);
      const double error = step(h);
      const double factor = 0.9 * std::pow(std::max(error, 1e-10), -0.2);
      if (error > 1) {
        h_ = h * std::max(0.2, factor);
        continue;
      }
      if (h == h_) h_ = h * std::min(5.0, factor);
      if (next_[0] < 0 && next_[1] < 0) {
        const double s = crossing(h);
        s_ = {0, -speed(s, h)};
        t_ += s * h;
        ++bounces;
      } else {
        s_ = next_;
        t_ += h;
      }
    }
    return bounces;
  }

 private:
  static State rate(const State& s) { return {s[1], -9.8}; }

  double step(double h) {
    static constexpr double a[6][6] = {
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    std::array<State, 7> k;
    k[0] = rate(s_);
    for (std::size_t i = 0; i < 6; ++i) {
      State x = s_;
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t c = 0; c < 2; ++c) x[c] += h * a[i][j] * k[j][c];
      }
      if (i == 5) next_ = x;
      k[i + 1] = rate(x);
    }
    double worst = 0;
    for (std::size_t c = 0; c < 2; ++c) {
      double error = 0;
      for (std::size_t i = 0; i < 7; ++i) error += h * e[i] * k[i][c];
      const double scale = 1e-15 + 1e-9 * std::max(std::abs(s_[c]), std::abs(next_[c]));
      worst = std::max(worst, std::abs(error) / scale);
    }
    return worst;
  }
  // Hermite's cubic, of which the height is a part.
  double height(double s, double h) const {
    const double u = 1 - s;
    return u * u * (1 + 2 * s) * s_[0] + s * s * (3 - 2 * s) * next_[0] +
           s * u * h * (u * s_[1] - s * next_[1]);
  }
  double speed(double s, double) const { return s_[1] + s * (next_[1] - s_[1]); }
  double crossing(double h) const {
    double low = 0, high = 1, s = 0.5;
    for (int i = 0; i < 60 && high - low > 1e-16; ++i) {
      const double y = height(s, h);
      (y < 0 ? high : low) = s;
      const double newton = s - y / (h * speed(s, h));
      const double next = newton > low && newton < high ? newton : (low + high) / 2;
      if (std::abs(next - s) < 1e-16) break;
      s = next;
    }
    return high < 1 || s == 0.5 ? s : high;
  }

  State s_{10, 0}, next_{};
  double t_ = 0, h_ = 1e-3;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string name = arguments[1];
  const double number = std::atof(arguments[2]);
  if (name == "ball") {
    std::printf("events %ld\n", Ball().run(number));
  } else if (name == "balls") {
    by_hand::Balls balls(static_cast<int>(number), 1, 1);
    const auto events = balls.run(10);
    std::printf("events %ld last %.17g\n", static_cast<long>(events),
                balls.speed(static_cast<std::size_t>(number) - 1));
  } else if (name == "ladder") {
    by_hand::DiodeLadder ladder(static_cast<int>(number));
    const auto steps = ladder.run(2, 2);
    std::printf("steps %ld current %.17g\n", static_cast<long>(steps), ladder.source_current());
  } else if (name == "buck") {
    by_hand::Buck buck;
    buck.run(number);
    std::printf("v %.17g i %.17g\n", buck.state().v, buck.state().i);
  } else {
    return 2;
  }
}
