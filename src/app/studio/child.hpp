#pragma once
// A process that works on somebody's model. Whatever the model does to it, the server lives: it has
// its own group, a bound on its memory and on its time, and it dies with the thread that started
// it.

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "app/serve/beneath.hpp"

namespace cradle::studio {

struct Task {
  std::vector<std::string> command;  // the program first
  std::string input;                 // its standard input
  std::string folder;                // where it works; empty: where the server does
  std::chrono::milliseconds time_limit{10000};
  uint64_t memory = 0;  // bytes of address space; 0: no bound
  std::size_t max_output = 256u << 20;
  bool needs_json = false;  // without a whole object or list it has failed
};

class Child {
 public:
  // Throws std::system_error if there can be no process. A program that is not there ends with
  // status 127 and says so.
  explicit Child(const Task& task);
  Child(Child&&) = default;
  Child& operator=(Child&&) = delete;
  ~Child();  // kills what still runs

  void watch(std::vector<pollfd>& list) const;
  // Passes on what can be passed on without waiting. True once it has ended.
  bool pump();
  // Nothing more will be heard of it but its end.
  bool silent() const { return !out_.valid() && !err_.valid(); }
  void interrupt();
  void kill();

  // Both grow while it runs.
  const std::string& output() const { return output_; }
  std::string& messages() { return messages_; }  // its standard error
  std::string take_output() { return std::move(output_); }
  // Of a process that has ended: as waitpid tells it.
  int status() const { return status_; }

 private:
  void write_input();
  static bool drain(serve::Descriptor& pipe, std::string& into);

  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
  std::string input_;
  std::size_t written_ = 0;
  std::string output_, messages_;
  serve::Descriptor in_, out_, err_;
};

}  // namespace cradle::studio
