// Linear motions are followed to rounding: random linear systems with random sources against the
// same in fifty digits, and against the general solver.

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;
using Series = std::vector<Real>;
constexpr int kOrder = 40;

// c · t^p · e^(a t) · sin(b t + d)
struct Term {
  double c = 0, a = 0, b = 0, d = 0;
  int p = 0;
};

struct System {
  std::vector<std::vector<double>> matrix;
  std::vector<std::vector<Term>> sources;
  std::vector<double> start;
  double until = 1;
  int size() const { return static_cast<int>(start.size()); }
};

std::string number(double value) { return "(" + std::to_string(value) + ")"; }
double rounded(double value) { return std::stod(std::to_string(value)); }

std::string text_of(const System& s) {
  std::string out = "model M {\n", shown;
  for (int i = 0; i < s.size(); ++i) {
    std::string rate = "0";
    for (int j = 0; j < s.size(); ++j) {
      const double a = s.matrix[i][j];
      if (a != 0) rate += " + " + number(a) + " * x" + std::to_string(j);
    }
    for (const Term& term : s.sources[i]) {
      rate += " + " + number(term.c) + " * time ^ " + std::to_string(term.p) + " * exp(" +
              number(term.a) + " * time) * sin(" + number(term.b) + " * time + " + number(term.d) +
              ")";
    }
    const std::string name = "x" + std::to_string(i);
    out += "  " + name + " = integral(" + rate + ", " + number(s.start[i]) + ")\n";
    shown += (i > 0 ? ", " : "") + name;
  }
  return out + "  until " + std::to_string(s.until) + "\n  show " + shown + "\n}\n";
}

Series product(const Series& a, const Series& b) {
  Series out(kOrder, 0);
  for (int k = 0; k < kOrder; ++k) {
    for (int j = 0; j <= k; ++j) out[k] += a[j] * b[k - j];
  }
  return out;
}

Series expand(const Term& term, const Real& t) {
  Series power(kOrder, 0), time(kOrder, 0), growth(kOrder), wave(kOrder);
  power[0] = term.c;
  time[0] = t;
  time[1] = 1;
  for (int i = 0; i < term.p; ++i) power = product(power, time);
  const Real angle = Real(term.b) * t + term.d;
  const Real turns[] = {sin(angle), cos(angle), -sin(angle), -cos(angle)};
  growth[0] = exp(Real(term.a) * t);
  Real scale = 1;
  for (int k = 0; k < kOrder; ++k) {
    if (k > 0) growth[k] = growth[k - 1] * term.a / k;
    wave[k] = scale * turns[k % 4];
    scale *= Real(term.b) / (k + 1);
  }
  return product(product(power, growth), wave);
}

// Short steps of a long series.
std::vector<double> exact(const System& s) {
  const int n = s.size(), steps = 40;
  const Real h = Real(s.until) / steps;
  std::vector<Real> x(s.start.begin(), s.start.end());
  for (int step = 0; step < steps; ++step) {
    std::vector<Series> sources(n, Series(kOrder, 0));
    for (int i = 0; i < n; ++i) {
      for (const Term& term : s.sources[i]) {
        const Series series = expand(term, h * step);
        for (int k = 0; k < kOrder; ++k) sources[i][k] += series[k];
      }
    }
    std::vector<Real> c = x, sum = x;
    Real power = 1;
    for (int k = 0; k < kOrder; ++k) {
      std::vector<Real> next(n, 0);
      power *= h;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) next[i] += s.matrix[i][j] * c[j];
        next[i] = (next[i] + sources[i][k]) / (k + 1);
        sum[i] += next[i] * power;
      }
      c = next;
    }
    x = sum;
  }
  std::vector<double> out;
  for (const Real& value : x) out.push_back(static_cast<double>(value));
  return out;
}

std::vector<double> run(const System& s, SolverKind solver) {
  const Model model = Model::load_text("m.cradle", text_of(s));
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.solver = solver;
  Simulation simulation(model, options);
  const Outcome outcome = simulation.run();
  EXPECT_TRUE(outcome.finished()) << text_of(s);
  const Trajectory& rows = simulation.trajectory();
  std::vector<double> out;
  for (int i = 0; i < s.size(); ++i) {
    out.push_back(
        rows.value(rows.size() - 1, static_cast<std::size_t>(i)).value_or(Number{}).finite);
  }
  return out;
}

double largest(const std::vector<double>& values) {
  double out = 1;
  for (double value : values) out = std::max(out, std::abs(value));
  return out;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  // Of few digits, so that the text says it exactly.
  double uniform(double low, double high) {
    return rounded(low + (high - low) * static_cast<double>(random_() % 10001) / 10000);
  }
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

 private:
  std::mt19937 random_;
};

System random_system(unsigned seed) {
  Draw draw(seed);
  System s;
  const int n = 1 + draw.below(5);
  s.until = draw.uniform(0.5, 4);
  s.matrix.resize(n);
  s.sources.resize(n);
  for (int i = 0; i < n; ++i) {
    s.start.push_back(draw.uniform(-2, 2));
    for (int j = 0; j < n; ++j) {
      const bool is_there = draw.below(3) > 0;
      s.matrix[i].push_back(is_there ? draw.uniform(-4, 2) : 0);
    }
    for (int terms = draw.below(3); terms > 0; --terms) {
      s.sources[i].push_back({draw.uniform(-3, 3), draw.uniform(-3, 1), draw.uniform(-40, 40),
                              draw.uniform(-3, 3), 1 + draw.below(3)});
    }
  }
  return s;
}

TEST(Exact, RandomLinearSystemsAreRightToRounding) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const System s = random_system(seed);
    const std::vector<double> right = exact(s);
    const double scale = largest(right);
    const std::vector<double> automatic = run(s, SolverKind::Automatic);
    const std::vector<double> found = run(s, SolverKind::Exact);
    const std::vector<double> general = run(s, SolverKind::Explicit);
    EXPECT_EQ(automatic, found);
    for (int i = 0; i < s.size(); ++i) {
      // Growing motions enlarge what rounding has left on the way.
      EXPECT_NEAR(found[i], right[i], 4e-13 * scale) << text_of(s);
      EXPECT_NEAR(general[i], right[i], 1e-6 * scale) << text_of(s);
    }
  }
}

TEST(Exact, SaysWhatIsNotLinear) {
  const Model model =
      Model::load_text("m.cradle", "model M {\n  x = integral(-x * x, 1)\n  until 1\n}\n");
  Options options;
  options.solver = SolverKind::Exact;
  Simulation simulation(model, options);
  const Outcome outcome = simulation.run();
  EXPECT_EQ(outcome.ending, Ending::SolverFailure);
  ASSERT_EQ(outcome.diagnostics.size(), 1u);
  EXPECT_EQ(outcome.diagnostics[0].kind, "run.solver");
  EXPECT_NE(outcome.diagnostics[0].message.find("linear"), std::string::npos);
}

}  // namespace
}  // namespace cradle
