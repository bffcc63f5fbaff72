#pragma once
// Networks of diodes in exact arithmetic: what semantics, 6.1, says of a mode, with numbers put in
// for its two infinitesimals. One implicit Euler step of length ε = 2⁻⁶⁰ from the present state; an
// ideal diode has 1/δ while it conducts and every diode has δ while it does not, with δ = 2⁻³⁶⁰. As
// every number of a network is dyadic, the potentials are quotients of integers, and the sign of a
// guard is the sign of an integer: nothing here is rounded, no rank is decided, no null space
// found.
//
// With δ > 0 the currents of the diodes and the drops across them are a linear complementarity
// problem whose matrix is positive definite: there is one solution, and least-index pivoting ends
// there from wherever it begins (Murty).

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace cradle::exact {

using Int = boost::multiprecision::cpp_int;

// Fixed point: conductances are whole multiples of 2⁻⁴⁰⁰, everything else of 2⁻⁸⁰⁰.
constexpr int kEpsilon = 60, kDelta = 360, kConductance = 400, kValue = 800;

inline Int fixed(double value, int bits) {
  int exponent = 0;
  const auto mantissa = static_cast<long long>(std::ldexp(std::frexp(value, &exponent), 53));
  const int shift = exponent - 53 + bits;
  return shift >= 0 ? Int(mantissa) << shift : Int(mantissa) / (Int(1) << -shift);
}

// ⌊log2 |n / d|⌋, up to one.
inline int magnitude(const Int& n, const Int& d) {
  if (n == 0) return -100000;
  return static_cast<int>(msb(Int(abs(n)))) - static_cast<int>(msb(Int(abs(d))));
}

inline double quotient(const Int& n, const Int& d, int bits) {  // n / d · 2^−bits
  if (n == 0) return 0;
  const int shift = 64 - magnitude(n, d);
  const Int q = shift >= 0 ? Int(abs(n) << shift) / d : Int(abs(n) >> -shift) / d;
  return std::ldexp(q.convert_to<double>(), -shift - bits) * (n < 0 ? -1 : 1);
}

// Between two nodes, from `a` to `b`; node 0 is the reference.
struct Part {
  enum class Kind { Resistor, Voltage, Current, Inductor, Capacitor, Diode } kind = Kind::Resistor;
  int a = 0, b = 0;
  int power = 0;     // R, L, C: 2^power; of a diode or voltage: its resistance, ideal if positive
  double value = 0;  // of a source, a threshold; what is stored, as flux or charge

  bool is_diode() const { return kind == Kind::Diode; }
  bool is_store() const { return kind == Kind::Inductor || kind == Kind::Capacitor; }
  bool is_ideal() const { return power > 0; }  // diode, voltage
};

struct Network {
  int nodes = 0;  // besides the reference
  std::vector<Part> parts;
  bool dual = false;  // flows for efforts: bodies and contacts that push
};

using Mode = std::vector<bool>;  // by part; false where it is no diode

struct Solution {
  Int denominator;              // of all that follows, besides the fixed point
  std::vector<Int> drops;       // by part: potential at a less that at b
  std::vector<Int> flows;       // by part; 0 for ideal voltages
  std::vector<Int> potentials;  // by node
  double drop(std::size_t k) const { return quotient(drops[k], denominator, kValue); }
  double flow(std::size_t k) const {
    return quotient(flows[k], denominator, kValue + kConductance);
  }
  double potential(std::size_t node) const {
    return quotient(potentials[node], denominator, kValue);
  }
};

class Solver {
 public:
  // Steps of 2^−step.
  explicit Solver(const Network& network, int step = kEpsilon) : network_(network), step_(step) {
    for (const Part& part : network.parts) stored_.push_back(fixed(part.value, kValue));
    find_groups();
  }

  // A diode that would switch, and log2 of how clearly; the first by index.
  struct Enabled {
    std::size_t part;
    int clarity;
  };
  std::optional<Enabled> first_enabled(const Mode& mode, const Solution& s, int clarity) const {
    for (std::size_t k = 0; k < network_.parts.size(); ++k) {
      if (!network_.parts[k].is_diode()) continue;
      const Int drop = s.drops[k] - fixed(network_.parts[k].value, kValue) * s.denominator;
      const bool moves = mode[k] ? s.flows[k] < 0 : drop > 0;
      if (!moves) continue;
      const int much = mode[k] ? magnitude(s.flows[k], s.denominator) - kValue - kConductance
                               : magnitude(drop, s.denominator) - kValue;
      if (much > clarity) return Enabled{k, much};
    }
    return std::nullopt;
  }

  static bool is_finite(const Solution& s) {
    for (std::size_t k = 0; k < s.drops.size(); ++k) {
      if (magnitude(s.drops[k], s.denominator) > kValue + kDelta / 2) return false;
      if (magnitude(s.flows[k], s.denominator) > kValue + kConductance + kDelta / 2) return false;
    }
    return true;
  }

  Solution solve(const Mode& mode) const;

  // From any mode to the one that no guard leaves.
  Mode pivot(Mode mode) const {
    for (int round = 0; round < 100000; ++round) {
      const auto enabled = first_enabled(mode, solve(mode), -1000000);
      if (!enabled) return mode;
      mode[enabled->part] = !mode[enabled->part];
    }
    throw std::logic_error("least-index pivoting does not end");
  }

  // Every mode that no guard leaves, among all there are.
  std::vector<Mode> search() const {
    std::vector<std::size_t> diodes;
    for (std::size_t k = 0; k < network_.parts.size(); ++k) {
      if (network_.parts[k].is_diode()) diodes.push_back(k);
    }
    std::vector<Mode> out;
    for (uint32_t bits = 0; bits < (1u << diodes.size()); ++bits) {
      Mode mode(network_.parts.size(), false);
      for (std::size_t i = 0; i < diodes.size(); ++i) mode[diodes[i]] = (bits >> i & 1) != 0;
      if (!first_enabled(mode, solve(mode), -1000000)) out.push_back(mode);
    }
    return out;
  }

  // Takes the step. True if something has jumped.
  bool commit(const Solution& s) {
    bool jumped = false;
    for (std::size_t k = 0; k < network_.parts.size(); ++k) {
      const Part& part = network_.parts[k];
      if (!part.is_store()) continue;
      const Int change = part.kind == Part::Kind::Inductor
                             ? Int(s.drops[k] / (s.denominator << step_))
                             : Int(s.flows[k] / (s.denominator << (step_ + kConductance)));
      stored_[k] += change;
      if (abs(change) > (Int(1) << (kValue - step_ / 2))) jumped = true;
    }
    return jumped;
  }
  double stored(std::size_t k) const { return quotient(stored_[k], 1, kValue); }

 private:
  // Nodes that ideal sources join have one unknown potential, and each a distance from it.
  void find_groups() {
    root_.resize(static_cast<std::size_t>(network_.nodes) + 1);
    offset_.resize(root_.size());
    for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = i;
    for (const Part& part : network_.parts) {
      if (part.kind != Part::Kind::Voltage || !part.is_ideal()) continue;
      const auto a = static_cast<std::size_t>(part.a), b = static_cast<std::size_t>(part.b);
      const std::size_t from = std::max(root_[a], root_[b]), to = std::min(root_[a], root_[b]);
      // a − b = value; the group of the larger root moves.
      Int shift = offset_[b] + fixed(part.value, kValue) - offset_[a];
      if (root_[a] != from) shift = -shift;
      for (std::size_t i = 0; i < root_.size(); ++i) {
        if (root_[i] != from) continue;
        root_[i] = to;
        offset_[i] += shift;
      }
    }
    unknown_.assign(root_.size(), -1);
    for (std::size_t i = 1; i < root_.size(); ++i) {
      if (root_[i] == i) unknown_[i] = size_++;
    }
  }

  // Current from a to b: conductance · drop + source, the latter over both fixed points.
  struct Branch {
    Int conductance, source;
  };
  Branch branch(std::size_t k, bool on) const;

  const Network& network_;
  const int step_;
  std::vector<Int> stored_;  // value of a source, or what is stored now
  std::vector<std::size_t> root_;
  std::vector<Int> offset_;
  std::vector<int> unknown_;  // by root
  int size_ = 0;
};

inline Solver::Branch Solver::branch(std::size_t k, bool on) const {
  const Part& part = network_.parts[k];
  const auto power = [](int bits) { return Int(1) << (kConductance + bits); };
  Branch out;
  switch (part.kind) {
    case Part::Kind::Resistor:
      out.conductance = power(-part.power);
      break;
    case Part::Kind::Voltage:
      if (part.is_ideal()) return out;
      out.conductance = power(-part.power);
      out.source = -out.conductance * stored_[k];
      break;
    case Part::Kind::Current:
      out.source = stored_[k] << kConductance;
      break;
    case Part::Kind::Inductor:  // i = p / L + ε / L · drop
      out.conductance = power(-step_ - part.power);
      out.source = stored_[k] * power(-part.power);
      break;
    case Part::Kind::Capacitor:  // drop = q / C + ε / C · i
      out.conductance = power(step_ + part.power);
      out.source = -(stored_[k] * power(step_));
      break;
    case Part::Kind::Diode:
      out.conductance = !on ? power(-kDelta) : part.is_ideal() ? power(kDelta) : power(-part.power);
      out.source = -out.conductance * stored_[k];
      break;
  }
  return out;
}

// Kirchhoff's current law at every unknown potential, eliminated without fractions (Bareiss): each
// entry is a minor of the matrix, which is positive definite.
inline Solution Solver::solve(const Mode& mode) const {
  const auto n = static_cast<std::size_t>(size_);
  std::vector<std::vector<Int>> a(n, std::vector<Int>(n + 1));
  std::vector<Branch> branches;
  for (std::size_t k = 0; k < network_.parts.size(); ++k) {
    branches.push_back(branch(k, mode[k]));
    const auto from = static_cast<std::size_t>(network_.parts[k].a);
    const auto to = static_cast<std::size_t>(network_.parts[k].b);
    const Int known = branches[k].conductance * (offset_[from] - offset_[to]) + branches[k].source;
    const int i = unknown_[root_[from]], j = unknown_[root_[to]];
    if (i == j) continue;  // within a group, what leaves also arrives
    const auto add = [&](int row, int other, int sign) {
      if (row < 0) return;
      std::vector<Int>& line = a[static_cast<std::size_t>(row)];
      line[static_cast<std::size_t>(row)] += branches[k].conductance;
      if (other >= 0) line[static_cast<std::size_t>(other)] -= branches[k].conductance;
      line[n] -= sign * known;
    };
    add(i, j, 1);
    add(j, i, -1);
  }
  Int before = 1;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= n; ++j) {
        a[i][j] = (a[k][k] * a[i][j] - a[i][k] * a[k][j]) / before;
      }
    }
    before = a[k][k];
  }
  Solution out;
  out.denominator = n == 0 ? Int(1) : a[n - 1][n - 1];
  std::vector<Int> x(n);  // times the denominator; a conductance less in its fixed point
  for (std::size_t i = n; i-- > 0;) {
    Int sum = a[i][n] * out.denominator;
    for (std::size_t j = i + 1; j < n; ++j) sum -= a[i][j] * x[j];
    x[i] = sum / a[i][i];
  }
  for (std::size_t i = 0; i < root_.size(); ++i) {
    const int u = unknown_[root_[i]];
    const Int base = u < 0 ? Int(0) : x[static_cast<std::size_t>(u)];
    out.potentials.push_back(base + offset_[i] * out.denominator);
  }
  for (std::size_t k = 0; k < network_.parts.size(); ++k) {
    const Part& part = network_.parts[k];
    out.drops.push_back(out.potentials[static_cast<std::size_t>(part.a)] -
                        out.potentials[static_cast<std::size_t>(part.b)]);
    out.flows.push_back(branches[k].conductance * out.drops[k] +
                        branches[k].source * out.denominator);
  }
  return out;
}

}  // namespace cradle::exact
