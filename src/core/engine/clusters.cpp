#include "core/engine/clusters.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/engine/flow_code.hpp"

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
      flow_.begin(t);
      for (std::size_t i = 0; i < x.size(); ++i) flow_.set_state(cluster_.states[i], x[i]);
      std::size_t i = 0;
      for (const auto& slot : cluster_.slots) {
        const int count = static_cast<int>(slot->island->states().size());
        for (int s = 0; s < count; ++s) {
          const RegionId region = system_.model().states[slot->island->states()[at(s)]].region;
          dxdt[i++] = runtime_.is_active(region)
                          ? flow_.variable(*slot, slot->island->rate_variable(s))
                          : 0;
        }
      }
      for (StateId integral : cluster_.integrals) {
        const model::State& state = system_.model().states[integral];
        dxdt[i++] = runtime_.is_active(state.region) ? flow_.formula(state.rate) : 0;
      }
    } catch (...) {
      cluster_.rhs_failure = std::current_exception();
      flow_.abandon();
      std::fill(dxdt.begin(), dxdt.end(), std::numeric_limits<double>::quiet_NaN());
    }
  }

 private:
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

std::size_t Clusters::KeyHash::operator()(const std::vector<int32_t>& key) const noexcept {
  uint64_t h = 0xcbf29ce484222325ull;
  for (int32_t v : key) h = (h ^ static_cast<uint32_t>(v)) * 0x100000001b3ull;
  return h;
}

Clusters::Clusters(Runtime& runtime, FlowEvaluator& flow, Statistics& statistics)
    : runtime_(runtime), flow_(flow), statistics_(statistics) {
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
    find_key();
    auto it = kept_.find(key_);
    if (it == kept_.end()) {
      std::unique_ptr<Cluster> cluster = build(members_);
      cluster->key = key_;
      cluster->serial = ++built_;
      bytes_ += cluster->bytes;
      ++statistics_.islands_analysed;
      it = kept_.emplace(key_, std::move(cluster)).first;
    } else {
      ++statistics_.islands_reused;
    }
    if (!it->second->in_force) {
      install(*it->second);
      fresh_.push_back(it->second.get());
    }
  }
  return fresh_;
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
    settings.max_step = runtime_.options.max_step;
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
      const auto& states = slot->island->states();
      cluster.states.insert(cluster.states.end(), states.begin(), states.end());
      cluster.slots.push_back(std::move(slot));
    }
  }
}

std::shared_ptr<const Island> Clusters::find_island(std::vector<CellId> cells) {
  std::vector<int32_t> key{cells[0].index};
  for (CellId cell : cells) {
    for (JunctionId junction : runtime_.system.cells()[cell].controlled) {
      key.push_back(2 * junction.index + (runtime_.is_active(junction) ? 1 : 0));
    }
  }
  std::shared_ptr<const Island>& island = islands_[key];
  if (!island) {
    island = std::make_shared<const Island>(
        runtime_.system, std::move(cells),
        [this](JunctionId junction) { return runtime_.is_active(junction); });
    if (island->fault()) {
      plan::IslandFault fault = *island->fault();
      islands_.erase(key);
      throw IslandProblem{fault};
    }
  }
  return island;
}

void Clusters::install(Cluster& cluster) {
  for (UnitId unit : cluster.units) {
    Cluster*& slot = runtime_.cluster_of_unit[at(unit)];
    if (slot != nullptr) {
      if (slot->stepped) slot->step_hint = slot->solver->next_step_hint();
      slot->in_force = false;
      slot->left = instant_;
    }
    slot = &cluster;
  }
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
  cluster.installed = ++version_;
  cluster.at = runtime_.now;
  cluster.end = runtime_.now;
  cluster.audited = runtime_.now;
  cluster.stepped = false;
}

void Clusters::prepare_step(Cluster& cluster) {
  if (!cluster.rates_made) {
    cluster.rates = FlowCode::of_rates(runtime_, cluster);
    cluster.rates_made = true;
    if (cluster.rates) add_bytes(cluster, cluster.rates->bytes());
  }
  if (cluster.rates) cluster.rates->refresh(flow_, runtime_);
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
    if (!cluster->stepped) return nullptr;
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
  std::erase_if(islands_, [](const auto& item) { return item.second.use_count() == 1; });
  // Where most of it is needed, looking again at each step would gain nothing.
  trim_above_ = std::max(static_cast<std::size_t>(runtime_.options.mode_cache_bytes), 2 * bytes_);
}

}  // namespace cradle::engine
