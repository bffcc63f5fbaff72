#pragma once
// Typed ids into vectors: an id of one table cannot index another.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace cradle {

template <class Tag>
struct Id {
  int32_t index = -1;
  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<int32_t>(i)) {}
  constexpr bool valid() const { return index >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

using BondId = Id<struct BondTag>;
using ElementId = Id<struct ElementTag>;
using JunctionId = Id<struct JunctionTag>;
using AutomatonId = Id<struct AutomatonTag>;
using SignalId = Id<struct SignalTag>;
using StateId = Id<struct StateTag>;    // a continuous state: a store's p or q, or an integral
using PreId = Id<struct PreTag>;        // a memory of a value on arrival
using ClockId = Id<struct ClockTag>;    // a named schedule offset + j * period
using MemoryId = Id<struct MemoryTag>;  // what an operator keeps from one instant to the next
using RegionId = Id<struct RegionTag>;  // what lives in a mode of a modal model
using OutputId = Id<struct OutputTag>;  // what transitions put out under one name
using ChoiceId = Id<struct ChoiceTag>;  // one of several alternatives
using SlotId = Id<struct SlotTag>;      // the place of a parameter's value
using ExprId = Id<struct ExprTag>;

// The place of an id, or of an index kept as a small integer, in a plain vector.
template <class Tag>
constexpr std::size_t at(Id<Tag> id) {
  return static_cast<std::size_t>(id.index);
}
constexpr std::size_t at(int32_t i) { return static_cast<std::size_t>(i); }

// A vector indexed by one kind of id only.
template <class IdType, class T>
class Table {
 public:
  T& operator[](IdType id) { return items_[static_cast<std::size_t>(id.index)]; }
  const T& operator[](IdType id) const { return items_[static_cast<std::size_t>(id.index)]; }
  IdType add(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  IdType next_id() const { return IdType(items_.size()); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t n) { items_.resize(n); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace cradle

template <class Tag>
struct std::hash<cradle::Id<Tag>> {
  std::size_t operator()(cradle::Id<Tag> id) const noexcept {
    return std::hash<int32_t>()(id.index);
  }
};
