#pragma once
// Table 2 of Mosterman, Simko, Zander 2013 as a trajectory made by hand, for the tests.

#include "base/basics/row_buffer.hpp"

namespace cradle::text {

inline Trajectory table_2() {
  RowBuffer t({.columns = {"body1.p", "body2.p", "body3.p", "F23.e"},
               .impulsive = {0, 0, 0, 1},
               .automata = {"F13", "F23"},
               .states = {{"off", "on"}, {"off", "on"}}});
  const auto add = [&](Instant instant, RowKind kind, int f13, int f23, double p1, double p2,
                       double p3, Number force) {
    const std::size_t row = t.add_row(instant, kind);
    if (kind == RowKind::Mythical) t.set_tried(row);
    t.set_state(row, 0, f13);
    t.set_state(row, 1, f23);
    t.set_value(row, 0, Number(p1));
    t.set_value(row, 1, Number(p2));
    t.set_value(row, 2, Number(p3));
    t.set_value(row, 3, force);
  };
  add({0, 0, 0}, RowKind::Start, 0, 1, 1, 0, 0, 0);
  add({0.25, 0, 0}, RowKind::Evolving, 0, 1, 1, 0, 0, 0);
  add({0.5, -1, 0}, RowKind::Before, 0, 1, 1, 0, 0, 0);
  add({0.5, 0, 0}, RowKind::Mythical, 1, 1, -0.2, 0.6, 0.6, Number(0, 0.6));
  add({0.5, 0, 1}, RowKind::Pinnacle, 1, 0, 0.1, 0, 0.9, 0);
  add({0.5, 1, 0}, RowKind::Real, 0, 0, 0.1, 0, 0.9, 0);
  add({2, 0, 0}, RowKind::Evolving, 0, 0, 0.1, 0, 0.9, 0);
  return to_trajectory(t);
}

}  // namespace cradle::text
