#pragma once
// The recorded columns between rows, as polynomials (StretchView), and where rows have to stand so
// that straight lines between them show what there is to be seen.
//
//   follow(from, to)    nothing happens in between, so a column is as smooth as the dense output of
//                       what it reads. A polynomial of degree 4 goes through it, or one of degree
//                       8, which is compared with the column at further points; where it is not
//                       faithful (a kink, a leap, something fast) the interval is cut in halves
//   find_turns()        extremes of the polynomials, and points on what a chord would miss

#include <cstdint>
#include <span>
#include <vector>

#include "core/solve/chebyshev.hpp"
#include "cradle/rows.hpp"

namespace cradle::engine {

class Curves {
 public:
  class Columns {
   public:
    virtual ~Columns() = default;
    // What each column is worth at t; not finite: it has no value there.
    virtual void look(double t, std::span<double> values) = 0;
  };

  // `relative`: error of a curve in terms of the largest value so far.
  Curves(std::size_t columns, double relative, double absolute);

  // `shown_to`: where the last stretch is said to end, if columns leap there, just behind `to`.
  void follow(double from, double to, double shown_to, Columns& columns);
  std::size_t size() const { return begins_.size(); }
  StretchView stretch(std::size_t i) const;

  // Times inside what was followed last, ascending. Turns are found however close; where a curve
  // bends, rows are no nearer than `apart`.
  void find_turns(double apart, std::vector<double>& times);
  bool has_left_out() const { return left_out_; }  // some time, as there were too many

  // What it has to know to go on elsewhere.
  struct Memory {
    std::vector<double> low, high;  // by column: of all values so far
    std::vector<uint8_t> wild;      // by column: how often it was too wild
    bool operator==(const Memory&) const = default;
  };
  const Memory& memory() const { return memory_; }
  void remember(const Memory& memory) { memory_ = memory; }

 private:
  using Series = solve::Chebyshev;
  struct Interval {
    double begin = 0, end = 0;
  };
  enum class Fit : uint8_t { None, Poor, Low, High };

  void fit(const Interval& interval, Columns& columns);
  void look_at(const Interval& interval, int node, Columns& columns);
  void widen_range(std::size_t column);
  bool is_faithful(std::size_t column, int degree) const;
  bool is_cut(const Interval& interval, const Interval& whole) const;
  void keep(const Interval& interval);
  double tolerance(std::size_t column) const;
  double range(std::size_t column) const;
  bool is_wild(std::size_t column) const;
  std::span<const double> values_of(std::size_t column) const;

  std::size_t stretch_at(double t) const;
  double value(std::size_t column, double t) const;
  void add_extremes(std::size_t column, std::vector<double>& times);
  bool bends(double begin, double end) const;

  std::size_t columns_;
  double relative_, absolute_;
  Memory memory_;
  bool left_out_ = false;
  // Stretches of what was followed last.
  std::vector<double> begins_, ends_;
  std::vector<int8_t> degrees_;       // by stretch and column
  std::vector<std::size_t> offsets_;  // the same, in coefficients_
  std::vector<double> coefficients_;
  // Scratch.
  std::vector<Interval> ahead_;
  std::vector<double> nodes_;   // by column: values at the nine nodes
  std::vector<double> checks_;  // by column: at the two further points
  std::vector<double> look_;
  std::vector<Fit> fits_;  // by column
  struct Extreme {
    double t = 0, y = 0;
  };
  std::vector<Extreme> extremes_;
  std::vector<Interval> gaps_;
};

}  // namespace cradle::engine
