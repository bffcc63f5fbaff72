#include "app/studio/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace cradle::studio {
namespace {

using serve::Descriptor;

struct Pipe {
  Descriptor reading, writing;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void do_not_block(const Descriptor& end) {
  ::fcntl(end.get(), F_SETFL, ::fcntl(end.get(), F_GETFL) | O_NONBLOCK);
}

void bound(int resource, rlim_t value) {
  const rlimit limit = {value, value};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

// Where the machine is short of memory a run goes first, not the studio or somebody's editor.
void offer_to_end_first() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!::write(file, "1000", 4));
  ::close(file);
}

// Between fork and exec, in a process of which only this thread was copied: system calls only.
[[noreturn]] void become(char* const* command, const Task& task, const int (&ends)[3],
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // too late to be told
  for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  bound(RLIMIT_CORE, 0);
  // Should the server itself stand still, this ends it.
  bound(RLIMIT_CPU, static_cast<rlim_t>(task.time_limit.count() / 1000 + 10));
  if (task.memory > 0) bound(RLIMIT_AS, task.memory);
  ::setpriority(PRIO_PROCESS, 0, 5);
  offer_to_end_first();
  for (int i = 0; i < 3; ++i) {
    if (::dup2(ends[i], i) < 0) ::_exit(127);
  }
  if (!task.folder.empty() && ::chdir(task.folder.c_str()) != 0) ::_exit(127);
  ::execv(command[0], command);
  static constexpr char why[] = "error: the program cannot be started\n";
  static_cast<void>(!::write(STDERR_FILENO, why, sizeof why - 1));
  ::_exit(127);
}

}  // namespace

Child::Child(const Task& task) : input_(task.input) {
  std::vector<std::string> words = task.command;
  std::vector<char*> command;
  command.reserve(words.size() + 1);
  for (auto& word : words) command.push_back(word.data());
  command.push_back(nullptr);
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe();
  const int ends[3] = {in.reading.get(), out.writing.get(), err.writing.get()};
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) become(command.data(), task, ends, parent);
  ::setpgid(pid_, pid_);  // whoever of the two comes first
  in_ = std::move(in.writing);
  out_ = std::move(out.reading);
  err_ = std::move(err.reading);
  for (const Descriptor* end : {&in_, &out_, &err_}) do_not_block(*end);
}

Child::~Child() {
  if (pid_ < 0 || ended_) return;
  kill();
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
}

void Child::interrupt() {
  if (!ended_) ::kill(-pid_, SIGINT);
}

void Child::kill() {
  if (!ended_) ::kill(-pid_, SIGKILL);
}

void Child::watch(std::vector<pollfd>& list) const {
  if (in_.valid()) list.push_back({in_.get(), POLLOUT, 0});
  if (out_.valid()) list.push_back({out_.get(), POLLIN, 0});
  if (err_.valid()) list.push_back({err_.get(), POLLIN, 0});
}

void Child::write_input() {
  while (in_.valid()) {
    if (written_ == input_.size()) return in_.close();
    const ssize_t n = ::write(in_.get(), input_.data() + written_, input_.size() - written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return in_.close();  // it does not want to know
    written_ += static_cast<std::size_t>(n);
  }
}

// Some of what is there; false if there was nothing.
bool Child::drain(Descriptor& pipe, std::string& into) {
  if (!pipe.valid()) return false;
  char piece[65536];
  const ssize_t got = ::read(pipe.get(), piece, sizeof piece);
  if (got > 0) into.append(piece, static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) pipe.close();
  return got > 0;
}

bool Child::pump() {
  if (ended_) return true;
  write_input();
  drain(out_, output_);
  drain(err_, messages_);
  const pid_t got = ::waitpid(pid_, &status_, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  ::kill(-pid_, SIGKILL);  // whom it left behind
  ended_ = true;
  // What is in the pipes is all that there will be.
  while (drain(out_, output_)) {
  }
  while (drain(err_, messages_)) {
  }
  in_.close();
  out_.close();
  err_.close();
  return true;
}

}  // namespace cradle::studio
