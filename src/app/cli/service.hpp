#pragma once
// What the commands that serve pages share: an address, its end, a browser.

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <string>

#include "app/serve/server.hpp"

namespace cradle::cli {

// --port and --open.
void add_service_options(CLI::App& command, int& port, bool& open);

// From its making on, Ctrl-C and SIGTERM wait until somebody waits for them. To be made before
// there are other threads.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();
  void wait_for_end() const;

 private:
  sigset_t awaited_, before_;
};

// Throws Failure if the port is taken.
std::unique_ptr<serve::Server> take_port(const serve::Settings& settings);
// http://127.0.0.1:PORT/
std::string own_address(const serve::Server& server);
// A file that only its owner can read and that leads a browser on to an address.
class PrivatePage {
 public:
  explicit PrivatePage(const std::string& address);
  PrivatePage(const PrivatePage&) = delete;
  PrivatePage& operator=(const PrivatePage&) = delete;
  ~PrivatePage();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// With xdg-open; says so if there is none.
void open_in_browser(const std::string& address);

}  // namespace cradle::cli
