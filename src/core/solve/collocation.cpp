#include "core/solve/collocation.hpp"

#include <klu.h>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/basics/assert.hpp"
#include "core/solve/sanity.hpp"

namespace cradle::solve {
namespace {

constexpr int s = Collocation::points;  // as Hairer calls it
using Complex = std::complex<double>;

// Below this a dense factorisation is cheaper, and as long as one entry in so many is not zero.
constexpr int min_sparse_dimension = 24;
constexpr int min_sparseness = 4;
// Of factors that are kept.
constexpr std::size_t most_bytes = std::size_t{32} << 20;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Legendre's polynomial of this order at x.
long double legendre(int order, long double x) {
  long double before = 1, now = x;
  if (order == 0) return before;
  for (int k = 2; k <= order; ++k) {
    const long double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = std::exchange(now, next);
  }
  return now;
}

// All that does not depend on the motion.
struct Constants {
  std::array<double, s> point;
  Eigen::Matrix<double, s, s> q, t;
  std::array<std::complex<double>, s / 2> mu,
      second;                                     // by block: eigenvalue; (1, second) to its left
  Eigen::Matrix<double, s + 1, s> to_legendre;    // from values at the points
  Eigen::Matrix<double, s + 1, s + 1> to_powers;  // from Legendre's form

  Constants() {
    std::array<long double, s + 1> c = places();
    for (int i = 0; i < s; ++i) point[at(i)] = static_cast<double>(c[at(i + 1)]);
    const Eigen::RealSchur<Eigen::Matrix<double, s, s>> schur(derivatives(c));
    q = schur.matrixU();
    t = schur.matrixT();
    for (int b = 0; b < s / 2; ++b) split(b);
    make_legendre(c);
    make_powers();
  }

  // The beginning, and Radau's points: the zeros of P_s − P_{s−1}, of which the last is 1.
  static std::array<long double, s + 1> places() {
    const auto f = [](long double x) { return legendre(s, x) - legendre(s - 1, x); };
    std::array<long double, s + 1> out{};
    constexpr int pieces = 2048;
    int found = 1;
    for (int i = 0; i < pieces && found < s; ++i) {
      long double a = -1 + 2.0L * i / pieces, b = -1 + 2.0L * (i + 1) / pieces;
      const bool below = f(a) < 0;
      if ((f(b) < 0) == below) continue;
      for (int k = 0; k < 80; ++k) {
        const long double middle = (a + b) / 2;
        ((f(middle) < 0) == below ? a : b) = middle;
      }
      out[at(found++)] = (1 + (a + b) / 2) / 2;
    }
    CRADLE_ASSERT(found == s, "all of Radau's points lie apart");
    out[s] = 1;
    return out;
  }

  // Of the polynomial that is 1 at point j and 0 at all others, at point i.
  static Eigen::Matrix<double, s, s> derivatives(const std::array<long double, s + 1>& c) {
    std::array<long double, s + 1> weight;
    for (int i = 0; i <= s; ++i) {
      weight[at(i)] = 1;
      for (int j = 0; j <= s; ++j) {
        if (j != i) weight[at(i)] *= c[at(i)] - c[at(j)];
      }
    }
    Eigen::Matrix<double, s, s> out;
    for (int i = 1; i <= s; ++i) {
      long double own = 0;
      for (int j = 0; j <= s; ++j) {
        if (j == i) continue;
        const long double apart = c[at(i)] - c[at(j)];
        own += 1 / apart;
        if (j == 0) continue;
        out(i - 1, j - 1) = static_cast<double>(weight[at(i)] / weight[at(j)] / apart);
      }
      out(i - 1, i - 1) = static_cast<double>(own);
    }
    return out;
  }

  void split(int b) {
    const Eigen::Index i = 2 * static_cast<Eigen::Index>(b);
    const double p = t(i, i), r = t(i + 1, i), u = t(i, i + 1), v = t(i + 1, i + 1);
    CRADLE_ASSERT(r != 0, "no eigenvalue of an even number of points is real");
    const double half = (p - v) / 2, square = -(half * half + r * u);
    CRADLE_ASSERT(square > 0, "no eigenvalue of an even number of points is real");
    mu[at(b)] = {(p + v) / 2, std::sqrt(square)};
    second[at(b)] = (mu[at(b)] - p) / r;
  }

  void make_legendre(const std::array<long double, s + 1>& c) {
    Eigen::Matrix<long double, s + 1, s + 1> values;
    for (int i = 0; i <= s; ++i) {
      for (int k = 0; k <= s; ++k) values(i, k) = legendre(k, 2 * c[at(i)] - 1);
    }
    const Eigen::Matrix<long double, s + 1, s + 1> inverse =
        values.partialPivLu().solve(Eigen::Matrix<long double, s + 1, s + 1>::Identity());
    // At the beginning it is zero.
    for (int k = 0; k <= s; ++k) {
      for (int i = 1; i <= s; ++i) to_legendre(k, i - 1) = static_cast<double>(inverse(k, i));
    }
  }

  // P_k(2x − 1) in powers of x.
  void make_powers() {
    to_powers.setZero();
    to_powers(0, 0) = 1;
    to_powers(0, 1) = -1;
    to_powers(1, 1) = 2;
    for (int k = 2; k <= s; ++k) {
      for (int i = 0; i <= k; ++i) {
        const double shifted = i > 0 ? 2 * to_powers(i - 1, k - 1) : 0;
        to_powers(i, k) =
            ((2 * k - 1) * (shifted - to_powers(i, k - 1)) - (k - 1) * to_powers(i, k - 2)) / k;
      }
    }
  }
};

const Constants& constants() {
  static const Constants made;
  return made;
}

}  // namespace

// Of small systems a dense one with pivots that are judged within their rows, of others KLU's.
class Collocation::System {
 public:
  System(const Pattern& pattern, std::span<const double> entries, Complex mu, double h) {
    const auto n = at(pattern.columns());
    const bool sparse = n >= min_sparse_dimension && pattern.rows.size() < n * n / min_sparseness;
    sparse ? factor_sparsely(pattern, entries, mu, h) : factor_densely(pattern, entries, mu, h);
  }
  ~System() {
    if (numeric_ != nullptr) klu_z_free_numeric(&numeric_, &common_);
    if (symbolic_ != nullptr) klu_free_symbolic(&symbolic_, &common_);
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  bool is_sound() const { return sound_; }
  std::size_t bytes() const { return bytes_; }

  void solve(std::span<Complex> w) {
    if (numeric_ != nullptr) {
      const auto n = static_cast<int>(w.size());
      klu_z_solve(symbolic_, numeric_, n, 1, reinterpret_cast<double*>(w.data()), &common_);
      return;
    }
    const std::size_t n = w.size();
    for (std::size_t i = 0; i < n; ++i) {
      std::swap(w[i], w[at(pivots_[i])]);
      for (std::size_t j = 0; j < i; ++j) w[i] -= dense_[i * n + j] * w[j];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) w[i] -= dense_[i * n + j] * w[j];
      w[i] *= dense_[i * n + i];  // its inverse
    }
  }

 private:
  void factor_densely(const Pattern& pattern, std::span<const double> entries, Complex mu,
                      double h) {
    const auto n = at(pattern.columns());
    dense_.assign(n * n, 0);
    pivots_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      dense_[j * n + j] = mu;
      for (int k = pattern.begins[j]; k < pattern.begins[j + 1]; ++k) {
        dense_[at(pattern.rows[at(k)]) * n + j] -= h * entries[at(k)];
      }
    }
    bytes_ = n * n * sizeof(Complex);
    std::vector<double> scale(n);
    for (std::size_t i = 0; i < n; ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(dense_[i * n + j]));
      scale[i] = 1 / largest;
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t best = k;
      double size = 0;
      for (std::size_t i = k; i < n; ++i) {
        const double found = scale[i] * std::abs(dense_[i * n + k]);
        if (found > size) size = found, best = i;
      }
      if (!(size > 0)) return;  // not sound
      pivots_[k] = static_cast<int>(best);
      std::swap(scale[k], scale[best]);
      for (std::size_t j = 0; best != k && j < n; ++j) {
        std::swap(dense_[k * n + j], dense_[best * n + j]);
      }
      dense_[k * n + k] = 1.0 / dense_[k * n + k];
      for (std::size_t i = k + 1; i < n; ++i) {
        if (dense_[i * n + k] == 0.0) continue;
        const Complex factor = dense_[i * n + k] *= dense_[k * n + k];
        for (std::size_t j = k + 1; j < n; ++j) dense_[i * n + j] -= factor * dense_[k * n + j];
      }
    }
    sound_ = true;
  }

  void factor_sparsely(const Pattern& pattern, std::span<const double> entries, Complex mu,
                       double h) {
    const int n = pattern.columns();
    klu_defaults(&common_);
    auto* begins = const_cast<int*>(pattern.begins.data());  // it reads them
    auto* rows = const_cast<int*>(pattern.rows.data());
    symbolic_ = klu_analyze(n, begins, rows, &common_);
    if (symbolic_ == nullptr) return;
    std::vector<Complex> values(pattern.rows.size());
    for (int j = 0; j < n; ++j) {
      for (int k = pattern.begins[at(j)]; k < pattern.begins[at(j) + 1]; ++k) {
        values[at(k)] = (pattern.rows[at(k)] == j ? mu : 0.0) - h * entries[at(k)];
      }
    }
    numeric_ =
        klu_z_factor(begins, rows, reinterpret_cast<double*>(values.data()), symbolic_, &common_);
    sound_ = numeric_ != nullptr && common_.status == KLU_OK;
    bytes_ = common_.memusage;
  }

  bool sound_ = false;
  std::size_t bytes_ = 0;
  std::vector<Complex> dense_;  // L below the diagonal, U above, the inverses of its pivots on it
  std::vector<int> pivots_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

Collocation::Collocation(int dimension) : dimension_(dimension) {}
Collocation::~Collocation() = default;

double Collocation::point(int i) { return constants().point[at(i)]; }

void Collocation::set_matrix(const Pattern& pattern, std::span<const double> entries) {
  CRADLE_ASSERT(pattern.columns() == dimension_ && entries.size() == pattern.rows.size(),
                "a column for each component");
  pattern_ = &pattern;
  const bool same = pattern.begins == begins_ && pattern.rows == rows_ &&
                    std::equal(entries.begin(), entries.end(), entries_.begin(), entries_.end());
  if (same) return;
  begins_ = pattern.begins;
  rows_ = pattern.rows;
  entries_.assign(entries.begin(), entries.end());
  kept_.clear();
}

// Those that have not been used for longest.
void Collocation::forget_beyond(std::size_t most) {
  std::size_t bytes = 0;
  for (const Factors& factors : kept_) bytes += factors.bytes;
  while (bytes > most && kept_.size() > 1) {
    const auto oldest =
        std::min_element(kept_.begin(), kept_.end(),
                         [](const Factors& a, const Factors& b) { return a.used < b.used; });
    bytes -= oldest->bytes;
    kept_.erase(oldest);
  }
}

const Collocation::Factors* Collocation::factors_for(double h) {
  ++uses_;
  for (Factors& factors : kept_) {
    if (factors.h != h) continue;
    factors.used = uses_;
    return &factors;
  }
  Factors made{h, uses_, 0, {}};
  for (const Complex& mu : constants().mu) {
    made.systems.push_back(std::make_unique<System>(*pattern_, entries_, mu, h));
    if (!made.systems.back()->is_sound()) return nullptr;
    made.bytes += made.systems.back()->bytes();
  }
  kept_.push_back(std::move(made));
  forget_beyond(most_bytes);
  return &kept_.back();
}

bool Collocation::solve(double h, std::vector<double>& rows) {
  const Constants& c = constants();
  const auto n = at(dimension_);
  CRADLE_ASSERT(rows.size() == s * n, "a row for each point");
  const Factors* factors = factors_for(h);
  if (factors == nullptr) return false;
  turned_.assign(s * n, 0);
  w_.resize(n);
  for (int i = 0; i < s; ++i) {
    double* out = turned_.data() + at(i) * n;
    for (int j = 0; j < s; ++j) {
      const double factor = h * c.q(j, i);
      const double* f = rows.data() + at(j) * n;
      for (std::size_t k = 0; k < n; ++k) out[k] += factor * f[k];
    }
  }
  for (int b = s / 2; b-- > 0;) {
    double* first = turned_.data() + at(2 * b) * n;
    double* second = first + n;
    for (int j = 2 * b + 2; j < s; ++j) {
      const double* known = turned_.data() + at(j) * n;
      const Eigen::Index row = 2 * static_cast<Eigen::Index>(b);
      const double a = c.t(row, j), d = c.t(row + 1, j);
      for (std::size_t k = 0; k < n; ++k) {
        first[k] -= a * known[k];
        second[k] -= d * known[k];
      }
    }
    const Complex other = c.second[at(b)];
    for (std::size_t k = 0; k < n; ++k) w_[k] = first[k] + other * second[k];
    factors->systems[at(b)]->solve(w_);
    for (std::size_t k = 0; k < n; ++k) {
      second[k] = w_[k].imag() / other.imag();
      first[k] = w_[k].real() - other.real() * second[k];
    }
  }
  std::fill(rows.begin(), rows.end(), 0.0);
  for (int i = 0; i < s; ++i) {
    double* out = rows.data() + at(i) * n;
    for (int j = 0; j < s; ++j) {
      const double factor = c.q(i, j);
      const double* known = turned_.data() + at(j) * n;
      for (std::size_t k = 0; k < n; ++k) out[k] += factor * known[k];
    }
  }
  return all_finite(rows);
}

void Collocation::fit(const std::vector<double>& rows, int component, double size,
                      Polynomial& out) const {
  const Constants& c = constants();
  const auto n = at(dimension_);
  for (int k = 0; k <= s; ++k) out.legendre[k] = out.power[k] = 0;
  for (int i = 0; i < s; ++i) {
    const double z = rows[at(i) * n + at(component)];
    for (int k = 0; k <= s; ++k) out.legendre[k] += c.to_legendre(k, i) * z;
  }
  int degree = s;
  while (degree > 0 && std::abs(out.legendre[degree]) <= Expansion::resolution * size) --degree;
  for (int k = degree; k >= 0; --k) {
    for (int i = 0; i <= k; ++i) out.power[i] += c.to_powers(i, k) * out.legendre[k];
  }
}

}  // namespace cradle::solve
