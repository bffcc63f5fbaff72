#pragma once
// Someone who looks on while an instant happens, for `explain`. The engine calls at the places of
// its tick (engine.hpp) where something is known that is gone a moment later:
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
struct Scene {
  Runtime& runtime;
  TickEvaluator& tick;
  FlowEvaluator& arrival;
  Audit& audit;
  Judge& judge;  // on `tick`
};

class Witness {
 public:
  virtual ~Witness() = default;
  // Is it of interest? If not, nothing more is said of this instant.
  virtual bool arrives(const Scene& scene, const Triggers& triggers) = 0;
  virtual void moves(const Scene& scene, TransitionKind kind, const std::vector<Move>& moves,
                     const Assignments& sets) = 0;
  // `row`: of the trajectory, if rows are recorded.
  virtual void settles(const Scene& scene, const Instant& at, std::size_t row,
                       const std::vector<UnitId>& units) = 0;
  virtual void begins_over(const Scene& scene) = 0;
  virtual void commits(const Scene& scene) = 0;
  virtual void committed(const Scene& scene) = 0;
};

}  // namespace cradle::engine
