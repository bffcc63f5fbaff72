#pragma once
// Which numbers of a recipe are in registers, step by step.
//
// The steps are one after the other, so who is needed latest is known: that number makes room
// (Belady: A study of replacement algorithms, 1966). What is put aside is written once, since
// numbers do not change. All of it costs in proportion to the recipe.

#include <array>
#include <cstdint>
#include <vector>

#include "core/machine/recipe.hpp"

namespace cradle::machine {

// When numbers are read, by step.
class Uses {
 public:
  static constexpr int32_t never = INT32_MAX;

  explicit Uses(const Recipe& recipe);
  // Of operand `which` of a step: when it is read again.
  int32_t after(std::size_t step, int which) const {
    return next_[3 * step + static_cast<std::size_t>(which)];
  }
  // Of a number that a step makes: when it is read first.
  int32_t first(int32_t number) const { return first_[static_cast<std::size_t>(number)]; }

 private:
  std::vector<int32_t> next_, first_;
};

class Allocation {
 public:
  static constexpr int registers = 13;
  static constexpr int none = -1;

  explicit Allocation(const Recipe& recipe) : register_of_(recipe.homes.size(), none) {
    held_.fill(none);
  }
  int register_of(int32_t number) const { return register_of_[static_cast<std::size_t>(number)]; }
  int32_t held_by(int place) const { return held_[static_cast<std::size_t>(place)]; }
  int32_t next_use(int place) const { return next_[static_cast<std::size_t>(place)]; }
  int free_register() const;
  // Whose number is read last.
  int latest() const;

  void hold(int place, int32_t number, int32_t next_use);
  void release(int place);
  // The number is read again then, or never: then its register is free.
  void read(int32_t number, int32_t next_use);
  void release_all();

 private:
  std::array<int32_t, registers> held_{}, next_{};
  std::vector<int> register_of_;  // by number
};

}  // namespace cradle::machine
