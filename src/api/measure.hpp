#pragma once
// What one wants to know of a run, as a number: `peak(v)`, `rms(i, 0.1, 0.2) / I_max`.
//
//   expression = sums, products, powers of: number | parameter | measure | abs, sqrt, exp, log
//   measure    = function "(" column [comparison number] ["," from "," to] ")"
//
// Measures are taken of the curves between rows (StretchView), so they do not depend on where rows
// stand. What is only tried inside an instant does not count: of an instant its left limit does,
// and how time goes on.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle::api {

enum class Reduction {
  Initial,
  Final,
  Peak,
  Minimum,
  Range,
  Mean,
  Rms,
  Integral,  // of a column
  First,
  Last,
  Duration,
  Count,  // of a condition
  Events,
  FirstEvent,  // of the run
};

struct Taken {  // one measure of one column
  Reduction what = Reduction::Final;
  std::string column;
  bool condition = false, above = true, strict = true;
  double threshold = 0.5;
  std::optional<double> from, to;
  std::string text;  // as it was written
  bool operator==(const Taken&) const = default;
};

// A measure as it is written, ready to be computed of any number of runs.
class Measure {
 public:
  // Throws std::invalid_argument with the place of what is wrong.
  explicit Measure(const std::string& text);

  const std::string& text() const { return text_; }
  const std::vector<Taken>& taken() const { return taken_; }
  const std::vector<std::string>& parameters() const { return parameters_; }
  double value(const std::vector<double>& taken, const std::vector<double>& parameters) const;

 private:
  friend class MeasureParser;
  struct Step {  // of a stack machine
    char op;     // n number, t taken, p parameter, + - * / ^ ~ (negation), or a function's letter
    double number = 0;
    std::size_t index = 0;
  };
  std::string text_;
  std::vector<Taken> taken_;
  std::vector<std::string> parameters_;
  std::vector<Step> steps_;
};

// Takes measures of a run as it goes, and keeps no rows.
class Meter : public RowSink {
 public:
  explicit Meter(std::vector<Taken> taken);
  ~Meter() override;

  void begin(const RowLayout& layout) override;
  void take(std::span<const RowView> rows) override;
  bool wants_curves() const override { return true; }
  void take(const StretchView& stretch) override;

  // By measure; nullopt with a reason in `why`, if it has none.
  std::optional<double> value(std::size_t measure, std::string& why) const;

 private:
  class Gauge;
  void take_row(const RowView& row);

  std::vector<std::unique_ptr<Gauge>> gauges_;
  std::vector<std::size_t> offsets_;  // of the present stretch, by column
};

}  // namespace cradle::api
