// Watching relations while time flows: where does the gap between their sides change its sign?

#include <algorithm>

#include "simulate/engine.hpp"
#include "simulate/flow_code.hpp"
#include "solve/crossing.hpp"

namespace cradle::simulate {

namespace {

class RelationGap : public solve::Gap {
 public:
  RelationGap(FlowEvaluator& flow, const compile::Program& program, double margin = 0)
      : flow_(flow), program_(program), margin_(margin) {}
  double operator()(double t) override {
    flow_.begin(t);
    return flow_.run(program_) - margin_;
  }

 private:
  FlowEvaluator& flow_;
  const compile::Program& program_;
  double margin_;
};

// The end of the first smooth piece of the gap on (a, b]. Each kink is sought where those inside it
// have none, so that it is smooth itself.
double end_of_piece(FlowEvaluator& flow, const compile::Relation& relation, double a, double b) {
  for (const compile::Program& program : relation.kinks) {
    RelationGap kink(flow, program);
    if (auto found = solve::first_change(kink, true, solve::holds(kink(a), true), a, b)) b = *found;
  }
  return b;
}

// As solve::first_change, which takes the gap to be smooth, piece by piece: near a kink a guard
// like abs(x) < 0.001 can be true for a moment that no interpolant shows.
std::optional<double> first_change(FlowEvaluator& flow, const compile::Relation& relation,
                                   double margin, bool strict, bool truth, double a, double b) {
  RelationGap gap(flow, relation.gap, margin);
  constexpr int kMostPieces = 256;  // rounding can make a kink flicker
  for (int piece = 0; !relation.kinks.empty() && piece < kMostPieces && a < b; ++piece) {
    const double end = end_of_piece(flow, relation, a, b);
    if (auto found = solve::first_change(gap, strict, truth, a, end)) return found;
    a = end;
  }
  return solve::first_change(gap, strict, truth, a, b);
}

class CodeGap : public solve::Gap {
 public:
  CodeGap(FlowCode& code, const solve::Solver& dense, double margin)
      : code_(code), dense_(dense), margin_(margin) {}
  double operator()(double t) override { return code_.run(t, dense_) - margin_; }

 private:
  FlowCode& code_;
  const solve::Solver& dense_;
  double margin_;
};

}  // namespace

// A relation matters while a transition that can be taken next reads it, or a rate, or a recorded
// column does.
bool Engine::is_live(RelationId id) const {
  const compile::Relation& relation = system_.relations()[id];
  if (!relation.watched) return false;
  if (relation_is_shown_[at(id)] != 0) return true;
  for (auto [automaton, t] : relation.guards) {
    const model::Automaton& a = system_.model().automata[automaton];
    const int from = a.transitions[static_cast<std::size_t>(t)].from;
    if (from == runtime_.mode[at(automaton)] && runtime_.is_active(a.region)) return true;
  }
  auto is_listening = [this](MemoryId memory) {
    return runtime_.is_active(system_.model().memories[memory].region);
  };
  if (std::any_of(relation.memories.begin(), relation.memories.end(), is_listening)) return true;
  if (relation.detector.valid() && is_listening(relation.detector)) return true;
  for (UnitId unit : relation.used_by) {
    const Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (!cluster->states.empty()) return true;
  }
  return false;
}

// From now on, with the truth as it stands.
void Engine::rewatch(RelationId id) {
  Watch& watch = watches_[at(id)];
  ++watch.version;
  watch.pending = false;
  watch.checked = runtime_.now;
  watch.margin = 0;
  scan(id);
}

// A relation that is true by rounding alone and was let be counts once it is clearly true, or once
// it has been false again.
void Engine::watch_noisy(const Touched& touched) {
  for (RelationId id : touched.noisy) {
    const compile::Relation& relation = system_.relations()[id];
    if (!relation.watched || runtime_.truth[at(id)] == 0) continue;
    rewatch(id);
    Watch& watch = watches_[at(id)];
    ++watch.version;
    watch.pending = false;
    watch.checked = runtime_.now;
    watch.margin = 2 * noise_of(id);
    scan(id);
  }
}

// Up to where all that the relation reads is known. `timed`: it reads no state, only time.
double Engine::horizon(const compile::Relation& relation, bool& timed) const {
  double end = until_;
  timed = true;
  for (UnitId unit : relation.units) {
    const Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (cluster->states.empty()) continue;
    timed = false;
    end = std::min(end, cluster->end);
  }
  return end;
}

// A detector is ready again when the gap is clearly below where it was when it last spoke.
template <class Search>
std::optional<double> Engine::search_detector(RelationId id, double end, Search&& search) {
  double& passed_by = runtime_.passed_by[at(id)];
  if (runtime_.truth[at(id)] != 0) {
    return search(false, true, end, passed_by - runtime_.rounding_of(system_.relations()[id]));
  }
  if (passed_by == 0) return search(false, false, end, 0);
  // If it comes back to the level itself, that counts from then on.
  const std::optional<double> back = search(false, true, end, 0);
  const std::optional<double> again = search(false, false, end, passed_by);
  if (!back || (again && *again < *back)) return again;
  passed_by = 0;
  watches_[at(id)].checked = *back;
  return search(false, false, end, 0);
}

constexpr double kParts = 64;  // of the run, looked at at once where nothing but time moves

void Engine::scan(RelationId id) {
  const compile::Relation& relation = system_.relations()[id];
  Watch& watch = watches_[at(id)];
  if (watch.pending || !is_live(id)) return;
  bool timed = false;
  double end = horizon(relation, timed);
  if (timed) {
    bool moves = relation.reads.time;
    for (UnitId unit : relation.units) moves |= runtime_.cluster_of_unit[at(unit)]->reads_time;
    if (!moves) return;
    // Time alone has no solver that would choose a step: look at a part of the run at once, and at
    // less where changes follow each other closely.
    if (watch.window == 0) watch.window = until_ / kParts;
    end = std::min(end, watch.checked + watch.window);
  }
  if (watch.not_before > watch.checked) {
    if (watch.not_before >= end) {
      watch.checked = end;
      if (timed && end < until_) {
        agenda_.push({end, Entry::Kind::TimeWatch, id.index, watch.version});
      }
      return;
    }
    watch.checked = watch.not_before;
  }
  if (!(end > watch.checked)) return;
  FlowCode* code = nullptr;
  const solve::Solver* dense = nullptr;
  if (!timed && relation.kinks.empty()) {
    Cluster& cluster = *runtime_.cluster_of_unit[at(relation.units[0])];
    if (cluster.stepped) code = clusters_.gap_code(cluster, id);
    dense = cluster.solver.get();
  }
  auto search = [&](bool strict, bool truth, double to, double margin) {
    if (code != nullptr) {
      CodeGap gap(*code, *dense, margin);
      return solve::first_change(gap, strict, truth, watch.checked, to);
    }
    return first_change(flow_, relation, margin, strict, truth, watch.checked, to);
  };
  flow_.remember(instants_);
  const bool truth = runtime_.truth[at(id)] != 0;
  std::optional<double> found = relation.detector.valid() ? search_detector(id, end, search)
                                                          : search(relation.strict, truth, end, 0);
  if (watch.margin > 0) {
    if (auto later = search(true, false, found ? *found : end, watch.margin)) found = later;
  }
  flow_.remember(0);
  if (timed) {
    constexpr double kAhead = 3;  // intervals between the last changes
    watch.window =
        std::min(until_ / kParts,
                 found && watch.found >= 0 ? kAhead * (*found - watch.found) : 2 * watch.window);
    if (found) watch.found = *found;
  }
  if (found) {
    watch.pending = true;
    watch.checked = *found;
    agenda_.push({*found, Entry::Kind::Crossing, id.index, watch.version});
    return;
  }
  watch.checked = end;
  if (timed && end < until_) agenda_.push({end, Entry::Kind::TimeWatch, id.index, watch.version});
}

void Engine::watch_cluster(Cluster& cluster) {
  for (UnitId unit : cluster.units) {
    for (RelationId r : system_.units()[unit].watched_by) scan(r);
  }
}

}  // namespace cradle::simulate
