#include "app/studio/jobs.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <thread>

namespace cradle::studio {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Task shell(const std::string& script, const std::string& input = "") {
  Task task;
  task.command = {"/bin/sh", "-c", script};
  task.input = input;
  return task;
}

RunStatus wait_for(Jobs& jobs, const std::string& id) {
  const auto end = Clock::now() + 20s;
  for (;;) {
    const RunStatus status = jobs.status(id, 100ms).value();
    if (status.phase >= RunPhase::Finished || Clock::now() > end) return status;
  }
}

RunStatus wait_until_running(Jobs& jobs, const std::string& id) {
  const auto end = Clock::now() + 20s;
  for (;;) {
    const RunStatus status = jobs.status(id, 100ms).value();
    if (status.phase == RunPhase::Running || Clock::now() > end) return status;
  }
}

TEST(Jobs, PassOnWhatGoesInAndOut) {
  Jobs jobs;
  const std::string large(3 << 20, 'x');  // more than pipes hold
  const Ended ended = jobs.finish(shell("cat; echo why >&2; exit 3", large)).value();
  EXPECT_EQ(ended.exit, 3);
  EXPECT_EQ(ended.output.size(), large.size());
  EXPECT_EQ(ended.messages, "why\n");
  EXPECT_EQ(ended.error, "");
  // A run that violates what its model asserts is whole.
  EXPECT_EQ(jobs.finish(shell("echo rows; exit 4")).value().output, "rows\n");
  // Who does not read his input is no reason to hang.
  EXPECT_EQ(jobs.finish(shell("echo out", large)).value().output, "out\n");
}

TEST(Jobs, TellProgress) {
  Jobs jobs;
  const auto id = jobs.start_run("a", shell(R"(echo '{"t":0.5,"until":2,"rows":7}' >&2
                                               echo 'a warning' >&2; read x; echo '{}')",
                                            ""))
                      .value();
  const RunStatus status = wait_for(jobs, id);
  EXPECT_EQ(status.phase, RunPhase::Finished);
  EXPECT_EQ(status.t, 0.5);
  EXPECT_EQ(status.until, 2);
  EXPECT_EQ(status.rows, 7);
  EXPECT_EQ(jobs.result(id)->output, "{}\n");
  EXPECT_EQ(jobs.result(id)->messages, "a warning\n");
}

TEST(Jobs, CancelKeepsWhatWasComputed) {
  Jobs jobs;
  const auto id =
      jobs.start_run("a", shell("trap 'echo partial; exit 3' INT; echo '{\"t\":1}' >&2; "
                                "while :; do sleep 0.05; done"))
          .value();
  while (jobs.status(id, 100ms)->t == 0) {
  }
  EXPECT_EQ(jobs.result(id), nullptr);
  EXPECT_TRUE(jobs.cancel(id));
  EXPECT_EQ(wait_for(jobs, id).phase, RunPhase::Cancelled);
  EXPECT_EQ(jobs.result(id)->output, "partial\n");
  EXPECT_FALSE(jobs.cancel("77"));
}

TEST(Jobs, CancelKillsWhoDoesNotListen) {
  JobLimits limits;
  limits.patience = 200ms;
  Jobs jobs(limits);
  const auto id =
      jobs.start_run("a", shell("trap '' INT; echo '{\"t\":1}' >&2; while :; do :; done")).value();
  while (jobs.status(id, 100ms)->t == 0) {
  }
  const auto begin = Clock::now();
  jobs.cancel(id);
  const RunStatus status = wait_for(jobs, id);
  EXPECT_EQ(status.phase, RunPhase::Cancelled);
  EXPECT_EQ(status.error, "it did not end when asked to, and was killed");
  EXPECT_GE(Clock::now() - begin, 200ms);
}

TEST(Jobs, WhatNobodyWantsEndsAtOnce) {
  Jobs jobs;  // with all its patience
  const auto id = jobs.start_run("a", shell("trap 'echo begun; sleep 20; exit 3' INT; "
                                            "echo '{\"t\":1}' >&2; while :; do sleep 0.02; done"))
                      .value();
  while (jobs.status(id, 100ms)->t == 0) {
  }
  jobs.cancel(id);
  std::this_thread::sleep_for(200ms);
  const auto begin = Clock::now();
  jobs.cancel(id, Jobs::Wanted::Nothing);
  EXPECT_EQ(wait_for(jobs, id).phase, RunPhase::Cancelled);
  EXPECT_LT(Clock::now() - begin, 10s);  // it would take twenty
  EXPECT_EQ(jobs.result(id)->error, "it was given up");
}

TEST(Jobs, CancelWaitsForWhoIsHandingIn) {
  JobLimits limits;
  limits.patience = 200ms;
  Jobs jobs(limits);
  const auto id = jobs.start_run("a", shell("trap 'echo begun; sleep 0.6; echo done; exit 3' INT; "
                                            "echo '{\"t\":1}' >&2; while :; do sleep 0.02; done"))
                      .value();
  while (jobs.status(id, 100ms)->t == 0) {
  }
  jobs.cancel(id);
  EXPECT_EQ(wait_for(jobs, id).phase, RunPhase::Cancelled);
  EXPECT_EQ(jobs.result(id)->output, "begun\ndone\n");
}

TEST(Jobs, TimeIsBounded) {
  JobLimits limits;
  limits.patience = 100ms;
  Jobs jobs(limits);
  Task task = shell("while :; do :; done");
  task.time_limit = 200ms;
  EXPECT_EQ(jobs.finish(task).value().error, "it took longer than 0.2 s");
  // A run may hand in what it has.
  task = shell("trap 'echo partial; exit 3' INT; while :; do sleep 0.02; done");
  task.time_limit = 300ms;
  const auto id = jobs.start_run("a", task).value();
  const RunStatus status = wait_for(jobs, id);
  EXPECT_EQ(status.phase, RunPhase::Cancelled);
  EXPECT_EQ(status.error, "it was stopped after 0.3 s");
  EXPECT_EQ(jobs.result(id)->output, "partial\n");
}

TEST(Jobs, MemoryIsBounded) {
  Jobs jobs;
  Task task = shell("x=aaaaaaaa; while :; do x=$x$x; done");
  task.memory = 256 << 20;
  task.time_limit = 20s;
  const Ended ended = jobs.finish(task).value();
  EXPECT_NE(ended.error, "");
  EXPECT_EQ(ended.error.find("took longer"), std::string::npos) << ended.error;
}

TEST(Jobs, EndFirstWhereTheMachineIsShortOfMemory) {
  Jobs jobs;
  EXPECT_EQ(jobs.finish(shell("cat /proc/self/oom_score_adj")).value().output, "1000\n");
}

TEST(Jobs, CrashesAreTold) {
  Jobs jobs;
  EXPECT_EQ(jobs.finish(shell("kill -SEGV $$")).value().error, "the process crashed (SIGSEGV)");
  EXPECT_EQ(jobs.finish(shell("echo 'error: no such name' >&2; exit 2")).value().error,
            "no such name");
  EXPECT_EQ(jobs.finish(shell("echo 'error: bad' >&2; echo Run with --help for more information. "
                              ">&2; exit 106"))
                .value()
                .error,
            "bad");
  Task cut = shell("echo '{\"a\": [1, 2'; echo 'error: out of memory' >&2; exit 3");
  EXPECT_EQ(jobs.finish(cut).value().error, "");
  cut.needs_json = true;
  EXPECT_EQ(jobs.finish(cut).value().error, "out of memory");
  Task silent = shell("exit 0");
  silent.needs_json = true;
  EXPECT_EQ(jobs.finish(silent).value().error, "the process ended with status 0");
  Task missing;
  missing.command = {"/nonexistent/program"};
  EXPECT_EQ(jobs.finish(missing).value().error, "the program cannot be started");
  Task endless = shell("cat /dev/zero");
  endless.max_output = 1 << 20;
  EXPECT_EQ(jobs.finish(endless).value().error, "the result is larger than the studio can hold");
}

TEST(Jobs, FewAtOnceAndTheNewestOfEachFile) {
  Jobs jobs;
  const Task spin = shell("trap 'echo x; exit 3' INT; while :; do sleep 0.05; done");
  const auto first = jobs.start_run("a", spin).value();
  const auto second = jobs.start_run("b", spin).value();
  wait_until_running(jobs, first);
  wait_until_running(jobs, second);
  const auto third = jobs.start_run("a", shell("echo third")).value();
  EXPECT_EQ(jobs.status(third)->phase, RunPhase::Waiting);
  const auto other = jobs.start_run("c", shell("echo other")).value();
  const auto fourth = jobs.start_run("a", shell("echo fourth")).value();
  EXPECT_EQ(jobs.status(third)->phase, RunPhase::Cancelled);
  EXPECT_EQ(jobs.status(third)->error, "a newer run of this file took its place");
  EXPECT_EQ(jobs.status(other)->phase, RunPhase::Waiting);
  // Small work does not wait for runs.
  EXPECT_EQ(jobs.finish(shell("echo small")).value().output, "small\n");
  jobs.cancel(first);
  EXPECT_EQ(wait_for(jobs, fourth).phase, RunPhase::Finished);
  EXPECT_EQ(wait_for(jobs, other).phase, RunPhase::Finished);
  EXPECT_EQ(jobs.result(fourth)->output, "fourth\n");
}

TEST(Jobs, ARunThatNobodyAsksAboutEnds) {
  JobLimits limits;
  limits.runs = 1;
  limits.interest = 300ms;
  Jobs jobs(limits);
  const Task spin = shell("trap 'echo x; exit 3' INT; while :; do sleep 0.02; done");
  const auto wanted = jobs.start_run("a", spin).value();
  const auto waiting = jobs.start_run("b", spin).value();
  const auto begin = Clock::now();
  while (Clock::now() - begin < 600ms) {
    EXPECT_LT(jobs.status(wanted, 20ms)->phase, RunPhase::Finished);
  }
  EXPECT_EQ(jobs.status(waiting)->phase, RunPhase::Cancelled);
  std::this_thread::sleep_for(800ms);
  EXPECT_EQ(jobs.status(wanted)->phase, RunPhase::Cancelled);
  EXPECT_EQ(jobs.result(wanted)->output, "x\n");
}

TEST(Jobs, OldResultsAreForgotten) {
  JobLimits limits;
  limits.kept_views = 2;
  limits.kept_states = 4;
  Jobs jobs(limits);
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) {
    ids.push_back(jobs.start_run("a", shell("echo x")).value());
    wait_for(jobs, ids.back());
  }
  EXPECT_EQ(jobs.status(ids[1]), std::nullopt);
  EXPECT_TRUE(jobs.result(ids[3])->forgotten);
  EXPECT_EQ(jobs.result(ids[4])->output, "x\n");
  EXPECT_EQ(jobs.result(ids[5])->output, "x\n");
}

TEST(Jobs, TheQueueIsBounded) {
  JobLimits limits;
  limits.runs = 1;
  limits.waiting = 2;
  Jobs jobs(limits);
  const auto spinning = jobs.start_run("0", shell("while :; do :; done")).value();
  wait_until_running(jobs, spinning);
  EXPECT_TRUE(jobs.start_run("1", shell("echo")));
  EXPECT_TRUE(jobs.start_run("2", shell("echo")));
  EXPECT_FALSE(jobs.start_run("3", shell("echo")));
}

// True while there is a process with this id (and not only what is left of one).
bool alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string id, name, state;
  return static_cast<bool>(file >> id >> name >> state) && state != "Z";
}

TEST(Jobs, EndAllWorkWhenTheyEnd) {
  pid_t child = 0, grandchild = 0;
  {
    Jobs jobs;
    const auto id = jobs.start_run("a", shell("trap '' INT TERM; sleep 1000 & "
                                              "echo \"{\\\"t\\\":$$,\\\"rows\\\":$!}\" >&2; "
                                              "while :; do sleep 1; done"))
                        .value();
    while (jobs.status(id, 100ms)->t == 0) {
    }
    child = static_cast<pid_t>(jobs.status(id)->t);
    grandchild = static_cast<pid_t>(jobs.status(id)->rows.value());
    EXPECT_TRUE(alive(child));
    EXPECT_TRUE(alive(grandchild));
    // Who waits is told.
    std::thread waiting([&] {
      const auto ended = jobs.finish(shell("sleep 1000"));
      EXPECT_EQ(ended ? ended->error : "the studio has ended", "the studio has ended");
    });
    std::this_thread::sleep_for(100ms);
    jobs.stop();
    waiting.join();
    EXPECT_FALSE(jobs.start_run("b", shell("echo")));
    EXPECT_FALSE(jobs.finish(shell("echo")));
  }
  const auto end = Clock::now() + 5s;
  while ((alive(child) || alive(grandchild)) && Clock::now() < end)
    std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(alive(child));
  EXPECT_FALSE(alive(grandchild));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // nobody is left to be waited for
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace cradle::studio
