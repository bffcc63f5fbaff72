#pragma once
// What a model asserts, held against its run, by one who only looks on.
//
//   inside an instant    each microstep is judged as it settles
//   while time flows     where a comparison changes on which the condition depends; that is located
//                        as the changes of guards are, by proof, so none is passed over
//
// A comparison whose sides differ by no more than the tolerance of the run is neither true nor
// false here: a ball at the floor is not below it because its impact was located on the far side.
// An assertion is violated where its condition is false whatever such comparisons are. What is
// absent or has no value is judged neither way.

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/engine/clusters.hpp"
#include "core/engine/eyes.hpp"

namespace cradle::engine {

class Assertions {
 public:
  Assertions(Runtime& runtime, Clusters& clusters, Eyes& eyes, Outcome& outcome);

  void begin_anew();        // where the run stands
  void flows_to(double t);  // nothing happens before t
  void settles();           // a fixed point
  void ends_instant(bool happened);
  // By pre: those that only they may read.
  const std::vector<PreId>& pres() const { return pres_; }

  // What they have to remember to go on.
  struct Memory {
    std::vector<char> open;      // by assertion
    std::vector<double> scales;  // by comparison
    double judged_to = 0;
    bool operator==(const Memory&) const = default;
  };
  const Memory& memory() const { return memory_; }
  void remember(const Memory& memory) { memory_ = memory; }

 private:
  enum class Verdict : uint8_t { No, Maybe, Yes };
  // A condition as a tree, of which equal parts are shared.
  struct Clause {
    enum class Kind : uint8_t { And, Or, Not, If, Comparison, Leaf } kind = Kind::Leaf;
    int32_t a = -1, b = -1, c = -1;
    ComparisonId comparison = {};
    plan::Code leaf = {};
  };
  // A comparison that somebody reads: in which ways it may decide.
  struct Watched {
    ComparisonId comparison;
    bool exactly = false;  // inside a leaf, which is computed with the numbers as they are
    std::vector<std::size_t> readers;  // assertions
  };
  struct Read {
    std::string name;
    plan::Code code;
    bool truth = false;
  };
  struct Judged {
    int32_t root = -1;
    std::vector<Read> reads;
  };
  class Maker;
  class Flowing;
  class Inside;

  bool is_open(const Watched& watched) const;
  double noise_of(std::size_t watched) const;
  void note_scales(double t);
  std::optional<double> next_change(double from, double to);
  void change_of(std::size_t watched, double from, std::optional<double>& first, double to);
  std::optional<double> crossing(ComparisonId comparison, double margin, double from, double to);
  double first_instant(std::size_t assertion, double from, double to);
  template <class View>
  Verdict verdict(View& view, int32_t clause, bool exactly);
  template <class View>
  Verdict compared(View& view, ComparisonId comparison, double noise);
  void judge_flowing(double from, double t);
  template <class View>
  std::string values_of(std::size_t assertion, View& view);
  void violated(std::size_t assertion, const Instant& at, std::string values);
  void give_up(std::size_t watched, double at);
  void say(std::size_t assertion, Violation violation);

  Runtime& runtime_;
  Clusters& clusters_;
  Eyes& eyes_;
  Outcome& outcome_;
  std::vector<Clause> clauses_;
  std::vector<Judged> judged_;    // by assertion
  std::vector<Watched> watched_;  // in the order in which they are met
  std::unordered_map<ComparisonId, std::size_t> place_;
  std::vector<PreId> pres_;
  Memory memory_;
};

}  // namespace cradle::engine
