#pragma once
// What the benchmarks share.

#include <cstdlib>

#include "cradle/cradle.hpp"

namespace bench {

inline cradle::Model sound(cradle::Model model) {
  if (!model.ok()) std::abort();
  return model;
}

// Without rows and without the audit.
inline cradle::Options quiet(double until) {
  cradle::Options options;
  options.until = until;
  options.record = false;
  options.audit = false;
  return options;
}

}  // namespace bench
