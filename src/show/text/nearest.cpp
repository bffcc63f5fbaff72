#include "show/text/nearest.hpp"

#include <algorithm>
#include <cmath>

#include "show/text/table.hpp"

namespace cradle::text {

NearestInstant::Verdict NearestInstant::meet(double t) {
  if (!asked_ || nearest_ == t) return Verdict::Same;
  if (t < *asked_) before_ = t;
  if (t > *asked_ && !behind_) behind_ = t;
  if (nearest_ && std::abs(t - *asked_) >= std::abs(*nearest_ - *asked_)) return Verdict::Farther;
  nearest_ = t;
  return Verdict::Nearer;
}

bool NearestInstant::is_near() const {
  if (!asked_ || !nearest_) return !asked_;
  const double scale = std::max(std::abs(*nearest_), std::abs(*asked_));
  return std::abs(*nearest_ - *asked_) <= 1e-9 * scale;
}

std::string NearestInstant::what_is_missing() const {
  if (is_near()) return {};
  std::string text = "nothing happened at " + format_number(*asked_);
  if (before_ && behind_) {
    return text + "; the nearest instants are at " + short_number(*before_) + " and " +
           short_number(*behind_);
  }
  if (!before_ && !behind_) return text;
  return text + "; the nearest instant is at " + short_number(before_ ? *before_ : *behind_);
}

}  // namespace cradle::text
