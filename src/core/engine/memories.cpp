#include "core/engine/memories.hpp"

#include <algorithm>

namespace cradle::engine {

using plan::Value;
using MemoryKind = model::Memory::Kind;

// Events of a time delay that were microsteps apart stay so.
void Memories::due(MemoryId id, const Value& value) {
  const bool taken = std::any_of(state_.next.begin(), state_.next.end(),
                                 [id](const Said& next) { return next.id == id; });
  (taken ? state_.later : state_.next).push_back({id, value});
}

bool Memories::crossed(ComparisonId comparison, char& truth, bool was_live, Moment moment) {
  if (!comparison.valid()) return false;
  const char before = truth;
  truth = inside_.judge(comparison, before != 0) ? 1 : 0;
  if (before != 0 || truth == 0) return false;
  const double gap = inside_.value(runtime_.system.comparisons()[comparison].gap_expr).finite;
  state_.passed_by[at(comparison)] = moment == Moment::Arrival ? std::max(gap, 0.0) : 0;
  return was_live;
}

// A detector begins anew: what is within rounding of zero has crossed it already.
void Memories::forget_crossings(MemoryId id) {
  state_.detectors[at(id)] = {};
  const plan::CompiledMemory& memory = runtime_.system.memory(id);
  for (ComparisonId r : {memory.rising, memory.falling}) {
    if (!r.valid()) continue;
    state_.passed_by[at(r)] = 0;
    state_.truth[at(r)] = 1;
  }
}

void Memories::set_ready(ComparisonId id, bool ready) {
  const MemoryId memory = runtime_.system.comparisons()[id].detector;
  const bool rising = runtime_.system.memory(memory).rising == id;
  Detector& detector = state_.detectors[at(memory)];
  (rising ? detector.rising : detector.falling) = ready ? 0 : 1;
  state_.truth[at(id)] = ready ? 0 : 1;
}

bool Memories::look(MemoryId id, Moment moment) {
  const model::Memory& memory = runtime_.system.model().memories[id];
  if (!runtime_.is_active(memory.region)) {
    forget_crossings(id);
    return false;
  }
  switch (memory.kind) {
    case MemoryKind::Schedule:
      return false;
    case MemoryKind::Crossing: {
      const plan::CompiledMemory& compiled = runtime_.system.memory(id);
      Detector& detector = state_.detectors[at(id)];
      const bool was_live = detector.live && moment != Moment::Start;
      const bool rises = crossed(compiled.rising, detector.rising, was_live, moment);
      const bool falls = crossed(compiled.falling, detector.falling, was_live, moment);
      detector.live = true;
      if (!rises && !falls) return false;
      state_.next.push_back({id, 1.0});
      return true;
    }
    case MemoryKind::Delay: {
      const Value value = inside_.value(memory.input);
      if (!value.is_present()) return false;
      state_.next.push_back({id, value});
      return true;
    }
    case MemoryKind::Last: {
      const Value value = inside_.value(memory.input);
      if (!value.is_present() || value == state_.memory[at(id)]) return false;
      if (runtime_.system.memory(id).quiet) {
        state_.quiet.push_back({id, value});
        return false;
      }
      state_.next.push_back({id, value});
      return true;
    }
    case MemoryKind::TimeDelay: {
      const Value value = inside_.value(memory.input);
      if (value.is_present()) lay_aside(id, value);
      return false;
    }
    case MemoryKind::HeldDelay: {
      const Value value = inside_.value(memory.input);
      if (!value.is_present() || value == state_.given[at(id)]) return false;
      state_.given[at(id)] = value;
      lay_aside(id, value);
      return false;
    }
  }
  return false;
}

void Memories::lay_aside(MemoryId id, const Value& value) {
  const Plan& plan = runtime_.system;
  const double time = state_.now + plan.offset(plan.model().memories[id]);
  const int64_t order = state_.order++;
  state_.futures[order] = {time, order, id, value};
  new_futures_.push_back(order);
}

void Memories::commit_quiet() {
  for (const Said& next : state_.quiet) state_.memory[at(next.id)] = next.value;
  state_.quiet.clear();
}

void Memories::silence() {
  const model::Model& m = runtime_.system.model();
  state_.silenced.clear();
  for (MemoryId id : state_.speaking) {
    if (m.memories[id].lasts()) continue;
    state_.memory[at(id)] = Value::absent();
    state_.silenced.push_back(id);
  }
  state_.speaking.clear();
}

void Memories::advance() {
  silence();
  commit_quiet();
  for (const Said& next : state_.next) {
    state_.memory[at(next.id)] = next.value;
    state_.speaking.push_back(next.id);
  }
  state_.next.clear();
  state_.later.swap(now_due_);
  for (const Said& next : now_due_) due(next.id, next.value);
  now_due_.clear();
}

void Memories::reset(MemoryId id) {
  const model::Model& m = runtime_.system.model();
  const model::Memory& memory = m.memories[id];
  std::erase_if(state_.next, [id](const Said& next) { return next.id == id; });
  std::erase_if(state_.quiet, [id](const Said& next) { return next.id == id; });
  std::erase_if(state_.later, [id](const Said& next) { return next.id == id; });
  forget_crossings(id);
  if (!memory.lasts()) return;
  const double initial = runtime_.system.number(memory.initial);
  state_.given[at(id)] = initial;
  set(id, initial);
}

void Memories::set(MemoryId id, double value) {
  std::erase_if(state_.next, [id](const Said& next) { return next.id == id; });
  state_.next.push_back({id, value});
}

}  // namespace cradle::engine
