#pragma once
// A witness that writes down one instant.

#include <map>
#include <memory>

#include "explain/guards.hpp"
#include "explain/relations.hpp"
#include "simulate/witness.hpp"

namespace cradle::explain {

class Account : public simulate::Witness {
 public:
  // Of the instant at exactly this time.
  Account(const model::Model& model, const Sources& sources, double t);

  bool arrives(const simulate::Scene& scene, const simulate::Triggers& triggers) override;
  void moves(const simulate::Scene& scene, simulate::TransitionKind kind,
             const std::vector<simulate::Move>& moves, const simulate::Assignments& sets) override;
  void settles(const simulate::Scene& scene, const Instant& at,
               const std::vector<compile::UnitId>& units) override;
  void commits(const simulate::Scene& scene) override;
  void committed(const simulate::Scene& scene) override;

  // Without what the trajectory knows: kinds, modes and values.
  const std::vector<ExplainedStep>& steps() const { return steps_; }
  const std::vector<ExplainedMove>& unfinished() const { return moves_; }
  const std::vector<std::string>& causes() const { return causes_; }
  double stored_before() const { return stored_before_; }

 private:
  using Books = std::map<std::pair<std::string, EnergyEntry::Kind>, double>;
  void look_at_bonds(const simulate::Scene& scene, const std::vector<simulate::Cluster*>& clusters,
                     ExplainedStep& step);
  void look_at_integrals(const simulate::Scene& scene,
                         const std::vector<simulate::Cluster*>& clusters, ExplainedStep& step,
                         std::vector<StateId>& jumped);
  void look_at_relations(const simulate::Scene& scene, const std::vector<simulate::Slot*>& slots,
                         const std::vector<StateId>& integrals, ExplainedStep& step);
  Books books(const simulate::Scene& scene) const;

  const model::Model& m_;
  double t_;
  Guards guards_;
  std::unique_ptr<Relations> relations_;  // made when something jumps
  std::vector<std::string> causes_;
  std::vector<ExplainedMove> moves_;  // into the next step
  std::vector<ExplainedJump> begun_;  // what those moves have set
  std::vector<ExplainedStep> steps_;
  std::vector<simulate::Slot*> jumping_;
  double stored_before_ = 0;
  // Before a commit.
  Books books_;
  std::vector<double> x_, stored_;
};

}  // namespace cradle::explain
