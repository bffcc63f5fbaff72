#include "core/machine/program.hpp"

#ifdef CRADLE_MACHINE_CODE

#include <asmjit/x86.h>

#include <bit>
#include <utility>

#include "base/basics/ids.hpp"
#include "core/machine/allocation.hpp"
#include "core/machine/functions.hpp"

namespace cradle::machine {

using expr::Op;

namespace {

namespace x86 = asmjit::x86;
using asmjit::InstId;
using asmjit::Operand;
namespace Inst = x86::Inst;

// An instruction with two operands, of which the first is overwritten, and with three.
struct Pair {
  InstId sse2, avx;
};
constexpr Pair kAdd{Inst::kIdAddsd, Inst::kIdVaddsd}, kSub{Inst::kIdSubsd, Inst::kIdVsubsd},
    kMul{Inst::kIdMulsd, Inst::kIdVmulsd}, kDiv{Inst::kIdDivsd, Inst::kIdVdivsd},
    kSmaller{Inst::kIdMinsd, Inst::kIdVminsd}, kLarger{Inst::kIdMaxsd, Inst::kIdVmaxsd},
    kRoot{Inst::kIdSqrtsd, Inst::kIdVsqrtsd}, kAnd{Inst::kIdAndpd, Inst::kIdVandpd},
    kAndNot{Inst::kIdAndnpd, Inst::kIdVandnpd}, kOr{Inst::kIdOrpd, Inst::kIdVorpd},
    kXor{Inst::kIdXorpd, Inst::kIdVxorpd};

// How CMPSD compares.
enum class Relation : uint8_t { Equal = 0, Less = 1, LessEqual = 2, Unordered = 3, NotEqual = 4 };

// Numbers that are in registers for a moment only.
const x86::Xmm kMask = x86::xmm15, kOther = x86::xmm14, kThird = x86::xmm13;

// Instructions, with SSE2 or with AVX.
class Writer {
 public:
  Writer(asmjit::CodeHolder& code, Level level) : out_(&code), avx_(level == Level::Avx) {
    for (asmjit::Label* label : {&sign_, &rest_, &one_}) *label = out_.newLabel();
  }
  bool good() const { return error_ == asmjit::kErrorOk; }
  x86::Mem sign() const { return x86::ptr(sign_); }  // the sign of a number, in both halves
  x86::Mem rest() const { return x86::ptr(rest_); }  // and all but the sign
  x86::Mem one() const { return x86::ptr(one_); }

  template <class... Operands>
  void emit(InstId what, const Operands&... operands) {
    error_ |= out_.emit(what, operands...);
  }
  // One double; what stands beside it in the register does not count.
  void move(const x86::Xmm& to, const Operand& from) {
    if (from == to) return;
    if (from.isMem()) {
      emit(avx_ ? Inst::kIdVmovsd : Inst::kIdMovsd, to, from);
    } else {
      emit(avx_ ? Inst::kIdVmovapd : Inst::kIdMovapd, to, from);
    }
  }
  void store(const x86::Mem& to, const x86::Xmm& from) {
    emit(avx_ ? Inst::kIdVmovsd : Inst::kIdMovsd, to, from);
  }
  // to = a op b. In SSE2 by way of kThird, if b is where the result goes.
  template <class... Immediate>
  void binary(const Pair& what, const x86::Xmm& to, const x86::Xmm& a, const Operand& b,
              const Immediate&... immediate) {
    if (avx_) return emit(what.avx, to, a, b, immediate...);
    const bool in_the_way = b == to && a != to;
    if (in_the_way) move(kThird, b);
    move(to, a);
    emit(what.sse2, to, in_the_way ? Operand(kThird) : b, immediate...);
  }
  void compare(Relation how, const x86::Xmm& to, const x86::Xmm& a, const Operand& b) {
    binary({Inst::kIdCmpsd, Inst::kIdVcmpsd}, to, a, b, asmjit::Imm(static_cast<uint8_t>(how)));
  }
  void clear(const x86::Xmm& to) {
    if (avx_) return emit(Inst::kIdVxorpd, to, to, to);
    emit(Inst::kIdXorpd, to, to);
  }
  // Where kMask is set a, and b elsewhere. Neither is kMask; kOther is overwritten.
  void blend(const x86::Xmm& to, const x86::Xmm& a, const x86::Xmm& b) {
    if (avx_) return emit(Inst::kIdVblendvpd, to, b, a, kMask);
    binary(kAnd, kOther, a, kMask);
    binary(kAndNot, kMask, kMask, b);
    binary(kOr, to, kMask, kOther);
  }

  // What is called with numbers may use all registers for them.
  void enter(bool calls) {
    if (!calls) return;
    for (const x86::Gp& saved : kSaved) emit(Inst::kIdPush, saved);
    emit(Inst::kIdSub, x86::rsp, asmjit::Imm(8));
    for (std::size_t i = 0; i < kArrays; ++i) emit(Inst::kIdMov, kSaved[i], kGiven[i]);
  }
  void leave(bool calls) {
    if (calls) {
      emit(Inst::kIdAdd, x86::rsp, asmjit::Imm(8));
      for (std::size_t i = kArrays; i-- > 0;) emit(Inst::kIdPop, kSaved[i]);
    }
    emit(Inst::kIdRet);
  }
  void call(uintptr_t function) {
    emit(Inst::kIdMov, x86::rax, asmjit::Imm(function));
    emit(Inst::kIdCall, x86::rax);
  }
  static x86::Mem place(const Home& home, bool calls) {
    const x86::Gp& base = (calls ? kSaved : kGiven)[at(home.array)];
    return x86::qword_ptr(base, static_cast<int32_t>(sizeof(double)) * home.index);
  }
  void embed_constants() {
    constexpr uint64_t sign = uint64_t{1} << 63;
    error_ |= out_.align(asmjit::AlignMode::kData, 16);
    embed(sign_, sign);
    embed(rest_, ~sign);
    embed(one_, std::bit_cast<uint64_t>(1.0));
  }

 private:
  static const x86::Gp kGiven[kArrays], kSaved[kArrays];

  void embed(const asmjit::Label& label, uint64_t bits) {
    const uint64_t both[] = {bits, bits};
    error_ |= out_.bind(label);
    error_ |= out_.embed(both, sizeof both);
  }

  x86::Assembler out_;
  const bool avx_;
  asmjit::Error error_ = asmjit::kErrorOk;
  asmjit::Label sign_, rest_, one_;
};

// As functions get them (System V ABI), and where they stay over a call.
const x86::Gp Writer::kGiven[kArrays] = {x86::rdi, x86::rsi, x86::rdx, x86::rcx};
const x86::Gp Writer::kSaved[kArrays] = {x86::rbx, x86::r12, x86::r13, x86::r14};

bool is_call(const Step& step) {
  if (step.kind == Step::Kind::MultiplyAdd) return false;
  switch (step.op) {
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
    case Op::Sqrt:
    case Op::FiniteOf:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::If:
      return false;
    default:
      return true;
  }
}

class Compiler {
 public:
  Compiler(const Recipe& recipe, asmjit::CodeHolder& code, Level level)
      : recipe_(recipe),
        uses_(recipe),
        registers_(recipe),
        out_(code, level),
        place_(recipe.homes),
        in_memory_(recipe.homes.size(), 1),
        first_result_(recipe.homes.size(), -1),
        next_result_(recipe.results.size(), -1) {
    for (const Step& step : recipe.steps) {
      in_memory_[at(step.target)] = 0;
      calls_ |= is_call(step);
    }
    for (std::size_t i = 0; i < recipe.results.size(); ++i) {
      int32_t& first = first_result_[at(recipe.results[i].number)];
      next_result_[i] = std::exchange(first, static_cast<int32_t>(i));
    }
  }

  // False: it cannot be written.
  bool write() {
    out_.enter(calls_);
    for (std::size_t n = 0; n < place_.size(); ++n) {
      if (in_memory_[n] != 0 && first_result_[n] >= 0) write_given(static_cast<int32_t>(n));
    }
    for (std::size_t i = 0; i < recipe_.steps.size(); ++i) {
      const Step& step = recipe_.steps[i];
      if (uses_.first(step.target) == Uses::never && first_result_[at(step.target)] < 0) {
        release_operands(i, step);  // nobody reads it
      } else if (!write_step(i, step)) {
        return false;
      }
    }
    out_.leave(calls_);
    out_.embed_constants();
    return out_.good();
  }

 private:
  static x86::Xmm xmm(int place) { return x86::xmm(static_cast<uint32_t>(place)); }
  x86::Mem memory(int32_t number) const { return Writer::place(place_[at(number)], calls_); }

  // Where a number is now.
  Operand operand(int32_t number) const {
    const int place = registers_.register_of(number);
    if (place != Allocation::none) return xmm(place);
    return memory(number);
  }
  // The same in a register: one that it keeps, if there is one and it is read again.
  x86::Xmm fetch(int32_t number, int32_t next_use, const x86::Xmm& spare) {
    if (const int known = registers_.register_of(number); known != Allocation::none) {
      return xmm(known);
    }
    const int free = next_use == Uses::never ? Allocation::none : registers_.free_register();
    const x86::Xmm out = free == Allocation::none ? spare : xmm(free);
    out_.move(out, memory(number));
    if (free != Allocation::none) registers_.hold(free, number, next_use);
    return out;
  }

  void put_aside(int place) {
    const int32_t number = registers_.held_by(place);
    if (std::exchange(in_memory_[at(number)], 1) == 0) out_.store(memory(number), xmm(place));
  }

  // For what is made now; kMask if it is needed later than all that is in registers.
  x86::Xmm target_of(int32_t number) {
    int place = registers_.free_register();
    const int32_t first = uses_.first(number);
    if (place == Allocation::none) {
      place = registers_.latest();
      if (registers_.next_use(place) <= first) return kMask;
      put_aside(place);
      registers_.release(place);
    }
    if (first == Uses::never) return xmm(place);  // a result and nothing else
    registers_.hold(place, number, first);
    return xmm(place);
  }
  void made(int32_t number, const x86::Xmm& where) {
    for (int32_t i = first_result_[at(number)]; i >= 0; i = next_result_[at(i)]) {
      const Home& home = recipe_.results[at(i)].home;
      out_.store(Writer::place(home, calls_), where);
      place_[at(number)] = home;
      in_memory_[at(number)] = 1;
    }
    if (where == kMask && std::exchange(in_memory_[at(number)], 1) == 0) {
      out_.store(memory(number), where);
    }
  }
  void write_given(int32_t number) {
    out_.move(kMask, memory(number));
    for (int32_t i = first_result_[at(number)]; i >= 0; i = next_result_[at(i)]) {
      out_.store(Writer::place(recipe_.results[at(i)].home, calls_), kMask);
    }
  }

  void release_operands(std::size_t i, const Step& step) {
    const int32_t operands[] = {step.a, step.b, step.c};
    for (int k = 0; k < 3; ++k) {
      if (operands[k] >= 0) registers_.read(operands[k], uses_.after(i, k));
    }
  }

  bool write_step(std::size_t i, const Step& step) {
    if (step.kind == Step::Kind::MultiplyAdd) return write_multiply_add(i, step), true;
    if (is_call(step)) return write_call(i, step);
    switch (step.op) {
      case Op::Add:
        return write_arithmetic(kAdd, true, i, step), true;
      case Op::Sub:
        return write_arithmetic(kSub, false, i, step), true;
      case Op::Mul:
        return write_arithmetic(kMul, true, i, step), true;
      case Op::Div:
        return write_arithmetic(kDiv, false, i, step), true;
      case Op::If:
        return write_choice(i, step), true;
      case Op::Min:
      case Op::Max:
        return write_extreme(i, step), true;
      case Op::And:
      case Op::Or:
        return write_logic(i, step), true;
      case Op::Less:
        return write_relation(Relation::Less, i, step), true;
      case Op::LessEqual:
        return write_relation(Relation::LessEqual, i, step), true;
      case Op::Equal:
        return write_relation(Relation::Equal, i, step), true;
      case Op::NotEqual:
        return write_relation(Relation::NotEqual, i, step), true;
      default:
        return write_of_one(i, step), true;
    }
  }

  void write_arithmetic(const Pair& what, bool commutes, std::size_t i, const Step& step) {
    int32_t left = step.a, right = step.b;
    int which = 0;
    if (commutes && registers_.register_of(left) == Allocation::none &&
        registers_.register_of(right) != Allocation::none) {
      std::swap(left, right);
      which = 1;
    }
    const x86::Xmm a = fetch(left, uses_.after(i, which), kMask);
    const Operand b = operand(right);
    release_operands(i, step);
    const x86::Xmm to = target_of(step.target);
    out_.binary(what, to, a, b);
    made(step.target, to);
  }

  void write_multiply_add(std::size_t i, const Step& step) {
    int32_t left = step.a, right = step.b;
    int which = 0;
    if (registers_.register_of(left) == Allocation::none &&
        registers_.register_of(right) != Allocation::none) {
      std::swap(left, right);
      which = 1;
    }
    const x86::Xmm a = fetch(left, uses_.after(i, which), kMask);
    const Operand b = operand(right), c = operand(step.c);
    release_operands(i, step);
    out_.binary(kMul, kMask, a, b);
    const x86::Xmm to = target_of(step.target);
    out_.binary(kAdd, to, kMask, c);
    made(step.target, to);
  }

  void write_relation(Relation how, std::size_t i, const Step& step) {
    const x86::Xmm a = fetch(step.a, uses_.after(i, 0), kMask);
    const Operand b = operand(step.b);
    release_operands(i, step);
    out_.compare(how, kMask, a, b);
    write_truth(step);
  }
  // Of kMask as a number.
  void write_truth(const Step& step) {
    const x86::Xmm to = target_of(step.target);
    out_.binary(kAnd, to, kMask, out_.one());
    made(step.target, to);
  }

  void write_logic(std::size_t i, const Step& step) {
    const Operand a = operand(step.a), b = operand(step.b);
    release_operands(i, step);
    out_.clear(kMask);
    out_.compare(Relation::NotEqual, kOther, kMask, a);
    out_.compare(Relation::NotEqual, kMask, kMask, b);
    out_.binary(step.op == Op::And ? kAnd : kOr, kMask, kMask, kOther);
    write_truth(step);
  }

  void write_choice(std::size_t i, const Step& step) {
    const x86::Xmm a = fetch(step.b, uses_.after(i, 1), kOther);
    const x86::Xmm b = fetch(step.c, uses_.after(i, 2), kThird);
    const Operand condition = operand(step.a);
    release_operands(i, step);
    out_.clear(kMask);
    out_.compare(Relation::NotEqual, kMask, kMask, condition);
    const x86::Xmm to = target_of(step.target);
    out_.blend(to, a, b);
    made(step.target, to);
  }

  // As expr::apply has it: a number that is none stays so, and of equal ones it is the second.
  void write_extreme(std::size_t i, const Step& step) {
    const x86::Xmm a = fetch(step.a, uses_.after(i, 0), kOther);
    const Operand b = operand(step.b);
    release_operands(i, step);
    out_.binary(step.op == Op::Min ? kSmaller : kLarger, kThird, a, b);
    out_.compare(Relation::Unordered, kMask, a, a);
    const x86::Xmm to = target_of(step.target);
    out_.blend(to, a, kThird);
    made(step.target, to);
  }

  void write_of_one(std::size_t i, const Step& step) {
    const x86::Xmm a = fetch(step.a, uses_.after(i, 0), kOther);
    release_operands(i, step);
    if (step.op == Op::Not) {
      out_.clear(kMask);
      out_.compare(Relation::Equal, kMask, kMask, a);
      return write_truth(step);
    }
    const x86::Xmm to = target_of(step.target);
    if (step.op == Op::Neg) {
      out_.binary(kXor, to, a, out_.sign());
    } else if (step.op == Op::Abs) {
      out_.binary(kAnd, to, a, out_.rest());
    } else if (step.op == Op::Sqrt) {
      out_.binary(kRoot, to, a, a);
    } else {
      out_.move(to, a);
    }
    made(step.target, to);
  }

  bool write_call(std::size_t i, const Step& step) {
    const Function1 one = function1_of(step.op);
    const Function2 two = function2_of(step.op);
    if (one == nullptr && two == nullptr) return false;
    const Operand a = operand(step.a);
    const Operand b = two == nullptr ? Operand() : operand(step.b);
    release_operands(i, step);
    for (int place = 0; place < Allocation::registers; ++place) {
      if (registers_.held_by(place) != Allocation::none) put_aside(place);
    }
    if (two != nullptr) out_.move(kOther, b);
    out_.move(x86::xmm0, a);
    if (two != nullptr) out_.move(x86::xmm1, kOther);
    out_.call(one != nullptr ? reinterpret_cast<uintptr_t>(one) : reinterpret_cast<uintptr_t>(two));
    registers_.release_all();
    if (uses_.first(step.target) != Uses::never) {
      registers_.hold(0, step.target, uses_.first(step.target));
    }
    made(step.target, x86::xmm0);
    return true;
  }

  const Recipe& recipe_;
  const Uses uses_;
  Allocation registers_;
  Writer out_;
  bool calls_ = false;
  std::vector<Home> place_;                          // by number
  std::vector<char> in_memory_;                      // by number: does it stand there?
  std::vector<int32_t> first_result_, next_result_;  // of each number
};

// All programs of the process; it stays while there are any.
std::shared_ptr<asmjit::JitRuntime> runtime() {
  static const auto all = std::make_shared<asmjit::JitRuntime>();
  return all;
}

}  // namespace

bool has(Level level) {
  const auto& features = asmjit::CpuInfo::host().features().x86();
  return level == Level::Avx ? features.hasAVX() : features.hasSSE2();
}

std::unique_ptr<const Program> Program::make(const Recipe& recipe) {
  return make(recipe, has(Level::Avx) ? Level::Avx : Level::Sse2);
}

std::unique_ptr<const Program> Program::make(const Recipe& recipe, Level level) {
  const std::shared_ptr<asmjit::JitRuntime> memory = runtime();
  asmjit::CodeHolder code;
  if (code.init(memory->environment()) != asmjit::kErrorOk) return nullptr;
  if (!Compiler(recipe, code, level).write()) return nullptr;
  Function function = nullptr;
  if (memory->add(&function, &code) != asmjit::kErrorOk) return nullptr;
  return std::unique_ptr<const Program>(new Program(function, code.codeSize(), memory));
}

Program::~Program() { static_cast<asmjit::JitRuntime*>(memory_.get())->release(function_); }

}  // namespace cradle::machine

#else

namespace cradle::machine {

bool has(Level) { return false; }
std::unique_ptr<const Program> Program::make(const Recipe&) { return nullptr; }
std::unique_ptr<const Program> Program::make(const Recipe&, Level) { return nullptr; }
Program::~Program() = default;

}  // namespace cradle::machine

#endif
