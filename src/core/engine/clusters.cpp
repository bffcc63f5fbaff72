#include "core/engine/clusters.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/basics/assert.hpp"
#include "base/basics/sorted.hpp"
#include "core/engine/audit.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/positions.hpp"
#include "core/plan/islands.hpp"
#include "core/plan/mode_cache.hpp"

namespace cradle::engine {

void evaluate_rates(const Runtime& runtime, const Cluster& cluster, FlowEvaluator& flow,
                    std::span<double> dxdt) {
  const model::Model& m = runtime.system.model();
  std::size_t i = 0;
  for (const auto& slot : cluster.slots) {
    const int count = static_cast<int>(slot->island->states().size());
    for (int s = 0; s < count; ++s) {
      const RegionId region = m.states[slot->island->states()[at(s)]].region;
      dxdt[i++] =
          runtime.is_active(region) ? flow.variable(*slot, slot->island->rate_variable(s)) : 0;
    }
  }
  for (StateId integral : cluster.integrals) {
    const model::State& state = m.states[integral];
    dxdt[i++] = runtime.is_active(state.region) ? flow.formula(state.rate) : 0;
  }
}

namespace {

// ẋ of a cluster. What goes wrong in a law is kept for the engine, because solvers written in C
// cannot let exceptions through; they see a value that is not finite.
class ClusterRhs : public solve::Rhs {
 public:
  ClusterRhs(Cluster& cluster, FlowEvaluator& flow, const Runtime& runtime)
      : cluster_(cluster), flow_(flow), runtime_(runtime) {}

  void derivative(double t, std::span<const double> x, std::span<double> dxdt) override {
    const bool slides = runtime_.slides(cluster_);
    if (cluster_.rates && !slides && cluster_.rates->run(t, x, dxdt)) return;
    try {
      flow_.begin_rates(&runtime_.course_of(cluster_).start);
      flow_.begin(t);
      for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster_.states[i], x[i]);
      if (slides) {
        evaluate_along(dxdt);
      } else {
        evaluate_rates(runtime_, cluster_, flow_, dxdt);
      }
      flow_.begin_rates(nullptr);
    } catch (...) {
      cluster_.rhs_failure = std::current_exception();
      flow_.abandon();
      std::fill(dxdt.begin(), dxdt.end(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  const solve::Pattern* jacobian_pattern() override {
    if (!cluster_.rates || runtime_.slides(cluster_)) return nullptr;
    if (!cluster_.jacobian_made) {
      cluster_.jacobian = JacobianCode::make(runtime_, cluster_);
      cluster_.jacobian_made = true;
      if (cluster_.jacobian) cluster_.jacobian->refresh(flow_, runtime_);
    }
    return cluster_.jacobian ? &cluster_.jacobian->pattern() : nullptr;
  }
  void jacobian(double t, std::span<const double> x, std::span<double> entries) override {
    cluster_.jacobian->run(t, x, entries);
  }
  std::optional<solve::Expansion> expand(double t, std::span<const double> x, double unit,
                                         int order, std::vector<double>& series) override {
    if (!cluster_.rates || runtime_.slides(cluster_)) return std::nullopt;
    return cluster_.rates->expand_motion(t, x, unit, order, series);
  }
  std::optional<solve::Reach> reach(double t, double unit, int order) override {
    if (!cluster_.rates || runtime_.slides(cluster_)) return std::nullopt;
    return cluster_.rates->reach_of_motion(t, unit, order);
  }
  void set_origin() override {
    Course& course = runtime_.course_of(cluster_);
    course.start_at_origin = course.start;
  }
  void return_to_origin() override {
    Course& course = runtime_.course_of(cluster_);
    course.start = course.start_at_origin;
  }

 private:
  // Along borders: what the sides make of it, each with its share.
  void evaluate_along(std::span<double> dxdt) {
    flow_.slide_within(&cluster_);
    const std::vector<double> shares = flow_.shares();
    below_.resize(dxdt.size());
    above_.resize(dxdt.size());
    flow_.on_each_side([&](int j) {
      evaluate_rates(runtime_, cluster_, flow_, j < 0 ? below_ : above_);
      for (std::size_t i = 0; i < dxdt.size(); ++i) {
        dxdt[i] = j < 0 ? below_[i] : dxdt[i] + shares[at(j)] * (above_[i] - below_[i]);
      }
    });
    flow_.slide_within(nullptr);
  }

  Cluster& cluster_;
  FlowEvaluator& flow_;
  const Runtime& runtime_;
  std::vector<double> below_, above_;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Cluster::Cluster() = default;
Cluster::~Cluster() = default;

namespace {

// A hint that two modes share by chance does no harm.
uint64_t hash_of(const std::vector<int32_t>& key) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (int32_t v : key) {
    for (int i = 0; i < 4; ++i)
      h = (h ^ ((static_cast<uint32_t>(v) >> (8 * i)) & 0xff)) * 0x100000001b3ull;
  }
  return h;
}

}  // namespace

std::size_t Clusters::KeyHash::operator()(const std::vector<int32_t>& key) const noexcept {
  uint64_t h = 0xcbf29ce484222325ull;
  for (int32_t v : key) h = (h ^ static_cast<uint32_t>(v)) * 0x100000001b3ull;
  return h;
}

Clusters::Clusters(Runtime& runtime, FlowEvaluator& flow) : runtime_(runtime), flow_(flow) {
  const std::size_t units = runtime.system.units().size();
  unit_mark_.assign(units, 0);
  unit_visit_.assign(units, 0);
  group_of_.assign(units, 0);
  trim_above_ = static_cast<std::size_t>(runtime.options.mode_cache_bytes);
}

// The units that active junctions join to this one, in ascending order, into members_.
void Clusters::collect(UnitId start) {
  const Plan& system = runtime_.system;
  members_.assign(1, start);
  unit_visit_[at(start)] = ++visit_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (JunctionId junction : system.units()[members_[i]].controlled) {
      if (!runtime_.is_active(junction)) continue;
      for (UnitId next : system.units_at(junction)) {
        if (unit_visit_[at(next)] == visit_) continue;
        unit_visit_[at(next)] = visit_;
        members_.push_back(next);
      }
    }
  }
  std::sort(members_.begin(), members_.end());
}

// Of members_, into key_.
void Clusters::find_key() {
  key_.clear();
  for (UnitId unit : members_) {
    key_.push_back(-1 - unit.index);
    for (JunctionId junction : runtime_.system.units()[unit].controlled) {
      key_.push_back(2 * junction.index + (runtime_.is_active(junction) ? 1 : 0));
    }
  }
}

// Where the islands of members_ are strained so that cells beyond inactive junctions belong to
// them, their units are members, too. Who that is depends on the junctions of those cells as well.
// Gives the islands, unless the cluster is known.
std::vector<std::shared_ptr<const Island>> Clusters::join_strained() {
  find_key();
  if (kept_.contains(key_)) return {};
  return find_islands(members_);
}

// What belongs together with this unit in the present mode. Two that strain joins to the same third
// belong together, whoever was found first.
Clusters::Group& Clusters::find_group(UnitId start) {
  collect(start);
  const std::size_t count = members_.size();
  auto islands = join_strained();
  const bool is_joined = members_.size() > count;
  for (std::size_t i = 0; is_joined && i < members_.size(); ++i) {
    if (unit_mark_[at(members_[i])] != mark_) continue;
    Group& other = groups_[group_of_[at(members_[i])]];
    append(members_, other.units);
    other.units.clear();
  }
  if (is_joined) sort_unique(members_);
  if (group_count_ == groups_.size()) groups_.emplace_back();
  for (UnitId unit : members_) {
    unit_mark_[at(unit)] = mark_;
    group_of_[at(unit)] = group_count_;
  }
  Group& group = groups_[group_count_++];
  group.units = members_;
  group.is_joined = is_joined;
  group.islands.clear();
  if (!is_joined) group.islands = std::move(islands);
  return group;
}

void Clusters::begin_groups() {
  ++mark_;
  group_count_ = 0;
}

const std::vector<Cluster*>& Clusters::rebuild(const std::vector<UnitId>& units,
                                               const std::function<void(UnitId)>& arrive) {
  forget();
  begin_groups();
  fresh_.clear();
  // Who was joined by strain may be left alone now.
  const auto add_joined = [this](UnitId unit) {
    const Cluster* before = runtime_.cluster_of_unit[at(unit)];
    if (before != nullptr && before->is_joined) append(rebuilding_, before->units);
  };
  rebuilding_ = units;
  for (UnitId unit : units) add_joined(unit);
  for (std::size_t next = 0; next < rebuilding_.size(); ++next) {
    if (unit_mark_[at(rebuilding_[next])] == mark_) continue;
    const Group& group = find_group(rebuilding_[next]);
    if (!group.is_joined) continue;
    for (UnitId unit : group.units) {
      arrive(unit);
      add_joined(unit);
    }
  }
  for (std::size_t i = 0; i < group_count_; ++i) {
    if (groups_[i].units.empty()) continue;
    Cluster& cluster = find_cluster(groups_[i]);
    if (cluster.in_force) continue;
    install(cluster);
    fresh_.push_back(&cluster);
  }
  return fresh_;
}

Cluster& Clusters::find_cluster(Group& group) {
  members_ = group.units;
  find_key();
  auto it = kept_.find(key_);
  if (it != kept_.end()) {
    ++runtime_.state.statistics.islands_reused;
    it->second->is_joined = group.is_joined;
    return *it->second;
  }
  std::unique_ptr<Cluster> cluster = build(members_, std::exchange(group.islands, {}));
  cluster->is_joined = group.is_joined;
  cluster->key = key_;
  cluster->key_hash = hash_of(key_);
  cluster->serial = ++built_;
  bytes_ += cluster->bytes;
  ++runtime_.state.statistics.islands_analysed;
  return *kept_.emplace(key_, std::move(cluster)).first->second;
}

std::unique_ptr<Cluster> Clusters::build(const std::vector<UnitId>& units,
                                         std::vector<std::shared_ptr<const Island>> islands) {
  const Plan& system = runtime_.system;
  auto cluster = std::make_unique<Cluster>();
  cluster->units = units;
  if (islands.empty()) {
    std::vector<UnitId> all = units;
    islands = find_islands(all);
    CRADLE_ASSERT(all == units, "strain joins nobody else");
  }
  add_islands(*cluster, std::move(islands));
  for (UnitId id : cluster->units) {
    const plan::Unit& unit = system.units()[id];
    for (StateId integral : unit.integrals) cluster->integrals.push_back(integral);
    cluster->reads_time |= unit.reads_time;
    append(cluster->pres, unit.pres);
    append(cluster->comparisons, unit.comparisons);
  }
  sort_unique(cluster->pres);
  sort_unique(cluster->comparisons);
  cluster->states.insert(cluster->states.end(), cluster->integrals.begin(),
                         cluster->integrals.end());
  const int dimension = static_cast<int>(cluster->states.size());
  if (dimension > 0) {
    cluster->rhs = std::make_unique<ClusterRhs>(*cluster, flow_, runtime_);
    solve::Settings settings;
    settings.relative_tolerance = runtime_.options.relative_tolerance;
    settings.absolute_tolerance = runtime_.options.absolute_tolerance;
    const double asked = runtime_.options.max_step;
    settings.max_step = asked > 0 ? asked : system.max_step().value_or(0);
    for (StateId state : cluster->states) {
      settings.scales.push_back(system.tolerance_scale(state));
    }
    cluster->solver =
        solve::make_solver(runtime_.options.solver, *cluster->rhs, dimension, settings);
  }
  cluster->bytes = sizeof(Cluster) + cluster->states.size() * 200 + cluster->units.size() * 16;
  constexpr std::size_t kScratch = 4 * sizeof(double);  // of a slot, by variable
  for (const auto& slot : cluster->slots) {
    const Island& island = *slot->island;
    cluster->bytes += island.bytes() + (island.uses_rows() ? 0 : kScratch * island.size());
  }
  return cluster;
}

std::vector<std::shared_ptr<const Island>> Clusters::find_islands(
    std::vector<UnitId>& units) const {
  const plan::IsActive is_active = [this](JunctionId j) { return runtime_.is_active(j); };
  const auto limit = static_cast<std::size_t>(runtime_.options.mode_cache_bytes);
  auto islands = plan::find_islands(
      runtime_.system, is_active,
      [&](std::vector<CellId> cells) {
        return runtime_.system.modes().find(std::move(cells), is_active, limit);
      },
      units);
  for (const auto& island : islands) {
    if (island->fault()) throw IslandProblem{*island->fault()};
  }
  return islands;
}

void Clusters::add_islands(Cluster& cluster, std::vector<std::shared_ptr<const Island>> islands) {
  for (std::shared_ptr<const Island>& island : islands) {
    auto slot = std::make_unique<Slot>();
    slot->island = std::move(island);
    slot->start = cluster.starts;
    if (!slot->island->is_direct()) cluster.starts += slot->island->size();
    cluster.is_strained |= slot->island->strain_count() > 0;
    cluster.is_constrained |= slot->island->is_direct() && slot->island->is_constrained();
    cluster.may_bind_positions |= Positions::may_bind(*slot->island);
    append(cluster.states, slot->island->states());
    cluster.slots.push_back(std::move(slot));
  }
}

// At rest and in free flight nothing keeps a step short, and dense output over a step that is very
// long against what is used of it has few digits: none begins much longer than the last flow was.
double Clusters::step_hint(const Cluster& cluster) const {
  const Course& course = runtime_.course_of(cluster);
  const double flown = runtime_.state.now - course.motion.origin;
  if (!course.stepped || !(flown > 0)) return course.step_hint;
  // An exact step can be followed by any; and what bounces takes as long again, or twice as long.
  const double longer = course.motion.exact ? 2.7 : 16;
  return std::min(cluster.solver->next_step_hint(), longer * flown);
}

// Whoever was in force leaves word of how to begin there.
void Clusters::retire(Cluster& cluster) {
  const Course& course = runtime_.course_of(cluster);
  if (cluster.solver != nullptr) {
    runtime_.state.hints[cluster.key_hash] = {step_hint(cluster), course.motion.has_been_stiff};
  }
  cluster.in_force = false;
  cluster.left = instant_;
}

void Clusters::install(Cluster& cluster) {
  for (UnitId unit : cluster.units) {
    Cluster* before = runtime_.cluster_of_unit[at(unit)];
    if (before != nullptr && before->in_force) retire(*before);
  }
  put_in_force(cluster);
  Course& course = runtime_.course_of(cluster);
  const auto hint = runtime_.state.hints.find(cluster.key_hash);
  const Hint known = hint == runtime_.state.hints.end() ? Hint() : hint->second;
  course.at = course.end = runtime_.state.now;
  course.stepped = false;
  course.seen.clear();
  course.step_hint = known.step;
  course.motion.implicit = course.motion.exact = false;
  course.motion.has_been_stiff = known.stiff;
  if (cluster.solver != nullptr) cluster.solver->attach(course.motion);
}

void Clusters::put_in_force(Cluster& cluster) {
  for (UnitId unit : cluster.units) runtime_.cluster_of_unit[at(unit)] = &cluster;
  for (const auto& slot : cluster.slots) {
    for (CellId cell : slot->island->cells()) {
      runtime_.slot_of_cell[at(cell)] = slot.get();
      changed_cells_.push_back(cell);
    }
  }
  for (std::size_t i = 0; i < cluster.states.size(); ++i) {
    runtime_.component_of_state[at(cluster.states[i])] = static_cast<int>(i);
  }
  cluster.in_force = true;
  if (cluster.left != instant_) cluster.entered = instant_;
}

// The state has been replaced: what it says is in force, and solvers go on from their motions.
void Clusters::follow_state() {
  std::vector<UnitId> all;
  for (std::size_t u = 0; u < runtime_.system.units().size(); ++u) all.push_back(UnitId(u));
  for (auto& [key, cluster] : kept_) cluster->in_force = false;
  State& state = runtime_.state;
  const Statistics counted = state.statistics;
  const auto find_all = [&] {
    begin_groups();
    for (UnitId unit : all) {
      if (unit_mark_[at(unit)] != mark_) find_group(unit);
    }
    for (std::size_t i = 0; i < group_count_; ++i) {
      if (!groups_[i].units.empty()) put_in_force(find_cluster(groups_[i]));
    }
  };
  std::swap(state.mode, state.arrival_mode);
  find_all();
  settle_arrival();
  std::swap(state.mode, state.arrival_mode);
  for (auto& [key, cluster] : kept_) cluster->in_force = false;
  find_all();
  for (std::size_t u = 0; u < all.size(); ++u) {
    Cluster& cluster = *runtime_.cluster_of_unit[u];
    if (cluster.solver == nullptr || cluster.units[0] != UnitId(u)) continue;
    prepare_step(cluster);
    using Past = solve::Solver::Past;
    cluster.solver->attach(runtime_.course_of(cluster).motion,
                           begins_anew(cluster) ? Past::Over : Past::Needed);
    cluster.counted = cluster.solver->counts();
  }
  state.statistics = counted;
}

// What an instant under way has touched is restarted at its end, in another mode perhaps than that
// in which it moved.
bool Clusters::begins_anew(const Cluster& cluster) const {
  const Progress& instant = runtime_.state.instant;
  if (!instant.under_way || !instant.happened) return false;
  const auto touches = [&](const Touched& touched) {
    return std::find(touched.units.begin(), touched.units.end(), cluster.units[0]) !=
           touched.units.end();
  };
  return touches(instant.total) || touches(instant.last) || touches(instant.touched);
}

void Clusters::prepare_step(Cluster& cluster) {
  if (!cluster.rates_made) {
    auto code = find_rates(runtime_, cluster);
    if (code->exists())
      cluster.rates = std::make_unique<FlowCode>(runtime_, std::move(code), false);
    cluster.rates_made = true;
    if (cluster.rates) add_bytes(cluster, cluster.rates->bytes());
  }
  if (cluster.rates) cluster.rates->refresh(flow_, runtime_);
  if (cluster.metering && !cluster.metering->counted) {
    add_bytes(cluster, cluster.metering->bytes());
    cluster.metering->counted = true;
  }
  if (!cluster.jacobian) return;
  if (!cluster.jacobian_counted) add_bytes(cluster, cluster.jacobian->bytes());
  cluster.jacobian_counted = true;
  cluster.jacobian->refresh(flow_, runtime_);
}

// Rates are computed from where the instant has left its values.
void Clusters::set_start(const Cluster& cluster) {
  std::vector<double>& start = runtime_.course_of(cluster).start;
  start.resize(cluster.starts);
  for (const auto& slot : cluster.slots) {
    if (slot->island->is_direct()) continue;
    const std::vector<BondId>& bonds = slot->island->bonds();
    for (std::size_t i = 0; i < 2 * bonds.size(); ++i) {
      start[slot->start + i] = runtime_.state.start[2 * at(bonds[i / 2]) + i % 2];
    }
  }
}

// The clusters that a comparison reads, into serials_; gives the first that has states. False where
// there is no dense output yet.
bool Clusters::find_read(const plan::Comparison& comparison, Cluster*& home) {
  serials_.clear();
  home = nullptr;
  for (UnitId unit : comparison.units) {
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (!serials_.empty() && serials_.back() == cluster->serial) continue;
    serials_.push_back(cluster->serial);
    if (cluster->states.empty()) continue;
    if (!runtime_.course_of(*cluster).stepped) return false;
    if (home == nullptr) home = cluster;
  }
  return true;
}

FlowCode* Clusters::gap_code(ComparisonId comparison) { return gap_code(comparison, flow_, false); }

FlowCode* Clusters::gap_code_for(ComparisonId comparison, FlowEvaluator& onlooker) {
  return gap_code(comparison, onlooker, true);
}

FlowCode* Clusters::gap_code(ComparisonId comparison, FlowEvaluator& flow, bool for_onlooker) {
  const plan::Comparison& r = runtime_.system.comparisons()[comparison];
  Cluster* home = nullptr;
  if (!find_read(r, home) || runtime_.reads_sides(r)) return nullptr;
  std::vector<GapCode>& gaps = home != nullptr ? home->gaps : timed_gaps_;
  const auto is_of = [&](const GapCode& gap) {
    return gap.comparison == comparison && gap.for_onlooker == for_onlooker;
  };
  auto it = std::find_if(gaps.begin(), gaps.end(), [&](const GapCode& gap) {
    return is_of(gap) && gap.clusters == serials_;
  });
  if (it == gaps.end()) {
    // Of clusters that come and go beside this one, few combinations are worth keeping.
    constexpr std::ptrdiff_t kCombinations = 8;
    if (std::count_if(gaps.begin(), gaps.end(), is_of) >= kCombinations) {
      it = std::find_if(gaps.begin(), gaps.end(), is_of);
      if (it->code && home != nullptr) drop_bytes(*home, it->code->bytes());
      gaps.erase(it);
    }
    const auto reader = for_onlooker ? plan::Reader::Onlooker : plan::Reader::Run;
    std::unique_ptr<FlowCode> code;
    if (auto found = find_gap(runtime_, comparison, reader); found->exists()) {
      code = std::make_unique<FlowCode>(runtime_, std::move(found), true);
    }
    if (code && home != nullptr) add_bytes(*home, code->bytes());
    gaps.push_back({comparison, for_onlooker, serials_, std::move(code)});
    it = std::prev(gaps.end());
  }
  if (it->code) it->code->refresh(flow, runtime_);
  return it->code.get();
}

void Clusters::drop_bytes(Cluster& cluster, std::size_t bytes) {
  cluster.bytes -= bytes;
  bytes_ -= bytes;
}

void Clusters::add_bytes(Cluster& cluster, std::size_t bytes) {
  cluster.bytes += bytes;
  bytes_ += bytes;
}

void Clusters::settle_arrival() {
  for (CellId cell : changed_cells_) {
    runtime_.arrival_slot_of_cell[at(cell)] = runtime_.slot_of_cell[at(cell)];
  }
  changed_cells_.clear();
}

void Clusters::trim() {
  ++instant_;
  forget();
}

// What is not in force may still be what the present ε-step arrived with, or, if it reads pre, what
// the engine remembers to have been in force when the instant began.
void Clusters::forget() {
  if (bytes_ <= trim_above_) return;
  const auto& arrival = runtime_.arrival_slot_of_cell;
  const std::unordered_set<const Slot*> arrived(arrival.begin(), arrival.end());
  std::erase_if(kept_, [&](const auto& item) {
    const Cluster& cluster = *item.second;
    const bool remembered =
        !cluster.pres.empty() && cluster.left == instant_ && cluster.entered < instant_;
    const bool needed = cluster.in_force || remembered ||
                        std::any_of(cluster.slots.begin(), cluster.slots.end(),
                                    [&](const auto& slot) { return arrived.contains(slot.get()); });
    if (!needed) bytes_ -= cluster.bytes;
    return !needed;
  });
  // Where most of it is needed, looking again at each step would gain nothing.
  trim_above_ = std::max(static_cast<std::size_t>(runtime_.options.mode_cache_bytes), 2 * bytes_);
}

}  // namespace cradle::engine
