#pragma once
// Ctrl-C and the progress line of a run.

#include <chrono>
#include <optional>

namespace cradle::cli {

// SIGINT and SIGTERM ask the run to end; a second one ends the program. On a
// terminal a run of more than half a second shows how far it has come.
class Watch {
 public:
  explicit Watch(std::optional<double> until);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { stop(); }

  // For Options::progress.
  bool go_on(double t);
  // Takes the progress line away.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<double> until_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace cradle::cli
