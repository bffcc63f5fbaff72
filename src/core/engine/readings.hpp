#pragma once
// What rows are read from (Reading), by where the run stands: time flows, an instant is arrived at,
// a microstep has settled.

#include "core/engine/attempt.hpp"
#include "core/engine/recorder.hpp"
#include "core/engine/sketch.hpp"

namespace cradle::engine {

// What all of them have in common.
class RunReading : public Reading {
 public:
  explicit RunReading(const Runtime& runtime) : runtime_(runtime) {}

  std::optional<Number> power(expr::Op op, BondId bond) override {
    if (!runtime_.is_active(region_of(bond))) return std::nullopt;
    std::optional<Number> out;
    const bool known = attempt([&] { out = read_power(op, bond); });
    if (!known) recover();
    return out;
  }

 protected:
  virtual Number read_power(expr::Op op, BondId bond) = 0;
  virtual void recover() = 0;  // begins anew after it has broken off

  const Runtime& runtime_;

 private:
  RegionId region_of(BondId bond) const {
    const model::Model& m = runtime_.system.model();
    const model::End& end = m.bonds[bond].from;
    return end.element.valid() ? m.elements[end.element].region : m.junctions[end.junction].region;
  }
};

inline plan::Value to_value(const std::optional<double>& value) {
  return value ? plan::Value(*value) : plan::Value::absent();
}

class FlowReading : public RunReading {
 public:
  FlowReading(const Runtime& runtime, FlowEvaluator& flow, double t)
      : RunReading(runtime), flow_(flow), t_(t) {
    flow_.begin(t);
  }
  plan::Value value(const RecordedColumn& column) override {
    return to_value(flow_.optional(column.value));
  }
  const Sketch::Values& draw(Sketch& sketch) override { return sketch.flowing(t_); }
  std::span<const int> modes() const override { return runtime_.mode; }

 protected:
  Number read_power(expr::Op op, BondId bond) override { return flow_.power(op, bond); }
  void recover() override {
    flow_.abandon();
    flow_.begin(t_);
  }

 private:
  FlowEvaluator& flow_;
  double t_;
};

// What stands before anything has happened at the present instant.
class ArrivalReading : public RunReading {
 public:
  ArrivalReading(const Runtime& runtime, FlowEvaluator& arrival)
      : RunReading(runtime), arrival_(arrival) {}
  plan::Value value(const RecordedColumn& column) override {
    return to_value(arrival_.optional(column.value));
  }
  const Sketch::Values& draw(Sketch& sketch) override { return sketch.arriving(); }
  std::span<const int> modes() const override { return runtime_.arrival_mode; }

 protected:
  Number read_power(expr::Op op, BondId bond) override { return arrival_.power(op, bond); }
  void recover() override {
    arrival_.abandon();
    arrival_.begin(runtime_.now);
  }

 private:
  FlowEvaluator& arrival_;
};

class TickReading : public RunReading {
 public:
  TickReading(const Runtime& runtime, TickEvaluator& tick, FlowEvaluator& arrival,
              const Choices& choices)
      : RunReading(runtime), tick_(tick), arrival_(arrival), choices_(choices) {}
  plan::Value value(const RecordedColumn& column) override {
    asked_ = &column;
    return tick_.value(column.value);
  }
  const RecordedColumn& asked() const { return *asked_; }  // last
  const Sketch::Values& draw(Sketch& sketch) override { return sketch.inside(choices_); }
  std::span<const int> modes() const override { return runtime_.mode; }

 protected:
  Number read_power(expr::Op op, BondId bond) override { return tick_.power(op, bond); }
  void recover() override {
    tick_.abandon();
    arrival_.abandon();
    tick_.begin(TickEvaluator::View::Tried);
  }

  TickEvaluator& tick_;

 private:
  FlowEvaluator& arrival_;
  const Choices& choices_;
  const RecordedColumn* asked_ = nullptr;
};

// The same where the tick has no fixed point, or leaves open what happens.
class UnfinishedReading : public TickReading {
 public:
  using TickReading::TickReading;
  plan::Value value(const RecordedColumn& column) override {
    try {
      return tick_.value(column.value);
    } catch (const LoopFault&) {
      tick_.abandon();
    } catch (const OpenChoice&) {
      tick_.abandon();
    }
    return plan::Value::unknown();
  }
};

}  // namespace cradle::engine
