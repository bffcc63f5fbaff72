// Isolation of changes of truth, with proof:
//
//   seek on (a, b]:
//     x ← a;  while x < b:
//       [x, y] ← the next piece
//       g on it ← Σ_{k<n} c_k u^k + w_n u^n         (jet.hpp), p the polynomial, E its error
//       nowhere new by more than E:                   x ← y, and the next piece may be longer
//       w_1, the slope, of one sign:                  at most one change, and g(y) tells
//       p is right up to rounding:                    the first root of p in Bernstein form
//       a few ulps:                                   g(y) tells
//       otherwise:                                    halve
//     where there is a change, it is located between adjacent doubles
//
// Polynomials in Bernstein form: no change of sign among the coefficients proves that there is no
// root, exactly one proves exactly one (Descartes); otherwise de Casteljau's scheme halves them.

#include "core/solve/crossing.hpp"

#include <algorithm>
#include <array>

#include "core/solve/bernstein.hpp"
#include "core/solve/chebyshev_search.hpp"

namespace cradle::solve {
namespace {

constexpr int few_ulps = 8;
constexpr double infinity = Interval::infinity;
// Near t = 0 doubles are so dense that halving would go on for a thousand steps.
constexpr double shortest = 0x1p-200;

double ulp_of(double t) { return std::nextafter(std::abs(t), infinity) - std::abs(t); }

// What is known of g on one piece.
struct Piece {
  double low = 0, high = 0;
  Bernstein p;
  double noise = 0;           // what rounding makes of p, and of g
  double remainder = 0;       // of g − p beyond that; infinite: p says nothing
  bool is_monotonic = false;  // g is
  double time(double s) const { return std::clamp(low + s * (high - low), low, high); }
};

enum class Verdict { Old, New, Unclear };

class Search {
 public:
  Search(Gap& gap, bool strict, bool old_truth, double a, double b, Stride& stride)
      : gap_(gap), strict_(strict), old_truth_(old_truth), a_(a), b_(b), stride_(stride) {}
  // nullopt: there is no enclosure.
  std::optional<Sought> run();

 private:
  bool changed(double g) const { return holds(g, strict_) != old_truth_; }
  bool is_tiny(double low, double high) const;
  Verdict judge(const Interval& g) const;
  Verdict look_at(Piece& piece);
  void describe(Piece& piece, const Jet& middle, const Jet* whole) const;
  std::optional<double> change_in(const Piece& piece);
  std::optional<double> change_at_end(const Piece& piece);
  std::optional<double> refine(double low, double high, double guess);
  void close_in(double guess, double& low, double& high);

  Gap& gap_;
  const bool strict_, old_truth_;
  const double a_, b_;
  Stride& stride_;
  bool is_polynomial_ = true;  // as far as known: then one expansion says all
  bool has_enclosure_ = true;
};

bool Search::is_tiny(double low, double high) const {
  return high - low <= few_ulps * std::max(ulp_of(low), ulp_of(high)) || high - low <= shortest;
}

// By the values alone. What has no value makes every comparison false.
Verdict Search::judge(const Interval& g) const {
  const bool holds = !g.is_nowhere() && (strict_ ? g.low > 0 : g.low >= 0);
  const bool fails = g.is_nowhere() || (strict_ ? g.high <= 0 : g.high < 0);
  if (!holds && !fails) return Verdict::Unclear;
  return holds == old_truth_ ? Verdict::Old : Verdict::New;
}

// `whole`: null where the polynomial is all there is.
void Search::describe(Piece& piece, const Jet& middle, const Jet* whole) const {
  std::array<double, Jet::order + 1> power;
  const int degree = whole == nullptr ? middle.degree : std::min(middle.degree, Jet::order - 1);
  double size = 0;
  piece.noise = 0;
  for (int k = 0; k <= degree; ++k) {
    const Interval& c = middle.c[at(k)];
    power[at(k)] = c.middle();
    piece.noise += 0.5 * c.width();
    size += std::abs(power[at(k)]);
  }
  constexpr double conversion = 64 * 0x1p-52;  // into Bernstein form, and its halving
  piece.noise += conversion * size;
  piece.remainder = 0;
  if (whole != nullptr && whole->degree == Jet::order) {
    piece.remainder = whole->c[Jet::order].magnitude();
  }
  if (!(piece.noise + piece.remainder < infinity)) piece.noise = piece.remainder = infinity;
  if (piece.noise < infinity) piece.p = Bernstein::of(std::span(power).first(at(degree + 1)));
  if (whole == nullptr) return;
  piece.is_monotonic = whole->degree >= 1 && !whole->c[1].has_zero() && whole->c[1].is_finite();
}

// Old: nothing changes on the piece, by proof. New: it has changed at its beginning already.
Verdict Search::look_at(Piece& piece) {
  Jet middle, whole;
  bool has_whole = false;
  const auto expand_whole = [&] {
    has_enclosure_ = gap_.expand(piece.low, piece.high, Gap::Where::Whole, whole);
    has_whole = true;
    return has_enclosure_ ? judge(whole.c[0]) : Verdict::Unclear;
  };
  if (!is_polynomial_) {
    const Verdict verdict = expand_whole();
    if (verdict != Verdict::Unclear || !has_enclosure_) return verdict;
  }
  has_enclosure_ = gap_.expand(piece.low, piece.high, Gap::Where::Middle, middle);
  if (!has_enclosure_) return Verdict::Unclear;
  is_polynomial_ = middle.exact;
  if (!middle.exact && !has_whole) {
    const Verdict verdict = expand_whole();
    if (verdict != Verdict::Unclear) return verdict;
  }
  if (!middle.exact) {
    // The mean value theorem; also for kinks, where no higher coefficient is known.
    const Interval slope = whole.degree >= 1 ? whole.c[1] : Interval{};
    const Verdict verdict = judge(middle.c[0] + slope * Interval{-1, 1});
    if (verdict != Verdict::Unclear) return verdict;
  }
  describe(piece, middle, middle.exact ? nullptr : &whole);
  if (!(piece.remainder < infinity)) return Verdict::Unclear;
  const double error = piece.noise + piece.remainder;
  return judge({piece.p.least() - error, piece.p.largest() + error});
}

// The first change on a piece on which p is right up to rounding. Leftmost pieces first; what is
// not new by more than the error is a touch.
std::optional<double> Search::change_in(const Piece& piece) {
  constexpr int most_depth = 52;
  struct Part {
    Bernstein p;
    double begin, end;
    int depth;
  };
  const double error = piece.noise + piece.remainder;
  std::array<Part, most_depth + 2> waiting;
  int count = 0;
  waiting[at(count++)] = {old_truth_ ? piece.p : -piece.p, 0, 1, 0};
  while (count > 0) {
    const Part part = waiting[at(--count)];
    if (part.p.least() >= -error) continue;
    const bool is_new = part.p.last() < -error;
    const bool once = part.p.first() >= -error && part.p.sign_changes() <= 1;
    if ((is_new && once) || part.depth == most_depth || part.p.largest() < -error) {
      const double low = piece.time(part.begin), high = piece.time(part.end);
      if (!is_new) continue;
      const double root = part.p.sign_changes() == 1 ? part.p.root() : 0;
      if (auto found = refine(low, high, low + root * (high - low))) return found;
      continue;
    }
    Part left, right;
    part.p.halve(left.p, right.p);
    left.begin = part.begin;
    right.end = part.end;
    left.end = right.begin = 0.5 * (part.begin + part.end);
    left.depth = right.depth = part.depth + 1;
    waiting[at(count++)] = right;
    waiting[at(count++)] = left;
  }
  return std::nullopt;
}

// Where one change is possible at most, or none can be told apart.
std::optional<double> Search::change_at_end(const Piece& piece) {
  const double g = gap_(piece.high);
  if (!changed(g)) return std::nullopt;
  Jet at_end;
  gap_.expand(piece.high, piece.high, Gap::Where::Whole, at_end);
  if (judge(at_end.c[0]) != Verdict::New) return std::nullopt;
  double guess = 0.5 * (piece.low + piece.high);
  if (piece.remainder < infinity && piece.p.sign_changes() == 1) {
    guess = piece.time(piece.p.root());
  }
  return refine(piece.low, piece.high, guess);
}

// The change in (low, high], to adjacent doubles.
std::optional<double> Search::refine(double low, double high, double guess) {
  if (!changed(gap_(high))) return std::nullopt;  // rounding after all
  // The change lies where two pieces meet.
  if (low > a_ && changed(gap_(low))) return low;
  close_in(guess, low, high);
  while (high - low > shortest) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    (changed(gap_(middle)) ? high : low) = middle;
  }
  // What changes with the first moment does so at one time, whoever finds it.
  const double first = std::max(std::nextafter(a_, infinity), a_ + shortest);
  return high < first && first <= b_ && changed(gap_(first)) ? first : high;
}

// Shrinks the bracket around a guess that is most likely right to a few ulps, in growing strides
// away from it, so that a bad guess costs little more than bisection.
void Search::close_in(double guess, double& low, double& high) {
  double stride = std::max(ulp_of(guess), std::ldexp(high - low, -60));
  double at = std::clamp(guess, std::min(low + stride, high), std::max(high - stride, low));
  if (!(at > low && at < high)) return;
  const bool right_of_change = changed(gap_(at));
  for (int k = 0; k < 20; ++k, stride *= 8) {
    (right_of_change ? high : low) = at;
    at = right_of_change ? at - stride : at + stride;
    if (!(at > low && at < high)) return;
    if (changed(gap_(at)) != right_of_change) {
      (right_of_change ? low : high) = at;
      return;
    }
  }
}

std::optional<Sought> Search::run() {
  double x = a_;
  double width = stride_.width > 0 ? stride_.width : b_ - a_;
  for (int64_t count = 0; x < b_; ++count) {
    if (count >= stride_.pieces) break;
    Piece piece;
    piece.low = x;
    piece.high = b_ - x <= 1.25 * width ? b_ : std::max(x + width, std::nextafter(x, infinity));
    const Verdict verdict = look_at(piece);
    if (!has_enclosure_) return std::nullopt;
    if (verdict == Verdict::New) {
      // On arrival, or where the last piece was left within rounding.
      stride_.width = std::min(width, b_ - a_);
      if (x > a_ && changed(gap_(x))) return Sought{x, x};
      return Sought{std::max(std::nextafter(x, infinity), x + shortest), x};
    }
    const bool tiny = is_tiny(piece.low, piece.high);
    if (verdict != Verdict::Old) {
      std::optional<double> found;
      if (piece.remainder <= piece.noise && piece.noise < infinity) {
        found = change_in(piece);
      } else if (piece.is_monotonic || tiny) {
        found = change_at_end(piece);
      } else {
        width = 0.5 * (piece.high - piece.low);
        continue;
      }
      stride_.width = std::min(width, b_ - a_);
      if (found) return Sought{found, x};
    }
    width *= 2;
    x = piece.high;
  }
  stride_.width = std::min(width, b_ - a_);
  return Sought{std::nullopt, x};
}

}  // namespace

Sought seek(Gap& gap, bool strict, bool truth_at_a, double a, double b, Stride& stride) {
  if (!(a < b)) return {std::nullopt, a};
  if (auto sought = Search(gap, strict, truth_at_a, a, b, stride).run()) return *sought;
  return {change_by_sampling(gap, strict, truth_at_a, a, b), b};
}

std::optional<double> first_change(Gap& gap, bool strict, bool truth_at_a, double a, double b,
                                   int64_t pieces) {
  Stride stride{0, pieces};
  const Sought sought = seek(gap, strict, truth_at_a, a, b, stride);
  if (!sought.change && sought.clear_to < b) throw OscillatesTooFast{sought.clear_to, stride.width};
  return sought.change;
}

bool is_clearly_other(Gap& gap, bool strict, bool truth, double t) {
  if (holds(gap(t), strict) == truth) return false;
  // Also of the last digits of t.
  Jet here;
  if (!gap.expand(t - few_ulps * ulp_of(t), t, Gap::Where::Whole, here)) return true;
  // Where the enclosure says the opposite of the value, one of them is wrong, which is worse.
  const Interval& g = here.c[0];
  const bool holds_surely = strict ? g.low > 0 : g.low >= 0;
  const bool fails_surely = g.is_nowhere() || (strict ? g.high <= 0 : g.high < 0);
  return holds_surely || fails_surely;
}

}  // namespace cradle::solve
