#pragma once
// Someone who looks on while an instant happens, for `explain`. The engine calls at the places of
// its microsteps (engine.hpp) where something is known that is gone a moment later:
//
//   arrive at ⟨t, 0⟩                                            arrives
//   physical transitions are found, on the committed view       moves
//   a fixed point at ⟨t + kε, n⟩, on the tried view             settles
//   inference transitions are found, on the tried view          moves
//   they lead back to a mode that was tried: pivoting begins    begins_over
//   no inference is left; transitions of modal models           moves, before commit
//   commit x ← x⁺                                               commits, committed
//
// A witness may evaluate what it likes, and changes nothing.

#include <optional>
#include <utility>
#include <vector>

#include "core/engine/audit.hpp"
#include "core/engine/judge.hpp"
#include "core/engine/runtime.hpp"
#include "core/plan/value.hpp"

namespace cradle::engine {

// What an action of a transition sets, and to what; nothing if it is absent.
using Assignments = std::vector<std::pair<const model::SetAction*, std::optional<double>>>;

// What there is to look at.
struct Moment {
  Runtime& runtime;
  InstantEvaluator& inside;
  FlowEvaluator& arrival;
  Audit& audit;
  Judge& judge;  // on `inside`
};

class Witness {
 public:
  virtual ~Witness() = default;
  // Is it of interest? If not, nothing more is said of this instant.
  virtual bool arrives(const Moment& moment, const Triggers& triggers) = 0;
  virtual void moves(const Moment& moment, TransitionKind kind, const std::vector<Move>& moves,
                     const Assignments& sets) = 0;
  // `row`: of the trajectory, if rows are recorded.
  virtual void settles(const Moment& moment, const Instant& at, std::size_t row,
                       const std::vector<UnitId>& units) = 0;
  virtual void begins_over(const Moment& moment) = 0;
  virtual void commits(const Moment& moment) = 0;
  virtual void committed(const Moment& moment) = 0;
};

}  // namespace cradle::engine
