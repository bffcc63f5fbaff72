#include "core/solve/bernstein.hpp"

#include <algorithm>
#include <cmath>

#include "base/basics/assert.hpp"
#include "base/basics/ids.hpp"

namespace cradle::solve {
namespace {

constexpr int most = Bernstein::most_degree;

// By degree: coefficients = matrix · powers of u in [-1, 1].
struct Conversion {
  double m[most + 1][most + 1][most + 1] = {};

  constexpr Conversion() {
    for (int n = 0; n <= most; ++n) {
      for (int k = 0; k <= n; ++k) {
        // u^k = (2s − 1)^k = Σ_j C(k, j) (2s)^j (−1)^(k−j);  s^j = Σ_{i≥j} C(i, j)/C(n, j) B_i
        for (int j = 0; j <= k; ++j) {
          double power = (k - j) % 2 == 0 ? choose(k, j) : -choose(k, j);
          for (int i = 0; i < j; ++i) power *= 2;
          for (int i = j; i <= n; ++i) m[n][i][k] += power * choose(i, j) / choose(n, j);
        }
      }
    }
  }
  static constexpr double choose(int n, int k) {
    double out = 1;
    for (int i = 1; i <= k; ++i) out = out * (n - k + i) / i;
    return out;
  }
};

constexpr Conversion conversion;

}  // namespace

Bernstein Bernstein::of(std::span<const double> power) {
  CRADLE_ASSERT(!power.empty() && power.size() <= most + 1, "a polynomial of a small degree");
  Bernstein out;
  out.degree_ = static_cast<int>(power.size()) - 1;
  const auto& matrix = conversion.m[out.degree_];
  for (std::size_t i = 0; i < power.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < power.size(); ++k) sum += matrix[i][k] * power[k];
    out.b_[i] = sum;
  }
  return out;
}

double Bernstein::operator()(double s) const {
  std::array<double, most + 1> b;
  std::copy_n(b_.begin(), degree_ + 1, b.begin());
  const double r = 1 - s;
  for (int n = degree_; n > 0; --n) {
    for (int i = 0; i < n; ++i) b[at(i)] = r * b[at(i)] + s * b[at(i + 1)];
  }
  return b[0];
}

double Bernstein::least() const {
  double out = b_[0];
  for (int i = 1; i <= degree_; ++i) out = std::min(out, b_[at(i)]);
  return out;
}

double Bernstein::largest() const {
  double out = b_[0];
  for (int i = 1; i <= degree_; ++i) out = std::max(out, b_[at(i)]);
  return out;
}

int Bernstein::sign_changes() const {
  int changes = 0;
  double before = 0;
  for (int i = 0; i <= degree_; ++i) {
    const double b = b_[at(i)];
    if (b == 0) continue;
    if (before != 0 && (before < 0) != (b < 0)) ++changes;
    before = b;
  }
  return changes;
}

void Bernstein::halve(Bernstein& left, Bernstein& right) const {
  left.degree_ = right.degree_ = degree_;
  std::array<double, most + 1> b;
  std::copy_n(b_.begin(), degree_ + 1, b.begin());
  for (int n = degree_; n >= 0; --n) {
    left.b_[at(degree_ - n)] = b[0];
    right.b_[at(n)] = b[at(n)];
    for (int i = 0; i < n; ++i) b[at(i)] = 0.5 * (b[at(i)] + b[at(i + 1)]);
  }
}

// The secant with Illinois' rule: fast, and always between the ends.
double Bernstein::root() const {
  double low = 0, high = 1, at_low = first(), at_high = last();
  if (at_low == 0) return 0;
  if ((at_low < 0) == (at_high < 0)) return at_high == 0 ? 1 : 0.5;
  int side = 0;
  double s = 0.5;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double next = (low * at_high - high * at_low) / (at_high - at_low);
    if (!(next > low && next < high) || std::abs(next - s) < 1e-17) return next;
    s = next;
    const double value = (*this)(s);
    if (value == 0) return s;
    if ((value < 0) == (at_low < 0)) {
      low = s;
      at_low = value;
      if (side == -1) at_high *= 0.5;
      side = -1;
    } else {
      high = s;
      at_high = value;
      if (side == 1) at_low *= 0.5;
      side = 1;
    }
  }
  return s;
}

Bernstein Bernstein::operator-() const {
  Bernstein out = *this;
  for (int i = 0; i <= degree_; ++i) out.b_[at(i)] = -b_[at(i)];
  return out;
}

}  // namespace cradle::solve
