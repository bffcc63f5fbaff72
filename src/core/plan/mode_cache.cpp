#include "core/plan/mode_cache.hpp"

#include <algorithm>

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
  if (std::shared_ptr<const Island> known = look_up(key).island) return known;
  // Made outside the lock: two threads may make the same one, and the first to come back counts.
  auto made = std::make_shared<const Island>(plan_, std::move(cells), is_active);
  return keep(std::move(key), std::move(made), nullptr, limit).island;
}

std::shared_ptr<const ModeCode> ModeCache::find_code(Key key, const std::function<ModeCode()>& make,
                                                     std::size_t limit) {
  if (std::shared_ptr<const ModeCode> known = look_up(key).code) return known;
  auto made = std::make_shared<const ModeCode>(make());
  return keep(std::move(key), nullptr, std::move(made), limit).code;
}

ModeCache::Found ModeCache::look_up(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return {};
  entries_.splice(entries_.begin(), entries_, found->second);
  count(entries_.front());
  return {entries_.front().island, entries_.front().code};
}

ModeCache::Found ModeCache::keep(Key key, std::shared_ptr<const Island> island,
                                 std::shared_ptr<const ModeCode> code, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = index_.try_emplace(std::move(key));
  if (!is_new) return {place->second->island, place->second->code};
  entries_.push_front({&place->first, island, code});
  place->second = entries_.begin();
  count(entries_.front());
  forget(limit);  // not what has just been made: it is in use
  return {std::move(island), std::move(code)};
}

// Rows are made when they are first needed, so an island grows for a while.
void ModeCache::count(Entry& entry) {
  bytes_ -= entry.bytes;
  const std::size_t key = entry.key->size() * sizeof(int32_t);
  entry.bytes = key + (entry.island ? entry.island->bytes() + entry.island->bytes_of_rows()
                                    : entry.code->bytes());
  bytes_ += entry.bytes;
}

void ModeCache::forget(std::size_t limit) {
  // Where most of it is in force, looking through all of it each time would gain nothing.
  if (bytes_ <= limit || bytes_ <= 2 * needed_) return;
  for (auto it = entries_.end(); it != entries_.begin() && bytes_ > limit;) {
    --it;
    if (it->is_used()) continue;
    bytes_ -= it->bytes;
    index_.erase(*it->key);
    it = entries_.erase(it);
  }
  needed_ = bytes_;
}

ModeCache::Contents ModeCache::contents() const {
  const std::lock_guard lock(mutex_);
  const auto islands =
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.island; });
  return {static_cast<std::size_t>(islands), entries_.size() - static_cast<std::size_t>(islands),
          bytes_};
}

}  // namespace cradle::plan
