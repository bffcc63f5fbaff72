#pragma once
// What there is to draw of one signal, and of one automaton.
//
// All rows of one real time t are one instant. The first of them is the left limit, the last is how
// time goes on:
//
//   left = right, nothing else between   the line goes on
//   left ≠ right                         a jump; the line ends at left and begins at right
//   rows between that are neither        marks: hollow if mythical, solid if a pinnacle
//   present for one instant only         a dot
//   impulse                              an arrow with its weight
//   absent                               a gap

#include <cstddef>
#include <string>
#include <vector>

#include "cradle/trajectory.hpp"

namespace cradle::plot {

struct Point {
  double t = 0, y = 0;
};

struct Jump {
  double t = 0;
  double from = 0, to = 0;   // equal: only mythical values differ, and nothing came of them
  double low = 0, high = 0;  // over all values of the instant
  int count = 1;             // how many were merged into this one
};

struct Mark {
  Instant at;
  double y = 0;
  RowKind kind = RowKind::Real;
  bool tried = false;  // nothing came of it
};

struct Arrow {
  Instant at;
  double weight = 0;
  RowKind kind = RowKind::Real;
  bool tried = false;
  int count = 1;
};

struct Curve {
  std::size_t column = 0;
  std::string name;
  std::string title;                       // the name with its unit: v [V]
  std::vector<std::vector<Point>> pieces;  // each is one line
  std::vector<Jump> jumps;
  std::vector<Mark> marks;
  std::vector<Mark> dots;
  std::vector<Arrow> arrows;
  bool drawn = false;  // it has a finite value somewhere
  double low = 0, high = 0;
  // Of instants so many that nobody could tell them apart, what was tried is not drawn.
  int left_out = 0;
};

inline constexpr std::size_t kMaxMythical = 100;

Curve trace(const Trajectory& trajectory, std::size_t column);

struct Band {
  double from = 0, to = 0;
  std::string state;
  int count = 1;  // more: the automaton moves too fast to be drawn, and the state says nothing
};
struct Visit {  // of a state that is left in no time
  Instant at;
  std::string state;
};
struct BandRow {
  std::string name;         // of the automaton, or of the signal that is true or false
  std::vector<Band> bands;  // of an automaton without gaps
  std::vector<Visit> visits;
  bool truth = false;  // the states are "true" and "false"; absent is a gap
};

BandRow trace_modes(const Trajectory& trajectory, std::size_t automaton);
// What is there for an instant only, as events are, is a visit.
BandRow trace_truth(const Trajectory& trajectory, std::size_t column);

}  // namespace cradle::plot
