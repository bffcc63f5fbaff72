#include "show/view/events.hpp"

namespace cradle::view {

// Rows of one instant follow each other in order; where the order begins anew at the same real
// time, another instant has begun.
std::vector<Event> find_events(const Trajectory& rows) {
  std::vector<Event> out;
  for (std::size_t row = 0; row < rows.size();) {
    Event event{row, row};
    const bool evolving = rows.kind(row) == RowKind::Evolving;
    while (!evolving && event.last + 1 < rows.size() &&
           rows.instant(event.last + 1).t == rows.instant(row).t &&
           rows.instant(event.last) < rows.instant(event.last + 1) &&
           rows.kind(event.last + 1) != RowKind::Evolving) {
      ++event.last;
    }
    const bool quiet_start = rows.kind(row) == RowKind::Start && event.first == event.last;
    if (!evolving && !quiet_start) out.push_back(event);
    row = event.last + 1;
  }
  return out;
}

}  // namespace cradle::view
