#include "app/studio/jobs.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

namespace cradle::studio {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kKeptMessages = 16u << 10;

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string seconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

// Without what every wrong usage ends with, and without "error: ".
std::string words_of(std::string messages) {
  const auto trim = [&] { messages.resize(messages.find_last_not_of(" \n\r\t") + 1); };
  trim();
  if (constexpr std::string_view hint = "Run with --help for more information.";
      messages.ends_with(hint))
    messages.resize(messages.size() - hint.size());
  trim();
  if (messages.starts_with("error: ")) messages.erase(0, 7);
  return messages;
}

// Cut short, it would not end so.
bool looks_whole(const std::string& output) {
  const std::size_t last = output.find_last_not_of(" \n");
  return last != std::string::npos && (output[last] == '}' || output[last] == ']');
}

}  // namespace

const char* to_string(RunPhase phase) {
  switch (phase) {
    case RunPhase::Waiting:
      return "waiting";
    case RunPhase::Running:
      return "running";
    case RunPhase::Finished:
      return "finished";
    case RunPhase::Cancelled:
      return "cancelled";
    case RunPhase::Failed:
      return "failed";
  }
  return "";
}

struct Jobs::Job {
  Task task;
  std::string key;  // of a run
  bool is_run = false;
  RunStatus status;
  uint64_t version = 0;                    // counts news
  Clock::time_point asked = Clock::now();  // when somebody last wanted to know of it

  std::optional<Child> child;
  Clock::time_point deadline;  // its time is over
  std::optional<Clock::time_point> kill_at;
  bool cancel = false;      // somebody asked
  bool unwanted = false;    // and does not want what it has
  bool late = false;        // its time is over
  bool too_large = false;   // its output
  bool handing_in = false;  // asked to end, it has begun to write
  bool killed = false;      // by us
  std::string messages;     // what it said besides progress, the end of it

  std::shared_ptr<const Ended> ended;
  bool over() const { return status.phase >= RunPhase::Finished; }
};

Jobs::Jobs(JobLimits limits) : limits_(limits), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
  // Signals are for the thread that started us; a child that does not read must not end us.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  supervisor_ = std::thread([this] { supervise(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Jobs::~Jobs() { stop(); }

void Jobs::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  if (supervisor_.joinable()) supervisor_.join();
}

void Jobs::wake() {
  const uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

bool Jobs::enqueue(std::deque<JobPointer>& waiting, const JobPointer& job) {
  if (stopping_ || waiting.size() >= limits_.waiting) return false;
  waiting.push_back(job);
  wake();
  return true;
}

std::optional<Ended> Jobs::finish(Task task) {
  auto job = std::make_shared<Job>();
  job->task = std::move(task);
  std::unique_lock lock(mutex_);
  if (!enqueue(waiting_small_, job)) return std::nullopt;
  news_.wait(lock, [&] { return job->ended != nullptr; });
  return *job->ended;
}

std::optional<std::string> Jobs::start_run(const std::string& key, Task task) {
  auto job = std::make_shared<Job>();
  job->task = std::move(task);
  job->key = key;
  job->is_run = true;
  const std::lock_guard lock(mutex_);
  const auto older = std::find_if(waiting_runs_.begin(), waiting_runs_.end(),
                                  [&](const JobPointer& other) { return other->key == key; });
  if (older != waiting_runs_.end()) {
    const JobPointer replaced = *older;
    waiting_runs_.erase(older);
    replaced->cancel = true;
    replaced->status.error = "a newer run of this file took its place";
    conclude(*replaced);
    file_away(replaced);
  }
  job->status.id = std::to_string(++last_id_);
  if (!enqueue(waiting_runs_, job)) return std::nullopt;
  runs_[job->status.id] = job;
  return job->status.id;
}

std::optional<RunStatus> Jobs::status(const std::string& id, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto found = runs_.find(id);
  if (found == runs_.end()) return std::nullopt;
  const JobPointer job = found->second;
  const uint64_t known = job->version;
  job->asked = Clock::now();
  news_.wait_for(lock, patience, [&] { return job->over() || job->version != known; });
  job->asked = Clock::now();
  return job->status;
}

std::shared_ptr<const Ended> Jobs::result(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : found->second->ended;
}

bool Jobs::cancel(const std::string& id, Wanted wanted) {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(id);
  if (found == runs_.end()) return false;
  const JobPointer job = found->second;
  if (job->over()) return true;
  if (wanted == Wanted::Nothing) job->unwanted = true;
  cancel_job(job);
  return true;
}

void Jobs::cancel_job(const JobPointer& job) {
  job->cancel = true;
  const auto waiting = std::find(waiting_runs_.begin(), waiting_runs_.end(), job);
  if (waiting != waiting_runs_.end()) {
    waiting_runs_.erase(waiting);
    conclude(*job);
    file_away(job);
  }
  wake();
}

void Jobs::cancel_forsaken() {
  const Clock::time_point since = Clock::now() - limits_.interest;
  std::vector<JobPointer> forsaken;
  for (const auto& [id, job] : runs_) {
    if (!job->over() && !job->cancel && job->asked < since) forsaken.push_back(job);
  }
  for (const JobPointer& job : forsaken) cancel_job(job);
}

void Jobs::supervise() {
  std::vector<pollfd> watched;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    cancel_forsaken();
    const auto runs = static_cast<std::size_t>(std::count_if(
        running_.begin(), running_.end(), [](const JobPointer& job) { return job->is_run; }));
    const std::size_t small = running_.size() - runs;
    start_waiting(waiting_runs_, limits_.runs, runs);
    start_waiting(waiting_small_, limits_.small, small);

    watched.assign(1, {wake_.get(), POLLIN, 0});
    for (const auto& job : running_) job->child->watch(watched);
    // Pipes are closed a moment before a process can be waited for.
    const bool closing = std::any_of(running_.begin(), running_.end(),
                                     [](const JobPointer& job) { return job->child->silent(); });
    lock.unlock();
    ::poll(watched.data(), watched.size(), running_.empty() ? -1 : closing ? 1 : 50);
    uint64_t count;
    static_cast<void>(!::read(wake_.get(), &count, sizeof count));
    lock.lock();
    std::erase_if(running_, [&](const JobPointer& job) {
      if (!attend(*job)) return false;
      if (job->is_run) file_away(job);
      return true;
    });
  }
  end_all();
}

void Jobs::start_waiting(std::deque<JobPointer>& waiting, std::size_t at_once,
                         std::size_t running) {
  for (; running < at_once && !waiting.empty(); ++running) {
    const JobPointer job = waiting.front();
    waiting.pop_front();
    start(job);
  }
}

void Jobs::start(const JobPointer& job) {
  try {
    job->child.emplace(job->task);
  } catch (const std::exception& why) {
    job->status.error = std::string("no process can be started: ") + why.what();
    conclude(*job);
    if (job->is_run) file_away(job);
    return;
  }
  job->task.input.clear();
  job->task.input.shrink_to_fit();
  job->deadline = Clock::now() + job->task.time_limit;
  job->status.phase = RunPhase::Running;
  ++job->version;
  running_.push_back(job);
  news_.notify_all();
}

bool Jobs::attend(Job& job) {
  try {
    const bool over = job.child->pump();
    hear(job, over);
    if (over) {
      conclude(job);
      return true;
    }
  } catch (const std::bad_alloc&) {
    job.too_large = true;
  }
  const Clock::time_point now = Clock::now();
  if (job.child->output().size() > job.task.max_output) job.too_large = true;
  if (job.too_large || job.unwanted) job.kill_at = now;
  if (!job.late && now >= job.deadline) job.late = true;
  if ((job.cancel || job.late) && !job.kill_at) {
    // Only a run has something to keep.
    if (job.is_run) job.child->interrupt();
    job.kill_at = job.is_run ? now + limits_.patience : now;
  }
  if (job.kill_at && now >= *job.kill_at && !job.killed) {
    // Who is handing in may finish that.
    const bool may_finish = job.is_run && !job.too_large && !job.unwanted;
    if (may_finish && !job.handing_in && !job.child->output().empty()) {
      job.handing_in = true;
      job.kill_at = now + 10 * limits_.patience;
      return false;
    }
    job.killed = true;
    job.child->kill();
  }
  return false;
}

// The standard error: progress line by line, and what else is said.
void Jobs::hear(Job& job, bool all) {
  std::string& said = job.child->messages();
  std::size_t begin = 0;
  std::string kept;
  for (;;) {
    const std::size_t end = said.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(said).substr(begin, end - begin);
    begin = end + 1;
    const nlohmann::json progress =
        line.starts_with('{') ? nlohmann::json::parse(line, nullptr, false) : nlohmann::json();
    if (!progress.is_object() || !progress.contains("t")) {
      kept += line;
      kept += '\n';
      continue;
    }
    const auto number = [&](const char* name) -> std::optional<double> {
      const auto found = progress.find(name);
      if (found == progress.end() || !found->is_number()) return std::nullopt;
      return found->get<double>();
    };
    job.status.t = number("t").value_or(job.status.t);
    job.status.until = number("until");
    if (const auto rows = number("rows"); rows && *rows >= 0 && *rows < 1e15)
      job.status.rows = static_cast<int64_t>(*rows);
    ++job.version;
    news_.notify_all();
  }
  std::string rest = said.substr(begin);
  if (all || rest.size() > kKeptMessages) kept += std::exchange(rest, {});
  job.messages += kept;
  if (job.messages.size() > kKeptMessages)
    job.messages.erase(0, job.messages.size() - kKeptMessages);
  said = std::move(rest);
}

// Why there is no result; empty if there is one.
std::string Jobs::trouble(const Job& job) {
  const int status = job.child->status();
  std::string too_long = "it took longer than " + seconds(job.task.time_limit);
  if (job.too_large) return "the result is larger than the studio can hold";
  if (job.unwanted) return "it was given up";
  if (job.killed) return job.late ? too_long : "it did not end when asked to, and was killed";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGINT && (job.cancel || job.late)) return "it was stopped before it began";
    if (signal == SIGXCPU) return too_long;
    if (signal == SIGKILL) return "the process was killed, perhaps because memory is short";
    return "the process crashed (" + signal_name(signal) + ")";
  }
  const int exit = WEXITSTATUS(status);
  // Fine, the model is at fault, the run ended early, it violates what the model asserts.
  const bool usual = exit == 0 || exit == 1 || exit == 3 || exit == 4;
  if (usual && (!job.task.needs_json || looks_whole(job.child->output()))) return {};
  const std::string words = words_of(job.messages);
  if (words == "out of memory" && job.task.memory > 0) {
    return "out of memory: a run may take " + std::to_string((job.task.memory + (1u << 29)) >> 30) +
           " GB (--memory)";
  }
  return words.empty() ? "the process ended with status " + std::to_string(exit) : words;
}

void Jobs::conclude(Job& job) {
  auto ended = std::make_shared<Ended>();
  if (job.child) {
    ended->error = trouble(job);
    ended->exit = WIFEXITED(job.child->status()) ? WEXITSTATUS(job.child->status()) : -1;
    if (ended->error.empty()) ended->output = job.child->take_output();
    job.child.reset();
  } else {
    ended->error = job.status.error.empty() ? "it was stopped before it began" : job.status.error;
  }
  ended->messages = std::move(job.messages);
  const bool stopped = job.cancel || (job.late && ended->error.empty());
  if (!ended->error.empty()) {
    job.status.phase = stopped ? RunPhase::Cancelled : RunPhase::Failed;
    job.status.error = ended->error;
  } else if (stopped && ended->exit == 3) {
    job.status.phase = RunPhase::Cancelled;
    if (job.late) job.status.error = "it was stopped after " + seconds(job.task.time_limit);
  } else {
    job.status.phase = RunPhase::Finished;
  }
  job.ended = std::move(ended);
  ++job.version;
  news_.notify_all();
}

void Jobs::file_away(const JobPointer& job) {
  ended_.push_back(job);
  forget();
}

void Jobs::forget() {
  static const auto gone = std::make_shared<const Ended>(
      Ended{-1, {}, {}, "this run is no longer kept: run it again", true});
  std::size_t views = 0, bytes = 0;
  for (auto job = ended_.rbegin(); job != ended_.rend(); ++job) {
    if (!(*job)->ended->error.empty()) continue;
    views += 1;
    bytes += (*job)->ended->output.size();
    if (views > limits_.kept_views || (views > 1 && bytes > limits_.kept_bytes))
      (*job)->ended = gone;
  }
  for (; ended_.size() > limits_.kept_states; ended_.pop_front())
    runs_.erase(ended_.front()->status.id);
}

void Jobs::end_all() {
  for (auto* list : {&waiting_runs_, &waiting_small_}) {
    running_.insert(running_.end(), list->begin(), list->end());
    list->clear();
  }
  for (const auto& job : running_) {
    job->child.reset();
    job->status.error = "the studio has ended";
    conclude(*job);
  }
  running_.clear();
}

}  // namespace cradle::studio
