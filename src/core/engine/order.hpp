#pragma once
// Long chains of signals, without recursion.

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"

namespace cradle::engine {

constexpr std::size_t kDeep = 200;  // signals within signals before their order is planned

// Computes what a signal needs in any case, the deepest first, so that chains do not nest.
class SignalOrder {
 public:
  explicit SignalOrder(const plan::Plan& system) : system_(system) {
    mark_.assign(system.model().signals.size(), 0);
  }

  // `known`, `busy`: stamps, by signal, of those that are computed and being computed. compute(id)
  // is called when what id needs is known.
  template <class Compute>
  void prepare(SignalId root, uint64_t stamp, const std::vector<uint64_t>& known,
               const std::vector<uint64_t>& busy, Compute compute) {
    const std::size_t base = waiting_.size();
    waiting_.push_back(root);
    mark_[at(root)] = stamp;
    while (waiting_.size() > base) {
      const SignalId next = waiting_.back();
      bool ready = true;
      for (SignalId needed : system_.needs(next)) {
        // A mark without a value: it stands below in this chain, so there is a circle.
        const std::size_t i = at(needed);
        if (mark_[i] == stamp || known[i] == stamp || busy[i] == stamp) continue;
        mark_[i] = stamp;
        waiting_.push_back(needed);
        ready = false;
      }
      if (!ready) continue;
      waiting_.pop_back();
      if (next != root) compute(next);
    }
  }
  void abandon() { waiting_.clear(); }

 private:
  const plan::Plan& system_;
  std::vector<SignalId> waiting_;
  std::vector<uint64_t> mark_;
};

}  // namespace cradle::engine
