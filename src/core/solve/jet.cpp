#include "core/solve/jet.hpp"

#include <numbers>

#include "base/basics/assert.hpp"

namespace cradle::solve {

using expr::Op;

namespace {

constexpr int order = Jet::order;
constexpr double pi = std::numbers::pi;

// What a function of the C library may be off by is below this many ulps.
Interval of_library(double low, double high) {
  for (int i = 0; i < 3; ++i) {
    low -= outwards(low);
    high += outwards(high);
  }
  if (std::isnan(low) || std::isnan(high)) return Interval::all();
  return {low, high};
}

template <class F>
Interval increasing(F f, const Interval& x) {
  return x.is_nowhere() ? x : of_library(f(x.low), f(x.high));
}

// The part of x on which a function is defined; nowhere if there is none. `cut`: x reaches beyond.
Interval within(const Interval& x, double low, double high, bool& cut) {
  cut = x.low < low || x.high > high;
  if (x.is_nowhere() || x.high < low || x.low > high) return Interval::nowhere();
  return {std::max(x.low, low), std::min(x.high, high)};
}

// Does x hold a point offset + k · period? Where the multiples cannot be told apart: perhaps.
bool holds_multiple(const Interval& x, double offset, double period) {
  const double slack = 2e-15 * x.magnitude() / period + 2e-15;
  const double low = (x.low - offset) / period - slack, high = (x.high - offset) / period + slack;
  return std::floor(high) >= std::ceil(low);
}

Interval cosine(const Interval& x) {
  if (x.is_nowhere()) return x;
  constexpr double far = 1e14;  // beyond, an ulp is no small part of a period
  if (!(x.magnitude() < far)) return {-1, 1};
  const double p = std::cos(x.low), q = std::cos(x.high);
  Interval out = of_library(std::min(p, q), std::max(p, q));
  if (holds_multiple(x, 0, 2 * pi)) out.high = 1;
  if (holds_multiple(x, pi, 2 * pi)) out.low = -1;
  return {std::max(out.low, -1.0), std::min(out.high, 1.0)};
}

Interval sine(const Interval& x) {
  if (x.is_nowhere()) return x;
  constexpr double far = 1e14;
  if (!(x.magnitude() < far)) return {-1, 1};
  const double p = std::sin(x.low), q = std::sin(x.high);
  Interval out = of_library(std::min(p, q), std::max(p, q));
  if (holds_multiple(x, pi / 2, 2 * pi)) out.high = 1;
  if (holds_multiple(x, -pi / 2, 2 * pi)) out.low = -1;
  return {std::max(out.low, -1.0), std::min(out.high, 1.0)};
}

// Only the values are known from here on, or values and slopes.
void forget_beyond(Jet& jet, int k) {
  jet.degree = order;
  jet.exact = false;
  for (int i = k + 1; i <= order; ++i) jet.c[at(i)] = Interval::all();
}

// One value here: the function is constant around here, though it may not be so everywhere.
void set_values(Jet& out, const Interval& values) {
  out.c[0] = values;
  if (values.is_point() || values.is_nowhere()) {
    out.degree = 0;
    out.exact = false;
  } else {
    forget_beyond(out, 0);
  }
}

const Interval& coefficient(const Jet& jet, int k) {
  static constexpr Interval zero{};
  return k <= jet.degree ? jet.c[at(k)] : zero;
}

bool is_nowhere(const Jet& jet) { return jet.c[0].is_nowhere(); }

void add(const Jet& a, const Jet& b, bool minus, Jet& out) {
  const int degree = std::max(a.degree, b.degree);
  out.exact = a.exact && b.exact;
  for (int k = 0; k <= degree; ++k) {
    const Interval y = coefficient(b, k);
    out.c[at(k)] = coefficient(a, k) + (minus ? -y : y);
  }
  out.degree = degree;
}

void negate(const Jet& a, Jet& out) {
  out.degree = a.degree;
  out.exact = a.exact;
  for (int k = 0; k <= a.degree; ++k) out.c[at(k)] = -a.c[at(k)];
}

// The factor by value: it may be of `out`.
void scale(Interval factor, const Jet& a, Jet& out) {
  const int degree = a.degree;
  out.exact = a.exact;
  for (int k = 0; k <= degree; ++k) out.c[at(k)] = factor * a.c[at(k)];
  out.degree = degree;
}

// Σ_{j=from}^{to} a_j b_{k−j}.
Interval convolve(const Jet& a, const Jet& b, int k, int from, int to) {
  Interval sum;
  from = std::max(from, k - b.degree);
  to = std::min(to, a.degree);
  for (int j = from; j <= to; ++j) sum = sum + a.c[at(j)] * b.c[at(k - j)];
  return sum;
}

void multiply(const Jet& a, const Jet& b, Jet& out) {
  if (a.is_constant()) return scale(a.c[0], b, out);
  if (b.is_constant()) return scale(b.c[0], a, out);
  Jet result;
  const int degree = a.degree + b.degree;
  result.degree = std::min(degree, order);
  result.exact = a.exact && b.exact && degree <= order;
  const bool same = &a == &b;
  for (int k = 0; k <= result.degree; ++k) result.c[at(k)] = convolve(a, b, k, 0, k);
  if (same) result.c[0] = square(a.c[0]);
  out = result;
}

// A series that is computed term by term from its first. Where that is not finite, or only the
// values are known, nothing more is said.
template <class Term>
void extend(const Jet& a, const Interval& first, Jet& out, Term&& term) {
  Jet result;
  result.c[0] = first;
  if (a.is_constant() || first.is_nowhere()) {
    out = result;
    return;
  }
  result.degree = order;
  result.exact = false;
  for (int k = 1; k <= order; ++k) result.c[at(k)] = term(result, k);
  out = result;
}

// (1/k) Σ_{j=1}^{k} j a_j y_{k−j}: the terms of y′ = y a′ and its like.
Interval chain(const Jet& a, const Jet& y, int k) {
  Interval sum;
  for (int j = 1; j <= std::min(k, a.degree); ++j) {
    sum = sum + (static_cast<double>(j) * a.c[at(j)]) * y.c[at(k - j)];
  }
  return sum / Interval::at(k);
}

void divide(const Jet& a, const Jet& b, Jet& out) {
  if (is_nowhere(a) || is_nowhere(b)) return set_values(out, Interval::nowhere());
  if (b.is_constant() && b.c[0].is_point() && b.c[0].low != 0) {
    const int degree = a.degree;
    out.exact = a.exact;
    const Interval by = b.c[0];
    for (int k = 0; k <= degree; ++k) out.c[at(k)] = a.c[at(k)] / by;
    out.degree = degree;
    return;
  }
  const Interval first = a.c[0] / b.c[0];
  if (!first.is_finite()) return set_values(out, first);
  Jet result;
  result.degree = order;
  result.exact = a.is_constant() && b.is_constant();
  result.c[0] = first;
  if (result.exact) {
    result.degree = 0;
  } else {
    for (int k = 1; k <= order; ++k) {
      result.c[at(k)] = (coefficient(a, k) - convolve(b, result, k, 1, k)) / b.c[0];
    }
  }
  out = result;
}

void square_root(const Jet& a, Jet& out) {
  bool cut = false;
  const Interval x = within(a.c[0], 0, Interval::infinity, cut);
  if (x.is_nowhere()) return set_values(out, x);
  Interval first = increasing([](double v) { return std::sqrt(v); }, x);
  first.low = std::max(first.low, 0.0);
  if (cut) return set_values(out, Interval::all());
  if (!(first.low > 0)) return set_values(out, first);
  extend(a, first, out, [&](const Jet& y, int k) {
    return (coefficient(a, k) - convolve(y, y, k, 1, k - 1)) / (2.0 * y.c[0]);
  });
}

void exponential(const Jet& a, Jet& out) {
  Interval first = increasing([](double v) { return std::exp(v); }, a.c[0]);
  if (!first.is_nowhere()) first.low = std::max(first.low, 0.0);
  extend(a, first, out, [&](const Jet& y, int k) { return chain(a, y, k); });
}

void logarithm(const Jet& a, Jet& out) {
  bool cut = false;
  const Interval x = within(a.c[0], 0, Interval::infinity, cut);
  if (x.is_nowhere()) return set_values(out, x);
  if (cut || !(x.low > 0)) return set_values(out, Interval::all());
  const Interval first = increasing([](double v) { return std::log(v); }, x);
  extend(a, first, out, [&](const Jet& y, int k) {
    Interval sum;
    for (int j = 1; j < k; ++j) {
      sum = sum + (static_cast<double>(j) * y.c[at(j)]) * coefficient(a, k - j);
    }
    return (coefficient(a, k) - sum / Interval::at(k)) / x;
  });
}

// sin and cos, or sinh and cosh: each is the other's derivative, but for a sign.
void waves(const Jet& a, const Interval& s0, const Interval& c0, double sign, Jet& s, Jet& c) {
  Jet sines, cosines;
  sines.c[0] = s0;
  cosines.c[0] = c0;
  if (!a.is_constant() && !s0.is_nowhere()) {
    sines.degree = cosines.degree = order;
    sines.exact = cosines.exact = false;
    for (int k = 1; k <= order; ++k) {
      sines.c[at(k)] = chain(a, cosines, k);
      cosines.c[at(k)] = sign * chain(a, sines, k);
    }
  }
  s = sines;
  c = cosines;
}

void circular(const Jet& a, Jet& s, Jet& c) { waves(a, sine(a.c[0]), cosine(a.c[0]), -1, s, c); }

void hyperbolic(const Jet& a, Jet& s, Jet& c) {
  const Interval x = a.c[0];
  Interval cosh = x;
  if (!x.is_nowhere()) {
    cosh = of_library(std::min(std::cosh(x.low), std::cosh(x.high)), std::cosh(x.magnitude()));
    if (x.has_zero()) cosh.low = 1;
  }
  waves(a, increasing([](double v) { return std::sinh(v); }, x), cosh, 1, s, c);
}

// y′ = a′ · v, with v a function of a that is known already.
void integrate(const Jet& a, const Jet& v, const Interval& first, Jet& out) {
  extend(a, first, out, [&](const Jet&, int k) { return chain(a, v, k); });
}

void arc_tangent(const Jet& a, Jet& out) {
  Jet v;
  multiply(a, a, v);
  add(v, Jet::constant(1), false, v);
  divide(Jet::constant(1), v, v);
  integrate(a, v, increasing([](double x) { return std::atan(x); }, a.c[0]), out);
}

void arc_sine(const Jet& a, bool is_cosine, Jet& out) {
  bool cut = false;
  const Interval x = within(a.c[0], -1, 1, cut);
  if (x.is_nowhere()) return set_values(out, x);
  Interval first = increasing([](double v) { return std::asin(v); }, x);
  if (is_cosine) first = of_library(std::acos(x.high), std::acos(x.low));
  if (cut) return set_values(out, Interval::all());
  if (!(x.low > -1 && x.high < 1)) return set_values(out, first);
  Jet v;
  multiply(a, a, v);
  add(Jet::constant(1), v, true, v);
  square_root(v, v);
  divide(Jet::constant(is_cosine ? -1 : 1), v, v);
  integrate(a, v, first, out);
}

void hyperbolic_tangent(const Jet& a, Jet& out) {
  const Interval first = increasing([](double x) { return std::tanh(x); }, a.c[0]);
  if (a.is_constant() || first.is_nowhere()) return set_values(out, first);
  Jet y, v;  // v = 1 − y²
  y.degree = v.degree = order;
  y.exact = v.exact = false;
  y.c[0] = first;
  v.c[0] = Interval::at(1) - square(first);
  for (int k = 1; k <= order; ++k) {
    y.c[at(k)] = chain(a, v, k);
    v.c[at(k)] = -convolve(y, y, k, 0, k);
  }
  out = y;
}

void raise(const Jet& a, int exponent, Jet& out) {
  Jet result = Jet::constant(1);
  Jet power = a;
  for (int rest = exponent; rest > 0; rest /= 2) {
    if (rest % 2 != 0) multiply(result, Jet(power), result);
    if (rest > 1) multiply(power, power, power);
  }
  // An even power of what may be zero is not negative.
  if (exponent % 2 == 0 && !is_nowhere(result)) {
    result.c[0].low = std::max(result.c[0].low, 0.0);
  }
  out = result;
}

void to_power(const Jet& a, const Jet& b, Jet& out) {
  if (is_nowhere(a) || is_nowhere(b)) return set_values(out, Interval::nowhere());
  const bool is_known = b.is_constant() && b.c[0].is_point();
  const double exponent = b.c[0].low;
  constexpr double most = 64;
  if (is_known && exponent == std::floor(exponent) && std::abs(exponent) <= most) {
    Jet power;
    raise(a, static_cast<int>(std::abs(exponent)), power);
    if (exponent >= 0) {
      out = power;
    } else {
      divide(Jet::constant(1), power, out);
    }
    return;
  }
  if (a.c[0].high < 0 && is_known && exponent != std::floor(exponent)) {
    return set_values(out, Interval::nowhere());
  }
  if (!(a.c[0].low > 0)) {
    const bool tame = is_known && exponent > 0 && a.c[0].low == 0;
    return set_values(out, tame ? Interval{0, of_library(0, std::pow(a.c[0].high, exponent)).high}
                                : Interval::all());
  }
  Jet logarithms;
  logarithm(a, logarithms);
  multiply(b, Jet(logarithms), logarithms);
  exponential(logarithms, out);
}

// Which branch is taken here says nothing of elsewhere: see Jet::exact.
void absolute(const Jet& a, Jet& out) {
  if (is_nowhere(a) || a.c[0].low >= 0) {
    out = a;
    out.exact = false;
  } else if (a.c[0].high <= 0) {
    negate(a, out);
    out.exact = false;
  } else {
    const Interval values = {0, a.c[0].magnitude()};
    const Interval slopes = hull(coefficient(a, 1), -coefficient(a, 1));
    out.c[0] = values;
    out.c[1] = slopes;
    forget_beyond(out, 1);
  }
}

void extreme(const Jet& a, const Jet& b, bool largest, Jet& out) {
  if (is_nowhere(a) || is_nowhere(b)) return set_values(out, Interval::nowhere());
  const bool a_above = a.c[0].low >= b.c[0].high, b_above = b.c[0].low >= a.c[0].high;
  if (a_above || b_above) {
    out = a_above == largest ? a : b;
    out.exact = false;
    return;
  }
  const auto choice = [largest](double x, double y) {
    return largest ? std::max(x, y) : std::min(x, y);
  };
  const Interval values = {choice(a.c[0].low, b.c[0].low), choice(a.c[0].high, b.c[0].high)};
  const Interval slopes = hull(coefficient(a, 1), coefficient(b, 1));
  out.c[0] = values;
  out.c[1] = slopes;
  forget_beyond(out, 1);
}

void remainder(const Jet& a, const Jet& b, Jet& out) {
  if (is_nowhere(a) || is_nowhere(b)) return set_values(out, Interval::nowhere());
  const Interval ratio = a.c[0] / b.c[0];
  const double whole = std::floor(ratio.low);
  if (!ratio.is_finite() || !(ratio.high < whole + 1)) {
    return set_values(out, b.c[0].has_zero() ? Interval::all() : hull({}, b.c[0]));
  }
  Jet multiple;
  scale(Interval::at(whole), b, multiple);
  add(a, multiple, true, out);
  out.exact = false;
}

void arc_tangent_of_ratio(const Jet& y, const Jet& x, Jet& out) {
  if (is_nowhere(x) || is_nowhere(y)) return set_values(out, Interval::nowhere());
  const auto turned = [&](const Jet& a, const Jet& b, double from, bool minus) {
    Jet ratio, angle;
    divide(a, b, ratio);
    arc_tangent(ratio, angle);
    add(Jet::constant(of_library(from, from)), angle, minus, out);
    out.exact = false;
  };
  if (x.c[0].low > 0) return turned(y, x, 0, false);
  if (y.c[0].low > 0) return turned(x, y, pi / 2, true);
  if (y.c[0].high < 0) return turned(x, y, -pi / 2, true);
  set_values(out, of_library(-pi, pi));
}

// 1, 0, or not decided.
Interval verdict(bool surely, bool surely_not) {
  return surely ? Interval::at(1) : surely_not ? Interval::at(0) : Interval{0, 1};
}

// A comparison with what has no value is false, except !=.
Interval compare(Op op, const Interval& a, const Interval& b) {
  if (a.is_nowhere() || b.is_nowhere()) return Interval::at(op == Op::NotEqual ? 1 : 0);
  switch (op) {
    case Op::Less:
      return verdict(a.high < b.low, a.low >= b.high);
    case Op::LessEqual:
      return verdict(a.high <= b.low, a.low > b.high);
    default: {
      const bool apart = a.high < b.low || b.high < a.low;
      const bool equal = a.is_point() && b.is_point() && a.low == b.low;
      return op == Op::Equal ? verdict(equal, apart) : verdict(apart, equal);
    }
  }
}

Interval truth(const Interval& a) {
  return verdict(a.is_nowhere() || a.low > 0 || a.high < 0, a.is_zero());
}

Interval logic(Op op, const Interval& x, const Interval& y) {
  const Interval a = truth(x), b = truth(y);
  return op == Op::And ? Interval{std::min(a.low, b.low), std::min(a.high, b.high)}
                       : Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
}

Interval floored(const Interval& x, bool up) {
  if (x.is_nowhere()) return x;
  return up ? Interval{std::ceil(x.low), std::ceil(x.high)}
            : Interval{std::floor(x.low), std::floor(x.high)};
}

Interval sign(const Interval& x) {
  if (x.is_nowhere()) return x;
  const auto of = [](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0; };
  return {of(x.low), of(x.high)};
}

}  // namespace

Jet Jet::constant(const Interval& value) {
  Jet out;
  out.c[0] = value;
  return out;
}

namespace {

void apply_one(Op op, const Jet& a, Jet& out) {
  Jet other;
  switch (op) {
    case Op::Neg:
      return negate(a, out);
    case Op::Abs:
      return absolute(a, out);
    case Op::Sqrt:
      return square_root(a, out);
    case Op::Exp:
      return exponential(a, out);
    case Op::Log:
      return logarithm(a, out);
    case Op::Log10:
      logarithm(a, out);
      return divide(Jet(out), Jet::constant(of_library(std::numbers::ln10, std::numbers::ln10)),
                    out);
    case Op::Sin:
      return circular(a, out, other);
    case Op::Cos:
      return circular(Jet(a), other, out);
    case Op::Tan: {
      Jet sines;
      circular(a, sines, other);
      return divide(sines, other, out);
    }
    case Op::Asin:
    case Op::Acos:
      return arc_sine(Jet(a), op == Op::Acos, out);
    case Op::Atan:
      return arc_tangent(Jet(a), out);
    case Op::Sinh:
      return hyperbolic(Jet(a), out, other);
    case Op::Cosh:
      return hyperbolic(Jet(a), other, out);
    case Op::Tanh:
      return hyperbolic_tangent(a, out);
    case Op::Floor:
    case Op::Ceil:
      return set_values(out, floored(a.c[0], op == Op::Ceil));
    case Op::Sign:
      return set_values(out, sign(a.c[0]));
    case Op::Not:
      return set_values(out, Interval::at(1) - truth(a.c[0]));
    case Op::FiniteOf:
      out = a;
      return;
    case Op::ImpulseOf:
      return set_values(out, {});
    default:
      CRADLE_ASSERT(false, "an operator of one number");
  }
}

void apply_two(Op op, const Jet& a, const Jet& b, Jet& out) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
      return add(a, b, op == Op::Sub, out);
    case Op::Mul:
      return multiply(a, b, out);
    case Op::Div:
      return divide(Jet(a), Jet(b), out);
    case Op::Pow:
      return to_power(Jet(a), Jet(b), out);
    case Op::Min:
    case Op::Max:
      return extreme(Jet(a), Jet(b), op == Op::Max, out);
    case Op::Mod:
      return remainder(Jet(a), Jet(b), out);
    case Op::Atan2:
      return arc_tangent_of_ratio(Jet(a), Jet(b), out);
    case Op::Hypot: {
      Jet x, y;
      multiply(a, a, x);
      multiply(b, b, y);
      add(x, y, false, x);
      return square_root(x, out);
    }
    case Op::And:
    case Op::Or:
      return set_values(out, logic(op, a.c[0], b.c[0]));
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
      return set_values(out, compare(op, a.c[0], b.c[0]));
    default:
      CRADLE_ASSERT(false, "an operator of two numbers");
  }
}

// Whatever is made of constants is one.
void settle(bool constant, Jet& out) {
  if (!constant) return;
  out.degree = 0;
  out.exact = true;
}

}  // namespace

void apply(Op op, const Jet& a, Jet& out) {
  const bool constant = a.is_constant();
  apply_one(op, a, out);
  settle(constant, out);
}

void apply(Op op, const Jet& a, const Jet& b, Jet& out) {
  const bool constant = a.is_constant() && b.is_constant();
  apply_two(op, a, b, out);
  settle(constant, out);
}

void multiply_add(const Jet& a, const Jet& b, const Jet& c, Jet& out) {
  Jet product;
  multiply(a, b, product);
  add(c, product, false, out);
}

void choose(const Jet& condition, const Jet& a, const Jet& b, Jet& out) {
  const Interval holds = truth(condition.c[0]);
  const bool known = condition.is_constant();
  if (holds.is_point()) {
    out = holds.low != 0 ? a : b;
    out.exact &= known;
  } else {
    set_values(out, hull(a.c[0], b.c[0]));
  }
}

namespace {

// C(j, k) for the orders of a jet.
struct Binomials {
  double of[order + 1][most_polynomial + 1] = {};
  constexpr Binomials() {
    for (int k = 0; k <= order; ++k) {
      of[k][k] = 1;
      for (int j = k + 1; j <= most_polynomial; ++j) of[k][j] = of[k][j - 1] * j / (j - k);
    }
  }
};
constexpr Binomials binomials;

// The coefficient k at every u: Σ_j C(j, k) d_j u^(j−k), with what rounding makes of it.
Interval over_all(int k, std::span<const double> d, std::span<const double> error) {
  const auto& binomial = binomials.of[k];
  double low = d[at(k)], high = low, slack = error[at(k)], size = std::abs(low);
  for (std::size_t j = at(k) + 1; j < d.size(); ++j) {
    const double term = binomial[j] * d[j];
    const bool is_even = (j - at(k)) % 2 == 0;
    low -= is_even ? std::max(-term, 0.0) : std::abs(term);
    high += is_even ? std::max(term, 0.0) : std::abs(term);
    size += std::abs(term);
    slack += binomial[j] * error[j];
  }
  slack = 1.01 * slack + size * (2 * most_polynomial) * std::numeric_limits<double>::epsilon();
  return widened(low - slack, high + slack);
}

}  // namespace

// Horner's scheme, again and again (Shaw and Traub), then the scaling of u. Beside it the same of
// magnitudes, of which rounding is a small part: it bounds what was added up. A centre that is not
// known exactly moves each coefficient by the next.
void expand_polynomial(std::span<const double> c, std::span<const double> worth,
                       const Interval& centre, double radius, Where where, Jet& out) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const int n = static_cast<int>(c.size()) - 1;
  CRADLE_ASSERT(n >= 0 && n <= most_polynomial, "dense output is of a small degree");
  std::array<double, most_polynomial + 2> d, m, error;  // not cleared
  std::copy(c.begin(), c.end(), d.begin());
  std::copy(worth.begin(), worth.end(), m.begin());
  const double x = centre.middle(), slack = 0.51 * centre.width(), reach = std::abs(x) + slack;
  for (int k = 0; k < n; ++k) {
    for (int j = n - 1; j >= k; --j) {
      d[at(j)] += x * d[at(j + 1)];
      m[at(j)] += reach * m[at(j + 1)];
    }
  }
  m[at(n + 1)] = 0;
  double scale = 1;
  for (int k = 0; k <= n; ++k) {
    const double rounding = (6 * n + 16) * epsilon * m[at(k)];
    error[at(k)] = 1.01 * scale * (rounding + slack * (k + 1) * m[at(k + 1)]);
    d[at(k)] *= scale;
    scale *= radius;
  }
  const int known = std::min(n, order);
  const auto terms = std::span<const double>(d).first(at(n + 1));
  for (int k = 0; k <= known; ++k) {
    out.c[at(k)] = where == Where::Middle
                       ? widened(d[at(k)] - error[at(k)], d[at(k)] + error[at(k)])
                       : over_all(k, terms, error);
  }
  out.degree = known;
  out.exact = n <= order;
}

}  // namespace cradle::solve
