#pragma once
// Programs written by hand for one case each: the same mathematics as the model, with no model in
// between. Each returns how often something happened.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

namespace by_hand {

// A point in (0, h], to the last bit, at which `has_happened` becomes true.
template <class Condition>
double bisect(double h, Condition has_happened) {
  double low = 0, high = h;
  for (;;) {
    const double middle = (low + high) / 2;
    if (!(middle > low && middle < high) || high - low < 1e-16) return high;
    (has_happened(middle) ? high : low) = middle;
  }
}

// models/mechanics/bouncing_ball.cradle: Runge–Kutta of order 4 with a fixed step, both components
// through all four stages as one writes it for any right-hand side, the bounce found by bisection
// on the step to the last bit.
inline int64_t bouncing_ball(double height, double restitution, double g, double until) {
  struct State {
    double x, v;
  };
  const auto rate = [g](const State& s) { return State{s.v, -g}; };
  const auto step = [&rate](const State& s, double h) {
    const State k1 = rate(s);
    const State k2 = rate({s.x + h / 2 * k1.x, s.v + h / 2 * k1.v});
    const State k3 = rate({s.x + h / 2 * k2.x, s.v + h / 2 * k2.v});
    const State k4 = rate({s.x + h * k3.x, s.v + h * k3.v});
    return State{s.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x),
                 s.v + h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v)};
  };
  constexpr double h = 0.05;
  State s{height, 0};
  int64_t bounces = 0;
  for (double t = 0; t < until;) {
    const State next = step(s, h);
    if (next.x >= 0 || next.v >= 0) {
      s = next;
      t += h;
      continue;
    }
    const double dt = bisect(h, [&](double at) { return step(s, at).x < 0; });
    s = step(s, dt);
    t += dt;
    s.v = -restitution * s.v;
    ++bounces;
  }
  return bounces;
}

// models/mechanics/balls.cradle with equal masses: the times at which neighbours meet, in a queue.
class Balls {
 public:
  Balls(int n, double restitution, double approach) : restitution_(restitution) {
    for (int i = 0; i < n; ++i) balls_.push_back({i == 0 ? 0.0 : approach, i == 0 ? 1.0 : 0.0, 0});
    versions_.assign(balls_.size(), 0);
    for (std::size_t i = 0; i + 1 < balls_.size(); ++i) predict(i, 0);
  }

  int64_t run(double until) {
    int64_t collisions = 0;
    while (!queue_.empty() && queue_.top().t <= until) {
      const Meeting next = queue_.top();
      queue_.pop();
      if (versions_[next.pair] != next.version) continue;
      collide(next.pair, next.t);
      ++collisions;
    }
    return collisions;
  }
  double speed(std::size_t i) const { return balls_[i].v; }

 private:
  struct Ball {
    double x, v, t;  // x at t
  };
  struct Meeting {
    double t;
    std::size_t pair;
    uint64_t version;
    bool operator>(const Meeting& o) const { return t != o.t ? t > o.t : pair > o.pair; }
  };

  double at(std::size_t i, double t) const { return balls_[i].x + balls_[i].v * (t - balls_[i].t); }

  void predict(std::size_t pair, double now) {
    ++versions_[pair];
    const double closing = balls_[pair].v - balls_[pair + 1].v;
    if (!(closing > 0)) return;
    const double gap = std::max(at(pair + 1, now) - at(pair, now), 0.0);
    queue_.push({now + gap / closing, pair, versions_[pair]});
  }

  void collide(std::size_t pair, double t) {
    Ball &a = balls_[pair], &b = balls_[pair + 1];
    const double x = at(pair, t), mean = (a.v + b.v) / 2, half = restitution_ * (a.v - b.v) / 2;
    a = {x, mean - half, t};
    b = {x, mean + half, t};
    predict(pair, t);
    if (pair > 0) predict(pair - 1, t);
    if (pair + 2 < balls_.size()) predict(pair + 1, t);
  }

  double restitution_;
  std::vector<Ball> balls_;
  std::vector<uint64_t> versions_;  // by pair
  std::priority_queue<Meeting, std::vector<Meeting>, std::greater<>> queue_;
};

// models/circuits/diode_ladder.cradle: the same cascade. Unknowns are, in this order, the current
// into and the voltage of each node, i₁ v₁ i₂ v₂ …; the equations are tridiagonal, and elimination
// from the far end meets no zero pivot.
//
//   diode on:   v(k−1) − v(k) = v_on        off:  i(k) = 0
//   node:       i(k) − v(k) / r − i(k+1) = 0
class DiodeLadder {
 public:
  explicit DiodeLadder(int n) : on_(static_cast<std::size_t>(n)), i_(on_.size()), v_(on_.size()) {}

  int64_t run(int steps) { return run(steps, 2 * steps); }
  // As far as this tick: after as many as there are steps all conduct.
  int64_t run(int steps, int last_tick) {
    int64_t microsteps = 0;
    for (int tick = 0; tick <= last_tick; ++tick) {
      const int level = std::max(std::min(tick, 2 * steps - tick), 0);
      const double source =
          v_on * (std::floor(static_cast<double>(on_.size()) * level / steps) + 0.5);
      do {
        solve(source);
        ++microsteps;
      } while (move(source));
    }
    return microsteps;
  }
  double source_current() const { return i_[0]; }

 private:
  static constexpr double v_on = 0.6, r = 1;

  // i(k) = slope · v(k−1) + offset, from what lies behind; then the values, from the source on.
  void solve(double source) {
    const std::size_t n = on_.size();
    slope_.assign(n + 1, 0);
    offset_.assign(n + 1, 0);
    for (std::size_t k = n; k-- > 0;) {
      if (!on_[k]) continue;
      const double conductance = 1 / r + slope_[k + 1];
      slope_[k] = conductance;
      offset_[k] = offset_[k + 1] - conductance * v_on;
    }
    double before = source;
    for (std::size_t k = 0; k < n; ++k) {
      i_[k] = slope_[k] * before + offset_[k];
      v_[k] = (i_[k] - offset_[k + 1]) / (1 / r + slope_[k + 1]);
      before = v_[k];
    }
  }

  bool move(double source) {
    bool moved = false;
    double before = source;
    for (std::size_t k = 0; k < on_.size(); ++k) {
      const bool switches = on_[k] ? i_[k] < 0 : before - v_[k] > v_on;
      if (switches) on_[k] = !on_[k];
      moved |= switches;
      before = v_[k];
    }
    return moved;
  }

  std::vector<char> on_;
  std::vector<double> i_, v_, slope_, offset_;
};

// models/circuits/buck.cradle: Runge–Kutta of order 4 with a fixed number of steps in each period,
// switching found by bisection on the step.
class Buck {
 public:
  struct State {
    double i = 0, v = 0, error = 0, charge = 0;  // error: its integral
  };

  int64_t run(double until) {
    int64_t switched = 0;
    const auto periods = static_cast<int>(std::lround(until * frequency));
    for (int k = 0; k < periods; ++k) {
      const double start = k / frequency, end = (k + 1) / frequency;
      switched += set_closed(duty(s_, start) > 0);
      for (double t = start; t < end;) {
        const double h = std::min(1 / (frequency * kSteps), end - t);
        const auto switches = [&](double dt) {
          const State next = step(t, s_, dt);
          const bool below = (t + dt - start) * frequency < duty(next, t + dt);
          return below != closed_ || (diode_ && next.i < 0);
        };
        const bool found = h > 1e-15 && switches(h);
        const double dt = found ? bisect(h, switches) : h;
        s_ = step(t, s_, dt);
        t = dt == end - t ? end : t + dt;
        if (!found) continue;
        if (diode_ && s_.i < 0) {
          s_.i = 0;
          diode_ = false;
          ++switched;
        } else {
          switched += set_closed(!closed_);
        }
      }
    }
    return switched;
  }
  const State& state() const { return s_; }

 private:
  static constexpr double V = 12, v_ref = 5, L = 100e-6, C = 100e-6, R = 2, frequency = 100e3,
                          r_switch = 0.02, v_diode = 0.4, r_diode = 0.02, k_p = 0.02, k_i = 150,
                          duty_max = 0.95, t_soft = 2e-3;
  static constexpr int kSteps = 20;

  static double error(const State& s, double t) { return v_ref * std::min(t / t_soft, 1.0) - s.v; }
  static double duty(const State& s, double t) {
    return std::min(std::max(k_p * error(s, t) + k_i * s.error, 0.0), duty_max);
  }

  // The diode follows at the same instant. Gives 1 if anything changes.
  int set_closed(bool closed) {
    const bool changes = closed != closed_;
    closed_ = closed;
    diode_ = !closed && s_.i > 0;
    return changes ? 1 : 0;
  }

  State rate(double t, const State& s) const {
    double across = 0;
    if (closed_) across = V - r_switch * s.i - s.v;
    if (diode_) across = -v_diode - r_diode * s.i - s.v;
    return {across / L, (s.i - s.v / R) / C, error(s, t), s.v};
  }

  State step(double t, const State& s, double h) const {
    const auto along = [&s](const State& k, double by) {
      return State{s.i + by * k.i, s.v + by * k.v, s.error + by * k.error,
                   s.charge + by * k.charge};
    };
    const State a = rate(t, s), b = rate(t + h / 2, along(a, h / 2)),
                c = rate(t + h / 2, along(b, h / 2)), d = rate(t + h, along(c, h));
    const auto mean = [](double a, double b, double c, double d) {
      return (a + 2 * b + 2 * c + d) / 6;
    };
    return along(
        {mean(a.i, b.i, c.i, d.i), mean(a.v, b.v, c.v, d.v),
         mean(a.error, b.error, c.error, d.error), mean(a.charge, b.charge, c.charge, d.charge)},
        h);
  }

  State s_;
  bool closed_ = false, diode_ = false;
};

}  // namespace by_hand
