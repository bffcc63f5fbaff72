#pragma once
// A present number a + bω with ω = 1/ε (semantics, section 2): a is finite, b is the weight of a
// Dirac impulse. Order: by b, then by a. Sum, difference and scaling are componentwise.

#include <compare>
#include <string>

namespace cradle {

struct Number {
  double finite = 0;
  double impulse = 0;

  constexpr Number() = default;
  constexpr Number(double a) : finite(a) {}  // NOLINT: a double is a number without impulse
  constexpr Number(double a, double b) : finite(a), impulse(b) {}

  constexpr bool is_finite() const { return impulse == 0; }
  constexpr bool operator==(const Number&) const = default;
  constexpr std::partial_ordering operator<=>(const Number& o) const {
    if (auto c = impulse <=> o.impulse; c != 0) return c;
    return finite <=> o.finite;
  }
  constexpr Number operator-() const { return {-finite, -impulse}; }
  constexpr Number operator+(const Number& o) const {
    return {finite + o.finite, impulse + o.impulse};
  }
  constexpr Number operator-(const Number& o) const {
    return {finite - o.finite, impulse - o.impulse};
  }
};

// 1.5, 2ω, 1.5 + 2ω
std::string to_string(const Number& number);

}  // namespace cradle
