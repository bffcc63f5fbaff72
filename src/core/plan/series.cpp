#include "core/plan/series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cradle::plan {

using expr::Op;

namespace {

constexpr int kOrders = Series::kOrders;

// f, f′ and f″ at a.
struct Taylor {
  double f, f1, f2;
};

Taylor derivatives(Op op, double a) {
  const double f = expr::apply(op, a);
  switch (op) {
    case Op::Sqrt:
      return {f, 0.5 / f, -0.25 / (f * a)};
    case Op::Exp:
      return {f, f, f};
    case Op::Log:
      return {f, 1 / a, -1 / (a * a)};
    case Op::Log10: {
      const double ten = std::log(10.0);
      return {f, 1 / (a * ten), -1 / (a * a * ten)};
    }
    case Op::Sin:
      return {f, std::cos(a), -f};
    case Op::Cos:
      return {f, -std::sin(a), -f};
    case Op::Tan:
      return {f, 1 + f * f, 2 * f * (1 + f * f)};
    case Op::Asin: {
      const double s = 1 / std::sqrt(1 - a * a);
      return {f, s, a * s * s * s};
    }
    case Op::Acos: {
      const double s = -1 / std::sqrt(1 - a * a);
      return {f, s, a * s * s * s};
    }
    case Op::Atan: {
      const double s = 1 / (1 + a * a);
      return {f, s, -2 * a * s * s};
    }
    case Op::Sinh:
      return {f, std::cosh(a), f};
    case Op::Cosh:
      return {f, std::sinh(a), f};
    case Op::Tanh:
      return {f, 1 - f * f, -2 * f * (1 - f * f)};
    default:  // floor, ceil, sign: constant but where they leap
      return {f, 0, 0};
  }
}

// How much of its argument's scale a function has at least, though it may be near a zero.
double amplitude(Op op) { return op == Op::Sin || op == Op::Cos ? 1 : 0; }

std::array<Coefficient, kOrders> compose(const Taylor& t, double least,
                                         const std::array<Coefficient, kOrders>& a) {
  const double f1 = std::abs(t.f1), f2 = std::abs(t.f2), a1 = std::abs(a[1].value);
  return {
      Coefficient{t.f, std::max(std::abs(t.f), least) + f1 * a[0].worth},
      Coefficient{t.f1 * a[1].value, f1 * a[1].worth + f2 * a1 * a[0].worth},
      Coefficient{t.f1 * a[2].value + t.f2 * a[1].value * a[1].value,
                  f1 * a[2].worth + f2 * (a1 * a[1].worth + std::abs(a[2].value) * a[0].worth)}};
}

// By Leibniz' rule.
std::array<Coefficient, kOrders> multiply(const std::array<Coefficient, kOrders>& a,
                                          const std::array<Coefficient, kOrders>& b) {
  std::array<Coefficient, kOrders> out{};
  constexpr double binomial[kOrders][kOrders] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
  for (int n = 0; n < kOrders; ++n) {
    for (int k = 0; k <= n; ++k) {
      const Coefficient &left = a[k], &right = b[n - k];
      out[n].value += binomial[n][k] * left.value * right.value;
      out[n].worth += binomial[n][k] *
                      (std::abs(left.value) * right.worth + left.worth * std::abs(right.value));
    }
  }
  return out;
}

Series function(Op op, const Series& a) {
  Series out;
  const Value value = evaluate(op, a.value());  // throws where impulses have no answer
  if (!value.is_present()) return Series(value);
  const Taylor t = derivatives(op, a.finite[0].value);
  out.finite = compose(t, amplitude(op), a.finite);
  const double direction = t.f1 > 0 ? 1 : t.f1 < 0 ? -1 : 0;
  for (int k = 0; k < kOrders; ++k) {
    out.strain[k] = {direction * a.strain[k].value, std::abs(direction) * a.strain[k].worth};
  }
  return out;
}

Series product(const Series& a, const Series& b) {
  Series out;
  out.finite = multiply(a.finite, b.finite);
  const Value value = evaluate(Op::Mul, a.value(), b.value());
  out.impulse = {value.impulse, std::abs(a.finite[0].value) * b.impulse.worth +
                                    std::abs(b.finite[0].value) * a.impulse.worth};
  const auto left = multiply(a.strain, b.finite), right = multiply(a.finite, b.strain);
  for (int k = 0; k < kOrders; ++k) {
    out.strain[k] = {left[k].value + right[k].value, left[k].worth + right[k].worth};
  }
  return out;
}

Series reciprocal(const Series& a) {
  Series out;
  const double f = 1 / a.finite[0].value;
  out.finite = compose({f, -f * f, 2 * f * f * f}, 0, a.finite);
  return out;
}

Series power(const Series& a, const Series& b) {
  const double x = a.finite[0].value, n = b.finite[0].value;
  const bool fixed = b.finite[1].value == 0 && b.finite[2].value == 0;
  Series out;
  if (!fixed) {
    out = function(Op::Exp, product(b, function(Op::Log, a)));
  } else {
    const Taylor t = {std::pow(x, n), n == 0 ? 0 : n * std::pow(x, n - 1),
                      n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(x, n - 2)};
    out.finite = compose(t, 0, a.finite);
  }
  out.finite[0].value = evaluate(Op::Pow, a.value(), b.value()).finite;
  return out;
}

// θ′ = (x y′ − y x′) / (x² + y²), and the derivative of that.
Series angle(const Series& y, const Series& x) {
  Series out;
  const double y0 = y.finite[0].value, x0 = x.finite[0].value;
  const double r2 = x0 * x0 + y0 * y0;
  const double turn = x0 * y.finite[1].value - y0 * x.finite[1].value;
  const double turn1 = x0 * y.finite[2].value - y0 * x.finite[2].value;
  const double r21 = 2 * (x0 * x.finite[1].value + y0 * y.finite[1].value);
  const double theta = evaluate(Op::Atan2, y.value(), x.value()).finite;
  const double scale = (std::abs(x0) * y.finite[0].worth + std::abs(y0) * x.finite[0].worth) / r2;
  out.finite[0] = {theta, std::abs(theta) + scale};
  out.finite[1] = {turn / r2, (std::abs(x0) * y.finite[1].worth + std::abs(y0) * x.finite[1].worth +
                               x.finite[0].worth * std::abs(y.finite[1].value) +
                               y.finite[0].worth * std::abs(x.finite[1].value)) /
                                  r2};
  const double second = turn1 / r2 - turn * r21 / (r2 * r2);
  out.finite[2] = {second, std::abs(turn1 / r2) + std::abs(turn * r21 / (r2 * r2))};
  return out;
}

Series difference(const Series& a, const Series& b) {
  Series out = a;
  out.add(b, -1);
  return out;
}

}  // namespace

double Coefficient::noise() const {
  return kRoundings * std::numeric_limits<double>::epsilon() * std::max(worth, std::abs(value));
}

bool Coefficient::is_zero(double roundings) const {
  return !(std::abs(value) > roundings * std::numeric_limits<double>::epsilon() * worth);
}

Series::Series(const Value& value) : status(value.status) {
  if (!value.is_present()) return;
  finite[0] = {value.finite, std::abs(value.finite)};
  impulse = {value.impulse, std::abs(value.impulse)};
}

Series Series::absent() {
  Series out;
  out.status = Value::Status::Absent;
  return out;
}

Series Series::unknown() {
  Series out;
  out.finite.fill({0, std::numeric_limits<double>::infinity()});
  return out;
}

bool Series::is_calm() const {
  return impulse.value == 0 && std::all_of(strain.begin(), strain.end(),
                                           [](const Coefficient& c) { return c.value == 0; });
}

Value Series::value() const {
  if (status == Value::Status::Absent) return Value::absent();
  if (status == Value::Status::Unknown) return Value::unknown();
  return Number(finite[0].value, impulse.value);
}

Series::Leading Series::leading(int orders, double roundings) const {
  using Part = Leading::Part;
  for (int k = 0; k < orders; ++k) {
    if (!strain[k].is_zero(roundings)) return {Part::Strain, k, strain[k].value};
  }
  if (!impulse.is_zero(roundings)) return {Part::Impulse, 0, impulse.value};
  for (int k = 0; k < orders; ++k) {
    if (!finite[k].is_zero(roundings)) return {Part::Finite, k, finite[k].value};
  }
  return {};
}

int Series::sign(int orders, double roundings) const {
  const double value = leading(orders, roundings).value;
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

void Series::add(const Series& other, double factor) {
  const double size = std::abs(factor);
  const auto put = [&](Coefficient& to, const Coefficient& from) {
    to.value += factor * from.value;
    to.worth += size * from.worth;
  };
  for (int k = 0; k < kOrders; ++k) {
    put(strain[k], other.strain[k]);
    put(finite[k], other.finite[k]);
  }
  put(impulse, other.impulse);
}

Series evaluate(Op op, const Series& a) {
  switch (op) {
    case Op::Not:
    case Op::IsPresent:
      return Series(evaluate(op, a.value()));
    default:
      break;
  }
  if (!a.is_present()) return a;
  switch (op) {
    case Op::Neg: {
      Series out;
      out.add(a, -1);
      return out;
    }
    case Op::Abs:
      return a.sign() < 0 ? evaluate(Op::Neg, a) : a;
    case Op::FiniteOf: {  // what is carried without limit is not finite either
      Series out = a;
      out.impulse = {};
      return out;
    }
    case Op::ImpulseOf: {
      Series out;
      out.strain = a.strain;
      out.finite[0] = a.impulse;
      return out;
    }
    default:
      return function(op, a);
  }
}

Series evaluate(Op op, const Series& a, const Series& b) {
  switch (op) {
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
      return Series(evaluate(op, a.value(), b.value()));
    default:
      break;
  }
  if (!a.is_present() || !b.is_present()) return Series(evaluate(op, a.value(), b.value()));
  switch (op) {
    case Op::Add: {
      Series out = a;
      out.add(b, 1);
      return out;
    }
    case Op::Sub:
      return difference(a, b);
    case Op::Mul:
      return product(a, b);
    case Op::Div: {
      const Value value = evaluate(op, a.value(), b.value());
      Series out = product(a, reciprocal(b));
      out.finite[0].value = value.finite;
      return out;
    }
    case Op::Pow:
      return power(a, b);
    case Op::Min:
      return difference(a, b).sign() <= 0 ? a : b;
    case Op::Max:
      return difference(a, b).sign() >= 0 ? a : b;
    case Op::Atan2:
      return angle(a, b);
    case Op::Hypot:
      return function(Op::Sqrt, evaluate(Op::Add, product(a, a), product(b, b)));
    case Op::Mod: {
      Series out = a;
      out.finite[0].value = evaluate(op, a.value(), b.value()).finite;
      out.finite[0].worth += b.finite[0].worth;
      return out;
    }
    case Op::Less:
      return difference(b, a).sign() > 0 ? 1.0 : 0.0;
    case Op::LessEqual:
      return difference(b, a).sign() >= 0 ? 1.0 : 0.0;
    default:
      return Series(evaluate(op, a.value(), b.value()));
  }
}

}  // namespace cradle::plan
