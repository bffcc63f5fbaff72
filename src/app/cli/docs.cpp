// cradle docs: the documentation as pages.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/service.hpp"
#include "app/serve/site.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;

struct DocsCommand {
  std::string folder;
  int port = 0;
  bool open = false;
};

bool is_site(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "index.html", error);
}

// Beside the program, where it was built, or where an installed one has it.
std::string find_site(const std::string& wanted) {
  if (!wanted.empty()) {
    if (!is_site(wanted)) throw Failure(kWrongUsage, wanted + " has no index.html");
    return fs::canonical(wanted).string();
  }
  std::error_code error;
  const fs::path beside = fs::canonical("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {beside / "site", beside.parent_path() / "share/cradle/site"}) {
    if (!error && is_site(folder)) return fs::canonical(folder).string();
  }
  throw Failure(kWrongUsage,
                "the pages are not built: `ninja -C build site` builds them in build/site, as "
                "./cradle docs does; --folder names a site elsewhere");
}

int serve_docs(const DocsCommand& arguments) {
  const std::string site = find_site(arguments.folder);
  const Signals signals;
  serve::Settings settings;
  settings.port = arguments.port;
  settings.threads = 16;
  settings.max_body = 0;
  settings.handle = [&](const serve::Request& request) {
    return serve::answer_from_site(site, request);
  };
  const std::unique_ptr<serve::Server> server = take_port(settings);
  server->start();
  const std::string address = own_address(*server);
  std::cout << address << std::endl;
  std::cerr << "pages of " << site << "; Ctrl-C ends it" << std::endl;
  if (arguments.open) open_in_browser(address);
  signals.wait_for_end();
  server->stop();
  std::cerr << "docs: ended" << std::endl;
  return kFine;
}

}  // namespace

void add_docs(CLI::App& program, int& status) {
  auto arguments = std::make_shared<DocsCommand>();
  CLI::App* command = program.add_subcommand("docs", "Serve the documentation as pages");
  add_service_options(*command, arguments->port, arguments->open);
  command
      ->add_option("--folder", arguments->folder,
                   "The built site (default: the one of this program)")
      ->type_name("FOLDER");
  command->footer(
      "It listens on 127.0.0.1 only. Ctrl-C ends it.\n\n"
      "Examples:\n"
      "  cradle docs --open\n"
      "  cradle docs --port 8000");
  command->callback([arguments, &status] { status = serve_docs(*arguments); });
}

}  // namespace cradle::cli
