#pragma once
// The instants at one real time, found while a run goes on.

#include <optional>
#include <string>

namespace cradle::text {

// Of all times that are met, the one that is nearest to what is asked for; it counts if it is
// within 1e-9 of that, relatively. Without a question, all of them count.
class NearestInstant {
 public:
  explicit NearestInstant(std::optional<double> asked) : asked_(asked) {}

  enum class Verdict {
    Nearer,   // than all before
    Same,     // time as the nearest so far; or there is no question
    Farther,  // it does not count
  };
  Verdict meet(double t);

  bool takes_all() const { return !asked_; }
  bool is_near() const;
  std::optional<double> nearest() const { return nearest_; }
  // "nothing happened at 3; the nearest instants are at 2.5 and 4"; empty if something did.
  std::string what_is_missing() const;

 private:
  std::optional<double> asked_, nearest_;
  std::optional<double> before_, behind_;  // the instants on either side of it
};

}  // namespace cradle::text
