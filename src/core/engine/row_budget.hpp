#pragma once
// Which steps of solvers are recorded where rows are bounded. Many independent parts step at many
// times, and each row holds all of them: to record every step would end the run at its beginning.
// So steps are recorded further and further apart: whenever a sixteenth of the room is used, twice
// as far. What happens at instants, and what a grid asks for, is not thinned.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cradle::engine {

class RowBudget {
 public:
  // `most`: 0 for no bound.
  explicit RowBudget(int64_t most)
      : part_(std::max<std::size_t>(1, static_cast<std::size_t>(std::max<int64_t>(most, 0)) / 16)),
        next_(most > 0 ? part_ : SIZE_MAX) {}

  // Is a step that ends at t worth a row? `rows` are recorded, the last of them at `last`.
  bool has_room(double t, std::size_t rows, double last) {
    if (rows >= next_) {
      const double apart = (t - since_) / static_cast<double>(rows - rows_then_);
      least_ = 2 * std::max(least_, apart);
      since_ = t;
      rows_then_ = rows;
      next_ = rows + part_;
    }
    return t - last >= least_;
  }

 private:
  std::size_t part_;
  std::size_t next_;  // rows at which steps are taken twice as far apart
  std::size_t rows_then_ = 0;
  double since_ = 0;
  double least_ = 0;
};

}  // namespace cradle::engine
