#include "language/syntax/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

namespace cradle::units {

namespace {

struct Row {
  std::string_view name;
  int m, kg, s, A, K, mol, cd;
  int decimal;
  double factor;
  double offset;
  // Which prefixes it takes: none; those of thousands; and besides hecto, deci and centi.
  enum Prefixes { None, Thousands, All } prefixes;
};

constexpr double kPi = std::numbers::pi;

constexpr Row kUnits[] = {
    {"m", 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, Row::All},
    {"g", 0, 1, 0, 0, 0, 0, 0, -3, 1, 0, Row::All},
    {"s", 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"A", 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"K", 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, Row::Thousands},
    {"mol", 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, Row::Thousands},
    {"cd", 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, Row::Thousands},
    {"rad", 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"Hz", 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"N", 1, 1, -2, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"Nm", 2, 1, -2, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"Pa", -1, 1, -2, 0, 0, 0, 0, 0, 1, 0, Row::All},
    {"J", 2, 1, -2, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"W", 2, 1, -3, 0, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"C", 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"V", 2, 1, -3, -1, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"F", -2, -1, 4, 2, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"Ohm", 2, 1, -3, -2, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"ohm", 2, 1, -3, -2, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"Ω", 2, 1, -3, -2, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"S", -2, -1, 3, 2, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"Wb", 2, 1, -2, -1, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"T", 0, 1, -2, -1, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"H", 2, 1, -2, -2, 0, 0, 0, 0, 1, 0, Row::Thousands},
    {"l", 3, 0, 0, 0, 0, 0, 0, -3, 1, 0, Row::All},
    {"L", 3, 0, 0, 0, 0, 0, 0, -3, 1, 0, Row::All},
    {"t", 0, 1, 0, 0, 0, 0, 0, 3, 1, 0, Row::None},
    {"bar", -1, 1, -2, 0, 0, 0, 0, 5, 1, 0, Row::Thousands},
    {"atm", -1, 1, -2, 0, 0, 0, 0, 0, 101325, 0, Row::None},
    {"eV", 2, 1, -2, 0, 0, 0, 0, -19, 1.602176634, 0, Row::Thousands},
    {"Wh", 2, 1, -2, 0, 0, 0, 0, 0, 3600, 0, Row::Thousands},
    {"Ah", 0, 0, 1, 1, 0, 0, 0, 0, 3600, 0, Row::Thousands},
    {"min", 0, 0, 1, 0, 0, 0, 0, 0, 60, 0, Row::None},
    {"h", 0, 0, 1, 0, 0, 0, 0, 0, 3600, 0, Row::None},
    {"day", 0, 0, 1, 0, 0, 0, 0, 0, 86400, 0, Row::None},
    {"deg", 0, 0, 0, 0, 0, 0, 0, 0, kPi / 180, 0, Row::None},
    {"rev", 0, 0, 0, 0, 0, 0, 0, 0, 2 * kPi, 0, Row::None},
    {"rpm", 0, 0, -1, 0, 0, 0, 0, 0, 2 * kPi / 60, 0, Row::None},
    {"degC", 0, 0, 0, 0, 1, 0, 0, 0, 1, 273.15, Row::None},
};

struct Prefix {
  std::string_view text;
  int decimal;
  bool thousands = true;
};
constexpr Prefix kPrefixes[] = {
    {"T", 12},        {"G", 9},  {"M", 6},   {"k", 3},        {"m", -3},
    {"u", -6},        {"µ", -6}, {"μ", -6},  {"h", 2, false}, {"d", -1, false},
    {"c", -2, false}, {"n", -9}, {"p", -12}, {"f", -15},
};

Unit made(const Row& row, int prefix, std::string_view text) {
  Unit unit;
  unit.text = text;
  const int powers[kBases] = {row.m, row.kg, row.s, row.A, row.K, row.mol, row.cd};
  for (std::size_t i = 0; i < kBases; ++i) unit.dimension.powers[i] = powers[i];
  unit.decimal = row.decimal + prefix;
  unit.factor = row.factor;
  unit.offset = row.offset;
  return unit;
}

const Row* row_of(std::string_view name) {
  for (const Row& row : kUnits) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// unit = factor { ("*" | "/") factor }, factor = NAME [ "^" [ "-" ] digits ] | "(" unit ")"
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<Unit> whole() {
    std::optional<Unit> unit = product(0);
    if (!unit || at_ != text_.size()) return std::nullopt;
    unit->text = text_;
    return unit;
  }

 private:
  static constexpr int kMostDepth = 8, kMostPower = 20;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::optional<Unit> product(int depth) {
    std::optional<Unit> all = factor(depth);
    while (all && (peek() == '*' || peek() == '/')) {
      const int sign = text_[at_++] == '*' ? 1 : -1;
      const std::optional<Unit> next = factor(depth);
      if (!next || next->offset != 0 || all->offset != 0) return std::nullopt;
      *all = joined(*all, *next, sign);
    }
    return all;
  }

  static Unit joined(const Unit& a, const Unit& b, int power) {
    Unit out;
    out.dimension = a.dimension.times(b.dimension, power);
    out.decimal = a.decimal + power * b.decimal;
    out.factor = b.factor == 1 ? a.factor : a.factor * std::pow(b.factor, power);
    return out;
  }

  std::optional<Unit> factor(int depth) {
    if (depth > kMostDepth) return std::nullopt;
    if (peek() == '(') {
      ++at_;
      std::optional<Unit> inner = product(depth + 1);
      if (!inner || peek() != ')') return std::nullopt;
      ++at_;
      return inner;
    }
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of("*/^()", at_), text_.size());
    std::optional<Unit> one = find(text_.substr(begin, at_ - begin));
    if (!one || peek() != '^') return one;
    ++at_;
    int power = 0;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), power);
    if (result.ec != std::errc() || std::abs(power) > kMostPower || one->offset != 0) {
      return std::nullopt;
    }
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return joined(Unit{}, *one, power);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Dimension Dimension::times(const Dimension& other, Fraction power) const {
  Dimension out = *this;
  for (std::size_t i = 0; i < kBases; ++i) {
    out.powers[i] = out.powers[i] + other.powers[i] * power;
  }
  return out;
}

double Unit::scale() const { return value_of("1", decimal) * factor; }

std::optional<Unit> find(std::string_view name) {
  if (name == "\xE2\x84\xA6") name = "Ω";  // the sign for ohm is not the letter
  if (name == "°C") name = "degC";
  if (const Row* row = row_of(name)) return made(*row, 0, name);
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.text)) continue;
    const Row* row = row_of(name.substr(prefix.text.size()));
    if (row == nullptr || row->prefixes == Row::None) continue;
    if (!prefix.thousands && row->prefixes != Row::All) continue;
    return made(*row, prefix.decimal, name);
  }
  return std::nullopt;
}

std::optional<Unit> parse(std::string_view text) { return UnitParser(text).whole(); }

std::optional<int> suffix(std::string_view letters) {
  static constexpr std::pair<std::string_view, int> kSuffixes[] = {
      {"k", 3},  {"Meg", 6}, {"meg", 6}, {"MEG", 6}, {"G", 9},
      {"u", -6}, {"µ", -6},  {"μ", -6},  {"n", -9},  {"p", -12}};
  for (const auto& [text, decimal] : kSuffixes) {
    if (text == letters) return decimal;
  }
  return std::nullopt;
}

std::string ambiguity(std::string_view digits, std::string_view letters) {
  if (letters == "m") return fmt::format("write {0} m for metres, {0}e-3 for milli", digits);
  if (letters == "M") {
    return fmt::format("write {0}e6 for mega, {0}e-3 for what SPICE means by M", digits);
  }
  if (letters == "T") return fmt::format("write {0} T for tesla, {0}e12 for tera", digits);
  if (letters == "K") return fmt::format("write {0} K for kelvin, {0}k for kilo", digits);
  if (letters == "f" || letters == "F") {
    return fmt::format("write {0} F for farad, {0}e-15 for femto", digits);
  }
  return {};
}

double value_of(std::string_view digits, int decimal) {
  std::string text(digits);
  const std::size_t e = text.find_first_of("eE");
  int exponent = 0;
  if (e != std::string::npos) {
    const std::size_t from = e + 1 + (text[e + 1] == '+' ? 1 : 0);
    std::from_chars(text.data() + from, text.data() + text.size(), exponent);
    text.resize(e);
  }
  text += 'e' + std::to_string(exponent + decimal);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() ? value : std::numeric_limits<double>::quiet_NaN();
}

double value_of(std::string_view digits, const Unit& unit) {
  const double value = value_of(digits, unit.decimal) * unit.factor;
  return unit.offset == 0 ? value : value + unit.offset;
}

namespace {

std::string power_of(std::string_view base, Fraction power) {
  if (power == Fraction(1)) return std::string(base);
  if (power.bottom == 1) return fmt::format("{}^{}", base, power.top);
  return fmt::format("{}^({}/{})", base, power.top, power.bottom);
}

// kg*m^2/s^3
std::string in_base_units(const Dimension& dimension) {
  static constexpr std::string_view kNames[kBases] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  static constexpr std::size_t kOrder[kBases] = {1, 0, 2, 3, 4, 5, 6};
  std::string above, below;
  for (std::size_t i : kOrder) {
    const Fraction power = dimension.powers[i];
    if (power.top > 0) above += (above.empty() ? "" : "*") + power_of(kNames[i], power);
    if (power.top < 0) below += "/" + power_of(kNames[i], -power);
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace

std::string name(const Dimension& dimension) {
  if (dimension.is_pure()) return {};
  static constexpr std::string_view kKnown[] = {
      "m",      "kg",   "s",     "A",    "K",     "N",     "Pa",      "J",      "W",
      "C",      "V",    "F",     "Ohm",  "S",     "Wb",    "T",       "H",      "V/s",
      "A/s",    "N*s",  "N/m",   "kg/s", "N*m*s", "W/K",   "J/K",     "m/s",    "m/s^2",
      "m^2",    "m^3",  "m^3/s", "Pa*s", "V/m",   "K/W",   "kg/m^3",  "m^3/Pa", "Pa*s/m^3",
      "kg*m^2", "Pa/s", "N/s",   "V^2",  "A^2",   "W/m^2", "W/m^2/K", "J/kg/K", "m/N"};
  constexpr std::size_t kSimple = 17;  // those without an operator
  for (std::string_view known : kKnown) {
    if (parse(known)->dimension == dimension) return std::string(known);
  }
  const Dimension inverse = Dimension{}.times(dimension, -1);
  for (std::size_t i = 0; i < kSimple; ++i) {
    if (parse(kKnown[i])->dimension == inverse) return "1/" + std::string(kKnown[i]);
  }
  return in_base_units(dimension);
}

std::string times_second(const std::string& unit) {
  const std::optional<Unit> known = parse(unit);
  if (!known || known->offset != 0) return {};
  if (!known->is_coherent()) return unit + "*s";
  const std::string joint = name(known->dimension.times(find("s")->dimension));
  return joint.empty() ? "1" : joint;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Row& row : kUnits) all.emplace_back(row.name);
  for (const char* usual :
       {"kg", "km", "cm", "mm", "ms",   "us",   "mV",  "kV",  "mA", "uA", "mH",
        "uH", "uF", "nF", "pF", "kOhm", "MOhm", "kHz", "MHz", "kW", "kN", "kPa"}) {
    all.emplace_back(usual);
  }
  return all;
}

}  // namespace cradle::units
