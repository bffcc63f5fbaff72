#include "core/engine/memories.hpp"

#include <algorithm>

namespace cradle::engine {

using plan::Value;
using Kind = model::Memory::Kind;

Memories::Memories(Runtime& runtime, TickEvaluator& tick) : runtime_(runtime), tick_(tick) {
  detectors_.resize(runtime.system.model().memories.size());
  seen_ = runtime.memory;
}

// Events of a time delay that were microsteps apart stay so.
void Memories::due(MemoryId id, const Value& value) {
  const bool taken =
      std::any_of(next_.begin(), next_.end(), [id](const Next& next) { return next.id == id; });
  (taken ? later_ : next_).push_back({id, value});
}

std::vector<Memories::Next> Memories::waiting() const {
  std::vector<Next> all = next_;
  all.insert(all.end(), later_.begin(), later_.end());
  return all;
}

bool Memories::crossed(RelationId relation, char& truth, bool was_live, Moment moment) {
  if (!relation.valid()) return false;
  const char before = truth;
  truth = tick_.judge(relation, before != 0) ? 1 : 0;
  if (before != 0 || truth == 0) return false;
  const double gap = tick_.value(runtime_.system.relations()[relation].gap_expr).finite;
  runtime_.passed_by[at(relation)] = moment == Moment::Arrival ? std::max(gap, 0.0) : 0;
  return was_live;
}

// A detector begins anew: what is within rounding of zero has crossed it already.
void Memories::forget_crossings(MemoryId id) {
  detectors_[at(id)] = {};
  const plan::CompiledMemory& memory = runtime_.system.memory(id);
  for (RelationId r : {memory.rising, memory.falling}) {
    if (!r.valid()) continue;
    runtime_.passed_by[at(r)] = 0;
    runtime_.truth[at(r)] = 1;
  }
}

void Memories::set_ready(RelationId id, bool ready) {
  const MemoryId memory = runtime_.system.relations()[id].detector;
  const bool rising = runtime_.system.memory(memory).rising == id;
  Detector& detector = detectors_[at(memory)];
  (rising ? detector.rising : detector.falling) = ready ? 0 : 1;
  runtime_.truth[at(id)] = ready ? 0 : 1;
}

bool Memories::look(MemoryId id, Moment moment) {
  const model::Memory& memory = runtime_.system.model().memories[id];
  if (!runtime_.is_active(memory.region)) {
    forget_crossings(id);
    return false;
  }
  switch (memory.kind) {
    case Kind::Schedule:
      return false;
    case Kind::Crossing: {
      const plan::CompiledMemory& compiled = runtime_.system.memory(id);
      Detector& detector = detectors_[at(id)];
      const bool was_live = detector.live && moment != Moment::Start;
      const bool rises = crossed(compiled.rising, detector.rising, was_live, moment);
      const bool falls = crossed(compiled.falling, detector.falling, was_live, moment);
      detector.live = true;
      if (!rises && !falls) return false;
      next_.push_back({id, 1.0});
      return true;
    }
    case Kind::Delay: {
      const Value value = tick_.value(memory.input);
      if (!value.is_present()) return false;
      next_.push_back({id, value});
      return true;
    }
    case Kind::Last: {
      const Value value = tick_.value(memory.input);
      if (!value.is_present() || value == runtime_.memory[at(id)]) return false;
      if (runtime_.system.memory(id).quiet) {
        quiet_.push_back({id, value});
        return false;
      }
      next_.push_back({id, value});
      return true;
    }
    case Kind::TimeDelay: {
      const Value value = tick_.value(memory.input);
      if (value.is_present()) {
        new_futures_.push_back({runtime_.now + memory.offset, order_++, id, value});
      }
      return false;
    }
    case Kind::HeldDelay: {
      const Value value = tick_.value(memory.input);
      if (!value.is_present() || value == seen_[at(id)]) return false;
      seen_[at(id)] = value;
      new_futures_.push_back({runtime_.now + memory.offset, order_++, id, value});
      return false;
    }
  }
  return false;
}

void Memories::commit_quiet() {
  for (const Next& next : quiet_) runtime_.memory[at(next.id)] = next.value;
  quiet_.clear();
}

void Memories::silence() {
  const model::Model& m = runtime_.system.model();
  silenced_.clear();
  for (MemoryId id : speaking_) {
    if (m.memories[id].lasts()) continue;
    runtime_.memory[at(id)] = Value::absent();
    silenced_.push_back(id);
  }
  speaking_.clear();
}

void Memories::advance() {
  silence();
  commit_quiet();
  for (const Next& next : next_) {
    runtime_.memory[at(next.id)] = next.value;
    speaking_.push_back(next.id);
  }
  next_.clear();
  later_.swap(now_due_);
  for (const Next& next : now_due_) due(next.id, next.value);
  now_due_.clear();
}

void Memories::reset(MemoryId id) {
  const model::Model& m = runtime_.system.model();
  const model::Memory& memory = m.memories[id];
  std::erase_if(next_, [id](const Next& next) { return next.id == id; });
  std::erase_if(quiet_, [id](const Next& next) { return next.id == id; });
  std::erase_if(later_, [id](const Next& next) { return next.id == id; });
  forget_crossings(id);
  if (!memory.lasts()) return;
  const double initial = m.pool.constant_value(memory.initial);
  seen_[at(id)] = initial;
  set(id, initial);
}

void Memories::set(MemoryId id, double value) {
  std::erase_if(next_, [id](const Next& next) { return next.id == id; });
  next_.push_back({id, value});
}

}  // namespace cradle::engine
