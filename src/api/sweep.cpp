// Runs are independent of each other: each has its own values bound to the one plan, and what is
// drawn follows from the seed and the index of the run alone. So nothing depends on who does which
// run, or when.

#include "cradle/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <mutex>
#include <numbers>
#include <stdexcept>
#include <thread>

#include "api/measure.hpp"

namespace cradle {

namespace {

using VaryKind = Variation::Kind;
constexpr std::size_t kMostRuns = 10'000'000;

std::string stripped(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> cut_at(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == at && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = stripped(part);
  return parts;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> parameter_of(const Model& model, const std::string& name) {
  for (const auto& [known, value] : model.parameters()) {
    if (known == name) return value;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_variation(const std::string& text, const std::string& why) {
  throw std::invalid_argument("'" + text + "': " + why);
}

// What the language makes of a text that is to be a value of this parameter.
double text_as_value(const Model& model, const std::string& name, const std::string& text,
                     const std::string& all) {
  if (const auto number = number_in(text)) return *number;
  if (text.empty()) refuse_variation(all, "there is no value for " + name);
  Model tried = model;
  tried.set({name, text});
  const auto value = parameter_of(tried, name);
  if (!tried.ok() || !value) refuse_variation(all, "'" + text + "' is no value for " + name);
  return *value;
}

void require_parameter(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, value] : model.parameters()) names.push_back(known);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string known;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i) known += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > 20) known += ", …";
  const std::string near = suggest(name, names);
  throw std::invalid_argument(model.name() + " has no parameter '" + name + "'" +
                              (near.empty() ? "" : "; did you mean '" + near + "'?") +
                              (known.empty() ? " (it has none)" : " (there are " + known + ")"));
}

void check_variation(const Variation& v, const std::string& text) {
  if (v.kind == VaryKind::Logarithmic && !(v.a * v.b > 0)) {
    refuse_variation(text, "a range in the logarithm has ends of one sign, and not 0");
  }
  if (v.kind == VaryKind::Uniform && !(v.a < v.b))
    refuse_variation(text, "uniform(a, b) needs a < b");
  if (v.kind == VaryKind::Normal && !(v.b >= 0))
    refuse_variation(text, "a standard deviation is not negative");
  if (v.kind == VaryKind::Lognormal && !(v.a > 0 && v.b >= 0)) {
    refuse_variation(text,
                     "lognormal(median, sigma) needs a positive median, and sigma not negative");
  }
}

// 1e3..10e3:50,log
void parse_range(const Model& model, const std::string& range, const std::string& text,
                 Variation& out) {
  std::vector<std::string> parts = cut_at(range, ',');
  if (parts.size() == 2 && (parts[1] == "log" || parts[1] == "linear")) {
    if (parts[1] == "log") out.kind = VaryKind::Logarithmic;
    parts.pop_back();
  }
  if (parts.size() != 1) refuse_variation(text, "behind a range stands ,log or nothing");
  const std::size_t dots = parts[0].find("..");
  std::string behind = parts[0].substr(dots + 2);
  out.count = 11;
  if (const std::size_t colon = behind.find(':'); colon != std::string::npos) {
    const auto count = number_in(stripped(behind.substr(colon + 1)));
    if (!count || *count != std::floor(*count) || *count < 1 || *count > 1e7) {
      refuse_variation(text, "the number of values is a positive whole number");
    }
    out.count = static_cast<int64_t>(*count);
    behind.resize(colon);
  }
  out.a = text_as_value(model, out.name, stripped(parts[0].substr(0, dots)), text);
  out.b = text_as_value(model, out.name, stripped(behind), text);
}

bool parse_distribution(const Model& model, const std::string& value, const std::string& text,
                        Variation& out) {
  const std::pair<const char*, VaryKind> kinds[] = {{"uniform(", VaryKind::Uniform},
                                                    {"normal(", VaryKind::Normal},
                                                    {"lognormal(", VaryKind::Lognormal}};
  for (const auto& [word, kind] : kinds) {
    if (!value.starts_with(word) || !value.ends_with(')')) continue;
    const std::string inner = value.substr(std::string(word).size());
    const auto parts = cut_at(inner.substr(0, inner.size() - 1), ',');
    if (parts.size() != 2) refuse_variation(text, std::string(word) + "…) takes two numbers");
    out.kind = kind;
    out.a = text_as_value(model, out.name, parts[0], text);
    if (kind == VaryKind::Lognormal) {  // a number, whatever the parameter's unit
      const auto sigma = number_in(parts[1]);
      if (!sigma) refuse_variation(text, "sigma of a logarithm is a plain number");
      out.b = *sigma;
    } else {
      out.b = text_as_value(model, out.name, parts[1], text);
    }
    return true;
  }
  return false;
}

// ---- What is drawn ----

uint64_t mixed(uint64_t x) {  // splitmix64, Steele and others 2014
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// In (0, 1); of the seed, the index of the draw and the variable.
double uniform_of(uint64_t seed, uint64_t index, uint64_t variable) {
  const uint64_t word = mixed(mixed(mixed(seed) ^ index) ^ (variable + 1));
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

// The inverse of the normal distribution: Acklam's rational function, then one step of Halley.
double normal_of(double u) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  double x = 0;
  if (u < 0.02425) {
    x = tail(std::sqrt(-2 * std::log(u)));
  } else if (u > 1 - 0.02425) {
    x = -tail(std::sqrt(-2 * std::log1p(-u)));
  } else {
    const double q = u - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - u;
  const double step = error * std::sqrt(2 * std::numbers::pi) * std::exp(0.5 * x * x);
  return x - step / (1 + 0.5 * x * step);
}

double drawn_from(const Variation& v, double u) {
  switch (v.kind) {
    case VaryKind::Uniform:
      return v.a + u * (v.b - v.a);
    case VaryKind::Normal:
      return v.a + v.b * normal_of(u);
    default:
      return v.a * std::exp(v.b * normal_of(u));
  }
}

double on_grid(const Variation& v, int64_t index) {
  if (v.kind == VaryKind::List) return v.values[static_cast<std::size_t>(index)];
  if (index == 0 || v.count == 1) return v.a;
  if (index == v.count - 1) return v.b;
  const double share = static_cast<double>(index) / static_cast<double>(v.count - 1);
  return v.kind == VaryKind::Linear ? v.a + share * (v.b - v.a) : v.a * std::pow(v.b / v.a, share);
}

int64_t grid_size(const Variation& v) {
  if (v.is_drawn()) return 1;
  return v.kind == VaryKind::List ? static_cast<int64_t>(v.values.size()) : v.count;
}

// An order of 0 … n − 1 by chance (Fisher and Yates).
std::vector<uint64_t> shuffled(uint64_t n, uint64_t seed, uint64_t variable) {
  std::vector<uint64_t> order(n);
  for (uint64_t i = 0; i < n; ++i) order[i] = i;
  for (uint64_t i = n; i-- > 1;) {
    const double u = uniform_of(seed ^ 0x5eed1a71ULL, i, variable);
    std::swap(order[i], order[std::min(i, static_cast<uint64_t>(u * static_cast<double>(i + 1)))]);
  }
  return order;
}

}  // namespace

Variation parse_variation(const Model& model, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    refuse_variation(text,
                     "expected NAME=FROM..TO:COUNT, NAME=A,B,C or NAME=normal(MEAN, DEVIATION)");
  }
  Variation out;
  out.name = stripped(text.substr(0, equals));
  require_parameter(model, out.name);
  const std::string value = stripped(text.substr(equals + 1));
  if (value.find("..") != std::string::npos) {
    parse_range(model, value, text, out);
  } else if (!parse_distribution(model, value, text, out)) {
    out.kind = VaryKind::List;
    for (const std::string& part : cut_at(value, ',')) {
      out.values.push_back(text_as_value(model, out.name, part, text));
    }
  }
  check_variation(out, text);
  return out;
}

bool Sweep::complete() const {
  return std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.has_value(); });
}

std::vector<std::vector<double>> sweep_points(const SweepOptions& options) {
  const std::vector<Variation>& all = options.variations;
  const bool draws =
      std::any_of(all.begin(), all.end(), [](const Variation& v) { return v.is_drawn(); });
  const auto samples = static_cast<uint64_t>(draws ? std::max<int64_t>(1, options.samples) : 1);
  double count = static_cast<double>(samples);
  for (const Variation& v : all) count *= static_cast<double>(grid_size(v));
  if (count > static_cast<double>(kMostRuns)) {
    throw std::invalid_argument(fmt::format("these are {} runs; at most {} are made at once",
                                            format_number(count), kMostRuns));
  }
  std::vector<std::vector<uint64_t>> parts(all.size());
  for (std::size_t j = 0; options.latin && j < all.size(); ++j) {
    if (all[j].is_drawn()) parts[j] = shuffled(samples, options.seed, j);
  }
  std::vector<std::vector<double>> points;
  const auto total = static_cast<uint64_t>(count);
  for (uint64_t i = 0; i < total; ++i) {
    std::vector<double> point(all.size());
    const uint64_t sample = i % samples;
    uint64_t rest = i / samples;
    for (std::size_t j = all.size(); j-- > 0;) {
      const auto size = static_cast<uint64_t>(grid_size(all[j]));
      if (all[j].is_drawn()) {
        double u = uniform_of(options.seed, sample, j);
        if (options.latin) {
          u = (static_cast<double>(parts[j][sample]) + u) / static_cast<double>(samples);
        }
        point[j] = drawn_from(all[j], u);
      } else {
        point[j] = on_grid(all[j], static_cast<int64_t>(rest % size));
        rest /= size;
      }
    }
    points.push_back(std::move(point));
  }
  return points;
}

namespace {

// One run after the other, for whichever thread asks for the next.
class Sweeper {
 public:
  Sweeper(const Model& model, const Options& options, const SweepOptions& wanted)
      : model_(model), options_(options), wanted_(wanted), points_(sweep_points(wanted)) {
    options_.audit = false;
    options_.record_steps = true;
    options_.keep_trajectory = !wanted.curves.empty();
    options_.select_everything = false;
    for (const std::string& text : texts()) measures_.emplace_back(text);
    options_.select = wanted.curves;
    for (const api::Measure& measure : measures_) {
      for (const api::Taken& taken : measure.taken()) {
        if (!taken.column.empty()) options_.select.push_back(taken.column);
      }
      for (const std::string& name : measure.parameters()) require_parameter(model, name);
    }
    require_columns();
  }

  Sweep run(std::vector<std::optional<SweepRun>> known) {
    Sweep out;
    for (const Variation& v : wanted_.variations) out.names.push_back(v.name);
    for (const api::Measure& measure : measures_) out.measures.push_back(measure.text());
    out.runs = std::move(known);
    out.runs.resize(points_.size());
    std::atomic<std::size_t> next = 0;
    std::mutex telling;
    const auto work = [&] {
      for (std::size_t i = next++; i < points_.size() && goes_on(); i = next++) {
        if (out.runs[i]) continue;
        SweepRun run = one(points_[i]);
        if (run.ending == Ending::Cancelled) return;
        const std::lock_guard lock(telling);
        out.runs[i] = std::move(run);
        if (wanted_.finished) wanted_.finished(i, *out.runs[i]);
      }
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads(); ++i) others.emplace_back(work);
    work();
    others.clear();
    return out;
  }

 private:
  std::vector<std::string> texts() const {
    if (!wanted_.measures.empty()) return wanted_.measures;
    std::vector<std::string> out;
    Options probe = options_;
    probe.select.clear();
    probe.keep_trajectory = true;
    const Simulation shown(model_, probe);
    for (const std::string& column : shown.trajectory().columns()) {
      out.push_back("final(" + column + ")");
    }
    return out;
  }

  std::size_t threads() const {
    const std::size_t wanted = wanted_.threads > 0
                                   ? static_cast<std::size_t>(wanted_.threads)
                                   : std::max(1u, std::thread::hardware_concurrency());
    return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, points_.size()));
  }

  bool goes_on() const { return !wanted_.go_on || wanted_.go_on(); }

  // Names are wrong for all runs or for none, but for those whose structure depends on values.
  void require_columns() {
    Options probe = options_;
    probe.keep_trajectory = true;
    const Simulation run(model_, probe);  // throws if a name is unknown
    for (const api::Measure& measure : measures_) {
      for (const api::Taken& taken : measure.taken()) {
        if (taken.column.empty() || run.trajectory().find_column(taken.column)) continue;
        throw std::invalid_argument(taken.text + ": " + taken.column +
                                    " is no single column; name one of what it has");
      }
    }
  }

  SweepRun one(const std::vector<double>& point) const {
    SweepRun out;
    out.values = point;
    out.measures.resize(measures_.size());
    Model model = model_;
    for (std::size_t j = 0; j < point.size() && model.ok(); ++j) {
      model.set(wanted_.variations[j].name, point[j]);
    }
    if (!model.ok()) {
      out.ending = Ending::ModelError;
      out.why = reason(model.diagnostics());
      return out;
    }
    try {
      simulate(model, out);
    } catch (const std::invalid_argument& error) {
      out.ending = Ending::ModelError;
      out.why = error.what();
    }
    return out;
  }

  void simulate(const Model& model, SweepRun& out) const {
    std::vector<api::Taken> taken;
    for (const api::Measure& measure : measures_) {
      taken.insert(taken.end(), measure.taken().begin(), measure.taken().end());
    }
    api::Meter meter(std::move(taken));
    Options options = options_;
    options.progress = [this](double) { return goes_on(); };
    Simulation run(model, options);
    run.stream_to(meter);
    const Outcome& outcome = run.run();
    out.ending = outcome.ending;
    out.at = outcome.at;
    if (options.keep_trajectory) out.trajectory = std::make_shared<Trajectory>(run.trajectory());
    out.violations = std::ssize(outcome.violations);
    if (!outcome.finished()) {
      out.why = reason(outcome);
      return;
    }
    std::size_t first = 0;
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      out.measures[m] = value_of_measure(measures_[m], meter, first, model, out.why);
      first += measures_[m].taken().size();
    }
    if (!outcome.violations.empty()) add_violation(outcome, out.why);
  }

  static std::optional<double> value_of_measure(const api::Measure& measure,
                                                const api::Meter& meter, std::size_t first,
                                                const Model& model, std::string& why) {
    std::vector<double> taken, parameters;
    for (std::size_t i = 0; i < measure.taken().size(); ++i) {
      std::string lacks;
      const std::optional<double> value = meter.value(first + i, lacks);
      if (!value) {
        why += (why.empty() ? "" : "; ") + lacks;
        return std::nullopt;
      }
      taken.push_back(*value);
    }
    for (const std::string& name : measure.parameters()) {
      parameters.push_back(parameter_of(model, name).value_or(NAN));
    }
    const double value = measure.value(taken, parameters);
    if (std::isfinite(value)) return value;
    why += (why.empty() ? "" : "; ") + measure.text() + " is not finite";
    return std::nullopt;
  }

  // What ended it was said last.
  static std::string reason(const Outcome& outcome) {
    std::string why;
    for (const Diagnostic& diagnostic : outcome.diagnostics) {
      if (diagnostic.severity == Severity::Error) why = diagnostic.message;
    }
    return why;
  }
  static void add_violation(const Outcome& outcome, std::string& why) {
    const Violation& first = outcome.violations.front();
    why += (why.empty() ? "" : "; ") + std::string("violates ") +
           (first.message.empty() ? first.assertion : first.message) + " at " + to_string(first.at);
    const std::size_t more = outcome.violations.size() - 1;
    if (more > 0) why += ", and " + std::to_string(more) + " more";
  }
  static std::string reason(const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.severity == Severity::Error) return diagnostic.message;
    }
    return {};
  }

  const Model& model_;
  Options options_;
  const SweepOptions& wanted_;
  std::vector<std::vector<double>> points_;
  std::vector<api::Measure> measures_;
};

}  // namespace

Sweep sweep(const Model& model, const Options& options, const SweepOptions& wanted,
            std::vector<std::optional<SweepRun>> known) {
  return Sweeper(model, options, wanted).run(std::move(known));
}

}  // namespace cradle
