#include "core/engine/bond_recorder.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::engine {

BondRecorder::BondRecorder(const model::Model& model, std::size_t budget) : budget_(budget) {
  for (const model::Bond& bond : model.bonds) record_.bonds.push_back(bond.name);
}

bool BondRecorder::wants(bool event, uint64_t instant) {
  if (record_.bonds.empty()) return false;
  if (event && instant != instant_) {
    instant_ = instant;
    ++events_;
  }
  next_ = {event, event ? events_ : ++others_};
  return is_kept(next_);
}

void BondRecorder::add(std::size_t row, const std::vector<Number>& powers) {
  if (!record_.rows.empty() && record_.rows.back() == row) {
    record_.rows.pop_back();
    kept_.pop_back();
    record_.values.resize(record_.values.size() - powers.size());
    std::erase_if(record_.impulses, [row](const auto& impulse) { return impulse.row == row; });
  }
  record_.rows.push_back(static_cast<uint32_t>(row));
  kept_.push_back(next_);
  for (const Number& power : powers) record_.values.push_back(static_cast<float>(power.finite));
  add_impulses(row, powers);
  while (record_.values.size() > budget_) thin();
}

// What rounding leaves beside a real impulse is none.
void BondRecorder::add_impulses(std::size_t row, const std::vector<Number>& powers) {
  double largest = 0;
  for (const Number& power : powers) largest = std::max(largest, std::abs(power.impulse));
  if (largest == 0 || record_.impulses.size() >= budget_ / 4) return;
  const auto clean = [largest](double v) { return std::abs(v) <= 1e-12 * largest ? 0 : v; };
  for (std::size_t bond = 0; 2 * bond < powers.size(); ++bond) {
    const double p = clean(powers[2 * bond].impulse), q = clean(powers[2 * bond + 1].impulse);
    if (p == 0 && q == 0) continue;
    record_.impulses.push_back({static_cast<uint32_t>(row), static_cast<uint32_t>(bond), p, q});
  }
}

void BondRecorder::thin() {
  const std::size_t width = 2 * record_.bonds.size();
  const auto others = static_cast<std::size_t>(
      std::count_if(kept_.begin(), kept_.end(), [](const Kept& kept) { return !kept.event; }));
  strides_[others * width > budget_ / 8 ? 0 : 1] *= 2;
  std::size_t to = 0;
  for (std::size_t from = 0; from < kept_.size(); ++from) {
    if (!is_kept(kept_[from])) continue;
    kept_[to] = kept_[from];
    record_.rows[to] = record_.rows[from];
    std::copy_n(record_.values.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                record_.values.begin() + static_cast<std::ptrdiff_t>(to * width));
    ++to;
  }
  kept_.resize(to);
  record_.rows.resize(to);
  record_.values.resize(to * width);
}

}  // namespace cradle::engine
