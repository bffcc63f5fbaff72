#pragma once
// A witness that writes down instants: one, or all of a run as far as there is room for them.

#include <map>
#include <memory>
#include <optional>

#include "core/engine/witness.hpp"
#include "core/explain/guards.hpp"
#include "core/explain/relations.hpp"

namespace cradle::explain {

struct Bounds {
  std::size_t instants = 0;
  std::size_t parts = 200'000;  // moves, conditions, jumps, relations, … of all of them
};

class Account : public engine::Witness {
 public:
  // Of the instant at exactly this time. `values`: numbers in place of the names of parameters.
  Account(const model::Model& model, const Sources& sources, double t, bool values = false);
  // Of every instant; what is beyond the bounds is left out.
  Account(const model::Model& model, const Sources& sources, const Bounds& bounds);

  bool arrives(const engine::Moment& moment, const engine::Triggers& triggers) override;
  void moves(const engine::Moment& moment, engine::TransitionKind kind,
             const std::vector<engine::Move>& moves, const engine::Assignments& sets) override;
  void settles(const engine::Moment& moment, const Instant& at, std::size_t row,
               const std::vector<plan::UnitId>& units) override;
  void begins_over(const engine::Moment& moment) override;
  void commits(const engine::Moment& moment) override;
  void committed(const engine::Moment& moment) override;

  // Without what the trajectory knows: kinds, modes, values, the left limit; and without sums of
  // energy. The last may be one at which nothing happened.
  const std::vector<ExplainedInstant>& instants() const { return instants_; }

 private:
  using Books = std::map<std::pair<std::string, EnergyEntry::Kind>, double>;
  void look_at_bonds(const engine::Moment& moment, const std::vector<engine::Cluster*>& clusters,
                     ExplainedStep& step);
  void look_at_strain(const engine::Moment& moment, const std::vector<engine::Cluster*>& clusters,
                      ExplainedStep& step);
  void look_at_slides(const engine::Moment& moment, ExplainedStep& step);
  void look_at_integrals(const engine::Moment& moment,
                         const std::vector<engine::Cluster*>& clusters, ExplainedStep& step,
                         std::vector<StateId>& jumped);
  void look_at_relations(const engine::Moment& moment, const std::vector<engine::Slot*>& slots,
                         const std::vector<StateId>& integrals, ExplainedStep& step);
  Books books(const engine::Moment& moment) const;
  const plan::Code& formula(const engine::Moment& moment, ExprId e);
  bool wants(double t) const;
  void count(std::size_t parts);

  const model::Model& m_;
  std::optional<double> only_;  // of the instant at this time
  Bounds bounds_;
  Guards guards_;
  // Made when something jumps: with parameters by their names, and with numbers in their place.
  struct Named {
    std::unique_ptr<const model::Model> model;
    std::unique_ptr<Relations> relations;
  };
  Relations& relations(const engine::Moment& moment, bool values);
  Named by_names_, by_values_;
  bool values_ = false;
  std::unordered_map<ExprId, plan::Code> formulas_;
  // The last is the present one; its unfinished moves lead into the next step.
  std::vector<ExplainedInstant> instants_;
  bool telling_ = false;      // there is a present one
  bool begins_over_ = false;  // with the next step
  std::size_t begun_instants_ = 0, parts_ = 0, parts_before_ = 0;
  std::vector<ExplainedJump> begun_;  // what those moves have set
  std::vector<engine::Slot*> jumping_;
  // Before a commit.
  Books books_;
  std::vector<double> x_, stored_;
};

}  // namespace cradle::explain
