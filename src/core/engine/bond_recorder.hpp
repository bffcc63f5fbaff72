#pragma once
// Efforts and flows of all bonds at recorded rows, as many as fit into a budget: whenever there are
// too many numbers, every other row between events is dropped, and no more of them are taken from
// then on; if there is hardly one of those left, every other event.

#include <array>
#include <cstdint>
#include <vector>

#include "cradle/cradle.hpp"
#include "language/model/model.hpp"

namespace cradle::engine {

class BondRecorder {
 public:
  BondRecorder(const model::Model& model, std::size_t budget);

  // Is the next row to be kept? `instant`: rows of one event have the same.
  bool wants(bool event, uint64_t instant);
  // The row that was wanted; effort and flow by bond. Taken twice, the second counts.
  void add(std::size_t row, const std::vector<Number>& powers);

  const BondRecord& record() const { return record_; }

 private:
  struct Kept {
    bool event = false;
    uint64_t number = 0;  // among those of its kind
    bool operator==(const Kept&) const = default;
  };
  bool is_kept(const Kept& kept) const { return kept.number % strides_[kept.event ? 1 : 0] == 0; }
  void thin();
  void add_impulses(std::size_t row, const std::vector<Number>& powers);

  std::size_t budget_;
  BondRecord record_;
  std::vector<Kept> kept_;  // by row of the record
  Kept next_;
  uint64_t events_ = 0, others_ = 0;
  uint64_t instant_ = UINT64_MAX;
  std::array<uint64_t, 2> strides_ = {1, 1};  // between events, events
};

}  // namespace cradle::engine
