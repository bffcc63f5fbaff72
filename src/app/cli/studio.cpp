// cradle studio: a local page to write, run and look.

#include "app/studio/studio.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/service.hpp"
#include "base/basics/leak_sanitizer.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;

struct StudioCommand {
  std::string place = ".";
  int port = 0;
  bool open = false;
  double memory = 4;        // GB
  double time_limit = 600;  // seconds
};

// The folder, and the file in it that was named.
std::pair<std::string, std::optional<std::string>> find_place(const std::string& place) {
  std::error_code error;
  const fs::path real = fs::canonical(place, error);
  if (error) throw Failure(kWrongUsage, "cannot open " + place + ": " + error.message());
  if (fs::is_directory(real, error)) {
    if (::access(real.c_str(), R_OK | X_OK) != 0)
      throw Failure(kWrongUsage, "the folder " + place + " cannot be read");
    return {real.string(), std::nullopt};
  }
  const std::string name = real.filename().string();
  if (!fs::is_regular_file(real, error) || !name.ends_with(".cradle"))
    throw Failure(kWrongUsage, place + " is neither a folder nor a model (NAME.cradle)");
  return {real.parent_path().string(), name};
}

// What is not saved is kept by the browser, for this address: a folder has the same port each time,
// if it is free.
std::unique_ptr<serve::Server> take_usual_port(serve::Settings settings,
                                               const studio::Studio& studio) {
  if (settings.port != 0) return take_port(settings);
  settings.port = 20000 + static_cast<int>(std::stoull(studio.folder_id(), nullptr, 16) % 20000);
  try {
    return std::make_unique<serve::Server>(settings);
  } catch (const std::system_error&) {
    settings.port = 0;
    return take_port(settings);
  }
}

int serve_studio(const StudioCommand& arguments) {
  studio::Choices choices;
  std::tie(choices.folder, choices.open) = find_place(arguments.place);
  choices.token = studio::make_token();
#if !defined(CRADLE_LEAK_SANITIZER)  // its shadow memory is address space, too
  choices.memory = static_cast<uint64_t>(arguments.memory * (1u << 30));
#endif
  choices.run_time = std::chrono::milliseconds(static_cast<int64_t>(arguments.time_limit * 1000));
  const Signals signals;  // before there are threads
  studio::Studio studio(choices);
  serve::Settings settings;
  settings.port = arguments.port;
  settings.admit = [&](const serve::Request& request) { return studio.admit(request); };
  settings.handle = [&](const serve::Request& request) { return studio.answer(request); };
  const std::unique_ptr<serve::Server> server = take_usual_port(settings, studio);
  server->start();

  const std::string address = own_address(*server) + "?token=" + choices.token;
  std::cout << address << std::endl;
  std::cerr << "studio of " << choices.folder << "; Ctrl-C ends it" << std::endl;
  // Others on this machine can read the arguments of every process, but not this file.
  std::optional<PrivatePage> page;
  if (arguments.open) open_in_browser(page.emplace(address).path());
  signals.wait_for_end();
  studio.stop();
  server->stop();
  std::cerr << "studio: ended" << std::endl;
  return kFine;
}

}  // namespace

void add_studio(CLI::App& program, int& status) {
  auto arguments = std::make_shared<StudioCommand>();
  CLI::App* command = program.add_subcommand(
      "studio", "Serve a page to write, run and look at the models of a folder");
  command
      ->add_option("folder", arguments->place,
                   "The folder, or a model in it to begin with (default: this folder)")
      ->type_name("FOLDER");
  add_service_options(*command, arguments->port, arguments->open);
  command->add_option("--memory", arguments->memory, "For each run, in GB (default: 4)")
      ->check(CLI::Range(0.1, 1e6))
      ->type_name("GB");
  command
      ->add_option("--time-limit", arguments->time_limit, "For each run, in seconds (default: 600)")
      ->check(CLI::Range(0.1, 1e7))
      ->type_name("SECONDS");
  command->footer(
      "It prints an address with a token; whoever does not have it is refused. It listens on\n"
      "127.0.0.1 only. Ctrl-C ends it.\n\n"
      "Examples:\n"
      "  cradle studio\n"
      "  cradle studio models/mosterman --open\n"
      "  cradle studio share.cradle --port 8080 --time-limit 60");
  command->callback([arguments, &status] { status = serve_studio(*arguments); });
}

}  // namespace cradle::cli
