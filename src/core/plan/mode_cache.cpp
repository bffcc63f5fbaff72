#include "core/plan/mode_cache.hpp"

#include "base/basics/assert.hpp"

namespace cradle::plan {

std::size_t ModeCache::KeyHash::operator()(const Key& key) const noexcept {
  uint64_t h = 0xcbf29ce484222325ull;
  for (int32_t v : key) h = (h ^ static_cast<uint32_t>(v)) * 0x100000001b3ull;
  return h;
}

ModeCache::Key ModeCache::key_of(const std::vector<CellId>& cells,
                                 const std::function<bool(JunctionId)>& is_active) const {
  Key key;
  for (CellId cell : cells) {
    key.push_back(-1 - cell.index);
    for (JunctionId junction : plan_.cells()[cell].controlled) {
      key.push_back(2 * junction.index + (is_active(junction) ? 1 : 0));
    }
  }
  return key;
}

std::shared_ptr<const Island> ModeCache::find(std::vector<CellId> cells,
                                              const std::function<bool(JunctionId)>& is_active,
                                              std::size_t limit) {
  CRADLE_ASSERT(!cells.empty(), "an island has cells");
  Key key = key_of(cells, is_active);
  if (std::shared_ptr<const Island> known = look_up(key)) return known;
  // Made outside the lock: two threads may make the same one, and the first to come back counts.
  auto made = std::make_shared<const Island>(plan_, std::move(cells), is_active);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = index_.try_emplace(std::move(key));
  if (!is_new) return place->second->island;
  entries_.push_front({&place->first, made, 0});
  place->second = entries_.begin();
  count(entries_.front());
  forget(limit);
  return made;
}

std::shared_ptr<const Island> ModeCache::look_up(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  count(entries_.front());
  return entries_.front().island;
}

// Rows are made when they are first needed, so an island grows for a while.
void ModeCache::count(Entry& entry) {
  bytes_ -= entry.bytes;
  entry.bytes = entry.island->bytes() + entry.island->bytes_of_rows();
  bytes_ += entry.bytes;
}

void ModeCache::forget(std::size_t limit) {
  // Where most of it is in force, looking through all of it each time would gain nothing.
  if (bytes_ <= limit || bytes_ <= 2 * needed_) return;
  for (auto it = entries_.end(); it != entries_.begin() && bytes_ > limit;) {
    --it;
    if (it->island.use_count() > 1) continue;
    bytes_ -= it->bytes;
    index_.erase(*it->key);
    it = entries_.erase(it);
  }
  needed_ = bytes_;
}

ModeCache::Contents ModeCache::contents() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size(), bytes_};
}

}  // namespace cradle::plan
