#include "core/plan/compiled.hpp"

#include "core/plan/mode_code.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

constexpr int32_t kRegisters = 0, kStates = 1, kResults = 2, kTime = 3;  // arrays

machine::Step step_of(const Instruction& in) {
  using Kind = machine::Step::Kind;
  switch (in.what) {
    case Do::Add:
      return {Kind::Operator, Op::Add, in.target, in.a, in.b, -1};
    case Do::Sub:
      return {Kind::Operator, Op::Sub, in.target, in.a, in.b, -1};
    case Do::Mul:
      return {Kind::Operator, Op::Mul, in.target, in.a, in.b, -1};
    case Do::Div:
      return {Kind::Operator, Op::Div, in.target, in.a, in.b, -1};
    case Do::MultiplyAdd:
      return {Kind::MultiplyAdd, Op::Add, in.target, in.a, in.b, in.c};
    case Do::Select:
      return {Kind::Operator, Op::If, in.target, in.a, in.b, in.c};
    default:
      CRADLE_ASSERT(in.what == Do::Apply1 || in.what == Do::Apply2, "it computes numbers");
      return {Kind::Operator, in.op, in.target, in.a, in.what == Do::Apply1 ? -1 : in.b, -1};
  }
}

machine::Recipe recipe_of(const ModeCode& code, std::span<const int> components) {
  machine::Recipe out;
  for (int32_t r = 0; r < code.registers; ++r) out.homes.push_back({kRegisters, r});
  bool checks = false;
  for (std::size_t i = code.frozen; i < code.list.size(); ++i) {
    const Instruction& in = code.list[i];
    if (i >= code.inputs) {
      out.steps.push_back(step_of(in));
      checks |= in.target == code.sound;
    } else {
      out.homes[at(in.target)] = in.op == Op::Time ? machine::Home{kTime, 0}
                                                   : machine::Home{kStates, components[at(in.b)]};
    }
  }
  for (std::size_t i = 0; i < code.results.size(); ++i) {
    out.results.push_back({code.results[i], {kResults, static_cast<int32_t>(i)}});
  }
  if (checks) out.results.push_back({code.sound, {kRegisters, code.sound}});
  return out;
}

}  // namespace

const machine::Program* Compiled::of_motion(const ModeCode& code,
                                            std::span<const int> components) const {
  return find(0, components, [&] { return recipe_of(code, components); });
}

std::size_t Compiled::bytes() const {
  std::size_t out = sizeof *this;
  items_.each([&](const Item& item) {
    out += sizeof item + item.components.capacity() * sizeof(int);
    if (item.program) out += sizeof *item.program + item.program->bytes();
  });
  return out;
}

}  // namespace cradle::plan
