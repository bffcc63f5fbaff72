#pragma once
// What rows are read from (Reading), by where the run stands: time flows, an instant is arrived at,
// a microstep has settled.

#include "core/engine/attempt.hpp"
#include "core/engine/eyes.hpp"
#include "core/engine/faults.hpp"
#include "core/engine/recorder.hpp"

namespace cradle::engine {

// What all of them have in common.
class RunReading : public Reading {
 public:
  RunReading(const Runtime& runtime, Eyes& eyes) : runtime_(runtime), eyes_(eyes) {}

  std::optional<Number> power(expr::Op op, BondId bond) override {
    if (!runtime_.is_active(region_of(bond))) return std::nullopt;
    std::optional<Number> out;
    if (attempt([&] { out = read_power(op, bond); })) return out;
    eyes_.abandon();
    begin();
    return std::nullopt;
  }

 protected:
  virtual Number read_power(expr::Op op, BondId bond) = 0;
  virtual void begin() = 0;

  const Runtime& runtime_;
  Eyes& eyes_;

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
  FlowReading(const Runtime& runtime, Eyes& eyes, double t) : RunReading(runtime, eyes), t_(t) {
    FlowReading::begin();
  }
  plan::Value value(const RecordedColumn& column) override {
    return to_value(flow_->optional(*column.formula));
  }
  const Sketch::Values& draw(Sketch& sketch) override {
    const Sketch::Values& out = sketch.flowing(t_);
    begin();
    return out;
  }
  std::span<const int> modes() const override { return runtime_.state.mode; }

 protected:
  Number read_power(expr::Op op, BondId bond) override { return flow_->power(op, bond); }
  void begin() override { flow_ = &eyes_.flowing(t_); }

 private:
  double t_;
  FlowEvaluator* flow_ = nullptr;
};

// What stands before anything has happened at the present instant.
class ArrivalReading : public RunReading {
 public:
  ArrivalReading(const Runtime& runtime, Eyes& eyes) : RunReading(runtime, eyes) {
    ArrivalReading::begin();
  }
  plan::Value value(const RecordedColumn& column) override {
    return to_value(arrival_->optional(*column.formula));
  }
  const Sketch::Values& draw(Sketch& sketch) override {
    const Sketch::Values& out = sketch.arriving();
    begin();
    return out;
  }
  std::span<const int> modes() const override { return runtime_.state.arrival_mode; }

 protected:
  Number read_power(expr::Op op, BondId bond) override { return arrival_->power(op, bond); }
  void begin() override { arrival_ = &eyes_.arriving(); }

 private:
  FlowEvaluator* arrival_ = nullptr;
};

class InstantReading : public RunReading {
 public:
  InstantReading(const Runtime& runtime, Eyes& eyes) : RunReading(runtime, eyes) {
    InstantReading::begin();
  }
  // A product of impulses that only a column asks for has no value, and the run goes on.
  plan::Value value(const RecordedColumn& column) override {
    try {
      return inside_->value(*column.formula);
    } catch (const plan::ArithmeticFault& fault) {
      missing_.push_back({&column, fault});
    }
    eyes_.abandon();
    begin();
    return plan::Value::unknown();
  }
  struct Missing {
    const RecordedColumn* column;
    plan::ArithmeticFault fault;
  };
  std::span<const Missing> missing() const { return missing_; }
  const Sketch::Values& draw(Sketch& sketch) override {
    const Sketch::Values& out = sketch.inside();
    begin();
    return out;
  }
  std::span<const int> modes() const override { return runtime_.state.mode; }

 protected:
  Number read_power(expr::Op op, BondId bond) override { return inside_->power(op, bond); }
  void begin() override { inside_ = &eyes_.inside(InstantEvaluator::View::Tried); }

  InstantEvaluator* inside_ = nullptr;

 private:
  std::vector<Missing> missing_;
};

// The same where the microstep has no fixed point, or leaves open what happens.
class UnfinishedReading : public InstantReading {
 public:
  using InstantReading::InstantReading;
  plan::Value value(const RecordedColumn& column) override {
    plan::Value out = plan::Value::unknown();
    if (attempt([&] { out = inside_->value(*column.formula); })) return out;
    eyes_.abandon();
    begin();
    return plan::Value::unknown();
  }
};

}  // namespace cradle::engine
