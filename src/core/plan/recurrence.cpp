#include "core/plan/recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

constexpr int kMostExponent = 8;  // of a power that is written out
// Of u: far below the order of the series, so that its last coefficients tell what is left out.
constexpr int kMostPolynomial = 8;
constexpr int kLeast = 6;  // terms of a series that does not end

struct NotLinear {};

// For instructions that read registers alone.
struct NoLeaves {
  static double leaf(Op, int32_t, int32_t) { return 0; }
  static bool truth(int32_t) { return false; }
};

bool is_entire_function(Op op) {
  return op == Op::Exp || op == Op::Sin || op == Op::Cos || op == Op::Sinh || op == Op::Cosh;
}

}  // namespace

// What each register is, in the order in which they are written.
class Recurrence::Reader {
 public:
  Reader(const ModeCode& code, std::span<const int> components)
      : code_(code), what_(at(code.registers)) {
    out_.components_.assign(components.begin(), components.end());
    out_.compiled_ = code.compiled;
  }

  Recurrence read() {
    for (std::size_t i = 0; i < code_.list.size(); ++i) {
      const Instruction& in = code_.list[i];
      if (i < code_.frozen) {
        what_[at(in.target)].kind = Kind::Fixed;
      } else if (i < code_.inputs) {
        load(in);
      } else {
        what_[at(in.target)] = compute(in);
      }
    }
    for (int32_t r : code_.results) {
      as_row(r);
      out_.results_.push_back(r);
    }
    out_.row_.assign(what_.size() + 2, 0);
    out_.coefficients_.resize(out_.timed_.size());
    return std::move(out_);
  }

 private:
  enum class Kind { Fixed, Timed, Linear };
  struct What {
    Kind kind = Kind::Fixed;
    int degree = 0;       // Timed: as a polynomial
    bool entire = false;  // Timed: it is none
    int32_t timed = 0;    // Timed: its place
    bool in_row = false;  // it is read by what is linear
  };

  void load(const Instruction& in) {
    What& what = what_[at(in.target)];
    if (in.op == Op::Time) {
      what = add({Timed::Kind::Time}, 1, false);
      return;
    }
    what.kind = Kind::Linear;
    out_.states_.push_back({in.target, out_.components_[at(in.b)]});
  }

  What add(const Timed& timed, int degree, bool entire) {
    if (degree > kMostPolynomial) throw NotLinear{};
    out_.timed_.push_back(timed);
    What what;
    what.kind = Kind::Timed;
    what.degree = degree;
    what.entire = entire;
    what.timed = static_cast<int32_t>(out_.timed_.size()) - 1;
    return what;
  }
  // Of another register that has the same value.
  static What same_as(What what) {
    what.in_row = false;
    return what;
  }
  const What& of(int32_t r) const { return what_[at(r)]; }
  int32_t operand(int32_t r) const { return of(r).kind == Kind::Timed ? of(r).timed : -1 - r; }

  // It is an addend of what is linear.
  void as_row(int32_t r) {
    What& what = what_[at(r)];
    if (std::exchange(what.in_row, true) || what.kind == Kind::Linear) return;
    if (what.kind == Kind::Fixed) {
      out_.addends_.push_back(r);
    } else {
      out_.roots_.push_back({r, what.timed});
      out_.degree_ = std::max(out_.degree_, what.degree);
      out_.entire_ |= what.entire;
    }
  }
  What linear(Linear::Kind kind, const Instruction& in, int32_t a, int32_t b = -1, int32_t c = -1) {
    out_.linear_.push_back({kind, in.target, a, b, c});
    What what;
    what.kind = Kind::Linear;
    return what;
  }

  What compute(const Instruction& in) {
    Kind kind = Kind::Fixed;
    for (int32_t r : {in.a, in.b, in.c}) {
      if (r >= 0) kind = std::max(kind, of(r).kind);
    }
    if (kind == Kind::Fixed) {
      out_.fixed_.push_back(in);
      return {};
    }
    return kind == Kind::Timed ? timed(in) : linear(in);
  }

  What sum(Timed::Kind kind, int32_t a, int32_t b) {
    return add({kind, Op::Add, operand(a), operand(b)}, std::max(of(a).degree, of(b).degree),
               of(a).entire || of(b).entire);
  }
  What product(int32_t a, int32_t b) {
    return add({Timed::Kind::Product, Op::Mul, operand(a), operand(b)}, of(a).degree + of(b).degree,
               of(a).entire || of(b).entire);
  }

  What timed(const Instruction& in) {
    switch (in.what) {
      case Do::Add:
        return sum(Timed::Kind::Sum, in.a, in.b);
      case Do::Sub:
        return sum(Timed::Kind::Difference, in.a, in.b);
      case Do::Mul:
        return product(in.a, in.b);
      case Do::MultiplyAdd: {
        const What times = product(in.a, in.b);
        return add({Timed::Kind::Sum, Op::Add, operand(in.c), times.timed},
                   std::max(of(in.c).degree, times.degree), of(in.c).entire || times.entire);
      }
      case Do::Div:
        if (of(in.b).kind != Kind::Fixed) throw NotLinear{};
        return add({Timed::Kind::Divided, Op::Div, operand(in.a), operand(in.b)}, of(in.a).degree,
                   of(in.a).entire);
      case Do::Select:
        if (of(in.a).kind != Kind::Fixed) throw NotLinear{};
        return add({Timed::Kind::Choice, Op::If, operand(in.a), operand(in.b), operand(in.c)},
                   std::max(of(in.b).degree, of(in.c).degree), of(in.b).entire || of(in.c).entire);
      case Do::Apply1:
        return function(in);
      case Do::Apply2:
        return power(in);
      default:
        throw NotLinear{};
    }
  }

  What function(const Instruction& in) {
    const What& a = of(in.a);
    if (in.op == Op::Neg) return add({Timed::Kind::Negative, in.op, a.timed}, a.degree, a.entire);
    if (in.op == Op::FiniteOf) return same_as(a);
    if (!is_entire_function(in.op) || a.entire || a.degree > 1) throw NotLinear{};
    return add({Timed::Kind::Function, in.op, a.timed}, 0, true);
  }

  // A small whole power is a product.
  What power(const Instruction& in) {
    if (in.op != Op::Pow || of(in.b).kind != Kind::Fixed) throw NotLinear{};
    const auto constants = std::span(code_.list).first(code_.constants);
    const auto exponent =
        std::find_if(constants.begin(), constants.end(),
                     [&](const Instruction& constant) { return constant.target == in.b; });
    if (exponent == constants.end()) throw NotLinear{};
    const double n = exponent->number();
    if (!(n >= 1 && n <= kMostExponent && n == std::floor(n))) throw NotLinear{};
    What out = same_as(of(in.a));
    for (int i = 1; i < static_cast<int>(n); ++i) {
      out = add({Timed::Kind::Product, Op::Mul, out.timed, of(in.a).timed},
                out.degree + of(in.a).degree, out.entire);
    }
    return out;
  }

  What linear(const Instruction& in) {
    using K = Linear::Kind;
    const auto is_fixed = [this](int32_t r) { return of(r).kind == Kind::Fixed; };
    switch (in.what) {
      case Do::Add:
      case Do::Sub:
        as_row(in.a);
        as_row(in.b);
        return linear(in.what == Do::Add ? K::Add : K::Sub, in, in.a, in.b);
      case Do::Mul:
      case Do::MultiplyAdd: {
        if (!is_fixed(in.a) && !is_fixed(in.b)) throw NotLinear{};
        const int32_t factor = is_fixed(in.a) ? in.a : in.b;
        const int32_t other = is_fixed(in.a) ? in.b : in.a;
        as_row(other);
        if (in.what == Do::Mul) return linear(K::Scale, in, factor, other);
        as_row(in.c);
        return linear(K::ScaleAdd, in, factor, other, in.c);
      }
      case Do::Div:
        if (!is_fixed(in.b)) throw NotLinear{};
        as_row(in.a);
        return linear(K::Divide, in, in.b, in.a);
      case Do::Select:
        if (!is_fixed(in.a)) throw NotLinear{};
        as_row(in.b);
        as_row(in.c);
        return linear(K::Choose, in, in.a, in.b, in.c);
      case Do::Apply1:
        if (in.op != Op::Neg && in.op != Op::FiniteOf) throw NotLinear{};
        return linear(in.op == Op::Neg ? K::Negate : K::Copy, in, in.a);
      default:
        throw NotLinear{};
    }
  }

  const ModeCode& code_;
  std::vector<What> what_;
  Recurrence out_;
};

std::optional<Recurrence> Recurrence::of(const ModeCode& rates, std::span<const int> components,
                                         Heat heat) {
  CRADLE_ASSERT(rates.exists(), "there is code");
  try {
    std::optional<Recurrence> out = Reader(rates, components).read();
    out->heat_ = heat;
    return out;
  } catch (const NotLinear&) {
    return std::nullopt;
  }
}

namespace {

// Σ_{j=0}^{k} a_j b_{k−j}.
double convolve(const double* a, const double* b, int k) {
  double sum = 0;
  for (int j = 0; j <= k; ++j) sum += a[j] * b[k - j];
  return sum;
}

// exp, sin and the like of a_0 + a_1 τ.
void expand_function(Op op, const double* a, int order, double* y, double* majorant) {
  const double slope = a[1], steep = std::abs(slope);
  double first = expr::apply(op, a[0]), next = 0, sign = 1;  // the function, and its derivative
  majorant[0] = 1;
  switch (op) {
    case Op::Exp:
      next = majorant[0] = first;
      break;
    case Op::Sin:
      next = std::cos(a[0]);
      sign = -1;
      break;
    case Op::Cos:
      next = -std::sin(a[0]);
      sign = -1;
      break;
    default:
      next = op == Op::Sinh ? std::cosh(a[0]) : std::sinh(a[0]);
      majorant[0] = std::cosh(a[0]);
      break;
  }
  y[0] = first;
  double scale = 1;
  for (int k = 1; k <= order; ++k) {
    scale *= slope / k;
    y[k] = scale * next;
    majorant[k] = majorant[k - 1] * steep / k;
    first = std::exchange(next, sign * first);
  }
}

// How far a series can be used, by its last coefficients. What has few at all ends there.
double reach_of(const double* majorant, int order) {
  int first = 0;
  while (first < order - 1 && majorant[first] == 0) ++first;
  double reach = HUGE_VAL;
  for (int k : {order - 1, order}) {
    if (majorant[k] == 0 || k == first) continue;
    reach = std::min(reach, std::pow(solve::Expansion::resolution * majorant[first] / majorant[k],
                                     1.0 / (k - first)));
  }
  return reach;
}

}  // namespace

const Recurrence::Coefficients& Recurrence::operand(int32_t index,
                                                    std::span<const double> registers,
                                                    Coefficients& constant) const {
  if (index >= 0) return coefficients_[at(index)];
  std::fill(std::begin(constant.c), std::end(constant.c), 0);
  std::fill(std::begin(constant.majorant), std::end(constant.majorant), 0);
  constant.c[0] = registers[at(-1 - index)];
  constant.majorant[0] = std::abs(constant.c[0]);
  return constant;
}

void Recurrence::expand_timed(std::span<const double> registers, double t, double unit, int order) {
  using K = Timed::Kind;
  Coefficients left, right;
  for (std::size_t i = 0; i < timed_.size(); ++i) {
    const Timed& timed = timed_[i];
    Coefficients& out = coefficients_[i];
    if (timed.kind == K::Time) {
      out = {};
      out.c[0] = t;
      out.c[1] = out.majorant[1] = unit;
      out.majorant[0] = std::abs(t);
      continue;
    }
    if (timed.kind == K::Choice) {
      out = operand(registers[at(-1 - timed.a)] != 0 ? timed.b : timed.c, registers, left);
      continue;
    }
    const Coefficients& a = operand(timed.a, registers, left);
    const bool has_other = timed.kind != K::Negative && timed.kind != K::Function;
    const Coefficients& b = has_other ? operand(timed.b, registers, right) : a;
    if (timed.kind == K::Function) {
      expand_function(timed.op, a.c, order, out.c, out.majorant);
      continue;
    }
    for (int k = 0; k <= order; ++k) {
      switch (timed.kind) {
        case K::Sum:
        case K::Difference:
          out.c[k] = timed.kind == K::Sum ? a.c[k] + b.c[k] : a.c[k] - b.c[k];
          out.majorant[k] = a.majorant[k] + b.majorant[k];
          break;
        case K::Negative:
          out.c[k] = -a.c[k];
          out.majorant[k] = a.majorant[k];
          break;
        case K::Divided:
          out.c[k] = a.c[k] / b.c[0];
          out.majorant[k] = a.majorant[k] / b.majorant[0];
          break;
        default:
          out.c[k] = convolve(a.c, b.c, k);
          out.majorant[k] = convolve(a.majorant, b.majorant, k);
          break;
      }
    }
  }
}

void Recurrence::run_linear(std::span<const double> registers) {
  using K = Linear::Kind;
  double* r = row_.data();
  const double* fixed = registers.data();
  for (const Linear& in : linear_) {
    switch (in.kind) {
      case K::Add:
        r[in.target] = r[in.a] + r[in.b];
        break;
      case K::Sub:
        r[in.target] = r[in.a] - r[in.b];
        break;
      case K::Negate:
        r[in.target] = -r[in.a];
        break;
      case K::Scale:
        r[in.target] = fixed[in.a] * r[in.b];
        break;
      case K::ScaleAdd:
        r[in.target] = r[in.c] + fixed[in.a] * r[in.b];
        break;
      case K::Divide:
        r[in.target] = r[in.b] / fixed[in.a];
        break;
      case K::Choose:
        r[in.target] = fixed[in.a] != 0 ? r[in.b] : r[in.c];
        break;
      case K::Copy:
        r[in.target] = r[in.a];
        break;
    }
  }
}

// One order, from the coefficients of the states to the next ones.
machine::Recipe Recurrence::recipe() const {
  using K = Linear::Kind;
  using machine::Step;
  constexpr int32_t kFixed = 0, kRow = 1, kNow = 2, kNext = 3;  // arrays
  machine::Recipe out;
  const auto count = static_cast<int32_t>(row_.size());
  for (int32_t r = 0; r < count; ++r) out.homes.push_back({kRow, r});
  for (int32_t r = 0; r < count - 2; ++r) out.homes.push_back({kFixed, r});
  for (const StateLoad& load : states_) out.homes[at(load.target)] = {kNow, load.component};
  const auto fixed = [count](int32_t r) { return count + r; };
  const auto add = [&](Op op, int32_t target, int32_t a, int32_t b = -1, int32_t c = -1) {
    out.steps.push_back({Step::Kind::Operator, op, target, a, b, c});
  };
  for (const Linear& in : linear_) {
    switch (in.kind) {
      case K::Add:
      case K::Sub:
        add(in.kind == K::Add ? Op::Add : Op::Sub, in.target, in.a, in.b);
        break;
      case K::Negate:
        add(Op::Neg, in.target, in.a);
        break;
      case K::Scale:
        add(Op::Mul, in.target, fixed(in.a), in.b);
        break;
      case K::ScaleAdd:
        out.steps.push_back({Step::Kind::MultiplyAdd, Op::Add, in.target, fixed(in.a), in.b, in.c});
        break;
      case K::Divide:
        add(Op::Div, in.target, in.b, fixed(in.a));
        break;
      case K::Choose:
        add(Op::If, in.target, fixed(in.a), in.b, in.c);
        break;
      case K::Copy:
        add(Op::FiniteOf, in.target, in.a);
        break;
    }
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const machine::Home home{kNext, static_cast<int32_t>(i)};
    const auto scaled = static_cast<int32_t>(out.homes.size());
    out.homes.insert(out.homes.end(), 2, home);
    add(Op::Mul, scaled, count - 2, results_[i]);
    add(Op::Div, scaled + 1, scaled, count - 1);
    out.results.push_back({scaled + 1, home});
  }
  return out;
}

const machine::Program* Recurrence::program() {
  if (program_ == nullptr && compiled_ && heat_.rises()) {
    program_ = compiled_->of_recurrence(components_, [this] { return recipe(); });
    compiled_ = nullptr;  // whoever runs the code keeps it
  }
  return program_;
}

solve::Expansion Recurrence::run(std::span<double> registers, double t, std::span<const double> x,
                                 double unit, int order, std::vector<double>& series) {
  CRADLE_ASSERT(order <= kMostOrder && x.size() == results_.size(), "a series of all states");
  NoLeaves none;
  execute<double>(fixed_, 0, fixed_.size(), none, registers.data(), Truths::Frozen);
  expand_timed(registers, t, unit, order);
  solve::Expansion out;
  const std::size_t n = x.size();
  series.resize(n);
  std::copy(x.begin(), x.end(), series.begin());
  for (int k = 0; k < order; ++k) {
    if (k < 2) {
      for (int32_t r : addends_) row_[at(r)] = k == 0 ? registers[at(r)] : 0;
    }
    for (const TimedLoad& root : roots_) row_[at(root.target)] = coefficients_[at(root.timed)].c[k];
    series.resize((at(k) + 2) * n);
    double* now = series.data() + at(k) * n;
    double* next = now + n;
    ++out.evaluations;
    if (const machine::Program* fast = program()) {
      row_[row_.size() - 2] = unit;
      row_[row_.size() - 1] = k + 1;
      fast->run(registers.data(), row_.data(), now, next);
    } else {
      for (const StateLoad& load : states_) row_[at(load.target)] = now[load.component];
      run_linear(registers);
      for (std::size_t i = 0; i < n; ++i) next[i] = unit * row_[at(results_[i])] / (k + 1);
    }
    const bool is_over = std::all_of(next, next + n, [](double c) { return c == 0; });
    // Whatever follows is made of this, and of what u has beyond its degree.
    if (is_over && !entire_ && k >= degree_) {
      series.resize((at(k) + 1) * n);
      out.is_polynomial = true;
      break;
    }
    if (k + 1 >= kLeast && is_negligible(series, n, k + 1)) break;
  }
  out.degree = static_cast<int>(series.size() / n) - 1;
  if (!out.is_polynomial) out.reach = reach_of_roots(out.degree);
  return out;
}

double Recurrence::reach_of_roots(int order) const {
  double out = HUGE_VAL;
  for (const TimedLoad& root : roots_) {
    out = std::min(out, reach_of(coefficients_[at(root.timed)].majorant, order));
  }
  return out;
}

solve::Reach Recurrence::reach(std::span<double> registers, double t, double unit, int order) {
  if (!entire_) return {HUGE_VAL, degree_ == 0};
  NoLeaves none;
  execute<double>(fixed_, 0, fixed_.size(), none, registers.data(), Truths::Frozen);
  expand_timed(registers, t, unit, order);
  return {reach_of_roots(order), false};
}

// The terms of this order and of the one before, within one unit.
bool Recurrence::is_negligible(const std::vector<double>& series, std::size_t n, int k) const {
  constexpr double resolution = 0.25 * solve::Expansion::resolution;
  const double* c = series.data();
  for (std::size_t i = 0; i < n; ++i) {
    const double last = std::max(std::abs(c[at(k) * n + i]), std::abs(c[at(k - 1) * n + i]));
    const double size = std::max({std::abs(c[i]), std::abs(c[n + i]), std::abs(c[2 * n + i])});
    if (last > resolution * size) return false;
  }
  return std::all_of(roots_.begin(), roots_.end(), [&](const TimedLoad& root) {
    return reach_of(coefficients_[at(root.timed)].majorant, k) >= 1;
  });
}

std::size_t Recurrence::bytes() const {
  return sizeof *this + fixed_.capacity() * sizeof(Instruction) +
         timed_.capacity() * sizeof(Timed) + linear_.capacity() * sizeof(Linear) +
         components_.capacity() * sizeof(int) + row_.capacity() * sizeof(double) +
         coefficients_.capacity() * sizeof(Coefficients);
}

}  // namespace cradle::plan
