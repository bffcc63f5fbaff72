#include "api/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace cradle::api {

namespace {

struct Named {
  const char* name;
  Reduction what;
  enum class Of { Column, Condition, Run } of;
};
constexpr std::array<Named, 15> kMeasures = {{
    {"initial", Reduction::Initial, Named::Of::Column},
    {"final", Reduction::Final, Named::Of::Column},
    {"peak", Reduction::Peak, Named::Of::Column},
    {"maximum", Reduction::Peak, Named::Of::Column},
    {"minimum", Reduction::Minimum, Named::Of::Column},
    {"range", Reduction::Range, Named::Of::Column},
    {"mean", Reduction::Mean, Named::Of::Column},
    {"rms", Reduction::Rms, Named::Of::Column},
    {"integral", Reduction::Integral, Named::Of::Column},
    {"first", Reduction::First, Named::Of::Condition},
    {"last", Reduction::Last, Named::Of::Condition},
    {"duration", Reduction::Duration, Named::Of::Condition},
    {"count", Reduction::Count, Named::Of::Condition},
    {"events", Reduction::Events, Named::Of::Run},
    {"first_event", Reduction::FirstEvent, Named::Of::Run},
}};

struct Function {
  const char* name;
  char op;
};
constexpr std::array<Function, 4> kFunctions = {
    {{"abs", 'a'}, {"sqrt", 's'}, {"exp", 'e'}, {"log", 'l'}}};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

// Recursive descent; every level goes one deeper, and there are at most kDeepest of them.
class MeasureParser {
 public:
  explicit MeasureParser(Measure& out) : out_(out), text_(out.text_) {}

  void parse() {
    sum();
    if (at_ < text_.size()) fail("there is more than one expression");
  }

 private:
  static constexpr int kDeepest = 100;

  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format("'{}': {} at '{}'", text_, why,
                                            at_ < text_.size() ? text_.substr(at_) : "end"));
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    blanks();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected {}", c));
  }
  void add(char op) { out_.steps_.push_back({op}); }

  void sum() {
    if (++depth_ > kDeepest) fail("this is nested too deeply");
    product();
    for (;;) {
      if (accept('+')) {
        product();
        add('+');
      } else if (accept('-')) {
        product();
        add('-');
      } else {
        break;
      }
    }
    --depth_;
  }
  void product() {
    factor();
    for (;;) {
      if (accept('*')) {
        factor();
        add('*');
      } else if (accept('/')) {
        factor();
        add('/');
      } else {
        return;
      }
    }
  }
  void factor() {  // −x² is −(x²)
    if (++depth_ > kDeepest) fail("this is nested too deeply");
    if (accept('-')) {
      factor();
      add('~');
    } else {
      atom();
      if (accept('^')) {
        factor();
        add('^');
      }
    }
    --depth_;
  }
  void atom() {
    blanks();
    if (accept('(')) {
      sum();
      expect(')');
    } else if (at_ < text_.size() && begins_name(text_[at_])) {
      named();
    } else {
      out_.steps_.push_back({'n', number()});
    }
  }
  double number() {
    blanks();
    double value = 0;
    const char* begin = text_.data() + at_;
    const bool negative = at_ < text_.size() && *begin == '-';
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value) || (negative && stop == begin + 1)) {
      fail("expected a number");
    }
    at_ = static_cast<std::size_t>(stop - text_.data());
    blanks();
    return value;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (begins_name(text_[at_]) || text_[at_] == '.' || text_[at_] == '[' ||
            text_[at_] == ']' || (text_[at_] >= '0' && text_[at_] <= '9'))) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  void named() {
    const std::size_t begin = at_;
    const std::string word = name();
    if (!accept('(')) {
      const auto& names = out_.parameters_;
      const auto known = std::find(names.begin(), names.end(), word);
      const auto index = static_cast<std::size_t>(known - names.begin());
      if (known == names.end()) out_.parameters_.push_back(word);
      out_.steps_.push_back({'p', 0, index});
      return;
    }
    for (const Function& function : kFunctions) {
      if (word != function.name) continue;
      sum();
      expect(')');
      add(function.op);
      return;
    }
    measure(word, begin);
  }
  void measure(const std::string& word, std::size_t begin) {
    const auto found = std::find_if(kMeasures.begin(), kMeasures.end(),
                                    [&](const Named& known) { return word == known.name; });
    if (found == kMeasures.end()) unknown(word, begin);
    Taken taken;
    taken.what = found->what;
    if (found->of != Named::Of::Run) argument(taken, found->of == Named::Of::Condition);
    if (found->of != Named::Of::Run && accept(',')) {
      taken.from = number();
      expect(',');
      taken.to = number();
      if (!(*taken.from < *taken.to)) fail("a window goes from an earlier to a later time");
    }
    expect(')');
    taken.text = trimmed(text_.substr(begin, at_ - begin));
    out_.steps_.push_back({'t', 0, out_.taken_.size()});
    out_.taken_.push_back(std::move(taken));
  }
  [[noreturn]] void unknown(const std::string& word, std::size_t begin) {
    at_ = begin;
    std::vector<std::string> names;
    names.reserve(std::size(kMeasures));
    for (const Named& known : kMeasures) names.emplace_back(known.name);
    for (const Function& known : kFunctions) names.emplace_back(known.name);
    const std::string near = suggest(word, names);
    std::string all;
    for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
    fail("there is no measure " + word +
         (near.empty() ? " (there are " + all + ")" : "; did you mean " + near + "?"));
  }
  // A column is whatever the run records under that name: also what `show` writes as an expression.
  void argument(Taken& taken, bool condition) {
    blanks();
    const std::size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(' || c == '[') ++depth;
      if (depth == 0 && (c == ')' || c == ',' || (condition && (c == '<' || c == '>')))) break;
      if (c == ')' || c == ']') --depth;
    }
    taken.column = trimmed(text_.substr(begin, at_ - begin));
    if (taken.column.empty()) {
      at_ = begin;
      fail("expected the name of a column");
    }
    taken.condition = condition;
    if (!condition || at_ >= text_.size() || (text_[at_] != '<' && text_[at_] != '>')) return;
    taken.above = text_[at_++] == '>';
    taken.strict = !(at_ < text_.size() && text_[at_] == '=');
    if (!taken.strict) ++at_;
    taken.threshold = number();
  }

  Measure& out_;
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Measure::Measure(const std::string& text) : text_(trimmed(text)) { MeasureParser(*this).parse(); }

double Measure::value(const std::vector<double>& taken,
                      const std::vector<double>& parameters) const {
  std::vector<double> stack;
  const auto pop = [&stack] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case 'n':
        stack.push_back(step.number);
        continue;
      case 't':
        stack.push_back(taken[step.index]);
        continue;
      case 'p':
        stack.push_back(parameters[step.index]);
        continue;
      case '~':
        stack.back() = -stack.back();
        continue;
      case 'a':
        stack.back() = std::abs(stack.back());
        continue;
      case 's':
        stack.back() = std::sqrt(stack.back());
        continue;
      case 'e':
        stack.back() = std::exp(stack.back());
        continue;
      case 'l':
        stack.back() = std::log(stack.back());
        continue;
      default:
        break;
    }
    const double right = pop(), left = pop();
    stack.push_back(step.op == '+'   ? left + right
                    : step.op == '-' ? left - right
                    : step.op == '*' ? left * right
                    : step.op == '/' ? left / right
                                     : std::pow(left, right));
  }
  return stack.back();
}

// ---- Polynomials on [−1, 1] ----

namespace {

constexpr std::size_t kMost = StretchView::kMostDegree + 1;

struct Polynomial {
  std::array<double, kMost> c = {};  // of powers of u
  std::size_t size = 0;

  double at(double u) const {
    double sum = 0;
    for (std::size_t k = size; k-- > 0;) sum = sum * u + c[k];
    return sum;
  }
  Polynomial slope() const {
    Polynomial out;
    for (std::size_t k = 1; k < size; ++k) out.c[k - 1] = static_cast<double>(k) * c[k];
    out.size = size > 0 ? size - 1 : 0;
    return out;
  }
};

// Of a Chebyshev series, by T(k+1) = 2u T(k) − T(k−1).
Polynomial powers_of(std::span<const double> series) {
  Polynomial out;
  out.size = std::min(series.size(), kMost);
  std::array<double, kMost> before = {}, now = {};
  before[0] = 1;
  now[1 % kMost] = 1;
  for (std::size_t k = 0; k < out.size; ++k) {
    const auto& term = k == 0 ? before : now;
    for (std::size_t i = 0; i < kMost; ++i) out.c[i] += series[k] * term[i];
    if (k == 0) continue;
    std::array<double, kMost> next = {};
    for (std::size_t i = 0; i < kMost; ++i) {
      next[i] = (i > 0 ? 2 * now[i - 1] : 0) - before[i];
    }
    before = now;
    now = next;
  }
  return out;
}

// Where it changes its sign strictly between a and b: between the turns of its slope it does so
// once at most.
void roots_of(const Polynomial& p, double a, double b, std::vector<double>& out) {
  if (p.size < 2) return;
  std::vector<double> places = {a};
  roots_of(p.slope(), a, b, places);
  places.push_back(b);
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    double low = places[i], high = places[i + 1];
    const double at_low = p.at(low);
    if (at_low == 0 && low > a) out.push_back(low);
    if (!((at_low < 0) != (p.at(high) < 0)) || at_low == 0 || p.at(high) == 0) continue;
    constexpr int kHalvings = 60;
    for (int k = 0; k < kHalvings && low < high; ++k) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      ((p.at(middle) < 0) == (at_low < 0) ? low : high) = middle;
    }
    out.push_back(high);
  }
}

// ∫ p and ∫ p² over [a, b].
double integral_of(const Polynomial& p, double a, double b) {
  double sum = 0, from = a, to = b;
  for (std::size_t k = 0; k < p.size; ++k, from *= a, to *= b) {
    sum += p.c[k] * (to - from) / static_cast<double>(k + 1);
  }
  return sum;
}
// Gauss–Legendre with nine nodes, which is exact up to degree 17.
double square_integral_of(const Polynomial& p, double a, double b) {
  constexpr std::array<double, 5> kNodes = {0.0, 0.3242534234038089, 0.6133714327005904,
                                            0.8360311073266358, 0.9681602395076261};
  constexpr std::array<double, 5> kWeights = {0.3302393550012598, 0.3123470770400029,
                                              0.2606106964029354, 0.1806481606948574,
                                              0.0812743883615744};
  const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
  double sum = 0;
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    const double up = p.at(middle + half * kNodes[i]), down = p.at(middle - half * kNodes[i]);
    sum += kWeights[i] * (i == 0 ? up * up : up * up + down * down);
  }
  return sum * half;
}

}  // namespace

// ---- One measure ----

class Meter::Gauge {
 public:
  explicit Gauge(Taken taken) : taken_(std::move(taken)) {}

  const Taken& taken() const { return taken_; }
  void find(const RowLayout& layout) {
    if (of_run()) return;
    const auto& names = layout.columns;
    const auto found = std::find(names.begin(), names.end(), taken_.column);
    if (found != names.end()) column_ = static_cast<std::size_t>(found - names.begin());
  }
  std::optional<std::size_t> column() const { return column_; }

  void event(double t) {
    if (events_++ == 0) first_event_ = t;
  }

  // The value at t: as time arrives there, and once more as it goes on from there.
  void point(double t, std::optional<double> value) {
    // Where it was only absent, it is so on arrival, too.
    if (value && has_pending_) unknown_ = pending_from_;
    has_pending_ = false;
    reached_ = t;
    if (!inside(t)) return;
    if (!value) {
      holding_ = false;
      return;
    }
    if (!std::isfinite(*value)) {
      unknown_ = t;
      return;
    }
    if (!any_) initial_ = *value;
    any_ = true;
    final_ = *value;
    high_ = std::max(high_, *value);
    low_ = std::min(low_, *value);
    if (taken_.condition) judge(t, *value);
  }

  // No curve: it was absent there, or nobody knows.
  void hole(double begin) {
    if (!overlaps(begin)) return;
    if (!has_pending_) pending_from_ = begin;
    has_pending_ = true;
  }

  void curve(double begin, double end, std::span<const double> series) {
    const double from = std::max(begin, taken_.from.value_or(begin));
    const double to = std::min(end, taken_.to.value_or(end));
    if (!(from < to)) return;
    const Polynomial p = powers_of(series);
    const auto u_of = [&](double t) { return (2 * t - begin - end) / (end - begin); };
    const double a = u_of(from), b = u_of(to), scale = 0.5 * (end - begin);
    const auto t_of = [&](double u) { return 0.5 * (begin + end) + scale * u; };
    length_ += to - from;
    integral_ += scale * integral_of(p, a, b);
    square_ += scale * square_integral_of(p, a, b);
    std::vector<double> turns = {a};
    if (p.size > 2) roots_of(p.slope(), a, b, turns);
    turns.push_back(b);
    for (double u : turns) {
      const double y = p.at(u);
      high_ = std::max(high_, y);
      low_ = std::min(low_, y);
    }
    if (!any_) initial_ = p.at(a);
    any_ = true;
    final_ = p.at(b);
    if (taken_.condition) judge_curve(p, a, b, t_of);
  }

  std::optional<double> value(std::string& why) const {
    switch (taken_.what) {
      case Reduction::Events:
        return static_cast<double>(events_);
      case Reduction::FirstEvent:
        return found(events_ > 0, first_event_, "there is no event", why);
      default:
        break;
    }
    if (unknown_) {
      why = fmt::format("{}: what {} is at {} is not known", taken_.text, taken_.column,
                        format_number(*unknown_));
      return std::nullopt;
    }
    if (taken_.to && reached_ < *taken_.to) {
      return found(false, 0, "the run ends at " + format_number(reached_), why);
    }
    if (!any_) return found(false, 0, taken_.column + " has no value there", why);
    switch (taken_.what) {
      case Reduction::Initial:
        return initial_;
      case Reduction::Final:
        return final_;
      case Reduction::Peak:
        return high_;
      case Reduction::Minimum:
        return low_;
      case Reduction::Range:
        return high_ - low_;
      case Reduction::Mean:
        return found(length_ > 0, integral_ / length_, "no time passes", why);
      case Reduction::Rms:
        return found(length_ > 0, std::sqrt(square_ / length_), "no time passes", why);
      case Reduction::Integral:
        return integral_;
      case Reduction::First:
        return found(count_ > 0, first_, "it never holds", why);
      case Reduction::Last:
        return found(count_ > 0, last_, "it never holds", why);
      case Reduction::Duration:
        return duration_;
      case Reduction::Count:
        return static_cast<double>(count_);
      default:
        return std::nullopt;
    }
  }

 private:
  bool of_run() const {
    return taken_.what == Reduction::Events || taken_.what == Reduction::FirstEvent;
  }
  std::optional<double> found(bool has, double value, const std::string& lacks,
                              std::string& why) const {
    if (has) return value;
    why = taken_.text + ": " + lacks;
    return std::nullopt;
  }
  bool inside(double t) const { return t >= taken_.from.value_or(t) && t <= taken_.to.value_or(t); }
  bool overlaps(double begin) const { return !taken_.to || begin < *taken_.to; }

  bool holds(double value) const {
    const double d = taken_.above ? value - taken_.threshold : taken_.threshold - value;
    return taken_.strict ? d > 0 : d >= 0;
  }
  void judge(double t, double value) {
    const bool now = holds(value);
    if (now && !holding_ && count_++ == 0) first_ = t;
    if (now) last_ = t;
    holding_ = now;
  }
  template <class Time>
  void judge_curve(Polynomial p, double a, double b, Time t_of) {
    p.c[0] -= taken_.threshold;
    p.size = std::max<std::size_t>(p.size, 1);
    std::vector<double> places = {a};
    roots_of(p, a, b, places);
    places.push_back(b);
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      const double from = places[i], to = places[i + 1];
      const double y = p.at(0.5 * (from + to)) + taken_.threshold;
      judge(t_of(from), y);
      if (!holds(y)) continue;
      duration_ += t_of(to) - t_of(from);
      last_ = t_of(to);
    }
  }

  Taken taken_;
  std::optional<std::size_t> column_;
  bool any_ = false, holding_ = false, has_pending_ = false;
  double pending_from_ = 0, reached_ = -HUGE_VAL;
  std::optional<double> unknown_;
  double initial_ = 0, final_ = 0, high_ = -HUGE_VAL, low_ = HUGE_VAL;
  double length_ = 0, integral_ = 0, square_ = 0;
  double first_ = 0, last_ = 0, duration_ = 0, first_event_ = 0;
  int64_t count_ = 0, events_ = 0;
};

Meter::Meter(std::vector<Taken> taken) {
  for (Taken& one : taken) gauges_.push_back(std::make_unique<Gauge>(std::move(one)));
}
Meter::~Meter() = default;

void Meter::begin(const RowLayout& layout) {
  for (auto& gauge : gauges_) gauge->find(layout);
}

void Meter::take_row(const RowView& row) {
  for (auto& gauge : gauges_) {
    if (!gauge->column()) continue;
    const std::optional<Number> value = row.value(*gauge->column());
    gauge->point(row.at.t, value ? std::optional(value->finite) : std::nullopt);
  }
}

void Meter::take(std::span<const RowView> rows) {
  if (rows.size() == 1 && (rows[0].kind == RowKind::Evolving || rows[0].kind == RowKind::Start)) {
    return take_row(rows[0]);
  }
  for (auto& gauge : gauges_) gauge->event(rows.front().at.t);
  if (rows.front().kind == RowKind::Before) take_row(rows.front());
  const RowView& last = rows.back();
  if (last.kind == RowKind::Real || last.kind == RowKind::Start) take_row(last);
}

void Meter::take(const StretchView& stretch) {
  offsets_.clear();
  std::size_t offset = 0;
  for (const int8_t degree : stretch.degrees) {
    offsets_.push_back(offset);
    offset += degree < 0 ? 0 : static_cast<std::size_t>(degree) + 1;
  }
  for (auto& gauge : gauges_) {
    if (!gauge->column()) continue;
    const std::size_t c = *gauge->column();
    if (stretch.degrees[c] < 0) {
      gauge->hole(stretch.begin);
    } else {
      gauge->curve(stretch.begin, stretch.end,
                   stretch.coefficients.subspan(offsets_[c],
                                                static_cast<std::size_t>(stretch.degrees[c]) + 1));
    }
  }
}

std::optional<double> Meter::value(std::size_t measure, std::string& why) const {
  return gauges_[measure]->value(why);
}

}  // namespace cradle::api
