#pragma once
// A model near a point: ẋ = A x + B u, y = C x + D u in the mode of that moment; where it rests;
// and what a period makes of it. Includes no third-party header.

#include <complex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle {

// There is none: why, for people.
struct LinearFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Where a run begins instead of at the model's initial values: all states and automata, by name.
struct StartPoint {
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::pair<std::string, std::string>> modes;
};
// A run with these options that begins there, for Simulation::load before its first row.
std::string begin_at(const Model& model, const Options& options, const StartPoint& start);

// By rows.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values = {};
  double operator()(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
};

struct Linearization {
  double at = 0;
  std::vector<std::pair<std::string, std::string>> modes;  // automaton, state
  // Of stores that depend on each other as many as are independent.
  std::vector<std::string> states, inputs, outputs;
  std::vector<std::string> dependent;  // states that follow from the others
  std::vector<double> x, u, y;         // where it stands
  std::vector<double> rates;           // ẋ there: zero where it rests
  Matrix A, B, C, D;
  std::vector<std::complex<double>> poles;  // eigenvalues of A, by magnitude
  // Of the way from input j to output i, at [i * inputs + j].
  std::vector<std::vector<std::complex<double>>> zeros;
  bool from_code = true;   // A comes from the derivatives of code; else from differences
  double uncertainty = 0;  // of differences, relative to the largest entry of their matrix
};

struct LinearizeOptions {
  std::optional<double> at;          // nullopt: where it rests
  std::vector<std::string> inputs;   // inputs or parameters of the model
  std::vector<std::string> outputs;  // columns; empty: what the model shows
};
// Throws LinearFault if the run does not come there or has no derivative there, and
// std::invalid_argument if a name does not exist.
Linearization linearize(const Model& model, const Options& options, const LinearizeOptions& wanted);

// C (sI − A)⁻¹ B + D from an input to an output.
std::complex<double> response(const Linearization& system, std::size_t output, std::size_t input,
                              std::complex<double> s);
// Of all outputs to a unit step of one input, at multiples of `step`: [time][output].
std::vector<std::vector<double>> step_response(const Linearization& system, std::size_t input,
                                               double step, std::size_t count);

// Where the model rests, begun from its initial values: Newton's method on ẋ = 0 within a mode,
// until the mode stays, too. Throws LinearFault if it finds none.
StartPoint steady_start(const Model& model, const Options& options);

struct Periodic {
  StartPoint start;
  std::vector<std::string> states;                // that the multipliers belong to
  std::vector<std::complex<double>> multipliers;  // Floquet: |μ| < 1 for all is a stable cycle
  Matrix monodromy;
};
// Where a run begins that is the same again after `period`: shooting, with differences of runs,
// which go through all events and jumps. Throws LinearFault.
Periodic periodic_start(const Model& model, const Options& options, double period);

}  // namespace cradle
