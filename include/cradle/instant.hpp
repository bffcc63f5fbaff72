#pragma once
// Hyperdense time ⟨t + kε, n⟩ (Mosterman, Simko, Zander 2013, section 2.4).

#include <compare>
#include <cstdint>
#include <string>

namespace cradle {

struct Instant {
  double t = 0;
  int32_t eps = 0;   // k: how often the physical state has changed in no measurable time
  int32_t step = 0;  // n: microsteps of inference at ⟨t + kε⟩
  // Lexicographic in (t, k, n). k = −1 is the left limit, the values just before an event.
  auto operator<=>(const Instant&) const = default;
};

// As the seeds print it: ⟨1.25, 0⟩, ⟨1.25 + ε, 0⟩, ⟨1.25 + 2ε, 1⟩, ⟨1.25 − ε, 0⟩.
std::string to_string(const Instant& instant);

// The shortest decimal that reads back as the same double; −0 prints as 0.
std::string format_number(double value);

}  // namespace cradle
