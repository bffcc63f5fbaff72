#pragma once
// ẋ = … over the rows between two events: the change of x against the integral of its rate.

#include <cstddef>
#include <functional>
#include <vector>

namespace cradle::conform {

class Rate {
 public:
  void add(std::size_t row, double t, double x, double rate);

  struct Finding {
    std::size_t from, to;  // rows
    bool holds = false;
    double change = 0, integral = 0;
  };
  // What the rows so far decide, interval by interval; then begins anew. `tolerance` is relative to
  // x and to what the rate adds, `floor` absolute.
  void finish(double tolerance, double floor, const std::function<void(const Finding&)>& found);

 private:
  enum class Verdict { Undecided, Holds, Violated };
  Verdict judge(std::size_t i, double bound, double& integral) const;

  std::vector<double> t_, x_, rate_;
  double largest_ = 0;  // |x| so far: what it adds up to is no better known than that
  std::vector<std::size_t> rows_;
};

}  // namespace cradle::conform
