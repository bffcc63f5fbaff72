#include "app/cli/service.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "app/cli/failure.hpp"

namespace cradle::cli {

void add_service_options(CLI::App& command, int& port, bool& open) {
  command.add_option("--port", port, "Listen on this port of 127.0.0.1 (default: a free one)")
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT");
  command.add_flag("--open", open, "Open the address in a browser (xdg-open)");
}

Signals::Signals() {
  sigemptyset(&awaited_);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Whoever started us may have said that it does not concern us (nohup).
    struct sigaction present = {};
    sigaction(signal, nullptr, &present);
    if (present.sa_handler != SIG_IGN) sigaddset(&awaited_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
}

Signals::~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void Signals::wait_for_end() const {
  int signal = 0;
  while (sigwait(&awaited_, &signal) != 0) {
  }
}

std::unique_ptr<serve::Server> take_port(const serve::Settings& settings) {
  try {
    return std::make_unique<serve::Server>(settings);
  } catch (const std::system_error& error) {
    throw Failure(kWrongUsage,
                  "cannot listen on " +
                      (settings.port == 0 ? "127.0.0.1" : "port " + std::to_string(settings.port)) +
                      ": " + error.code().message());
  }
}

std::string own_address(const serve::Server& server) {
  return "http://127.0.0.1:" + std::to_string(server.port()) + "/";
}

PrivatePage::PrivatePage(const std::string& address) {
  path_ = (std::filesystem::temp_directory_path() / "cradle-XXXXXX.html").string();
  const int file = ::mkstemps(path_.data(), 5);  // mode 0600
  const std::string text =
      "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + address + "\">\n";
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) ::close(file);
  if (!written) throw Failure(kWrongUsage, "cannot write " + path_);
}

PrivatePage::~PrivatePage() { ::unlink(path_.c_str()); }

// It runs on by itself, and what it says is of no interest here. Nobody waits for it: there is one
// of it, and it ends with us at the latest.
void open_in_browser(const std::string& address) {
  std::string program = "xdg-open", where = address;
  char* const words[] = {program.data(), where.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) std::cerr << "there is no xdg-open here: open the address yourself" << std::endl;
}

}  // namespace cradle::cli
