#include "app/cli/input_file.hpp"

#include <optional>
#include <string_view>

#include "app/cli/arguments.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"

namespace cradle::cli {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

struct Line {
  std::optional<double> time, value;
};

Line parse_line(const std::string& line) {
  const auto comma = line.find_first_of(",;\t");
  if (comma == std::string::npos) return {};
  return {parse_number(trimmed(line.substr(0, comma))),
          parse_number(trimmed(line.substr(comma + 1)))};
}

}  // namespace

std::pair<std::string, std::string> parse_input(const std::string& argument) {
  const auto equals = argument.find('=');
  const std::string name = trimmed(argument.substr(0, equals));
  if (equals == std::string::npos || name.empty() || equals + 1 == argument.size()) {
    throw Failure(kWrongUsage, "--input takes name=file, not '" + argument + "'");
  }
  return {name, argument.substr(equals + 1)};
}

InputSignal parse_samples(const std::string& name, const std::string& file,
                          const std::string& text) {
  InputSignal out;
  out.name = name;
  bool may_be_names = true;
  std::size_t number = 0;
  const auto refuse = [&](const std::string& why) {
    throw Failure(kWrongUsage,
                  "--input " + name + ": " + file + ":" + std::to_string(number) + ": " + why);
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const auto [time, value] = parse_line(line);
    const bool names = may_be_names && !time && !value;
    may_be_names = false;
    if (names) continue;
    if (!time || !value) refuse("'" + line + "' is not time,value");
    if (!out.times.empty() && *time < out.times.back()) {
      refuse("the time is before that of the line above");
    }
    out.times.push_back(*time);
    out.values.push_back(*value);
  }
  if (out.times.empty()) throw Failure(kWrongUsage, "--input " + name + ": " + file + " is empty");
  return out;
}

InputSignal read_input(const std::string& name, const std::string& file) {
  return parse_samples(name, file, read_text(file, kWrongUsage));
}

}  // namespace cradle::cli
