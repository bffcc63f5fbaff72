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

bool takes_colour(int stream) {
  return ::isatty(stream) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

std::string colour_line(const std::string& line) {
  const auto painted = [&](std::size_t end, const char* code) {
    return std::string("\033[") + code + "m" + line.substr(0, end) + "\033[0m" + line.substr(end);
  };
  const std::size_t colon = line.find("]: ");
  if (line.starts_with("error[") && colon != std::string::npos) return painted(colon + 2, "1;31");
  if (line.starts_with("warning[") && colon != std::string::npos) return painted(colon + 2, "1;33");
  if (line.starts_with("error: ")) return painted(6, "1;31");
  if (line.starts_with("  help: ")) return painted(7, "32");
  if (line.starts_with("  rule: ") || line.starts_with("  known: ")) {
    return painted(line.find(':') + 1, "36");
  }
  const std::size_t mark = line.find("│ ");
  const bool marked = mark != std::string::npos && line.find_first_not_of(' ') == mark &&
                      line.find('^') != std::string::npos;
  return marked ? "\033[31m" + line + "\033[0m" : line;
}

}  // namespace

std::string for_terminal(const std::string& diagnostics) {
  if (!takes_colour(STDERR_FILENO)) return diagnostics;
  std::string out;
  for (std::size_t begin = 0; begin < diagnostics.size();) {
    const std::size_t end = std::min(diagnostics.find('\n', begin), diagnostics.size() - 1);
    const bool whole = diagnostics[end] == '\n';
    out += colour_line(diagnostics.substr(begin, end - begin + (whole ? 0 : 1)));
    if (whole) out += '\n';
    begin = end + 1;
  }
  return out;
}

TextPlotOptions terminal_options() {
  TextPlotOptions options;
  options.width = std::clamp(columns(), 40, 400);
  options.utf8 = locale_is_utf8();
  options.colour = takes_colour(STDOUT_FILENO);
  return options;
}

}  // namespace cradle::cli
