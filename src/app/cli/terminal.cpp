#include "app/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace cradle::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int columns() {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int wanted = std::atoi(environment("COLUMNS").c_str());
  return wanted > 0 ? wanted : 80;
}

// As POSIX ranks them: the first that is set decides.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

TextPlotOptions terminal_options() {
  TextPlotOptions options;
  options.width = std::clamp(columns(), 40, 400);
  options.utf8 = locale_is_utf8();
  options.colour = ::isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() &&
                   environment("TERM") != "dumb";
  return options;
}

}  // namespace cradle::cli
