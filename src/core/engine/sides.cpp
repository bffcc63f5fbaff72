#include "core/engine/sides.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace cradle::engine {

OnSide::OnSide(const Runtime& runtime, int above) : state_(runtime.state) {
  for (std::size_t j = 0; j < state_.slides.size(); ++j) {
    const Slide& slide = state_.slides[j];
    const bool is_above = above == kAboveAll || static_cast<int>(j) == above;
    for (ComparisonId twin : runtime.system.comparisons()[slide.border].twins) {
      char& truth = state_.truth[at(twin)];
      truths_.emplace_back(at(twin), truth);
      truth = is_above != runtime.system.comparisons()[twin].opposite ? 1 : 0;
    }
    for (const Relay& relay : slide.relays) {
      const std::size_t a = at(relay.automaton);
      modes_.push_back({a, state_.mode[a], state_.arrival_mode[a]});
      state_.mode[a] = state_.arrival_mode[a] = is_above ? relay.above : relay.below;
    }
  }
}

OnSide::~OnSide() {
  for (const auto& [comparison, truth] : truths_) state_.truth[comparison] = truth;
  for (const Mode& mode : modes_) {
    state_.mode[mode.automaton] = mode.mode;
    state_.arrival_mode[mode.automaton] = mode.arrival;
  }
}

double GapRates::speed(std::size_t border) const {
  return std::max(std::abs(q[border]), std::abs(q[border] + of(border, border)));
}

bool find_shares(const GapRates& rates, std::span<const std::size_t> borders,
                 std::vector<double>& shares) {
  if (borders.size() == 1) {
    const std::size_t j = borders[0];
    double rest = rates.q[j];
    for (std::size_t k = 0; k < rates.size(); ++k) {
      if (k != j) rest += rates.of(j, k) * shares[k];
    }
    shares[j] = -rest / rates.of(j, j);
    return std::isfinite(shares[j]);
  }
  const auto n = static_cast<Eigen::Index>(borders.size());
  Eigen::MatrixXd a(n, n);
  Eigen::VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t gap = borders[static_cast<std::size_t>(i)];
    b(i) = -rates.q[gap];
    for (std::size_t k = 0; k < rates.size(); ++k) {
      if (std::find(borders.begin(), borders.end(), k) == borders.end()) {
        b(i) -= rates.of(gap, k) * shares[k];
      }
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      a(i, k) = rates.of(gap, borders[static_cast<std::size_t>(k)]);
    }
    // Gaps are in units of their own.
    const double scale = a.row(i).cwiseAbs().maxCoeff();
    if (!(scale > 0)) return false;
    a.row(i) /= scale;
    b(i) /= scale;
  }
  Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
  lu.setThreshold(1e-10);
  if (!lu.isInvertible()) return false;
  const Eigen::VectorXd solution = lu.solve(b);
  for (Eigen::Index i = 0; i < n; ++i) {
    shares[borders[static_cast<std::size_t>(i)]] = solution(i);
  }
  return solution.allFinite();
}

namespace {

// Is this way consistent? What is on the edge between two ways counts for neither.
bool is_way(const GapRates& rates, const std::vector<Way>& way) {
  constexpr double edge = 1e-9;
  std::vector<std::size_t> along;
  std::vector<double> shares(rates.size(), 0.0);
  for (std::size_t j = 0; j < rates.size(); ++j) {
    if (way[j] == Way::Along) along.push_back(j);
    if (way[j] == Way::Above) shares[j] = 1;
  }
  if (!along.empty() && !find_shares(rates, along, shares)) return false;
  for (std::size_t j = 0; j < rates.size(); ++j) {
    if (way[j] == Way::Along) {
      if (!(shares[j] > edge && shares[j] < 1 - edge && rates.of(j, j) < 0)) return false;
      continue;
    }
    double speed = rates.q[j], size = std::abs(rates.q[j]);
    for (std::size_t k = 0; k < rates.size(); ++k) {
      speed += rates.of(j, k) * shares[k];
      size += std::abs(rates.of(j, k) * shares[k]);
    }
    if (way[j] == Way::Above ? speed < -edge * size : speed > edge * size) return false;
  }
  return true;
}

// Least index first, as modes are inferred (instant.hpp).
std::vector<std::vector<Way>> pivot(const GapRates& rates) {
  std::vector<Way> way(rates.size(), Way::Along);
  const std::size_t most = 64 * rates.size();
  for (std::size_t round = 0; round < most; ++round) {
    std::vector<std::size_t> along;
    std::vector<double> shares(rates.size(), 0.0);
    for (std::size_t j = 0; j < rates.size(); ++j) {
      if (way[j] == Way::Along) along.push_back(j);
      if (way[j] == Way::Above) shares[j] = 1;
    }
    if (!along.empty() && !find_shares(rates, along, shares)) return {};
    std::size_t wrong = 0;
    for (; wrong < rates.size(); ++wrong) {
      double speed = rates.q[wrong];
      for (std::size_t k = 0; k < rates.size(); ++k) speed += rates.of(wrong, k) * shares[k];
      Way& here = way[wrong];
      const Way before = here;
      if (before == Way::Along && shares[wrong] <= 0) here = Way::Below;
      if (before == Way::Along && shares[wrong] >= 1) here = Way::Above;
      if (before == Way::Below && speed > 0) here = Way::Along;
      if (before == Way::Above && speed < 0) here = Way::Along;
      if (here != before) break;
    }
    if (wrong == rates.size()) return {way};
  }
  return {};
}

std::vector<std::vector<Way>> try_all(const GapRates& rates) {
  std::vector<std::vector<Way>> out;
  std::vector<Way> way(rates.size(), Way::Below);
  for (;;) {
    if (is_way(rates, way)) out.push_back(way);
    std::size_t j = 0;
    while (j < way.size() && way[j] == Way::Above) way[j++] = Way::Below;
    if (j == way.size()) return out;
    way[j] = way[j] == Way::Below ? Way::Along : Way::Above;
  }
}

// Borders whose switches act on each other's gaps, with the first.
std::vector<std::size_t> component(const GapRates& rates, std::size_t first,
                                   std::vector<char>& seen) {
  std::vector<std::size_t> out{first};
  seen[first] = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const bool acts = rates.of(out[i], k) != 0 || rates.of(k, out[i]) != 0;
      if (acts && !std::exchange(seen[k], 1)) out.push_back(k);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<std::vector<Way>> find_ways(const GapRates& rates) {
  constexpr std::size_t few = 6;  // 3⁶ ways
  std::vector<std::vector<Way>> out(1, std::vector<Way>(rates.size(), Way::Below));
  std::vector<char> seen(rates.size(), 0);
  for (std::size_t first = 0; first < rates.size() && !out.empty(); ++first) {
    if (seen[first]) continue;
    const std::vector<std::size_t> part = component(rates, first, seen);
    GapRates own;
    own.resize(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      own.q[i] = rates.q[part[i]];
      for (std::size_t k = 0; k < part.size(); ++k) own.of(i, k) = rates.of(part[i], part[k]);
    }
    const auto ways = part.size() <= few ? try_all(own) : pivot(own);
    std::vector<std::vector<Way>> combined;
    for (const std::vector<Way>& before : out) {
      for (const std::vector<Way>& way : ways) {
        combined.push_back(before);
        for (std::size_t i = 0; i < part.size(); ++i) combined.back()[part[i]] = way[i];
      }
    }
    out = std::move(combined);
  }
  return out;
}

}  // namespace cradle::engine
