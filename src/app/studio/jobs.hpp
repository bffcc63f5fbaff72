#pragma once
// Work in processes of their own, one supervisor for all: a few at once, the others wait. Runs have
// a name and can be asked about; small work is waited for.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/serve/beneath.hpp"
#include "app/studio/child.hpp"

namespace cradle::studio {

struct Ended {
  int exit = 0;          // exit status
  std::string output;    // its standard output
  std::string messages;  // the end of its standard error, without progress
  std::string error;     // there is no result: why
  bool forgotten = false;
};

enum class RunPhase { Waiting, Running, Finished, Cancelled, Failed };
const char* to_string(RunPhase phase);

struct RunStatus {
  std::string id;
  RunPhase phase = RunPhase::Waiting;
  double t = 0;
  std::optional<double> until;
  std::optional<int64_t> rows;
  std::string error;
};

struct JobLimits {
  std::size_t runs = 2, small = 4;            // at once
  std::size_t waiting = 32;                   // of each kind
  std::size_t kept_views = 8;                 // the youngest ones
  std::size_t kept_bytes = 512u << 20;        // of all views; the youngest is kept anyway
  std::size_t kept_states = 256;              // of runs that have ended
  std::chrono::milliseconds patience{3000};   // between asking and killing
  std::chrono::milliseconds interest{90000};  // how long a run that nobody asks about goes on
};

class Jobs {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Jobs(JobLimits limits = {});
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();

  // Waits for it. nullopt: too many are waiting.
  std::optional<Ended> finish(Task task);

  // A run that waits with the same key is replaced: it is cancelled. nullopt: too many are waiting.
  std::optional<std::string> start_run(const std::string& key, Task task);
  // Waits for news if there may be some. nullopt: no such run.
  std::optional<RunStatus> status(const std::string& id, std::chrono::milliseconds patience = {});
  // Null: no such run, or it has not ended.
  std::shared_ptr<const Ended> result(const std::string& id);
  enum class Wanted { WhatItHas, Nothing };
  // Asks it to end with what it has (SIGINT), and ends it if it does not; ends it at once if
  // nothing of it is wanted. False: no such run.
  bool cancel(const std::string& id, Wanted wanted = Wanted::WhatItHas);

  // Ends all work; who waits is told.
  void stop();

 private:
  struct Job;
  using JobPointer = std::shared_ptr<Job>;

  void supervise();
  // A page that has crashed or is frozen does not cancel its run.
  void cancel_forsaken();
  void cancel_job(const JobPointer& job);
  void start_waiting(std::deque<JobPointer>& waiting, std::size_t at_once, std::size_t running);
  void start(const JobPointer& job);
  // True once it has ended.
  bool attend(Job& job);
  void hear(Job& job, bool all);
  void conclude(Job& job);
  static std::string trouble(const Job& job);
  // Of a run that has ended.
  void file_away(const JobPointer& job);
  void forget();
  void end_all();
  void wake();
  bool enqueue(std::deque<JobPointer>& waiting, const JobPointer& job);

  const JobLimits limits_;
  std::mutex mutex_;
  std::condition_variable news_;
  bool stopping_ = false;
  uint64_t last_id_ = 0;
  std::map<std::string, JobPointer> runs_;
  std::deque<JobPointer> waiting_runs_, waiting_small_;
  std::vector<JobPointer> running_;  // of both kinds
  std::deque<JobPointer> ended_;     // runs, oldest first
  serve::Descriptor wake_;
  std::thread supervisor_;
};

}  // namespace cradle::studio
