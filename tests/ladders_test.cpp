// Newton's method on random ladders of resistors with laws that rise, over twelve decades: roots,
// powers, exponentials, kinks. What is right follows by shooting from the last rung, one scalar
// equation after the other, each solved by bisection.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <sstream>

#include "base/basics/sanitized.hpp"
#include "cradle/cradle.hpp"

namespace cradle {
namespace {

struct Law {
  bool of_effort;  // f = law(e); else e = law(f)
  std::string text;
  std::function<double(double)> value;
};

double decade(std::mt19937& random, double from, double to) {
  return std::pow(10, std::uniform_real_distribution<double>(from, to)(random));
}

Law make_law(std::mt19937& random) {
  Law law;
  law.of_effort = random() % 2 == 0;
  const double k = decade(random, -6, 6), a = decade(random, -3, 3);
  const std::string x = law.of_effort ? "e" : "f";
  std::ostringstream out;
  out.precision(17);
  switch (random() % 7) {
    case 0:
      out << k << " * " << x << " ^ 3 + " << 1e-3 * k << " * " << x;
      law.value = [k](double v) { return k * v * v * v + 1e-3 * k * v; };
      break;
    case 1:
      out << k << " * sinh(" << x << " / " << a << ")";
      law.value = [k, a](double v) { return k * std::sinh(v / a); };
      break;
    case 2:
      out << k << " * " << x << " * abs(" << x << ")";
      law.value = [k](double v) { return k * v * std::abs(v); };
      break;
    case 3:
      out << k << " * sign(" << x << ") * sqrt(abs(" << x << "))";
      law.value = [k](double v) { return std::copysign(k * std::sqrt(std::abs(v)), v); };
      break;
    case 4:
      out << k << " * atan(" << x << " / " << a << ") + " << 1e-3 * k << " * " << x;
      law.value = [k, a](double v) { return k * std::atan(v / a) + 1e-3 * k * v; };
      break;
    case 5:
      out << "if " << x << " > " << a << " then " << k << " * (" << x << " - " << a << ") + "
          << 1e-6 * k * a << " else " << 1e-6 * k << " * " << x;
      law.value = [k, a](double v) { return v > a ? k * (v - a) + 1e-6 * k * a : 1e-6 * k * v; };
      break;
    default:
      out << k << " * " << x << " ^ 3";
      law.value = [k](double v) { return k * v * v * v; };
  }
  law.text = "law(" + x + ") = " + out.str();
  return law;
}

// x with f(x) = y, of an f that rises.
double invert(const std::function<double(double)>& f, double y) {
  if (y == 0) return 0;  // all laws go through the origin
  const double sign = y < 0 ? -1 : 1;
  double low = 1e-300, high = 1e300;  // magnitudes
  for (int i = 0; i < 200; ++i) {
    const double middle = high > 4 * low ? std::sqrt(low) * std::sqrt(high) : 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (sign * f(sign * middle) < sign * y ? low : high) = middle;
  }
  return sign * high;
}

struct Ladder {
  double source;
  std::vector<Law> along, across;

  explicit Ladder(unsigned seed) {
    std::mt19937 random(seed);
    source = decade(random, -3, 4) * (random() % 2 == 0 ? 1 : -1);
    const std::size_t rungs = 1 + random() % 7;
    for (std::size_t i = 0; i < rungs; ++i) {
      along.push_back(make_law(random));
      across.push_back(make_law(random));
    }
    // Where the last rungs would have less than the least double, shooting says nothing.
    while (along.size() > 1 && !is_reached()) {
      along.pop_back();
      across.pop_back();
    }
  }

  std::string text() const {
    std::ostringstream out;
    out.precision(17);
    out << "model L {\n  Se u = " << source << "\n";
    std::string before = "u";
    for (std::size_t i = 0; i < along.size(); ++i) {
      out << "  1 s" << i << "\n  0 p" << i << "\n  R a" << i << "(" << along[i].text << ")\n  R c"
          << i << "(" << across[i].text << ")\n  " << before << " -> s" << i << " -> p" << i
          << "\n  s" << i << " -> a" << i << "\n  p" << i << " -> c" << i << "\n";
      before = "p" + std::to_string(i);
    }
    out << "  until 1\n  show " << before << ".e, u.f\n}\n";
    return out.str();
  }

  // The effort of the source, if that of the last rung is `last`, and the flow that it delivers.
  std::pair<double, double> shoot(double last) const {
    double effort = last, flow = 0;
    for (std::size_t i = along.size(); i-- > 0;) {
      const Law &c = across[i], &a = along[i];
      flow += c.of_effort ? c.value(effort) : invert(c.value, effort);
      effort += a.of_effort ? invert(a.value, flow) : a.value(flow);
    }
    return {effort, flow};
  }

  double last_effort() const {
    return invert([this](double v) { return shoot(v).first; }, source);
  }
  bool is_reached() const {
    return std::abs(shoot(last_effort()).first - source) <= 1e-9 * std::abs(source);
  }
  double flow_of_source() const { return shoot(last_effort()).second; }
};

class Ladders : public testing::TestWithParam<unsigned> {};

TEST_P(Ladders, Settle) {
  const Ladder ladder(GetParam());
  const Model model = Model::load_text("ladder.cradle", ladder.text());
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation simulation(model, {});
  simulation.run();
  ASSERT_TRUE(simulation.outcome().finished()) << ladder.text();
  const double wanted = ladder.flow_of_source();
  const Trajectory trajectory = simulation.trajectory();
  const double found = trajectory.values(trajectory.find_column("u.f").value()).back();
  EXPECT_NEAR(found, wanted, 1e-7 * std::abs(wanted)) << ladder.text();
}

INSTANTIATE_TEST_SUITE_P(Random, Ladders,
                         testing::Range(0u, std::getenv("CRADLE_NIGHTLY") != nullptr ? 40u
                                            : kSanitized                             ? 4u
                                                                                     : 16u));

}  // namespace
}  // namespace cradle
