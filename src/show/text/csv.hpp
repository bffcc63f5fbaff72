#pragma once
// A trajectory as comma-separated values (RFC 4180, but lines end with \n).

#include <iosfwd>
#include <string>

#include "cradle/trajectory.hpp"

namespace cradle::text {

// Columns t,eps,step, then signals and automata by name; one row per recorded instant in order. An
// absent value is an empty cell. A signal that carries an impulse anywhere has a second column
// impulse(name) right behind it. Numbers read back as the same doubles.
void write_csv(const Trajectory& trajectory, std::ostream& out);

// Quoted if it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace cradle::text
