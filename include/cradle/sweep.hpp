#pragma once
// Many runs of one model: parameters are varied over grids, lists and distributions, and each run
// is reduced to a few numbers. On as many threads as one likes, with the same result.
//
//   cradle::SweepOptions wanted;
//   wanted.variations = {cradle::parse_variation(model, "R=1e3..10e3:50,log")};
//   wanted.measures = {"peak(v)", "rms(v, 0.1, 0.2) / R"};
//   const cradle::Sweep result = cradle::sweep(model, {}, wanted);

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle {

// What one parameter runs through.
struct Variation {
  enum class Kind {
    Linear,       // count values from a to b, evenly
    Logarithmic,  // the same in the logarithm
    List,         // values
    Uniform,      // drawn between a and b
    Normal,       // drawn: mean a, standard deviation b
    Lognormal,    // drawn: median a; its logarithm has the standard deviation b
  };
  std::string name;
  Kind kind = Kind::Linear;
  double a = 0, b = 0;
  int64_t count = 0;
  std::vector<double> values = {};

  bool is_drawn() const {
    return kind == Kind::Uniform || kind == Kind::Normal || kind == Kind::Lognormal;
  }
};
// "R=1e3..10e3:50,log", "R=1..3:3", "R=1,2,5", "R=normal(1e3, 50)". Numbers may be whatever the
// language takes for a value of that parameter. Throws std::invalid_argument if it is none of these
// or the model has no such parameter.
Variation parse_variation(const Model& model, const std::string& text);

struct SweepRun {
  std::vector<double> values;                   // of the parameters that are varied
  std::vector<std::optional<double>> measures;  // nullopt: it has none, and `why` says so
  Ending ending = Ending::Running;
  Instant at;                                    // where it ended
  int64_t violations = 0;                        // assertions of the model that did not hold
  std::string why;                               // it ended early, lacks a measure, or violates
  std::shared_ptr<const Trajectory> trajectory;  // with SweepOptions::curves
};

struct SweepOptions {
  std::vector<Variation> variations;
  // Expressions over measures of a run, see docs/command-line.md. Empty: final(x) of all that the
  // model shows.
  std::vector<std::string> measures;
  int64_t samples = 100;  // where something is drawn: for each point of the grids
  bool latin = false;     // drawn as a Latin hypercube: one in each of `samples` equal parts
  uint64_t seed = 0;
  int threads = 0;                  // 0: as many as there are cores; the result is the same
  std::vector<std::string> curves;  // columns of which the trajectory is kept
  // Called for each run that ends, one at a time, in any order.
  std::function<void(std::size_t index, const SweepRun& run)> finished;
  // Asked often, by all threads; false: what has not ended is given up.
  std::function<bool()> go_on;
};

struct Sweep {
  std::vector<std::string> names;             // of the parameters
  std::vector<std::string> measures;          // as they were written
  std::vector<std::optional<SweepRun>> runs;  // nullopt: it was given up
  bool complete() const;
};

// The values of all runs, in their order: the last parameter changes first.
std::vector<std::vector<double>> sweep_points(const SweepOptions& options);

// `known`: runs that need not be done again, by index; may be empty. The model must be ok(). Throws
// std::invalid_argument if a measure is none or names what does not exist.
Sweep sweep(const Model& model, const Options& options, const SweepOptions& wanted,
            std::vector<std::optional<SweepRun>> known = {});

}  // namespace cradle
