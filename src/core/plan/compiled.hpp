#pragma once
// Machine code of what a mode computes (core/machine), kept with its code and shared by all that
// run it, on whatever thread. It is made when somebody has computed the same often enough to be
// worth it, and gives what the interpreter gives, to the bit; so no result depends on whether, when
// or by whom it is made. Where there can be none, its program is null.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/basics/once_table.hpp"
#include "core/machine/program.hpp"

namespace cradle::plan {

struct ModeCode;

class Compiled {
 public:
  Compiled() { items_.resize(2); }

  // All that moves, and what follows: run(registers, x, results, &t). A state stands in x at the
  // place that `components` has for its part of the instruction.
  const machine::Program* of_motion(const ModeCode& code, std::span<const int> components) const;
  // One order of a recurrence (recurrence.hpp): run(registers, row, coefficients, next ones).
  template <class Make>
  const machine::Program* of_recurrence(std::span<const int> components, Make&& make) const {
    return find(1, components, std::forward<Make>(make));
  }
  std::size_t bytes() const;

 private:
  struct Item {
    std::vector<int> components;  // for which it is
    std::unique_ptr<const machine::Program> program;
  };
  // Components follow from the mode, and are the same for all its clusters; who had others would
  // have to interpret.
  template <class Make>
  const machine::Program* find(std::size_t place, std::span<const int> components,
                               Make&& make) const {
    const Item& item = items_.get(place, [&] {
      return Item{{components.begin(), components.end()}, machine::Program::make(make())};
    });
    return std::ranges::equal(item.components, components) ? item.program.get() : nullptr;
  }

  OnceTable<Item> items_;  // of motion, and of a recurrence
};

// When machine code is made: how often something has been computed by then. Writing an instruction
// takes as long as interpreting it some forty times.
class Heat {
 public:
  enum class When { Never, Often, AtOnce };
  explicit Heat(When when)
      : left_(when == When::Never   ? INT64_MAX
              : when == When::Often ? kOften
                                    : 0) {}
  // Something is computed `times` times more: is it hot?
  bool rises(int64_t times = 1) { return left_ <= 0 || (left_ -= times) <= 0; }

 private:
  static constexpr int64_t kOften = 100;
  int64_t left_;
};

}  // namespace cradle::plan
