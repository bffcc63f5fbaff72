#pragma once
// What a signal is worth at an instant (semantics, section 2): unknown while the fixed point is
// being found, absent, or present as a number a + bω. Booleans are 0 and 1.

#include <cstdint>

#include "cradle/number.hpp"

namespace cradle::plan {

struct Value : Number {
  enum class Status : uint8_t { Present = 0, Absent = 1, Unknown = 2 };
  Status status = Status::Present;

  constexpr Value() = default;
  constexpr Value(double a) : Number(a) {}                   // NOLINT: a double is a present value
  constexpr Value(const Number& number) : Number(number) {}  // NOLINT: so is a number
  static constexpr Value absent() { return Value(Status::Absent); }
  static constexpr Value unknown() { return Value(Status::Unknown); }

  constexpr bool is_present() const { return status == Status::Present; }
  constexpr bool is_absent() const { return status == Status::Absent; }
  constexpr bool is_unknown() const { return status == Status::Unknown; }
  constexpr bool operator==(const Value& o) const {
    return status == o.status && (!is_present() || Number::operator==(o));
  }

 private:
  constexpr explicit Value(Status s) : status(s) {}
};

}  // namespace cradle::plan
