#include "core/engine/clusters.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/engine/flow_code.hpp"
#include "core/plan/mode_cache.hpp"

namespace cradle::engine {

namespace {

// ẋ of a cluster. What goes wrong in a law is kept for the engine, because solvers written in C
// cannot let exceptions through; they see a value that is not finite.
class ClusterRhs : public solve::Rhs {
 public:
  ClusterRhs(Cluster& cluster, FlowEvaluator& flow, const Runtime& runtime)
      : cluster_(cluster), flow_(flow), runtime_(runtime), system_(runtime.system) {}

  void derivative(double t, std::span<const double> x, std::span<double> dxdt) override {
    if (cluster_.rates) {
      cluster_.rates->run(t, x, dxdt);
      return;
    }
    try {
      flow_.begin_rates(&runtime_.course_of(cluster_).start);
      evaluate(t, x, dxdt);
      flow_.begin_rates(nullptr);
    } catch (...) {
      cluster_.rhs_failure = std::current_exception();
      flow_.abandon();
      std::fill(dxdt.begin(), dxdt.end(), std::numeric_limits<double>::quiet_NaN());
    }
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
  void evaluate(double t, std::span<const double> x, std::span<double> dxdt) {
    flow_.begin(t);
    for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster_.states[i], x[i]);
    std::size_t i = 0;
    for (const auto& slot : cluster_.slots) {
      const int count = static_cast<int>(slot->island->states().size());
      for (int s = 0; s < count; ++s) {
        const RegionId region = system_.model().states[slot->island->states()[at(s)]].region;
        dxdt[i++] =
            runtime_.is_active(region) ? flow_.variable(*slot, slot->island->rate_variable(s)) : 0;
      }
    }
    for (StateId integral : cluster_.integrals) {
      const model::State& state = system_.model().states[integral];
      dxdt[i++] = runtime_.is_active(state.region) ? flow_.formula(state.rate) : 0;
    }
  }

  Cluster& cluster_;
  FlowEvaluator& flow_;
  const Runtime& runtime_;
  const Plan& system_;
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
  unit_mark_.assign(runtime.system.units().size(), 0);
  cell_mark_.assign(runtime.system.cells().size(), 0);
  trim_above_ = static_cast<std::size_t>(runtime.options.mode_cache_bytes);
}

// The units that active junctions join to this one, in ascending order, into members_.
void Clusters::collect(UnitId start) {
  const Plan& system = runtime_.system;
  const model::Model& m = system.model();
  members_.assign(1, start);
  unit_mark_[at(start)] = mark_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (JunctionId junction : system.units()[members_[i]].controlled) {
      if (!runtime_.is_active(junction)) continue;
      for (UnitId next : system.automaton(m.junctions[junction].automaton).adjacent) {
        if (unit_mark_[at(next)] == mark_) continue;
        unit_mark_[at(next)] = mark_;
        members_.push_back(next);
      }
    }
  }
  std::sort(members_.begin(), members_.end());
}

// Of members_, into key_.
void Clusters::find_key() {
  key_.assign(1, members_[0].index);
  for (UnitId unit : members_) {
    for (JunctionId junction : runtime_.system.units()[unit].controlled) {
      key_.push_back(2 * junction.index + (runtime_.is_active(junction) ? 1 : 0));
    }
  }
}

const std::vector<Cluster*>& Clusters::rebuild(const std::vector<UnitId>& units) {
  forget();
  ++mark_;
  fresh_.clear();
  for (UnitId unit : units) {
    if (unit_mark_[at(unit)] == mark_) continue;
    collect(unit);
    Cluster& cluster = find_cluster();
    if (cluster.in_force) continue;
    install(cluster);
    fresh_.push_back(&cluster);
  }
  return fresh_;
}

// Of members_.
Cluster& Clusters::find_cluster() {
  find_key();
  auto it = kept_.find(key_);
  if (it != kept_.end()) {
    ++runtime_.state.statistics.islands_reused;
    return *it->second;
  }
  std::unique_ptr<Cluster> cluster = build(members_);
  cluster->key = key_;
  cluster->key_hash = hash_of(key_);
  cluster->serial = ++built_;
  bytes_ += cluster->bytes;
  ++runtime_.state.statistics.islands_analysed;
  return *kept_.emplace(key_, std::move(cluster)).first->second;
}

std::unique_ptr<Cluster> Clusters::build(const std::vector<UnitId>& units) {
  const Plan& system = runtime_.system;
  auto cluster = std::make_unique<Cluster>();
  cluster->units = units;
  add_islands(*cluster);
  for (UnitId id : cluster->units) {
    const plan::Unit& unit = system.units()[id];
    for (StateId integral : unit.integrals) cluster->integrals.push_back(integral);
    cluster->reads_time |= unit.reads_time;
    append(cluster->pres, unit.pres);
    append(cluster->relations, unit.relations);
  }
  sort_unique(cluster->pres);
  sort_unique(cluster->relations);
  cluster->states.insert(cluster->states.end(), cluster->integrals.begin(),
                         cluster->integrals.end());
  const int dimension = static_cast<int>(cluster->states.size());
  if (dimension > 0) {
    cluster->rhs = std::make_unique<ClusterRhs>(*cluster, flow_, runtime_);
    solve::Settings settings;
    settings.relative_tolerance = runtime_.options.relative_tolerance;
    settings.absolute_tolerance = runtime_.options.absolute_tolerance;
    settings.max_step = longest_step();
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

// A free flight has no error that would keep a step short, and in a step that is long against what
// happens in it crossings are hard to see.
double Clusters::longest_step() const {
  constexpr double kSteps = 16;
  const double asked = runtime_.options.max_step;
  const double scale = runtime_.length().value_or(0) / kSteps;
  if (!(scale > 0)) return asked;
  return asked > 0 ? std::min(asked, scale) : scale;
}

// Cells joined by active junctions, island by island, in ascending order of their first cell.
void Clusters::add_islands(Cluster& cluster) {
  const Plan& system = runtime_.system;
  const model::Model& m = system.model();
  ++cell_marking_;
  const auto is_new = [this](CellId cell) {
    return std::exchange(cell_mark_[at(cell)], cell_marking_) != cell_marking_;
  };
  for (UnitId unit : cluster.units) {
    for (CellId start : system.units()[unit].cells) {
      if (!is_new(start)) continue;
      std::vector<CellId> cells{start};
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (JunctionId junction : system.cells()[cells[i]].controlled) {
          if (!runtime_.is_active(junction)) continue;
          for (const model::BondEnd& end : m.junctions[junction].bonds) {
            CellId next = system.cell_of(end.bond);
            if (is_new(next)) cells.push_back(next);
          }
        }
      }
      std::sort(cells.begin(), cells.end());
      auto slot = std::make_unique<Slot>();
      slot->island = find_island(std::move(cells));
      slot->start = cluster.starts;
      if (!slot->island->is_direct()) cluster.starts += slot->island->size();
      const auto& states = slot->island->states();
      cluster.states.insert(cluster.states.end(), states.begin(), states.end());
      cluster.slots.push_back(std::move(slot));
    }
  }
}

std::shared_ptr<const Island> Clusters::find_island(std::vector<CellId> cells) {
  std::shared_ptr<const Island> island = runtime_.system.modes().find(
      std::move(cells), [this](JunctionId junction) { return runtime_.is_active(junction); },
      static_cast<std::size_t>(runtime_.options.mode_cache_bytes));
  if (island->fault()) throw IslandProblem{*island->fault()};
  return island;
}

// Whoever was in force leaves word of how to begin there.
void Clusters::retire(Cluster& cluster) {
  const Course& course = runtime_.course_of(cluster);
  if (cluster.solver != nullptr) {
    runtime_.state.hints[cluster.key_hash] = {
        course.stepped ? cluster.solver->next_step_hint() : course.step_hint,
        course.motion.has_been_stiff};
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
  course.step_hint = known.step;
  course.motion.implicit = false;
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
    ++mark_;
    for (UnitId unit : all) {
      if (unit_mark_[at(unit)] == mark_) continue;
      collect(unit);
      put_in_force(find_cluster());
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
    cluster.solver->attach(runtime_.course_of(cluster).motion);
    cluster.counted = cluster.solver->counts();
  }
  state.statistics = counted;
}

void Clusters::prepare_step(Cluster& cluster) {
  if (!cluster.rates_made) {
    cluster.rates = FlowCode::of_rates(runtime_, cluster);
    cluster.rates_made = true;
    if (cluster.rates) add_bytes(cluster, cluster.rates->bytes());
  }
  if (cluster.rates) cluster.rates->refresh(flow_, runtime_);
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

FlowCode* Clusters::gap_code(RelationId relation) {
  const plan::Relation& r = runtime_.system.relations()[relation];
  Cluster* home = nullptr;  // the first that has states
  serials_.clear();
  for (UnitId unit : r.units) {
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (!serials_.empty() && serials_.back() == cluster->serial) continue;
    serials_.push_back(cluster->serial);
    if (cluster->states.empty()) continue;
    if (!runtime_.course_of(*cluster).stepped) return nullptr;
    if (home == nullptr) home = cluster;
  }
  if (home == nullptr) return nullptr;
  auto it = std::find_if(home->gaps.begin(), home->gaps.end(), [&](const auto& gap) {
    return gap.relation == relation && gap.clusters == serials_;
  });
  if (it == home->gaps.end()) {
    // Of clusters that come and go beside this one, few combinations are worth keeping.
    constexpr std::ptrdiff_t kCombinations = 8;
    const auto is_of = [&](const auto& gap) { return gap.relation == relation; };
    if (std::count_if(home->gaps.begin(), home->gaps.end(), is_of) >= kCombinations) {
      it = std::find_if(home->gaps.begin(), home->gaps.end(), is_of);
      if (it->code) drop_bytes(*home, it->code->bytes());
      home->gaps.erase(it);
    }
    std::unique_ptr<FlowCode> code = FlowCode::of_expression(runtime_, r.gap_expr);
    if (code) add_bytes(*home, code->bytes());
    home->gaps.push_back({relation, serials_, std::move(code)});
    it = std::prev(home->gaps.end());
  }
  if (it->code) it->code->refresh(flow_, runtime_);
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
