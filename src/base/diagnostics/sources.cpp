#include <algorithm>
#include <string_view>

#include "base/diagnostics/utf8.hpp"
#include "cradle/diagnostic.hpp"

namespace cradle {

int32_t Sources::add(std::string name, std::string text) {
  std::vector<int32_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(static_cast<int32_t>(i + 1));
  }
  line_starts_.push_back(std::move(starts));
  files_.push_back({std::move(name), std::move(text)});
  return static_cast<int32_t>(files_.size() - 1);
}

Sources::Position Sources::position(int32_t file, int32_t offset) const {
  const std::string& text = files_[static_cast<std::size_t>(file)].text;
  const std::vector<int32_t>& starts = line_starts_[static_cast<std::size_t>(file)];
  offset = std::clamp(offset, 0, static_cast<int32_t>(text.size()));
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const int line = static_cast<int>(after - starts.begin());
  const std::string_view before = std::string_view(text).substr(
      static_cast<std::size_t>(*(after - 1)), static_cast<std::size_t>(offset - *(after - 1)));
  return {line, utf8::width(before) + 1};
}

std::string Sources::line_text(int32_t file, int line) const {
  const std::string& text = files_[static_cast<std::size_t>(file)].text;
  const std::vector<int32_t>& starts = line_starts_[static_cast<std::size_t>(file)];
  if (line < 1 || static_cast<std::size_t>(line) > starts.size()) return {};
  const auto begin = static_cast<std::size_t>(starts[static_cast<std::size_t>(line - 1)]);
  std::size_t end = text.find('\n', begin);
  if (end == std::string::npos) end = text.size();
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

}  // namespace cradle
