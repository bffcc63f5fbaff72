#pragma once
// What the modes mean that some run of a plan has been in, to be found again by any run of it:
// islands, and the code of what is computed on them.
//
//   island: the cells, and which controlled junctions around them are active
//   rates:  the units that evolve together, and which controlled junctions around them are active
//   powers: the same, for the energy audit
//   gap:    the comparison, who reads it, and the same for all clusters that it reads
//
// Any number of threads use it at once. All of it is a function of the plan and its key alone, so
// it does not matter who made it, and no result depends on what is kept, found or forgotten. A run
// holds a share of all that is in force: what is forgotten here stays as long as someone needs it.

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/plan/island.hpp"
#include "core/plan/mode_code.hpp"

namespace cradle::plan {

class ModeCache {
 public:
  explicit ModeCache(const Plan& plan) : plan_(plan) {}
  ModeCache(const ModeCache&) = delete;
  ModeCache& operator=(const ModeCache&) = delete;

  // The island of these cells, ascending (islands.hpp); it may have a fault. What is
  // kept beyond `limit` bytes and is not in force in any run is forgotten, least recently used
  // first.
  std::shared_ptr<const Island> find(std::vector<CellId> cells,
                                     const std::function<bool(JunctionId)>& is_active,
                                     std::size_t limit);

  // Code by a key that begins with what it is the code of; made if it is not known.
  using Key = std::vector<int32_t>;
  static constexpr int32_t kRates = INT32_MAX, kGap = INT32_MAX - 1, kPowers = INT32_MAX - 2,
                           kGapSpeed = INT32_MAX - 3;
  std::shared_ptr<const ModeCode> find_code(Key key, const std::function<ModeCode()>& make,
                                            std::size_t limit);

  struct Contents {
    std::size_t islands = 0;
    std::size_t codes = 0;
    std::size_t bytes = 0;
  };
  Contents contents() const;

 private:
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Entry {
    const Key* key;
    std::shared_ptr<const Island> island;  // or
    std::shared_ptr<const ModeCode> code;
    std::size_t bytes = 0;
    bool is_used() const { return (island ? island.use_count() : code.use_count()) > 1; }
  };
  using Entries = std::list<Entry>;  // most recently used first

  Key key_of(const std::vector<CellId>& cells,
             const std::function<bool(JunctionId)>& is_active) const;
  struct Found {
    std::shared_ptr<const Island> island;
    std::shared_ptr<const ModeCode> code;
  };
  Found look_up(const Key& key);
  Found keep(Key key, std::shared_ptr<const Island> island, std::shared_ptr<const ModeCode> code,
             std::size_t limit);
  void count(Entry& entry);
  void forget(std::size_t limit);

  const Plan& plan_;
  mutable std::mutex mutex_;  // of all below
  Entries entries_;
  std::unordered_map<Key, Entries::iterator, KeyHash> index_;
  std::size_t bytes_ = 0;
  std::size_t needed_ = 0;  // bytes that were left when something was last forgotten
};

}  // namespace cradle::plan
