#pragma once
// Units as people write them behind a number: 10 mH, 4.7 kOhm, 9.81 m/s^2, 20 degC.
//
// A unit is a dimension, which is a product of powers of the seven base units of the SI, and how
// many coherent SI units it is: 10^decimal · factor, plus an offset for temperatures. Decimal
// prefixes are kept apart from the factor, so that 10 mH is the double that is nearest to 0.01, as
// 10e-3 is.

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cradle::units {

// An exponent. Roots make fractions of them.
struct Fraction {
  int64_t top = 0, bottom = 1;

  Fraction() = default;
  Fraction(int64_t t, int64_t b = 1) : top(t), bottom(b) { shorten(); }
  struct TooLarge {};  // thrown by what follows: no unit has such exponents
  bool is_zero() const { return top == 0; }
  bool operator==(const Fraction&) const = default;
  Fraction operator+(Fraction o) const {
    return {top * o.bottom + o.top * bottom, bottom * o.bottom};
  }
  Fraction operator-() const { return {-top, bottom}; }
  Fraction operator-(Fraction o) const { return *this + -o; }
  Fraction operator*(Fraction o) const { return {top * o.top, bottom * o.bottom}; }
  Fraction operator/(Fraction o) const { return {top * o.bottom, bottom * o.top}; }

 private:
  static constexpr int64_t kMost = 1'000'000;
  void shorten() {
    if (bottom < 0) top = -top, bottom = -bottom;
    const int64_t common = std::gcd(top, bottom);
    if (common > 1) top /= common, bottom /= common;
    if (top > kMost || top < -kMost || bottom > kMost) throw TooLarge{};
  }
};

inline constexpr std::size_t kBases = 7;  // m, kg, s, A, K, mol, cd

struct Dimension {
  std::array<Fraction, kBases> powers;

  bool operator==(const Dimension&) const = default;
  bool is_pure() const { return *this == Dimension{}; }
  // This, times the other to a power.
  Dimension times(const Dimension& other, Fraction power = 1) const;
};

struct Unit {
  std::string text;  // as written
  Dimension dimension;
  int decimal = 0;
  double factor = 1;
  double offset = 0;  // of its zero, in SI units

  // How many SI units it is, offset apart.
  double scale() const;
  bool is_coherent() const { return decimal == 0 && factor == 1 && offset == 0; }
};

// "mH", "m/s^2", "W/(m^2*K)"; nothing if it is none.
std::optional<Unit> parse(std::string_view text);
// One name, with its prefix: what may stand between the operators.
std::optional<Unit> find(std::string_view name);
// Letters that scale a number that they stand right behind, as in circuits: 4.7k, 100n, 1Meg.
std::optional<int> suffix(std::string_view letters);
// What a letter right behind a number could mean, if that is more than one thing: 10m, 1M, 2T.
std::string ambiguity(std::string_view digits, std::string_view letters);

// The number that the digits stand for, in SI units; no number if that is out of range.
double value_of(std::string_view digits, const Unit& unit);
double value_of(std::string_view digits, int decimal);

// A dimension as a coherent unit that people know: V, N*s/m, or a product of base units. Empty: a
// pure number.
std::string name(const Dimension& dimension);

// The unit of an integral over time: mV*s.
std::string times_second(const std::string& unit);

// The names of units without prefixes, for suggestions.
std::vector<std::string> names();

}  // namespace cradle::units
