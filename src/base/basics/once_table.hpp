#pragma once
// A table whose items are made when they are first asked for, whoever asks on whatever thread. What
// is made depends on nothing but its place, so if two threads make the same item, the first one
// counts and the other one is thrown away. An item never changes or moves once it is there.

#include <atomic>
#include <cstddef>
#include <memory>

namespace cradle {

template <class T>
class OnceTable {
 public:
  OnceTable() = default;
  OnceTable(const OnceTable&) = delete;
  OnceTable& operator=(const OnceTable&) = delete;
  ~OnceTable() { clear(); }

  // Before anyone else asks. What was there is forgotten.
  void resize(std::size_t size) {
    clear();
    places_ = std::make_unique<std::atomic<const T*>[]>(size);
    size_ = size;
  }
  std::size_t size() const { return size_; }

  template <class Make>
  const T& get(std::size_t index, Make&& make) const {
    std::atomic<const T*>& place = places_[index];
    const T* known = place.load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    auto made = std::make_unique<const T>(make());
    const bool first = place.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel,
                                                     std::memory_order_acquire);
    return first ? *made.release() : *known;
  }

  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (const T* item = places_[i].load(std::memory_order_acquire)) visit(*item);
    }
  }

 private:
  void clear() {
    for (std::size_t i = 0; i < size_; ++i) delete places_[i].load(std::memory_order_relaxed);
    size_ = 0;
  }

  std::unique_ptr<std::atomic<const T*>[]> places_;
  std::size_t size_ = 0;
};

}  // namespace cradle
