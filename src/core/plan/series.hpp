#pragma once
// A value of a tried mode as a series (semantics, 6.1): a tried mode is one step of infinitesimal
// length ε, and every controlled junction is ideal only up to a δ below every power of ε.
//
//   strain    the part in 1/δ: its value, then its first and second right derivative
//   impulse   the part in 1/ε
//   finite    the value at x⁺, then its first and second right derivative
//
// Each coefficient goes with its worth, the magnitudes that were added up to it: what is below
// K·eps of that is rounding. The sign is that of the first coefficient that is not.

#include <array>

#include "core/plan/code.hpp"
#include "core/plan/value.hpp"

namespace cradle::plan {

struct Coefficient {
  double value = 0;
  double worth = 0;

  static constexpr double kRoundings = 64;  // that may add up in one comparison
  double noise() const;
  bool is_zero(double roundings = kRoundings) const;
};

struct Series {
  static constexpr int kOrders = 3;

  Value::Status status = Value::Status::Present;
  std::array<Coefficient, kOrders> strain{};
  Coefficient impulse{};
  std::array<Coefficient, kOrders> finite{};

  Series() = default;
  Series(double a) { finite[0] = {a, a < 0 ? -a : a}; }  // NOLINT: a double is a constant series
  explicit Series(const Value& value);
  static Series absent();
  static Series unknown();  // nothing is known of it: it decides nothing

  bool is_present() const { return status == Value::Status::Present; }
  bool is_calm() const;  // neither strain nor impulse
  Value value() const;   // a + bω
  // The first coefficient that is not rounding; `orders` of the derivatives are known.
  struct Leading {
    enum class Part { None, Strain, Impulse, Finite } part = Part::None;
    int order = 0;  // of the derivative
    double value = 0;
  };
  Leading leading(int orders = kOrders, double roundings = Coefficient::kRoundings) const;
  // Of that: −1, 0 or 1.
  int sign(int orders = kOrders, double roundings = Coefficient::kRoundings) const;
  // As much of another, added.
  void add(const Series& other, double factor);
};

Series evaluate(expr::Op op, const Series& a);
Series evaluate(expr::Op op, const Series& a, const Series& b);
inline bool is_true(const Series& v) { return is_true(v.value()); }
inline bool is_present(const Series& v) { return v.is_present(); }
inline bool is_unknown(const Series& v) { return v.status == Value::Status::Unknown; }

}  // namespace cradle::plan
