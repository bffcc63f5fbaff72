#include "app/cli/watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <iostream>
#include <string>

#include "cradle/instant.hpp"

namespace cradle::cli {
namespace {

using namespace std::chrono_literals;

volatile std::sig_atomic_t interrupted = 0;
std::atomic<int64_t> interrupted_at = 0;  // milliseconds
static_assert(std::atomic<int64_t>::is_always_lock_free);

// A second one ends the program. But timeout, for one, signals a program and then its group, so
// that what comes at once with the first is the same.
void heed(int signal) {
  constexpr int64_t kSame = 300;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t at = int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (interrupted == 0) {
    interrupted_at = at;
    interrupted = 1;
  } else if (at - interrupted_at > kSame) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

// Not given back after the run: Ctrl-C while files are written does not cut them short.
void listen() {
  struct sigaction action = {};
  action.sa_handler = heed;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};  // nohup means it
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  sigaction(SIGHUP, &action, nullptr);
}

std::string time_left(double seconds) {
  if (seconds < 1) return "a moment";
  const auto whole = static_cast<int64_t>(std::min(seconds, 1e9));
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string(whole / 60) + " min";
  return std::to_string(whole / 3600) + " h";
}

}  // namespace

Watch::Watch(std::optional<double> until, Progress progress)
    : until_(until),
      progress_(progress),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + (progress == Progress::Json ? 100ms : 500ms)) {
  listen();
}

bool Watch::is_asked_to_end() { return interrupted != 0; }

void Watch::stop() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

bool Watch::go_on(double t, std::size_t rows) {
  if (interrupted != 0) return false;
  const bool shows = progress_ == Progress::Json || terminal_;
  if (!shows || Clock::now() < next_) return true;
  next_ = Clock::now() + 100ms;
  if (progress_ == Progress::Json) {
    show_json(t, rows);
  } else {
    show_line(t);
  }
  return true;
}

void Watch::show_line(double t) {
  shown_ = true;
  std::string line = "t = " + format_number(t);
  if (until_ && *until_ > 0) {
    const double share = std::clamp(t / *until_, 0.0, 1.0);
    constexpr std::size_t kWide = 24;
    std::string bar(static_cast<std::size_t>(share * kWide), '#');
    bar.resize(kWide, '.');
    line = "[" + bar + "] " + std::to_string(static_cast<int>(100 * share)) + " %, " + line +
           " of " + format_number(*until_);
    const double spent = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (share > 0) line += ", " + time_left(spent * (1 - share) / share) + " left";
  }
  std::cerr << '\r' << line << "\033[K" << std::flush;
}

void Watch::show_json(double t, std::size_t rows) const {
  std::cerr << "{\"t\":" + format_number(t) +
                   ",\"until\":" + (until_ ? format_number(*until_) : "null") +
                   ",\"rows\":" + std::to_string(rows) + "}\n"
            << std::flush;
}

}  // namespace cradle::cli
