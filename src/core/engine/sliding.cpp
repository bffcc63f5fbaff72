#include "core/engine/sliding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/faults.hpp"

namespace cradle::engine {

namespace {

constexpr double kGapRounding = 256 * std::numeric_limits<double>::epsilon();

}  // namespace

// What rounding and tolerance make of a gap that moves with this speed, at most so far.
void Sliding::judge(Slide& slide, double t, double speed) const {
  double worth = 0;
  for (StateId id : plan_.comparisons()[slide.border].reads.states) worth += state_.worth[at(id)];
  slide.noise = std::max(slide.noise, kGapRounding * (worth + std::abs(t) * speed));
  slide.reach = std::max({slide.reach, slide.noise, runtime_.options.relative_tolerance * worth});
}

// Moves x by what one side of a border does more than the other, until the gap is `target`. Gives
// by how much that moved the gap at once.
double Sliding::shift(const Cluster& cluster, double t, std::span<double> x, std::size_t j,
                      double target) {
  Slide& slide = state_.slides[j];
  const plan::Comparison& border = plan_.comparisons()[slide.border];
  below_.resize(x.size());
  above_.resize(x.size());
  double moved = 0;
  constexpr int kRounds = 3;  // a gap need not be linear
  for (int round = 0; round < kRounds; ++round) {
    flow_.begin(t);
    for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster.states[i], x[i]);
    const GapRates& rates = flow_.gap_rates();
    double gap = 0;
    flow_.on_each_side([&](int side) {
      if (side < 0) gap = flow_.run(border.gap);
      if (side < 0) evaluate_rates(runtime_, cluster, flow_, below_);
      if (side == static_cast<int>(j)) evaluate_rates(runtime_, cluster, flow_, above_);
    });
    judge(slide, t, rates.speed(j));
    const double missing = target - gap, by = missing / rates.of(j, j);
    if (missing == 0 || !std::isfinite(by)) break;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += by * (above_[i] - below_[i]);
    moved = std::max(moved, std::abs(missing));
  }
  return moved;
}

Sliding::Drift Sliding::project(const Cluster& cluster, double t, std::span<double> x) {
  Drift drift = Drift::None;
  flow_.slide_within(&cluster);
  for (std::size_t j = 0; j < state_.slides.size(); ++j) {
    const Slide& slide = state_.slides[j];
    if (runtime_.cluster_of(slide) != &cluster) continue;
    const double moved = shift(cluster, t, x, j, 0);
    drift = std::max(drift, moved > slide.reach   ? Drift::BeyondTolerance
                            : moved > slide.noise ? Drift::BeyondRounding
                                                  : Drift::None);
  }
  flow_.slide_within(nullptr);
  return drift;
}

bool Sliding::project(const Cluster& cluster) {
  if (!runtime_.slides(cluster)) return false;
  x_.clear();
  for (StateId id : cluster.states) x_.push_back(state_.x[at(id)]);
  if (project(cluster, state_.now, x_) == Drift::None) return false;
  put(cluster, x_);
  return true;
}

void Sliding::put(const Cluster& cluster, std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t s = at(cluster.states[i]);
    state_.x[s] = state_.arrival_x[s] = x[i];
  }
}

void Sliding::end(std::size_t j) {
  constexpr std::size_t kTold = 1000;
  const Slide& slide = state_.slides[j];
  if (state_.slid.size() < kTold) state_.slid.push_back({slide.border, slide.since, state_.now});
  ++state_.slid_count;
  state_.slides.erase(state_.slides.begin() + static_cast<std::ptrdiff_t>(j));
}

void Sliding::release(ComparisonId border) {
  const int j = runtime_.slide_of(border);
  if (j < 0) return;
  const Cluster& cluster = *runtime_.cluster_of(state_.slides[at(j)]);
  flow_.begin(state_.now);
  flow_.slide_within(&cluster);
  const bool above = flow_.shares()[at(j)] > 0.5;
  x_.clear();
  for (StateId id : cluster.states) x_.push_back(state_.x[at(id)]);
  const double noise = state_.slides[at(j)].noise;
  shift(cluster, state_.now, x_, at(j), above ? noise : -noise);
  flow_.slide_within(nullptr);
  put(cluster, x_);
  end(at(j));
}

// Is the state still on a border, and its relays in the modes on either side?
bool Sliding::is_reached(std::size_t j) {
  const Slide& slide = state_.slides[j];
  for (const Relay& relay : slide.relays) {
    const int mode = state_.mode[at(relay.automaton)];
    if (mode != relay.above && mode != relay.below) return false;
    if (!runtime_.is_active(plan_.model().automata[relay.automaton].region)) return false;
  }
  flow_.begin(state_.now);
  double gap = 0;
  flow_.on_each_side([&](int side) {
    if (side < 0) gap = flow_.run(plan_.comparisons()[slide.border].gap);
  });
  return std::abs(gap) <= slide.reach;
}

void Sliding::forget_left(std::vector<ComparisonId>& out) {
  for (std::size_t j = state_.slides.size(); j-- > 0;) {
    const Cluster* cluster = runtime_.cluster_of(state_.slides[j]);
    if (cluster == nullptr || (runtime_.course_of(*cluster).at == state_.now && !is_reached(j))) {
      const auto& twins = plan_.comparisons()[state_.slides[j].border].twins;
      out.insert(out.end(), twins.begin(), twins.end());
      end(j);
    }
  }
}

void Sliding::add_candidate(ComparisonId border, std::vector<Slide>& out) const {
  if (!plan_.comparisons()[border].gap_rate.valid() || runtime_.slides(border)) return;
  const auto known = std::find_if(out.begin(), out.end(),
                                  [&](const Slide& slide) { return slide.border == border; });
  if (known == out.end()) out.push_back({border, {}, state_.now, 0, 0});
}

bool Sliding::has_own_memory(AutomatonId automaton, int mode) const {
  for (RegionId id : plan_.automaton(automaton).regions[at(mode)]) {
    const plan::CompiledRegion& region = plan_.region(id);
    if (!region.states.empty() || !region.memories.empty() || !region.automata.empty()) return true;
  }
  return false;
}

// Does this transition, which does nothing but change the mode, wait for this comparison alone?
bool Sliding::is_relay(AutomatonId id, int t, ComparisonId comparison) {
  const model::Transition& transition = plan_.model().automata[id].transitions[at(t)];
  const plan::CompiledTransition& compiled = plan_.automaton(id).transitions[at(t)];
  if (!transition.sets.empty() || transition.fallback || compiled.reads_pre) return false;
  if (compiled.conjuncts.size() != compiled.comparisons.size()) return false;
  for (ComparisonId other : compiled.conjuncts) {
    if (other != comparison && !inside_.judge(other, state_.truth[at(other)] != 0)) return false;
  }
  return std::find(compiled.conjuncts.begin(), compiled.conjuncts.end(), comparison) !=
         compiled.conjuncts.end();
}

// A modal model that could go back, to a mode from which it could come here again, at one border.
void Sliding::add_relays(AutomatonId id, std::vector<Slide>& out) {
  const model::Automaton& automaton = plan_.model().automata[id];
  const plan::CompiledAutomaton& compiled = plan_.automaton(id);
  const int here = state_.mode[at(id)];
  if (!automaton.modal || !runtime_.is_active(automaton.region) || has_own_memory(id, here)) return;
  for (int back : compiled.leaving[at(here)]) {
    const int there = automaton.transitions[at(back)].to;
    if (there == here || has_own_memory(id, there)) continue;
    for (ComparisonId r : compiled.transitions[at(back)].conjuncts) {
      const plan::Comparison& leaves = plan_.comparisons()[r];
      if (!plan_.comparisons()[leaves.border].gap_rate.valid() || !is_relay(id, back, r)) continue;
      for (int forth : compiled.leaving[at(there)]) {
        if (automaton.transitions[at(forth)].to != here) continue;
        for (ComparisonId s : compiled.transitions[at(forth)].conjuncts) {
          const plan::Comparison& comes = plan_.comparisons()[s];
          if (comes.border != leaves.border || comes.opposite == leaves.opposite) continue;
          if (!is_relay(id, forth, s)) continue;
          add_candidate(leaves.border, out);
          for (Slide& slide : out) {
            if (slide.border != leaves.border) continue;
            // What makes it leave is true above, unless it is the opposite.
            slide.relays.push_back(
                {id, leaves.opposite ? here : there, leaves.opposite ? there : here});
          }
        }
      }
    }
  }
}

// With more than one border, what one switch does must not depend on the others: otherwise the
// shares of four sides are not those of two switches.
void Sliding::check_sums(const GapRates& rates) {
  if (rates.size() < 2) return;
  constexpr double kAlike = 1e-6;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    double sum = rates.q[i], size = std::abs(rates.q[i]);
    for (std::size_t j = 0; j < rates.size(); ++j) {
      sum += rates.of(i, j);
      size += std::abs(rates.of(i, j));
    }
    flow_.begin(state_.now);
    double all = 0;
    flow_.above_all(
        [&] { all = flow_.formula(plan_.comparisons()[state_.slides[i].border].gap_rate); });
    if (std::abs(all - sum) > kAlike * size) throw no_way_along(runtime_, state_.now);
  }
}

// Where all agree on what is slid along; on which side of the others the run is, it knows.
std::vector<Way> Sliding::choose(const std::vector<std::vector<Way>>& ways) const {
  const auto alike = [](Way a, Way b) { return (a == Way::Along) == (b == Way::Along); };
  const bool agreed = !ways.empty() && std::all_of(ways.begin(), ways.end(), [&](const auto& way) {
    return std::equal(way.begin(), way.end(), ways[0].begin(), alike);
  });
  if (!agreed) throw no_one_way(runtime_, ways);
  return ways[0];
}

void Sliding::begin(std::span<const ComparisonId> flipped, std::span<const AutomatonId> moved,
                    std::vector<ComparisonId>& out) {
  std::vector<Slide> candidates;
  for (ComparisonId id : flipped) {
    const plan::Comparison& comparison = plan_.comparisons()[id];
    if (!comparison.used_by.empty()) add_candidate(comparison.border, candidates);
  }
  inside_.begin(InstantEvaluator::View::Committed);
  for (AutomatonId id : moved) add_relays(id, candidates);
  if (candidates.empty()) return;
  const std::size_t known = state_.slides.size();
  state_.slides.insert(state_.slides.end(), candidates.begin(), candidates.end());
  // Those that have just been come to, and not jumped over.
  for (std::size_t j = state_.slides.size(); j-- > known;) {
    const Cluster* cluster = runtime_.cluster_of(state_.slides[j]);
    bool reached = cluster != nullptr && runtime_.course_of(*cluster).at == state_.now;
    if (reached) {
      flow_.begin(state_.now);
      const GapRates& rates = flow_.gap_rates();
      const double speed = rates.speed(j);
      // Where both sides do the same, as at a kink, there is nothing to slide along.
      reached = std::isfinite(speed) && rates.of(j, j) < 0;
      if (reached) judge(state_.slides[j], state_.now, speed);
      reached = reached && is_reached(j);
    }
    if (!reached) state_.slides.erase(state_.slides.begin() + static_cast<std::ptrdiff_t>(j));
  }
  if (state_.slides.size() == known) return;
  flow_.begin(state_.now);
  const GapRates rates = flow_.gap_rates();
  check_sums(rates);
  const std::vector<Way> way = choose(find_ways(rates));
  for (std::size_t j = state_.slides.size(); j-- > known;) {
    if (way[j] != Way::Along) {
      state_.slides.erase(state_.slides.begin() + static_cast<std::ptrdiff_t>(j));
      continue;
    }
    const Slide& slide = state_.slides[j];
    for (ComparisonId twin : plan_.comparisons()[slide.border].twins) {
      state_.truth[at(twin)] = plan_.comparisons()[twin].strict ? 0 : 1;
    }
    const auto& twins = plan_.comparisons()[slide.border].twins;
    out.insert(out.end(), twins.begin(), twins.end());
  }
  for (std::size_t j = known; j < state_.slides.size(); ++j) {
    const Cluster& cluster = *runtime_.cluster_of(state_.slides[j]);
    x_.clear();
    for (StateId id : cluster.states) x_.push_back(state_.x[at(id)]);
    project(cluster, state_.now, x_);
    put(cluster, x_);
  }
}

}  // namespace cradle::engine
