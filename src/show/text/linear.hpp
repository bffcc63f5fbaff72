#pragma once
// A linearization for people, as JSON, and its frequency response as CSV.

#include <string>
#include <vector>

#include "cradle/linear.hpp"

namespace cradle::text {

std::string linear_text(const std::string& model, const Linearization& system);
std::string linear_json(const std::string& model, const Linearization& system);
// omega; of each way from an input to an output: magnitude in dB and phase in degrees.
std::string response_csv(const Linearization& system, const std::vector<double>& frequencies);
// Where something happens: from well below the slowest pole or zero to well above the fastest.
std::vector<double> frequencies_of(const Linearization& system, int count = 400);
// Unwrapped along the frequencies, in degrees.
std::vector<double> phases_of(const Linearization& system, std::size_t output, std::size_t input,
                              const std::vector<double>& frequencies);

std::string periodic_text(const std::string& model, double period, const Periodic& found);
std::string periodic_json(const std::string& model, double period, const Periodic& found);

}  // namespace cradle::text
