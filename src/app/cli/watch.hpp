#pragma once
// Ctrl-C and the progress line of a run.

#include <chrono>
#include <cstddef>
#include <optional>

namespace cradle::cli {

// How a run says how far it has come.
enum class Progress {
  Line,  // on a terminal, after half a second, in a line that is taken away
  Json,  // for programs: {"t", "until", "rows"} in a line each on stderr
};

// SIGINT, SIGTERM and SIGHUP ask the run to end; a second one ends the program.
class Watch {
 public:
  explicit Watch(std::optional<double> until, Progress progress = Progress::Line);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { stop(); }

  static bool is_asked_to_end();
  // For Options::progress.
  bool go_on(double t, std::size_t rows = 0);
  // Takes the progress line away.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  void show_line(double t);
  void show_json(double t, std::size_t rows) const;

  std::optional<double> until_;
  Progress progress_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace cradle::cli
